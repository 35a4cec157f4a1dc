/**
 * Words beside the cell under the mouse, once it rests there. One for a whole grid: the grid's own tooltips cost every
 * cell that comes in sight a dozen listeners, which is a fifth of the work of scrolling.
 */

/** Milliseconds that the mouse rests before the words are shown. */
const REST = 500
/** Pixels between the pointer and the words, and between these and the window's edge. */
const GAP = 14

export class CellHint {
  #timer: ReturnType<typeof setTimeout> | undefined
  #shown: HTMLElement | null = null

  /** The mouse came over a cell. `words` is asked when they are about to be shown; empty words are not. */
  over(at: Pick<MouseEvent, 'clientX' | 'clientY'>, words: () => string): void {
    this.hide()
    this.#timer = setTimeout(() => this.#show(at, words()), REST)
  }

  /** The mouse left the cell, a key was pressed, or the rows moved away under it. */
  hide(): void {
    clearTimeout(this.#timer)
    this.#shown?.remove()
    this.#shown = null
  }

  #show({ clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>, words: string): void {
    if (words === '') return
    const element = document.createElement('div')
    element.className = 'floating cell-hint'
    element.setAttribute('role', 'tooltip')
    element.textContent = words
    document.body.append(element)
    const { offsetWidth, offsetHeight } = element
    const left = Math.min(clientX + GAP, innerWidth - offsetWidth - GAP)
    const isBelow = clientY + GAP + offsetHeight < innerHeight
    element.style.left = `${Math.max(GAP, left)}px`
    element.style.top = `${isBelow ? clientY + GAP : clientY - GAP - offsetHeight}px`
    this.#shown = element
  }
}
