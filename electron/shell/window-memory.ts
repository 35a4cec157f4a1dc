/** Where the window stood when it was left, kept in `window.json`; the next start puts it there. */
import { type BrowserWindow, screen } from 'electron'
import ElectronStore from 'electron-store'
import { placeOnScreens, placeSchema, type WindowPlace } from './window-place.ts'

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
