// Returns the memory of a page's script after garbage collection.
import type { Page } from '@playwright/test'

/** In bytes. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  try {
    // Objects that only collected objects referenced need another collection.
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  } finally {
    await session.detach()
  }
}
