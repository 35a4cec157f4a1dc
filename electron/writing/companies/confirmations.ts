/** Gathers proof that a company was de-provisioned: the list of inactive companies, and a data call that is refused. */
import { isSameId } from '../../../shared/companies/companies.ts'
import type { Confirmation } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type Result, ok } from '../../../shared/result.ts'
import {
  type CompanyRecord,
  decodeLegacyCompanies,
  readCompanyList,
} from '../../service/companies/company-list.ts'
import { redactEnvelope, secretsOf } from '../../service/errors/redact.ts'
import { decodeEnvelope } from '../../service/protocol/envelope.ts'
import type { Envelope, RecordsQuery, ServiceError, SlotRequest } from '../../service/protocol/wire.ts'
import type { DeprovisionedCompany } from '../../store/journal/companies.ts'
import type { WritingContext } from '../context.ts'

type Service = DeprovisionedCompany['sentBy']

export interface Confirmations {
  /** Creates a confirmation that is timestamped now. */
  confirm(
    what: Confirmation['what'],
    judgment: Pick<Confirmation, 'result' | 'says'>,
    requestId?: string,
  ): Confirmation
  /** Reads the list of inactive companies from the service that was asked to de-provision. */
  readInactive(company: CompanyRef, sentBy: Service, deprovisioningId: string): Promise<Confirmation>
  /** Requests a small amount of the company's data. */
  callData(company: CompanyRef, deprovisioningId: string): Promise<Confirmation>
}

const DAY = 86_400_000

/** The slot in which a company is de-provisioned. */
export function deprovisionRequest(
  context: WritingContext,
  company: CompanyRef,
  sentBy: Service,
  deprovisioningId: string,
): SlotRequest {
  const request = { what: 'De-provisioning', isWrite: true, batchId: deprovisioningId }
  return { ...requestFor(context, company, request), ...queueOf(sentBy) }
}

function confirmingRequest(
  context: WritingContext,
  company: CompanyRef,
  by: string,
  deprovisioningId: string,
): SlotRequest {
  const what = `Confirming the de-provisioning by ${by}`
  return requestFor(context, company, { what, isWrite: false, batchId: deprovisioningId })
}

function requestFor(
  context: WritingContext,
  company: CompanyRef,
  request: Pick<SlotRequest, 'what' | 'isWrite' | 'batchId'>,
): SlotRequest {
  return {
    connectionId: company.connectionId,
    company,
    companyName: context.directory.facts(company)?.displayName ?? '',
    priority: 'interactive',
    ...request,
  }
}

/** The older service has its own queue. */
function queueOf(sentBy: DeprovisionedCompany['sentBy']): Pick<SlotRequest, 'service'> {
  return sentBy === 'v1' ? { service: 'v1' } : {}
}

export function createConfirmations(context: WritingContext): Confirmations {
  const confirm: Confirmations['confirm'] = (what, judgment, requestId = '') => ({
    what,
    ...judgment,
    requestId,
    at: context.timestamp(),
  })

  const readInactive: Confirmations['readInactive'] = async (company, sentBy, deprovisioningId) => {
    const request = {
      ...confirmingRequest(context, company, 'the list', deprovisioningId),
      ...queueOf(sentBy),
    }
    const list = await context.client.read(request, async (wire) => {
      if (sentBy === 'v2') return readCompanyList(wire, { isActive: false })
      const answered = await wire.legacyListCompanies({ isActive: false })
      if (!answered.ok) return answered
      // The older envelope has no RequestId (specification 2.6).
      const companies = decodeLegacyCompanies(answered.value)
      return ok({ companies, isWhole: answered.value.statusCode === '0', requestId: '' })
    })
    if (list.ok) context.listener.companiesRead(company.connectionId, list.value.companies, false)
    const requestId = list.ok ? list.value.requestId : (list.error.details.requestId ?? '')
    return confirm('inactive-list', judgeInactiveList(list, company.endpointId), requestId)
  }

  const callData: Confirmations['callData'] = async (company, deprovisioningId) => {
    const request = confirmingRequest(context, company, 'a test request', deprovisioningId)
    const result = await context.client.read(
      request,
      (wire) =>
        wire.readRecords(company.endpointId, 'customer', smallRead(company), (raw) => {
          const decoded = decodeEnvelope(raw)
          return Promise.resolve(
            decoded.ok ? ok(redactEnvelope(decoded.value, secretsOf(wire.target))) : decoded,
          )
        }),
      { tries: 1 },
    )
    const requestId = result.ok ? result.value.requestId : (result.error.details.requestId ?? '')
    return confirm('data-call', judgeDataCall(result), requestId)
  }

  /** Reads one known record or, if none is known, the records changed since yesterday. */
  const smallRead = (company: CompanyRef): RecordsQuery => {
    const known = context.store.journal.writePolicies.knownRecords(company, 'customer', [])
    const [id] = known.keys()
    if (id !== undefined) return { ids: [id] }
    return { modTimeStart: new Date(context.clock.now() - DAY).toISOString() }
  }

  return { confirm, readInactive, callData }
}

/*
 * Judges the three confirmations of a de-provisioning (specification 4.5) one by one. The first two decide. The data
 * call is only shown (decisions.md, "A data call to an inactive company").
 */

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

/**
 * Judges the list of inactive companies.
 * @internal
 */
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

/**
 * Judges a data call made for the company.
 * @internal
 */
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

/**
 * The list decides if it is clear. Otherwise, the response decides.
 * @internal
 */
export function isDeprovisioned(confirmations: readonly Confirmation[]): boolean {
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

/** Replaces the judgment of the earlier list with that of a later one. */
export function updateFromList(
  confirmations: readonly Confirmation[],
  list: Confirmation,
): readonly Confirmation[] {
  const isAnswer = ({ what }: Confirmation): boolean => what === 'answer'
  const others = confirmations.filter(({ what }) => what !== 'answer' && what !== 'inactive-list')
  return [...confirmations.filter(isAnswer), list, ...others]
}
