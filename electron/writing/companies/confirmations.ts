/** Gathers proof that a company was de-provisioned: the list of inactive companies, and a data call that is refused. */
import type { Confirmation } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { ok } from '../../../shared/result.ts'
import { decodeLegacyCompanies, readCompanyList } from '../../service/companies/company-list.ts'
import { redactEnvelope } from '../../service/errors/redact.ts'
import { decodeEnvelope } from '../../service/protocol/envelope.ts'
import type { RecordsQuery, SlotRequest } from '../../service/protocol/wire.ts'
import type { DeprovisionedCompany } from '../../store/journal/companies.ts'
import type { WritingContext } from '../context.ts'
import { judgeDataCall, judgeInactiveList } from './confirmation-verdicts.ts'

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
          return Promise.resolve(decoded.ok ? ok(redactEnvelope(decoded.value, wire.target.mask)) : decoded)
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

/** Replaces the judgment of the earlier list with that of a later one. */
export function updateFromList(
  confirmations: readonly Confirmation[],
  list: Confirmation,
): readonly Confirmation[] {
  const isAnswer = ({ what }: Confirmation): boolean => what === 'answer'
  const others = confirmations.filter(({ what }) => what !== 'answer' && what !== 'inactive-list')
  return [...confirmations.filter(isAnswer), list, ...others]
}
