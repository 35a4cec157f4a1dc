/**
 * Saved columns of a list: order, width, visibility, and expanded groups. Also how columns share the available
 * width.
 */
import type { GridApi } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import { CHECKBOX } from './plan.ts'

export interface GridLayout {
  readonly columns: readonly { readonly id: string; readonly width: number; readonly hide: boolean }[]
  readonly unfolded: readonly string[]
}

/** Reads the saved columns of a list from the settings. Malformed values are ignored. */
export function readLayout(states: Readonly<Record<string, unknown>>, object: string): GridLayout | null {
  // Any word can be a list's name, including `constructor`.
  const stored = Object.hasOwn(states, object) ? states[object] : null
  if (typeof stored !== 'object' || stored === null) return null
  const { columns, unfolded } = stored as Partial<Record<keyof GridLayout, unknown>>
  if (!Array.isArray(columns)) return null
  const kept = columns.flatMap((column: unknown) => {
    if (typeof column !== 'object' || column === null) return []
    const { id, width, hide } = column as Record<string, unknown>
    const isOurs = typeof id === 'string' && typeof width === 'number' && width >= 20 && width < 5_000
    return isOurs ? [{ id, width, hide: hide === true }] : []
  })
  return {
    columns: kept,
    unfolded: Array.isArray(unfolded) ? unfolded.filter((id) => typeof id === 'string') : [],
  }
}

/** Limits for all lists together. The least recently changed ones are dropped. */
const MAX_LISTS = 100
const MAX_CHARACTERS = 1_000_000
const LONGEST_NAME = 100

/** Returns the settings with the columns of one more list. */
export function withKept(
  states: Readonly<Record<string, unknown>>,
  object: string,
  kept: unknown,
): Readonly<Record<string, unknown>> {
  const others = Object.entries(states).filter(([name]) => name !== object)
  const all = [...others, [object, kept] as const].filter(([name]) => name.length <= LONGEST_NAME)
  const latest: (readonly [string, unknown])[] = []
  let left = MAX_CHARACTERS
  for (const entry of all.slice(-MAX_LISTS).reverse()) {
    left -= JSON.stringify(entry).length
    if (left < 0) break
    latest.unshift(entry)
  }
  return Object.fromEntries(latest)
}

export function layoutOf(api: GridApi<RecordRow>): GridLayout {
  const columns = api
    .getColumnState()
    .filter(({ colId }) => colId !== CHECKBOX)
    .map(({ colId, width, hide }) => ({ id: colId, width: Math.round(width ?? 100), hide: hide === true }))
  const unfolded = api.getColumnGroupState().flatMap(({ groupId, open }) => (open ? [groupId] : []))
  return { columns, unfolded }
}

export function applyLayout(api: GridApi<RecordRow>, kept: GridLayout): void {
  const state = kept.columns.map(({ id, width, hide }) => ({ colId: id, width, hide }))
  api.applyColumnState({ state, applyOrder: true })
  api.setColumnGroupState(kept.unfolded.map((groupId) => ({ groupId, open: true })))
}

// Column widths.

/** The useful widths of a column, in pixels. */
export interface WidthRange {
  /** The minimum width. */
  readonly least: number
  /** The maximum useful width. */
  readonly most: number
}

/** The most of a cut column that may be hidden instead, in pixels. */
const HIDEABLE = 90

/**
 * Ends the columns at the edge of the view if one would be cut off there. Those that may be cut give up width. If that
 * isn't enough, they take the rest of the view, provided that little of the cut column is lost.
 * @param columns widths from left to right, and the minimum of those that may be cut
 * @param room the width of the view
 */
export function widthsToEdge(
  columns: readonly { readonly width: number; readonly least?: number }[],
  room: number,
): readonly number[] {
  let end = 0
  const cut = columns.findIndex(({ width }) => (end += width) > room)
  const width = columns[cut]?.width ?? 0
  const start = end - width
  const widths = columns.map((column) => column.width)
  if (cut < 0 || start >= room) return widths
  const gives = columns.map(({ width: own, least }, at) =>
    at <= cut && least !== undefined ? own - least : 0,
  )
  let missing = end - room
  if (gives.reduce((sum, own) => sum + own, 0) >= missing) {
    for (let at = cut; at >= 0; at -= 1) {
      const taken = Math.min(missing, gives[at] ?? 0)
      widths[at] = (widths[at] ?? 0) - taken
      missing -= taken
    }
    return widths
  }
  const last = columns.findLastIndex(({ least }, at) => at < cut && least !== undefined)
  if (last >= 0 && room - start <= HIDEABLE) widths[last] = (widths[last] ?? 0) + room - start
  return widths
}

