/**
 * Several reports laid over each other, row by row: by id, else by path and name. Rows that only one of them has are
 * kept, beside their neighbours there. Pure, and linear in the rows.
 */
import { subjectOf } from './reports/levels.ts'
import type { ReportRow } from './reports/reports.ts'

/** A row of the whole, and where it stands in each report. */
export interface MergedRow {
  /** The row as the first report that has it says it, at its level and parent in the whole. */
  readonly row: Omit<ReportRow, 'values'>
  /** Its index in each report; −1 where it is not there. */
  readonly places: readonly number[]
}

interface Node {
  readonly row: ReportRow
  readonly places: number[]
  children: Node[]
  readonly isClosing: boolean
}

/** One report while it is laid over those before it. */
interface Source {
  readonly rows: readonly ReportRow[]
  readonly children: ReadonlyMap<number, readonly number[]>
  /** How many rows have an id, by kind and id. */
  readonly ids: ReadonlyMap<string, number>
}

/**
 * @param reports the rows of each, as `levelReport` placed them
 * @param matchIds false where ids mean something else in each, as between the books of two companies
 */
export function mergeReports(
  reports: readonly (readonly ReportRow[])[],
  matchIds: boolean,
): readonly MergedRow[] {
  const root: Node = { row: ROOT, places: [], children: [], isClosing: false }
  const seen: Source[] = []
  reports.forEach((rows, at) => {
    const source = readSource(rows, matchIds)
    layOver(root, source, { at, count: reports.length, known: seen })
    seen.push(source)
  })
  return flatten(root)
}

const ROOT: ReportRow = {
  rowType: '',
  name: '',
  id: '',
  values: [],
  kind: 'section',
  level: -1,
  parent: -1,
}

function readSource(rows: readonly ReportRow[], matchIds: boolean): Source {
  const children = new Map<number, number[]>()
  const ids = new Map<string, number>()
  rows.forEach((row, index) => {
    const siblings = children.get(row.parent)
    if (siblings) siblings.push(index)
    else children.set(row.parent, [index])
    if (matchIds && row.id !== '') ids.set(idKey(row), (ids.get(idKey(row)) ?? 0) + 1)
  })
  return { rows, children, ids }
}

function idKey({ kind, id }: ReportRow): string {
  return `${kind}\n${id}`
}

/** The subtotal that closes a section ends it whatever it is called, so that a renamed section keeps one end. */
function nameKey(row: ReportRow, isClosing: boolean): string {
  if (isClosing) return 'closing'
  if (row.kind === 'spacer') return 'spacer'
  const name = row.kind === 'subtotal' || row.kind === 'total' ? subjectOf(row.name) : row.name
  return `${row.kind}\n${name.trim().toLowerCase()}`
}

function isClosingRow(row: ReportRow, rows: readonly ReportRow[]): boolean {
  return row.kind === 'subtotal' && rows[row.parent]?.level === row.level
}

/** Which of the reports is laid over which. */
interface Place {
  readonly at: number
  readonly count: number
  readonly known: readonly Source[]
}

function layOver(root: Node, source: Source, place: Place): void {
  const lone = loneIds(root, source, place)
  // A list of nothing but headings nests as deep as it is long, so nothing here calls itself.
  const open: { readonly node: Node; readonly section: number }[] = [{ node: root, section: -1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const [node, section] of layChildren(next.node, next.section, source, place, lone)) {
      open.push({ node, section })
    }
  }
}

/** Rows whose id stands once in the whole and once in the report: the same account, wherever it stands. */
function loneIds(root: Node, source: Source, { known }: Place): ReadonlyMap<string, Node> {
  const lone = new Map<string, Node>()
  if (known.length === 0) return lone
  const often = new Set<string>()
  const open = [...root.children]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    open.push(...node.children)
    if (node.row.id === '' || node.row.kind !== 'data') continue
    const key = idKey(node.row)
    if (lone.has(key)) often.add(key)
    else if (source.ids.get(key) === 1) lone.set(key, node)
  }
  for (const key of often) lone.delete(key)
  return lone
}

