/**
 * The order of the rows under the columns that a list is sorted by. The grid's own sort asks both cells for their
 * values at each of 1.7 million comparisons; here each row is asked once, the ranks are worked out in short turns
 * and kept, and rows are put in place by counting. Until ranks are there, rows stand as they stood.
 */
import { parseDecimal } from '../../../shared/format/money.ts'
import type { RecordRow } from './rows.ts'
import { type Interruptible, runInSlices } from './time-slice.ts'

/** Rows between two looks at the clock. */
const STRIDE = 256

/** Works out the rows of one column in order. */
export type Sorter = (rows: Iterable<RecordRow>) => Interruptible<Ranked>

/** @param keyOf asked once of each row */
export function sorter<Key>(
  keyOf: (row: RecordRow) => Key,
  compare: (left: Key, right: Key) => number,
): Sorter {
  return (rows) => ranksOf(rows, keyOf, compare)
}

export interface SortedBy {
  readonly path: string
  readonly descending: boolean
}

interface Ranked {
  /** By row: equal values have the same rank. */
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

interface Ranks extends Ranked {
  readonly version: number
}

interface Ports {
  readonly rows: () => Iterable<RecordRow>
  readonly sorterOf: (path: string) => Sorter | undefined
  /** Whether more rows are still coming: then nothing is worked out yet. */
  readonly isFilling: () => boolean
  /** An order that was asked for is there: ask again. */
  readonly onready: () => void
  /** An order is being worked out, or is there. */
  readonly onsorting: (isSorting: boolean) => void
}

/** What the grid puts in order. */
export interface Placed {
  readonly data?: RecordRow | undefined
}

export class RowOrder {
  readonly #ports: Ports
  readonly #ranks = new Map<string, Ranks>()
  #version = 0
  #applied: readonly SortedBy[] = []
  #stop: () => void = () => undefined

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Rows came, went, or have other values: what was worked out serves until it is asked for again. */
  forget(): void {
    this.#version += 1
  }

  stop(): void {
    this.#stop()
  }

