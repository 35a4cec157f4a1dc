/**
 * The rows of a statement that represent an account, a customer, or a vendor, with their amounts and the list records
 * that they belong to.
 */
import {
  absoluteDecimal,
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  isNegative,
  isZero,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
} from '../../../shared/format/money.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { readDate } from '../../../shared/format/written-dates.ts'
import { notASum } from '../../../shared/reports/columns.ts'
import { type ReportRow, reportTitle } from '../../../shared/reports/reports.ts'
import { hasIncomeAndCost, signOf } from '../../../shared/reports/subjects.ts'
import type { Finding, ReviewSettings } from '../../../shared/review/review.ts'
import { NotCheckedError, type RuleFindings } from '../findings.ts'
import type { Evidence, FullReport, ListedRecord } from './evidence.ts'
import { isHeadingOf } from './month-headings.ts'

/** A data row with its identity, the sections that contain it, and its amounts. */
export interface Line {
  readonly key: string
  readonly name: string
  readonly row: ReportRow
  /** Names of the sections that contain it, outermost first, in lowercase. */
  readonly sections: readonly string[]
  /**
   * Whether a section around it that nothing closes contradicts one inside it (costs inside income, or liabilities inside
   * assets), so that the outer one may have ended.
   */
  readonly isUnplaced?: boolean
}

/** Returns the row's ID, or its name if it has none. */
function lineKey({ id, name }: ReportRow): string {
  return id === '' ? name.trim().toLowerCase() : id
}

/**
 * What an application appends to an account's name for the account's own amounts, apart from those of its subaccounts.
 */
const OWN_PART = / [-\u2013\u2014] Other$/i

/** Returns the name of a section in lowercase. A customer’s section may be *Total Wine & More*. */
export function sectionName(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Returns the data rows of a statement, in order. */
export function linesOf({ rows }: Pick<FullReport, 'rows'>): readonly Line[] {
  const lines: Line[] = []
  const closed = new Set(rows.flatMap(({ kind, parent }) => (kind === 'subtotal' ? [parent] : [])))
  for (const row of rows) {
    // A row of an unknown type counts as data, so that none is skipped.
    if (row.kind !== 'data' && row.kind !== 'other') continue
    if (row.values.every((value) => value.trim() === '')) continue
    const sections: string[] = []
    let [sign, isUnplaced]: [1 | -1 | null, boolean] = [null, false]
    for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) {
      const name = sectionName(rows[at]?.name ?? '')
      sections.unshift(name)
      // Most sections are closed, or have none around them.
      if (sections.length === 1 && (rows[at]?.parent ?? -1) < 0) continue
      const own = hasIncomeAndCost(name) ? null : signOf(name)
      if (sign !== null && own !== null && own !== sign && !closed.has(at)) isUnplaced = true
      sign = own ?? sign
    }
    const line = { key: lineKey(row), name: row.name.replace(OWN_PART, ''), row, sections }
    lines.push(isUnplaced ? { ...line, isUnplaced } : line)
  }
  return lines
}

export const ZERO = '0' as Decimal

/** Returns the amount in a column, or zero if it is blank. An unreadable amount is reported as unchecked. */
export function amountAt(
  line: Pick<Line, 'key' | 'row' | 'name'>,
  column: number,
  findings: RuleFindings,
): Decimal {
  const text = line.row.values[column]?.trim() ?? ''
  if (text === '') return ZERO
  const amount = parseDecimal(text)
  if (amount !== null) return amount
  // Reporting one per line is enough.
  if (!findings.unreadable.has(line.key))
    findings.unchecked.add(`The amount of ${line.name} can’t be read: “${text.slice(0, 40)}”.`)
  findings.unreadable.add(line.key)
  return ZERO
}

/** Whether a column has words, such as currencies, instead of amounts. */
export function isTextColumn({ rows }: Pick<FullReport, 'rows'>, column: number): boolean {
  const values = rows.flatMap(({ kind, values: all }) => (kind === 'data' ? [all[column]?.trim() ?? ''] : []))
  return values.some((value) => value !== '') && values.every((value) => !/\d/.test(value))
}

/** The columns that may hold amounts. */
export function amountColumns(statement: FullReport): readonly number[] {
  const { name, columns } = statement
  return columns.flatMap((_, at) =>
    notASum(name, columns, at) === null && !isTextColumn(statement, at) ? [at] : [],
  )
}

/**
 * Returns the column of the whole period: *Total* if there is one, otherwise the last one of amounts. A balance sheet may
 * also have the balances of another day, so its column must be headed by its own day, or be the only one. Otherwise throws
 * `NotCheckedError`.
 */
