/** `app`: the program's lifecycle, its folders, and its command line. */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { App } from 'electron'
import { hostDistPath } from '../launch.ts'
import { HostEmitter, HostEvent, strict } from './strict.ts'

const EVENTS = [
  'will-finish-launching',
  'ready',
  'window-all-closed',
  'before-quit',
  'will-quit',
  'quit',
  'activate',
  'second-instance',
  'open-file',
  'open-url',
  'web-contents-created',
  'browser-window-created',
  'browser-window-focus',
  'browser-window-blur',
  'render-process-gone',
  'child-process-gone',
  'certificate-error',
  'select-client-certificate',
  'login',
  'session-created',
]

const LOCK_FILE = 'chromium-host.lock'

export interface AppOptions {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly switches: ReadonlyMap<string, string>
  /** Closes all windows except those that refuse. */
  readonly closeWindows: () => void
  readonly countWindows: () => number
  /** Ends the process. Nothing runs after it. */
  readonly end: (code: number, relaunch: readonly string[] | undefined) => void
}

type Held = Pick<
  App,
  | 'name'
  | 'isPackaged'
  | 'whenReady'
  | 'isReady'
  | 'quit'
  | 'exit'
  | 'relaunch'
  | 'focus'
  | 'getPath'
  | 'setPath'
  | 'setAppLogsPath'
  | 'getName'
  | 'setName'
  | 'getVersion'
  | 'getAppPath'
  | 'getLocale'
  | 'getSystemLocale'
  | 'getPreferredSystemLanguages'
  | 'requestSingleInstanceLock'
  | 'hasSingleInstanceLock'
  | 'releaseSingleInstanceLock'
  | 'enableSandbox'
  | 'disableHardwareAcceleration'
  | 'setAppUserModelId'
  | 'setAboutPanelOptions'
>

export class HostApp extends HostEmitter implements Held {
  readonly isPackaged = false
  readonly dock = undefined
  readonly commandLine
  name: string
  readonly #options: AppOptions
  readonly #switches: Map<string, string>
  readonly #paths = new Map<string, string>()
  readonly #ready = Promise.withResolvers<undefined>()
  #isReady = false
  #hasLock = false
  #isQuitting = false
  #relaunchArguments: readonly string[] | undefined

  constructor(options: AppOptions) {
    super('app', EVENTS)
    this.#options = options
    this.name = options.name
    this.#switches = new Map(options.switches)
    this.commandLine = strict('app.commandLine', {
      hasSwitch: (name: string) => this.#switches.has(name),
      getSwitchValue: (name: string) => this.#switches.get(name) ?? '',
      appendSwitch: (name: string, value = '') => void this.#switches.set(name, value),
      removeSwitch: (name: string) => void this.#switches.delete(name),
      appendArgument: () => undefined,
    }) satisfies Pick<App['commandLine'], 'hasSwitch' | 'getSwitchValue' | 'appendSwitch' | 'removeSwitch'>
  }

  // ---- life

  whenReady(): Promise<void> {
    return this.#ready.promise
  }

  isReady(): boolean {
    return this.#isReady
  }

  get isQuitting(): boolean {
    return this.#isQuitting
  }

  /** For the host: Chromium is running. Playwright's loader delays the event until it is attached. */
  becomeReady(): void {
    this.#isReady = true
    this.emit('ready', new HostEvent(), {})
    this.#ready.resolve(undefined)
  }

