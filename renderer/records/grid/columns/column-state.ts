/** How a person keeps the columns of a list: order, width, choice, and what is unfolded. */
import type { GridApi } from '../../../ui/grid/grid.ts'
import type { RecordRow } from '../../list/rows.ts'
import { TICK, withOwnIds } from './plan.ts'

export interface KeptColumns {
  readonly columns: readonly { readonly id: string; readonly width: number; readonly hide: boolean }[]
  readonly unfolded: readonly string[]
}

/** Reads what settings hold of a list; anything else than what we wrote is nothing. */
export function readKept(states: Readonly<Record<string, unknown>>, object: string): KeptColumns | null {
  // Any word can be typed as a list's name, `constructor` too.
  const stored = Object.hasOwn(states, object) ? states[object] : null
  if (typeof stored !== 'object' || stored === null) return null
  const { columns, unfolded } = stored as Partial<Record<keyof KeptColumns, unknown>>
  if (!Array.isArray(columns)) return null
  const kept = columns.flatMap((column: unknown) => {
    if (typeof column !== 'object' || column === null) return []
    const { id, width, hide } = column as Record<string, unknown>
    const isOurs = typeof id === 'string' && typeof width === 'number' && width >= 20 && width < 5_000
    return isOurs ? [{ id, width, hide: hide === true }] : []
  })
  return {
    columns: withOwnIds(kept),
    unfolded: Array.isArray(unfolded) ? unfolded.filter((id) => typeof id === 'string') : [],
  }
}

/** Lists whose columns are kept, and characters of all of them: those that were changed last stay. */
const MOST_LISTS = 100
const MOST_CHARACTERS = 1_000_000
const LONGEST_NAME = 100

/** What settings hold with the columns of one more list. */
export function withKept(
  states: Readonly<Record<string, unknown>>,
  object: string,
  kept: unknown,
): Readonly<Record<string, unknown>> {
  const others = Object.entries(states).filter(([name]) => name !== object)
  const all = [...others, [object, kept] as const].filter(([name]) => name.length <= LONGEST_NAME)
  const latest: (readonly [string, unknown])[] = []
  let left = MOST_CHARACTERS
  for (const entry of all.slice(-MOST_LISTS).reverse()) {
    left -= JSON.stringify(entry).length
    if (left < 0) break
    latest.unshift(entry)
  }
  return Object.fromEntries(latest)
}

export function keptFrom(api: GridApi<RecordRow>): KeptColumns {
  const columns = api
    .getColumnState()
    .filter(({ colId }) => colId !== TICK)
    .map(({ colId, width, hide }) => ({ id: colId, width: Math.round(width ?? 100), hide: hide === true }))
  const unfolded = api.getColumnGroupState().flatMap(({ groupId, open }) => (open ? [groupId] : []))
  return { columns, unfolded }
}

export function applyKept(api: GridApi<RecordRow>, kept: KeptColumns): void {
  const state = kept.columns.map(({ id, width, hide }) => ({ colId: id, width, hide }))
  api.applyColumnState({ state, applyOrder: true })
  api.setColumnGroupState(kept.unfolded.map((groupId) => ({ groupId, open: true })))
}

// How columns share the room that there is.

/** What a column makes of room, in pixels. */
export interface WidthRange {
  /** It is never narrower. */
  readonly least: number
  /** More is of no use. */
  readonly most: number
}

/** A column of changes, in pixels. */
export interface ChangeWidths {
  /** Not even with what it becomes cut is it narrower. */
  readonly floor: number
  /** What it becomes is read whole. */
  readonly whole: number
  /** What was there stands beside it. */
  readonly beside: number
  /** What was there is read whole over it. */
  readonly stacked: number
}

/** How a review lies in the room that there is, in pixels. */
export interface ReviewWidths {
  readonly changes: ReadonlyMap<string, number>
  /** What stands beside the changes, in the order in which it was given. */
  readonly others: ReadonlyMap<string, number>
  /** Whether what was there stands over what comes. */
  readonly hasTwoLines: boolean
}

/**
 * Lays a review out. Where was and is have no room beside each other they take two lines; where what comes can't be read
 * whole even then, the columns beside the changes give way, one after the other; and only then it is cut.
 * @param others the columns beside the changes: as wide as they stand at most
 * @param room of all columns together
 */
export function reviewWidths(
  changes: ReadonlyMap<string, ChangeWidths>,
  others: ReadonlyMap<string, WidthRange>,
  room: number,
): ReviewWidths {
  const sum = (widths: Iterable<number>): number => [...widths].reduce((all, width) => all + width, 0)
  const whole = sum([...changes.values()].map((widths) => widths.whole))
  const left = room - sum([...others.values()].map(({ most }) => most))
  const given = new Map<string, number>()
  let missing = Math.max(0, whole - left)
  for (const [id, { least, most }] of others) {
    const gives = Math.min(missing, Math.max(0, most - least))
    given.set(id, most - gives)
    missing -= gives
  }
  const isReadWhole = missing === 0
  const hasTwoLines = sum([...changes.values()].map((widths) => widths.beside)) > left
  const ranges = [...changes].map(([path, { floor, whole, beside, stacked }]): [string, WidthRange] => [
    path,
    isReadWhole ? { least: whole, most: hasTwoLines ? stacked : beside } : { least: floor, most: whole },
  ])
  const widths = widthsWithin(new Map(ranges), room - sum(given.values()))
  return { changes: widths, others: given, hasTwoLines }
}

/**
 * What each column gets of the room: as much as is of use where there is enough for all, else those that want the most
 * beyond their least give way first, none below its least. In pixels.
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
