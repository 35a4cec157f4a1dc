/** The composition root on a person's machine: the shell around the core, and the window. */
import { join, resolve } from 'node:path'
import { env, pid, platform } from 'node:process'
import { app, type BrowserWindow, dialog, nativeTheme, Notification, powerMonitor, protocol } from 'electron'
import { logWords } from './app/log-words.ts'
import type { Announcer } from './app/ports.ts'
import { createSystemClock, createSystemRandom } from './clock.ts'
import { createRunningCore, type Running } from './main-core.ts'
import { createCoreParts } from './main-parts.ts'
import { createBreakdown } from './shell/breakdown.ts'
import { closeBeforeQuit } from './shell/closing.ts'
import { createConfinement } from './shell/confinement.ts'
import { readFlags } from './shell/flags.ts'
import { createLog } from './shell/log.ts'
import { buildMenu } from './shell/menu.ts'
import { ownFolder } from './shell/own-folder.ts'
import { createFileHandler, registerScheme, rendererFolder } from './shell/protocol.ts'
import { createWindowMemory } from './shell/window-memory.ts'
import { openWindow } from './shell/window.ts'
import type { AppError } from '../shared/result.ts'

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