  /** For the host: a window was closed. The last one ends the program unless it listens and decides. */
  windowClosed(): void {
    // While quitting, `quit` itself continues once it has closed all windows.
    if (this.#isQuitting || this.#options.countWindows() > 0) return
    if (!this.emit('window-all-closed')) this.quit()
  }

  quit(): void {
    const before = new HostEvent()
    this.emit('before-quit', before)
    if (before.defaultPrevented) return
    this.#isQuitting = true
    this.#options.closeWindows()
    if (this.#options.countWindows() === 0) this.#finish(0)
    // A window that refused to close canceled quitting.
    else this.#isQuitting = false
  }

  exit(code = 0): void {
    this.emit('quit', new HostEvent(), code)
    this.#end(code)
  }

  relaunch(options: { readonly args?: string[] } = {}): void {
    this.#relaunchArguments = options.args ?? process.argv.slice(1)
  }

  focus(): void {}

  #hasFinished = false

  #finish(code: number): void {
    if (this.#hasFinished) return
    const event = new HostEvent()
    this.emit('will-quit', event)
    if (event.defaultPrevented) {
      this.#isQuitting = false
      return
    }
    this.#hasFinished = true
    this.exit(code)
  }

  #end(code: number): void {
    this.releaseSingleInstanceLock()
    this.#options.end(code, this.#relaunchArguments)
  }

  // ---- names and folders

  getName(): string {
    return this.name
  }

  setName(name: string): void {
    this.name = name
  }

  getVersion(): string {
    return this.#options.version
  }

  getAppPath(): string {
    return this.#options.folder
  }

  getPath(name: Parameters<App['getPath']>[0]): string {
    const set = this.#paths.get(name)
    if (set !== undefined) return set
    switch (name) {
      case 'home':
        return homedir()
      case 'temp':
        return tmpdir()
      case 'appData':
        return appData()
      case 'userData':
      case 'sessionData':
        // A separate profile, so that the program on the same machine isn't affected.
        return this.#options.switches.get('user-data-dir') ?? join(appData(), `${this.name} (Chromium host)`)
      case 'logs':
        return join(this.getPath('userData'), 'logs')
      case 'exe':
        // A program that behaves like Electron's. Node alone would be only half of the command.
        return join(hostDistPath(), process.platform === 'win32' ? 'electron.cmd' : 'electron')
      case 'downloads':
      case 'documents':
      case 'desktop':
        return join(homedir(), name.charAt(0).toUpperCase() + name.slice(1))
      default:
        throw new Error(`The Chromium host has no app.getPath('${name}')`)
    }
  }

  setPath(name: string, path: string): void {
    this.#paths.set(name, path)
  }

  setAppLogsPath(path?: string): void {
    this.setPath('logs', path ?? this.getPath('logs'))
  }

  // ---- languages

  getLocale(): string {
    return this.#switches.get('lang') || Intl.DateTimeFormat().resolvedOptions().locale
  }

  getSystemLocale(): string {
    return Intl.DateTimeFormat().resolvedOptions().locale
  }

  getPreferredSystemLanguages(): string[] {
    return [this.getSystemLocale()]
  }

  // ---- one instance: a lock of the host's own, since Chromium has not started yet

  requestSingleInstanceLock(): boolean {
    this.#hasLock ||= this.#takeLock()
    return this.#hasLock
  }

  hasSingleInstanceLock(): boolean {
    return this.#hasLock
  }

  releaseSingleInstanceLock(): void {
    if (this.#hasLock) rmSync(this.#lockFile(), { force: true })
    this.#hasLock = false
  }

  #lockFile(): string {
    return join(this.getPath('userData'), LOCK_FILE)
  }

  #takeLock(): boolean {
    mkdirSync(this.getPath('userData'), { recursive: true })
    const file = this.#lockFile()
    if (isHeld(file)) return false
    rmSync(file, { force: true })
    try {
      const descriptor = openSync(file, 'wx')
      writeSync(descriptor, String(process.pid))
      closeSync(descriptor)
      return true
    } catch {
      // Another process was faster.
      return false
    }
  }

  // ---- what only real Electron does

  enableSandbox(): void {}
  disableHardwareAcceleration(): void {}
  setAppUserModelId(): void {}
  setAboutPanelOptions(): void {}

  /** For the host: the switches to start Chromium with. */
  get switches(): ReadonlyMap<string, string> {
    return this.#switches
  }
}

function appData(): string {
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Application Support')
  if (process.platform === 'win32') return process.env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming')
  return process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config')
}

/** Whether a living process holds the lock. A killed process leaves its file behind. */
function isHeld(file: string): boolean {
  try {
    process.kill(Number.parseInt(readFileSync(file, 'utf8'), 10), 0)
    return true
  } catch {
    return false
  }
}
