/** The one window, and all that it is not allowed to do. */
import { app, BrowserWindow, nativeTheme } from 'electron'
import type { Clock } from '../clock.ts'
import { comesBack } from './crashes.ts'
import type { Confinement } from './confinement.ts'
import { START_PAGE } from './protocol.ts'
import type { WindowMemory } from './window-memory.ts'

export interface WindowOptions {
  readonly preload: string
  readonly isHidden: boolean
  /** Where the window stood, and where that is kept. */
  readonly memory: WindowMemory
  readonly clock: Pick<Clock, 'now'>
  readonly confinement: Confinement
  readonly serveFiles: (request: Request) => Promise<Response>
  /** The window's page has gone for a reason of its own; it comes back where it was. */
  readonly onCrash: (reason: string) => void
  /** It has fallen so often that it is left alone. */
  readonly onGivenUp: () => void
  /** Another page is there, and nothing of the one before it: at the start, after a crash, when it is loaded anew. */
  readonly onPage: () => void
}

export function openWindow(options: WindowOptions): BrowserWindow {
  const place = options.memory.recall()
  const { session, ready } = options.confinement.open('bookbridge', options.serveFiles)
  const window = new BrowserWindow({
    ...(place?.bounds ?? { width: 1366, height: 800 }),
    minWidth: 720,
    minHeight: 480,
    show: false,
    title: 'Bookbridge',
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#131b1f' : '#ffffff',
    autoHideMenuBar: true,
    webPreferences: {
      preload: options.preload,
      session,
      devTools: !app.isPackaged,
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      webSecurity: true,
      spellcheck: false,
      navigateOnDragDrop: false,
    },
  })
  options.memory.watch(window)
  const { webContents } = window
  webContents.on('will-navigate', (event, url) => {
    if (url !== START_PAGE && !url.startsWith(`${START_PAGE}#`)) event.preventDefault()
  })
  webContents.on('did-navigate', options.onPage)
  const crashes: number[] = []
  webContents.on('render-process-gone', (_event, details) => {
    options.onCrash(details.reason)
    if (details.reason === 'clean-exit' || window.isDestroyed()) return
    crashes.push(options.clock.now())
    if (comesBack(crashes)) webContents.reload()
    else options.onGivenUp()
  })
  window.once('ready-to-show', () => {
    if (options.isHidden) return
    // Not before: maximising shows a window.
    if (place?.isMaximized === true) window.maximize()
    window.show()
  })
  void ready.then(() => window.loadURL(START_PAGE))
  return window
}
