/** The composition root on a person's machine: the shell around the core, and the window. */
import { basename, join } from 'node:path'
import { platform, versions } from 'node:process'
import { pathToFileURL } from 'node:url'
import {
  app,
  type BrowserWindow,
  clipboard,
  ClipboardItem,
  dialog,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  session,
  shell,
} from 'electron'
import { logWords } from './app/log-words.ts'
import type { Announcer, Clipboard, Clock, Outside, ProgramFacts, SettingsStore } from './app/ports.ts'
import type { Core } from './core-options.ts'
import { createCore } from './core.ts'
import { createFolderDialog, createOpenDialog, createSaveDialog } from './shell/dialogs.ts'
import { createBreakdown } from './shell/breakdown.ts'
import { readFlags } from './shell/flags.ts'
import { guideFile } from './shell/guide.ts'
import { serveIpc, type Ipc } from './shell/ipc.ts'
import { createKeychain } from './shell/keychain.ts'
import { createLog } from './shell/log.ts'
import { buildMenu } from './shell/menu.ts'
import { ownFolder } from './shell/own-folder.ts'
import { createFileHandler, registerScheme, rendererFolder } from './shell/protocol.ts'
import { createPrinter } from './shell/printer.ts'
import { openSettings } from './shell/settings.ts'
import { createUpdater } from './shell/updater.ts'
import { createWindowMemory } from './shell/window-memory.ts'
import { openWindow } from './shell/window.ts'
import { finishRestore } from './store/restoring.ts'

const here = import.meta.dirname
const { flags, refused } = readFlags(process.argv, app.isPackaged)

const CLOCK: Clock = {
  now: () => Date.now(),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    return () => {
      clearTimeout(timer)
    }
  },
}

/** Milliseconds in which the answer to a call reaches the window before what answered it is closed. */
const ANSWER_LEAVES = 50

const OUTSIDE: Outside = {
  openGuide: (page) => shell.openPath(guideFile(here, page)),
  showFile: (path) => {
    shell.showItemInFolder(path)
  },
}

const CLIPBOARD: Clipboard = {
  read: () => clipboard.readText(),
  write: async (text) => {
    if (text === '') clipboard.clear()
    else await clipboard.writeText(text)
  },
  writePicture: async (bytes) => {
    const picture = new Blob([new Uint8Array(bytes)], { type: 'image/png' })
    await clipboard.write([new ClipboardItem({ 'image/png': picture })])
  },
}

if (flags.userDataDir !== null) app.setPath('userData', flags.userDataDir)
app.enableSandbox()
registerScheme(protocol)

if (refused.length > 0) {
  dialog.showErrorBox(
    'Bookbridge',
    `Not allowed in an installed Bookbridge: ${refused.map((name) => `--${name}`).join(', ')}`,
  )
  app.exit(2)
} else if (!app.requestSingleInstanceLock()) {
  process.stderr.write('Bookbridge is running already on this folder: its window comes to the front.\n')
  app.quit()
} else {
  void app.whenReady().then(run)
}

/** The program's parts that are made anew when other files take the place of those that are open. */
interface Running {
  readonly core: Core
  readonly settings: SettingsStore
  readonly ipc: Ipc
}

