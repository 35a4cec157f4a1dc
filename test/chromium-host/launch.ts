/**
 * How to start the Chromium host: for Playwright, which wants a folder that looks like Electron's, and without it.
 */
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

/** The environment variable that names Chromium's program file where it is not found by itself. */
export const CHROMIUM_VARIABLE = 'BOOKBRIDGE_CHROMIUM'

/** Where browsers of Chromium's family stand, in the order in which they are tried. */
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

/** Chromium's program file; undefined where none is installed. `BOOKBRIDGE_CHROMIUM` goes before any other. */
export function chromiumPath(): string | undefined {
  const named = process.env[CHROMIUM_VARIABLE]
  if (named) return isExecutable(named) ? named : undefined
  return commonPlaces().find(isExecutable)
}

/** Debian's Chromium without any window, which costs a fifth less to run; undefined where it is not installed. */
export function headlessShellPath(): string | undefined {
  const path = '/usr/bin/chromium-headless-shell'
  return isExecutable(path) ? path : undefined
}

/** Whether Electron's own runtime has been downloaded, so that the real thing can be started. */
export function isElectronInstalled(): boolean {
  return existsSync(join(root, 'node_modules/electron/path.txt'))
}

/** Node 24 from the project's own dependencies; the running one where that is missing. */
function nodePath(): string {
  const [system, program] = process.platform === 'win32' ? ['win', 'node.exe'] : [process.platform, 'node']
  const own = join(root, `node_modules/node-${system}-${process.arch}/bin`, program)
  return existsSync(own) ? own : process.execPath
}

// The guard is an option of Node itself, so that worker threads get it too.
const nodeArguments: readonly string[] = ['-r', guard, boot]

/**
 * Makes the folder that goes into `ELECTRON_OVERRIDE_DIST_PATH`, with an `electron` that is the host, and returns
 * its path. Calling it again is harmless.
 */
export function hostDistPath(): string {
  const folder = join(root, 'out', 'chromium-host')
  mkdirSync(folder, { recursive: true })
  const quoted = [nodePath(), ...nodeArguments].map((part) => `"${part}"`).join(' ')
  if (process.platform === 'win32') writeProgram(join(folder, 'electron.cmd'), `@${quoted} %*\r\n`)
  else writeProgram(join(folder, 'electron'), `#!/bin/sh\nexec ${quoted} "$@"\n`)
  return folder
}

/** Whole or not at all: specs run beside each other, and a program that is being written can't be started. */
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

/** How to spawn the host with these flags, without Playwright. `program` is a built program's folder. */
export function hostCommand(flags: readonly string[], program = root): HostCommand {
  return { command: nodePath(), args: [...nodeArguments, program, ...flags], env: { ...process.env } }
}
