/**
 * What is pinned stands on plain offsets while nothing scrolls sideways. The grid holds it by `position: sticky`, which
 * makes two layers of every row and a third of the time that a frame of scrolling takes. As soon as something goes
 * sideways it is sticky as the grid has it, and rests again where that has ended (`grid.css`).
 */

/** On the grid's viewport while what is pinned rests. */
const AT_REST = 'pinned-at-rest'
/** How far the rows were scrolled sideways when it came to rest. */
const REST_LEFT = '--pinned-rest-left'
/** Milliseconds without a sideways move after which it rests. */
const REST_AFTER = 250
/** The same after a finger or the middle button went down, which may pull the rows sideways at any time. */
const REST_AFTER_HAND = 10_000

export class PinnedRest {
  readonly #viewport: HTMLElement
  readonly #ends = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #restLeft = 0
  /** By the page's clock. */
  #movesUntil = 0

  /**
   * @param host the element that the grid was made in
   * @param viewport the grid's own, which scrolls both ways
   */
  constructor(host: HTMLElement, viewport: HTMLElement) {
    this.#viewport = viewport
    // Before the grid hears of it.
    const first = { signal: this.#ends.signal, passive: true, capture: true }
    host.addEventListener('scroll', ({ target }) => this.#scrolled(target), first)
    viewport.addEventListener('wheel', (event) => this.#wheeled(event), first)
    viewport.addEventListener('pointerdown', (event) => this.#touched(event), first)
    this.#rest()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#ends.abort()
  }

  /** The grid's own scrollbar is ahead of the rows by one drawing. */
  #scrolled(target: EventTarget | null): void {
    const isBar = target instanceof Element && target.matches('.ag-body-horizontal-scroll-viewport')
    const hasMoved = target === this.#viewport && this.#viewport.scrollLeft !== this.#restLeft
    if (isBar || hasMoved) this.#move(REST_AFTER)
  }

  /** At rest the browser does not scroll sideways by itself, so that no row moves before what is pinned holds. */
  #wheeled({ deltaX, deltaY, shiftKey }: WheelEvent): void {
    const sideways = deltaX === 0 && shiftKey ? deltaY : deltaX
    if (sideways === 0 || (!shiftKey && Math.abs(sideways) < Math.abs(deltaY))) return
    const rested = this.#viewport.classList.contains(AT_REST)
    this.#move(REST_AFTER)
    if (rested) this.#viewport.scrollLeft += sideways
  }

  #touched({ pointerType, button }: PointerEvent): void {
    if (pointerType !== 'mouse' || button === 1) this.#move(REST_AFTER_HAND)
  }

  #move(cooldownAfter: number): void {
    const now = performance.now()
    this.#movesUntil = Math.max(this.#movesUntil, now + cooldownAfter)
    this.#viewport.classList.remove(AT_REST)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#rest(), this.#movesUntil - now)
  }

  #rest(): void {
    this.#restLeft = this.#viewport.scrollLeft
    this.#viewport.style.setProperty(REST_LEFT, `${this.#restLeft}px`)
    this.#viewport.classList.add(AT_REST)
  }
}
