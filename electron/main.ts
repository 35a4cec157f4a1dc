/** Starts the program: the shell around the core, and the window. */
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { env, pid, platform, versions } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import {
  app,
  type BrowserWindow,
  dialog,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  session,
  type WebContents,
} from 'electron'
import { nextTextSize } from '../shared/format/text-size.ts'
import { type AppError, appError, causeText, err, ok, type Result } from '../shared/result.ts'
import type { Announcer, ProgramFacts, SettingsStore } from './app/ports.ts'
import { createUnconfirmedSends } from './app/program/confirmations.ts'
import { describeError } from './app/program/support.ts'
import { outcomeOfCode, RUN_EXIT_CODES } from './app/reports/run-summary.ts'
import { type Clock, createSystemClock, createSystemRandom, type Random, timestamp } from './clock.ts'
import { type Core, createCore } from './core.ts'
import type { CoreOptions } from './core/options.ts'
import { createScheduleFiles, type ScheduleFiles, scheduleFolder } from './files/schedule-files.ts'
import { closeBeforeQuit } from './shell/closing.ts'
import { type Confinement, createConfinement } from './shell/confinement.ts'
import {
  createConfirmation,
  createCrashDialog,
  createFolderDialog,
  createOpenDialog,
  createSaveDialog,
} from './shell/dialogs.ts'
import { type Flags, readFlags } from './shell/flags.ts'
import { type Ipc, type IpcOptions, serveIpc } from './shell/ipc.ts'
import { createKeyFile } from './shell/keys/key-file.ts'
import { createKeychain, type Keychain, loadKeytar } from './shell/keys/keychain.ts'
import { openVault } from './shell/keys/vault.ts'
import { createLog, type Log } from './shell/log.ts'
import { buildMenu, type SizeChange } from './shell/menu.ts'
import { secureUserDataFolder } from './shell/own-folder.ts'
import { createPrinter } from './shell/printer.ts'
import { createFileHandler, registerScheme, rendererFolder } from './shell/protocol.ts'
import {
  createRunRequests,
  forwardRun,
  type RunEnd,
  runFile,
  type RunRequests,
  serveRun,
} from './shell/run-requests.ts'
import { openSettings } from './shell/settings.ts'
import { createClipboard, createSchedulerHost, createSystemOpener, userName } from './shell/system.ts'
import { createUpdater } from './shell/updater.ts'
import { createWindowMemory, openWindow } from './shell/window.ts'
import { finishRestore } from './store/backup/restore.ts'

// The environment must not weaken TLS or log its keys.
delete env['NODE_TLS_REJECT_UNAUTHORIZED']
delete env['SSLKEYLOGFILE']

const here = import.meta.dirname
const { 'not-started': NOT_STARTED, 'partly-made': PARTLY_MADE } = RUN_EXIT_CODES
const { flags, refused } = readFlags(process.argv, app.isPackaged, platform === 'win32')

const named = flags.userDataDir ?? app.getPath('userData')
const unusable = refused.length > 0 ? null : secureUserDataFolder(named)
if (unusable === null && flags.userDataDir !== null) app.setPath('userData', resolve(flags.userDataDir))
app.enableSandbox()
registerScheme(protocol)

if (refused.length > 0) {
  dialog.showErrorBox(
    'Bookbridge',
    `Not allowed in an installed Bookbridge: ${refused.map((name) => `--${name}`).join(', ')}`,
  )
  app.exit(2)
} else if (unusable !== null) {
  failStartup(unusable)
} else if (!app.requestSingleInstanceLock()) {
  if (flags.run === null) leaveToFirst()
  else {
    const userData = app.getPath('userData')
    const name = createSystemRandom().id()
    noteRunStart(flags.run)
    void runFile(flags.run, (request) => forwardRun(userData, request, name, sleep)).then(endRun)
  }
} else {
  void app.whenReady().then(() => {
    if (flags.run !== null) noteRunStart(flags.run)
    new Program().start()
  })
}

function leaveToFirst(): void {
  process.stderr.write('Bookbridge is already running with this folder. Its window comes to the front.\n')
  app.quit()
}

