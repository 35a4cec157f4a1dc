/** Reviews of months: what the rules found, what the user decided about it, and the settings of the rules. */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  FindingDecision,
  KeptMonth,
  KeptOutcome,
  KeptVersion,
  MonthEvent,
  MonthState,
  Review,
  ReviewedRule,
} from '../../../shared/contract/review.ts'
import { joinNames } from '../../../shared/format/text.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { Finding, ReviewSettings } from '../../../shared/review/review.ts'
import { type RuleId, RULES } from '../../../shared/review/rules.ts'
import { monthBefore } from '../../review/plan.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import { resultOfAsync } from '../../store/database.ts'
import type { MonthStep, StoredDecision } from '../../store/months.ts'
import { defined, type HandlersOf } from '../calls.ts'
import {
  acceptanceKey,
  decidedText,
  type DecisionOn,
  decisionsIn,
  endedAcceptances,
  recount,
} from './decisions.ts'
import { evaluateMonth, goneLists, type ListMemory, settingsOf, toCheckAgain } from './evaluate.ts'
import type { MonthContext } from './month-rows.ts'
import type { MonthToRead } from './reading.ts'
import type { MonthWatch } from './watch.ts'

export interface ReviewsOptions {
  readonly context: MonthContext
  readonly companyStore: Pick<CompanyStore, 'list'>
  readonly memory: ListMemory
  readonly watch: MonthWatch
}

export interface Reviews {
  readonly handlers: Omit<HandlersOf<'review'>, 'review.checkAgain'>
  page(company: CompanyRef, month: string): Result<Review>
  /**
   * Reviews the open months of a company again, or one of them, from what was read.
   * @param changed the settings that were changed; empty if that isn’t known
   */
  again(company: StoredCompany, changed: string, month?: string): Promise<void>
  /**
   * Reviews what was read of a month.
   * @param isWhole whether it was read to its end, which the month's history then says
   */
  afterReading(item: MonthToRead, isWhole: boolean): Promise<Result<void>>
}

const OPEN: readonly MonthState[] = ['started', 'findings', 'reviewed']

