/**
 * Starts, kills, and restarts the program for a spec: in Electron if its runtime is installed, otherwise in the
 * Chromium host, through the same API. Each program has its own folders and keychain namespace.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { _electron, type ConsoleMessage, type ElectronApplication, type Page } from '@playwright/test'
import { SHARED_VARIABLE, SharedChromium } from '../../chromium-host/chromium.ts'
import { hostCommand, hostDistPath, isElectronInstalled } from '../../chromium-host/launch.ts'
import { RECORD_VARIABLE, type RecordedMessage } from '../../chromium-host/recorder.ts'

const root = resolve(import.meta.dirname, '../../..')
/** Names a folder with another build of the program, such as the content of a package. */
export const PROGRAM_VARIABLE = 'BOOKBRIDGE_PROGRAM'
/** Electron's program file. */
const electronPath = (): string => createRequire(import.meta.url)('electron') as string
const KILL_PATIENCE_MS = 5_000
// Turns animations off, because they are rendered in software here.
const STILL = 'force-prefers-reduced-motion'

export interface StartOptions {
  /** Additional flags for the program's command line. */
  readonly flags?: readonly string[]
  /** Additional environment variables. Undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

export interface StartedProgram {
  readonly window: Page
  readonly electronApp: ElectronApplication
}

/** The exit code of a run, and what it printed. */
interface RunEnd {
  readonly exitCode: number | null
  readonly said: string
  /** From the error output, also of the runtime. */
  readonly warned: string
}

async function endOf(run: ChildProcess): Promise<RunEnd> {
  let said = ''
  let warned = ''
  run.stdout?.on('data', (printed: Buffer) => (said += printed.toString()))
  run.stderr?.on('data', (printed: Buffer) => (warned += printed.toString()))
  const [exitCode] = (await once(run, 'close')) as [number | null]
  return { exitCode, said: said.trim(), warned }
}

/** A description of the runtime that specs use here. */
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

/** Starts a shared browser, which saves most of a program's start; none if the program brings its own. */
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
  /**
   * The program's folder, with its `package.json`. By default, the project's own, unless the environment names another.
   */
  readonly folder?: string
  /** The browser for its window; by default, its own. Only one program at a time may use it. */
  readonly browser?: Browser | undefined
}

export class Program {
  readonly userData: string
  readonly saveDir: string
  /** What the program printed, line by line, and what its page wrote to the console. */
  readonly printed: string[] = []
  /** Console errors, uncaught errors, and Content-Security-Policy violations so far. */
  readonly problems: string[] = []
  readonly #home = mkdtempSync(join(tmpdir(), 'bookbridge-spec-'))
  readonly #folder: string
  readonly #browser: Browser | undefined
  readonly #record: string
  readonly #namespace = `spec-${randomUUID()}`
  #running: ElectronApplication | undefined
  /** The program's process. Its group contains everything that it started. */
  #pid: number | undefined

