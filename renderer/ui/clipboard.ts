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
