/**
 * Starts, kills and starts again the program that a spec tries: on Electron where its runtime is installed, in the
 * Chromium host elsewhere, by the same call. Each has folders and a keychain namespace of its own.
 */
import { _electron, type ConsoleMessage, type ElectronApplication, type Page } from '@playwright/test'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { SHARED_VARIABLE, SharedChromium } from '../chromium-host/chromium.ts'
import { hostCommand, hostDistPath, isElectronInstalled } from '../chromium-host/launch.ts'
import { RECORD_VARIABLE, type RecordedMessage } from '../chromium-host/recorder.ts'

const root = resolve(import.meta.dirname, '../..')
/** Names a folder with another build of the program, such as what a package holds. */
export const PROGRAM_VARIABLE = 'BOOKBRIDGE_PROGRAM'
/** Electron's program file. */
const electronPath = (): string => createRequire(import.meta.url)('electron') as string
const KILL_PATIENCE_MS = 5_000
// What breathes while it waits draws sixty pictures a second, in software here.
const STILL = 'force-prefers-reduced-motion'

export interface StartOptions {
  /** More flags for the program's command line. */
  readonly flags?: readonly string[]
  /** More environment variables; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface StartedProgram {
  readonly window: Page
  readonly electronApp: ElectronApplication
}

/** The runtime that specs run on here, in words. */
export function engineName(): string {
  return isElectronInstalled() ? 'Electron' : 'the Chromium host'
}

/** A browser for the windows of one program after another. */
export interface Browser {
  readonly address: string
  /** Resolves when no window is left. */
  readonly whenEmpty: () => Promise<void>
  readonly stop: () => Promise<void>
}

/** Starts a browser to be shared, which saves most of a program's start; none where the program brings its own. */
export async function startBrowser(): Promise<Browser | undefined> {
  if (isElectronInstalled() || process.env['HEADED']) return undefined
  const profile = mkdtempSync(join(tmpdir(), 'bookbridge-browser-'))
  const chromium = await SharedChromium.start(profile, new Map([[STILL, '']]))
  return {
    address: chromium.address,
    whenEmpty: () => chromium.whenEmpty(),
    stop: async () => {
      await chromium.stop()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

interface ProgramOptions {
  /** The program's folder, with its `package.json`; the project's own when left out and not named. */
  readonly folder?: string
  /** Where its window opens; in a browser of its own when left out. Only one program at a time may use it. */
  readonly browser?: Browser | undefined
}

export class Program {
  readonly userData: string
  readonly saveDir: string
  /** What the program printed, line by line, and what its page wrote to the console. */
  readonly printed: string[] = []
  /** Console errors, uncaught errors and Content-Security-Policy violations so far. */
  readonly problems: string[] = []
  readonly #home = mkdtempSync(join(tmpdir(), 'bookbridge-spec-'))
  readonly #folder: string
  readonly #browser: Browser | undefined
  readonly #record: string
  readonly #namespace = `spec-${randomUUID()}`
  #running: ElectronApplication | undefined
  /** The program's process; its group holds all that it started. */
  #pid: number | undefined

  constructor({ folder = process.env[PROGRAM_VARIABLE] ?? root, browser }: ProgramOptions = {}) {
    this.#folder = folder
    this.#browser = browser
    this.userData = join(this.#home, 'user-data')
    this.saveDir = join(this.#home, 'saved')
    this.#record = join(this.#home, 'messages.jsonl')
    for (const path of [this.userData, this.saveDir]) mkdirSync(path, { mode: 0o700 })
  }

  /** Starts it in its folders, empty or as the last run left them; resolves when the window has loaded. */
  async start({ flags = [], env = {} }: StartOptions = {}): Promise<StartedProgram> {
    if (this.#running) throw new Error('The program runs already: stop or kill it first')
    if (this.#folder === root && !existsSync(join(root, 'out/main/main.js'))) {
      throw new Error('The program is not built: npm run build')
    }
    // Playwright asks the electron package for the program file, which looks here.
    if (!isElectronInstalled()) process.env['ELECTRON_OVERRIDE_DIST_PATH'] = hostDistPath()
    const headless = process.env['HEADED'] ? [] : ['--headless']
    const folders = [`--user-data-dir=${this.userData}`, `--save-dir=${this.saveDir}`]
    const electronApp = await _electron.launch({
      args: [this.#folder, ...headless, `--${STILL}`, ...folders, ...flags],
      cwd: root,
      env: this.#environment(env),
      // The program's own theme decides, not Playwright's.
      colorScheme: null,
    })
    this.#running = electronApp
    this.#pid = electronApp.process().pid
    electronApp.on('close', () => {
      if (this.#running === electronApp) this.#running = undefined
    })
    this.#listen(electronApp)
    const window = await electronApp.firstWindow()
    await window.waitForURL((url) => url.protocol !== 'about:')
    await this.#takeEarlyProblems(window)
    // A user who says yes; a spec that cancels answers for itself.
    await electronApp.evaluate(({ dialog }) => {
      dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
    })
    return { window, electronApp }
  }

  /**
   * What a user presses in the main process's dialogs from now on, by the buttons' words: one each, the last one for
   * all others.
   * @returns what they have been asked since
   */
  async answer(...presses: readonly string[]): Promise<() => Promise<readonly string[]>> {
    const running = this.#running
    if (running === undefined) throw new Error('The program does not run.')
    const asked = await running.evaluateHandle(({ dialog }, presses) => {
      const asked: string[] = []
      dialog.showMessageBox = (...values: unknown[]) => {
        const { message, detail = '', buttons = [] } = values.at(-1) as Electron.MessageBoxOptions
        const pressed = presses[asked.length] ?? presses.at(-1) ?? ''
        asked.push(`${message}\n${detail}`)
        return Promise.resolve({ response: buttons.indexOf(pressed), checkboxChecked: false })
      }
      return asked
    }, presses)
    return () => asked.jsonValue()
  }

  /**
   * Runs it with `--run`, in its folders, beside a program that may be open.
   * @returns its exit code and what it printed
   */
  async run(file: string): Promise<{ readonly exitCode: number | null; readonly said: string }> {
    const flags = [`--run=${file}`, '--headless', `--user-data-dir=${this.userData}`]
    const { command, args, env } = isElectronInstalled()
      ? { command: electronPath(), args: [this.#folder, ...flags], env: {} }
      : hostCommand(flags, this.#folder)
    const run = spawn(command, args, { cwd: root, env: { ...env, ...this.#environment({}) } })
    let said = ''
    run.stdout.on('data', (printed: Buffer) => (said += printed.toString()))
    const [exitCode] = (await once(run, 'close')) as [number | null]
    return { exitCode, said: said.trim() }
  }

  /** The windows that are open. */
  windows(): readonly Page[] {
    return this.#running?.windows() ?? []
  }

  /** Quits it as a user would; resolves when it has ended. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.close()
    await this.#browser?.whenEmpty()
  }

  /** Ends it and everything that it started at once, as a power cut would. */
  async kill(): Promise<void> {
    const pid = this.#pid
    this.#running = undefined
    this.#pid = undefined
    if (pid === undefined) return
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
      return
    }
    // Playwright starts it as the leader of a process group, which Chromium and the workers are in.
    if (!isGroupAlive(pid)) return
    process.kill(-pid, 'SIGKILL')
    const deadline = Date.now() + KILL_PATIENCE_MS
    while (isGroupAlive(pid)) {
      if (Date.now() > deadline) throw new Error(`The processes of ${pid} outlived SIGKILL`)
      await sleep(20)
    }
    await this.#browser?.whenEmpty()
  }

  /** Names of the files that the program saved; those that are still being written don't count. */
  savedFiles(): readonly string[] {
    return readdirSync(this.saveDir).filter((name) => !name.startsWith('.'))
  }

  /** Each message that crossed between main and the page, in every run; none on Electron. */
  messages(): readonly RecordedMessage[] {
    if (!existsSync(this.#record)) return []
    const lines = readFileSync(this.#record, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as RecordedMessage)
  }

  /** Kills it if it runs, and takes its folders away. */
  async dispose(): Promise<void> {
    await this.kill()
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }

  #environment(more: NonNullable<StartOptions['env']>): Record<string, string> {
    const all: Record<string, string | undefined> = {
      ...process.env,
      BOOKBRIDGE_KEYCHAIN_NAMESPACE: this.#namespace,
      // A headless run answers by itself; specs answer in the dialog's place.
      BOOKBRIDGE_ASKS: '1',
      [RECORD_VARIABLE]: this.#record,
      [SHARED_VARIABLE]: this.#browser?.address,
      NODE_COMPILE_CACHE: join(root, 'out', 'compile-cache'),
      ...more,
    }
    const set = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
    return Object.fromEntries(set)
  }

  #listen(electronApp: ElectronApplication): void {
    const { stdout, stderr } = electronApp.process()
    for (const stream of [stdout, stderr]) {
      stream?.on('data', (chunk: Buffer) => this.printed.push(...chunk.toString('utf8').split('\n')))
    }
    const context = electronApp.context()
    context.on('console', (message) => {
      this.printed.push(message.text())
      this.#addConsoleError(message)
    })
    context.on('weberror', (error) => this.#addProblem(`uncaught error: ${error.error().message}`))
  }

  /** What the page said before anyone listened. */
  async #takeEarlyProblems(window: Page): Promise<void> {
    for (const message of await window.consoleMessages()) {
      this.#addConsoleError(message)
    }
    for (const error of await window.pageErrors()) this.#addProblem(`uncaught error: ${error.message}`)
  }

  #addConsoleError(message: ConsoleMessage): void {
    // Svelte warns of state that has died; what it says then is what a user would see wrong.
    const isSvelte = message.type() === 'warning' && message.text().includes('svelte.dev/e/')
    if (message.type() !== 'error' && !isSvelte) return
    this.#addProblem(`console error: ${message.text()} (${message.location().url})`)
  }

  #addProblem(problem: string): void {
    if (!this.problems.includes(problem)) this.problems.push(problem)
  }
}

/** Whether a process of the group still runs. The dead whom nobody has fetched yet don't count. */
function isGroupAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
  return stdout.split('\n').some((line) => {
    const [group, state = ''] = line.trim().split(/\s+/)
    return Number(group) === pid && !state.startsWith('Z')
  })
}