export function totalColumn(statement: FullReport): number {
  const { name, columns, to } = statement
  const total = columns.findLastIndex((heading) => /^total$/i.test(heading.trim()))
  if (total >= 0) return total
  const amounts = amountColumns(statement)
  const last = amounts.at(-1) ?? columns.length - 1
  if (amounts.length < 2 || !/^balance ?sheet/i.test(name)) return last
  const ofDay = amounts.find((at) => isHeadingOfDay(columns[at] ?? '', to))
  if (ofDay !== undefined) return ofDay
  const [current, ...more] = amounts.filter((at) => !OTHER_COLUMN.test(columns[at]?.trim() ?? ''))
  if (current !== undefined && more.length === 0) return current
  const headings = amounts.map((at) => `“${columns[at]?.trim() ?? ''}”`)
  throw new NotCheckedError(
    `${reportTitle(name)} has several columns of amounts (${joinNames(headings, 3)}), and none is known to be that of its last day.`,
  )
}

/** Headings of other days, of differences from them, and of account numbers. */
const OTHER_COLUMN =
  /\b(?:last|prior|previous|earlier|py|change|difference|variance)\b|^(?:account )?(?:no|num(?:ber)?|code)\.?$/i

function isHeadingOfDay(heading: string, day: string): boolean {
  const text = heading.trim().replace(/^(?:as (?:of|at)|at|on)\s+/i, '')
  return (
    readDate(text, 'month-first') === day ||
    readDate(text, 'day-first') === day ||
    isHeadingOf(text, day.slice(0, 7))
  )
}

/**
 * Gives every line a unique key. Accounts without IDs may have the same name under several parents; within a report and
 * its earlier readings, their sections distinguish them.
 * @param others lines that these are compared with, which need the same keys
 */
export function withOwnKeys(
  lines: readonly Line[],
  ...others: readonly (readonly Line[])[]
): readonly Line[] {
  const places = new Map<string, Set<string>>()
  const placeOf = ({ sections }: Line): string => sections.join(' › ')
  for (const line of [lines, ...others].flat()) {
    places.set(line.key, (places.get(line.key) ?? new Set()).add(placeOf(line)))
  }
  return lines.map((line) =>
    line.row.id === '' && (places.get(line.key)?.size ?? 0) > 1
      ? { ...line, key: `${placeOf(line)} › ${line.key}` }
      : line,
  )
}

/** Sums the lines of a statement by account. */
export function sumsByKey<Each extends Line>(
  lines: readonly Each[],
  amountOf: (line: Each) => Decimal,
): Map<string, Decimal> {
  const sums = new Map<string, Decimal>()
  for (const line of lines) sums.set(line.key, addDecimals(sums.get(line.key) ?? ZERO, amountOf(line)))
  return sums
}

export type Side = 'asset' | 'liability-or-equity'

/** Returns the side of the balance sheet that a line is on; `null` if its sections don't tell. */
export function sideOf({ sections, isUnplaced }: Line): Side | null {
  if (isUnplaced) return null
  for (const section of sections) {
    // The net assets of a nonprofit are its equity.
    const subject = section.replace(/\bnet assets\b/g, 'equity')
    const isAsset = /\bassets?\b/.test(subject)
    const isOther =
      /\bliabilit|\bequity\b|\bcapital\b(?! assets)|\bfund balances?\b|\bnet worth\b|\bshareholders['’]? funds\b/.test(
        subject,
      )
    if (isAsset !== isOther) return isAsset ? 'asset' : 'liability-or-equity'
  }
  return null
}

/** Whether a line of a profit and loss is income (+1) or a cost (−1); `null` if its sections don't tell. */
export function incomeSign({ sections, isUnplaced }: Line): 1 | -1 | null {
  if (isUnplaced) return null
  for (const section of sections) {
    // A section such as *Net operating income* holds both.
    if (hasIncomeAndCost(section) || /^net\b|^gross (?:profit|margin)\b|^operating profit\b/.test(section))
      continue
    const sign = signOf(section)
    if (sign !== null) return sign
  }
  return null
}

/** The side that a positive amount of a statement's line is on; empty if its sections don't tell. */
export function positiveSide(line: Line): Finding['side'] {
  const side = sideOf(line)
  if (side !== null) return side === 'asset' ? 'debit' : 'credit'
  const sign = incomeSign(line)
  return sign === null ? '' : sign > 0 ? 'credit' : 'debit'
}

export function isNetIncome(name: string): boolean {
  return /^(?:total )?net (?:income|profit|earnings|loss)$|^profit for the (?:year|period)$|^current year (?:earnings|profit)$/i.test(
    name.trim(),
  )
}

