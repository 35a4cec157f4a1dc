/**
 * The stand-in for the `electron` module. It is the only module with its own state, because Electron's module has
 * state, too: one program, one `app`.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { BrowserWindowConstructorOptions } from 'electron'
import { Chromium, SHARED_VARIABLE } from './chromium.ts'
import { readCommandLine } from './command-line.ts'
import { RECORD_VARIABLE, Recorder } from './recorder.ts'
import { HostApp } from './stand-in/app.ts'
import { HostBrowserWindow } from './stand-in/browser-window.ts'
import { type Host, TITLE_SUFFIX } from './stand-in/host.ts'
import { HostIpcMain } from './stand-in/ipc-main.ts'
import {
  HostClipboardItem,
  HostPowerMonitor,
  makeClipboard,
  makeDialog,
  makeNativeImage,
  makeNotification,
  makeSafeStorage,
  makeScreen,
  makeShell,
} from './stand-in/machine.ts'
import { HostMenu, HostMenuItem } from './stand-in/menu.ts'
import { HostNativeTheme } from './stand-in/native-theme.ts'
import { HostSession, HostSessions } from './stand-in/session.ts'
import { HostEvent, strict } from './stand-in/strict.ts'
import { HostWebContents } from './stand-in/web-contents.ts'

interface Manifest {
  readonly name: string
  readonly productName?: string
  readonly version: string
}

const given = readCommandLine(process.argv.slice(1))
const folder = resolve(given.program)
const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
const recorder = new Recorder(process.env[RECORD_VARIABLE])
const started = Promise.withResolvers<Chromium>()
let running: Chromium | undefined
let profile: string | undefined

const app = new HostApp({
  name: manifest.productName ?? manifest.name,
  version: manifest.version,
  folder,
  switches: given.switches,
  closeWindows: () => {
    for (const window of host.windows) window.close()
  },
  countWindows: () => host.windows.size,
  end,
})

const host: Host = {
  recorder,
  ipcMain: new HostIpcMain(),
  nativeTheme: new HostNativeTheme(),
  sessions: new HostSessions((created) => app.emit('session-created', created)),
  windows: new Set(),
  chromium: started.promise,
  versions: { ...process.versions, host: TITLE_SUFFIX.trim() },
  onWebContents: (contents) => app.emit('web-contents-created', new HostEvent(), contents),
  onCrashed: (contents, details) => app.emit('render-process-gone', new HostEvent(), contents, details),
  onWindowClosed: () => app.windowClosed(),
}

const { ipcMain, nativeTheme } = host

class BrowserWindow extends HostBrowserWindow {
  constructor(options?: BrowserWindowConstructorOptions) {
    super(host, options)
  }

  static getAllWindows(): HostBrowserWindow[] {
    return [...host.windows]
  }

  static getFocusedWindow(): HostBrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.isFocused()) ?? null
  }

  static fromId(id: number): HostBrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.id === id) ?? null
  }

  static fromWebContents(contents: unknown): HostBrowserWindow | null {
    return BrowserWindow.getAllWindows().find((window) => window.webContents === contents) ?? null
  }
}

nativeTheme.on('updated', () => {
  for (const window of host.windows) window.webContents.applyTheme()
})
HostMenu.onChange(() => {
  for (const window of host.windows) window.webContents.setMenu(HostMenu.getApplicationMenu())
})

const allContents = (): HostWebContents[] => [...host.windows].map((window) => window.webContents)
const webContents = strict('webContents', {
  getAllWebContents: allContents,
  getFocusedWebContents: () => BrowserWindow.getFocusedWindow()?.webContents ?? null,
  fromId: (id: number) => allContents().find((contents) => contents.id === id),
  fromDevToolsTargetId: (id: string) => allContents().find((contents) => contents.targetId === id),
})
const session = strict('session', {
  fromPartition: (partition: string) => host.sessions.fromPartition(partition),
  get defaultSession() {
    return host.sessions.defaultSession
  },
})
const { protocol } = host.sessions.defaultSession
const dialog = makeDialog(recorder)
const shell = makeShell(recorder)
const clipboard = makeClipboard()
const powerMonitor = new HostPowerMonitor()
const Notification = makeNotification(recorder)
const nativeImage = makeNativeImage()
const safeStorage = makeSafeStorage()
const screen = makeScreen()

/**
 * Starts Chromium and marks the program as ready. `boot.ts` calls it once the program is loaded. A program that has
 * asked to quit by then, because another one uses its folder, never starts it.
 */
export async function startChromium(): Promise<void> {
  if (app.isQuitting) return
  const headless = app.switches.has('headless')
  const shared = process.env[SHARED_VARIABLE]
  if (shared === undefined) {
    const profiles = join(app.getPath('userData'), 'chromium-host')
    // A profile is used for one run only, because the program's session is in memory.
    mkdirSync(profiles, { recursive: true })
    for (const name of readdirSync(profiles)) removeProfile(join(profiles, name))
    profile = join(profiles, String(process.pid))
    running = await Chromium.start({ profile, headless, switches: app.switches })
  } else {
    running = await Chromium.join(shared, { profile: '', headless, switches: app.switches })
  }
  running.browser.on('Browser.downloadWillBegin', ({ url, suggestedFilename }) => {
    const item = { getURL: () => url, getFilename: () => suggestedFilename, cancel: () => undefined }
    for (const each of host.sessions.all()) each.emit('will-download', new HostEvent(), item)
  })
  started.resolve(running)
  app.becomeReady()
}

/** Records the program's output from the first line, because a spec may start to listen later. */
export function recordPrinting(): void {
  for (const [channel, stream] of Object.entries({ stdout: process.stdout, stderr: process.stderr })) {
    const write = stream.write.bind(stream) as (...values: unknown[]) => boolean
    stream.write = (...values: unknown[]) => {
      recorder.record({ kind: 'printed', channel, values: [values[0]] })
      return write(...values)
    }
  }
}

function removeProfile(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
  } catch {
    // Chromium's last process may still be writing there. The next start deletes the folder.
  }
}

function end(code: number, relaunch: readonly string[] | undefined): void {
  running?.kill()
  if (profile !== undefined) removeProfile(dirname(profile))
  if (relaunch) {
    const boot = join(import.meta.dirname, 'boot.ts')
    spawn(process.execPath, [...process.execArgv, boot, ...relaunch], {
      detached: true,
      stdio: 'ignore',
    }).unref()
  }
  process.exit(code)
}

const electron = strict('electron', {
  app,
  BrowserWindow,
  clipboard,
  ClipboardItem: HostClipboardItem,
  dialog,
  ipcMain,
  Menu: HostMenu,
  MenuItem: HostMenuItem,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  webContents,
  WebContents: HostWebContents,
  Session: HostSession,
})

// The named export serves `require('electron')`, which Playwright also uses.
export { electron as default, electron as 'module.exports' }
export { HostClipboardItem as ClipboardItem }
export { HostMenu as Menu, HostMenuItem as MenuItem, HostSession as Session, HostWebContents as WebContents }
export {
  app,
  BrowserWindow,
  clipboard,
  dialog,
  ipcMain,
  nativeImage,
  nativeTheme,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  webContents,
}
