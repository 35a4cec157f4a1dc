/** Cells that a Svelte component draws. */
import { mount, unmount, type Component } from 'svelte'
import type { ICellRendererComp, ICellRendererParams } from './grid.ts'

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