/** Whether `difference` exceeds both thresholds: as a percentage of `base` and as an amount. */
export function exceedsThresholds(
  difference: Decimal,
  base: Decimal,
  { percent, amount }: ReviewSettings,
): boolean {
  const size = absoluteDecimal(difference)
  const hundred = '100' as Decimal
  const share = multiplyDecimals(absoluteDecimal(base), parseDecimal(percent) ?? hundred)
  return (
    compareDecimals(size, parseDecimal(amount) ?? ZERO) >= 0 &&
    compareDecimals(multiplyDecimals(size, hundred), share) > 0
  )
}

// What the type of an account says about its amounts.

/** What the type of an account says about its amounts. */

const ACCOUNT_TYPES = {
  debit: ['bank', 'accountsreceivable', 'othercurrentasset', 'fixedasset', 'otherasset'],
  credit: ['accountspayable', 'creditcard', 'othercurrentliability', 'longtermliability'],
  profitAndLoss: [
    ...['income', 'costofgoodssold', 'expense', 'otherincome', 'otherexpense'],
    // Other terms that services use for these.
    ...['revenue', 'cogs', 'depreciation', 'overhead', 'directcosts'],
  ],
  other: ['equity', 'nonposting'],
} as const

/** Compares an account's type, which services write with and without spaces. */
export function isType(type: string, ...names: readonly string[]): boolean {
  // *Accounts payable (A/P)*
  return names.includes(type.toLowerCase().replace(/\(.*\)|[^a-z]/g, ''))
}

/** Whether an account type is one of income or costs. */
export function isProfitAndLoss(type: string): boolean {
  return isType(type, ...ACCOUNT_TYPES.profitAndLoss)
}

/** Returns the normal side of an account type; `null` for types that may be on either side. */
export function sideOfType(type: string): 'debit' | 'credit' | null {
  if (isType(type, ...ACCOUNT_TYPES.debit)) return 'debit'
  return isType(type, ...ACCOUNT_TYPES.credit) ? 'credit' : null
}

export function isKnownType(type: string): boolean {
  return sideOfType(type) !== null || isProfitAndLoss(type) || isType(type, ...ACCOUNT_TYPES.other)
}

// The list record of a line, by ID or by name.

/** Creates a function that finds the record of a line by ID, or by a name that only one record has. */
export function recordFinder(
  evidence: Evidence,
  records: readonly ListedRecord[],
): (line: { readonly row: Pick<ReportRow, 'id'>; readonly name: string }) => ListedRecord | undefined {
  const index = listIndex(evidence, records)
  // Indexing names is slower, and reports with IDs don't need it.
  return ({ row, name }) => index.withId(row.id) ?? index.onlyNamed(name)
}

/** Finds the records of a list by ID and by name. Each index is built when it is first needed. */
class ListIndex {
  readonly #records: readonly ListedRecord[]
  #byId: ReadonlyMap<string, ListedRecord> | null = null
  #byName: ReadonlyMap<string, ListedRecord | null> | null = null
  #byFullName: ReadonlyMap<string, Namesakes> | null = null
  #byOwnName: ReadonlyMap<string, Namesakes> | null = null

  constructor(records: readonly ListedRecord[]) {
    this.#records = records
  }

  withId(id: string): ListedRecord | undefined {
    this.#byId ??= new Map(this.#records.map((record) => [record.id, record]))
    return this.#byId.get(id)
  }

  /** The record that alone has a name, without its number; `undefined` if none or several have it. */
  onlyNamed(name: string): ListedRecord | undefined {
    return this.#names.get(nameWithoutNumber(name)) ?? undefined
  }

  /** Whether one or more records have a name. */
  hasNamed(name: string): boolean {
    return this.#names.has(nameWithoutNumber(name))
  }

  get #names(): ReadonlyMap<string, ListedRecord | null> {
    return (this.#byName ??= recordsByName(this.#records))
  }

