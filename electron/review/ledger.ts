/**
 * Rules about single entries. A general ledger may have hundreds of thousands of rows, so it is read once, in chunks,
 * into the facts that the rules use.
 */
import {
  type Decimal,
  absoluteDecimal,
  compareDecimals,
  isNegative,
  isZero,
  parseDecimal,
  sumDecimals,
} from '../../shared/format/money.ts'
import { notASum } from '../../shared/reports/columns.ts'
import { type DateOrder, dateOrderIn, readDate } from '../../shared/format/written-dates.ts'
import { parseIsoDate } from '../../shared/reports/periods.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import { type Finding, type FindingRow, says } from '../../shared/review/review.ts'
import {
  type DoubledEntry,
  type Evidence,
  type LedgerAccount,
  type LedgerEntry,
  type LedgerFacts,
  type NamedEntry,
  type Report,
  type Statement,
  NOTHING,
  NotChecked,
  SwitchedOff,
  linesOf,
  requireRead,
  rowOf,
} from './evidence.ts'

export interface LedgerReader {
  add(rows: readonly ReportRow[]): void
  finish(): LedgerFacts
}

/** Limit on entries of one kind. */
const MAX_ENTRIES = 200
/** Limit on texts of dates that are remembered. */
const MAX_DATES = 10_000

/** A row of the ledger with an amount. */
interface LedgerRow {
  readonly row: ReportRow
  /** The key of its account. */
  readonly account: string
  readonly amount: Decimal
  /** The amount without its sign. */
  readonly size: Decimal
  readonly isCredit: boolean
  /** The side of a positive amount in its column. */
  readonly side: Finding['side']
}

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

const NO_SECTION: Section = { id: '', name: '', key: '', path: '' }

/** Names of customers and vendors that a ledger is searched for. In lowercase. */
export interface LedgerNames {
  /** Of `namesInLedger`. */
  readonly wanted: readonly string[]
  /** Names that look like the number of a document, such as *3M* and *7-Eleven*. */
  readonly likeNumbers: ReadonlySet<string>
}

/** A row of the ledger with the parts of its name. */
interface Posting extends LedgerRow, EntryName {
  /** The account, the side, and the amount. Doubles share them. */
  readonly place: string
}

/**
 * The parts of an entry’s name: *2026-03-11, Bill, T-1, Cedar Supply, memo*. A third part without blanks that has a digit
 * is the number, unless a customer or vendor is called that. The application leaves out what an entry doesn’t have. A name
 * without commas has no known parts.
 */
interface EntryName {
  /** Date, type, number, and name; or the first four parts. */
  readonly title: string
  readonly type: string
  readonly number: string
  /** The text after the number: the name and anything that the application adds. */
  readonly rest: string
}

/** A date in the ledger in both orders of day and month. They are equal unless the date is ambiguous. */
interface WrittenDate {
  readonly monthFirst: string
  readonly dayFirst: string
}

/** Headings of words, numbers of documents, and days. */
export const NO_AMOUNTS =
  /\b(?:dates?|terms|phone|types?|num(?:ber)?|no|ref(?:erence)?|names?|memo|description|split|accounts?|class|customer|vendor|job|item|qty|quantity|clr|cleared|currency)\b/i

function columnsOfAmounts({ name, columns }: Pick<Statement, 'name' | 'columns'>): readonly number[] {
  const sums = columns.flatMap((_, at) => (notASum(name, columns, at) === null ? [at] : []))
  const named = sums.filter((at) => /\b(?:debits?|credits?|amounts?)\b/i.test(columns[at] ?? ''))
  return named.length > 0 ? named : sums.filter((at) => !NO_AMOUNTS.test(columns[at] ?? ''))
}

/**
 * Creates a reader of the ledger.
 * @param largeEntry the amount from which entries are listed; `null` for none
 */
