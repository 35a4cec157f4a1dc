/**
 * Splits the entries of detail reports into columns: date, type, number, name, memo, split. Values are decimals
 * (specification 2.7), so an application puts everything else about an entry into the row's name, separated by commas.
 * Pure.
 *
 * *Assumption*: an entry's name contains its date as `yyyy-mm-dd`, the name of a person before it or after type and
 * number, and its other account last. Parts that can't be identified are in *Memo*, so that nothing is lost. A report
 * with another format keeps its rows unchanged.
 */
import { listsEntries } from './columns.ts'
import type { ReportHead, ReportRow } from './reports.ts'

/** In the order in which they are shown. */
const PARTS = ['date', 'type', 'number', 'name', 'terms', 'due', 'late', 'memo', 'entered', 'split'] as const
export type EntryPart = (typeof PARTS)[number]

const HEADINGS: Readonly<Record<EntryPart, string>> = {
  date: 'Date',
  type: 'Type',
  number: 'No.',
  name: 'Name',
  terms: 'Terms',
  due: 'Due',
  late: 'Days late',
  memo: 'Memo',
  entered: 'Entered',
  split: 'Split',
}

export interface EntryColumn {
  readonly part: EntryPart
  readonly heading: string
  /** In characters, of the entries so far. */
  readonly longest: number
}

export interface EntryColumns {
  /** The columns that aren't empty for all entries, the date first. */
  readonly columns: readonly EntryColumn[]
  /** One text per column; `null` for a row that isn’t an entry, such as an account or its opening balance. */
  readonly textsOf: (row: EntryRow) => readonly string[] | null
}

type EntryRow = Pick<ReportRow, 'kind' | 'name' | 'id'>

const DATE = /^\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?$/
/** *Invoice*, *Bill Payment (Check)*, *Sales Receipt*. */
const TYPE = /^\p{L}[\p{L} /()&-]{1,29}$/u
const NUMBER = /^(?=.*\d)[\p{L}\d#/._-]{1,21}$/u
const TERMS = /^(?:net \d+|due on receipt|\d+%? .*net \d+|consignment)$/i
const SPLIT = '-SPLIT-'
/** Suffixes of names after a comma. */
const SUFFIX =
  /^(?:inc|llc|llp|ltd|lp|pc|pllc|co|corp|jr|sr|ii|iii|m\.?d|d\.?d\.?s|cpas?|esq|and \p{L}+)\.?$/iu
/** *Dunning*, before *Alonzo* or *Nathaniel:Window replacement*. */
const LAST_NAME = /^\p{Lu}[\p{L}'’-]+$/u
const FIRST_NAME = /^\p{Lu}[\p{L}.'’-]*(?: (?:\p{Lu}[\p{L}.'’-]*|[&+])){0,3}(?::.*)?$/u

/** Collects the columns' content while rows arrive. */
export class EntryCollector {
  readonly #isOfEntries: boolean
  readonly #accounts = new Set<string>([SPLIT])
  readonly #entries: EntryRow[] = []
  #others = 0

  constructor({ name }: Pick<ReportHead, 'name'>) {
    this.#isOfEntries = listsEntries(name)
  }

