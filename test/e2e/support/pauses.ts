/** Measures how long a page is blocked, for specs about large data. */
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

/** Returns the factor between the slowest and the fastest run of the same work right now; 1 if the machine is idle. */
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
