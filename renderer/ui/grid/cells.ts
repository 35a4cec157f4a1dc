/**
 * Finds rendered cells by the IDs of their rows and columns. AG Grid escapes the IDs in its attributes as if
 * they were markup (`R&D` as `R&amp;D`), so they have to be escaped here, too.
 */
import { type Component, mount, unmount } from 'svelte'
import { gridRowId, type ICellRendererComp, type ICellRendererParams } from './grid.ts'

const WRITTEN: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ["'", '&#39;'],
])

/** Escapes an ID as in AG Grid's attributes. */
function escapeId(id: string): string {
  return id.replace(/[&<>"']/g, (character) => WRITTEN.get(character) ?? character)
}

/** Unescapes an ID from one of AG Grid's attributes. */
function unescapeId(written: string): string {
  return [...WRITTEN].reduceRight((text, [character, entity]) => text.replaceAll(entity, character), written)
}

/** Returns a cell's element if it is rendered. */
export function cellElement(rowId: string, columnId: string): Element | null {
  const [row, column] = [gridRowId(rowId), columnId].map((id) => CSS.escape(escapeId(id)))
  return document.querySelector(`.ag-row[row-id="${row ?? ''}"] [col-id="${column ?? ''}"]`)
}

/** Returns the column ID of a cell or heading. */
export function columnIdOf(element: Element): string {
  return unescapeId(element.getAttribute('col-id') ?? '')
}

// Cells rendered by Svelte components.

/** Cached renderings per component. */
const MAX_CACHED = 100

/**
 * Creates a cell renderer from a Svelte component. `props` is called at every refresh; `null` leaves the cell
 * empty. Use it for signs and buttons; for plain text, `valueFormatter` is faster. If the props contain no
 * functions, the rendered element is cached and cloned for equal props, because each component instance costs a
 * millisecond.
 */
export function componentCell<Row, Props extends Record<string, unknown>>(
  component: Component<Props>,
  props: (params: ICellRendererParams<Row>) => Props | null,
): new () => ICellRendererComp<Row> {
  const looks = new Map<string, HTMLElement>()
  const lookOf = (given: Props, key: string): Node => {
    const known = looks.get(key)
    if (known) return known.cloneNode(true)
    if (looks.size >= MAX_CACHED) looks.clear()
    const host = document.createElement('span')
    const mounted = mount(component, { target: host, props: given })
    const look = host.cloneNode(true) as HTMLElement
    void unmount(mounted)
    looks.set(key, look)
    return look.cloneNode(true)
  }

  return class implements ICellRendererComp<Row> {
    readonly #host = document.createElement('span')
    #mounted: Record<string, unknown> | null = null
    /** The props of the cloned element, serialized. */
    #key: string | null = null

    init(params: ICellRendererParams<Row>): void {
      this.refresh(params)
    }

    getGui(): HTMLElement {
      return this.#host
    }

    refresh(params: ICellRendererParams<Row>): boolean {
      const given = props(params)
      const isStill = given !== null && !Object.values(given).some((value) => typeof value === 'function')
      const key = isStill ? JSON.stringify(given) : null
      if (key !== null && key === this.#key) return true
      this.destroy()
      this.#key = key
      if (given === null) return true
      if (key === null) this.#mounted = mount(component, { target: this.#host, props: given })
      else this.#host.append(...lookOf(given, key).childNodes)
      return true
    }

    destroy(): void {
      if (this.#mounted) void unmount(this.#mounted)
      this.#mounted = null
      this.#key = null
      this.#host.replaceChildren()
    }
  }
}

/*
 * A tooltip for the cell under the mouse, one for the whole grid. AG Grid's own tooltips add a dozen listeners
 * to every cell, which takes a fifth of the time of scrolling.
 */

/** Delay in ms before the tooltip appears. */
const REST = 500
/** Distance in px from the pointer and from the window's edge. */
const GAP = 14

export class CellTooltip {
  #timer: ReturnType<typeof setTimeout> | undefined
  #shown: HTMLElement | null = null

  /**
   * Handles the mouse entering a cell. `message` is called when the tooltip is about to appear; empty text is not
   * shown.
   */
  over(at: Pick<MouseEvent, 'clientX' | 'clientY'>, message: () => string): void {
    this.hide()
    this.#timer = setTimeout(() => this.#show(at, message()), REST)
  }

  /** Hides the tooltip, because the mouse left the cell, a key was pressed, or the rows moved. */
  hide(): void {
    clearTimeout(this.#timer)
    this.#shown?.remove()
    this.#shown = null
  }

  #show({ clientX, clientY }: Pick<MouseEvent, 'clientX' | 'clientY'>, message: string): void {
    if (message === '') return
    const element = document.createElement('div')
    element.className = 'floating cell-hint'
    element.setAttribute('role', 'tooltip')
    element.textContent = message
    // Inside the grid's landmark.
    const page = document.querySelector('main') ?? document.body
    page.append(element)
    const { offsetWidth, offsetHeight } = element
    const left = Math.min(clientX + GAP, innerWidth - offsetWidth - GAP)
    const isBelow = clientY + GAP + offsetHeight < innerHeight
    element.style.left = `${Math.max(GAP, left)}px`
    element.style.top = `${isBelow ? clientY + GAP : clientY - GAP - offsetHeight}px`
    this.#shown = element
  }
}
