/**
 * Reads a general ledger, which may have hundreds of thousands of rows, once and in chunks, into the facts that the rules
 * use.
 */
import {
  absoluteDecimal,
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  parseDecimal,
  sumDecimals,
} from '../../shared/format/money.ts'
import { notASum } from '../../shared/reports/columns.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import { isPlainTotal } from '../../shared/reports/subjects.ts'
import type { FindingRow } from '../../shared/review/review.ts'
import { accountPath, lastName } from './account-names.ts'
import { doubledOnDay, type LedgerRow } from './doubled-entries.ts'
import type {
  DoubledEntry,
  FullReport,
  LedgerAccount,
  LedgerEntry,
  LedgerFacts,
  NamedEntry,
} from './evidence/evidence.ts'
import { ZERO } from './evidence/lines.ts'
import {
  dateOrder,
  dayIn,
  type EntryName,
  entryName,
  firstWords,
  isAmbiguous,
  isDay,
  isJournal,
  isOnlyDate,
  NO_NUMBER,
  NUMBER,
  readWrittenDate,
  withoutOtherAccount,
  WrittenDates,
} from './ledger-entries.ts'

type LedgerHead = Pick<FullReport, 'name' | 'from' | 'to' | 'columns'>

/** The most entries of one kind that are listed. */
export const MAX_ENTRIES = 200

/** A row with the text of its date. */
interface Written extends Pick<LedgerRow, 'row' | 'amount' | 'side'> {
  readonly text: string
}

type Named = Written & Pick<NamedEntry, 'id' | 'name'>

/** A section of the ledger. */
interface Section extends Pick<ReportRow, 'id' | 'name'> {
  /** The ID, or the name with those of the sections around it, because accounts of several parents may share a name. */
  readonly key: string
  readonly path: string
}

/** How an entry may name its account: *Office:Telephone* or *Telephone*. */
function otherNames({ name, path }: Section): readonly string[] {
  return [name, path.replaceAll(' › ', ':'), lastName(accountPath(name))]
}

const NO_SECTION: Section = { id: '', name: '', key: '', path: '' }

/** Names of customers and vendors that a ledger is searched for. In lowercase. */
export interface LedgerNames {
  /** Of `namesInLedger`. */
  readonly wanted: readonly string[]
  /** Names that look like the number of a document, such as *3M* and *7-Eleven*. */
  readonly likeNumbers: ReadonlySet<string>
}

export class LedgerReader {
  readonly #head: LedgerHead
  readonly #largeEntry: Decimal | null
  readonly #columns: LedgerColumns
  readonly #dates = new WrittenDates()
  /** Wanted names by their first word, the longest first, because an entry's name may begin with several. */
  readonly #wanted: ReadonlyMap<string, readonly string[]>
  /** By the dates as written, because an ambiguous one is resolved only at the end. */
  readonly #byText = new Map<string, LedgerRow[]>()
  readonly #large: Written[] = []
  readonly #accounts = new Map<string, Named & Pick<LedgerAccount, 'isDated'>>()
  /** The first entry of each wanted name. */
  readonly #named = new Map<string, Named>()
  /** By the number of their row. */
  readonly #sections = new Map<number, Section>()
  #rowNumber = -1
  #count = 0
  #dated = 0
  readonly #whole = { rows: 0, example: '' }
  readonly #unreadable = { rows: 0, example: '' }

  /** @param largeEntry the amount from which entries are listed; `null` for none */
  constructor(
    head: LedgerHead,
    largeEntry: Decimal | null,
    { wanted, likeNumbers }: LedgerNames = { wanted: [], likeNumbers: new Set() },
  ) {
    this.#head = head
    this.#largeEntry = largeEntry
    this.#columns = new LedgerColumns(head, likeNumbers)
    const longestFirst = [...new Set(wanted)].toSorted((left, right) => right.length - left.length)
    this.#wanted = Map.groupBy(longestFirst, (each) => firstWords(each, 1))
  }

  add(rows: readonly ReportRow[]): void {
    for (const row of rows) {
      this.#rowNumber += 1
      const section = this.#sections.get(row.parent) ?? NO_SECTION
      if (row.kind === 'section') {
        const path = section.path === '' ? row.name : `${section.path} › ${row.name}`
        const { id, name } = row
        this.#sections.set(this.#rowNumber, { id, name, key: id === '' ? path : id, path })
      }
      // A row of an unknown type counts as data, so that none is skipped. A total has no date.
      const isTotal = (): boolean =>
        (row.id === '' || row.id === section.id) &&
        isPlainTotal(row.name) &&
        this.#dates.read(this.#columns.dateText(row)) === null
      if (row.kind === 'data' || (row.kind === 'other' && !isTotal())) this.#addEntry(row, section)
    }
  }

