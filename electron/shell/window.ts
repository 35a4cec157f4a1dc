/** The program's only window, its place on screen, and its recovery after a crash. */
import { app, BrowserWindow, nativeTheme, type Rectangle, screen } from 'electron'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Confinement } from './confinement.ts'
import { START_PAGE } from './protocol.ts'

export interface WindowOptions {
  readonly preload: string
  readonly isHidden: boolean
  /** The window's last place, and where it is saved. */
  readonly memory: WindowMemory
  readonly clock: Pick<Clock, 'now'>
  readonly confinement: Confinement
  readonly serveFiles: (request: Request) => Promise<Response>
  /** The page crashed. It is reloaded. */
  readonly onCrash: (reason: string) => void
  /** The page crashed so often that it isn't reloaded anymore. */
  readonly onGivenUp: () => void
  /** A page was loaded: at the start, after a crash, or on reload. */
  readonly onPage: () => void
}

export function openWindow(options: WindowOptions): BrowserWindow {
  const state = options.memory.recall()
  const { session, ready } = options.confinement.open('bookbridge', options.serveFiles)
  const window = new BrowserWindow({
    ...(state?.bounds ?? { width: 1366, height: 800 }),
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
    if (shouldReload(crashes)) webContents.reload()
    else options.onGivenUp()
  })
  window.once('ready-to-show', () => {
    if (options.isHidden) return
    // Not earlier, since maximizing shows a window.
    if (state?.isMaximized === true) window.maximize()
    window.show()
  })
  void ready.then(() => window.loadURL(START_PAGE))
  return window
}

// Whether to reload a page that crashed: not if it crashes again and again.

const WITHIN_MILLISECONDS = 60_000
const MAX_RELOADS = 3

/**
 * @param times of all crashes, this one last, in milliseconds since 1970
 * @internal
 */
export function shouldReload(times: readonly number[]): boolean {
  const now = times.at(-1) ?? 0
  return times.filter((time) => now - time < WITHIN_MILLISECONDS).length <= MAX_RELOADS
}

// Saves where the window was in `window.json`, for the next start.

export interface WindowMemory {
  /** `null` at the first start, or if no screen shows that place anymore. */
  recall(): WindowState | null
  /** Saves the place of this window when it closes. */
  watch(window: BrowserWindow): void
}

/** @param folder the settings' folder. If the file is invalid or can't be used, only the place is lost. */
export function createWindowMemory(folder: string): WindowMemory {
  const file = openedFile(folder)
  return {
    recall() {
      const read = stateSchema.safeParse(savedState(file))
      if (!read.success) return null
      return fitToScreens(
        read.data,
        screen.getAllDisplays().map(({ workArea }) => workArea),
      )
    },
    watch(window) {
      window.on('close', () => {
        const state: WindowState = { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }
        try {
          file?.set('place', state)
        } catch {
          // A full disk also stops settings and journal, which report it.
        }
      })
    },
  }
}

type StateFile = ElectronStore<{ place?: unknown }>

function openedFile(folder: string): StateFile | null {
  try {
    return new ElectronStore<{ place?: unknown }>({ cwd: folder, name: 'window', clearInvalidConfig: true })
  } catch {
    return null
  }
}

function savedState(file: StateFile | null): unknown {
  try {
    return file?.get('place')
  } catch {
    return null
  }
}

// Decides from the last place and the current screens where the window opens.

const whole = z.number().int().min(-100_000).max(100_000)

const stateSchema = z.object({
  /** In device-independent pixels, when not maximized. */
  bounds: z.object({ x: whole, y: whole, width: whole.min(1), height: whole.min(1) }),
  isMaximized: z.boolean(),
})

export type WindowState = z.output<typeof stateSchema>

/** The part of the title bar that must be on a screen, so that the window can be moved. */
const GRIP = { width: 160, height: 32 }

/**
 * Returns the place if these screens show it, otherwise `null`: a second screen may be gone or smaller. Shrinks a
 * window that is larger than its screen.
 */
function fitToScreens(state: WindowState, workAreas: readonly Rectangle[]): WindowState | null {
  const { x, y, width, height } = state.bounds
  const area = workAreas.find(
    (each) =>
      x + width >= each.x + GRIP.width &&
      x <= each.x + each.width - GRIP.width &&
      y >= each.y &&
      y <= each.y + each.height - GRIP.height,
  )
  if (area === undefined) return null
  const bounds = { x, y, width: Math.min(width, area.width), height: Math.min(height, area.height) }
  return { ...state, bounds }
}