export function createLedgerReader(
  { name, from, to, columns }: Pick<Statement, 'name' | 'from' | 'to' | 'columns'>,
  largeEntry: Decimal | null,
  { wanted, likeNumbers }: LedgerNames = { wanted: [], likeNumbers: new Set() },
): LedgerReader {
  const amountColumns = columnsOfAmounts({ name, columns })
  const columnOf = (heading: RegExp): number => columns.findIndex((each) => heading.test(each))
  const dateColumn = columnOf(/\bdate\b/i)
  const textColumns = [/\btype\b/i, /^(?:num(?:ber)?|no|ref)\b/i, /\bname\b/i].map(columnOf)
  /** By the dates as written, because an ambiguous one is resolved only at the end. */
  const byText = new Map<string, LedgerRow[]>()
  const large: Written[] = []
  const accounts = new Map<string, Named & Pick<LedgerAccount, 'isDated'>>()
  /** The longest first, because an entry's name may begin with several. */
  const longestFirst = [...new Set(wanted)].toSorted((left, right) => right.length - left.length)
  const wantedByStart = Map.groupBy(longestFirst, (each) => firstWords(each, 1))
  const named = new Map<string, Named>()
  /** By the number of its row. */
  const sections = new Map<number, Section>()
  let rowNumber = -1
  let [count, dated] = [0, 0]
  const whole = { rows: 0, example: '' }
  const shown = (row: ReportRow): FindingRow => ({
    report: reportTitle(name),
    reportName: name,
    from,
    to,
    columns,
    name: row.name,
    values: row.values,
  })
  const creditColumns = new Set(amountColumns.filter((at) => /\bcredits?\b/i.test(columns[at] ?? '')))
  const unreadable = { rows: 0, example: '' }
  /** Counts a row with a figure that isn't a plain amount. */
  const noteUnreadable = (row: ReportRow): void => {
    const figure = amountColumns.map((at) => row.values[at]?.trim() ?? '').find(isUnreadable)
    if (figure === undefined) return
    unreadable.rows += 1
    unreadable.example ||= figure.slice(0, 40)
  }
  /** The first amount that isn't zero. */
  const readAmount = (row: ReportRow, account: string): LedgerRow | null => {
    for (const at of amountColumns) {
      const amount = parseDecimal(row.values[at]?.trim() ?? '')
      if (amount === null || isZero(amount)) continue
      const isCredit = creditColumns.has(at) !== isNegative(amount)
      const side = creditColumns.size === 0 ? '' : creditColumns.has(at) ? 'credit' : 'debit'
      return { row, account, amount, size: absoluteDecimal(amount), isCredit, side }
    }
    return null
  }
  const nameOf = (row: ReportRow, date: string): EntryName => {
    if (dateColumn < 0) return entryName(row.name, likeNumbers)
    const [type = '', number = '', who = ''] = textColumns.map((at) => row.values[at]?.trim() ?? '')
    const rest = who === '' ? row.name : who
    return { title: [date, type, number, rest].filter((each) => each !== '').join(', '), type, number, rest }
  }
  /** A month's rows have only a few different dates. */
  const dates = new Map<string, WrittenDate | null>()
  const dateIn = (text: string): WrittenDate | null => {
    const known = dates.get(text)
    if (known !== undefined) return known
    const date = writtenDate(text)
    if (dates.size < MAX_DATES) dates.set(text, date)
    return date
  }
  /** Records the first entry of each wanted name. */
  const lookFor = (entry: LedgerRow, text: string, section: Section): void => {
    const { rest } = nameOf(entry.row, text)
    const lower = rest.toLowerCase()
    const who = wantedByStart
      .get(firstWords(lower, 1))
      ?.find((each) => lower === each || lower.startsWith(`${each}, `))
    if (who === undefined || named.has(who)) return
    const { id } = entry.row
    // The ID is that of the name, unless it is the account’s.
    named.set(who, { ...entry, text, id: id === section.id ? '' : id, name: rest.slice(0, who.length) })
  }
  /** Whether a row is the balance before the period, which isn’t an entry. */
  const isOpening = (row: ReportRow): boolean => {
    const values = row.values.filter((_, column) => column !== dateColumn && !amountColumns.includes(column))
    const words = [...row.name.split(', '), ...values].map((each) => each.trim())
    const said = words.filter((each) => /\p{L}/u.test(each) && writtenDate(each) === null)
    return said.length > 0 && said.every((each) => OPENING.test(each))
  }
  return {
    add(rows) {
      for (const row of rows) {
        rowNumber += 1
        const section = sections.get(row.parent) ?? NO_SECTION
        if (row.kind === 'section') {
          const path = section.path === '' ? row.name : `${section.path} › ${row.name}`
          sections.set(rowNumber, { id: row.id, name: row.name, key: row.id === '' ? path : row.id, path })
        }
        // A row of an unknown type counts as data, so that none is skipped.
        if (row.kind !== 'data' && row.kind !== 'other') continue
        const found = readAmount(row, section.key)
        const text = dateColumn >= 0 ? (row.values[dateColumn] ?? '') : firstWords(row.name, 1)
        const isDated = dateIn(text) !== null
        if (found === null) {
          if (isDated) noteUnreadable(row)
          continue
        }
        if (isOpening(row)) continue
        count += 1
        if (accounts.get(section.key)?.isDated !== true && (isDated || !accounts.has(section.key))) {
          accounts.set(section.key, { ...found, text, isDated, id: section.id, name: section.name.trim() })
        }
        if (!isDated) continue
        dated += 1
        if (wantedByStart.size > 0) lookFor(found, text, section)
        if (dateColumn < 0 && text === row.name && !isOnlyDate(text)) {
          whole.rows += 1
          whole.example ||= text.slice(0, 80)
        }
        const day = byText.get(text)
        if (day === undefined) byText.set(text, [found])
        else day.push(found)
        if (largeEntry !== null && !isLarger(largeEntry, found.amount)) large.push({ ...found, text })
      }
    },
    finish() {
      const written = [...byText].map(([text, { length }]) => ({ text, date: dateIn(text), rows: length }))
      const order = dateOrder(written, { from, to })
      /** The day of a date; the text itself if it is ambiguous. */
      const dayOf = (text: string): string => {
        const date = dateIn(text)
        if (date === null) return text
        if (order === 'day-first') return date.dayFirst
        return order === 'month-first' || date.dayFirst === date.monthFirst ? date.monthFirst : text
      }
      const ambiguous = written.filter(({ text }) => dayOf(text) === text && isAmbiguous(dateIn(text)))
      const entryOf = ({ row, amount, side, text }: Written): LedgerEntry => ({
        title: nameOf(row, dayOf(text)).title,
        amount,
        side,
        row: shown(row),
      })
      const namedEntry = (each: Named): NamedEntry => ({ id: each.id, name: each.name, ...entryOf(each) })
      const byDate = new Map<string, readonly LedgerRow[]>()
      for (const [text, rows] of byText) {
        const day = dayOf(text)
        byDate.set(day, [...(byDate.get(day) ?? []), ...rows])
      }
      const outside = new EntryList()
      for (const [date, rows] of byDate) {
        if ((date >= from && date <= to) || !isDay(date)) continue
        for (const each of rows) {
          const entry = entryOf({ ...each, text: date })
          outside.add(entry.title, () => entry)
        }
      }
      const largeEntries = new EntryList()
      for (const each of large)
        largeEntries.add(nameOf(each.row, dayOf(each.text)).title, () => entryOf(each))
      const doubled = new EntryList<DoubledEntry>()
      for (const [date, rows] of byDate) {
        for (const [who, postings] of alikeOnDay(rows, (row) => nameOf(row, date))) {
          for (const { postings: those, ...found } of doubledIn(`${date}|${who}`, postings)) {
            const largest = those.reduce((one, other) => (isLarger(other.amount, one.amount) ? other : one))
            const { title, amount, side, row } = largest
            doubled.add(found.key, () => ({ title, amount, side, row: shown(row), ...found }))
          }
        }
      }
      const lists = { doubled: doubled.listed, outside: outside.listed, large: largeEntries.listed }
      const more = { doubled: doubled.more, outside: outside.more, large: largeEntries.more }
      return {
        ...{ rows: count, dated, unreadable, whole, ...lists, more },
        ambiguous: {
          rows: ambiguous.reduce((sum, { rows }) => sum + rows, 0),
          example: ambiguous[0]?.text.trim() ?? '',
        },
        accounts: [...accounts.values()].map((each) => ({ ...namedEntry(each), isDated: each.isDated })),
        named: new Map([...named].map(([key, each]) => [key, namedEntry(each)])),
      }
    },
  }
}

