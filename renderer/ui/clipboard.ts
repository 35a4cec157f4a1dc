import type { CopiedBlock } from '../../shared/clipboard-html.ts'

/**
 * Puts text on the clipboard after a click or key. Where the asynchronous clipboard is refused (the shell grants
 * no permissions), the older copy command does it. Never for secrets: those go by the main process.
 * @returns whether it is there now.
 */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** Puts both forms on the clipboard in place of what a copy or cut would put there. */
export function putOn(event: ClipboardEvent, { text, html }: CopiedBlock): void {
  event.preventDefault()
  event.clipboardData?.setData('text/plain', text)
  if (html !== null) event.clipboardData?.setData('text/html', html)
}

/**
 * Puts both forms on the clipboard after a click or key that is no copy of its own. The asynchronous clipboard rewrites
 * markup; a copy event takes it as it is. Where there is none, the text goes alone.
 * @returns whether it is there now.
 */
export async function copyBlock(copied: CopiedBlock): Promise<boolean> {
  if (copied.html === null) return copyText(copied.text)
  let isPut = false
  const put = (event: ClipboardEvent): void => {
    event.stopImmediatePropagation()
    putOn(event, copied)
    isPut = event.clipboardData !== null
  }
  document.addEventListener('copy', put, { capture: true })
  const isDone = copyBySelection(copied.text)
  document.removeEventListener('copy', put, { capture: true })
  return (isDone && isPut) || copyText(copied.text)
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  // Inside an open dialog the focus may not leave it.
  const host = document.querySelector('[role="dialog"], [role="alertdialog"]') ?? document.body
  host.append(area)
  area.select()
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to copy without a permission
  const copied = document.execCommand('copy')
  area.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}
