/** The regions of the window that F6 and Shift+F6 go around: rail, toolbar, table, side panel, status line. */

const REGIONS =
  '.rail, main [role="toolbar"], main [role="grid"], main [role="treegrid"], main aside, main form, .status-line'
const FOCUSABLE = ':is(a[href], button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"])'

function isVisible(element: HTMLElement): boolean {
  return element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
}

/** The cell or row of a table that had the focus last, or that Tab reaches. */
const CURRENT = '.ag-cell-focus, tbody [role="row"][tabindex="0"], tbody tr[tabindex="0"]'
/** The first cell of a grid in which no cell had the focus yet. Its headings come before it. */
const FIRST_CELL = '.ag-row[row-index="0"] [role="gridcell"]:not(.cell-margin)'

/** Where the focus lands: the region itself, the current row of a table, or the first control that Tab reaches. */
function entryOf(region: HTMLElement): HTMLElement | undefined {
  if (region.matches(FOCUSABLE)) return region
  const current = region.querySelector<HTMLElement>(CURRENT) ?? region.querySelector<HTMLElement>(FIRST_CELL)
  if (current !== null && isVisible(current)) return current
  return [...region.querySelectorAll<HTMLElement>(FOCUSABLE)].find(isVisible)
}

/**
 * Focuses the next region of the page, or the previous one.
 * @returns whether there was one
 */
export function focusRegion(page: Document, where: 'next' | 'previous'): boolean {
  const found = [...page.querySelectorAll<HTMLElement>(REGIONS)].filter(isVisible)
  // A toolbar in a side panel, or a table in a form, belongs to the region around it.
  const regions = found.filter((region) => !found.some((other) => other !== region && other.contains(region)))
  const entries = regions.flatMap((region) => {
    const entry = entryOf(region)
    return entry ? [{ region, entry }] : []
  })
  if (entries.length === 0) return false
  const active = page.activeElement
  const here = entries.findIndex(({ region }) => active !== null && region.contains(active))
  const step = where === 'next' ? 1 : -1
  // With the focus on the page as a whole, its first region comes next.
  const isAround = ({ region }: { region: HTMLElement }): boolean =>
    active !== null && active !== page.body && active.contains(region)
  const first = Math.max(0, entries.findIndex(isAround))
  const from = here >= 0 ? here : where === 'next' ? first - 1 : first
  entries[(from + step + entries.length) % entries.length]?.entry.focus()
  return true
}
