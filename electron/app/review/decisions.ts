/** Decisions about findings, and what they leave open. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type KeptMonth,
  type KeptOutcome,
  type KeptVersion,
  MONTH_STATES,
  type MonthState,
} from '../../../shared/contract/review.ts'
import { keyWithoutFacts } from '../../../shared/records/tidy.ts'
import type { Finding } from '../../../shared/review/review.ts'
import { RULE_IDS, RULES } from '../../../shared/review/rules.ts'
import type { MonthStore, StoredDecision } from '../../store/months.ts'

/** The parts of a finding that decisions use to tell findings apart. */
type Decidable = Pick<Finding, 'key' | 'amount' | 'detail' | 'inMonth'>
type KeptDecision = KeptVersion['decisions'][number]
export type DecisionOn = (finding: Decidable) => KeptDecision | null

/** Where decisions are looked up. */
export interface DecisionStore extends Pick<MonthStore, 'decisions' | 'version' | 'outcomes'> {
  readonly inStates: (
    company: CompanyRef,
    states: readonly MonthState[],
  ) => readonly { readonly month: string }[]
}

/** The key of an acceptance. It has the month, because a finding that goes away and comes back is another one. */
export function acceptanceKey(finding: Decidable, month: string): string {
  return `${month} ${problemKey(finding)}`
}

/**
 * The key with the problem, if there is no amount to tell it by: an accepted phone number says nothing about an email
 * address.
 */
export function problemKey({ key, amount, detail }: Decidable): string {
  if (amount !== '') return key
  return `${key} ${detail.map((part) => (typeof part === 'string' ? part : Object.values(part).join(''))).join('')}`
}

/** Finds the decisions that hold in a month. Those of a closed month are the ones that it was closed with. */
export function decisionsIn(
  store: DecisionStore,
  company: CompanyRef,
  month: string,
  closed: KeptMonth['closed'],
): DecisionOn {
  const version = closed === null ? null : store.version(company, month, closed.version)
  const isNever = (each: KeptDecision, { key }: Decidable): boolean =>
    each.kind === 'never' && keyWithoutFacts(each.key) === key
  if (version !== null) {
    const { decisions } = version
    return (finding) =>
      decisions.find((each) => isNever(each, finding)) ??
      decisions.find((each) => isAcceptance(each, finding) && each.key === problemKey(finding)) ??
      null
  }
  const decisions = store.decisions(company)
  const history = createHistory(store, company)
  return (finding) => {
    const accepted = decisions.filter(
      (each) =>
        isAcceptance(each, finding) &&
        problemOf(each) === problemKey(finding) &&
        // Between the two months, and in both.
        !each.endedIn.some((ended) =>
          ended < month ? ended >= monthOf(each) : ended === month || ended <= monthOf(each),
        ),
    )
    return (
      decisions.find((each) => isNever(each, finding)) ??
      accepted.find((each) => monthOf(each) === month) ??
      accepted.find((each) => isLasting(finding) && history.isSame(finding, monthOf(each), month)) ??
      null
    )
  }
}

/** The length of *2026-03* and a space. */
const MONTH_AND_BLANK = 8

function monthOf({ key }: KeptDecision): string {
  return key.slice(0, MONTH_AND_BLANK - 1)
}

/** The problem that an acceptance is about: `problemKey`. */
function problemOf({ key }: KeptDecision): string {
  return key.slice(MONTH_AND_BLANK)
}

/**
 * The acceptances that a new review of a month ends, because it shows that the finding is gone or has changed. They
 * don't come back if a later review finds the same again.
 */
export function endedAcceptances(
  decisions: readonly StoredDecision[],
  month: string,
  outcomes: readonly KeptOutcome[],
): readonly StoredDecision[] {
  return decisions
    .filter((each) => each.kind === 'accepted' && !each.endedIn.includes(month))
    .filter((each) => monthOf(each) === month || isLasting({ key: problemOf(each) }))
    .filter((each) => isOver(outcomes, problemOf(each), each.amount))
    .map((each) => ({ ...each, endedIn: [...each.endedIn, month] }))
}

function isAcceptance({ kind, amount }: KeptDecision, finding: Decidable): boolean {
  return kind === 'accepted' && amount === finding.amount
}

/** Whether an acceptance may hold in other months, too. */
function isLasting({ key, inMonth }: Pick<Decidable, 'key' | 'inMonth'>): boolean {
  if (inMonth === true) return false
  const rule = RULE_IDS.find((each) => key.startsWith(`${each}|`))
  return rule !== undefined && RULES[rule].accepted !== 'this-month'
}

/** What the reviews of a company's months found, read when first needed. */
function createHistory(
  store: DecisionStore,
  company: CompanyRef,
): { readonly isSame: (finding: Decidable, decidedIn: string, month: string) => boolean } {
  let reviewed: readonly string[] | null = null
  const known = new Map<string, readonly KeptOutcome[]>()
  const outcomes = (month: string): readonly KeptOutcome[] => {
    const read = known.get(month) ?? store.outcomes(company, month)
    known.set(month, read)
    return read
  }
  return {
    /** Whether the finding was the same from the month of the decision to this one, as far as they were reviewed. */
    isSame(finding, decidedIn, month) {
      reviewed ??= store.inStates(company, MONTH_STATES).map((each) => each.month)
      return reviewed
        .filter((each) =>
          decidedIn < month ? each >= decidedIn && each < month : each > month && each <= decidedIn,
        )
        .every((each) => !isOver(outcomes(each), problemKey(finding), finding.amount))
    },
  }
}

/** Whether a review shows that a finding was gone or had changed. A rule that wasn't checked shows nothing. */
function isOver(outcomes: readonly KeptOutcome[], problem: string, amount: string): boolean {
  const outcome = outcomes.find(({ rule }) => problem.startsWith(`${rule}|`))
  if (outcome === undefined || outcome.result === 'not-checked' || outcome.result === 'off') return false
  if (outcome.result === 'clean') return true
  const alike = outcome.findings.filter(({ key }) => key === problem || problem.startsWith(`${key} `))
  const isThere = alike.some((each) => each.amount === amount && problemKey(each) === problem)
  return !isThere && (alike.length > 0 || outcome.unchecked.length === 0)
}

/** What a review found and what was decided about it, as text to compare. */
export function decidedText(outcomes: readonly KeptOutcome[], decisionOn: DecisionOn): string {
  return JSON.stringify(
    outcomes.map((outcome) => [
      outcome.rule,
      outcome.result,
      outcome.result === 'found'
        ? outcome.findings.map((each) => [problemKey(each), each.amount, decisionOn(each)])
        : [],
    ]),
  )
}

/** Counts the open findings of a review. */
export function countOpen(
  outcomes: readonly KeptOutcome[],
  decisionOn: DecisionOn,
): Pick<KeptMonth, 'open' | 'wrong' | 'notChecked'> {
  const open = outcomes
    .flatMap((outcome) => (outcome.result === 'found' ? outcome.findings : []))
    .filter((finding) => decisionOn(finding) === null)
  return {
    open: open.length,
    wrong: open.filter(({ severity }) => severity === 'wrong').length,
    notChecked: outcomes.filter(
      (outcome) =>
        outcome.result === 'not-checked' || (outcome.result === 'found' && outcome.unchecked.length > 0),
    ).length,
  }
}

/** The month with the numbers of findings that these outcomes leave open. */
export function recount(
  store: DecisionStore,
  company: CompanyRef,
  month: string,
  value: KeptMonth,
  outcomes: readonly KeptOutcome[],
): KeptMonth {
  return { ...value, ...countOpen(outcomes, decisionsIn(store, company, month, value.closed)) }
}
