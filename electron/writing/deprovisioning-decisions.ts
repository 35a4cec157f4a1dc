/**
 * The three confirmations of a de-provisioning (specification 4.5), each judged for itself. The first two decide;
 * the data call is shown (decisions.md, "a data call to an inactive company").
 */
import type { Confirmation } from '../../shared/contract/companies.ts'
import { isSameId } from '../../shared/companies/companies.ts'
import type { Result } from '../../shared/result.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { Envelope, ServiceError } from '../service/wire.ts'

export type Judgement = Pick<Confirmation, 'result' | 'says'>

/** The answer of the PATCH. */
export function judgeAnswer(
  companies: readonly CompanyRecord[],
  errors: readonly ServiceError[],
  endpointId: string,
): Judgement {
  const company = companies.find((each) => isSameId(each.endpointId, endpointId))
  const [error] = errors
  if (error !== undefined) {
    const result = company === undefined ? 'denied' : 'unclear'
    return { result, says: `The service answered: ${error.message}` }
  }
  if (company === undefined) return { result: 'unclear', says: 'The answer does not name the company.' }
  if (!company.saysActive) return { result: 'unclear', says: 'The answer does not say whether it is active.' }
  return company.isActive
    ? { result: 'denied', says: 'The answer still calls the company active.' }
    : { result: 'confirmed', says: 'The answer calls the company inactive.' }
}

/** The list of inactive companies. */
export function judgeInactiveList(
  list: Result<{ readonly companies: readonly CompanyRecord[]; readonly isWhole: boolean }>,
  endpointId: string,
): Judgement {
  if (!list.ok) return { result: 'unclear', says: `The list could not be read: ${list.error.message}` }
  const company = list.value.companies.find((each) => isSameId(each.endpointId, endpointId))
  if (company !== undefined && !company.isActive) {
    return { result: 'confirmed', says: 'The company stands in the list of inactive companies.' }
  }
  if (company !== undefined && !company.saysActive) {
    return { result: 'unclear', says: 'The list names the company and does not say whether it is active.' }
  }
  if (company !== undefined) return { result: 'denied', says: 'The list calls the company active.' }
  return list.value.isWhole
    ? { result: 'denied', says: 'The company is not in the list of inactive companies.' }
    : { result: 'unclear', says: 'The list of inactive companies is not whole.' }
}

/** *Assumption*: words that speak of the company, and none that speak of the way to it: its machine, agent, file. */
const SPEAKS_OF_COMPANY = /\bcompan(?:y|ies)\b|\bendpoint\s?id\b|\bintegration\b/i
const SPEAKS_OF_WAY =
  /\bfiles?\b|\bmachine\b|\bcomputer\b|\bworkstation\b|\bagent\b|\bconnector\b|\btoken\b|\bdialog|\blogged\b|\bnot\s+open\b/i
const SAYS_NO =
  /inactive|not active|deactivat|de-?provision|disabled|not found|unknown|not exist|not permitted|forbidden|not allowed|no longer/i

/** A data call made for the company. */
export function judgeDataCall(answer: Result<Envelope>): Judgement {
  if (!answer.ok) {
    const { message, details } = answer.error
    return speaksOfCompany([message, details.raw ?? ''])
      ? { result: 'confirmed', says: `A data call was refused: ${details.raw ?? message}` }
      : { result: 'unclear', says: `A data call said nothing: ${message}` }
  }
  const { errors, items } = answer.value
  const all = [...errors, ...items.flatMap((item) => item.errors)]
  const refusal = all.find(({ code, message, detail }) => speaksOfCompany([code, message, detail]))
  if (refusal) return { result: 'confirmed', says: `A data call was refused: ${refusal.message}` }
  if (items.some(({ object }) => object !== null)) {
    return { result: 'denied', says: 'A data call was answered with records.' }
  }
  const [error] = all
  return {
    result: 'unclear',
    says:
      error === undefined
        ? 'A data call was answered without records.'
        : `A data call said nothing about the company: ${error.message}`,
  }
}

function speaksOfCompany(words: readonly string[]): boolean {
  const text = words.join(' ')
  if (SPEAKS_OF_WAY.test(text)) return false
  return SPEAKS_OF_COMPANY.test(text) && SAYS_NO.test(text)
}

/** The list is the better witness; without it the answer counts. */
export function isDeprovisioned(confirmations: readonly Confirmation[]): boolean {
  const list = resultOf(confirmations, 'inactive-list')
  if (list === 'confirmed' || list === 'denied') return list === 'confirmed'
  return resultOf(confirmations, 'answer') === 'confirmed'
}

/**
 * What is known then. Denied takes two: an answer that says so, since without one the service may be at it yet and one
 * that confirms it may be ahead of the list, and the list, since a service that fails at the end has perhaps done it.
 */
export function stateAfter(confirmations: readonly Confirmation[]): 'done' | 'denied' | 'unknown' {
  if (isDeprovisioned(confirmations)) return 'done'
  const denied = (['answer', 'inactive-list'] as const).filter(
    (what) => resultOf(confirmations, what) === 'denied',
  )
  return denied.length === 2 ? 'denied' : 'unknown'
}

function resultOf(
  confirmations: readonly Confirmation[],
  what: Confirmation['what'],
): Confirmation['result'] | undefined {
  return confirmations.find((each) => each.what === what)?.result
}

/** The same with what a list says that was read later: it takes the place of what the list said before. */
export function withLaterList(
  confirmations: readonly Confirmation[],
  list: Confirmation,
): readonly Confirmation[] {
  const isAnswer = ({ what }: Confirmation): boolean => what === 'answer'
  const others = confirmations.filter(({ what }) => what !== 'answer' && what !== 'inactive-list')
  return [...confirmations.filter(isAnswer), list, ...others]
}
