/**
 * Reviews a month from what was read for it. Reports and accounts are kept on disk. Customers and vendors stay in memory
 * only, because they hold addresses and phone numbers. Once they are gone, the rules that use them keep their outcomes
 * until they are checked again.
 */
import { companyKey } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type KeptMonth,
  type KeptOutcome,
  type KeptReading,
  MONTH_STATES,
} from '../../../shared/contract/review.ts'
import { parseDecimal } from '../../../shared/format/money.ts'
import { listName } from '../../../shared/records/definition.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import type { Result } from '../../../shared/result.ts'
import { DEFAULT_REVIEW_SETTINGS, type ReviewSettings } from '../../../shared/review/review.ts'
import { type RuleId, RULES, type RuleText, type Source } from '../../../shared/review/rules.ts'
import type {
  Evidence,
  FullReport,
  LedgerFacts,
  ListedRecord,
  ReadResult,
} from '../../review/evidence/evidence.ts'
import { lastMonthOfPriorYear, monthHeading, monthsIntoYear } from '../../review/evidence/month-headings.ts'
import { type LedgerNames, LedgerReader } from '../../review/ledger-reader.ts'
import { namesInLedger } from '../../review/lists.ts'
import { isOffered, monthBefore, sourceTitle } from '../../review/plan.ts'
import { reviewMonth } from '../../review/review.ts'
import { checkReport } from '../../rows/reports/checks.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { monthState, type MonthStore } from '../../store/months.ts'
import { copiedHead, copiedRecords, copiedRows, copiedStatement } from './copies.ts'
import { decisionsIn } from './decisions.ts'

/** Lists of companies that were read in this run of the program. */
export interface ListMemory {
  get(company: CompanyRef, source: Source): readonly ListedRecord[] | undefined
  put(company: CompanyRef, source: Source, records: readonly ListedRecord[]): void
  forget(company: CompanyRef): void
}

/** @param most records of all lists together; the lists that were read first are forgotten first */
export function createListMemory(most: number): ListMemory {
  const lists = new Map<string, readonly ListedRecord[]>()
  let held = 0
  const drop = (key: string): void => {
    held -= lists.get(key)?.length ?? 0
    lists.delete(key)
  }
  return {
    get: (company, source) => lists.get(companyKey(company, source)),
    put(company, source, records) {
      const key = companyKey(company, source)
      drop(key)
      lists.set(key, records)
      held += records.length
      for (const oldest of lists.keys()) {
        if (held <= most || oldest === key) break
        drop(oldest)
      }
    },
    forget(company) {
      for (const source of ['accounts', 'customers', 'vendors'] as const) drop(companyKey(company, source))
    },
  }
}

/** The thresholds and words of a company: the program's, then its connection's, then its own. */
export function settingsOf(
  store: MonthStore,
  { connectionId, endpointId }: { readonly connectionId: string; readonly endpointId: string | null },
): ReviewSettings {
  const own = endpointId === null ? {} : store.settings(connectionId, endpointId)
  return mergeSettings(DEFAULT_REVIEW_SETTINGS, store.settings(connectionId, null), own)
}

function mergeSettings(
  base: ReviewSettings,
  ...changes: readonly { readonly [name in keyof ReviewSettings]?: ReviewSettings[name] | undefined }[]
): ReviewSettings {
  let { percent, amount, largeEntry, emptyAccounts } = base
  for (const change of changes) {
    percent = change.percent ?? percent
    amount = change.amount ?? amount
    largeEntry = change.largeEntry ?? largeEntry
    emptyAccounts = change.emptyAccounts ?? emptyAccounts
  }
  return { percent, amount, largeEntry, emptyAccounts }
}

