/** Copying, cutting and pasting in the grid, by the keys' own events or from a menu. */
import { copyBlock, putOn } from '../ui/clipboard.ts'
import type { GridState } from './grid-state.svelte.ts'

export class GridClipboard {
  readonly #grid: () => GridState

  constructor(grid: () => GridState) {
    this.#grid = grid
  }

  /** @returns whether the chosen cells are on the clipboard now; what is typed into a box is the box's own */
  copy(event: ClipboardEvent): boolean {
    if (isTyping(event.target)) return false
    const copied = this.#grid().parts?.bulk.copied(false) ?? null
    if (copied === null) return false
    putOn(event, copied)
    return true
  }

  /** What can't be emptied is copied and left, and said, as for Delete. */
  cut(event: ClipboardEvent): void {
    if (this.copy(event)) this.#clear()
  }

  paste(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData('text/plain')
    if (isTyping(event.target) || !text) return
    event.preventDefault()
    this.#grid().parts?.bulk.paste(text)
  }

  copyChosen(withHeadings: boolean): void {
    void this.#copied(withHeadings)
  }

  async cutChosen(): Promise<void> {
    if (await this.#copied(false)) this.#clear()
  }

  /** Without an event, as from a menu; the focus goes back to where it was. */
  async #copied(withHeadings: boolean): Promise<boolean> {
    const copied = this.#grid().parts?.bulk.copied(withHeadings) ?? null
    if (copied === null) return false
    await copyBlock(copied)
    this.#grid().refocus()
    return true
  }

  #clear(): void {
    void this.#grid().parts?.bulk.clear()
  }
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea') !== null
}