  withFullName(lowerCase: string): readonly ListedRecord[] {
    this.#byFullName ??= byText(this.#records, ({ fullName }) => fullName)
    return listOf(this.#byFullName.get(lowerCase))
  }

  withOwnName(lowerCase: string): readonly ListedRecord[] {
    // Most records have no parent, so that both names are one.
    this.#byOwnName ??= byText(
      this.#records.filter(({ name, fullName }) => name !== fullName),
      ({ name }) => name,
    )
    const alone = this.withFullName(lowerCase).filter(({ name, fullName }) => name === fullName)
    return [...alone, ...listOf(this.#byOwnName.get(lowerCase))]
  }
}

/** Most names have one record, and an array for each would take more time and memory than the rest. */
type Namesakes = ListedRecord | ListedRecord[]

function byText(
  records: readonly ListedRecord[],
  textOf: (record: ListedRecord) => string,
): ReadonlyMap<string, Namesakes> {
  const found = new Map<string, Namesakes>()
  for (const record of records) {
    const key = textOf(record).toLowerCase()
    const known = found.get(key)
    if (Array.isArray(known)) known.push(record)
    else found.set(key, known === undefined ? record : [known, record])
  }
  return found
}

function listOf(found: Namesakes | undefined): readonly ListedRecord[] {
  if (found === undefined) return []
  return Array.isArray(found) ? found : [found]
}

/** By evidence, so that the rules of one review share the indexes of its lists. */
const indexes = new WeakMap<Evidence, Map<readonly ListedRecord[], ListIndex>>()

/** Returns the index of one of the review's lists. */
export function listIndex(evidence: Evidence, records: readonly ListedRecord[]): ListIndex {
  const ofReview = indexes.get(evidence) ?? new Map<readonly ListedRecord[], ListIndex>()
  const index = ofReview.get(records) ?? new ListIndex(records)
  indexes.set(evidence, ofReview.set(records, index))
  return index
}

/** Returns records by both of their names; `null` for a name that several have. */
function recordsByName(records: readonly ListedRecord[]): ReadonlyMap<string, ListedRecord | null> {
  const byName = new Map<string, ListedRecord | null>()
  const add = (name: string, record: ListedRecord): void => {
    const key = nameWithoutNumber(name)
    const known = byName.get(key)
    if (known === undefined) byName.set(key, record)
    else if (known !== record) byName.set(key, null)
  }
  for (const record of records) {
    add(record.fullName, record)
    if (record.name !== record.fullName) add(record.name, record)
  }
  return byName
}

/** Removes the account number: *4999 · Uncategorized Income* becomes *Uncategorized Income*. */
export function nameWithoutNumber(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/^\d[\d.-]*\s*[·:-]\s*/, '')
}

/**
 * Throws `NotCheckedError` if no account has a name that a rule looks for: neither on the statement, which may omit
 * accounts without a balance, nor in the chart of accounts.
 */
export function requireNamed(
  evidence: Evidence,
  lines: readonly Line[],
  isWanted: (account: { readonly name: string; readonly type: string }) => boolean,
  reason: string,
): void {
  const accounts = evidence.list('accounts')
  const isKnown =
    lines.some(({ name }) => isWanted({ name, type: '' })) || (accounts.ok && accounts.value.some(isWanted))
  if (!isKnown) throw new NotCheckedError(reason)
}

// Trial balances.

/** Returns debits minus credits for every account of the trial balance. */
export function trialBalances(
  statement: FullReport,
  findings: RuleFindings,
): readonly (Line & { readonly debit: Decimal })[] {
  const [debit, credit] = [/\bdebits?\b/i, /\bcredits?\b/i].map((word) => {
    const all = statement.columns.flatMap((each, at) => (word.test(each) ? [at] : []))
    const atEnd = all.filter((at) => /\b(?:closing|ending|end|balance)\b/i.test(statement.columns[at] ?? ''))
    if (all.length > 1 && atEnd.length !== 1)
      throw new NotCheckedError('The trial balance has several debit and credit columns.')
    return all.length > 1 ? atEnd[0] : all[0]
  })
  if (debit === undefined || credit === undefined)
    throw new NotCheckedError('The trial balance has no debit and credit columns.')
  const isOfMovements = statement.columns.some(
    (each, at) =>
      at !== debit && at !== credit && /\b(?:opening|beginning|closing|ending) balance\b/i.test(each),
  )
  if (isOfMovements && !/\b(?:closing|ending|end|balance)\b/i.test(statement.columns[debit] ?? ''))
    throw new NotCheckedError('The debits and credits of the trial balance are movements, not balances.')
  const lines = linesOf(statement).map((line) => ({ line, credit: amountAt(line, credit, findings) }))
  // Some applications write all credits as negative amounts.
  const areNegative =
    lines.some((each) => isNegative(each.credit)) &&
    lines.every((each) => isZero(each.credit) || isNegative(each.credit))
  return lines.map(({ line, credit: amount }) => ({
    ...line,
    debit: addDecimals(amountAt(line, debit, findings), areNegative ? amount : negateDecimal(amount)),
  }))
}

/**
 * Creates a function that returns what distinguishes accounts with the same name on a trial balance without IDs: the
 * balance. A decision about one of them then never applies to another.
 */
export function apartBy(
  lines: readonly (Line & { readonly debit: Decimal })[],
  accounts: readonly ListedRecord[],
): (line: Line & { readonly debit: Decimal }) => string {
  const counts = Map.groupBy(lines, ({ key }) => key)
  const named = Map.groupBy(accounts, ({ name }) => nameWithoutNumber(name))
  return ({ key, name, row, debit }) => {
    const isShared =
      (counts.get(key)?.length ?? 0) > 1 || (named.get(nameWithoutNumber(name))?.length ?? 0) > 1
    return row.id === '' && isShared ? `|${canonicalDecimal(debit)}` : ''
  }
}
