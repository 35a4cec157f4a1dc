/**
 * The command line's flags. Pure functions, so that a packaged build's refusals can be tested without one.
 */

export interface Flags {
  /** `--user-data-dir=DIR`: the folder of everything this program saves. */
  readonly userDataDir: string | null
  /** `--save-dir=DIR`: save dialogs answer with the proposed name in that folder, for unattended runs. */
  readonly saveDir: string | null
  /** `--headless`: the window stays hidden. */
  readonly isHeadless: boolean
  /** `--run=FILE`: makes the reports that the file asks for, without a window. */
  readonly run: string | null
}

/**
 * Flags that a packaged build accepts: the folder, the installer's flag after an update, and how the window is drawn
 * and read aloud. Chromium has a thousand more, which load, redirect, debug, or unprotect, so this is an allow list.
 */
const ALLOWED: ReadonlySet<string> = new Set([
  'user-data-dir',
  'run',
  'updated',
  'disable-gpu',
  'force-device-scale-factor',
  'force-renderer-accessibility',
  'lang',
  'ozone-platform',
  'ozone-platform-hint',
])
/** Older versions of Finder pass this to programs they open. */
const FROM_FINDER = /^psn_\d+_\d+$/

/**
 * Reads the flags. A packaged build, which holds keys, refuses all but a few: no unattended saving, no debugging, no
 * other code.
 * @param argv the program's own name first
 * @param isWindows whether a flag may begin with `/`, which elsewhere begins a path
 * @returns `refused`: names of flags that are not allowed, as Chromium reads them
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
  const run = value('run')
  if (isPackaged) {
    const given = argv.slice(1).flatMap((each) => flagName(each, isWindows) ?? [])
    const refused = given.filter((name) => !ALLOWED.has(name) && !FROM_FINDER.test(name))
    return { flags: { userDataDir, saveDir: null, isHeadless: false, run }, refused: [...new Set(refused)] }
  }
  const isHeadless = argv.some((each) => each === '--headless' || each.startsWith('--headless='))
  return { flags: { userDataDir, saveDir: value('save-dir'), isHeadless, run }, refused: [] }
}

/**
 * Reads a flag's name as Chromium does: it ignores surrounding spaces and case, and accepts one dash for two. `null`
 * for a path.
 */
function flagName(argument: string, isWindows: boolean): string | null {
  const sign = isWindows ? /^(--?|\/)/ : /^--?/
  const given = argument.trim()
  if (!sign.test(given)) return null
  return (given.replace(sign, '').split('=')[0] ?? '').toLowerCase()
}
