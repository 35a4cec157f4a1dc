/** Starts the program: the shell around the core, and the window. */
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { env, pid, platform, versions } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import {
  type BrowserWindow,
  Notification,
  app,
  dialog,
  nativeTheme,
  powerMonitor,
  protocol,
  safeStorage,
  session,
} from 'electron'
import { type AppError, type Result, appError, causeText, err, ok } from '../shared/result.ts'
import { describeError } from './app/program/support.ts'
import type { Announcer, ProgramFacts, SettingsStore } from './app/ports.ts'
import { createUnconfirmedSends } from './app/program/confirmations.ts'
import { RUN_EXIT_CODES, outcomeOfCode } from './app/reports/run-summary.ts'
import { type Clock, type Random, createSystemClock, createSystemRandom, timestamp } from './clock.ts'
import { type Core, type CoreOptions, createCore } from './core.ts'
import { type ScheduleFiles, createScheduleFiles, scheduleFolder } from './files/schedule-files.ts'
import { closeBeforeQuit } from './shell/closing.ts'
import { type Confinement, createConfinement } from './shell/confinement.ts'
import {
  createBreakdown,
  createConfirmation,
  createFolderDialog,
  createOpenDialog,
  createSaveDialog,
} from './shell/dialogs.ts'
import { type Flags, readFlags } from './shell/flags.ts'
import { type Ipc, type IpcOptions, serveIpc } from './shell/ipc.ts'
import { createKeyFile } from './shell/keys/key-file.ts'
import { type Keychain, createKeychain, loadKeytar, openVault } from './shell/keys/keychain.ts'
import { type Log, createLog } from './shell/log.ts'
import { createClipboard, createSchedulingMachine, createSystemOpener, userName } from './shell/machine.ts'
import { buildMenu } from './shell/menu.ts'
import { secureUserDataFolder } from './shell/own-folder.ts'
import { createPrinter } from './shell/printer.ts'
import { createFileHandler, registerScheme, rendererFolder } from './shell/protocol.ts'
import { type Ended, createRunRequests, forwardRun, runFile, serveRun } from './shell/run-requests.ts'
import { openSettings } from './shell/settings.ts'
import { createUpdater } from './shell/updater.ts'
import { createWindowMemory, openWindow } from './shell/window.ts'
import { finishRestore } from './store/backup.ts'

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
  giveUp(unusable)
} else if (!app.requestSingleInstanceLock()) {
  if (flags.run === null) leaveToFirst()
  else {
    const userData = app.getPath('userData')
    const name = createSystemRandom().id()
    noteRunStart(flags.run)
    void runFile(flags.run, (request) => forwardRun(userData, request, name, sleep)).then(endRun)
  }
} else {
  void app.whenReady().then(run)
}

function leaveToFirst(): void {
  process.stderr.write('Bookbridge is already running with this folder. Its window comes to the front.\n')
  app.quit()
}

/** So that a run of a schedule which is cut off leaves its beginning. */
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

function endRun(ended: Ended): void {
  reportRunEnd(ended)
  app.exit(ended.exitCode)
}

/** Tells a script, and the schedule that it belongs to, how a run ended. */
function reportRunEnd({ message, exitCode }: Ended): void {
  const file = flags.run
  if (file !== null) {
    scheduleNotes((files, at) => {
      files.noteEnd(resolve(file), { at, outcome: outcomeOfCode(exitCode), message })
    })
  }
  process.stdout.write(`${message}\n`)
}

