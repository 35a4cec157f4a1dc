/** How a person keeps the columns of a list: order, width, choice, and what is unfolded. */
import type { GridApi } from '../ui/grid/grid.ts'
import { TICK, withOwnIds } from './own-columns.ts'
import type { RecordRow } from './rows.ts'

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
