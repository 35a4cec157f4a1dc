/** The command line's flags. Pure, so that what a packaged build refuses can be tested without one. */

export interface Flags {
  /** `--user-data-dir=DIR`: everything of ours lies there. */
  readonly userDataDir: string | null
  /** `--save-dir=DIR`: save dialogs answer with the proposed name in that folder (unattended runs). */
  readonly saveDir: string | null
  /** `--headless`: the window stays hidden. */
  readonly isHeadless: boolean
}

/**
 * All that a packaged build takes: the folder, what the installer says after an update, and how the window is drawn
 * and read out. Chromium knows a thousand more, which load, redirect, debug or unguard, so the list is of the allowed.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  'user-data-dir',
  'updated',
  'disable-gpu',
  'force-device-scale-factor',
  'force-renderer-accessibility',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
])
/** What older Finders give a program that they open. */
const FROM_FINDER = /^psn_\d+_\d+$/

/**
 * Reads the flags. A packaged build refuses all but a few: no unattended saving, no debugging, no other code in a
 * program that holds a key.
 * @param argv the program's own name first
 * @param isWindows there a flag may begin with `/`, which elsewhere begins a path
 * @returns `refused`: names of flags that were given and are not allowed here, as Chromium reads them
 */
export function readFlags(
  argv: readonly string[],
  isPackaged: boolean,
  isWindows: boolean,
): { flags: Flags; refused: readonly string[] } {
  const value = (name: string): string | null => {
    const prefix = `--${name}=`
    const found = argv.findLast((each) => each.startsWith(prefix))
    return found === undefined ? null : found.slice(prefix.length)
  }
  const userDataDir = value('user-data-dir')
  if (isPackaged) {
    const given = argv.slice(1).flatMap((each) => flagName(each, isWindows) ?? [])
    const refused = given.filter((name) => !ALLOWED.has(name) && !FROM_FINDER.test(name))
    return { flags: { userDataDir, saveDir: null, isHeadless: false }, refused: [...new Set(refused)] }
  }
  const isHeadless = argv.some((each) => each === '--headless' || each.startsWith('--headless='))
  return { flags: { userDataDir, saveDir: value('save-dir'), isHeadless }, refused: [] }
}

/** As Chromium takes it: blanks around it and its case do not matter, and one sign does for two. `null` for a path. */
function flagName(argument: string, isWindows: boolean): string | null {
  const sign = isWindows ? /^(--?|\/)/ : /^--?/
  const given = argument.trim()
  if (!sign.test(given)) return null
  return (given.replace(sign, '').split('=')[0] ?? '').toLowerCase()
}
