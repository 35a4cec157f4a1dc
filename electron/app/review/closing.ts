/** Closing months: closing, reopening, and accepting what changed since. Each closed version keeps its reports. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type KeptMonth,
  type KeptOutcome,
  type KeptReading,
  type KeptVersion,
  MONTH_STATES,
  type MonthEvent,
  type MonthRow,
} from '../../../shared/contract/review.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { HandlersOf } from '../calls.ts'
import { copiedHead, copiedRows } from './copies.ts'
import { countOpen, type DecisionOn, decisionsIn, problemKey, recount } from './decisions.ts'
import { waitingAgain } from './evaluate.ts'
import { closeRefusal, type MonthContext, notReadAgain, sourcesToRead } from './month-rows.ts'
import { findingTitle, IS_CLOSED, NOT_READ, reasonsOf } from './reviews.ts'
import { describeChange } from './watch.ts'

export type ClosingHandlers = Pick<
  HandlersOf<'months'>,
  'months.close' | 'months.reopen' | 'months.changes' | 'months.acceptChange' | 'months.history'
>

/** @param reviewAgain reviews an open month again from what was read */
export function createClosing(
  context: MonthContext,
  reviewAgain: (company: StoredCompany, month: string) => Promise<void>,
): ClosingHandlers {
  const { store, companies, clock, rows } = context

  const unlessReading = (company: CompanyRef, month: string): Result<void> =>
    context.isReading(company, month)
      ? err(appError('invalid-input', 'The reports of this month are being read.', 'Wait until it’s done.'))
      : ok(undefined)

  /** A damaged copy must not become the kept one. Lists are not kept: a closed month is about its reports. */
  const checkCopies = async (value: KeptMonth): Promise<Result<void>> => {
    for (const each of value.readings) {
      if (each.copyId === '' || each.kind === 'list') continue
      const head = copiedHead(store, each)
      if (!head.ok) return head
      for await (const batch of copiedRows(store, each.copyId)) if (!batch.ok) return batch
    }
    return ok(undefined)
  }

  const keepVersion = async (
    ref: CompanyRef,
    month: string,
    value: KeptMonth,
    note: string,
    act: 'closed' | 'change-accepted',
  ): Promise<Result<MonthRow>> => {
    const found = companies.find(ref)
    if (!found.ok) return found
    const checked = await checkCopies(value)
    if (!checked.ok) return checked
    const latest = store.get(ref, month)
    if (JSON.stringify(latest) !== JSON.stringify(value)) return err(CHANGED_MEANWHILE)
    const outcomes = store.outcomes(ref, month)
    const event = context.event(act, describeChange(value.change), note)
    const kept = decisionsIn(store, ref, month, value.closed)
    const current = decisionsIn(store, ref, month, null)
    // Later decisions in other months don't apply to the findings that this month was closed with.
    const decisionOn: DecisionOn = (finding) => kept(finding) ?? current(finding)
    const counts = countOpen(withoutTrail(outcomes), decisionOn)
    const number = (store.versions(ref, month)[0]?.version ?? 0) + 1
    const readings = value.readings.map((each) => (each.kind === 'list' ? { ...each, copyId: '' } : each))
    const trail = act === 'closed' ? null : unreadTrail(store, ref, month, value)
    const version: KeptVersion = {
      by: event.by,
      at: event.at,
      note,
      fiscalYearStart: found.value.fiscalYearStart,
      readings: readings.map((each) => (each.source === trail?.source ? trail : each)),
      outcomes,
      decisions: decisionsAbout(outcomes, decisionOn),
    }
    store.save(ref, month, {
      value: {
        ...context.touched(value),
        ...counts,
        readings,
        unreachableReason: '',
        closed: { version: number, by: event.by, at: event.at, open: counts.open },
        change: null,
        notCompared: value.notCompared.filter(
          ({ report }) => trail !== null && report === reportTitle(trail.name),
        ),
      },
      outcomes: withoutTrail(outcomes),
      version: { number, value: version },
      events: [event],
    })
    context.changed(ref, month)
    return rows.row(ref, month)
  }

  return {
    'months.close': async ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      if (value.closed !== null) return err(IS_CLOSED)
      const refused = closeRefusal(value)
      if (refused !== null) return err(refused)
      return clock.during(keepVersion(company, month, value, note, 'closed'))
    },

    'months.reopen': async ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const found = companies.find(company)
      if (!found.ok) return found
      const value = store.get(company, month)
      if (value === null || value.closed === null) return err(NOT_CLOSED)
      const outcomes = withoutTrail(store.outcomes(company, month))
      const { change, notCompared } = value
      // Reports and lists that differ from their copies must be read again before the copies can be kept.
      const isOutdated = change === null ? notCompared.length > 0 : !change.isComplete
      const readings = isOutdated ? waitingAgain(value.readings) : value.readings
      const open = { ...value, readings, closed: null, change: null, notCompared: [] }
      const reopened = recount(store, company, month, open, outcomes)
      const event = context.event('reopened', '', note)
      const events = [...decidedSince(store, company, month, value.closed, outcomes), event]
      store.save(company, month, { value: context.touched(reopened), outcomes, events })
      context.changed(company, month)
      // Its settings may have changed since it was closed.
      if (!isOutdated) await reviewAgain(found.value, month)
      return rows.row(company, month)
    },

    'months.changes': ({ company, month }) => {
      const row = rows.row(company, month)
      const found = companies.find(company)
      if (!row.ok) return row
      if (!found.ok) return found
      const value = store.get(company, month)
      const trail = store.outcomes(company, month).find(({ rule }) => rule === 'changed-after-close')
      return ok({
        month: row.value,
        change: value?.change ?? null,
        notCompared: value?.notCompared ?? [],
        notRead: value === null || context.isReading(company, month) ? '' : notReadAgain(value),
        entries: trail?.result === 'found' ? trail.findings : [],
        entriesNotChecked: trail === undefined ? 'Not checked yet.' : reasonsOf(trail).join(' '),
        closed: value?.closed ?? null,
        requests: rows.requestCount(sourcesToRead(found.value, month, value, true), value),
      })
    },

    'months.acceptChange': async ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const value = store.get(company, month)
      if (value === null || value.closed === null) return err(NOT_CLOSED)
      const { change } = value
      if (change === null)
        return err(appError('invalid-input', 'Nothing changed since this month was closed.'))
      const refused = change.isComplete ? closeRefusal({ ...value, open: 0 }) : READ_AGAIN_FIRST
      if (refused !== null) return err(refused)
      return clock.during(keepVersion(company, month, value, note, 'change-accepted'))
    },

    'months.history': ({ company, month }) =>
      ok({
        events: store.events(company, month),
        versions: store
          .versions(company, month)
          .map(({ version, value: { by, at, note } }) => ({ version, by, at, note })),
      }),
  }
}

