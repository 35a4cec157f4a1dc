/** How long a page can do nothing else, for specs of what is large. */
import type { Page } from '@playwright/test'

declare global {
  var pauses: { longest: number; last: number }
}

/** Notes how long the page can do nothing else, turn by turn. */
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

/** The longest pause since it was asked last, in ms. */
export async function longestPause(window: Page): Promise<number> {
  return window.evaluate(async () => {
    await new Promise((later) => setTimeout(later, 50))
    const { longest } = pauses
    pauses.longest = 0
    return longest
  })
}

/**
 * How much longer the same work takes at the worst than at the best just now, because of what else the machine does;
 * 1 on a quiet one.
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
