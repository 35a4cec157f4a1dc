// What a page's script holds, once what nobody holds any more is gone.
import type { Page } from '@playwright/test'

/** In bytes. */
export async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  try {
    // What was held by what was only just let go of takes another round.
    for (let round = 0; round < 3; round += 1) await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  } finally {
    await session.detach()
  }
}
