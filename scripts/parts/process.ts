// Runs other programs. They are shown before they run, stopped with us, and never left behind.
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The folder with package.json. Every command works from here. */
export const projectFolder = join(import.meta.dirname, '..', '..')

/** A folder for data between commands that may be lost. It is in node_modules, so `npm ci` deletes it. */
export const cacheFolder = join(projectFolder, 'node_modules', '.cache', 'bookbridge')

export type Finished = { readonly code: number; readonly output: string }

type RunOptions = {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** `show` prints the output. `keep` returns it instead. */
  readonly output: 'show' | 'keep'
  /** The time limit, in milliseconds. */
  readonly limit?: number
}

/**
 * Runs a program to its end. Returns its exit code: 127 if it couldn't be started, 128 plus the signal's number if a signal
 * ended it.
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<Finished> {
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

/** Starts a program. On Linux, the kernel ends it even if we are killed. */
export function spawnTied(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  withUs: 'TERM' | 'KILL' = 'TERM',
): ChildProcess {
  const setpriv = process.platform === 'linux' && findProgram('setpriv') !== undefined
  return setpriv
    ? spawn('setpriv', ['--pdeathsig', withUs, '--', command, ...args], options)
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

/** Asks a program to end, and kills it after `patience` milliseconds. */
export async function stop(child: ChildProcess, patience: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = exitCode(child)
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), patience)
  await ended
  clearTimeout(impatience)
}

/**
 * Calls `end` once when we are asked to end: by a signal, or because the shell between npm and us ended. npm passes its
 * signals only to that shell, which dies without telling us. Returns a function that stops listening.
 */
export function onRequestToEnd(end: () => void): () => void {
  const parent = process.ppid
  const cleanUp = (): void => {
    clearInterval(watch)
    for (const signal of endings) process.off(signal, once)
  }
  const once = (): void => {
    cleanUp()
    // Another signal must not interrupt the orderly end.
    for (const signal of endings) process.on(signal, () => undefined)
    end()
  }
  const watch = setInterval(() => {
    if (process.env['npm_lifecycle_event'] !== undefined && process.ppid !== parent) once()
  }, 300)
  watch.unref()
  for (const signal of endings) process.on(signal, once)
  return cleanUp
}

const endings = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** The full path of a program on the search path, or undefined. */
export function findProgram(name: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    for (const ending of endings) {
      const path = join(folder, name + ending)
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

/** Prints a line of ours between the output of other programs. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** A command as a user would type it, to show it before it runs. */
export function asTyped(command: string, args: readonly string[]): string {
  return [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word}'`)).join(' ')
}

/** On Windows, npm and npx are scripts, which only the shell can start. */
function needsShell(command: string): boolean {
  return process.platform === 'win32' && !command.includes('.exe') && command !== process.execPath
}