function run(): void {
  const userData = app.getPath('userData')
  ownFolder(userData)
  let window: BrowserWindow | null = null
  let running: Running | null = null
  const logFile = createLog(userData, (cause) => logWords(cause, running?.core.secrets() ?? []))
  const log = logFile.write
  const tellBreakdown = createBreakdown({
    window: () => window,
    async saveSupportFile() {
      const saved = await running?.core.handlers['activity.saveSupportFile']({})
      if (saved?.ok === false) log('support file', new Error(saved.error.message))
    },
    restart() {
      app.relaunch()
      app.quit()
    },
  })
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (cause: unknown) => {
      log(event, cause)
      tellBreakdown('Something went wrong inside Bookbridge.')
    })
  }

  const contents = () => (window === null || window.isDestroyed() ? null : window.webContents)

  const announcer: Announcer = {
    emit: (event, payload) => {
      running?.ipc.emit(event, payload)
      if (event === 'settings.changed') nativeTheme.themeSource = running?.settings.get().theme ?? 'system'
    },
    notify(title, body) {
      if (window?.isFocused() === true || !Notification.isSupported()) return
      new Notification({ title, body }).show()
    },
  }

  const secrets = createKeychain()
  // The first answer takes longest, and the window asks for it before it shows anything: begun while Chromium starts.
  void secrets.probe()
  // Of the person's region, which may have other dates and separators than the language of the system.
  const locale = app.getSystemLocale() || app.getLocale()
  const program: ProgramFacts = {
    version: app.getVersion(),
    electronVersion: versions.electron,
    // Electron's own runtime is never called node; the host runs in plain Node (test/chromium-host).
    isChromiumHost: basename(process.execPath).startsWith('node'),
    platform,
    locale,
  }
  const shared = {
    userData,
    secrets,
    keychainNamespace: app.isPackaged ? '' : (process.env['BOOKBRIDGE_KEYCHAIN_NAMESPACE'] ?? ''),
    dialog: createSaveDialog(() => window, flags.saveDir),
    folderDialog: createFolderDialog(() => window, flags.saveDir),
    openDialog: createOpenDialog(() => window),
    program,
    outside: OUTSIDE,
    clipboard: CLIPBOARD,
    printer: createPrinter(locale),
    licenceFiles: ['licences-main.json', 'licences-window.json'].map(
      (name) => new URL(name, pathToFileURL(`${here}/`)),
    ),
    updates: createUpdater({ isPackaged: app.isPackaged, platform }, process.resourcesPath),
    announcer,
    clock: CLOCK,
    rowsWorker: new URL('./rows-worker.js', import.meta.url),
    sampleWorker: new URL('./sample-worker.js', import.meta.url),
    importWorker: new URL('./import-worker.js', import.meta.url),
    sampleToday: app.isPackaged ? '' : (process.env['BOOKBRIDGE_SAMPLE_TODAY'] ?? ''),
    resolveProxy: (url: string) => session.defaultSession.resolveProxy(url),
    idleSeconds: () => powerMonitor.getSystemIdleTime(),
    defect: log,
    logLines: logFile.lastLines,
  }

  /** Opens what lies in the folder; a restored backup is put in its place first. Ends the program when it can't. */
  const open = (): Running | null => {
    const restored = finishRestore(userData)
    const settings = openSettings(userData)
    const core = createCore({
      ...shared,
      settings: settings.store,
      settingsFile: settings.file,
      startNotices: [...(restored === null ? [] : [restored]), ...settings.notices],
      reopen,
    })
    if (!core.ok) {
      dialog.showErrorBox('Bookbridge can’t start', `${core.error.message} ${core.error.advice}`)
      app.exit(1)
      return null
    }
    nativeTheme.themeSource = settings.store.get().theme
    const ipc = serveIpc({ contents, defect: log, handlers: core.value.handlers })
    return { core: core.value, settings: settings.store, ipc }
  }
  const reopen = (): void => {
    const before = running
    running = null
    CLOCK.after(ANSWER_LEAVES, () => {
      void (before?.core.close() ?? Promise.resolve())
        .catch((cause: unknown) => {
          log('closing', cause)
        })
        .then(() => {
          before?.ipc.close()
          running = open()
          running?.core.start()
          contents()?.reload()
        })
    })
  }

  running = open()
  if (running === null) return
  const memory = createWindowMemory(userData)
  const openOwn = (): BrowserWindow =>
    openWindow({
      memory,
      preload: join(here, '../preload/preload.cjs'),
      isHidden: flags.isHeadless,
      serveFiles: createFileHandler(rendererFolder(here)),
      onCrash: (reason) => {
        log('window', new Error(`ended: ${reason}`))
      },
      onGivenUp: () => {
        tellBreakdown('The window of Bookbridge stopped working several times.')
      },
      onPage: () => {
        running?.core.pageLoaded()
      },
    })
  window = openOwn()
  buildMenu((command) => {
    announcer.emit('window.command', { command })
  })
  running.core.start()

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
    if (reason !== 'clean-exit') log('process', new Error(`${type} ended: ${reason}`))
  })
  powerMonitor.on('resume', () => {
    running?.core.wake()
  })
  closeBeforeQuit(() => running?.core.close() ?? Promise.resolve(), log)
}

/** What was on its way stays in the journal; the next start settles it. */
function closeBeforeQuit(close: () => Promise<void>, log: (where: string, cause: unknown) => void): void {
  let isClosed = false
  app.on('will-quit', (event) => {
    if (isClosed) return
    event.preventDefault()
    isClosed = true
    close()
      .catch((cause: unknown) => {
        log('closing', cause)
      })
      .finally(() => {
        app.quit()
      })
  })
}
