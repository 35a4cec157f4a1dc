/** How large text is here: one `rem` in px, which the system's settings may change. */
export function remInPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16
}
