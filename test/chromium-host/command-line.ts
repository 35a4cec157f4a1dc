/** Parses the host's command line as Electron parses its own. */

export interface HostCommandLine {
  /** Scripts loaded with `-r`: Playwright's loader. */
  readonly requires: readonly string[]
  /** Whether `--inspect=0` requests Node's debugger. */
  readonly inspect: boolean
  /** The folder or file of the program. */
  readonly program: string
  /** `--name=value` and `--name`, at any position. */
  readonly switches: ReadonlyMap<string, string>
}

/** @param values the arguments after the name of the program file. Throws if they name no program. */
export function readCommandLine(values: readonly string[]): HostCommandLine {
  const requires: string[] = []
  const switches = new Map<string, string>()
  let program: string | undefined
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? ''
    if (value === '-r') {
      requires.push(values[++index] ?? '')
    } else if (value.startsWith('--')) {
      const at = value.indexOf('=')
      if (at === -1) switches.set(value.slice(2), '')
      else switches.set(value.slice(2, at), value.slice(at + 1))
    } else {
      program ??= value
    }
  }
  if (program === undefined)
    throw new Error('The Chromium host needs the folder of a built program, such as .')
  return { requires, inspect: switches.has('inspect'), program, switches }
}
