// `npm start`: sets the machine up, builds if need be, and opens the program: in Electron where its runtime is
// installed or can be fetched, otherwise in the Chromium host, which runs the same build for developers. Where
// there is nobody to look at a window (no display, no flags), it walks the tour instead and names its pictures.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { hostCommand } from '../test/chromium-host/launch.ts'
import { sessionHasKeyring } from './keyring.ts'
import { buildIfNeeded } from './parts/build.ts'
import { hasDisplay } from './parts/display.ts'
import { obtainElectron, sandboxSwitches } from './parts/electron-runtime.ts'
import { exitCode, onRequestToEnd, projectFolder, say, spawnTied, stop } from './parts/process.ts'
import { openSurroundings } from './parts/surroundings.ts'
import { setUp } from './setup.ts'
import { tour } from './tour.ts'

type Command = {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

process.exitCode = await start(process.argv.slice(2))

/** Runs the program to its end. The exit code is the program's own; 1 when it could not be started. */
async function start(flags: readonly string[]): Promise<number> {
  const electron = await obtainElectron(false)
  const headless = flags.some((flag) => /^--(headless|remote-debugging-port)\b/.test(flag)) || !hasDisplay()
  await setUp({
    electron,
    ownKeyring: !(await sessionHasKeyring()),
    virtualScreen: electron !== undefined && !hasDisplay(),
  })
  await buildIfNeeded()

  if (flags.length === 0 && !hasDisplay()) {
    const folder = join('out', 'tour')
    say(`There is no display here, so the tour runs instead and keeps its pictures in ${folder}:`)
    return tour(resolve(projectFolder, folder))
  }
  const asked = headless && !flags.includes('--headless') ? [...flags, '--headless'] : flags
  const command = electron === undefined ? hostCommand(asked) : await electronCommand(electron, asked)
  if (electron === undefined) {
    say("Electron's runtime is not installed here: this is the same program in the Chromium host (docs/).")
  }
  return runToEnd(command, userDataOf(flags), electron !== undefined)
}

async function electronCommand(electron: string, flags: readonly string[]): Promise<Command> {
  return { command: electron, args: [...(await sandboxSwitches(electron)), projectFolder, ...flags] }
}

/** Passes the request to end on to the program, and leaves nothing running behind it. */
async function runToEnd(command: Command, userData: string, screen: boolean): Promise<number> {
  const around = await openSurroundings({ keys: { of: userData }, screen })
  // A group of its own: Ctrl+C reaches the whole group of the terminal, and the program shall hear it once.
  const program = spawnTied(command.command, command.args, {
    cwd: projectFolder,
    stdio: 'inherit',
    detached: process.platform !== 'win32',
    env: { ...command.env, ...around.env },
  })
  const asked = new AbortController()
  const settle = onRequestToEnd(() => {
    asked.abort()
    void stop(program, 10_000)
  })
  const code = await exitCode(program)
  settle()
  endGroup(program.pid)
  await around.close()
  // Ending because it was asked to is what it should do, not a failure.
  return asked.signal.aborted ? 0 : code
}

/** Whatever the program left of its group, should it have been killed itself. */
function endGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === 'win32') return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing was left.
  }
}

/** The folder the program will use, by the same rules as Electron's on Linux, the only system that asks. */
function userDataOf(flags: readonly string[]): string {
  const named = flags.findLast((flag) => flag.startsWith('--user-data-dir='))
  if (named !== undefined) return resolve(projectFolder, named.slice('--user-data-dir='.length))
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'Bookbridge')
}