/** Lays the rows of one section over those of another; answers the sections in it that go on. */
function layChildren(
  target: Node,
  section: number,
  source: Source,
  { at, count, known }: Place,
  lone: ReadonlyMap<string, Node>,
): (readonly [Node, number])[] {
  const candidates = new Candidates(target.children)
  const own = new Set(target.children)
  const after = new Map<Node | null, Node[]>()
  const deeper: (readonly [Node, number])[] = []
  let before: Node | null = null
  for (const index of source.children.get(section) ?? []) {
    const row = source.rows[index]
    if (!row) continue
    const isClosing = isClosingRow(row, source.rows)
    const isKnown = source.ids.has(idKey(row)) && known.some(({ ids }) => ids.has(idKey(row)))
    const alike = lone.get(idKey(row))
    const elsewhere = alike?.places[at] === -1 ? alike : undefined
    const match =
      elsewhere ??
      (isKnown
        ? candidates.byId(row, at)
        : candidates.byName(nameKey(row, isClosing), at, (node) => !source.ids.has(idKey(node.row))))
    const node = match ?? { row, places: Array<number>(count).fill(-1), children: [], isClosing }
    node.places[at] = index
    if (!match) {
      const list = after.get(before) ?? []
      list.push(node)
      after.set(before, list)
    } else if (own.has(node)) before = node
    if (row.kind === 'section') deeper.push([node, index])
  }
  target.children = inOrder(target.children, after, (node) => node.places[at] !== -1)
  return deeper
}

/**
 * What stood there, each followed by the new rows that came after it; a section's end stays its end.
 * @param isMet whether the new report has a row: its other new rows come after those that it has not
 */
function inOrder(
  children: readonly Node[],
  after: ReadonlyMap<Node | null, readonly Node[]>,
  isMet: (node: Node) => boolean,
): Node[] {
  if (after.size === 0) return [...children]
  const all: Node[] = []
  let coming = after.get(null) ?? []
  for (const child of children) {
    if (isMet(child)) {
      for (const added of coming) all.push(added)
      coming = after.get(child) ?? []
    }
    all.push(child)
  }
  for (const added of coming) all.push(added)
  const ends = all.filter(({ isClosing }) => isClosing)
  return ends.length === 0 ? all : [...all.filter(({ isClosing }) => !isClosing), ...ends]
}

/** The rows of one section that may be met, by id and by name; of equal ones the first that is free. */
class Candidates {
  readonly #ids = new Map<string, Queue>()
  readonly #names = new Map<string, Queue>()

  constructor(nodes: readonly Node[]) {
    for (const node of nodes) {
      if (node.row.id !== '') add(this.#ids, idKey(node.row), node)
      add(this.#names, nameKey(node.row, node.isClosing), node)
    }
  }

  byId(row: ReportRow, at: number): Node | undefined {
    return this.#ids.get(idKey(row))?.take((node) => node.places[at] === -1)
  }

  /** @param mayMatch whether a row is not met by its id elsewhere */
  byName(key: string, at: number, mayMatch: (node: Node) => boolean): Node | undefined {
    return this.#names
      .get(key)
      ?.take((node) => node.places[at] === -1 && (node.row.id === '' || mayMatch(node)))
  }
}

/** Rows of one name in their order. Those that can't be met any more are passed over once and for all. */
class Queue {
  readonly #nodes: Node[] = []
  #next = 0

  push(node: Node): void {
    this.#nodes.push(node)
  }

  take(isFree: (node: Node) => boolean): Node | undefined {
    while (this.#next < this.#nodes.length) {
      const node = this.#nodes[this.#next]
      this.#next += 1
      if (node && isFree(node)) return node
    }
    return undefined
  }
}

function add(queues: Map<string, Queue>, key: string, node: Node): void {
  const known = queues.get(key)
  if (known) known.push(node)
  else {
    const made = new Queue()
    made.push(node)
    queues.set(key, made)
  }
}

/** The tree as a list again, each row at its level. */
function flatten(root: Node): MergedRow[] {
  const merged: MergedRow[] = []
  const open: { readonly node: Node; readonly level: number; readonly parent: number }[] = []
  const push = (node: Node, level: number, parent: number): void => {
    for (let at = node.children.length - 1; at >= 0; at -= 1) {
      const child = node.children[at]
      if (child) open.push({ node: child, level: child.isClosing ? level - 1 : level, parent })
    }
  }
  push(root, 0, -1)
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level, parent } = next
    const { rowType, name, id, kind } = node.row
    merged.push({ row: { rowType, name, id, kind, level, parent }, places: node.places })
    push(node, level + 1, merged.length - 1)
  }
  return merged
}
