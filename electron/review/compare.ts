/** Compares a month's reports with the copies that were saved when it was closed. */
import { isDeepStrictEqual } from 'node:util'
import {
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import type { ChangedAmount, Finding } from '../../shared/review/review.ts'
import { accountKey, accountPath, lastName } from './account-names.ts'
import type { FullReport, ReadResult } from './evidence/evidence.ts'
import {
  amountAt,
  amountColumns,
  isNetIncome,
  type Line,
  linesOf,
  nameWithoutNumber,
  positiveSide,
  sumsByKey,
  totalColumn,
  trialBalances,
  withOwnKeys,
  ZERO,
} from './evidence/lines.ts'
import { monthColumns } from './evidence/month-columns.ts'
import { NotCheckedError, requireRead, RuleFindings } from './findings.ts'
import { readRows } from './headings.ts'
import { daysOfMonth } from './plan.ts'

/** An account in one of the two reports. */
interface Account {
  readonly key: string
  readonly name: string
  readonly lines: readonly Line[]
  readonly amount: Decimal
  /** The side of a positive amount. */
  readonly side: Finding['side']
  /** The sections that contain it, outermost first, as written, and then the accounts above it that only its name tells. */
  readonly place: readonly string[]
  /** The sections alone. */
  readonly sections: readonly Pick<ReportRow, 'id' | 'name'>[]
}

/** One of the two reports. */
interface Compared {
  readonly rows: readonly ReportRow[]
  readonly accounts: ReadonlyMap<string, Account>
  /** The column of its amounts; `null` for a trial balance. */
  readonly column: number | null
}

/** The parts of a report that decide whether another one is comparable. */
type Covered = Pick<FullReport, 'name' | 'from' | 'to' | 'columns'>

/**
 * Whether a report covers the same amounts as the one saved for a month: the same period for a trial balance,
 * the same last day for a balance sheet, or the same period, or the month by itself, for a profit and loss.
 */
export function isComparable(kept: Covered, now: Covered, month: string): boolean {
  if (kept.name !== now.name) return false
  switch (kept.name) {
    case 'TrialBalance':
      return kept.from === now.from && kept.to === now.to
    case 'BalanceSheet':
      return kept.to === now.to && (kept.from === now.from || now.columns.length === 1)
    case 'ProfitAndLoss': {
      const days = daysOfMonth(month)
      if (now.from > days.from || now.to < days.to) return false
      const isSame = now.from === kept.from && now.to === kept.to
      return isSame || isOfMonth(now, month) || monthColumns(now, month) !== null
    }
    default:
      return false
  }
}

function isOfMonth({ from, to }: Covered, month: string): boolean {
  const days = daysOfMonth(month)
  return from === days.from && to === days.to
}

/** Returns what differs: amounts, sections, and names of accounts, and totals. Or says why they can’t be compared. */
export function compareStatements(
  keptReport: FullReport,
  reportNow: FullReport,
  month: string,
): ReadResult<readonly ChangedAmount[]> {
  const findings = new RuleFindings('changed-after-close')
  try {
    const kept = requireRead(readRows({ ok: true, value: keptReport }))
    const now = requireRead(readRows({ ok: true, value: reportNow }))
    const isAlike =
      kept.from === now.from && kept.to === now.to && isDeepStrictEqual(kept.columns, now.columns)
    // If the application gives no months, the totals of two equal periods still show a change.
    const isByTotal = isAlike && monthColumns(kept, month) === null
    const compared = (statement: FullReport, other: FullReport): Compared => {
      const lines = withOwnKeys(linesOf(statement), linesOf(other))
      return isAlike && statement.name === 'TrialBalance'
        ? columnDifferences(statement, lines, findings)
        : amountsOf(statement, lines, month, findings, isByTotal)
    }
    const found = differencesOf(compared(kept, now), compared(now, kept), findings)
    if (findings.unchecked.size > 0) return { ok: false, reason: [...findings.unchecked].join(' ') }
    const report = reportTitle(kept.name)
    const column = kept.name === 'ProfitAndLoss' && !isByTotal ? month : 'Balance'
    return { ok: true, value: found.map((each) => ({ report, column, ...each })) }
  } catch (error) {
    if (error instanceof NotCheckedError) return { ok: false, reason: error.message }
    throw error
  }
}

type Difference = Omit<ChangedAmount, 'report' | 'column'>

function differencesOf(before: Compared, after: Compared, findings: RuleFindings): readonly Difference[] {
  const pairs = pairsOf(before, after)
  const sections = renamedSections(before, after, pairs)
  const changed = new Set<ReportRow>()
  const accounts = pairs.flatMap(apartIfUnsure).flatMap(({ was, is, shown, remark }): Difference[] => {
    const { name, side } = shown
    // An account that moved to the other side has its amount under the other sign.
    const isTurned = was !== null && is !== null && [was.side, is.side].toSorted().join() === 'credit,debit'
    const kept = was === null ? ZERO : isTurned ? negateDecimal(was.amount) : was.amount
    const now = is?.amount ?? ZERO
    const isChanged = compareDecimals(kept, now) !== 0
    if (isChanged) for (const { row } of [...(was?.lines ?? []), ...(is?.lines ?? [])]) changed.add(row)
    const isEmpty = isZero(kept) && isZero(now)
    const says =
      was === null || is === null || isEmpty || isNetIncome(name)
        ? remark
        : [renaming(was, is), moving(was, is, sections)].filter((each) => each !== '').join(', ')
    if (!isChanged && says === '') return []
    const difference = isChanged ? canonicalDecimal(subtractDecimals(now, kept)) : ''
    const key = isNetIncome(name) ? '' : keyInChange(shown)
    return [{ key, account: name, side, kept, now, difference, says }]
  })
  const known = new Set(accounts.map(({ account, says }) => `${ownName({ name: account })} ${says}`))
  const ofSections = sections
    .map(({ from, to }) => ({ account: to.at(-1) ?? '', says: `renamed from ${from.at(-1) ?? ''}` }))
    .filter(({ account, says }) => !known.has(`${account} ${says}`))
    .map((each): Difference => ({ key: '', side: '', kept: '', now: '', difference: '', ...each }))
  return [...accounts, ...ofSections, ...changedTotals(before, after, changed, findings)]
}

function keyInChange({ key, name, place, lines }: Account): string {
  return lines.every(({ row }) => row.id === '') ? accountKey(place, ownName({ name })) : key
}

/** An account before and after. */
interface Pair {
  readonly was: Account | null
  readonly is: Account | null
  /** The one to name. */
  readonly shown: Account
  /** `false` if only its place and amount say that it is the same. */
  readonly isSure: boolean
}

/** Another account may have the amount by chance, so both amounts are listed, and the name is a remark. */
function apartIfUnsure(pair: Pair): readonly (Pair & { readonly remark: string })[] {
  const { was, is, isSure } = pair
  if (isSure || was === null || is === null) return [{ ...pair, remark: '' }]
  const remark = `may have been renamed from ${ownName(was)}`
  return [
    { ...pair, is: null, shown: was, remark: '' },
    { ...pair, was: null, shown: is, remark },
  ]
}

function pairsOf({ accounts: before }: Compared, { accounts: after }: Compared): readonly Pair[] {
  const matches = matchesWithoutIds(
    [...before.values()].filter(({ key }) => !after.has(key)),
    [...after.values()].filter(({ key }) => !before.has(key)),
  )
  const matched = new Set([...matches.values()].map(({ is }) => is))
  const pairs = [...before.values()].map((was): Pair => {
    const { is, isSure } = matches.get(was) ?? { is: after.get(was.key) ?? null, isSure: true }
    return { was, is, shown: is ?? was, isSure }
  })
  const added = [...after.values()].filter((is) => !before.has(is.key) && !matched.has(is))
  return [...pairs, ...added.map((is): Pair => ({ was: null, is, shown: is, isSure: true }))]
}

/**
 * Matches accounts without IDs that one of the reports doesn’t have: those that moved have the same name and amount, and
 * those that may have been renamed have the same section and amount. Nothing else may have them.
 */
function matchesWithoutIds(
  gone: readonly Account[],
  added: readonly Account[],
): ReadonlyMap<Account, { readonly is: Account; readonly isSure: boolean }> {
  const matches = new Map<Account, { readonly is: Account; readonly isSure: boolean }>()
  const candidates = [gone, added].map((accounts) =>
    accounts.filter(
      ({ lines, amount, name }) =>
        lines.every(({ row }) => row.id === '') && !isZero(amount) && !isNetIncome(name),
    ),
  )
  for (const [isSure, wordsOf] of [
    [true, ({ name }: Account) => lastName(accountPath(name))],
    [false, ({ place }: Account) => placeKey(place)],
  ] as const) {
    const taken = new Set([...matches].flatMap(([was, { is }]) => [was, is]))
    const [before, after] = candidates.map((accounts) =>
      Map.groupBy(
        accounts.filter((each) => !taken.has(each)),
        (each) => `${canonicalDecimal(debitOf(each))} ${wordsOf(each)}`,
      ),
    )
    for (const [key, [was, ...others]] of before ?? []) {
      const [is, ...more] = after?.get(key) ?? []
      if (was !== undefined && is !== undefined && others.length + more.length === 0)
        matches.set(was, { is, isSure })
    }
  }
  return matches
}

function debitOf({ amount, side }: Account): Decimal {
  return side === 'credit' ? negateDecimal(amount) : amount
}

/** Account numbers may be switched on and off. */
function placeKey(place: readonly string[]): string {
  return place.map(nameWithoutNumber).join(' › ')
}

interface RenamedSection {
  readonly from: readonly string[]
  readonly to: readonly string[]
}

/** Finds sections that have another name now. Their accounts have not moved. */
function renamedSections(
  before: Compared,
  after: Compared,
  pairs: readonly Pair[],
): readonly RenamedSection[] {
  const outerPlaces = ({ accounts }: Compared): ReadonlySet<string> =>
    new Set(
      [...accounts.values()].flatMap(({ place }) => place.map((_, at) => placeKey(place.slice(0, at + 1)))),
    )
  const [placesBefore, placesAfter] = [outerPlaces(before), outerPlaces(after)]
  const renamed = new Map<string, RenamedSection & { accounts: number }>()
  /** Sections that their IDs tell to be the same. */
  const sure = new Set<string>()
  const mixed = new Set<string>()
  for (const { was, is } of pairs) {
    if (was === null || is === null || was.place.length !== is.place.length) continue
    const different = was.place.flatMap((each, at) =>
      placeKey([each]) === placeKey([is.place[at] ?? '']) ? [] : [at],
    )
    const [at, ...others] = different
    if (at === undefined || others.length > 0) continue
    const [from, to] = [was.place.slice(0, at + 1), is.place.slice(0, at + 1)]
    if (placesAfter.has(placeKey(from)) || placesBefore.has(placeKey(to))) continue
    const known = renamed.get(placeKey(from))
    if (known !== undefined && placeKey(known.to) !== placeKey(to)) mixed.add(placeKey(from))
    renamed.set(placeKey(from), { from, to, accounts: (known?.accounts ?? 0) + 1 })
    const [idBefore, idAfter] = [was, is].map(({ sections }) => sections[at]?.id ?? '')
    if (idBefore !== '' && idBefore === idAfter) sure.add(placeKey(from))
  }
  // A section of one account may be gone because the account moved, unless an account was renamed likewise.
  const isOfAccount = ({ from, to }: RenamedSection): boolean =>
    pairs.some(
      ({ was, is }) =>
        was !== null && is !== null && ownName(was) === from.at(-1) && ownName(is) === to.at(-1),
    )
  return [...renamed].flatMap(([key, each]) =>
    !mixed.has(key) && (each.accounts > 1 || sure.has(key) || isOfAccount(each)) ? [each] : [],
  )
}

function renaming(was: Account, is: Account): string {
  const [before, after] = [ownName(was), ownName(is)]
  const [bare, bareNow] = [withoutNumber(before), withoutNumber(after)]
  const isNumberedOnce = (bare === before) !== (bareNow === after)
  if (isNumberedOnce ? bare === bareNow : before === after) return ''
  return `renamed from ${before}`
}

/** The name of an account without those above it, as written. */
function ownName({ name }: Pick<Account, 'name'>): string {
  return name.slice(name.lastIndexOf(':') + 1).trim()
}

function withoutNumber(name: string): string {
  return name.slice(name.length - nameWithoutNumber(name).length)
}

/** Whether only one of the names has the accounts above it, which an application may leave out. */
function isNamedShorter(was: Account, is: Account): boolean {
  const [before, after] = [was, is].map(({ name }) => name.includes(':'))
  const [around, aroundNow] = [was, is].map(({ sections }) => placeKey(namesOf(sections)))
  const isSame = was.key === is.key && is.lines.every(({ row }) => row.id !== '')
  return isSame && before !== after && around === aroundNow
}

function moving(was: Account, is: Account, sections: readonly RenamedSection[]): string {
  const renamed = sections.find(({ from }) => placeKey(was.place.slice(0, from.length)) === placeKey(from))
  const before = renamed === undefined ? was.place : [...renamed.to, ...was.place.slice(renamed.to.length)]
  const after = is.place
  if (placeKey(before) === placeKey(after) || isNamedShorter(was, is)) return ''
  const at = before.findIndex((each, index) => placeKey([each]) !== placeKey([after[index] ?? '']))
  const common = at < 0 ? before.length : at
  const around = before[common - 1]
  const [from, to] = [before, after].map((place) => place.slice(common))
  const [left, right] = [from?.at(-1) ?? around, to?.at(-1) ?? around]
  if (left === undefined) return `moved to ${right ?? ''}`
  if (right === undefined) return `moved out of ${left}`
  return left === right
    ? `moved from ${(from ?? []).join(' › ')} to ${(to ?? []).join(' › ')}`
    : `moved from ${left} to ${right}`
}

/** Returns the totals that differ although no amount in them does: something in them moved, or they are wrong. */
function changedTotals(
  before: Compared,
  after: Compared,
  changed: ReadonlySet<ReportRow>,
  findings: RuleFindings,
): readonly Difference[] {
  const [kept, now] = [totalsOf(before, changed), totalsOf(after, changed)]
  return [...kept].flatMap(([key, was]): Difference[] => {
    const is = now.get(key)
    if (was === null || is === null || is === undefined || was.isExplained || is.isExplained) return []
    if (was.text === is.text) return []
    const [left, right] = [was.text, is.text].map((text) => (text === '' ? ZERO : parseDecimal(text)))
    if (!left || !right) {
      findings.unchecked.add(`The amount of ${is.name} can’t be read: “${is.text.slice(0, 40)}”.`)
      return []
    }
    const difference = canonicalDecimal(subtractDecimals(right, left))
    if (isZero(difference)) return []
    return [{ key: '', account: is.name, side: is.side, kept: left, now: right, difference, says: '' }]
  })
}

interface Total {
  readonly name: string
  readonly text: string
  readonly side: Finding['side']
  /** Whether an amount in it has changed. */
  readonly isExplained: boolean
}

/** The totals of a statement by their sections and names; `null` for several that can’t be told apart. */
function totalsOf(
  { rows, column }: Compared,
  changed: ReadonlySet<ReportRow>,
): ReadonlyMap<string, Total | null> {
  const totals = new Map<string, Total | null>()
  if (column === null) return totals
  const touched = new Set<number>()
  for (const row of changed) for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) touched.add(at)
  for (const row of rows) {
    if (row.kind !== 'subtotal' && row.kind !== 'total') continue
    const name = row.name.trim()
    const place = namesOf(sectionsAround(row, rows))
    const key = placeKey([...place, name])
    const sections = place.map((each) => each.toLowerCase())
    const side = positiveSide({ key, name, row, sections })
    const isExplained = row.parent < 0 ? changed.size > 0 : touched.has(row.parent)
    const total = { name, text: row.values[column]?.trim() ?? '', side, isExplained }
    totals.set(key, totals.has(key) ? null : total)
  }
  return totals
}

