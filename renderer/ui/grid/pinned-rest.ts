/**
 * Positions pinned cells with plain offsets while nothing scrolls horizontally. AG Grid uses `position:
 * sticky`, which creates two layers per row and takes a third of each scrolling frame. During horizontal
 * scrolling, they are sticky again until it ends (`grid.css`).
 */
import { clock } from '../../clock.ts'

/** Class of the grid's viewport while pinned cells are at rest. */
const AT_REST = 'pinned-at-rest'
/** Horizontal scroll offset at rest. */
const REST_LEFT = '--pinned-rest-left'
/** Time in ms without horizontal scrolling before the cells rest. */
const REST_AFTER = 250
/** The same after a touch or a press of the middle button, which may scroll horizontally at any time. */
const REST_AFTER_HAND = 10_000

export class PinnedRest {
  readonly #viewport: HTMLElement
  readonly #ends = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #restLeft = 0
  /** In `clock.elapsed()` time. */
  #movesUntil = 0

  /**
   * @param host the element that contains the grid
   * @param viewport the grid's own viewport, which scrolls in both directions
   */
  constructor(host: HTMLElement, viewport: HTMLElement) {
    this.#viewport = viewport
    // Before AG Grid receives the event.
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

  /** AG Grid's scroll bar is one frame ahead of the rows. */
  #scrolled(target: EventTarget | null): void {
    const isBar = target instanceof Element && target.matches('.ag-body-horizontal-scroll-viewport')
    const hasMoved = target === this.#viewport && this.#viewport.scrollLeft !== this.#restLeft
    if (isBar || hasMoved) this.#move(REST_AFTER)
  }

  /**
   * At rest, the browser doesn't scroll horizontally by itself, so that no row moves before the pinned cells
   * are sticky.
   */
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
    const now = clock.elapsed()
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
