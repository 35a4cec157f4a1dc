/** The command line's flags. Pure, so that what a packaged build refuses can be tested without one. */

export interface Flags {
  /** `--user-data-dir=DIR`: everything of ours lies there. */
  readonly userDataDir: string | null
  /** `--save-dir=DIR`: save dialogs answer with the proposed name in that folder (unattended runs). */
  readonly saveDir: string | null
  /** `--headless`: the window stays hidden. */
  readonly isHeadless: boolean
}

const DEVELOPER_ONLY = [
  'save-dir',
  'headless',
  'remote-debugging-port',
  'remote-debugging-pipe',
  'inspect',
  'inspect-brk',
]

/**
 * Reads the flags. A packaged build refuses all but `--user-data-dir`: no unattended saving, no debugging of a
 * program that holds a key.
 * @returns `refused`: names of flags that were given and are not allowed here
 */
export function readFlags(
  argv: readonly string[],
  isPackaged: boolean,
): { flags: Flags; refused: readonly string[] } {
  const value = (name: string): string | null => {
    const prefix = `--${name}=`
    const found = argv.findLast((each) => each.startsWith(prefix))
    return found === undefined ? null : found.slice(prefix.length)
  }
  const isGiven = (name: string): boolean =>
    argv.some((each) => each === `--${name}` || each.startsWith(`--${name}=`))
  const userDataDir = value('user-data-dir')
  if (isPackaged) {
    return {
      flags: { userDataDir, saveDir: null, isHeadless: false },
      refused: DEVELOPER_ONLY.filter(isGiven),
    }
  }
  return { flags: { userDataDir, saveDir: value('save-dir'), isHeadless: isGiven('headless') }, refused: [] }
}
