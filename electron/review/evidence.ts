/** The evidence of a review in the form that the rules use, and the readers that they share. */
import {
  type Decimal,
  absoluteDecimal,
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  isNegative,
  isZero,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
} from '../../shared/format/money.ts'
import { daysOfMonth } from './plan.ts'
import { type RecordData, textOf, isObject } from '../../shared/records/changes.ts'
import { hasIncomeAndCost, signOf } from '../../shared/reports/subjects.ts'
import { notASum } from '../../shared/reports/columns.ts'
import { type ReportChecks, type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import type { Finding, FindingRow, ReviewSettings, RuleOutcome } from '../../shared/review/review.ts'
import type { RuleId, Source } from '../../shared/review/rules.ts'
import { isInactive } from '../../shared/records/record-status.ts'
import { isMailable } from '../tidy/address.ts'
import { createTaxIdReader } from '../tidy/identifiers.ts'
import { readDate, MONTHS } from '../../shared/format/written-dates.ts'
import { parentOf } from '../../shared/records/names.ts'
import { joinNames } from '../../shared/format/text.ts'

/** A report with all of its rows. */
export interface FullReport {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly columns: readonly string[]
  readonly rows: readonly ReportRow[]
  readonly checks: ReportChecks
}

/** The parts of a list record that the rules use. */
export interface ListedRecord {
  readonly id: string
  readonly name: string
  readonly fullName: string
  readonly parentId: string
  readonly type: string
  readonly currency: string
  readonly isActive: boolean
  /** `false` if the service doesn't say whether it is active. */
  readonly hasStatus: boolean
  /** Of a vendor: whether mail would arrive. `null` if the record has no such field. */
  readonly hasAddress: boolean | null
  /** Of a vendor. `null` if the record has no such field. */
  readonly hasTaxId: boolean | null
  /** `null` if the service doesn't say. */
  readonly is1099: boolean | null
  readonly phone: string
  readonly email: string
}

/** Something that was read completely, or why it wasn't. */
export type ReadResult<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly reason: string }

/** A ledger entry that a rule shows. */
export interface LedgerEntry extends Pick<Finding, 'side'> {
  readonly title: string
  readonly amount: Decimal
  readonly row: FindingRow
}

export interface DoubledEntry extends LedgerEntry, Pick<Finding, 'severity' | 'detail'> {
  /** The same for the same entries in another reading. */
  readonly key: string
}

/** An entry of an account, a customer, or a vendor. */
export interface NamedEntry extends LedgerEntry {
  /** The ID of the account, customer, or vendor; empty if the ledger doesn’t say. */
  readonly id: string
  readonly name: string
}

/** The first entry of an account: with a date, or else without, or with an amount that can’t be read. */
export interface LedgerAccount extends NamedEntry {
  readonly isDated: boolean
}

/** The parts of a general ledger that the rules use. */
export interface LedgerFacts {
  readonly rows: number
  /** Number of rows with a date. */
  readonly dated: number
  /** Rows with a date and an amount that can’t be read, and one such amount. */
  readonly unreadable: { readonly rows: number; readonly example: string }
  /** Rows among them whose day and month may be the other way around, and one such date. */
  readonly ambiguous: { readonly rows: number; readonly example: string }
  /** Rows with a date whose name can’t be split into its parts, and one such name. */
  readonly whole: { readonly rows: number; readonly example: string }
  /** The accounts with an amount. Opening balances don’t count. */
  readonly accounts: readonly LedgerAccount[]
  /** The first entry of each customer or vendor that was looked for, by its name in lowercase. */
  readonly named: ReadonlyMap<string, NamedEntry>
  readonly doubled: readonly DoubledEntry[]
  readonly outside: readonly LedgerEntry[]
  readonly large: readonly LedgerEntry[]
  /** How many entries of each kind aren’t listed, because there are too many. */
  readonly more: Readonly<Record<'doubled' | 'outside' | 'large', number>>
}

/** Checks whether the sums of a report hold. */
export type CheckSums = (name: string, columns: readonly string[], rows: readonly ReportRow[]) => ReportChecks

/** What is read for a month, and the balance sheet of the last earlier month that was reviewed, as it was read then. */
export type StatementSource = Source | 'last-reviewed'