export function createReviews({ context, companyStore, memory, watch }: ReviewsOptions): Reviews {
  const { store, companies, clock, rows } = context

  const page = (ref: CompanyRef, month: string): Result<Review> => {
    const row = rows.row(ref, month)
    const found = companies.find(ref)
    if (!row.ok) return row
    if (!found.ok) return found
    const value = store.get(ref, month)
    const decisionOn = decisionsIn(store, ref, month, value?.closed ?? null)
    const gone = goneLists(memory, ref, value?.readings ?? [])
    // Many rules need profit and loss, and its copy is opened once for all.
    const readAlone = rows.monthsReadAlone(value)
    const unreachableReason =
      context.isReading(ref, month) || value?.closed !== null ? '' : value.unreachableReason
    return ok({
      month: row.value,
      notCheckedAgain: unreachableReason === '' ? '' : `It was not checked again: ${unreachableReason}`,
      readings: (value?.readings ?? []).map(({ copyId: _copyId, ...each }) => each),
      notCompared: value?.notCompared ?? [],
      rules: store.outcomes(ref, month).map((outcome) => {
        const sources = toCheckAgain(outcome.rule, value?.readings ?? [], gone)
        const requests = rows.requestCount(sources, value, () => readAlone)
        return reviewedRule(outcome, found.value, requests, decisionOn)
      }),
    })
  }

  const afterReading: Reviews['afterReading'] = (item, isWhole) =>
    resultOfAsync(async () => {
      const { company: ref, month, rule } = item
      const found = companies.find(ref)
      const value = store.get(ref, month)
      if (!found.ok || value === null) return ok(undefined)
      const outcomes = await evaluateMonth(store, memory, found.value, month, value)
      const latest = store.get(ref, month)
      if (latest === null) return ok(undefined)
      const counted = recount(store, ref, month, latest, outcomes)
      const decided = latest.closed === null ? endedAcceptances(store.decisions(ref), month, outcomes) : []
      if (!isWhole) {
        noted(ref, month, context.event('partly-read'), () => {
          store.save(ref, month, { value: counted, outcomes, decided })
        })
        return ok(undefined)
      }
      const event =
        rule === null ? context.event('reports-read') : context.event('checked-again', RULES[rule].title)
      noted(ref, month, event, () => {
        store.save(ref, month, { value: context.touched(counted), outcomes, decided, events: [event] })
      })
      return rule === null ? watch.compareAll(ref, month) : ok(undefined)
    })

  /** Changes decisions about a finding of a month. They may hold in every open month of the company. */
  const decide = async (
    ref: CompanyRef,
    month: string,
    key: string,
    step: Pick<MonthStep, 'decided' | 'undone'>,
    event: MonthEvent,
  ): Promise<Result<Review>> => {
    const value = store.get(ref, month)
    if (value === null) return err(NOT_READ)
    if (value.closed !== null) return err(IS_CLOSED)
    noted(ref, month, event, () => {
      store.save(ref, month, { ...step, value: context.touched(value), events: [event] })
    })
    context.changed(ref, month)
    await afterDecision(ref, month, key)
    return page(ref, month)
  }

  /** Reviews the next month again if it says what was decided about the same finding in this one. */
  const afterDecision = async (ref: CompanyRef, month: string, key: string): Promise<void> => {
    if (!key.startsWith(`${'stands-still' satisfies RuleId}|`)) return
    const next = store.inStates(ref, OPEN).find((each) => monthBefore(each.month) === month)
    const found = companies.find(ref)
    if (next === undefined || !found.ok || findingOf(ref, next.month, key) === undefined) return
    await again(found.value, '', next.month)
  }

  /** What is decided in the open months of a company, as text that is compared. */
  const decidedMonths = (ref: CompanyRef): ReadonlyMap<string, string> => {
    const known = new Map<string, readonly KeptOutcome[]>()
    const outcomes = (_: CompanyRef, month: string): readonly KeptOutcome[] => {
      const read = known.get(month) ?? store.outcomes(ref, month)
      known.set(month, read)
      return read
    }
    return new Map(
      store.inStates(ref, OPEN).flatMap(({ month }) => {
        const found = outcomes(ref, month)
        const decisionOn = decisionsIn({ ...store, outcomes }, ref, month, null)
        return found.length === 0 ? [] : [[month, decidedText(found, decisionOn)] as const]
      }),
    )
  }

  /**
   * Runs an action, then counts again in every open month whose open findings or decisions it changed, and adds it to
   * their histories.
   * @param month the month in which it is done; `null` for all
   */
  const noted = (ref: CompanyRef, month: string | null, event: MonthEvent, act: () => void): void => {
    const before = decidedMonths(ref)
    act()
    const after = decidedMonths(ref)
    for (const { month: other, value } of store.inStates(ref, OPEN)) {
      const was = before.get(other)
      if (was === undefined || was === after.get(other)) continue
      const counted = recount(store, ref, other, value, store.outcomes(ref, other))
      const isOwn = month === null || (other === month && event.act === 'partly-read')
      const events = isOwn ? [event] : other === month ? [] : [{ ...event, otherMonth: month }]
      store.save(ref, other, { value: context.touched(counted), events })
      context.changed(ref, other)
    }
  }

  const findingOf = (ref: CompanyRef, month: string, key: string): Finding | undefined =>
    store
      .outcomes(ref, month)
      .flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
      .find((each) => each.key === key)

  const subjectOf = (ref: CompanyRef, month: string, key: string): string => {
    const finding = findingOf(ref, month, key)
    return finding === undefined ? '' : findingTitle(finding)
  }

  const again: Reviews['again'] = async (company, changed, only) => {
    const { ref } = company
    const found: { readonly month: string; readonly value: KeptMonth; outcomes: readonly KeptOutcome[] }[] =
      []
    for (const { month, value } of store.inStates(ref, OPEN)) {
      if (only !== undefined && month !== only) continue
      // A month that is still being read is reviewed when that ends.
      if (store.outcomes(ref, month).length === 0) continue
      const outcomes = await clock.during(evaluateMonth(store, memory, company, month, value))
      found.push({ month, value, outcomes })
    }
    noted(ref, null, context.event('reviewed-again', changed), () => {
      for (const { month, value, outcomes } of found) {
        const latest = store.get(ref, month)
        // It was closed or read again in the meantime.
        if (latest === null || latest.closed !== null) continue
        if (JSON.stringify(latest.readings) !== JSON.stringify(value.readings)) continue
        store.save(ref, month, { value: recount(store, ref, month, latest, outcomes), outcomes })
        context.changed(ref, month)
      }
    })
  }

  return {
    page,
    again,
    afterReading,
    handlers: {
      'review.findings': ({ company, month }) => page(company, month),

      'review.accept': ({ company, month, key, amount, note }) => {
        const event = context.event('accepted', subjectOf(company, month, key), note)
        const { by, at } = event
        const { detail = [] } = findingOf(company, month, key) ?? {}
        const accepted = acceptanceKey({ key, amount, detail }, month)
        const decided = { key: accepted, amount, kind: 'accepted', note, by, at, endedIn: [] } as const
        return decide(company, month, key, { decided: [decided] }, event)
      },

      'review.never': ({ company, month, key, note }) => {
        const event = context.event('never', subjectOf(company, month, key), note)
        const { by, at } = event
        const decided = { key, amount: '', kind: 'never', note, by, at, endedIn: [] } as const
        return decide(company, month, key, { decided: [decided] }, event)
      },

      'review.undo': ({ company, month, key, amount }) => {
        const { detail = [] } = findingOf(company, month, key) ?? {}
        const event = context.event('undone', subjectOf(company, month, key))
        const undone: KeptVersion['decisions'][number][] = []
        // It may have been accepted in several months.
        for (;;) {
          const isLeft = (each: StoredDecision): boolean =>
            !undone.some((other) => other.key === each.key && other.amount === each.amount)
          const left = { ...store, decisions: () => store.decisions(company).filter(isLeft) }
          const next = decisionsIn(left, company, month, null)({ key, amount, detail })
          if (next === null || (undone[0] ?? next).kind !== next.kind) break
          undone.push(next)
        }
        return undone.length === 0 ? page(company, month) : decide(company, month, key, { undone }, event)
      },

      'review.settings': ({ connectionId, endpointId }) =>
        ok({
          own: store.settings(connectionId, endpointId),
          effective: settingsOf(store, { connectionId, endpointId }),
        }),

      'review.setSettings': async ({ connectionId, endpointId, own }) => {
        const all = companyStore.list(connectionId)
        const concerned = endpointId === null ? all : all.filter(({ ref }) => ref.endpointId === endpointId)
        const before = concerned.map((company) => ({ company, settings: settingsOf(store, company.ref) }))
        store.putSettings(connectionId, endpointId, defined(own))
        for (const { company, settings } of before) {
          await again(company, changedSettings(settings, settingsOf(store, company.ref)))
        }
        return ok({})
      },
    },
  }
}

