/** A place that can't be read or kept costs nothing but the place: the window opens all the same. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { expect, test, vi } from 'vitest'
import { createWindowMemory } from '../../electron/shell/window-memory.ts'
import { testFolder } from './writing-world.ts'

const { electron } = vi.hoisted(() => {
  const screen = { getAllDisplays: () => [{ workArea: { x: 0, y: 0, width: 1920, height: 1040 } }] }
  const nothing = { app: undefined, ipcMain: undefined, ipcRenderer: undefined, shell: undefined, screen }
  return { electron: { ...nothing, default: nothing } }
})
vi.mock('electron', () => electron)

/** A window at a place; `close` is what happens as it is closed. */
function windowAt(bounds: object) {
  let close = (): void => undefined
  const window = {
    on: (_event: string, listener: () => void) => (close = listener),
    getNormalBounds: () => bounds,
    isMaximized: () => false,
  } as unknown as BrowserWindow
  return { window, close: () => close() }
}

test('the place comes back, and where its file can’t be read the window opens without it', () => {
  const folder = testFolder()
  const bounds = { x: 10, y: 20, width: 1000, height: 700 }
  const kept = windowAt(bounds)
  createWindowMemory(folder).watch(kept.window)
  kept.close()
  const again = createWindowMemory(folder)
  expect(again.recall()).toEqual({ bounds, isMaximized: false })

  const path = join(folder, 'window.json')
  rmSync(path)
  mkdirSync(path)
  expect(again.recall()).toBeNull()
  const without = createWindowMemory(folder)
  expect(without.recall()).toBeNull()
  const closed = windowAt(bounds)
  without.watch(closed.window)
  expect(closed.close).not.toThrow()
})
