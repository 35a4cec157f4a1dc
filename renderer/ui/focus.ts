/**
 * Focus that is set late: after an answer, an event from the main process, or a part of the window that was loaded. By
 * then a person may be typing, and what they type must go on into the same field. All focus of this kind goes
 * through `focusLate`; the linter refuses any other.
 */
import { tick } from 'svelte'

/** Marks the field that a person is typing in, from the first character until they leave it or press a command key. */
const TYPING = 'data-typing'

/** Keys that go on with the text. Any other key, such as Enter or Escape, asks the window to do something. */
const TEXT_KEYS = new Set([
  ...['Backspace', 'Delete', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'],
  ...['Shift', 'CapsLock', 'Dead', 'Process', 'Unidentified'],
])

/** Notices where a person types, as long as the window lives. */
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
  /** What had the focus when this was asked for: a person who has moved on since keeps their place. */
  readonly before?: Element | null
}

/** Gives something the focus, unless a person is typing somewhere else. */
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

// Leads the focus out of what keeps Tab to itself, such as a grid of cells.

const TABBABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"])'

/**
 * Puts the focus on what Tab would come to after an element and all that is in it, or before it; from the end of the
 * window it goes on at its start.
 */
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

// Handing the focus on when the control that has it goes: nobody has to look for it from the top of the page.

/**
 * Called in an `$effect.pre` of what makes the control go.
 * @param next the control that comes in its place, or whatever takes the focus; asked for once it is there
 */
export function handOnFocus(next: () => { readonly focus: () => void } | undefined): void {
  const before = document.activeElement
  void tick().then(() => {
    if (before?.isConnected === false && document.activeElement === document.body) focusLate(next())
  })
}
