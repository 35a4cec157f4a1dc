/**
 * Judges the three confirmations of a de-provisioning (specification 4.5) one by one. The first two decide. The data
 * call is only shown (decisions.md, "A data call to an inactive company").
 */
import { isSameId } from '../../../shared/companies/companies.ts'
import type { Confirmation } from '../../../shared/contract/companies.ts'
import type { Result } from '../../../shared/result.ts'
import type { CompanyRecord } from '../../service/companies/company-list.ts'
import type { Envelope, ServiceError } from '../../service/protocol/wire.ts'

export type Judgment = Pick<Confirmation, 'result' | 'says'>

/** Judges the response to the PATCH. */
export function judgeResponse(
  companies: readonly CompanyRecord[],
  errors: readonly ServiceError[],
  endpointId: string,
): Judgment {
  const company = companies.find((each) => isSameId(each.endpointId, endpointId))
  const [error] = errors
  if (error !== undefined) {
    const result = company === undefined ? 'denied' : 'unclear'
    return { result, says: `The service answered: ${error.message}` }
  }
  if (company === undefined) return { result: 'unclear', says: 'The response doesn’t name the company.' }
  if (!company.saysActive)
    return { result: 'unclear', says: 'The response doesn’t say whether it is active.' }
  return company.isActive
    ? { result: 'denied', says: 'The response still lists the company as active.' }
    : { result: 'confirmed', says: 'The response lists the company as inactive.' }
}

/** Judges the list of inactive companies. */
export function judgeInactiveList(
  list: Result<{ readonly companies: readonly CompanyRecord[]; readonly isWhole: boolean }>,
  endpointId: string,
): Judgment {
  if (!list.ok) return { result: 'unclear', says: `The list could not be read: ${list.error.message}` }
  const company = list.value.companies.find((each) => isSameId(each.endpointId, endpointId))
  if (company !== undefined && !company.isActive) {
    return { result: 'confirmed', says: 'The company is in the list of inactive companies.' }
  }
  if (company !== undefined && !company.saysActive) {
    return { result: 'unclear', says: 'The list has the company, but doesn’t say whether it is active.' }
  }
  if (company !== undefined) return { result: 'denied', says: 'The list has the company as active.' }
  return list.value.isWhole
    ? { result: 'denied', says: 'The company is not in the list of inactive companies.' }
    : { result: 'unclear', says: 'The list of inactive companies is incomplete.' }
}

/** *Assumption*: the text is about the company, and not about what leads to it (computer, agent, or file). */
const ABOUT_COMPANY = /\bcompan(?:y|ies)\b|\bendpoint\s?id\b|\bintegration\b/i

const SPEAKS_OF_WAY =
  /\bfiles?\b|\bmachine\b|\bcomputer\b|\bworkstation\b|\bagent\b|\bconnector\b|\btoken\b|\bdialog|\blogged\b|\bnot\s+open\b/i

const SAYS_NO =
  /inactive|not active|deactivat|de-?provision|disabled|not found|unknown|not exist|not permitted|forbidden|not allowed|no longer/i

/** Judges a data call made for the company. */
export function judgeDataCall(result: Result<Envelope>): Judgment {
  if (!result.ok) {
    const { message, details } = result.error
    return mentionsCompany([message, details.raw ?? ''])
      ? { result: 'confirmed', says: `A data request was refused: ${details.raw ?? message}` }
      : { result: 'unclear', says: `A data request was unclear: ${message}` }
  }
  const { errors, items } = result.value
  const all = [...errors, ...items.flatMap((item) => item.errors)]
  const refusal = all.find(({ code, message, detail }) => mentionsCompany([code, message, detail]))
  if (refusal) return { result: 'confirmed', says: `A data request was refused: ${refusal.message}` }
  if (items.some(({ object }) => object !== null)) {
    return { result: 'denied', says: 'A data request was answered with records.' }
  }
  const [error] = all
  return {
    result: 'unclear',
    says:
      error === undefined
        ? 'A data request was answered without records.'
        : `A data request said nothing about the company: ${error.message}`,
  }
}

function mentionsCompany(messages: readonly string[]): boolean {
  const text = messages.join(' ')
  if (SPEAKS_OF_WAY.test(text)) return false
  return ABOUT_COMPANY.test(text) && SAYS_NO.test(text)
}

/** The list decides if it is clear. Otherwise, the response decides. */
function isDeprovisioned(confirmations: readonly Confirmation[]): boolean {
  const list = resultOf(confirmations, 'inactive-list')
  if (list === 'confirmed' || list === 'denied') return list === 'confirmed'
  return resultOf(confirmations, 'answer') === 'confirmed'
}

/**
 * The state that follows from the confirmations. *Denied* takes two of them. The list must deny it, because a service
 * that reported a failure may have finished the work anyway. The response must deny it too: without a response, the
 * service may still be working, and a response that confirms may be ahead of the list.
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
