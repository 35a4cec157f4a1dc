/** The window opens at its last place, unless no screen shows it or its file can't be read. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createWindowMemory, shouldReload, type WindowState } from '../../../electron/shell/window.ts'
import { standIn } from '../records/list/stand-in.ts'
import { testFolder } from '../writing/world.ts'

const { electron, screens } = vi.hoisted(() => {
  const screens = { workAreas: [{ x: 0, y: 0, width: 1920, height: 1040 }] }
  const screen = { getAllDisplays: () => screens.workAreas.map((workArea) => ({ workArea })) }
  const nothing = { app: undefined, ipcMain: undefined, ipcRenderer: undefined, shell: undefined, screen }
  return { electron: { ...nothing, default: nothing }, screens }
})
vi.mock('electron', () => electron)

/** A window at a place. `close` closes it. */
function windowAt(bounds: object) {
  let close = (): void => undefined
  const window = standIn<BrowserWindow>({
    on: (_event: string, listener: () => void) => (close = listener),
    getNormalBounds: () => bounds,
    isMaximized: () => false,
  })
  return { window, close: () => close() }
}

test('the position is restored, and the window opens without it if its file can’t be read', () => {
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

const laptop = { x: 0, y: 0, width: 1536, height: 824 }
const second = { x: 1536, y: -200, width: 1920, height: 1040 }
const placeAt = (x: number, y: number, width = 1366, height = 800) => ({
  bounds: { x, y, width, height },
  isMaximized: false,
})

/** Where a window that was closed at `place` opens again. */
function reopenedAt({ bounds }: WindowState, workAreas: typeof screens.workAreas): WindowState | null {
  const before = screens.workAreas
  screens.workAreas = workAreas
  onTestFinished(() => {
    screens.workAreas = before
  })
  const folder = testFolder()
  const kept = windowAt(bounds)
  createWindowMemory(folder).watch(kept.window)
  kept.close()
  return createWindowMemory(folder).recall()
}

describe('the window’s position', () => {
  test('is restored if its screen is there', () => {
    const place = placeAt(1700, 20)
    expect(reopenedAt(place, [laptop, second])).toEqual(place)
  })

  test('is dropped if its screen is gone', () => {
    expect(reopenedAt(placeAt(1700, 20), [laptop])).toBeNull()
    expect(reopenedAt(placeAt(20, 20), [])).toBeNull()
  })

  test('is dropped if the title bar couldn’t be grabbed', () => {
    expect(reopenedAt(placeAt(20, -40), [laptop])).toBeNull()
    expect(reopenedAt(placeAt(20, 810), [laptop])).toBeNull()
    expect(reopenedAt(placeAt(1500, 20), [laptop])).toBeNull()
    expect(reopenedAt(placeAt(-1300, 20), [laptop])).toBeNull()
  })

  test('shrinks to a smaller screen', () => {
    expect(reopenedAt(placeAt(0, 0, 3000, 2000), [laptop])).toEqual(placeAt(0, 0, 1536, 824))
  })
})

test('a window that crashes is reloaded three times a minute, and no more', () => {
  expect(shouldReload([0])).toBe(true)
  expect(shouldReload([0, 1_000, 2_000])).toBe(true)
  expect(shouldReload([0, 1_000, 2_000, 3_000])).toBe(false)
  expect(shouldReload([0, 1_000, 2_000, 90_000])).toBe(true)
})
