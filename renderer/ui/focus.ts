/**
 * Focus that is set late: after an answer, an event from the main process, or a lazily loaded part. By then a user may
 * be typing, and their text must stay in the same field. All such focus goes through `focusLate`; lint rejects anything
 * else.
 */
import { tick } from 'svelte'

/** Marks the field that a user is typing in, from the first character until they leave it or press a command key. */
const TYPING = 'data-typing'

/** Keys that continue the text. Any other key, such as Enter or Escape, is a command. */
const TEXT_KEYS = new Set([
  ...['Backspace', 'Delete', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'],
  ...['Shift', 'CapsLock', 'Dead', 'Process', 'Unidentified'],
])

/** Tracks where a user types, as long as the window is open. */
export function watchTyping(page: Document): void {
  const stop = ({ target }: Event): void => {
    if (target instanceof Element) target.removeAttribute(TYPING)
  }
  page.addEventListener('focusout', stop, true)
  page.addEventListener(
    'input',
    ({ target }) => {
      if (isTextField(target)) target.setAttribute(TYPING, '')
    },
    true,
  )
  page.addEventListener(
    'keydown',
    (event) => {
      const isText = [...event.key].length === 1 && !event.ctrlKey && !event.metaKey
      if (!isText && !TEXT_KEYS.has(event.key) && !event.isComposing) stop(event)
    },
    true,
  )
}

interface Options extends FocusOptions {
  /** The element with the focus when the action began. If the focus has moved since, it stays there. */
  readonly before?: Element | null
}

/** Focuses an element, unless a user is typing elsewhere. */
export function focusLate(
  target: { readonly focus: (options?: FocusOptions) => void } | null | undefined,
  { before, ...options }: Options = {},
): void {
  const active = document.activeElement
  if (active?.hasAttribute(TYPING)) return
  const hasMoved = before !== undefined && active !== before && active !== document.body
  if (!hasMoved) target?.focus(options)
}

function isTextField(target: EventTarget | null): target is Element {
  return target instanceof Element && target.matches('input:not([type="radio"], [type="checkbox"]), textarea')
}

/**
 * An action for a part of the page: when its focused element is removed, the focus moves to the table or the first
 * control of the nearest remaining ancestor instead of getting lost.
 */
export function retainFocus(part: HTMLElement): () => void {
  /** The focused element and its ancestors, innermost first. */
  let around: readonly HTMLElement[] = []
  const remember = ({ target }: FocusEvent): void => {
    const found: HTMLElement[] = []
    for (let each = target; each instanceof HTMLElement && part.contains(each); each = each.parentElement)
      found.push(each)
    around = found
  }
  /** A click on the background removes the focus intentionally. */
  const forget = ({ target, relatedTarget }: FocusEvent): void => {
    queueMicrotask(() => {
      if (relatedTarget === null && target instanceof Element && target.isConnected) around = []
    })
  }
  const observer = new MutationObserver(() => {
    if (around[0]?.isConnected !== false || document.activeElement !== document.body) return
    const next = around
      .filter((each) => each.isConnected)
      .flatMap((each) => [
        ...each.querySelectorAll<HTMLElement>('[role="treegrid"]'),
        // The frame focuses a page that replaces another one.
        ...(each === part ? [] : each.querySelectorAll<HTMLElement>(TABBABLE)),
      ])
      .find((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('[inert]'))
    focusLate(next)
  })
  part.addEventListener('focusin', remember)
  part.addEventListener('focusout', forget)
  observer.observe(part, { childList: true, subtree: true })
  return () => {
    observer.disconnect()
    part.removeEventListener('focusin', remember)
    part.removeEventListener('focusout', forget)
  }
}

// Moves the focus out of a control that handles Tab itself, such as a grid of cells.

const TABBABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"])'

/** Focuses what Tab would reach after an element and its contents, or before it. Wraps around at the end of the window. */
export function focusBeside(element: Element, where: 'after' | 'before'): void {
  const others = [...document.querySelectorAll<HTMLElement>(TABBABLE)].filter(
    (each) =>
      !element.contains(each) &&
      each.checkVisibility({ visibilityProperty: true }) &&
      !each.closest('[inert]'),
  )
  const isAfter = (each: HTMLElement): boolean =>
    (element.compareDocumentPosition(each) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0
  const next =
    where === 'after'
      ? (others.find(isAfter) ?? others[0])
      : (others.findLast((each) => !isAfter(each)) ?? others.at(-1))
  next?.focus()
}

/**
 * Moves the focus when its control is removed. Call it in an `$effect.pre` that depends on what removes the control.
 * @param next the control that takes the focus, read once it exists
 */
export function passFocusOn(next: () => { readonly focus: () => void } | undefined): void {
  const before = document.activeElement
  void tick().then(() => {
    if (before?.isConnected === false && document.activeElement === document.body) focusLate(next())
  })
}