/** How the history names a finding. */
export function findingTitle({ rule, subject }: Finding): string {
  return `${RULES[rule].title}: ${subject}`
}

const THRESHOLDS = [
  ['percent', 'percentage of unusual amounts'],
  ['amount', 'threshold for unusual amounts'],
  ['largeEntry', 'amount of listed entries'],
] as const

/**
 * Names the settings that differ: thresholds with both values (*threshold for unusual amounts from 500 to 750*), and
 * words that were added or removed.
 */
function changedSettings(before: ReviewSettings, after: ReviewSettings): string {
  const thresholds = THRESHOLDS.filter(([name]) => before[name] !== after[name]).map(
    ([name, label]) => `${label} from ${before[name] || 'none'} to ${after[name] || 'none'}`,
  )
  const words = [
    quotedWords(after.emptyAccounts, before.emptyAccounts, 'added'),
    quotedWords(before.emptyAccounts, after.emptyAccounts, 'removed'),
  ].filter((each) => each !== '')
  const empty = words.length === 0 ? [] : [`accounts that should be empty: ${words.join(', ')}`]
  return [...thresholds, ...empty].join('; ')
}

/** *“holding” and “wash” added*; empty if none of the words is missing in the others. */
function quotedWords(words: readonly string[], others: readonly string[], what: string): string {
  const own = words.filter((word) => !others.includes(word))
  return own.length === 0 ? '' : `${joinNames(own.map((word) => `“${word}”`))} ${what}`
}

/** A rule as the window shows it: its texts, its outcome, and the decision on each finding. */
function reviewedRule(
  outcome: KeptOutcome,
  { application }: StoredCompany,
  requests: number,
  decisionOn: DecisionOn,
): ReviewedRule {
  const { title, why, where, accepted, about } = RULES[outcome.rule]
  return {
    rule: outcome.rule,
    title,
    why,
    where: where[isDesktop(application) ? 0 : 1],
    result: outcome.result,
    reasons: reasonsOf(outcome),
    checkedAt: outcome.checkedAt,
    requests,
    accepted,
    about,
    findings: (outcome.result === 'found' ? outcome.findings : []).map((finding) => {
      const decided = decisionOn(finding)
      return { ...finding, decision: decided === null ? null : withoutKey(decided) }
    }),
  }
}

function withoutKey({ kind, note, by, at }: FindingDecision): FindingDecision {
  return { kind, note, by, at }
}

/** Why a rule was not checked, or not completely. */
export function reasonsOf(outcome: KeptOutcome): readonly string[] {
  switch (outcome.result) {
    case 'clean':
      return []
    case 'found':
      return outcome.unchecked
    case 'not-checked':
    case 'off':
      return [outcome.reason]
  }
}

export const NOT_READ = appError(
  'not-found',
  'Nothing has been read for this month yet.',
  'Get its reports first.',
)
export const IS_CLOSED = appError('invalid-input', 'This month is closed.', 'Reopen it first.')