/** Records the start of a scheduled run, so that a run that is cut off leaves a trace. */
function noteRunStart(file: string): void {
  scheduleNotes((files, now) => {
    files.noteStart(resolve(file), now)
  })
}

function scheduleNotes(note: (files: ScheduleFiles, now: string) => void): void {
  try {
    note(createScheduleFiles(scheduleFolder(app.getPath('userData'))), timestamp(createSystemClock()))
  } catch (cause) {
    // A full disk. The run itself may still be possible.
    process.stderr.write(`${causeText(cause)}\n`)
  }
}

function endRun(ended: RunEnd): void {
  reportRunEnd(ended)
  app.exit(ended.exitCode)
}

/** Tells a script, and the schedule that it belongs to, how a run ended. */
function reportRunEnd({ message, exitCode }: RunEnd): void {
  const file = flags.run
  if (file !== null) {
    scheduleNotes((files, at) => {
      files.noteEnd(resolve(file), { at, outcome: outcomeOfCode(exitCode), message, hasFindings: false })
    })
  }
  process.stdout.write(`${message}\n`)
}

/** The program around the core: its window, its menu, the run of `--run`, and how it ends. */
class Program {
  readonly #userData = app.getPath('userData')
  readonly #clock = createSystemClock()
  readonly #confinement = createConfinement(app)
  readonly #memory = createWindowMemory(this.#userData)
  readonly #log: Log
  readonly #keychain: Keychain
  readonly #runner: CoreRunner
  readonly #showCrash: (what: string) => void
  readonly #announcer: Announcer = {
    emit: (event, payload) => {
      this.#runner.current?.ipc.emit(event, payload)
      if (event !== 'settings.changed') return
      followTheme(this.#runner.current)
      this.#showTextSize()
    },
    notify: (title, body) => {
      if (this.#window?.isFocused() === true || !Notification.isSupported()) return
      new Notification({ title, body }).show()
    },
  }
  #window: BrowserWindow | null = null
  /** Serves the runs of other programs once the core is open. */
  #requests: RunRequests | null = null
  /** How the run of `--run` ended. Its exit code is this process's, whatever was done in a window meanwhile. */
  #runEnded: RunEnd | null = null
  /** Whether the core is closed, or about to be, because the run ended. */
  #isEnding = false

  constructor() {
    this.#log = createLog(
      this.#userData,
      (cause) => describeError(cause, this.#runner.current?.core.secrets() ?? []),
      this.#clock,
    )
    const keyFile = createKeyFile({
      folder: this.#userData,
      encryption: safeStorage,
      platform,
      clock: this.#clock,
    })
    this.#keychain = createKeychain(this.#clock, () =>
      openVault({ loadKeytar, file: keyFile, first: 'keychain' }),
    )
    // The keychain's first response takes longest, and the window needs it first. Ask while Chromium starts.
    void this.#keychain.probe()
    const parts = createCoreParts(
      {
        userData: this.#userData,
        confinement: this.#confinement,
        mainFolder: here,
        flags,
        window: () => this.#window,
        announcer: this.#announcer,
        clock: this.#clock,
        random: createSystemRandom(),
        log: this.#log,
      },
      this.#keychain,
    )
    this.#runner = new CoreRunner(
      parts,
      () => this.#contents(),
      (reopened) => {
        this.#onReopen(reopened)
      },
    )
    this.#showCrash = createCrashDialog({
      window: () => this.#window,
      saveSupportFile: () => this.#saveSupportFile(),
      restart() {
        relaunch()
        app.quit()
      },
    })
  }

  /** Opens the core and, unless this is a run, the window. */
  start(): void {
    this.#watchForDefects()
    const opened = this.#runner.open()
    if (!opened.ok) {
      failStartup(opened.error)
      return
    }
    followTheme(opened.value)
    if (flags.run !== null) app.dock?.hide()
    else this.#window = this.#openWindow()
    buildMenu(
      (command) => {
        this.#announcer.emit('window.command', { command })
      },
      (change) => {
        this.#resizeText(change)
      },
    )
    const { core } = opened.value
    core.start()
    this.#requests = createRunRequests({
      userData: this.#userData,
      clock: this.#clock,
      runs: () => this.#runner.current?.core.runs ?? null,
      defect: (cause) => {
        this.#log.write('run', cause)
      },
    })
    this.#listen()
    this.#closeBeforeQuit()
    if (flags.run !== null) void this.#runReports(flags.run, core.runs)
  }

  #contents(): WebContents | null {
    return this.#window === null || this.#window.isDestroyed() ? null : this.#window.webContents
  }

  /** A run has no window, unless someone opens one. */
  #isUnattended(): boolean {
    return flags.run !== null && this.#contents() === null
  }

  #openWindow(): BrowserWindow {
    return openWindow({
      memory: this.#memory,
      confinement: this.#confinement,
      clock: this.#clock,
      preload: join(here, '../preload/preload.cjs'),
      isHidden: flags.isHeadless,
      serveFiles: createFileHandler(rendererFolder(here)),
      onCrash: (reason) => {
        this.#log.write('window', new Error(`ended: ${reason}`))
      },
      onGivenUp: () => {
        this.#showCrash('The Bookbridge window stopped working several times.')
      },
      onPage: () => {
        this.#showTextSize()
        this.#runner.current?.core.pageLoaded()
      },
    })
  }

  #showTextSize(): void {
    const factor = (this.#runner.current?.settings.get().textSize ?? 100) / 100
    const page = this.#contents()
    if (page !== null && page.getZoomFactor() !== factor) page.setZoomFactor(factor)
  }

  #resizeText(change: SizeChange): void {
    const { settings } = this.#runner.current ?? {}
    if (settings === undefined) return
    const textSize = change === 'usual' ? 100 : nextTextSize(settings.get().textSize, change)
    const kept = settings.set({ textSize })
    if (kept.ok) this.#announcer.emit('settings.changed', kept.value)
  }

  #showWindow(): void {
    if (this.#isEnding) {
      relaunch()
      return
    }
    if (this.#window === null || this.#window.isDestroyed()) this.#window = this.#openWindow()
    if (this.#window.isMinimized()) this.#window.restore()
    this.#window.focus()
  }

  #onReopen(reopened: Result<RunningProgram>): void {
    if (!reopened.ok) {
      failStartup(reopened.error)
      return
    }
    followTheme(reopened.value)
    reopened.value.core.start()
    this.#contents()?.reload()
  }

  async #saveSupportFile(): Promise<void> {
    const saved = await this.#runner.current?.core.handlers['activity.saveSupportFile']({})
    if (saved?.ok === false) this.#log.write('support file', new Error(saved.error.message))
  }

  #watchForDefects(): void {
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (cause: unknown) => {
        this.#log.write(event, cause)
        if (!this.#isUnattended()) this.#showCrash('Something went wrong inside Bookbridge.')
      })
    }
  }

  #listen(): void {
    app.on('second-instance', (_event, argv) => {
      // The second process only waits for its run. Don't open a window.
      if (argv.some((argument) => argument.startsWith('--run='))) return
      void app.dock?.show()
      this.#showWindow()
    })
    app.on('activate', () => {
      this.#showWindow()
    })
    app.on('window-all-closed', () => {
      // A run continues without a window. It also prints PDFs in hidden ones.
      if (flags.run !== null && this.#runEnded === null) app.dock?.hide()
      else if (flags.run !== null || platform !== 'darwin') app.quit()
    })
    app.on('child-process-gone', (_event, { type, reason }) => {
      if (reason !== 'clean-exit') this.#log.write('process', new Error(`${type} ended: ${reason}`))
    })
    powerMonitor.on('resume', () => {
      this.#runner.current?.core.wake()
    })
  }

  #closeBeforeQuit(): void {
    closeBeforeQuit({
      app: {
        on: app.on.bind(app),
        quit: () => {
          if (flags.run === null) app.quit()
          // There is no result if the program had to quit before the run finished.
          else app.exit(this.#runEnded?.exitCode ?? PARTLY_MADE)
        },
      },
      clock: this.#clock,
      close: () => this.#close(),
      log: this.#log.write,
      isHanging: () => this.#keychain.isHanging(),
      // Electron and Node can't exit while that thread hangs.
      kill: () => process.kill(pid, 'SIGKILL'),
    })
  }

  async #close(): Promise<void> {
    this.#requests?.close()
    await this.#runner.close()
  }

  async #runReports(file: string, runs: Core['runs']): Promise<void> {
    let ended: RunEnd = { message: 'The run failed.', exitCode: PARTLY_MADE }
    try {
      ended = await runFile(file, (request) => serveRun(runs, request))
      await this.#requests?.settled()
    } catch (cause) {
      this.#log.write('run', cause)
    }
    reportRunEnd(ended)
    this.#runEnded = ended
    // Someone has opened a window in the meantime. The process ends when it is closed.
    if (!this.#isUnattended()) return
    this.#isEnding = true
    await this.#close()
    app.exit(ended.exitCode)
  }
}