/** Returns the sections around a row, outermost first. */
function sectionsAround({ parent }: Pick<ReportRow, 'parent'>, rows: readonly ReportRow[]): ReportRow[] {
  const around: ReportRow[] = []
  for (let at = rows[parent]; at !== undefined; at = rows[at.parent]) around.unshift(at)
  return around
}

function namesOf(sections: readonly Pick<ReportRow, 'name'>[]): readonly string[] {
  return sections.map(({ name }) => name.trim())
}

/** Returns the sections around an account, and the accounts above it that its name tells: *Office:Telephone*. */
function placeOfAccount(
  { row, name }: Line,
  rows: readonly ReportRow[],
): Pick<Account, 'place' | 'sections'> {
  const sections = sectionsAround(row, rows)
  // An account’s own amounts are in the section of that account.
  if (nameWithoutNumber(sections.at(-1)?.name ?? '') === lastName(accountPath(name))) sections.pop()
  const around = namesOf(sections)
  const above = name
    .split(':')
    .slice(0, -1)
    .map((each) => each.trim())
  const known = above.findLastIndex(
    (_, at) => placeKey(around.slice(-at - 1)) === placeKey(above.slice(0, at + 1)),
  )
  return { place: [...around, ...above.slice(known + 1)], sections }
}

function accountsOf(
  rows: readonly ReportRow[],
  lines: readonly Line[],
  amountOf: (line: Line) => Decimal,
  sideOf: (line: Line) => Finding['side'],
): ReadonlyMap<string, Account> {
  const sums = sumsByKey(lines, amountOf)
  const accounts = [...Map.groupBy(lines, ({ key }) => key)].flatMap(([key, those]): [string, Account][] => {
    const line = those.at(-1)
    if (line === undefined) return []
    const { name } = line
    const amount = sums.get(key) ?? ZERO
    return [[key, { key, name, lines: those, amount, side: sideOf(line), ...placeOfAccount(line, rows) }]]
  })
  return new Map(accounts)
}