  /** Puts these in the order asked for, as far as it is known. */
  arrange(nodes: Placed[], sortedBy: readonly SortedBy[]): void {
    this.#stop()
    const wanted = sortedBy.filter(({ path }) => this.#ports.sorterOf(path) !== undefined)
    this.#workOut(wanted)
    if (wanted.every(({ path }) => this.#ranks.has(path))) this.#applied = wanted
    // From the last column to the first: each keeps the order of those after it where its own values are equal.
    for (const { path, descending } of this.#applied.toReversed()) {
      const ranks = this.#ranks.get(path)
      if (ranks) place(nodes, ranks, descending)
    }
  }

  #workOut(wanted: readonly SortedBy[]): void {
    const stale = wanted.filter(({ path }) => this.#ranks.get(path)?.version !== this.#version)
    if (stale.length === 0 || this.#ports.isFilling()) return this.#ports.onsorting(false)
    let atOnce = true
    this.#ports.onsorting(true)
    const paths = stale.map(({ path }) => path)
    this.#stop = runInSlices(this.#rank(paths, this.#version), (hasChanged) => {
      this.#ports.onsorting(false)
      if (!atOnce && hasChanged) this.#ports.onready()
    })
    atOnce = false
  }

  /** @returns whether the order of some rows has changed */
  *#rank(paths: readonly string[], version: number): Interruptible<boolean> {
    let hasChanged = false
    for (const path of paths) {
      const sorter = this.#ports.sorterOf(path)
      if (!sorter) continue
      const ranks = { version, ...(yield* sorter(this.#ports.rows())) }
      hasChanged ||= !(yield* haveSameRanks(this.#ranks.get(path), ranks))
      this.#ranks.set(path, ranks)
    }
    return hasChanged
  }
}

function* haveSameRanks(before: Ranked | undefined, after: Ranked): Interruptible<boolean> {
  if (before?.of.size !== after.of.size) return false
  let compared = 0
  for (const [rowId, rank] of after.of) {
    if (before.of.get(rowId) !== rank) return false
    compared += 1
    if (compared % STRIDE === 0) yield
  }
  return true
}

function* ranksOf<Key>(
  rows: Iterable<RecordRow>,
  keyOf: (row: RecordRow) => Key,
  compareKeys: (left: Key, right: Key) => number,
): Interruptible<Ranked> {
  const keyed: Keyed<Key>[] = []
  for (const row of rows) {
    keyed.push({ rowId: row.rowId, key: keyOf(row) })
    if (keyed.length % STRIDE === 0) yield
  }
  const compare = (left: Keyed<Key>, right: Keyed<Key>): number => compareKeys(left.key, right.key)
  const of = new Map<string, number>()
  let rank = -1
  let before: Keyed<Key> | undefined
  for (const each of yield* sorted(keyed, compare)) {
    if (!before || compare(before, each) !== 0) rank += 1
    of.set(each.rowId, rank)
    before = each
    if (of.size % STRIDE === 0) yield
  }
  return { of, count: rank + 1 }
}

interface Keyed<Key> {
  readonly rowId: string
  readonly key: Key
}

/** Sorts as `toSorted` does, but can be interrupted: short runs first, which are then merged by twos. */
export function* sorted<Item>(
  items: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Interruptible<readonly Item[]> {
  let runs: (readonly Item[])[] = []
  for (let from = 0; from < items.length; from += STRIDE) {
    runs.push(items.slice(from, from + STRIDE).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: (readonly Item[])[] = []
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(yield* mergedRuns(runs[at] ?? [], runs[at + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

function* mergedRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Interruptible<readonly Item[]> {
  const [last] = left.slice(-1)
  const [first] = right
  // What stands in order already, as after the last sort, needs no comparing.
  if (last === undefined || first === undefined || compare(last, first) <= 0) return [...left, ...right]
  const made: Item[] = []
  const rest = right.values()
  let next = rest.next()
  for (const item of left) {
    while (!next.done && compare(next.value, item) < 0) {
      made.push(next.value)
      if (made.length % STRIDE === 0) yield
      next = rest.next()
    }
    made.push(item)
    if (made.length % STRIDE === 0) yield
  }
  for (; !next.done; next = rest.next()) made.push(next.value)
  return made
}

/** By counting; rows without a rank yet go last, whichever way. */
function place(nodes: Placed[], ranks: Ranks, descending: boolean): void {
  const places = new Uint32Array(ranks.count + 2)
  const rankOf = ({ data }: Placed): number => {
    const rank = data ? ranks.of.get(data.rowId) : undefined
    if (rank === undefined) return ranks.count
    return descending ? ranks.count - 1 - rank : rank
  }
  const own = nodes.map(rankOf)
  for (const rank of own) places[rank + 1] = (places[rank + 1] ?? 0) + 1
  for (let rank = 0; rank <= ranks.count; rank += 1) {
    places[rank + 1] = (places[rank + 1] ?? 0) + (places[rank] ?? 0)
  }
  const before = [...nodes]
  own.forEach((rank, index) => {
    const node = before[index]
    const at = places[rank] ?? 0
    places[rank] = at + 1
    if (node !== undefined) nodes[at] = node
  })
}

// The order of rows by a column: text as a person sorts it, amounts by value without a detour over floats.

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** As a person sorts names: case and accents don't part, `Item 9` comes before `Item 10`; what is empty goes last. */
export function compareText(left: string, right: string): number {
  if (left === '' || right === '') return left === right ? 0 : left === '' ? 1 : -1
  return collator.compare(left, right)
}

/** Compares full names by their parts: *Smith*, *Smith:Kitchen*, *Smith Jr.* */
export function compareNames(left: readonly string[], right: readonly string[]): number {
  for (let at = 0; at < Math.min(left.length, right.length); at += 1) {
    const order = compareText(left[at] ?? '', right[at] ?? '')
    if (order !== 0) return order
  }
  return left.length - right.length
}

/**
 * By value, exactly. Compares the digits themselves, because a big integer for each of the 1.7 million
 * comparisons of a sort of 100,000 rows would take seconds. What is no amount (`null`) goes last.
 */
export function compareDigits(left: Digits | null, right: Digits | null): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null)
  if (left.negative !== right.negative) return left.negative ? -1 : 1
  const larger =
    left.whole.length - right.whole.length ||
    byCodeUnit(left.whole, right.whole) ||
    byCodeUnit(left.fraction, right.fraction)
  return left.negative ? -larger : larger
}

/** An amount's digits, taken apart once for all its comparisons; `null` of what is no amount. */
export function digitsOf(text: string): Digits | null {
  return parseDecimal(text) === null ? null : split(text)
}

interface Digits {
  /** Never of a zero. */
  readonly negative: boolean
  readonly whole: string
  readonly fraction: string
}

function split(decimal: string): Digits {
  const isMinus = decimal.startsWith('-')
  const [whole = '', fraction = ''] = (isMinus ? decimal.slice(1) : decimal).split('.')
  const digits = { whole: whole.replace(/^0+/, ''), fraction: fraction.replace(/0+$/, '') }
  return { negative: isMinus && (digits.whole !== '' || digits.fraction !== ''), ...digits }
}

function byCodeUnit(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