  finish(): LedgerFacts {
    const dates = [...this.#byText].map(([text, { length }]) => ({
      text,
      date: this.#dates.read(text),
      rows: length,
    }))
    const order = dateOrder(dates, this.#head)
    const dayOf = (text: string): string => dayIn(text, this.#dates.read(text), order)
    const entryOf = ({ row, amount, side, text }: Written): LedgerEntry => {
      const name = this.#columns.nameOf(row, dayOf(text))
      const { title } = name
      const key = documentNumber(name) === '' ? `${title}|${absoluteDecimal(amount)}` : title
      return { key, title, amount, side, row: this.#shown(row) }
    }
    const namedEntry = (each: Named): NamedEntry => ({ id: each.id, name: each.name, ...entryOf(each) })
    const byDay = new Map<string, readonly LedgerRow[]>()
    for (const [text, rows] of this.#byText) {
      const day = dayOf(text)
      byDay.set(day, [...(byDay.get(day) ?? []), ...rows])
    }
    const outside = new EntryList()
    for (const [day, rows] of byDay) {
      if ((day >= this.#head.from && day <= this.#head.to) || !isDay(day)) continue
      for (const each of this.#wholeRows(day, rows)) outside.add(entryOf({ ...each, text: day }))
    }
    const large = new EntryList()
    const parts = this.#partsOfLarge(byDay, dayOf)
    for (const each of this.#large) if (!parts.has(each.row)) large.add(entryOf(each))
    const doubled = this.#doubled(byDay)
    const ambiguous = dates.filter(({ text, date }) => dayOf(text) === text && isAmbiguous(date))
    return {
      rows: this.#count,
      dated: this.#dated,
      unreadable: this.#unreadable,
      whole: this.#whole,
      doubled: doubled.listed,
      outside: outside.listed,
      large: large.listed,
      more: { doubled: doubled.more, outside: outside.more, large: large.more },
      ambiguous: {
        rows: ambiguous.reduce((sum, { rows }) => sum + rows, 0),
        example: ambiguous[0]?.text.trim() ?? '',
      },
      accounts: [...this.#accounts.values()].map((each) => ({ ...namedEntry(each), isDated: each.isDated })),
      named: new Map([...this.#named].map(([key, each]) => [key, namedEntry(each)])),
    }
  }

  /** Returns the rows that are only parts of an entry without a number, on the days of large ones. */
  #partsOfLarge(
    byDay: ReadonlyMap<string, readonly LedgerRow[]>,
    dayOf: (text: string) => string,
  ): ReadonlySet<ReportRow> {
    const unnumbered = this.#large.filter(
      ({ row, text }) => documentNumber(this.#columns.nameOf(row, text)) === '',
    )
    const parts = new Set<ReportRow>()
    for (const day of new Set(unnumbered.map(({ text }) => dayOf(text)))) {
      const rows = byDay.get(day) ?? []
      const whole = new Set(this.#wholeRows(day, rows))
      for (const each of rows) if (!whole.has(each)) parts.add(each.row)
    }
    return parts
  }

  /** Returns the rows of a day that aren’t only parts of an entry. */
  #wholeRows(day: string, rows: readonly LedgerRow[]): readonly LedgerRow[] {
    const names = new Map(rows.map((each) => [each, this.#columns.nameOf(each.row, day)]))
    const entries = Map.groupBy(names, ([, name]) =>
      name.type === '' ? name.title : `${name.type}|${documentNumber(name)}`,
    )
    return [...entries].flatMap(([key, named]) => {
      const those = named.map(([each]) => each)
      const byTitle = [...Map.groupBy(those, (each) => names.get(each)?.title).values()]
      const balanced = byTitle.map(oneOfEach)
      const isBalanced = !balanced.includes(null)
      // Several journals may have one number.
      if (isJournal(key) && !key.endsWith('|')) return (isBalanced ? byTitle : [those]).flatMap(largestOf)
      // The lines of an entry may have different names.
      const pooled = isBalanced ? null : oneOfEach(those)
      return pooled ?? byTitle.flatMap((each, at) => balanced[at] ?? each)
    })
  }

  #addEntry(row: ReportRow, section: Section): void {
    const found = this.#columns.readAmount(row, section.key)
    const text = this.#columns.dateText(row)
    const isDated = this.#dates.read(text) !== null
    if (found === null) {
      if (isDated) this.#noteUnreadable(row, section)
      return
    }
    if (this.#columns.isBalance(row, section)) return
    this.#count += 1
    if (this.#accounts.get(section.key)?.isDated !== true && (isDated || !this.#accounts.has(section.key))) {
      this.#accounts.set(section.key, { ...found, text, isDated, id: section.id, name: section.name.trim() })
    }
    if (!isDated) return
    this.#dated += 1
    if (this.#wanted.size > 0) this.#lookFor(found, text, section)
    if (!this.#columns.hasDates && text === row.name && !isOnlyDate(text)) {
      this.#whole.rows += 1
      this.#whole.example ||= text.slice(0, 80)
    }
    const day = this.#byText.get(text)
    if (day === undefined) this.#byText.set(text, [found])
    else day.push(found)
    if (this.#largeEntry !== null && !isLarger(this.#largeEntry, found.amount))
      this.#large.push({ ...found, text })
  }

  /** Counts a row with a figure that isn't a plain amount. It may be an entry of its account. */
  #noteUnreadable(row: ReportRow, section: Section): void {
    const { key, id, name } = section
    const figure = this.#columns.unreadableFigure(row)
    if (figure === undefined || this.#columns.isBalance(row, section)) return
    const entry = { row, amount: ZERO, side: '', text: this.#columns.dateText(row) } as const
    if (!this.#accounts.has(key)) this.#accounts.set(key, { ...entry, id, name: name.trim(), isDated: false })
    this.#unreadable.rows += 1
    this.#unreadable.example ||= figure.slice(0, 40)
  }

  /** Records an entry if it is the first of a wanted name. */
  #lookFor(entry: LedgerRow, text: string, section: Section): void {
    const { rest } = this.#columns.nameOf(entry.row, text)
    const lower = rest.toLowerCase()
    const who = this.#wanted
      .get(firstWords(lower, 1))
      ?.find((each) => lower === each || lower.startsWith(`${each}, `))
    if (who === undefined || this.#named.has(who)) return
    const { id } = entry.row
    // The ID is that of the name, unless it is the account’s.
    const ownId = id === section.id ? '' : id
    this.#named.set(who, { ...entry, text, id: ownId, name: rest.slice(0, who.length) })
  }

  #doubled(byDay: ReadonlyMap<string, readonly LedgerRow[]>): EntryList<DoubledEntry> {
    const doubled = new EntryList<DoubledEntry>()
    const accounts = new Set([...this.#sections.values()].flatMap(otherNames))
    const nameOf = (row: ReportRow, day: string): EntryName =>
      this.#columns.nameOf({ ...row, name: withoutOtherAccount(row.name, accounts) }, day)
    for (const [day, rows] of byDay) {
      // Each search asks for the names of the same rows.
      const names = new Map<ReportRow, EntryName>()
      const nameOnDay = (row: ReportRow): EntryName => {
        const name = names.get(row) ?? nameOf(row, day)
        names.set(row, name)
        return name
      }
      for (const { postings, ...found } of doubledOnDay(day, rows, nameOnDay)) {
        const largest = postings.reduce((one, other) => (isLarger(other.amount, one.amount) ? other : one))
        const { title, amount, side, row } = largest
        doubled.add({ title, amount, side, row: this.#shown(row), ...found })
      }
    }
    return doubled
  }

  #shown({ name, values }: ReportRow): FindingRow {
    const { name: reportName, from, to, columns } = this.#head
    return { report: reportTitle(reportName), reportName, from, to, columns, name, values }
  }
}

/** Headings of words, numbers of documents, and days. */
export const NO_AMOUNTS =
  /\b(?:dates?|terms|phone|types?|num(?:ber)?|no|ref(?:erence)?|names?|memo|description|split|accounts?|class|customer|vendor|job|item|qty|quantity|clr|cleared|currency)\b/i

/** The columns of amounts: those whose headings say so, or else all that may be. */
export function columnsOfAmounts({ name, columns }: Pick<FullReport, 'name' | 'columns'>): readonly number[] {
  const sums = columns.flatMap((_, at) => (notASum(name, columns, at) === null ? [at] : []))
  const named = sums.filter((at) => /\b(?:debits?|credits?|amounts?)\b/i.test(columns[at] ?? ''))
  return named.length > 0 ? named : sums.filter((at) => !NO_AMOUNTS.test(columns[at] ?? ''))
}

/** Names of the rows before and after an account’s entries, without the day that they may name. */
const BALANCE = new RegExp(
  String.raw`^(?:${[
    String.raw`(?:opening|beginning|beg\.?|start(?:ing)?|previous|prior|initial|closing|ending|end|final) bal(?:ances?|\.)?`,
    String.raw`bal(?:ance|\.)?(?: (?:(?:brought|carried) )?(?:forward|fwd\.?|down)| [bc]\/[dfo])?`,
    String.raw`(?:brought|carried) (?:forward|down)(?: bal(?:ance|\.)?)?`,
    String.raw`[bc]\/[dfo]`,
    String.raw`(?:grand )?totals?`,
    'net change',
  ].join('|')})$`,
  'i',
)
/** Part of each of these names. Few other rows have it. */
const PART_OF_BALANCE = /bal|net change|forward|carried|brought|total|\b[bc]\/[dfo]\b/i
/** The day or the year at the end of such a name. */
const AS_OF =
  /(?:,? (?:as (?:of|at)|at|on|of)| [-–])? \(?(?:\d{4}|\d{1,2}\.? \p{L}{3,9}\.?(?: \d{4})?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|\p{L}{3,9}\.? \d{1,2}(?:,? \d{4})?)\)?$/u

/** A year, or an amount. */
const NOT_A_NUMBER = /^\(?(?:fy)?(?:19|20)\d\d(?:[-/]\d{2,4})?\)?$|^fy\d\d$|[.,]\d\d\)?$/i

/** The columns of a ledger, and what its rows say in them. */
class LedgerColumns {
  readonly #amounts: readonly number[]
  readonly #credits: ReadonlySet<number>
  /** -1 if dates are in the names of rows. */
  readonly #date: number
  /** Those of type, number, name, and memo; -1 for none. */
  readonly #texts: readonly number[]
  readonly #likeNumbers: ReadonlySet<string>

  constructor({ name, columns }: Pick<FullReport, 'name' | 'columns'>, likeNumbers: ReadonlySet<string>) {
    const columnOf = (heading: RegExp): number => columns.findIndex((each) => heading.test(each))
    this.#amounts = columnsOfAmounts({ name, columns })
    this.#credits = new Set(this.#amounts.filter((at) => /\bcredits?\b/i.test(columns[at] ?? '')))
    this.#date = columnOf(/\bdate\b/i)
    this.#texts = [/\btype\b/i, /^(?:num(?:ber)?|no|ref)\b/i, /\bname\b/i, /\bmemo\b|\bdescription\b/i].map(
      columnOf,
    )
    this.#likeNumbers = likeNumbers
  }

  /** Whether dates have a column of their own. */
  get hasDates(): boolean {
    return this.#date >= 0
  }

  /** The date of a row as written. */
  dateText(row: ReportRow): string {
    return this.hasDates ? (row.values[this.#date] ?? '') : firstWords(row.name, 1)
  }

  /** The first amount that isn't zero. */
  readAmount(row: ReportRow, account: string): LedgerRow | null {
    for (const at of this.#amounts) {
      const amount = parseDecimal(row.values[at]?.trim() ?? '')
      if (amount === null || isZero(amount)) continue
      const isCredit = this.#credits.has(at) !== isNegative(amount)
      const side = this.#credits.size === 0 ? '' : this.#credits.has(at) ? 'credit' : 'debit'
      return { row, account, amount, size: absoluteDecimal(amount), isCredit, side }
    }
    return null
  }

  unreadableFigure(row: ReportRow): string | undefined {
    return this.#amounts.map((at) => row.values[at]?.trim() ?? '').find(isUnreadable)
  }

  /** @param date the date to show in its title */
  nameOf(row: ReportRow, date: string): EntryName {
    if (!this.hasDates) return entryName(row.name, this.#likeNumbers)
    const [type = '', written = '', who = '', memo = ''] = this.#texts.map(
      (at) => row.values[at]?.trim() ?? '',
    )
    const name = who === '' ? row.name : who
    const title = [date, type, written, name].filter((each) => each !== '').join(', ')
    const isNumber = (isJournal(type) || /\d/.test(written)) && !NO_NUMBER.test(written)
    const number = isNumber ? written : ''
    // A memo never stands in for a missing name.
    return { title, type, number, rest: memo === '' ? name : `${name}, ${memo}` }
  }

  /** Whether a row has the number of a document: in its column, or else in the name, before the words of a balance. */
  #hasNumber({ name, values }: ReportRow, section: Section): boolean {
    const column = this.#texts[1] ?? -1
    if (column >= 0) return /\d/.test(values[column] ?? '')
    const parts = name.split(', ')
    const words = parts.findIndex((part) => PART_OF_BALANCE.test(part))
    // With these words in another column, the name may be the number of the account.
    const before = words >= 0 ? parts.slice(0, words) : section.key === '' ? [] : parts
    const ofAccount = words >= 0 ? [] : [section.id, ...section.name.split(/[\s:·]+/)]
    return before.some(
      (part) =>
        NUMBER.test(part) &&
        !NOT_A_NUMBER.test(part) &&
        readWrittenDate(part) === null &&
        !ofAccount.includes(part),
    )
  }

  /** Whether a row is the balance before or after the period, which isn’t an entry. */
  isBalance(row: ReportRow, section: Section): boolean {
    if (![row.name, ...row.values].some((each) => PART_OF_BALANCE.test(each))) return false
    // An entry may have such a memo or payee, but it has a number, too.
    if (this.#hasNumber(row, section)) return false
    const values = row.values.filter((_, column) => column !== this.#date && !this.#amounts.includes(column))
    // A year or an account, such as *FY26*.
    const named = row.name.split(', ').filter((part) => !NUMBER.test(part) || BALANCE.test(part))
    const words = [...named, ...values].map((each) => each.trim())
    const labels = words.filter((each) => /\p{L}/u.test(each) && readWrittenDate(each) === null)
    return (
      labels.length > 0 &&
      labels.every((each) => BALANCE.test(each.replace(/[\s:–-]+$/, '').replace(AS_OF, '')))
    )
  }
}

/** Whether a text is a figure, but not a plain amount, such as *(1,250.00)*. */
function isUnreadable(text: string): boolean {
  return /\d/.test(text) && !/\p{L}{4}/u.test(text) && parseDecimal(text) === null
}

/** Returns the number of an entry’s document. A word such as *AJE* may be that of several journals. */
function documentNumber({ number }: EntryName): string {
  return /\d/.test(number) ? number : ''
}

function isLarger(one: Decimal, other: Decimal): boolean {
  return compareDecimals(absoluteDecimal(one), absoluteDecimal(other)) > 0
}

function largestOf(rows: readonly LedgerRow[]): readonly LedgerRow[] {
  const [first, ...others] = rows
  if (first === undefined) return []
  return [others.reduce((one, other) => (isLarger(other.size, one.size) ? other : one), first)]
}

/** Two entries of more than one debit or credit each have at least so many rows. */
const ROWS_OF_TWO = 6

/** Returns a row for each entry that the rows may be; `null` if their debits don’t equal their credits. */
function oneOfEach(rows: readonly LedgerRow[]): readonly LedgerRow[] | null {
  const left = new Set(rows)
  const whole = new Set<LedgerRow>()
  for (const those of Map.groupBy(rows, ({ size }) => size).values()) {
    const credits = those.filter(({ isCredit }) => isCredit)
    const debits = those.filter(({ isCredit }) => !isCredit)
    for (const [at, debit] of debits.entries()) {
      const credit = credits[at]
      if (credit === undefined) break
      whole.add(debit)
      for (const each of [debit, credit]) left.delete(each)
    }
  }
  const sides = [false, true].map((isCredit) => [...left].filter((each) => each.isCredit === isCredit))
  const [debits = ZERO, credits = ZERO] = sides.map((side) => sumDecimals(side.map(({ size }) => size)))
  if (compareDecimals(debits, credits) !== 0) return null
  const largest = largestOf([...left])
  // Each of several entries has its total on one side, and that side has fewer rows.
  const [totals = []] = sides.toSorted((one, other) => one.length - other.length)
  const areTotals = totals.some((each) => largest.includes(each))
  const some = left.size < ROWS_OF_TWO ? largest : areTotals ? totals : left
  for (const each of some) whole.add(each)
  return rows.filter((each) => whole.has(each))
}

/** Entries by key, up to a limit, and how many more there are. */
class EntryList<Each extends LedgerEntry = LedgerEntry> {
  readonly #listed = new Map<string, Each>()
  readonly #others = new Set<string>()

  add(entry: Each): void {
    if (this.#listed.has(entry.key)) return
    if (this.#listed.size < MAX_ENTRIES) this.#listed.set(entry.key, entry)
    else this.#others.add(entry.key)
  }

  get listed(): readonly Each[] {
    return [...this.#listed.values()]
  }

  get more(): number {
    return this.#others.size
  }
}