function run(): void {
  const userData = app.getPath('userData')
  if (flags.run !== null) noteRunStart(flags.run)
  let window: BrowserWindow | null = null
  const contents = () => (window === null || window.isDestroyed() ? null : window.webContents)
  /** A run has no window, unless someone opens one. */
  const isUnattended = (): boolean => flags.run !== null && contents() === null
  /** How the run of `--run` ended. Its exit code is this process's, whatever was done in a window meanwhile. */
  let runEnded: Ended | null = null
  let isEnding = false
  const clock = createSystemClock()
  const log = createLog(
    userData,
    (cause) => describeError(cause, runner.current?.core.secrets() ?? []),
    clock,
  )
  const announcer: Announcer = {
    emit: (event, payload) => {
      runner.current?.ipc.emit(event, payload)
      if (event === 'settings.changed') followTheme(runner.current)
    },
    notify(title, body) {
      if (window?.isFocused() === true || !Notification.isSupported()) return
      new Notification({ title, body }).show()
    },
  }
  const confinement = createConfinement(app)
  const keyFile = createKeyFile({ folder: userData, encryption: safeStorage, platform, clock })
  const keychain = createKeychain(clock, () => openVault({ loadKeytar, file: keyFile, first: 'keychain' }))
  // The keychain's first response takes longest, and the window needs it first. Ask while Chromium starts.
  void keychain.probe()
  const parts = createCoreParts(
    {
      userData,
      confinement,
      mainFolder: here,
      flags,
      window: () => window,
      announcer,
      clock,
      random: createSystemRandom(),
      log,
    },
    keychain,
  )
  const runner = new CoreRunner(parts, contents, (reopened) => {
    if (!reopened.ok) {
      giveUp(reopened.error)
      return
    }
    followTheme(reopened.value)
    reopened.value.core.start()
    contents()?.reload()
  })
  const tellBreakdown = createBreakdown({
    window: () => window,
    async saveSupportFile() {
      const saved = await runner.current?.core.handlers['activity.saveSupportFile']({})
      if (saved?.ok === false) log.write('support file', new Error(saved.error.message))
    },
    restart() {
      relaunch()
      app.quit()
    },
  })
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (cause: unknown) => {
      log.write(event, cause)
      if (!isUnattended()) tellBreakdown('Something went wrong inside Bookbridge.')
    })
  }

  const opened = runner.open()
  if (!opened.ok) {
    giveUp(opened.error)
    return
  }
  followTheme(opened.value)
  const memory = createWindowMemory(userData)
  const openOwn = (): BrowserWindow =>
    openWindow({
      memory,
      confinement,
      clock,
      preload: join(here, '../preload/preload.cjs'),
      isHidden: flags.isHeadless,
      serveFiles: createFileHandler(rendererFolder(here)),
      onCrash: (reason) => {
        log.write('window', new Error(`ended: ${reason}`))
      },
      onGivenUp: () => {
        tellBreakdown('The Bookbridge window stopped working several times.')
      },
      onPage: () => {
        runner.current?.core.pageLoaded()
      },
    })
  const show = (): void => {
    // The core is closed already.
    if (isEnding) {
      relaunch()
      return
    }
    if (window === null || window.isDestroyed()) window = openOwn()
    if (window.isMinimized()) window.restore()
    window.focus()
  }
  if (flags.run !== null) app.dock?.hide()
  else window = openOwn()
  buildMenu((command) => {
    announcer.emit('window.command', { command })
  })
  opened.value.core.start()
  const requests = createRunRequests({
    userData,
    clock,
    runs: () => runner.current?.core.runs ?? null,
    defect: (cause) => {
      log.write('run', cause)
    },
  })

  app.on('second-instance', (_event, argv) => {
    // That program waits for its run, and shows nothing.
    if (argv.some((argument) => argument.startsWith('--run='))) return
    void app.dock?.show()
    show()
  })
  app.on('activate', show)
  app.on('window-all-closed', () => {
    // A run goes on without a window. It also prints PDFs in hidden ones.
    if (flags.run !== null && runEnded === null) app.dock?.hide()
    else if (flags.run !== null || platform !== 'darwin') app.quit()
  })
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (reason !== 'clean-exit') log.write('process', new Error(`${type} ended: ${reason}`))
  })
  powerMonitor.on('resume', () => {
    runner.current?.core.wake()
  })
  const close = async (): Promise<void> => {
    requests.close()
    await runner.close()
  }
  closeBeforeQuit({
    app: {
      on: app.on.bind(app),
      quit: () => {
        if (flags.run === null) app.quit()
        // No result means that the program was told to quit before the run finished.
        else app.exit(runEnded?.exitCode ?? PARTLY_MADE)
      },
    },
    clock,
    close,
    log: log.write,
    isHanging: () => keychain.isHanging(),
    // Electron and Node can't exit while that thread hangs.
    kill: () => process.kill(pid, 'SIGKILL'),
  })
  if (flags.run !== null) void runReports(flags.run, opened.value.core.runs)

  async function runReports(file: string, runs: Core['runs']): Promise<void> {
    let ended: Ended = { message: 'The run failed.', exitCode: PARTLY_MADE }
    try {
      ended = await runFile(file, (request) => serveRun(runs, request))
      await requests.settled()
    } catch (cause) {
      log.write('run', cause)
    }
    reportRunEnd(ended)
    runEnded = ended
    // Someone has opened a window in the meantime. The process ends when it is closed.
    if (!isUnattended()) return
    isEnding = true
    await close()
    app.exit(ended.exitCode)
  }
}

/** Starts the program again when this process has ended, but not its run. */
function relaunch(): void {
  app.relaunch({ args: process.argv.slice(1).filter((argument) => !argument.startsWith('--run=')) })
}

function followTheme(running: Running | null): void {
  nativeTheme.themeSource = running?.settings.get().theme ?? 'system'
}

/** Without its store, the program may send nothing, so it doesn't start. */
function giveUp({ message, advice }: AppError): void {
  if (flags.run !== null) {
    endRun({ message: `${message} ${advice}`, exitCode: NOT_STARTED })
    return
  }
  dialog.showErrorBox('Bookbridge can’t start', `${message} ${advice}`)
  app.exit(1)
}

/** The parts that are recreated when the core is reopened. */
export interface Running {
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
  current: Running | null = null
  readonly #parts: CoreParts
  readonly #contents: IpcOptions['contents']
  readonly #onReopen: (opened: Result<Running>) => void

  /** @param onReopen called when the core was reopened, or could not be */
  constructor(
    parts: CoreParts,
    contents: IpcOptions['contents'],
    onReopen: (opened: Result<Running>) => void,
  ) {
    this.#parts = parts
    this.#contents = contents
    this.#onReopen = onReopen
  }

  /** Puts a restored backup in place, then opens the core. Returns an error when the store can't be used. */
  open(): Result<Running> {
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
      scheduling: createSchedulingMachine(flags, [
        'BOOKBRIDGE_KEYCHAIN_NAMESPACE',
        'BOOKBRIDGE_SAMPLE_TODAY',
      ]),
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
    unasked: createUnconfirmedSends(clock),
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
