/** Where the window comes back to: its last place, unless no screen shows that any more. */
import { describe, expect, test } from 'vitest'
import { placeOnScreens } from '../../electron/shell/window-place.ts'

const laptop = { x: 0, y: 0, width: 1536, height: 824 }
const second = { x: 1536, y: -200, width: 1920, height: 1040 }
const placeAt = (x: number, y: number, width = 1366, height = 800) => ({
  bounds: { x, y, width, height },
  isMaximized: false,
})

describe('the window’s place', () => {
  test('is as it was while its screen is there', () => {
    const place = placeAt(1700, 20)
    expect(placeOnScreens(place, [laptop, second])).toEqual(place)
  })

  test('is forgotten when its screen has gone', () => {
    expect(placeOnScreens(placeAt(1700, 20), [laptop])).toBeNull()
    expect(placeOnScreens(placeAt(20, 20), [])).toBeNull()
  })

  test('is forgotten when the title bar can’t be taken hold of', () => {
    expect(placeOnScreens(placeAt(20, -40), [laptop])).toBeNull()
    expect(placeOnScreens(placeAt(20, 810), [laptop])).toBeNull()
    expect(placeOnScreens(placeAt(1500, 20), [laptop])).toBeNull()
    expect(placeOnScreens(placeAt(-1300, 20), [laptop])).toBeNull()
  })

  test('shrinks to a screen that is smaller now', () => {
    expect(placeOnScreens(placeAt(0, 0, 3000, 2000), [laptop])).toEqual(placeAt(0, 0, 1536, 824))
  })
})
