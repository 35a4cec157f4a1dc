/**
 * Cells as they are drawn, by the ids of their rows and columns. The grid writes an id into its attribute as if into
 * markup (`R&D` as `R&amp;D`), so that an odd one is not found by itself.
 */
import { type Component, mount, unmount } from 'svelte'
import { type ICellRendererComp, type ICellRendererParams, gridRowId } from './grid.ts'

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** An id as it stands in the grid's attributes. */
export function writtenId(id: string): string {
  return id.replace(/[&<>"']/g, (character) => WRITTEN.get(character) ?? character)
}

/** The id that an attribute of the grid's stands for. */
export function readId(written: string): string {
  return [...WRITTEN].reduceRight((text, [character, entity]) => text.replaceAll(entity, character), written)
}

/** A cell while it is in sight. */
export function cellElement(rowId: string, columnId: string): Element | null {
  const [row, column] = [gridRowId(rowId), columnId].map((id) => CSS.escape(writtenId(id)))
  return document.querySelector(`.ag-row[row-id="${row ?? ''}"] [col-id="${column ?? ''}"]`)
}

/** The id of the column that a cell or heading belongs to. */
export function columnIdOf(element: Element): string {
  return readId(element.getAttribute('col-id') ?? '')
}

// Cells that a Svelte component draws.

/** Looks of one component that are kept to be copied. */
const MOST_LOOKS = 100

/**
 * A cell renderer drawn by a Svelte component. `props` is asked at every refresh; `null` leaves the cell empty.
 * For signs and buttons; plain text is faster by `valueFormatter`. Where the props hold nothing to call, what was drawn
 * once is copied into every other cell that says the same: a component costs a millisecond in each of them.
 */
export function cellOf<Row, Props extends Record<string, unknown>>(
  component: Component<Props>,
  props: (params: ICellRendererParams<Row>) => Props | null,
): new () => ICellRendererComp<Row> {
  const looks = new Map<string, HTMLElement>()
  const lookOf = (given: Props, said: string): Node => {
    const known = looks.get(said)
    if (known) return known.cloneNode(true)
    if (looks.size >= MOST_LOOKS) looks.clear()
    const host = document.createElement('span')
    const mounted = mount(component, { target: host, props: given })
    const look = host.cloneNode(true) as HTMLElement
    void unmount(mounted)
    looks.set(said, look)
    return look.cloneNode(true)
  }

  return class implements ICellRendererComp<Row> {
    readonly #host = document.createElement('span')
    #mounted: Record<string, unknown> | null = null
    /** The props of what was copied here, as text. */
    #said: string | null = null

    init(params: ICellRendererParams<Row>): void {
      this.refresh(params)
    }

    getGui(): HTMLElement {
      return this.#host
    }

    refresh(params: ICellRendererParams<Row>): boolean {
      const given = props(params)
      const isStill = given !== null && !Object.values(given).some((value) => typeof value === 'function')
      const said = isStill ? JSON.stringify(given) : null
      if (said !== null && said === this.#said) return true
      this.destroy()
      this.#said = said
      if (given === null) return true
      if (said === null) this.#mounted = mount(component, { target: this.#host, props: given })
      else this.#host.append(...lookOf(given, said).childNodes)
      return true
    }

    destroy(): void {
      if (this.#mounted) void unmount(this.#mounted)
      this.#mounted = null
      this.#said = null
      this.#host.replaceChildren()
    }
  }
}

/*
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
