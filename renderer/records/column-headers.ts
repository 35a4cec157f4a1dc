/** Headers of the grid: a lock where a column can only be read, with the reason; a button where a group unfolds. */
import { icon, span } from './elements.ts'

/** The filter of a column, as its heading offers it. */
export interface HeadingFilter {
  /** Whether the column's filter is on. */
  readonly isOn: (path: string) => boolean
  /** Opens the filter's box under the heading. */
  readonly onopen: (path: string, heading: Element) => void
}

interface HeaderParams {
  readonly displayName: string
  readonly eGridHeader: HTMLElement
  readonly column: { getColId(): string }
  /** Why the column can't be changed; empty when it can. */
  readonly because?: string
  readonly filter: HeadingFilter
}

/** What stands inside a column's header, where the grid would put its bare name. */
export class ColumnHeading {
  readonly #gui = span('heading')

  init(params: HeaderParams): void {
    this.refresh(params)
  }

  getGui(): HTMLElement {
    return this.#gui
  }

  refresh(params: HeaderParams): boolean {
    const { displayName, eGridHeader, because = '' } = params
    const lock = because === '' ? [] : [icon('lock')]
    this.#gui.replaceChildren(...lock, span('cut', displayName), filterButton(params))
    this.#gui.title = because
    // The button in it is no part of the column's name.
    eGridHeader.setAttribute('aria-label', displayName)
    if (because === '') eGridHeader.removeAttribute('aria-description')
    else eGridHeader.setAttribute('aria-description', `Read only. ${because}`)
    return true
  }
}

/** Seen on hover, and while the filter is on. The heading itself is what the keyboard reaches: Alt+Down there. */
function filterButton({ displayName, eGridHeader, column, filter }: HeaderParams): HTMLButtonElement {
  const path = column.getColId()
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = filter.isOn(path) ? 'filter-button on' : 'filter-button'
  button.title = `Filter ${displayName}`
  button.setAttribute('aria-label', `Filter ${displayName}`)
  button.append(icon('filter'))
  button.addEventListener('click', (event) => {
    // A click on the heading sorts.
    event.stopPropagation()
    filter.onopen(path, eGridHeader)
  })
  return button
}

interface GroupParams {
  readonly columnGroup: { isExpanded(): boolean; getProvidedColumnGroup(): EventTarget | object }
  readonly setExpanded: (expanded: boolean) => void
  readonly title: string
  readonly hidden: number
  readonly unfolds: string
  /** Whether the column that is always shown says the name already. */
  readonly isNamedBelow: boolean
}

/** The heading of a group that unfolds: `› Billing address 10`; over a reference the bare `›` until it is open. */
export class GroupHeading {
  readonly #gui = document.createElement('button')
  #params: GroupParams | null = null

  init(params: GroupParams): void {
    this.#params = params
    this.#gui.type = 'button'
    this.#gui.className = 'group-heading'
    this.#gui.tabIndex = -1
    this.#gui.addEventListener('click', () => params.setExpanded(!params.columnGroup.isExpanded()))
    this.#say()
  }

  getGui(): HTMLElement {
    this.#say()
    return this.#gui
  }

  #say(): void {
    if (!this.#params) return
    const { columnGroup, title, hidden, unfolds, isNamedBelow } = this.#params
    const isOpen = columnGroup.isExpanded()
    const isNamed = !isNamedBelow || isOpen
    this.#gui.replaceChildren(icon('chevron'), ...(isNamed ? [title] : []))
    // Drawn by the style sheet: what can be read of a button has to be part of its name.
    this.#gui.dataset['hidden'] = isNamed && !isOpen ? String(hidden) : ''
    this.#gui.title = `${isOpen ? 'Fold' : 'Unfold'} ${unfolds}`
    this.#gui.setAttribute('aria-expanded', String(isOpen))
    this.#gui.setAttribute('aria-label', `${isOpen ? 'Fold' : 'Unfold'} ${unfolds}`)
  }
}