/**
 * Returns amounts by account: for a trial balance with debits positive, for a balance sheet on its last day,
 * for a profit and loss of the month alone, or of its whole period (`isByTotal`).
 */
function amountsOf(
  statement: FullReport,
  lines: readonly Line[],
  month: string,
  findings: RuleFindings,
  isByTotal: boolean,
): Compared {
  const { name, rows } = statement
  if (name === 'TrialBalance') {
    const debits = new Map(trialBalances(statement, findings).map(({ row, debit }) => [row, debit]))
    const accounts = accountsOf(
      rows,
      lines,
      ({ row }) => debits.get(row) ?? ZERO,
      () => 'debit',
    )
    return { rows, column: null, accounts }
  }
  const column = name === 'BalanceSheet' || isByTotal ? totalColumn(statement) : monthColumn(statement, month)
  return {
    rows,
    column,
    accounts: accountsOf(rows, lines, (line) => amountAt(line, column, findings), positiveSide),
  }
}

/** Returns the column of a month. Beside it, there may be its budget, or the year to date. */
function monthColumn(statement: FullReport, month: string): number {
  const [only, ...others] = isOfMonth(statement, month) ? amountColumns(statement) : []
  const column = monthColumns(statement, month)?.at(-1) ?? (others.length === 0 ? only : undefined)
  if (column === undefined)
    throw new NotCheckedError('The application didn’t provide profit and loss by month.')
  return column
}

/**
 * Returns the amounts of a trial balance with unknown column names: a change is the same whichever column has the
 * debits.
 */
function columnDifferences(statement: FullReport, lines: readonly Line[], findings: RuleFindings): Compared {
  const { columns, rows } = statement
  const [debit, credit, ...others] = amountColumns(statement)
  if (columns.some((each) => /\bdebits?\b/i.test(each)) || debit === undefined || others.length > 0) {
    return amountsOf(statement, lines, '', findings, false)
  }
  const amountOf = (line: Line): Decimal => {
    const amount = amountAt(line, debit, findings)
    return credit === undefined ? amount : subtractDecimals(amount, amountAt(line, credit, findings))
  }
  // It isn't known which column has the debits.
  return { rows, column: null, accounts: accountsOf(rows, lines, amountOf, () => '') }
}
