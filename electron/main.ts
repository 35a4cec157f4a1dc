/** The composition root on a person's machine: the shell around the core, and the window. */
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { env, pid, platform, versions } from 'node:process'
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
import { logWords } from './app/program/support.ts'
import type { Announcer, ProgramFacts, SettingsStore } from './app/ports.ts'
import { createUnaskedSends } from './app/program/confirmations.ts'
import { type Clock, type Random, createSystemClock, createSystemRandom } from './clock.ts'
import { type Core, type CoreOptions, createCore } from './core.ts'
import { createBreakdown } from './shell/breakdown.ts'
import { closeBeforeQuit } from './shell/closing.ts'
import { type Confinement, createConfinement } from './shell/confinement.ts'
import {
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
import { createClipboard, createOutside } from './shell/machine.ts'
import { buildMenu } from './shell/menu.ts'
import { ownFolder } from './shell/own-folder.ts'
import { createPrinter } from './shell/printer.ts'
import { createFileHandler, registerScheme, rendererFolder } from './shell/protocol.ts'
import { openSettings } from './shell/settings.ts'
import { createUpdater } from './shell/updater.ts'
import { createWindowMemory, openWindow } from './shell/window.ts'
import { finishRestore } from './store/backup.ts'

// The environment decides nothing about trust, and nobody writes down the keys of our connections.
delete env['NODE_TLS_REJECT_UNAUTHORIZED']
delete env['SSLKEYLOGFILE']

const here = import.meta.dirname
const { flags, refused } = readFlags(process.argv, app.isPackaged, platform === 'win32')

const named = flags.userDataDir ?? app.getPath('userData')
const unusable = refused.length > 0 ? null : ownFolder(named)
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
  process.stderr.write('Bookbridge is running already on this folder: its window comes to the front.\n')
  app.quit()
} else {
  void app.whenReady().then(run)
}

function run(): void {
  const userData = app.getPath('userData')
  let window: BrowserWindow | null = null
  const contents = () => (window === null || window.isDestroyed() ? null : window.webContents)
  const clock = createSystemClock()
  const log = createLog(userData, (cause) => logWords(cause, running.current()?.core.secrets() ?? []), clock)
  const announcer: Announcer = {
    emit: (event, payload) => {
      running.current()?.ipc.emit(event, payload)
      if (event === 'settings.changed') followTheme(running.current())
    },
    notify(title, body) {
      if (window?.isFocused() === true || !Notification.isSupported()) return
      new Notification({ title, body }).show()
    },
  }
  const confinement = createConfinement(app)
  const parts = createCoreParts({
    userData,
    confinement,
    mainFolder: here,
    flags,
    window: () => window,
    announcer,
    clock,
    random: createSystemRandom(),
    log,
  })
  const running = createRunningCore({
    parts,
    contents,
    reopened: (opened) => {
      if (!opened.ok) {
        giveUp(opened.error)
        return
      }
      followTheme(opened.value)
      opened.value.core.start()
      contents()?.reload()
    },
  })
  const tellBreakdown = createBreakdown({
    window: () => window,
    async saveSupportFile() {
      const saved = await running.current()?.core.handlers['activity.saveSupportFile']({})
      if (saved?.ok === false) log.write('support file', new Error(saved.error.message))
    },
    restart() {
      app.relaunch()
      app.quit()
    },
  })
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (cause: unknown) => {
      log.write(event, cause)
      tellBreakdown('Something went wrong inside Bookbridge.')
    })
  }

  const opened = running.open()
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
        tellBreakdown('The window of Bookbridge stopped working several times.')
      },
      onPage: () => {
        running.current()?.core.pageLoaded()
      },
    })
  window = openOwn()
  buildMenu((command) => {
    announcer.emit('window.command', { command })
  })
  opened.value.core.start()

  app.on('second-instance', () => {
    if (window === null || window.isDestroyed()) return
    if (window.isMinimized()) window.restore()
    window.focus()
  })
  app.on('activate', () => {
    if (window === null || window.isDestroyed()) window = openOwn()
  })
  app.on('window-all-closed', () => {
    if (platform !== 'darwin') app.quit()
  })
  app.on('child-process-gone', (_event, { type, reason }) => {
    if (reason !== 'clean-exit') log.write('process', new Error(`${type} ended: ${reason}`))
  })
  powerMonitor.on('resume', () => {
    running.current()?.core.wake()
  })
  closeBeforeQuit({
    app,
    clock,
    close: running.close,
    log: log.write,
    isHanging: parts.secrets.isHanging,
    // Neither Electron's own end nor Node's comes without that thread.
    kill: () => process.kill(pid, 'SIGKILL'),
  })
}

function followTheme(running: Running | null): void {
  nativeTheme.themeSource = running?.settings.get().theme ?? 'system'
}

/** Without its store the program may send nothing, so it does not run at all. */
function giveUp({ message, advice }: AppError): void {
  dialog.showErrorBox('Bookbridge can’t start', `${message} ${advice}`)
  app.exit(1)
}

/*
 * The core as it runs: opened on what lies in the folder, closed, and opened again on what lies there then, as after a
 * restored backup or **Restart**, without ending the program.
 */

/** The parts that are made anew when other files take the place of those that are open. */
export interface Running {
  readonly core: Core
  readonly settings: SettingsStore
  readonly ipc: Ipc
}

export interface RunningCore {
  /** `null` while it is opened anew. */
  current(): Running | null
  /** Opens what lies in the folder; a restored backup is put in its place first. An error when the store can't be used. */
  open(): Result<Running>
  close(): Promise<void>
}

