/** Replaces Ctrl+V and Ctrl+C without using the machine's clipboard. */
import type { Page } from '@playwright/test'

/** Pastes a text as Ctrl+V would. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate((block) => {
    const data = new DataTransfer()
    data.setData('text/plain', block)
    const target = document.activeElement ?? document.body
    target.dispatchEvent(
      new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
    )
  }, text)
}

/** Returns what Ctrl+C would put on the clipboard, as text and as markup; empty if nothing. */
export async function copied(page: Page): Promise<{ readonly text: string; readonly html: string }> {
  return page.evaluate(() => {
    const data = new DataTransfer()
    const target = document.activeElement ?? document.body
    target.dispatchEvent(new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true }))
    return { text: data.getData('text/plain'), html: data.getData('text/html') }
  })
}
