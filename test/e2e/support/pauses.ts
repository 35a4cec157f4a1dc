/** Measures how long a page can do nothing else, for specs about large data. */
import type { Page } from '@playwright/test'

declare global {
  var pauses: { longest: number; last: number }
}

/** Records how long each task blocks the page. */
export async function watchPauses(window: Page): Promise<void> {
  await window.evaluate(() => {
    const watch = { longest: 0, last: performance.now() }
    globalThis.pauses = watch
    setInterval(() => {
      const now = performance.now()
      watch.longest = Math.max(watch.longest, now - watch.last)
      watch.last = now
    }, 5)
  })
}

/** Returns the longest pause since the last call, in ms. */
export async function longestPause(window: Page): Promise<number> {
  return window.evaluate(async () => {
    await new Promise((later) => setTimeout(later, 50))
    const { longest } = pauses
    pauses.longest = 0
    return longest
  })
}

/**
 * Returns how much longer the same work takes at worst than at best right now, because of other work on the machine; 1
 * if it is idle.
 */
export async function slowness(window: Page): Promise<number> {
  return window.evaluate(() => {
    const names = Array.from({ length: 4_000 }, (_, index) => `name ${(index * 7_919) % 4_000}`)
    const turns = Array.from({ length: 12 }, () => {
      const startedAt = performance.now()
      names.toSorted((left, right) => left.localeCompare(right))
      return performance.now() - startedAt
    })
    return Math.max(...turns) / Math.min(...turns)
  })
}
