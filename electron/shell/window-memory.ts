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

/** @param folder that of the settings. A file that makes no sense or can't be written costs nothing but the place. */
export function createWindowMemory(folder: string): WindowMemory {
  const file = new ElectronStore<{ place?: unknown }>({
    cwd: folder,
    name: 'window',
    clearInvalidConfig: true,
  })
  return {
    recall() {
      const read = placeSchema.safeParse(file.get('place'))
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
          file.set('place', place)
        } catch {
          // A full disk keeps the settings and the journal from being written too, and those say so.
        }
      })
    },
  }
}
