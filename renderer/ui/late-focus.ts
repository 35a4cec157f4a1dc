/**
 * Focus that is set late: after an answer, an event from the main process, or a part of the window that was loaded. By
 * then a person may be typing, and what they type must go on into the same field. All focus of this kind goes
 * through `focusLate`; the linter refuses any other.
 */

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