/** Restarts the program, without its run, when this process has ended. */
function relaunch(): void {
  app.relaunch({ args: process.argv.slice(1).filter((argument) => !argument.startsWith('--run=')) })
}

function followTheme(running: RunningProgram | null): void {
  nativeTheme.themeSource = running?.settings.get().theme ?? 'system'
}

/** Without its store, the program may send nothing, so it doesn't start. */
function failStartup({ message, advice }: AppError): void {
  if (flags.run !== null) {
    endRun({ message: `${message} ${advice}`, exitCode: NOT_STARTED })
    return
  }
  dialog.showErrorBox('Bookbridge can’t start', `${message} ${advice}`)
  app.exit(1)
}

/** The parts that are recreated when the core is reopened. */
export interface RunningProgram {
  readonly core: Core
  readonly settings: SettingsStore
  readonly ipc: Ipc
}

/** Milliseconds until the window has the response to the call that reopens the core. */
const ANSWER_ARRIVES = 50

/**
 * Opens the core on the files in the folder, and reopens it without ending the program: after a backup was restored,
 * and on **Restart**.
 */
class CoreRunner {
  /** `null` while the core is reopened. */
  current: RunningProgram | null = null
  readonly #parts: CoreParts
  readonly #contents: IpcOptions['contents']
  readonly #onReopen: (opened: Result<RunningProgram>) => void

