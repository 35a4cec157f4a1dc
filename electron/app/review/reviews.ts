/** Reviews of months: what the rules found, what the user decided about it, and the settings of the rules. */
import { isDesktop } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  FindingDecision,
  KeptMonth,
  KeptOutcome,
  MonthEvent,
  MonthState,
  Review,
  ReviewedRule,
} from '../../../shared/contract/review.ts'
import type { Finding } from '../../../shared/review/review.ts'
import { RULES } from '../../../shared/review/rules.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import { resultOfAsync } from '../../store/database.ts'
import type { MonthStep } from '../../store/months.ts'
import { type HandlersOf, defined } from '../calls.ts'
import type { MonthContext } from './context.ts'
import { type DecisionOn, acceptanceKey, decisionsIn, recount } from './decisions.ts'
import { type ListMemory, evaluateMonth, goneLists, settingsOf, toCheckAgain } from './evaluate.ts'
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
  /** Reviews the open months of a company again, or one of them, from what was read. */
  again(company: StoredCompany, month?: string): Promise<void>
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
      if (!isWhole) {
        store.save(ref, month, { value: counted, outcomes })
        return ok(undefined)
      }
      const event =
        rule === null ? context.event('reports-read') : context.event('checked-again', RULES[rule].title)
      store.save(ref, month, { value: context.touched(counted), outcomes, events: [event] })
      countAgain(ref, month, event)
      return rule === null ? watch.compareAll(ref, month) : ok(undefined)
    })

  /** Changes a decision, and counts again in every open month of the company: it may hold in all of them. */
  const decide = (
    ref: CompanyRef,
    month: string,
    step: Pick<MonthStep, 'decided' | 'undone'>,
    event: MonthEvent,
  ): Result<Review> => {
    const value = store.get(ref, month)
    if (value === null) return err(NOT_READ)
    if (value.closed !== null) return err(IS_CLOSED)
    store.save(ref, month, { ...step, value: context.touched(value), events: [event] })
    countAgain(ref, month, event)
    context.changed(ref, month)
    return page(ref, month)
  }

  /** Counts again in every open month of a company, after something in one of them. */
  const countAgain = (ref: CompanyRef, month: string, event: MonthEvent): void => {
    for (const each of store.inStates(ref, OPEN)) {
      const counted = recount(store, ref, each.month, each.value, store.outcomes(ref, each.month))
      if (counted.open === each.value.open && counted.wrong === each.value.wrong) continue
      const events = each.month === month ? [] : [{ ...event, otherMonth: month }]
      store.save(ref, each.month, { value: context.touched(counted), events })
      context.changed(ref, each.month)
    }
  }

  const findingOf = (ref: CompanyRef, month: string, key: string): Finding | undefined =>
    store
      .outcomes(ref, month)
      .flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
      .find((each) => each.key === key)

  const subjectOf = (ref: CompanyRef, month: string, key: string): string => {
    const finding = findingOf(ref, month, key)
    return finding === undefined ? '' : `${RULES[finding.rule].title}: ${finding.subject}`
  }

  /** Evaluates a month again, unless it was closed in the meantime. */
  const evaluateAgain = async (company: StoredCompany, month: string, value: KeptMonth): Promise<void> => {
    const { ref } = company
    const outcomes = await clock.during(evaluateMonth(store, memory, company, month, value))
    const latest = store.get(ref, month)
    if (latest === null || latest.closed !== null) return
    store.save(ref, month, { value: recount(store, ref, month, latest, outcomes), outcomes })
    context.changed(ref, month)
  }

  const again: Reviews['again'] = async (company, only) => {
    for (const { month, value } of store.inStates(company.ref, OPEN)) {
      if (only !== undefined && month !== only) continue
      // What is still being read is reviewed at its end.
      if (store.outcomes(company.ref, month).length === 0) continue
      await evaluateAgain(company, month, value)
    }
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
        const decided = { key: accepted, amount, kind: 'accepted', note, by, at } as const
        return decide(company, month, { decided }, event)
      },

      'review.never': ({ company, month, key, note }) => {
        const event = context.event('never', subjectOf(company, month, key), note)
        const { by, at } = event
        return decide(company, month, { decided: { key, amount: '', kind: 'never', note, by, at } }, event)
      },

      'review.undo': ({ company, month, key, amount }) => {
        const { detail = [] } = findingOf(company, month, key) ?? {}
        const event = context.event('undone', subjectOf(company, month, key))
        // It may have been accepted in several months.
        for (;;) {
          const undone = decisionsIn(store, company, month, null)({ key, amount, detail })
          if (undone === null) return page(company, month)
          const decided = decide(company, month, { undone }, event)
          if (!decided.ok) return decided
        }
      },

      'review.settings': ({ connectionId, endpointId }) =>
        ok({
          own: store.settings(connectionId, endpointId),
          effective: settingsOf(store, { connectionId, endpointId }),
        }),

      'review.setSettings': async ({ connectionId, endpointId, own }) => {
        store.putSettings(connectionId, endpointId, defined(own))
        const all = companyStore.list(connectionId)
        const concerned = endpointId === null ? all : all.filter(({ ref }) => ref.endpointId === endpointId)
        for (const company of concerned) await again(company)
        return ok({})
      },
    },
  }
}

/** A rule as the window shows it: its texts, what it came to, and what was decided about each finding. */
function reviewedRule(
  outcome: KeptOutcome,
  { application }: StoredCompany,
  requests: number,
  decisionOn: DecisionOn,
): ReviewedRule {
  const { group, title, why, where, accepted, about } = RULES[outcome.rule]
  return {
    rule: outcome.rule,
    group,
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