  constructor({ folder = process.env[PROGRAM_VARIABLE] ?? root, browser }: ProgramOptions = {}) {
    this.#folder = folder
    this.#browser = browser
    this.userData = join(this.#home, 'user-data')
    this.saveDir = join(this.#home, 'saved')
    this.#record = join(this.#home, 'messages.jsonl')
    for (const path of [this.userData, this.saveDir]) mkdirSync(path, { mode: 0o700 })
  }

  /** Starts it in its folders, which are empty or as the last run left them. Resolves when the window has loaded. */
  async start(options: StartOptions = {}): Promise<StartedProgram> {
    const electronApp = await this.#launch(options)
    return { electronApp, window: await this.firstWindow() }
  }

  /**
   * Starts it with `--run` in its folders, to open a window during the run.
   * @returns `ended` has the exit code and what it printed, as `run` does
   */
  async startRun(
    file: string,
  ): Promise<{ readonly electronApp: ElectronApplication; readonly ended: Promise<RunEnd> }> {
    const electronApp = await this.#launch({ flags: [`--run=${file}`] })
    return { electronApp, ended: endOf(electronApp.process()) }
  }

  /** The window that the running program opens. Resolves when it has loaded. */
  async firstWindow(): Promise<Page> {
    const electronApp = this.#running
    if (electronApp === undefined) throw new Error('The program does not run.')
    const window = await electronApp.firstWindow()
    await window.waitForURL((url) => url.protocol !== 'about:')
    await this.#takeEarlyProblems(window)
    return window
  }

  async #launch({ flags = [], env = {} }: StartOptions): Promise<ElectronApplication> {
    if (this.#running) throw new Error('The program runs already: stop or kill it first')
    if (this.#folder === root && !existsSync(join(root, 'out/main/main.js'))) {
      throw new Error('The program is not built: npm run build')
    }
    // Playwright asks the electron package for the program file. The package looks here.
    if (!isElectronInstalled()) process.env['ELECTRON_OVERRIDE_DIST_PATH'] = hostDistPath()
    const headless = process.env['HEADED'] ? [] : ['--headless']
    const folders = [`--user-data-dir=${this.userData}`, `--save-dir=${this.saveDir}`]
    const electronApp = await _electron.launch({
      args: [this.#folder, ...headless, `--${STILL}`, ...folders, ...flags],
      cwd: root,
      env: this.#environment(env),
      // The program's own theme applies, not Playwright's.
      colorScheme: null,
    })
    this.#running = electronApp
    this.#pid = electronApp.process().pid
    electronApp.on('close', () => {
      if (this.#running === electronApp) this.#running = undefined
    })
    this.#listen(electronApp)
    // By default, dialogs are confirmed. A spec that cancels sets its own answers.
    await electronApp.evaluate(({ dialog }) => {
      dialog.showMessageBox = () => Promise.resolve({ response: 0, checkboxChecked: false })
    })
    return electronApp
  }

  /**
   * Sets the buttons that the user presses in the main process's dialogs from now on, by their labels: one each, the
   * last one for all others.
   * @returns the questions asked since then
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

  /** Runs it with `--run` in its folders, beside a program that may be open. */
  run(file: string): Promise<RunEnd> {
    return this.startBeside(`--run=${file}`)
  }

  /**
   * Starts it in its folders, beside a program that is open. Resolves when it has ended.
   * @returns its exit code and what it printed
   */
  async startBeside(...given: readonly string[]): Promise<RunEnd> {
    const flags = [...given, '--headless', `--user-data-dir=${this.userData}`]
    const { command, args, env } = isElectronInstalled()
      ? { command: electronPath(), args: [this.#folder, ...flags], env: {} }
      : hostCommand(flags, this.#folder)
    const run = spawn(command, args, { cwd: root, env: { ...env, ...this.#environment({}) } })
    return endOf(run)
  }

  /** The windows that are open. */
  windows(): readonly Page[] {
    return this.#running?.windows() ?? []
  }

  /** Quits it as a user would. Resolves when it has ended. */
  async stop(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.close()
    await this.#browser?.whenEmpty()
  }

  /** Ends it and everything that it started immediately, like a power failure. */
  async kill(): Promise<void> {
    const pid = this.#pid
    this.#running = undefined
    this.#pid = undefined
    if (pid === undefined) return
    if (process.platform === 'win32') {
      spawnSync('taskkill', ['/pid', String(pid), '/t', '/f'])
      return
    }
    // Playwright starts it as the leader of a process group, which includes Chromium and the workers.
    if (!isGroupAlive(pid)) return
    process.kill(-pid, 'SIGKILL')
    const deadline = Date.now() + KILL_PATIENCE_MS
    while (isGroupAlive(pid)) {
      if (Date.now() > deadline) throw new Error(`The processes of ${pid} outlived SIGKILL`)
      await sleep(20)
    }
    await this.#browser?.whenEmpty()
  }

  /** Returns the names of the files that the program saved, without those that are still being written. */
  savedFiles(): readonly string[] {
    return readdirSync(this.saveDir).filter((name) => !name.startsWith('.'))
  }

  /** Each message between the main process and the page, in every run; none in Electron. */
  messages(): readonly RecordedMessage[] {
    if (!existsSync(this.#record)) return []
    const lines = readFileSync(this.#record, 'utf8').split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as RecordedMessage)
  }

  /** Kills it if it is running, and deletes its folders. */
  async dispose(): Promise<void> {
    await this.kill()
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  }

  #environment(more: NonNullable<StartOptions['env']>): Record<string, string> {
    const all: Record<string, string | undefined> = {
      ...process.env,
      BOOKBRIDGE_KEYCHAIN_NAMESPACE: this.#namespace,
      // A headless program answers dialogs itself. Specs answer them instead.
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

  /** Collects what the page wrote before the listeners were attached. */
  async #takeEarlyProblems(window: Page): Promise<void> {
    for (const message of await window.consoleMessages()) {
      this.#addConsoleError(message)
    }
    for (const error of await window.pageErrors()) this.#addProblem(`uncaught error: ${error.message}`)
  }

  #addConsoleError(message: ConsoleMessage): void {
    // Svelte warns of destroyed state, which a user would see as wrong values.
    const isSvelte = message.type() === 'warning' && message.text().includes('svelte.dev/e/')
    if (message.type() !== 'error' && !isSvelte) return
    this.#addProblem(`console error: ${message.text()} (${message.location().url})`)
  }

  #addProblem(problem: string): void {
    if (!this.problems.includes(problem)) this.problems.push(problem)
  }
}

/** Whether a process of the group is still running. Zombies don't count. */
function isGroupAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pgid=,stat='], { encoding: 'utf8' })
  return stdout.split('\n').some((line) => {
    const [group, state = ''] = line.trim().split(/\s+/)
    return Number(group) === pid && !state.startsWith('Z')
  })
}