/** The useful widths of a column with changes, in pixels. */
export interface ChangeWidths {
  /** Shows the new value in full. */
  readonly whole: number
  /** Shows the old value beside the new one. */
  readonly beside: number
  /** Shows the old value in full above the new one. */
  readonly stacked: number
  /** Shows the new value in full on two lines, below the old one. */
  readonly wrapped: number
}

/** The layout of a review, in pixels. */
export interface ReviewWidths {
  readonly changes: ReadonlyMap<string, number>
  /** The columns beside the changes, in the order given. */
  readonly others: ReadonlyMap<string, number>
  /** Whether old values are shown above new ones. */
  readonly hasTwoLines: boolean
  /** Whether new values take a second line, too, so that all columns are in sight. */
  readonly wraps: boolean
}

/**
 * Lays out a review. If old and new values don't fit beside each other, they take two lines, and the columns beside
 * the changes shrink, one after another. If the new values still don't fit, the columns scroll sideways, so that no
 * new value is cut.
 * @param others the columns beside the changes, with their current widths as maximum
 * @param room the width of all columns together
 * @param full if no old value may be cut, either: how many lines the old and new value may have. With 2, new values
 *   wrap before the columns scroll sideways
 */
export function reviewWidths(
  changes: ReadonlyMap<string, ChangeWidths>,
  others: ReadonlyMap<string, WidthRange>,
  room: number,
  full: 1 | 2 | null = null,
): ReviewWidths {
  const sum = (widths: Iterable<number>): number => [...widths].reduce((all, width) => all + width, 0)
  const beside = sum([...changes.values()].map((widths) => widths.beside))
  const left = room - sum([...others.values()].map(({ most }) => most))
  const hasTwoLines = full !== 1 && beside > left
  const stacked = sum([...changes.values()].map((widths) => widths.stacked))
  const wraps = full === 2 && stacked > room - sum([...others.values()].map((range) => range.least))
  // New values wrap only if they have to. Then the old ones have two lines.
  const cutsNone =
    sum([...changes.values()].map(({ whole }) => whole)) <=
    room - sum([...others.values()].map((range) => range.least))
  const leastOf = ({ whole, beside, stacked, wrapped }: ChangeWidths): number =>
    wraps ? (cutsNone ? whole : wrapped) : full === null ? whole : hasTwoLines ? stacked : beside
  const least = sum([...changes.values()].map(leastOf))
  const given = new Map<string, number>()
  // Where new values wrap, they have all that others can give.
  let missing = wraps ? Infinity : Math.max(0, least - left)
  for (const [id, { least, most }] of others) {
    const gives = Math.min(missing, Math.max(0, most - least))
    given.set(id, most - gives)
    missing -= gives
  }
  const ranges = [...changes].map(([path, widths]): [string, WidthRange] => [
    path,
    { least: leastOf(widths), most: hasTwoLines ? widths.stacked : widths.beside },
  ])
  const available = room - sum(given.values())
  const widths = wraps ? sharedWithin(ranges, available) : widthsWithin(new Map(ranges), available)
  return { changes: widths, others: given, hasTwoLines, wraps }
}

/** Distributes the width so that each column has the same share of what it can use, and at least its minimum. */
function sharedWithin(
  ranges: readonly (readonly [string, WidthRange])[],
  room: number,
): ReadonlyMap<string, number> {
  const extra = ranges.reduce((sum, [, { least, most }]) => sum + most - least, 0)
  const rest = Math.max(
    0,
    ranges.reduce((left, [, { least }]) => left - least, room),
  )
  const share = extra === 0 ? 0 : Math.min(1, rest / extra)
  const widths = ranges.map(({ 1: { least, most } }) => Math.floor(least + (most - least) * share))
  // The last one takes what rounding leaves, so that it ends at the edge.
  const left = share > 0 && share < 1 ? room - widths.reduce((sum, width) => sum + width, 0) : 0
  return new Map(
    ranges.map(([path], at) => [path, (widths[at] ?? 0) + (at === ranges.length - 1 ? left : 0)]),
  )
}

/**
 * Distributes the width among columns. Each gets its maximum if possible. Otherwise, those with the largest
 * range shrink first, none below its minimum.
 */
function widthsWithin(ranges: ReadonlyMap<string, WidthRange>, room: number): ReadonlyMap<string, number> {
  const extra = ({ least, most }: WidthRange): number => most - least
  const easiestFirst = [...ranges].sort(([, left], [, right]) => extra(left) - extra(right))
  const widths = new Map<string, number>()
  let rest = easiestFirst.reduce((left, [, { least }]) => left - least, room)
  for (const [path, range] of easiestFirst) {
    const given = Math.max(0, Math.min(extra(range), rest))
    widths.set(path, range.least + given)
    rest -= given
  }
  return widths
}