export interface Evidence {
  /** `yyyy-mm`. */
  readonly month: string
  /** Month in which the fiscal year begins, 1 to 12. */
  readonly fiscalYearStart: number
  readonly settings: ReviewSettings
  /** When the month was closed (ISO); `null` while it is open. */
  readonly closedAt: string | null
  readonly statement: (source: StatementSource) => ReadResult<FullReport>
  readonly list: (source: 'accounts' | 'customers' | 'vendors') => ReadResult<readonly ListedRecord[]>
  readonly ledger: ReadResult<LedgerFacts>
  readonly checkSums: CheckSums
}

/** Thrown when something that a rule needs wasn't read. */
export class NotChecked extends Error {}

/** Thrown if the user's own settings leave a rule nothing to look for. */
export class SwitchedOff extends Error {}

export function requireRead<T>(read: ReadResult<T>): T {
  if (!read.ok) throw new NotChecked(read.reason)
  return read.value
}

/** Returns what was read, or records why it wasn't and returns `null`. */
export function readOrNote<T>(read: ReadResult<T>, findings: RuleFindings): T | null {
  if (read.ok) return read.value
  findings.unchecked.add(read.reason)
  return null
}

/** Runs a part of a rule. What keeps it from being checked is recorded, and the other parts go on. */
export function noteIfNotChecked(findings: RuleFindings, run: () => void): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof NotChecked)) throw error
    findings.unchecked.add(error.message)
  }
}

/** Collects the findings of a rule, and what it couldn't check. */
export class RuleFindings {
  readonly findings: Finding[] = []
  readonly unchecked = new Set<string>()
  /** Keys of lines with an unreadable amount. Results computed from them are unknown. */
  readonly unreadable = new Set<string>()
  readonly #keys = new Set<string>()

  readonly rule: RuleId

  constructor(rule: RuleId) {
    this.rule = rule
  }

  /** @param subject `apart` distinguishes subjects of one key that nothing else tells apart */
  add(
    subject: { readonly key: string; readonly name: string; readonly apart?: string },
    found: Omit<Finding, 'key' | 'rule' | 'subject' | 'side' | 'row' | 'records'> &
      Partial<Pick<Finding, 'side' | 'row' | 'records'>>,
  ): void {
    if (this.unreadable.has(subject.key)) return
    const amount = parseDecimal(found.amount)
    this.findings.push({
      side: '',
      row: null,
      records: null,
      ...found,
      amount: amount === null ? '' : canonicalDecimal(amount),
      key: this.#keyOf(`${this.rule}|${subject.key}${subject.apart ?? ''}`),
      rule: this.rule,
      subject: subject.name,
    })
  }

  /** Several accounts without IDs may have the same name. */
  #keyOf(wanted: string): string {
    let key = wanted
    for (let count = 2; this.#keys.has(key); count += 1) key = `${wanted}|${String(count)}`
    this.#keys.add(key)
    return key
  }

  outcome(): RuleOutcome {
    const { rule, findings } = this
    const unchecked = [...this.unchecked]
    if (findings.length > 0) return { rule, result: 'found', findings, unchecked }
    return unchecked.length > 0
      ? { rule, result: 'not-checked', reason: unchecked.join(' ') }
      : { rule, result: 'clean' }
  }
}

/** Runs a rule. If something it needs is missing, its outcome is *not checked*; if its settings are empty, *off*. */
export function runRule(rule: RuleId, run: (findings: RuleFindings) => void): RuleOutcome {
  const findings = new RuleFindings(rule)
  try {
    run(findings)
  } catch (error) {
    if (error instanceof SwitchedOff) return { rule, result: 'off', reason: error.message }
    if (!(error instanceof NotChecked)) throw error
    findings.unchecked.add(error.message)
  }
  return findings.outcome()
}

// Rows of a statement that represent an account, a customer, or a vendor.

/** A data row with its identity, the sections that contain it, and its amounts. */
export interface Line {
  readonly key: string
  readonly name: string
  readonly row: ReportRow
  /** Names of the sections that contain it, outermost first, in lowercase. */
  readonly sections: readonly string[]
}

/** Returns the row's ID, or its name if it has none. */
function lineKey({ id, name }: ReportRow): string {
  return id === '' ? name.trim().toLowerCase() : id
}

/** What an application adds to the name of an account for its own amounts, beside those of its subaccounts. */
const OWN_PART = / [-\u2013\u2014] Other$/i

/** Returns the name of a section in lowercase. A customer’s section may be *Total Wine & More*. */
export function sectionName(name: string): string {
  return name.toLowerCase().replace(/\s+/g, ' ').trim()
}

