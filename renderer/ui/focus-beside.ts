/** Leads the focus out of what keeps Tab to itself, such as a grid of cells. */

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