/** The outcome of every rule now. */
export async function evaluateMonth(
  store: MonthStore,
  memory: ListMemory,
  company: StoredCompany,
  month: string,
  value: KeptMonth,
): Promise<readonly KeptOutcome[]> {
  const settings = settingsOf(store, company.ref)
  const readings = new Map(value.readings.map((reading) => [reading.source, reading]))
  const statements = new Map<Source, ReadResult<FullReport>>()
  const lists = new Map<Source, ReadResult<readonly ListedRecord[]>>()
  const gone = goneLists(memory, company.ref, value.readings)
  let ledger: ReadResult<LedgerFacts> = lacking(company, 'ledger')
  for (const reading of value.readings) {
    const { source, copyId } = reading
    const unread = unusableReason(reading)
    if (unread !== null) {
      if (reading.kind === 'list') lists.set(source, unread)
      else if (source === 'ledger') ledger = unread
      else statements.set(source, unread)
    } else if (reading.kind === 'list') {
      const held = memory.get(company.ref, source)
      if (held !== undefined) lists.set(source, { ok: true, value: held })
      else if (copyId !== '') lists.set(source, readOf(reading, await copiedRecords(store, copyId)))
      else lists.set(source, { ok: false, reason: `${titleOf(reading)} must be read again.` })
    } else if (source === 'ledger') {
      ledger = readOf(reading, await ledgerFacts(store, reading, settings, wantedNames(lists)))
    } else {
      statements.set(source, readOf(reading, await copiedStatement(store, reading)))
    }
  }
  const earlier = await lastKept(store, company, month, readings)
  const { closed } = value
  const before = new Map(store.outcomes(company.ref, month).map((outcome) => [outcome.rule, outcome]))
  const decisionOn = decisionsIn(store, company.ref, month, closed)
  const evidence: Evidence = {
    month,
    fiscalYearStart: company.fiscalYearStart,
    settings,
    closedAt: closed?.at ?? null,
    openBefore: (rule) => {
      const outcome = before.get(rule)
      return outcome?.result === 'found' ? outcome.findings.filter((each) => decisionOn(each) === null) : []
    },
    foundLastMonth: findingIn(store, company.ref, monthBefore(month)),
    statement: (source) => {
      if (source === 'last-kept') return earlier?.balanceSheet ?? NOT_READ_EARLIER
      if (source === 'last-kept-profit-and-loss') return earlier?.profitAndLoss ?? NOT_READ_EARLIER
      return statements.get(source) ?? lacking(company, source)
    },
    isFirstReading: earlier === null,
    isPriorYearOpen: isPriorYearOpen(store, company, month),
    list: (source) => lists.get(source) ?? lacking(company, source),
    ledger,
    checkSums: checkReport,
  }
  const keptTrail = closed === null ? null : await trailAt(store, company.ref, month, closed.version)
  return reviewMonth(evidence, keptTrail).map((outcome): KeptOutcome => {
    const earlier = before.get(outcome.rule)
    const isKnown = earlier !== undefined && earlier.result !== 'not-checked'
    if (isKnown && usesAny(outcome.rule, gone)) return earlier
    return { ...outcome, checkedAt: checkedAt(outcome.rule, readings) }
  })
}

function findingIn(store: MonthStore, company: CompanyRef, month: string): Evidence['foundLastMonth'] {
  const findings = store
    .outcomes(company, month)
    .flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
  const decisionOn = decisionsIn(store, company, month, store.get(company, month)?.closed ?? null)
  return (key) => {
    const finding = findings.find((each) => each.key === key)
    if (finding === undefined) return null
    return decisionOn(finding)?.kind === 'accepted' ? 'accepted' : 'open'
  }
}

/** The lists that were read for a month but are neither kept nor in memory. */
export function goneLists(
  memory: ListMemory,
  company: CompanyRef,
  readings: readonly KeptReading[],
): ReadonlySet<Source> {
  const gone = readings.filter(
    (each) =>
      each.kind === 'list' &&
      each.copyId === '' &&
      unusableReason(each) === null &&
      memory.get(company, each.source) === undefined,
  )
  return new Set(gone.map(({ source }) => source))
}

/** Without a list, a rule may find something else, or know it by another key, so that decisions about it are lost. */
function usesAny(rule: RuleId, gone: ReadonlySet<Source>): boolean {
  const { needs, helps = [] }: RuleText = RULES[rule]
  return [...needs, ...helps].some((source) => gone.has(source))
}

/**
 * The reports that rules, or the watch on a closed month, compare with each other. A correction in the books changes
 * all of them.
 */
const MOVED_TOGETHER: ReadonlySet<Source> = new Set([
  'trial-balance',
  'balance-sheet',
  'profit-and-loss',
  'receivables',
  'ledger',
  'audit-trail',
])

/**
 * Returns what **Check again** reads: what the rule needs, and the missing lists that it uses. If the rule needs more
 * than lists, also every copy that must not be older, and all missing lists. Otherwise, other rules would keep outcomes
 * that are older than their reports.
 */
