/**
 * Watches closed months: whenever a report of a company is read, by hand, for files, or for a review, it is compared
 * with what was kept of the company's closed months.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  KeptMonth,
  KeptReading,
  MonthChange,
  MonthEvent,
  NotCompared,
} from '../../../shared/contract/review.ts'
import { absoluteDecimal, compareDecimals, parseDecimal } from '../../../shared/format/money.ts'
import { type ReportHead, reportTitle } from '../../../shared/reports/reports.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { type ChangedAmount, trailEntries } from '../../../shared/review/review.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { withSharedKeys } from '../../review/account-names.ts'
import { compareStatements, isComparable } from '../../review/compare.ts'
import type { FullReport, ReadResult } from '../../review/evidence/evidence.ts'
import type { ReportRows } from '../../rows/rows.ts'
import { resultOf } from '../../store/database.ts'
import { isStatementMissing, type MonthStep, type MonthStore, STATEMENTS } from '../../store/months.ts'
import { pullHeld } from '../reports/report-reader.ts'
import { copiedHead, copiedStatement, statementOf } from './copies.ts'

export interface MonthWatch {
  /** Compares a report that was just read. Never fails: a month says what couldn’t be compared, and why. */
  onReport(company: CompanyRef, head: ReportHead): Promise<void>
  /** Compares all reports of a closed month after they were read again. */
  compareAll(company: CompanyRef, month: string): Promise<Result<void>>
}

export interface MonthWatchOptions {
  readonly store: MonthStore
  readonly rows: Pick<ReportRows, 'reportChunk'>
  readonly clock: Clock
  /** Tells the window that a month changed. */
  readonly changed: (company: CompanyRef, month: string) => void
  readonly defect: (cause: unknown) => void
}

/** The result of a comparison, by report title. */
interface Comparison {
  readonly compared: ReadonlySet<string>
  readonly amounts: readonly ChangedAmount[]
  readonly notCompared: readonly NotCompared[]
  /** Entries that the audit trail has more or fewer; `null` if it wasn’t compared. */
  readonly entries: number | null
}

const NOTHING_COMPARED: Comparison = {
  compared: new Set(),
  amounts: [],
  notCompared: [],
  entries: null,
}

