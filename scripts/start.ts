// `npm start`: sets the computer up, builds if needed, and opens the program: in Electron if its runtime is installed or
// can be downloaded, or else in the Chromium host, which runs the same build for developers. Without a display and
// flags, it runs the tour instead and prints the names of its pictures.
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { hostCommand } from '../test/chromium-host/launch.ts'
import { sessionHasKeyring } from './keyring.ts'
import { buildIfNeeded } from './parts/build.ts'
import { openDesktopServices } from './parts/desktop-services.ts'
import { hasDisplay } from './parts/display.ts'
import { obtainElectron, sandboxSwitches } from './parts/electron-runtime.ts'
import {
  exitCode,
  onTerminationRequest,
  printLine,
  projectFolder,
  spawnWithParent,
  stop,
} from './parts/process.ts'
import { setUp } from './setup.ts'
import { tour } from './tour.ts'

type Command = {
  readonly command: string
  readonly args: readonly string[]
  readonly env?: NodeJS.ProcessEnv
}

process.exitCode = await start(process.argv.slice(2))

/** Runs the program to its end. Returns its exit code, or 1 if it couldn't be started. */
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
    printLine(`There is no display here, so the tour runs instead and keeps its pictures in ${folder}:`)
    return tour(resolve(projectFolder, folder))
  }
  const requestedFlags = headless && !flags.includes('--headless') ? [...flags, '--headless'] : flags
  const command =
    electron === undefined ? hostCommand(requestedFlags) : await electronCommand(electron, requestedFlags)
  if (electron === undefined) {
    printLine(
      "Electron's runtime is not installed here: this is the same program in the Chromium host (docs/).",
    )
  }
  return runToEnd(command, userDataFolder(flags), electron !== undefined)
}

async function electronCommand(electron: string, flags: readonly string[]): Promise<Command> {
  return { command: electron, args: [...(await sandboxSwitches(electron)), projectFolder, ...flags] }
}

/** Passes a request to quit on to the program, and leaves no process behind. */
async function runToEnd(command: Command, userData: string, screen: boolean): Promise<number> {
  const services = await openDesktopServices({ keys: { userData }, screen })
  // In its own process group: Ctrl+C reaches every process of the terminal's group, and the program should get it once.
  const program = spawnWithParent(command.command, command.args, {
    cwd: projectFolder,
    stdio: 'inherit',
    detached: process.platform !== 'win32',
    env: { ...command.env, ...services.env },
  })
  const quitRequest = new AbortController()
  const stopListening = onTerminationRequest(() => {
    quitRequest.abort()
    void stop(program, 10_000)
  })
  const code = await exitCode(program)
  stopListening()
  killGroup(program.pid)
  await services.close()
  // Quitting on request is not a failure.
  return quitRequest.signal.aborted ? 0 : code
}

/** Kills the rest of the program's process group, in case the program itself was killed. */
function killGroup(pid: number | undefined): void {
  if (pid === undefined || process.platform === 'win32') return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

/** The user-data folder by Electron's rules on Linux, the only system that needs it here. */
function userDataFolder(flags: readonly string[]): string {
  const named = flags.findLast((flag) => flag.startsWith('--user-data-dir='))
  if (named !== undefined) return resolve(projectFolder, named.slice('--user-data-dir='.length))
  return join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'Bookbridge')
}
