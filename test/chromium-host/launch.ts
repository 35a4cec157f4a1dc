/** Starts the Chromium host: for Playwright, which expects a folder like Electron's, and without it. */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const boot = join(import.meta.dirname, 'boot.ts')
const guard = join(import.meta.dirname, 'loopback-only.ts')

/** The environment variable with the path of Chromium's program file, if it isn't found automatically. */
export const CHROMIUM_VARIABLE = 'BOOKBRIDGE_CHROMIUM'

/** Where Chromium-based browsers are installed, in order of preference. */
function commonPlaces(): readonly string[] {
  const { env } = process
  if (process.platform === 'darwin') {
    return ['Chromium', 'Google Chrome', 'Microsoft Edge'].map(
      (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
    )
  }
  if (process.platform === 'win32') {
    const folders = [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LocalAppData']]
    const files = [
      'Chromium\\Application\\chrome.exe',
      'Google\\Chrome\\Application\\chrome.exe',
      'Microsoft\\Edge\\Application\\msedge.exe',
    ]
    return files.flatMap((file) => folders.flatMap((folder) => (folder ? [join(folder, file)] : [])))
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge']
  const folders = (env['PATH'] ?? '').split(delimiter).filter(Boolean)
  return [
    ...names.flatMap((name) => folders.map((folder) => join(folder, name))),
    ...names.map((name) => `/usr/bin/${name}`),
    '/snap/bin/chromium',
  ]
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns Chromium's program file; undefined if none is installed. `BOOKBRIDGE_CHROMIUM` takes precedence. */
export function chromiumPath(): string | undefined {
  const named = process.env[CHROMIUM_VARIABLE]
  if (named) return isExecutable(named) ? named : undefined
  return commonPlaces().find(isExecutable)
}

/** Returns Debian's Chromium without windows, which costs a fifth less to run; undefined if it isn't installed. */
export function headlessShellPath(): string | undefined {
  const path = '/usr/bin/chromium-headless-shell'
  return isExecutable(path) ? path : undefined
}

/** Whether Electron's own runtime was downloaded, so that specs can run in it. */
export function isElectronInstalled(): boolean {
  return existsSync(join(root, 'node_modules/electron/path.txt'))
}

/** Returns Node 24 from the project's dependencies, or the running Node if it is missing. */
function nodePath(): string {
  const [system, program] = process.platform === 'win32' ? ['win', 'node.exe'] : [process.platform, 'node']
  const own = join(root, `node_modules/node-${system}-${process.arch}/bin`, program)
  return existsSync(own) ? own : process.execPath
}

// The guard is an option of Node itself, so that worker threads get it, too.
const nodeArguments: readonly string[] = ['-r', guard, boot]

/**
 * Creates the folder for `ELECTRON_OVERRIDE_DIST_PATH`, with an `electron` that is the host, and returns its path. It
 * may be called repeatedly.
 */
export function hostDistPath(): string {
  const folder = join(root, 'out', 'chromium-host')
  mkdirSync(folder, { recursive: true })
  const quoted = [nodePath(), ...nodeArguments].map((part) => `"${part}"`).join(' ')
  if (process.platform === 'win32') writeProgram(join(folder, 'electron.cmd'), `@${quoted} %*\r\n`)
  else writeProgram(join(folder, 'electron'), `#!/bin/sh\nexec ${quoted} "$@"\n`)
  return folder
}

/** All or nothing, because specs run in parallel, and a program that is being written can't be started. */
function writeProgram(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return
  const beside = `${file}.${String(process.pid)}`
  writeFileSync(beside, text, { mode: 0o755 })
  renameSync(beside, file)
}

export interface HostCommand {
  readonly command: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** Returns how to spawn the host with these flags, without Playwright. `program` is a built program's folder. */
export function hostCommand(flags: readonly string[], program = root): HostCommand {
  return { command: nodePath(), args: [...nodeArguments, program, ...flags], env: { ...process.env } }
}