  add(rows: readonly EntryRow[]): void {
    if (!this.#isOfEntries) return
    for (const row of rows) {
      if (row.kind === 'section') this.#accounts.add(row.name.trim())
      else if (row.kind === 'data') {
        if (isEntry(row)) this.#entries.push(row)
        // An account's opening balance is a row of its own, not an entry.
        else this.#others += 1
      }
    }
  }

  /** Returns `null` if the entries have another format, or there are none. */
  columns(): EntryColumns | null {
    const entries = this.#entries
    if (entries.length === 0 || entries.length < this.#others - this.#accounts.size) return null
    const every = Math.ceil(entries.length / MAX_SAMPLED)
    const known = { accounts: this.#accounts, shared: sharedWords(entries, this.#accounts, every) }
    const longest = new Map<EntryPart, number>()
    for (let at = 0; at < entries.length; at += every) {
      for (const [part, text] of Object.entries(readEntry(entries[at] ?? NO_ENTRY, known)) as [
        EntryPart,
        string,
      ][])
        longest.set(part, Math.max(longest.get(part) ?? 0, text.length))
    }
    const parts = PARTS.filter((part) => longest.has(part) || (part === 'memo' && every > 1))
    return {
      columns: parts.map((part) => ({ part, heading: HEADINGS[part], longest: longest.get(part) ?? 0 })),
      textsOf(row) {
        if (row.kind !== 'data' || !isEntry(row)) return null
        const read = readEntry(row, known)
        const unseen = PARTS.filter((part) => part !== 'memo' && !parts.includes(part) && read[part])
        if (unseen.length > 0)
          read.memo = [...unseen.map((part) => read[part]), read.memo].filter(Boolean).join(', ')
        return parts.map((part) => read[part] ?? '')
      },
    }
  }
}

const NO_ENTRY: EntryRow = { kind: 'data', name: '', id: '' }
/** With more entries than this, columns are chosen from a sample. Other parts of an entry go into its memo. */
const MAX_SAMPLED = 4_000

function isEntry({ name }: EntryRow): boolean {
  return /\d{4}-\d{2}-\d{2}/.test(name) && name.split(', ').some((word) => DATE.test(word.trim()))
}

/** Facts about the whole report. */
interface Known {
  readonly accounts: ReadonlySet<string>
  /** By record ID, how many words its entries share after type and number, if they differ at all. */
  readonly shared: ReadonlyMap<string, number>
}

/** The parts that are recognized individually, and the rest: name, memo, terms, and so on. */
function splitWords(
  name: string,
  accounts: ReadonlySet<string>,
): Partial<Record<EntryPart, string>> & { readonly rest: string[] } {
  const words = name.split(', ').map((word) => word.trim())
  const at = words.findIndex((word) => DATE.test(word))
  const before = words.slice(0, at).join(', ')
  const rest = words.slice(at + 1)
  const read: Partial<Record<EntryPart, string>> = { date: words[at] ?? '' }
  if (before !== '') read.name = before
  const [type, number] = rest
  if (type !== undefined && TYPE.test(type)) {
    read.type = type
    rest.shift()
    if (number !== undefined && NUMBER.test(number)) {
      read.number = number
      rest.shift()
    }
  }
  const split = takeSplit(rest, accounts)
  if (split !== '') read.split = split
  return { ...read, rest }
}

/** A record’s name is the common part of its entries, if some of them differ. */
function sharedWords(
  entries: readonly EntryRow[],
  accounts: ReadonlySet<string>,
  every: number,
): ReadonlyMap<string, number> {
  const first = new Map<string, readonly string[]>()
  const shared = new Map<string, number>()
  for (let at = 0; at < entries.length; at += every) {
    const { id, name } = entries[at] ?? NO_ENTRY
    if (id === '') continue
    const { rest } = splitWords(name, accounts)
    const other = first.get(id)
    if (other === undefined) {
      first.set(id, rest)
      continue
    }
    const differs = rest.findIndex((word, place) => word !== other[place])
    const alike = differs < 0 ? Math.min(rest.length, other.length) : differs
    if (differs >= 0 || rest.length !== other.length) shared.set(id, Math.min(shared.get(id) ?? alike, alike))
  }
  return shared
}

function readEntry({ name, id }: EntryRow, { accounts, shared }: Known): Partial<Record<EntryPart, string>> {
  const { rest, ...parts } = splitWords(name, accounts)
  const read: Partial<Record<EntryPart, string>> = parts
  if (read.name === undefined && id !== '' && rest.length > 0) read.name = takeName(rest, shared.get(id))
  const memo: string[] = []
  for (const word of rest) {
    const [, due] = /^due (\d{4}-\d{2}-\d{2})$/i.exec(word) ?? []
    const [, late] = /^(\d+) days? late$/i.exec(word) ?? []
    const [, entered] = /^entered (\d{4}-\d{2}-\d{2}.*)$/i.exec(word) ?? []
    if (due !== undefined) read.due = due
    else if (late !== undefined) read.late = late
    else if (entered !== undefined) read.entered = entered
    else if (read.terms === undefined && TERMS.test(word)) read.terms = word
    else memo.push(word)
  }
  if (memo.length > 0) read.memo = memo.join(', ')
  return read
}

/** Takes the other account from the end. Its name may contain commas. */
function takeSplit(words: string[], accounts: ReadonlySet<string>): string {
  for (let count = Math.min(3, words.length); count > 0; count -= 1) {
    const end = words.slice(-count).join(', ')
    if (!accounts.has(end)) continue
    words.length -= count
    return end === SPLIT ? 'Several' : end
  }
  return ''
}

/**
 * Takes the name from the beginning. It may contain a comma: *Smith, Inc.*, *Dunning, Alonzo*.
 * @param most the most words it can have; omitted if unknown
 */
function takeName(words: string[], most = words.length): string {
  let name = words.shift() ?? ''
  let count = 1
  const take = (): void => {
    name += `, ${words.shift() ?? ''}`
    count += 1
  }
  if (words[0] !== undefined && count < most && LAST_NAME.test(name) && FIRST_NAME.test(words[0])) take()
  while (words[0] !== undefined && count < most && SUFFIX.test(words[0])) take()
  return name
}