/** Returns the data rows of a statement, in order. */
export function linesOf({ rows }: Pick<FullReport, 'rows'>): readonly Line[] {
  const lines: Line[] = []
  for (const row of rows) {
    // A row of an unknown type counts as data, so that none is skipped.
    if (row.kind !== 'data' && row.kind !== 'other') continue
    if (row.values.every((value) => value.trim() === '')) continue
    const sections: string[] = []
    for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) {
      const around = rows[at]
      if (around) sections.unshift(sectionName(around.name))
    }
    lines.push({ key: lineKey(row), name: row.name.replace(OWN_PART, ''), row, sections })
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
export function isOfWords({ rows }: Pick<FullReport, 'rows'>, column: number): boolean {
  const values = rows.flatMap(({ kind, values: all }) => (kind === 'data' ? [all[column]?.trim() ?? ''] : []))
  return values.some((value) => value !== '') && values.every((value) => !/\d/.test(value))
}

/** The columns that may hold amounts. */
export function amountColumns(statement: FullReport): readonly number[] {
  const { name, columns } = statement
  return columns.flatMap((_, at) =>
    notASum(name, columns, at) === null && !isOfWords(statement, at) ? [at] : [],
  )
}

/**
 * Returns the column of the whole period: *Total* if there is one, otherwise the last one of amounts. A balance sheet may
 * also have the balances of another day, so its column must be headed by its own day, or be the only one. Otherwise throws
 * `NotChecked`.
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
  throw new NotChecked(
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
export function sideOf({ sections }: Line): Side | null {
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
export function incomeSign({ sections }: Line): 1 | -1 | null {
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

const TYPES = {
  debit: ['bank', 'accountsreceivable', 'othercurrentasset', 'fixedasset', 'otherasset'],
  credit: ['accountspayable', 'creditcard', 'othercurrentliability', 'longtermliability'],
  profitAndLoss: [
    ...['income', 'costofgoodssold', 'expense', 'otherincome', 'otherexpense'],
    // Other terms that services use for these.
    ...['revenue', 'cogs', 'depreciation', 'overhead', 'directcosts'],
  ],
  other: ['equity', 'nonposting'],
} as const

/** Compares an account's type, which services write with and without blanks. */
export function isType(type: string, ...names: readonly string[]): boolean {
  // *Accounts payable (A/P)*
  return names.includes(type.toLowerCase().replace(/\(.*\)|[^a-z]/g, ''))
}

/** Whether an account type is one of income or costs. */
export function isProfitAndLoss(type: string): boolean {
  return isType(type, ...TYPES.profitAndLoss)
}

/** Returns the normal side of an account type; `null` for types that may be on either side. */
export function sideOfType(type: string): 'debit' | 'credit' | null {
  if (isType(type, ...TYPES.debit)) return 'debit'
  return isType(type, ...TYPES.credit) ? 'credit' : null
}

export function isKnownType(type: string): boolean {
  return sideOfType(type) !== null || isProfitAndLoss(type) || isType(type, ...TYPES.other)
}

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
 * Throws `NotChecked` if no account has a name that a rule looks for: neither on the statement, which may omit accounts
 * without a balance, nor in the chart of accounts.
 */
export function needNamed(
  evidence: Evidence,
  lines: readonly Line[],
  isWanted: (account: { readonly name: string; readonly type: string }) => boolean,
  reason: string,
): void {
  const accounts = evidence.list('accounts')
  const isKnown =
    lines.some(({ name }) => isWanted({ name, type: '' })) || (accounts.ok && accounts.value.some(isWanted))
  if (!isKnown) throw new NotChecked(reason)
}

/** *Not compared: Rent, Travel, and 3 more. …* */
export function notCompared(names: readonly string[], reason: string): string {
  return `Not compared: ${joinNames(names, 5)}. ${reason}`
}

/** Returns the row of a finding, as the service sent it. */
export function rowOf(statement: FullReport, row: ReportRow): FindingRow {
  const { from, to, columns, name } = statement
  return {
    report: reportTitle(name),
    reportName: name,
    from,
    to,
    columns,
    name: row.name,
    values: row.values,
  }
}

/** Returns debits minus credits for every account of the trial balance. */
export function trialBalances(
  statement: FullReport,
  findings: RuleFindings,
): readonly (Line & { readonly debit: Decimal })[] {
  const [debit, credit] = [/\bdebits?\b/i, /\bcredits?\b/i].map((word) => {
    const all = statement.columns.flatMap((each, at) => (word.test(each) ? [at] : []))
    const atEnd = all.filter((at) => /\b(?:closing|ending|end|balance)\b/i.test(statement.columns[at] ?? ''))
    if (all.length > 1 && atEnd.length !== 1)
      throw new NotChecked('The trial balance has several debit and credit columns.')
    return all.length > 1 ? atEnd[0] : all[0]
  })
  if (debit === undefined || credit === undefined)
    throw new NotChecked('The trial balance has no debit and credit columns.')
  const isOfMovements = statement.columns.some(
    (each, at) =>
      at !== debit && at !== credit && /\b(?:opening|beginning|closing|ending) balance\b/i.test(each),
  )
  if (isOfMovements && !/\b(?:closing|ending|end|balance)\b/i.test(statement.columns[debit] ?? ''))
    throw new NotChecked('The debits and credits of the trial balance are movements, not balances.')
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

// Profit and loss by month.

/** The amounts of an account by month. The last one is the reviewed month. */
export interface MonthlyLine extends Line {
  readonly sign: 1 | -1
  readonly amounts: readonly Decimal[]
}

/** Returns the months from a report's first day to the reviewed one, oldest first, as `yyyy-mm`. */
function monthsOf({ from }: Pick<FullReport, 'from'>, month: string): readonly string[] {
  const count = monthsBetween(from, daysOfMonth(month).to)
  return Array.from({ length: count }, (_, at) => daysOfMonth(month, count - 1 - at).from.slice(0, 7))
}

/**
 * Returns the columns of a report's months, one each, oldest first; `null` where it has none, or more than one.
 *
 * *Assumption* (decisions.md, “Profit and loss over several months”).
 */
export function monthColumns(
  statement: Pick<FullReport, 'from' | 'columns'>,
  month: string,
): readonly number[] | null {
  const months = monthsOf(statement, month)
  const { columns } = statement
  const starts = columns.flatMap((_, from) =>
    months.every((each, at) => isHeadingOf(columns[from + at] ?? '', each)) ? [from] : [],
  )
  const [first] = starts
  // Without years in the headings, several columns may be those of the months.
  return first === undefined || starts.length > 1 ? null : months.map((_, at) => first + at)
}

/**
 * Returns the accounts of a profit and loss by month. Throws `NotChecked` if the report has no column per month.
 * @param lines of the statement, if they don’t have the keys of other reports
 */
export function monthlyLines(
  statement: FullReport,
  month: string,
  findings: RuleFindings,
  lines = linesOf(statement),
): readonly MonthlyLine[] {
  const columns = monthColumns(statement, month)
  if (columns === null) throw new NotChecked('The application didn’t provide profit and loss by month.')
  const byKey = new Map<string, MonthlyLine>()
  for (const line of lines) {
    const sign = incomeSign(line)
    if (sign === null) {
      findings.unchecked.add(`Bookbridge can’t tell whether ${line.name} is income or a cost.`)
      continue
    }
    const amounts = columns.map((at) => amountAt(line, at, findings))
    const known = byKey.get(line.key)
    byKey.set(line.key, {
      ...line,
      sign,
      amounts: known ? amounts.map((amount, at) => addDecimals(amount, known.amounts[at] ?? ZERO)) : amounts,
    })
  }
  return [...byKey.values()]
}

/** Returns the heading of a month’s column, such as *Mar 2026*, which `monthColumns` recognizes. */
export function monthHeading(month: string): string {
  const name = MONTHS[Number(month.slice(5, 7)) - 1] ?? ''
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ${month.slice(0, 4)}`
}

const MONTH_WORD =
  /\b(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])/g
/** Headings with a month that have other amounts than those of the month. */
const NOT_OF_MONTH = /\b(?:ytd|to date|budget|plan|change|prior|previous|py)\b|%/

/** Whether a heading names a month: *Mar 2026*, *Mar 26*, *Mar 1 - 31, 26*, *2026-03*, or *03/2026*. */
function isHeadingOf(heading: string, month: string): boolean {
  const text = heading.trim().toLowerCase()
  const [year = '', number = ''] = month.split('-')
  const written = /^(?:(\d{4})[-/.](\d{1,2})|(\d{1,2})[-/.](\d{4}))$/.exec(text)
  if (written) {
    const [, firstYear, lastMonth, firstMonth, lastYear] = written
    return (firstYear ?? lastYear) === year && Number(lastMonth ?? firstMonth) === Number(number)
  }
  const words = [...text.matchAll(MONTH_WORD)].map(([, word = '']) => word.slice(0, 3))
  const isNamed = words.length > 0 && words.every((word) => word === MONTHS[Number(number) - 1])
  if (!isNamed || NOT_OF_MONTH.test(text)) return false
  // *Mar 1 - 15, 26* is a part of the month.
  const days = /\b(\d{1,2}) ?(?:[-\u2013\u2014]|to|through) ?(?:[a-z]+\.? )?(\d{1,2})\b/.exec(text)
  const isWhole = days === null || (days[1] === '1' && days[2] === daysOfMonth(month).to.slice(8))
  const years = text.match(/\b\d{4}\b/g) ?? []
  const [, shortYear] = /\D(\d\d)$/.exec(text) ?? []
  return (
    isWhole &&
    (years.length > 0 ? years.every((each) => each === year) : (shortYear ?? year.slice(2)) === year.slice(2))
  )
}

/** Returns the number of months that two days span, both months included. */
export function monthsBetween(from: string, to: string): number {
  const count = (date: string): number => Number(date.slice(0, 4)) * 12 + Number(date.slice(5, 7))
  return count(to) - count(from) + 1
}

/** Returns the number of months of the fiscal year up to and including a month. */
export function monthsIntoYear(month: string, fiscalYearStart: number): number {
  return ((((Number(month.slice(5)) - fiscalYearStart) % 12) + 12) % 12) + 1
}

/** Whether `difference` exceeds both thresholds: as a percentage of `base` and as an amount. */
export function isBeyond(difference: Decimal, base: Decimal, { percent, amount }: ReviewSettings): boolean {
  const size = absoluteDecimal(difference)
  const hundred = '100' as Decimal
  const share = multiplyDecimals(absoluteDecimal(base), parseDecimal(percent) ?? hundred)
  return (
    compareDecimals(size, parseDecimal(amount) ?? ZERO) >= 0 &&
    compareDecimals(multiplyDecimals(size, hundred), share) > 0
  )
}

/** Creates a reader of a list, whose records have the same few fields. */
export function createRecordReader(source: Source): (record: RecordData) => ListedRecord {
  if (source !== 'vendors') return (record) => listedRecord(record, NO_MAILING_FACTS)
  const taxIds = createTaxIdReader()
  return (record) => listedRecord(record, mailingFacts(record, taxIds(record)))
}

/** Whether one of the fields is filled in; `null` if there is none. */
function isFilledIn(fields: readonly string[], isFilled: (field: string) => boolean): boolean | null {
  return fields.length === 0 ? null : fields.some(isFilled)
}

type MailingFacts = Pick<ListedRecord, 'hasAddress' | 'hasTaxId'>

const NO_MAILING_FACTS: MailingFacts = { hasAddress: null, hasTaxId: null }

/** What a vendor's 1099 needs. */
function mailingFacts(record: RecordData, taxIds: readonly string[]): MailingFacts {
  const addresses = ['Address', 'BillingAddress', 'ShippingAddress'].filter((each) => each in record)
  return {
    hasAddress: isFilledIn(addresses, (each) => {
      const value = record[each]
      return isObject(value) && isMailable(value)
    }),
    hasTaxId: taxIds.length === 0 ? null : taxIds.some((each) => each !== ''),
  }
}

/** Extracts the parts of a record that the rules use, as the service sent them. */
function listedRecord(record: RecordData, { hasAddress, hasTaxId }: MailingFacts): ListedRecord {
  const text = (name: string): string => textOf(record[name]).trim()
  const member = (name: string, inner: string): string => {
    const value = record[name]
    return isObject(value) ? textOf(value[inner]).trim() : ''
  }
  const name = text('Name')
  return {
    id: text('ID'),
    name,
    fullName: text('FullName') || name,
    parentId: parentOf(record).trim(),
    type: text('Type'),
    currency: member('Currency', 'FullName') || text('Currency'),
    isActive: !isInactive(record),
    hasStatus: text('IsActive') !== '',
    hasAddress,
    hasTaxId,
    is1099: text('EligibleFor1099') === '' ? null : text('EligibleFor1099').toLowerCase() === 'true',
    phone: text('Phone'),
    email: text('Email'),
  }
}