  /** @param onReopen called when the core was reopened, or could not be */
  constructor(
    parts: CoreParts,
    contents: IpcOptions['contents'],
    onReopen: (opened: Result<RunningProgram>) => void,
  ) {
    this.#parts = parts
    this.#contents = contents
    this.#onReopen = onReopen
  }

  /** Puts a restored backup in place, then opens the core. Returns an error when the store can't be used. */
  open(): Result<RunningProgram> {
    const { folders, clock, log } = this.#parts
    const restored = finishRestoreIn(this.#parts)
    if (!restored.ok) return restored
    const opened = openSettings(folders.userData, clock)
    const notices = [...(restored.value === null ? [] : [restored.value]), ...opened.notices]
    const core = createCore({
      ...this.#parts,
      settings: { ...opened, notices },
      reopen: () => {
        this.#reopen()
      },
    })
    if (!core.ok) return err(core.error)
    const ipc = serveIpc({ contents: this.#contents, defect: log.write, handlers: core.value.handlers })
    this.current = { core: core.value, settings: opened.store, ipc }
    return ok(this.current)
  }

  async close(): Promise<void> {
    await this.current?.core.close()
  }

  #reopen(): void {
    const { clock, log } = this.#parts
    const previous = this.current
    this.current = null
    clock.after(ANSWER_ARRIVES, () => {
      void (previous?.core.close() ?? Promise.resolve())
        .catch((cause: unknown) => {
          log.write('closing', cause)
        })
        .then(() => {
          previous?.ipc.close()
          this.#onReopen(this.open())
        })
    })
  }
}

/** Returns a notice about the restore, or an error while it is half done: nothing may be opened then. */
function finishRestoreIn({ folders, log }: CoreParts): Result<AppError | null> {
  try {
    return ok(finishRestore(folders.userData))
  } catch (cause) {
    log.write('restore', cause)
    return err(
      appError(
        'file',
        'A backup was only partly restored, because a file in Bookbridge’s folder couldn’t be moved.',
        'If it’s open in another program, close that program and restart Bookbridge to finish restoring.',
        { raw: causeText(cause) },
      ),
    )
  }
}

/** What the core needs from Electron and this computer. Made once, and kept when the core is reopened. */
export type CoreParts = Omit<CoreOptions, 'settings' | 'reopen'>

export interface PartsOptions {
  readonly userData: string
  /** The main bundle's folder. Everything else that was built is beside it. */
  readonly mainFolder: string
  readonly flags: Flags
  readonly confinement: Confinement
  /** The parent of dialogs. */
  readonly window: () => BrowserWindow | null
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

/** An environment variable for developers. A packaged program ignores it. */
function developerVariable(name: string): string {
  return app.isPackaged ? '' : (env[name] ?? '')
}

function createCoreParts(
  { userData, mainFolder, flags, confinement, window, announcer, clock, random, log }: PartsOptions,
  secrets: Keychain,
): CoreParts {
  const beside = (name: string): URL => new URL(name, pathToFileURL(`${mainFolder}/`))
  const namespace = developerVariable('BOOKBRIDGE_KEYCHAIN_NAMESPACE')
  const facts = programFacts()
  return {
    folders: {
      userData,
      queues:
        namespace === ''
          ? join(app.getPath('appData'), 'Bookbridge connections')
          : join(userData, 'connections'),
      state: stateFolder(flags),
    },
    keychain: { secrets, namespace },
    dialogs: {
      save: createSaveDialog(window, flags.saveDir),
      folder: createFolderDialog(window, flags.saveDir),
      open: createOpenDialog(window),
      confirmation: createConfirmation(
        window,
        flags.isHeadless && developerVariable('BOOKBRIDGE_ASKS') === '',
      ),
    },
    desktop: {
      outside: createSystemOpener(mainFolder),
      clipboard: createClipboard(),
      printer: createPrinter(facts.locale, confinement),
      idleSeconds: () => powerMonitor.getSystemIdleTime(),
      schedulerHost: createSchedulerHost(flags, ['BOOKBRIDGE_KEYCHAIN_NAMESPACE', 'BOOKBRIDGE_SAMPLE_TODAY']),
    },
    network: { resolveProxy: (url) => session.defaultSession.resolveProxy(url) },
    program: {
      facts,
      user: userName(),
      licenseFiles: [beside('licenses-main.json'), beside('licenses-window.json')],
      updates: createUpdater({ isPackaged: app.isPackaged, platform }, process.resourcesPath),
    },
    workers: {
      rows: beside('rows-worker.js'),
      sample: beside('sample-worker.js'),
      import: beside('import-worker.js'),
    },
    sampleToday: developerVariable('BOOKBRIDGE_SAMPLE_TODAY'),
    announcer,
    clock,
    random,
    unconfirmedSends: createUnconfirmedSends(clock),
    log,
  }
}

/**
 * A folder that backups and copies of the user-data folder leave out. `null` for a profile of its own, which keeps
 * everything in its folder.
 */
function stateFolder(flags: Flags): string | null {
  if (flags.userDataDir !== null) return null
  const { LOCALAPPDATA = '', XDG_STATE_HOME = '' } = process.env
  switch (platform) {
    case 'win32':
      return LOCALAPPDATA === '' ? null : join(LOCALAPPDATA, 'Bookbridge')
    case 'darwin':
      // Time Machine leaves caches out.
      return join(homedir(), 'Library', 'Caches', 'Bookbridge')
    default:
      return join(XDG_STATE_HOME === '' ? join(homedir(), '.local', 'state') : XDG_STATE_HOME, 'bookbridge')
  }
}

function programFacts(): ProgramFacts {
  return {
    version: app.getVersion(),
    electronVersion: versions.electron,
    // Electron's runtime is never called node. The Chromium host runs in plain Node (test/chromium-host).
    isChromiumHost: basename(process.execPath).startsWith('node'),
    platform,
    // The region's locale, whose dates and separators may differ from the system's language.
    locale: app.getSystemLocale() || app.getLocale(),
  }
}