export function toCheckAgain(
  rule: RuleId,
  readings: readonly KeptReading[],
  gone: ReadonlySet<Source>,
): readonly Source[] {
  const { needs, helps = [] }: RuleText = RULES[rule]
  const isOfReports = readings.some(({ source, kind }) => kind === 'report' && needs.includes(source))
  return readings
    .filter(
      ({ source, copyId }) =>
        needs.includes(source) ||
        ((isOfReports || helps.includes(source)) && gone.has(source)) ||
        (isOfReports && copyId !== '' && MOVED_TOGETHER.has(source)),
    )
    .map(({ source }) => source)
}

/**
 * Marks statements, what is compared with them, and lists that aren’t kept as waiting to be read again. Copies stay
 * until then.
 */
export function waitingAgain(readings: readonly KeptReading[]): readonly KeptReading[] {
  return readings.map((each) => {
    const isOld = each.copyId === '' ? each.kind === 'list' : MOVED_TOGETHER.has(each.source)
    return isOld ? { ...each, state: 'waiting', reason: '' } : each
  })
}

function checkedAt(rule: RuleId, readings: ReadonlyMap<Source, KeptReading>): string {
  const { needs }: RuleText = RULES[rule]
  const times = needs.flatMap((source) => readings.get(source)?.readAt || [])
  return times.toSorted()[0] ?? ''
}

/** The names of customers and vendors to look for in the ledger. Lists are read before it. */
function wantedNames(lists: ReadonlyMap<Source, ReadResult<readonly ListedRecord[]>>): LedgerNames {
  const people = (['customers', 'vendors'] as const).flatMap((source) => {
    const list = lists.get(source)
    return list?.ok === true ? list.value : []
  })
  return namesInLedger(people)
}

async function ledgerFacts(
  store: MonthStore,
  reading: KeptReading,
  { largeEntry }: ReviewSettings,
  names: LedgerNames,
): Promise<Result<LedgerFacts>> {
  const head = copiedHead(store, reading)
  if (!head.ok) return head
  const reader = new LedgerReader(head.value, parseDecimal(largeEntry), names)
  for await (const batch of copiedRows(store, reading.copyId)) {
    if (!batch.ok) return batch
    reader.add(batch.value)
  }
  return { ok: true, value: reader.finish() }
}

const NOT_READ_EARLIER = { ok: false, reason: 'No earlier month was read.' } as const

interface LastKept {
  readonly balanceSheet: ReadResult<FullReport>
  /** Of the same reading. */
  readonly profitAndLoss: ReadResult<FullReport>
}

/**
 * Opens the last statements of an earlier month that were kept before this month’s were read; `null` if none of an earlier
 * month was ever read.
 */
async function lastKept(
  store: MonthStore,
  { ref: company, fiscalYearStart }: StoredCompany,
  month: string,
  readings: ReadonlyMap<Source, KeptReading>,
): Promise<LastKept | null> {
  const opened = async (reading: KeptReading | undefined): Promise<ReadResult<FullReport>> =>
    reading === undefined
      ? NOT_READ_EARLIER
      : (unusableKept(store, reading) ?? readOf(reading, await copiedStatement(store, reading)))
  const readAt = readings.get('balance-sheet-1')?.readAt ?? ''
  const reasons: string[] = []
  let isReadSince = true
  for (const { month: earlier, value } of store.inStates(company, MONTH_STATES).toReversed()) {
    if (earlier >= month) continue
    const isYearEnd = monthsIntoYear(earlier, fiscalYearStart) === 12
    for (const { balanceSheet: reading, profitAndLoss } of keptStatements(store, company, earlier, value)) {
      // Net income of a year isn’t final before the year is over.
      const early =
        isYearEnd && reading.isEarly ? `${titleOf(reading)} was read before the month was over.` : null
      const unread = unusableKept(store, reading)?.reason ?? early
      if (unread === null && reading.readAt <= readAt)
        return { balanceSheet: await opened(reading), profitAndLoss: await opened(profitAndLoss) }
      if (unread !== null) isReadSince = false
      const why = unread ?? `${titleOf(reading)} was read after this month’s.`
      reasons.push(`${monthHeading(earlier)}: ${why}`)
    }
    if (isYearEnd && !isReadSince) break
  }
  const [first] = reasons
  if (first === undefined) return null
  const reason = isReadSince
    ? ALL_READ_SINCE
    : `Retained earnings were not compared with those of an earlier month. ${first}`
  const missing = { ok: false, reason } as const
  return { balanceSheet: missing, profitAndLoss: missing }
}

