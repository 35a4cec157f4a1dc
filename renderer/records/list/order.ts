/**
 * Sorts the rows of a list. The grid's own sort reads two cells in each of 1.7 million comparisons. Here, each
 * row is read once, its rank is computed in time slices and cached, and the rows are placed with a counting
 * sort. Until the ranks are ready, rows keep their order.
 */
import { parseDecimal } from '../../../shared/format/money.ts'
import { compareNaturally } from '../../../shared/format/text.ts'
import type { RecordRow } from './rows.ts'
import { type Interruptible, runInSlices } from './time-slice.ts'

/** Rows per step of work that yields between steps. */
const STRIDE = 256

/** Ranks the rows by one column. */
export type Sorter = (rows: Iterable<RecordRow>) => Interruptible<Ranked>

/**
 * Creates a sorter.
 * @param keyOf called once per row
 */
export function createSorter<Key>(
  keyOf: (row: RecordRow) => Key,
  compare: (left: Key, right: Key) => number,
): Sorter {
  return (rows) => rankRows(rows, keyOf, compare)
}

export interface SortedBy {
  readonly path: string
  readonly descending: boolean
}

interface Ranked {
  /** Ranks by row ID. Equal values have equal ranks. */
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

interface Ranks extends Ranked {
  readonly version: number
}

interface Ports {
  readonly rows: () => Iterable<RecordRow>
  readonly sorterOf: (path: string) => Sorter | undefined
  /** Whether rows are still arriving. Ranks are not computed until they have. */
  readonly isFilling: () => boolean
  /** Called when a requested order is ready, so that the rows can be arranged again. */
  readonly onready: () => void
  /** Called when sorting starts and ends. */
  readonly onsorting: (isSorting: boolean) => void
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

  /** Marks the ranks as outdated, because rows or values changed. They are used until new ones are ready. */
  invalidate(): void {
    this.#version += 1
  }

  stop(): void {
    this.#stop()
  }

  /** Arranges rows by the ranks that are ready. */
  *arrange(rows: readonly RecordRow[], sortedBy: readonly SortedBy[]): Interruptible<readonly RecordRow[]> {
    this.#stop()
    const wanted = this.#sortable(sortedBy)
    this.#rankStale(wanted, true)
    if (wanted.every(({ path }) => this.#ranks.has(path))) this.#applied = wanted
    let arranged = rows
    // Start with the last column: each sort is stable, so equal values keep the order of the columns after it.
    for (const { path, descending } of this.#applied.toReversed()) {
      const ranks = this.#ranks.get(path)
      // While a list fills, its first rows have ranks that say little about the rest.
      const isWorthIt = !this.#ports.isFilling() || (ranks?.of.size ?? 0) * 2 > rows.length
      if (ranks && isWorthIt) arranged = yield* countingSort(arranged, ranks, descending)
    }
    return arranged
  }

  /** Computes the ranks that are missing. The rows are arranged again once they are ready. */
  prepare(sortedBy: readonly SortedBy[]): void {
    this.#stop()
    this.#rankStale(this.#sortable(sortedBy), false)
  }

  #sortable(sortedBy: readonly SortedBy[]): readonly SortedBy[] {
    return sortedBy.filter(({ path }) => this.#ports.sorterOf(path) !== undefined)
  }

  /** @param isArranging whether the rows are being arranged, so that ranks that are ready at once need no more */
  #rankStale(wanted: readonly SortedBy[], isArranging: boolean): void {
    const stale = wanted.filter(({ path }) => this.#ranks.get(path)?.version !== this.#version)
    if (stale.length === 0 || this.#ports.isFilling()) return this.#ports.onsorting(false)
    let isFirstSlice = isArranging
    this.#ports.onsorting(true)
    const paths = stale.map(({ path }) => path)
    this.#stop = runInSlices(
      this.#rank(paths, this.#version),
      (hasChanged) => {
        this.#ports.onsorting(false)
        if (!isFirstSlice && hasChanged) this.#ports.onready()
      },
      () => this.#ports.onsorting(false),
    )
    isFirstSlice = false
  }

  /** @returns whether the order of any rows changed */
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

function* rankRows<Key>(
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
  for (const each of yield* sortInSlices(keyed, compare)) {
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

/** Sorts like `toSorted`, but can be interrupted: sorts short runs, then merges them in pairs. */
function* sortInSlices<Item>(
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
      merged.push(yield* mergeRuns(runs[at] ?? [], runs[at + 1] ?? [], compare))
    }
    runs = merged
  }
  return runs[0] ?? []
}

function* mergeRuns<Item>(
  left: readonly Item[],
  right: readonly Item[],
  compare: (left: Item, right: Item) => number,
): Interruptible<readonly Item[]> {
  const [last] = left.slice(-1)
  const [first] = right
  // Runs that are already in order, as after the last sort, need no merge.
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

/** Counting sort. Rows without a rank go last in either direction. */
function* countingSort(
  rows: readonly RecordRow[],
  ranks: Ranks,
  descending: boolean,
): Interruptible<readonly RecordRow[]> {
  const offsets = new Uint32Array(ranks.count + 2)
  const own = new Uint32Array(rows.length)
  for (const [index, { rowId }] of rows.entries()) {
    const known = ranks.of.get(rowId)
    const rank = known === undefined ? ranks.count : descending ? ranks.count - 1 - known : known
    own[index] = rank
    offsets[rank + 1] = (offsets[rank + 1] ?? 0) + 1
    if (index % STRIDE === 0) yield
  }
  for (let rank = 0; rank <= ranks.count; rank += 1) {
    offsets[rank + 1] = (offsets[rank + 1] ?? 0) + (offsets[rank] ?? 0)
  }
  const arranged = [...rows]
  for (const [index, row] of rows.entries()) {
    const rank = own[index] ?? 0
    const at = offsets[rank] ?? 0
    offsets[rank] = at + 1
    arranged[at] = row
    if (index % STRIDE === 0) yield
  }
  return arranged
}

// Comparisons for columns: text in natural order, amounts by exact value.

/**
 * Compares text in natural order: case and accents don't matter, `Item 9` comes before `Item 10`, and empty
 * text goes last.
 */
export function compareText(left: string, right: string): number {
  if (left === '' || right === '') return left === right ? 0 : left === '' ? 1 : -1
  return compareNaturally(left, right)
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
 * Compares amounts exactly. Works on digits, because creating a BigInt for each of the 1.7 million comparisons
 * in a sort of 100,000 rows would take seconds. Values that aren't amounts (`null`) go last.
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

/** Splits an amount into digits for comparisons; `null` if the text is not an amount. */
export function digitsOf(text: string): Digits | null {
  return parseDecimal(text) === null ? null : split(text)
}

interface Digits {
  /** Never true for zero. */
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