/** Entries by key, up to a limit, and how many more there are. */
class EntryList<Each extends LedgerEntry = LedgerEntry> {
  readonly #listed = new Map<string, Each>()
  readonly #others = new Set<string>()

  add(key: string, make: () => Each): void {
    if (this.#listed.has(key)) return
    if (this.#listed.size < MAX_ENTRIES) this.#listed.set(key, make())
    else this.#others.add(key)
  }

  get listed(): readonly Each[] {
    return [...this.#listed.values()]
  }

  get more(): number {
    return this.#others.size
  }
}

/** Where the first words of an entry's name end, with the commas between them. */
function endOfWords(name: string, count: number): number {
  let end = -1
  for (let words = 0; words < count; words += 1) {
    end = name.indexOf(', ', end + 1)
    if (end < 0) return name.length
  }
  return end
}

function firstWords(name: string, count: number): string {
  return name.slice(0, endOfWords(name, count))
}

const NUMBER = /^\S*\d\S*$/

/** Names of the row before an account’s entries. */
const OPENING =
  /^(?:(?:opening|beginning|starting|previous|prior) (?:balance|bal\.?)|bal(?:ance|\.)? (?:brought )?(?:forward|fwd\.?)|brought forward|b\/f)$/i

/** Returns the names that a document’s number may look like, in lowercase. */
export function namesLikeNumbers(names: readonly string[]): ReadonlySet<string> {
  const starts = names.map((name) => firstWords(name.trim().toLowerCase(), 1))
  return new Set(starts.filter((start) => NUMBER.test(start) && /\p{L}/u.test(start)))
}

function isOnlyDate(name: string): boolean {
  return isDay(name.trim()) || readDate(name, 'month-first') !== null || readDate(name, 'day-first') !== null
}

function entryName(name: string, likeNumbers: ReadonlySet<string>): EntryName {
  const [date, type, third] = [endOfWords(name, 1), endOfWords(name, 2), endOfWords(name, 3)]
  if (date === name.length) return { title: name, type: '', number: '', rest: isOnlyDate(name) ? '' : name }
  const word = name.slice(type + 2, third)
  const number = NUMBER.test(word) && !likeNumbers.has(word.toLowerCase()) ? word : ''
  const rest = name.slice((number === '' ? type : third) + 2)
  return { title: firstWords(name, 4), type: name.slice(date + 2, type), number, rest }
}

function isLarger(one: Decimal, other: Decimal): boolean {
  return compareDecimals(absoluteDecimal(one), absoluteDecimal(other)) > 0
}

// Doubled entries. One number for two entries is as good as certain. Two taxi rides of one day look the same as one ride
// that was entered twice, so entries with other numbers, or none, are only likely.

type Doubled = Pick<DoubledEntry, 'key' | 'severity' | 'detail'> & { readonly postings: readonly Posting[] }

/**
 * Groups the postings of a day by name where two may be the same. Few are, so names are parsed only for rows with the
 * same amount, account, and side as another one.
 */
function alikeOnDay(
  rows: readonly LedgerRow[],
  nameOf: (row: ReportRow) => EntryName,
): ReadonlyMap<string, readonly Posting[]> {
  const sizes = new Map<string, number>()
  for (const { size } of rows) sizes.set(size, (sizes.get(size) ?? 0) + 1)
  const places = new Map<string, LedgerRow[]>()
  for (const each of rows) {
    if (sizes.get(each.size) === 1) continue
    const place = placeOf(each)
    const those = places.get(place)
    if (those === undefined) places.set(place, [each])
    else those.push(each)
  }
  const suspects = new Set<string>()
  for (const those of places.values()) {
    if (those.length < 2) continue
    const names = those.map(({ row }) => whoOf(nameOf(row)))
    if (new Set(names).size < names.length) for (const name of names) suspects.add(name)
  }
  if (suspects.size === 0) return new Map()
  const postings = rows.map((each): Posting => ({ ...each, ...nameOf(each.row), place: placeOf(each) }))
  return Map.groupBy(
    postings.filter((each) => suspects.has(whoOf(each))),
    whoOf,
  )
}

function placeOf({ account, isCredit, size }: LedgerRow): string {
  return `${account}|${isCredit ? '-' : ''}${size}`
}

function whoOf({ rest }: EntryName): string {
  return firstWords(rest, 1).toLowerCase()
}

/** Returns postings of one day and name that look doubled. */
function doubledIn(group: string, postings: readonly Posting[]): readonly Doubled[] {
  const places = Map.groupBy(postings, ({ place }) => place)
  const suspects = new Set<string>()
  for (const those of places.values())
    if (those.length > 1) for (const { title } of those) suspects.add(title)
  const entries = Map.groupBy(
    postings.filter(({ title }) => suspects.has(title)),
    ({ title }) => title,
  )
  const found: Doubled[] = []
  const left: (readonly Posting[])[] = []
  for (const [title, those] of entries) {
    if (those[0]?.number !== '' && isDoubled(those)) {
      const detail = says`Each of its postings is there at least twice.`
      found.push({ key: title, severity: 'likely', detail, postings: those })
    } else left.push(those)
  }
  if (left.length < 2 && left[0]?.[0]?.number !== '') return found
  const likely = (those: readonly Posting[]): void => {
    const numbers = [...new Set(those.flatMap(({ number }) => (number === '' ? [] : [number])))]
    const listed = numbers.slice(0, 5).join(', ')
    // Without a name, what looks like a number may be one.
    const [same, different] = those.every(({ rest }) => rest === '')
      ? ['day and amount', 'numbers or names']
      : ['day, name, and amount', 'numbers']
    const detail =
      numbers.length < 2
        ? says`More than one entry has this ${same} in the same accounts. They may be separate entries.`
        : says`Entries with different ${different} (${listed}) have this ${same} in the same account. They may be separate entries.`
    const amounts = [...new Set(those.map(({ place }) => place))].toSorted().join(';')
    found.push({ key: `likely|${group}|${amounts}`, severity: 'check', detail, postings: those })
  }
  const alike = alikeEntries(left)
  for (const those of alike) likely(those)
  const taken = new Set(alike.flat())
  const rest = left.flat().filter((each) => !taken.has(each))
  for (const those of Map.groupBy(rest, ({ type }) => type).values()) {
    const twice = bothSidesTwice(those)
    if (twice.length > 0) likely(twice)
  }
  return found
}

/**
 * Whether all postings occur equally often, and more than once. An invoice with two equal lines is not doubled, because
 * its total occurs once. A transaction that the ledger shows in only one account can't be judged.
 */
function isDoubled(postings: readonly Posting[]): boolean {
  if (postings.length < 4) return false
  const counts = new Map<string, number>()
  for (const { place } of postings) counts.set(place, (counts.get(place) ?? 0) + 1)
  if (counts.size < 2 || counts.size === postings.length) return false
  return [...counts.values()].reduce(commonDivisor) > 1 && !areOfSeveral(postings)
}

/** Whether the rows belong to several people with similar names: each has its own ID and its own full name. */
function areOfSeveral(postings: readonly Posting[]): boolean {
  const ids = new Map<string, Set<string>>()
  for (const { row } of postings) ids.set(row.id, (ids.get(row.id) ?? new Set()).add(row.name))
  const names = [...ids.values()].flatMap((each) => [...each])
  return ids.size > 1 && new Set(names).size === names.length
}

/**
 * Groups entries that are equal on both sides or, if their types differ, on one side: a cost that was entered both as a
 * bill and as a check.
 */
function alikeEntries(entries: readonly (readonly Posting[])[]): readonly (readonly Posting[])[] {
  const bySide = new Map<string, (readonly Posting[])[]>()
  for (const entry of entries) {
    const [debits, credits] = [false, true].map((isCredit) =>
      entry
        .filter((each) => each.isCredit === isCredit)
        .map(({ place }) => place)
        .toSorted()
        .join(';'),
    )
    const sides = debits === '' || credits === '' ? [debits, credits] : [`${debits ?? ''} ${credits ?? ''}`]
    const keys = [...sides, debits, credits].filter((each) => each !== undefined && each !== '')
    for (const key of new Set(keys)) bySide.set(key ?? '', [...(bySide.get(key ?? '') ?? []), entry])
  }
  const alike: (readonly Posting[])[] = []
  const taken = new Set<readonly Posting[]>()
  for (const [side, all] of bySide) {
    const those = all.filter((each) => !taken.has(each))
    const isWhole = side.includes(' ')
    const hasTypes = new Set(those.map(([first]) => first?.type)).size > 1
    if (those.length < 2 || areOfSeveral(those.flat()) || !(isWhole || hasTypes)) continue
    for (const each of those) taken.add(each)
    alike.push(those.flat())
  }
  return alike
}

/**
 * Returns postings that occur twice, if their debits equal their credits. Entries without a number can't be
 * distinguished, but two equal lines of one entry occur twice on only one side. A numbered entry counts once.
 */
function bothSidesTwice(postings: readonly Posting[]): readonly Posting[] {
  const identities = [
    ({ rest }: Posting) => rest,
    // The ID is that of the name, unless it is the account’s.
    ({ row, account, rest }: Posting) => (row.id === '' || row.id === account ? rest : row.id),
  ]
  for (const identity of identities) {
    const places = Map.groupBy(postings, (each) => `${each.place}|${identity(each)}`)
    const twice = [...places.values()].filter((those) => {
      const numbered = new Set(those.flatMap(({ number }) => (number === '' ? [] : [number])))
      return numbered.size + those.filter(({ number }) => number === '').length > 1
    })
    const sizes = twice.flatMap(([first]) => (first ? [first] : []))
    const sum = (isCredit: boolean): Decimal =>
      sumDecimals(sizes.flatMap((each) => (each.isCredit === isCredit ? [each.size] : [])))
    if (sizes.length > 1 && compareDecimals(sum(false), sum(true)) === 0 && !areOfSeveral(twice.flat())) {
      return twice.flat()
    }
  }
  return []
}

function commonDivisor(left: number, right: number): number {
  return right === 0 ? left : commonDivisor(right, left % right)
}

/** Whether a text is a figure, but not a plain amount, such as *(1,250.00)*. */
function isUnreadable(text: string): boolean {
  return /\d/.test(text) && !/\p{L}{4}/u.test(text) && parseDecimal(text) === null
}

// Dates may have the day or the month first. The ledger as a whole shows which.

function isDay(text: string): boolean {
  return parseIsoDate(text) !== null
}

/** Returns `null` for anything but a date. */
function writtenDate(text: string): WrittenDate | null {
  const iso = text.trim().slice(0, 10)
  if (isDay(iso)) return { monthFirst: iso, dayFirst: iso }
  const [monthFirst, dayFirst] = [readDate(text, 'month-first'), readDate(text, 'day-first')]
  const one = monthFirst ?? dayFirst
  return one === null ? null : { monthFirst: monthFirst ?? one, dayFirst: dayFirst ?? one }
}

function isAmbiguous(date: WrittenDate | null): boolean {
  return date !== null && date.monthFirst !== date.dayFirst
}

/**
 * Returns the order of day and month from the unambiguous dates, or else from the period, if it contains some dates in
 * one order and none in the other.
 */
function dateOrder(
  written: readonly { readonly text: string; readonly date: WrittenDate | null }[],
  { from, to }: Pick<Statement, 'from' | 'to'>,
): DateOrder | null {
  const told = new Set(written.map(({ text }) => dateOrderIn(text)))
  const [isDayFirst, isMonthFirst] = [told.has('day-first'), told.has('month-first')]
  if (isDayFirst || isMonthFirst) {
    if (isDayFirst && isMonthFirst) return null
    return isDayFirst ? 'day-first' : 'month-first'
  }
  const isIn = (day: string): boolean => day >= from && day <= to
  const unsure = written.flatMap(({ date }) => (date !== null && isAmbiguous(date) ? [date] : []))
  const dayFirst = unsure.some((date) => isIn(date.dayFirst))
  const monthFirst = unsure.some((date) => isIn(date.monthFirst))
  if (dayFirst === monthFirst) return null
  return dayFirst ? 'day-first' : 'month-first'
}

/** Returns the facts about the ledger, if enough of it is readable. Says how many of its entries aren’t listed. */
function facts(evidence: Evidence, kind: keyof LedgerFacts['more'], report: Report): LedgerFacts {
  const ledger = requireRead(evidence.ledger)
  const { unreadable } = ledger
  const example = `such as “${unreadable.example}”`
  if (ledger.rows === 0) {
    throw new NotChecked(
      unreadable.rows > 0
        ? `The amounts of the general ledger can’t be read, ${example}.`
        : 'The general ledger has no entries with an amount.',
    )
  }
  if (unreadable.rows > 0) {
    report.unchecked.add(`${String(unreadable.rows)} entries have an amount that can’t be read, ${example}.`)
  }
  if (ledger.rows > 0 && ledger.dated === 0) {
    throw new NotChecked('The dates of the entries can’t be read in this general ledger.')
  }
  if (ledger.dated < ledger.rows) {
    report.unchecked.add(`${String(ledger.rows - ledger.dated)} entries have no date that can be read.`)
  }
  const more = ledger.more[kind]
  if (more > 0) {
    report.unchecked.add(
      `${String(more)} more ${more === 1 ? 'is' : 'are'} not listed. Only the first ${String(MAX_ENTRIES)} are.`,
    )
  }
  return ledger
}

export function enteredTwice(evidence: Evidence, report: Report): void {
  const { doubled, whole } = facts(evidence, 'doubled', report)
  if (whole.rows > 0) {
    report.unchecked.add(
      `${String(whole.rows)} entries don’t separate their number and name, such as “${whole.example}”. They were compared with entries of the same name only.`,
    )
  }
  for (const { title, amount, row, key, severity, detail } of doubled) {
    report.find({ key, name: title }, { severity, amount: absoluteDecimal(amount), detail, row })
  }
}

export function outsidePeriod(evidence: Evidence, report: Report): void {
  const { ambiguous, dated, outside } = facts(evidence, 'outside', report)
  if (ambiguous.rows > 0) {
    const example = `such as “${ambiguous.example}”`
    if (ambiguous.rows === dated) throw new NotChecked(`The dates can be read two ways, ${example}.`)
    report.unchecked.add(
      `${String(ambiguous.rows)} entries have a date that can be read two ways, ${example}.`,
    )
  }
  for (const { title, amount, side, row } of outside) {
    report.find(
      { key: title, name: title },
      {
        severity: 'likely',
        amount,
        side,
        detail: says`The ledger of this month holds an entry of another date.`,
        row,
      },
    )
  }
}

export function largeEntries(evidence: Evidence, report: Report): void {
  const { largeEntry } = evidence.settings
  if (parseDecimal(largeEntry) === null)
    throw new SwitchedOff('No amount is set from which entries are listed.')
  for (const { title, amount, side, row } of facts(evidence, 'large', report).large) {
    report.find(
      { key: title, name: title },
      {
        severity: 'check',
        amount,
        side,
        detail: /^-?\d*000(?:\.0+)?$/.test(amount)
          ? says`A round amount.`
          : says`At least ${{ amount: largeEntry }}.`,
        row,
      },
    )
  }
}

/** Reports entries of the audit trail that weren't in the copy saved when the month was closed. */
export function changedAfterClose(evidence: Evidence, kept: Statement | null, report: Report): void {
  const now = requireRead(evidence.statement('audit-trail'))
  if (kept === null) throw new NotChecked('No audit trail was kept when the month was closed.')
  const text = ({ row }: { row: ReportRow }): string => JSON.stringify([row.name, row.values])
  const known = new Map<string, number>()
  for (const line of linesOf(kept)) known.set(text(line), (known.get(text(line)) ?? 0) + 1)
  for (const line of linesOf(now)) {
    const left = known.get(text(line)) ?? 0
    known.set(text(line), left - 1)
    if (left > 0) continue
    const amount = columnsOfAmounts(now)
      .map((at) => parseDecimal(line.row.values[at]?.trim() ?? ''))
      .find((each) => each !== null && !isZero(each))
    report.find(
      { key: text(line), name: line.name },
      {
        severity: 'likely',
        amount: amount ?? NOTHING,
        detail: says`Not in the audit trail when the month was closed.`,
        row: rowOf(now, line.row),
      },
    )
  }
  for (const line of linesOf(kept)) {
    if ((known.get(text(line)) ?? 0) <= 0) continue
    known.set(text(line), 0)
    report.find(
      { key: `gone|${text(line)}`, name: line.name },
      {
        severity: 'likely',
        amount: NOTHING,
        detail: says`No longer in the audit trail.`,
        row: rowOf(kept, line.row),
      },
    )
  }
}