export interface RunningOptions {
  readonly parts: CoreParts
  readonly contents: IpcOptions['contents']
  /** It was opened again, or could not be. */
  readonly reopened: (opened: Result<Running>) => void
}

/** Milliseconds in which the answer to a call reaches the window before what answered it is closed. */
const ANSWER_LEAVES = 50

export function createRunningCore({ parts, contents, reopened }: RunningOptions): RunningCore {
  let running: Running | null = null

  const open = (): Result<Running> => {
    const restored = restoreFinished(parts)
    if (!restored.ok) return restored
    const { store, file, notices } = openSettings(parts.userData, parts.clock)
    const core = createCore({
      ...parts,
      settings: store,
      settingsFile: file,
      startNotices: [...(restored.value === null ? [] : [restored.value]), ...notices],
      reopen,
    })
    if (!core.ok) return err(core.error)
    const ipc = serveIpc({ contents, defect: parts.defect, handlers: core.value.handlers })
    running = { core: core.value, settings: store, ipc }
    return ok(running)
  }

  const reopen = (): void => {
    const before = running
    running = null
    parts.clock.after(ANSWER_LEAVES, () => {
      void (before?.core.close() ?? Promise.resolve())
        .catch((cause: unknown) => {
          parts.defect('closing', cause)
        })
        .then(() => {
          before?.ipc.close()
          reopened(open())
        })
    })
  }

  return {
    current: () => running,
    open,
    close: () => running?.core.close() ?? Promise.resolve(),
  }
}

/** What is to be said of a restore; an error while it is half done, since nothing may be opened then. */
function restoreFinished({ userData, defect }: CoreParts): Result<AppError | null> {
  try {
    return ok(finishRestore(userData))
  } catch (cause) {
    defect('restore', cause)
    return err(
      appError(
        'file',
        'A backup is only half put in place, because a file in the folder of Bookbridge could not be moved.',
        'Is it open in another program? Close that one and start Bookbridge again: it goes on by itself.',
        { raw: causeText(cause) },
      ),
    )
  }
}

// What the core needs of Electron and of this machine: made once, and kept when the core is opened anew.

/** All but what lies in the folder, which is read each time that the core is opened. */
export type CoreParts = Omit<
  CoreOptions,
  'secrets' | 'settings' | 'settingsFile' | 'startNotices' | 'reopen'
> & {
  readonly secrets: Keychain
}

export interface PartsOptions {
  readonly userData: string
  /** Of the main bundle: what was built lies beside it. */
  readonly mainFolder: string
  readonly flags: Flags
  readonly confinement: Confinement
  /** What dialogs stand before. */
  readonly window: () => BrowserWindow | null
  readonly announcer: Announcer
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
}

export function createCoreParts(options: PartsOptions): CoreParts {
  const { userData, mainFolder, flags, window, log } = options
  const beside = (name: string): URL => new URL(name, pathToFileURL(`${mainFolder}/`))
  /** A developer's word, which a packaged program does not hear. */
  const ofDeveloper = (name: string): string => (app.isPackaged ? '' : (process.env[name] ?? ''))
  const namespace = ofDeveloper('BOOKBRIDGE_KEYCHAIN_NAMESPACE')
  const keyFile = createKeyFile({ folder: userData, encryption: safeStorage, platform, clock: options.clock })
  const secrets = createKeychain(options.clock, () =>
    openVault({ loadKeytar, file: keyFile, first: 'keychain' }),
  )
  // The first answer takes longest, and the window asks for it before it shows anything: begun while Chromium starts.
  void secrets.probe()
  const program = programFacts()
  return {
    userData,
    queueFolder:
      namespace === ''
        ? join(app.getPath('appData'), 'Bookbridge connections')
        : join(userData, 'connections'),
    stateFolder: stateFolder(flags),
    secrets,
    keychainNamespace: namespace,
    dialog: createSaveDialog(window, flags.saveDir),
    folderDialog: createFolderDialog(window, flags.saveDir),
    openDialog: createOpenDialog(window),
    confirmation: createConfirmation(window, flags.isHeadless && ofDeveloper('BOOKBRIDGE_ASKS') === ''),
    unasked: createUnaskedSends(options.clock),
    program,
    outside: createOutside(mainFolder),
    clipboard: createClipboard(),
    printer: createPrinter(program.locale, options.confinement),
    licenseFiles: [beside('licenses-main.json'), beside('licenses-window.json')],
    updates: createUpdater({ isPackaged: app.isPackaged, platform }, process.resourcesPath),
    announcer: options.announcer,
    clock: options.clock,
    random: options.random,
    rowsWorker: beside('rows-worker.js'),
    sampleWorker: beside('sample-worker.js'),
    importWorker: beside('import-worker.js'),
    sampleToday: ofDeveloper('BOOKBRIDGE_SAMPLE_TODAY'),
    resolveProxy: (url) => session.defaultSession.resolveProxy(url),
    idleSeconds: () => powerMonitor.getSystemIdleTime(),
    defect: log.write,
    logLines: log.lastLines,
  }
}

/** What is kept there is not in a backup or copy of the user-data folder. Of a profile of its own, all lies in its folder. */
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
    // Electron's own runtime is never called node; the host runs in plain Node (test/chromium-host).
    isChromiumHost: basename(process.execPath).startsWith('node'),
    platform,
    // Of the person's region, which may have other dates and separators than the language of the system.
    locale: app.getSystemLocale() || app.getLocale(),
  }
}