export function createMonthWatch(options: MonthWatchOptions): MonthWatch {
  const { store, rows, clock } = options

  /** The reports that were kept at the last close of a month. */
  const keptReadings = (company: CompanyRef, month: string, value: KeptMonth): readonly KeptReading[] => {
    if (value.closed === null) return []
    const version = store.version(company, month, value.closed.version)
    return (version?.readings ?? []).filter(
      ({ source, copyId, reason }) => STATEMENTS.has(source) && copyId !== '' && reason === '',
    )
  }

  /** Saves the results of some of the reports. `isWhole`: all of the month's reports were read again. */
  const save = (company: CompanyRef, month: string, found: Comparison, isWhole: boolean): void => {
    const value = store.get(company, month)
    if (value === null || value.closed === null) return
    const before = value.change
    const isCompared = ({ report }: { readonly report: string }): boolean => found.compared.has(report)
    const isLookedAt = (each: { readonly report: string }): boolean =>
      isCompared(each) || found.notCompared.some(({ report }) => report === each.report)
    // What couldn’t be compared now differs as far as is known.
    const left = (before?.amounts ?? []).filter((each) => !isCompared(each))
    const amounts = withSharedKeys([...left, ...found.amounts])
    const notCompared = [...value.notCompared.filter((each) => !isLookedAt(each)), ...found.notCompared]
    const entries = found.entries ?? before?.entries ?? 0
    const isSame =
      !isWhole &&
      JSON.stringify([before?.amounts ?? [], value.notCompared]) === JSON.stringify([amounts, notCompared])
    if (isSame) return
    const at = timestamp(clock)
    // A complete report that no one can compare doesn't keep a change from being accepted.
    const isComplete = isWhole && !value.readings.some(isStatementMissing)
    const change: MonthChange | null =
      amounts.length === 0 && entries === 0
        ? null
        : { noticedAt: before?.noticedAt ?? at, isComplete, amounts, entries }
    const subject = describeChange(change)
    const act = change === null ? 'change-gone' : 'change-noticed'
    const event: MonthEvent | null =
      subject === describeChange(before) ? null : { at, by: '', act, subject, note: '', otherMonth: null }
    const step: MonthStep = {
      value: { ...value, change, notCompared },
      events: event === null ? [] : [event],
    }
    store.save(company, month, step)
    options.changed(company, month)
  }

  const compareOne = async (
    company: CompanyRef,
    month: string,
    kept: KeptReading,
    head: ReportHead,
  ): Promise<void> => {
    const report = reportTitle(kept.name)
    const notComparable = (reason: string): void => {
      save(company, month, { ...NOTHING_COMPARED, notCompared: [{ report, reason }] }, false)
    }
    const keptHead = copiedHead(store, kept)
    if (!keptHead.ok) {
      notComparable(keptHead.error.message)
      return
    }
    if (!isComparable(keptHead.value, head, month)) return
    if (head.notes.length > 0) {
      notComparable(`It may be incomplete. ${head.notes.join(' ')}`)
      return
    }
    const before = await copiedStatement(store, kept)
    const now = await statementOf(head, pullHeld(rows, head))
    const changed = comparedWith(before, now, month)
    if (changed.ok) {
      const compared = new Set([report])
      save(company, month, { ...NOTHING_COMPARED, compared, amounts: changed.value }, false)
    } else notComparable(changed.reason)
  }

  return {
    async onReport(company, head) {
      try {
        for (const { month, value } of store.inStates(company, ['closed', 'changed'])) {
          for (const kept of keptReadings(company, month, value)) {
            if (kept.name === head.name) await clock.during(compareOne(company, month, kept, head))
          }
        }
      } catch (cause) {
        options.defect(cause)
      }
    },

    async compareAll(company, month) {
      const value = store.get(company, month)
      if (value === null || value.closed === null) return ok(undefined)
      const compared = new Set<string>()
      const amounts: ChangedAmount[] = []
      const notCompared: NotCompared[] = []
      for (const kept of keptReadings(company, month, value)) {
        const title = reportTitle(kept.name)
        const current = value.readings.find(({ source }) => source === kept.source)
        if (current === undefined || current.state !== 'read' || current.reason !== '') {
          notCompared.push({ report: title, reason: notReadReason(current) })
          continue
        }
        const before = await copiedStatement(store, kept)
        const now = await copiedStatement(store, current)
        const changed = comparedWith(before, now, month)
        if (!changed.ok) {
          notCompared.push({ report: title, reason: changed.reason })
          continue
        }
        compared.add(title)
        amounts.push(...changed.value)
      }
      const trail = store.outcomes(company, month).find(({ rule }) => rule === 'changed-after-close')
      const isTrailRead = trail?.result === 'found' || trail?.result === 'clean'
      const keptTrail = store
        .version(company, month, value.closed.version)
        ?.readings.find(({ source, state }) => source === 'audit-trail' && state !== 'not-offered')
      if (keptTrail !== undefined) {
        const report = reportTitle(keptTrail.name)
        if (keptTrail.copyId === '' || keptTrail.reason !== '') {
          notCompared.push({ report, reason: 'It wasn’t read completely when the month was closed.' })
        } else if (isTrailRead) compared.add(report)
        else {
          const current = value.readings.find(({ source }) => source === keptTrail.source)
          notCompared.push({ report, reason: notReadReason(current) })
        }
      }
      const entries = isTrailRead ? trailEntries(trail.result === 'found' ? trail.findings : []).size : null
      return resultOf(() => {
        save(company, month, { compared, amounts, notCompared, entries }, true)
      })
    },
  }
}

function comparedWith(
  before: Result<FullReport>,
  now: Result<FullReport>,
  month: string,
): ReadResult<readonly ChangedAmount[]> {
  if (!before.ok) return { ok: false, reason: before.error.message }
  if (!now.ok) return { ok: false, reason: now.error.message }
  return compareStatements(before.value, now.value, month)
}

function notReadReason(reading: KeptReading | undefined): string {
  return `It wasn’t read again. ${reading?.reason ?? ''}`.trim()
}

/**
 * How many accounts and entries changed, and the largest difference; empty if no amount differs. Net income and totals
 * follow from accounts.
 */
export function changeSize({ amounts, entries }: Pick<MonthChange, 'amounts' | 'entries'>): {
  readonly accounts: number
  readonly amount: string
  readonly entries: number
} {
  const sizes = amounts.flatMap(({ difference }) => parseDecimal(difference) ?? []).map(absoluteDecimal)
  const amount = sizes.toSorted(compareDecimals).at(-1) ?? ''
  const accounts = new Set(amounts.map(({ key }) => key).filter((key) => key !== ''))
  // Something is different, even if only a total is.
  return { accounts: amounts.length === 0 ? 0 : Math.max(accounts.size, 1), amount, entries }
}

/** *2 accounts, 1250, 4 entries*; empty for no change. */
export function describeChange(change: MonthChange | null): string {
  if (change === null) return ''
  const { accounts, amount, entries } = changeSize(change)
  const counted = (count: number, one: string, many: string): readonly string[] =>
    count === 0 ? [] : [`${String(count)} ${count === 1 ? one : many}`]
  return [
    ...counted(accounts, 'account', 'accounts'),
    ...(amount === '' ? [] : [amount]),
    ...counted(entries, 'entry', 'entries'),
  ].join(', ')
}