const ALL_READ_SINCE =
  'The balance sheets of the earlier months were all read after this month’s, so retained earnings were not compared with them.'

interface KeptStatements {
  readonly balanceSheet: KeptReading
  readonly profitAndLoss: KeptReading | undefined
}

/**
 * Returns the statements that were kept of a month, those to compare with first. While the month is closed or waits to be
 * read again, these are its newest version’s.
 */
function keptStatements(
  store: MonthStore,
  company: CompanyRef,
  month: string,
  { readings, closed }: KeptMonth,
): readonly KeptStatements[] {
  const statementsIn = (all: readonly KeptReading[]): readonly KeptStatements[] => {
    const kept = all.filter(({ state, copyId }) => copyId !== '' || state === 'failed')
    const profitAndLoss = kept.find(({ source }) => source === 'profit-and-loss')
    return kept
      .filter(({ source }) => source === 'balance-sheet')
      .map((balanceSheet) => ({ balanceSheet, profitAndLoss }))
  }
  const versions = store.versions(company, month).flatMap(({ value }) => statementsIn(value.readings))
  if (closed !== null) return versions
  const current = statementsIn(readings)
  return current.some(({ balanceSheet }) => balanceSheet.state === 'waiting')
    ? [...versions, ...current]
    : [...current, ...versions]
}

/** Why a kept report can’t be compared; `null` if it can. One that waits to be read again can, if it was whole. */
function unusableKept(store: MonthStore, reading: KeptReading): ReturnType<typeof unusableReason> {
  if (reading.state !== 'waiting') return unusableReason(reading)
  const head = copiedHead(store, reading)
  const reason = head.ok ? head.value.notes.join(' ') : head.error.message
  return unusableReason({ ...reading, state: 'read', reason })
}

/** See `Evidence`. A month that was closed has a version. */
function isPriorYearOpen(store: MonthStore, { ref, fiscalYearStart }: StoredCompany, month: string): boolean {
  const last = lastMonthOfPriorYear(month, fiscalYearStart)
  const since = store.inStates(ref, MONTH_STATES).filter((each) => each.month >= last && each.month < month)
  return (
    since[0]?.month === last &&
    since.every(
      (each) => monthState(each.value) !== 'reviewed' && store.versions(ref, each.month).length === 0,
    )
  )
}

async function trailAt(
  store: MonthStore,
  company: CompanyRef,
  month: string,
  version: number,
): Promise<FullReport | null> {
  const kept = store.version(company, month, version)
  const trail = kept?.readings.find(({ source }) => source === 'audit-trail')
  if (trail === undefined || trail.copyId === '' || trail.reason !== '') return null
  const statement = await copiedStatement(store, trail)
  return statement.ok ? statement.value : null
}

function titleOf({ kind, name }: Pick<KeptReading, 'kind' | 'name'>): string {
  return kind === 'list' ? listName(name) : reportTitle(name)
}

/** Why a reading can't be used; `null` if it can. */
export function unusableReason(
  reading: Omit<KeptReading, 'copyId' | 'hasCents'>,
): { readonly ok: false; readonly reason: string } | null {
  const title = titleOf(reading)
  switch (reading.state) {
    case 'waiting':
      return { ok: false, reason: `${title}: not read yet.` }
    case 'failed':
      return { ok: false, reason: `${title}: not read. ${reading.reason}` }
    case 'not-offered':
      return { ok: false, reason: `${title}: not available. ${reading.reason}` }
    case 'read':
      return reading.reason === ''
        ? null
        : { ok: false, reason: `${title} may be incomplete. ${reading.reason}` }
  }
}

function readOf<T>(reading: KeptReading, opened: Result<T>): ReadResult<T> {
  if (opened.ok) return opened
  return { ok: false, reason: `${titleOf(reading)}: ${opened.error.message}` }
}

/** What a month has no reading for. A report that its application offers may still be missing, if its application changed. */
function lacking(
  { application, applicationName }: StoredCompany,
  source: Source,
): { readonly ok: false; readonly reason: string } {
  if (isOffered(application, source)) {
    return { ok: false, reason: `${sourceTitle(source)}: not read yet. Get the reports again.` }
  }
  return { ok: false, reason: `${applicationName} doesn’t offer this report: ${sourceTitle(source)}.` }
}
