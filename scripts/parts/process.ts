// Runs other programs, and ends them with the script that started them.
import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The folder with package.json. Every command works from here. */
export const projectFolder = join(import.meta.dirname, '..', '..')

/** A cache that commands share. It is in node_modules, so `npm ci` deletes it. */
export const cacheFolder = join(projectFolder, 'node_modules', '.cache', 'bookbridge')

export type RunResult = { readonly code: number; readonly output: string }

type RunOptions = {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** `show` prints the output. `keep` returns it instead. */
  readonly output: 'show' | 'keep'
  /** The time limit, in milliseconds. */
  readonly limit?: number
}

/**
 * Runs a program to its end. Its exit code is 127 if it couldn't be started, and 128 plus the signal's number if a signal
 * ended it. Never throws.
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const child = spawn(command, args, {
    cwd: options.cwd ?? projectFolder,
    env: options.env ?? process.env,
    stdio: options.output === 'show' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    shell: needsShell(command),
    timeout: options.limit,
    killSignal: 'SIGKILL',
  })
  const pieces: Buffer[] = []
  child.stdout?.on('data', (piece: Buffer) => pieces.push(piece))
  child.stderr?.on('data', (piece: Buffer) => pieces.push(piece))
  const code = await exitCode(child)
  return { code, output: Buffer.concat(pieces).toString() }
}

/** Starts a program. On Linux, the kernel ends it when this process ends, even by SIGKILL. */
export function spawnWithParent(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  parentDeathSignal: 'TERM' | 'KILL' = 'TERM',
): ChildProcess {
  const setpriv = process.platform === 'linux' && findProgram('setpriv') !== undefined
  return setpriv
    ? spawn('setpriv', ['--pdeathsig', parentDeathSignal, '--', command, ...args], options)
    : spawn(command, args, { ...options, shell: needsShell(command) })
}

/** Resolves to the exit code of a program, however it ends. */
export function exitCode(child: ChildProcess): Promise<number> {
  if (child.exitCode !== null) return Promise.resolve(child.exitCode)
  return new Promise((done) => {
    child.once('error', () => done(127))
    child.once('close', (code, signal) => done(code ?? (signal === 'SIGINT' ? 130 : 143)))
  })
}

/** Sends SIGTERM to a program, and SIGKILL after `graceMs` milliseconds. Resolves when it has ended. */
export async function stop(child: ChildProcess, graceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = exitCode(child)
  child.kill('SIGTERM')
  const killTimer = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await ended
  clearTimeout(killTimer)
}

/**
 * Calls `end` once when this process should terminate: on a signal, or when the shell between it and npm has ended. npm
 * passes signals only to that shell, which doesn't pass them on. Returns a function that stops listening.
 */
export function onTerminationRequest(end: () => void): () => void {
  const parent = process.ppid
  const cleanUp = (): void => {
    clearInterval(watch)
    for (const signal of TERMINATION_SIGNALS) process.off(signal, once)
  }
  const once = (): void => {
    cleanUp()
    // A second signal must not interrupt the shutdown.
    for (const signal of TERMINATION_SIGNALS) process.on(signal, () => undefined)
    end()
  }
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent) once()
  }, 300)
  watch.unref()
  for (const signal of TERMINATION_SIGNALS) process.on(signal, once)
  return cleanUp
}

const TERMINATION_SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The full path of a program on the search path, or undefined. */
export function findProgram(name: string): string | undefined {
  const extensions = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const extension of extensions) {
      const path = join(folder, name + extension)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        continue
      }
    }
  }
  return undefined
}

/** Prints a line to standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** A command as a user would type it in a shell. */
export function formatCommand(command: string, args: readonly string[]): string {
  return [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ')
}

/** On Windows, npm and npx are scripts, which only the shell can start. */
function needsShell(command: string): boolean {
  return process.platform === 'win32' && !command.includes('.exe') && command !== process.execPath
}