/**
 * The audit trail of the last version, if it wasn’t read again completely. The next version keeps it. Without one, no
 * other entry would ever be found.
 */
function unreadTrail(
  store: MonthContext['store'],
  company: CompanyRef,
  month: string,
  { closed, readings }: KeptMonth,
): KeptReading | null {
  const kept = closed === null ? null : store.version(company, month, closed.version)
  const isTrail = (each: KeptReading): boolean =>
    each.source === 'audit-trail' && each.state === 'read' && each.copyId !== '' && each.reason === ''
  return readings.some(isTrail) ? null : (kept?.readings.find(isTrail) ?? null)
}

/** Events of other months that decided on findings of a closed month after it was closed, oldest first. */
function decidedSince(
  store: MonthContext['store'],
  company: CompanyRef,
  month: string,
  closed: NonNullable<KeptMonth['closed']>,
  outcomes: readonly KeptOutcome[],
): readonly MonthEvent[] {
  const kept = decisionsIn(store, company, month, closed)
  const current = decisionsIn(store, company, month, null)
  const changed = new Set(
    outcomes
      .flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
      .filter((each) => {
        const [before, after] = [kept(each), current(each)]
        return before?.kind !== after?.kind || before?.at !== after?.at
      })
      .map(findingTitle),
  )
  if (changed.size === 0) return []
  return store
    .inStates(company, MONTH_STATES)
    .filter((other) => other.month !== month)
    .flatMap((other) =>
      store
        .events(company, other.month)
        .filter(({ otherMonth, at, act, subject }) => {
          const isDecision = act === 'accepted' || act === 'never' || act === 'undone'
          return isDecision && otherMonth === null && at > closed.at && changed.has(subject)
        })
        .map((event) => ({ ...event, otherMonth: other.month })),
    )
    .toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

/** The decisions about what a review found, with keys that hold in its month. */
function decisionsAbout(outcomes: readonly KeptOutcome[], decisionOn: DecisionOn): KeptVersion['decisions'] {
  const findings = outcomes.flatMap((each) => (each.result === 'found' ? each.findings : []))
  return findings.flatMap((finding) => {
    const decision = decisionOn(finding)
    const key = decision?.kind === 'accepted' ? problemKey(finding) : finding.key
    if (decision === null) return []
    const { kind, note, by, at, amount } = decision
    return [{ kind, note, by, at, amount, key }]
  })
}

/** Drops findings from the audit trail: they describe the previous version only. */
function withoutTrail(outcomes: readonly KeptOutcome[]): readonly KeptOutcome[] {
  return outcomes.filter(({ rule }) => rule !== 'changed-after-close')
}

const NOT_CLOSED = appError('invalid-input', 'This month is not closed.', 'Close it first.')
const READ_AGAIN_FIRST = appError(
  'invalid-input',
  'Not all reports of this month were read again.',
  'Check for changes, then accept the change.',
)
const CHANGED_MEANWHILE = appError(
  'invalid-input',
  'This month changed while its copies were checked.',
  'Check it, then try again.',
)
