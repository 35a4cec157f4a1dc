/** The one window, and all that it is not allowed to do. */
import { type Rectangle, app, BrowserWindow, nativeTheme, screen } from 'electron'
import ElectronStore from 'electron-store'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import type { Confinement } from './confinement.ts'
import { START_PAGE } from './protocol.ts'

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
    if (shouldReload(crashes)) webContents.reload()
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

// Whether a window whose page has fallen comes back by itself: not when it falls again and again.

const WITHIN_MILLISECONDS = 60_000
const MOST = 3

/** @param times of the crashes so far, this one last, in milliseconds since 1970 */
export function shouldReload(times: readonly number[]): boolean {
  const now = times.at(-1) ?? 0
  return times.filter((time) => now - time < WITHIN_MILLISECONDS).length <= MOST
}

// Where the window stood when it was left, kept in `window.json`; the next start puts it there.

export interface WindowMemory {
  /** `null` at the first start, or when no screen shows that place any more. */
  recall(): WindowPlace | null
  /** Keeps the place of this window from now on, until it is closed. */
  watch(window: BrowserWindow): void
}

/**
 * @param folder that of the settings. A file that makes no sense, or can't be read or written, costs nothing but the
 *   place: there must be a window.
 */
export function createWindowMemory(folder: string): WindowMemory {
  const file = openedFile(folder)
  return {
    recall() {
      const read = placeSchema.safeParse(keptPlace(file))
      if (!read.success) return null
      return placeOnScreens(
        read.data,
        screen.getAllDisplays().map(({ workArea }) => workArea),
      )
    },
    watch(window) {
      window.on('close', () => {
        const place: WindowPlace = { bounds: window.getNormalBounds(), isMaximized: window.isMaximized() }
        try {
          file?.set('place', place)
        } catch {
          // A full disk keeps the settings and the journal from being written too, and those say so.
        }
      })
    },
  }
}

type PlaceFile = ElectronStore<{ place?: unknown }>

function openedFile(folder: string): PlaceFile | null {
  try {
    return new ElectronStore<{ place?: unknown }>({ cwd: folder, name: 'window', clearInvalidConfig: true })
  } catch {
    return null
  }
}

function keptPlace(file: PlaceFile | null): unknown {
  try {
    return file?.get('place')
  } catch {
    return null
  }
}

// Where a window may come back to: decided from its last place and the screens that are there.

const whole = z.number().int().min(-100_000).max(100_000)

export const placeSchema = z.object({
  /** In device-independent pixels, as it is when not maximised. */
  bounds: z.object({ x: whole, y: whole, width: whole.min(1), height: whole.min(1) }),
  isMaximized: z.boolean(),
})

export type WindowPlace = z.output<typeof placeSchema>

/** So much of the title bar has to be on a screen that the window can be taken hold of. */
const GRIP = { width: 160, height: 32 }

/**
 * The place if it can be used with these screens, else `null`: a second screen may be gone, or smaller than it was.
 * A window larger than its screen is made as large as that.
 */
export function placeOnScreens(place: WindowPlace, workAreas: readonly Rectangle[]): WindowPlace | null {
  const { x, y, width, height } = place.bounds
  const area = workAreas.find(
    (each) =>
      x + width >= each.x + GRIP.width &&
      x <= each.x + each.width - GRIP.width &&
      y >= each.y &&
      y <= each.y + each.height - GRIP.height,
  )
  if (area === undefined) return null
  const bounds = { x, y, width: Math.min(width, area.width), height: Math.min(height, area.height) }
  return { ...place, bounds }
}
