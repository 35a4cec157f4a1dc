/** Decisions about findings, and what they leave open. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { KeptMonth, KeptOutcome } from '../../../shared/contract/review.ts'
import type { Finding } from '../../../shared/review/review.ts'
import { RULES, RULE_IDS } from '../../../shared/review/rules.ts'
import type { MonthStore, StoredDecision } from '../../store/months.ts'

/** A finding, as far as decisions tell findings apart. */
type Decidable = Pick<Finding, 'key' | 'amount' | 'detail'>
export type DecisionOn = (finding: Decidable) => StoredDecision | null

/** The key of an acceptance: with the month, if the rule’s acceptances count in one month only. */
export function acceptanceKey(finding: Decidable, month: string): string {
  const rule = RULE_IDS.find((each) => finding.key.startsWith(`${each}|`))
  const key = problemKey(finding)
  return rule !== undefined && RULES[rule].accepted === 'this-month' ? `${month} ${key}` : key
}

/** The key with what is wrong, if no amount tells it: an accepted phone number says nothing about an email address. */
export function problemKey({ key, amount, detail }: Decidable): string {
  if (amount !== '') return key
  return `${key} ${detail.map((part) => (typeof part === 'string' ? part : Object.values(part).join(''))).join('')}`
}

/** Finds the decisions that hold in a month. Those of a closed month are the ones that it was closed with. */
export function decisionsIn(
  store: Pick<MonthStore, 'decisions' | 'version'>,
  company: CompanyRef,
  month: string,
  closed: KeptMonth['closed'],
): DecisionOn {
  const version = closed === null ? null : store.version(company, month, closed.version)
  if (version !== null) return (finding) => decisionFor(version.decisions, finding, problemKey(finding))
  const decisions = store.decisions(company)
  return (finding) => decisionFor(decisions, finding, acceptanceKey(finding, month))
}

function decisionFor(
  decisions: readonly StoredDecision[],
  { key, amount }: Decidable,
  accepted: string,
): StoredDecision | null {
  return (
    decisions.find((each) => each.kind === 'never' && each.key === key) ??
    decisions.find((each) => each.kind === 'accepted' && each.key === accepted && each.amount === amount) ??
    null
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
  store: Pick<MonthStore, 'decisions' | 'version'>,
  company: CompanyRef,
  month: string,
  value: KeptMonth,
  outcomes: readonly KeptOutcome[],
): KeptMonth {
  return { ...value, ...countOpen(outcomes, decisionsIn(store, company, month, value.closed)) }
}
