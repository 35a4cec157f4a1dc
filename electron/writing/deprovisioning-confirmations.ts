/** What proves that a company was de-provisioned: the list of inactive companies, and a data call that is denied. */
import type { Confirmation } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { ok } from '../../shared/result.ts'
import { readCompanyList } from '../service/company-list.ts'
import { decodeLegacyCompanies } from '../service/company-records.ts'
import { decodeEnvelope } from '../service/envelope.ts'
import { redactEnvelope, secretsOf } from '../service/redact.ts'
import type { RecordsQuery, TurnRequest } from '../service/wire.ts'
import type { DeprovisionedCompany } from '../store/manage-journal.ts'
import type { WritingContext } from './context.ts'
import { judgeDataCall, judgeInactiveList } from './deprovisioning-decisions.ts'

type Service = DeprovisionedCompany['sentBy']

export interface Confirmations {
  /** One of them, with the time. */
  confirm(
    what: Confirmation['what'],
    judgement: Pick<Confirmation, 'result' | 'says'>,
    requestId?: string,
  ): Confirmation
  /** Reads the list of inactive companies of the service that was asked. */
  readInactive(company: CompanyRef, sentBy: Service): Promise<Confirmation>
  /** Asks the company for a little of its data. */
  callData(company: CompanyRef): Promise<Confirmation>
}

const DAY = 86_400_000

/** The turn in which a company is de-provisioned. */
export function deprovisioningTurn(
  context: WritingContext,
  company: CompanyRef,
  sentBy: Service,
): TurnRequest {
  return { ...turnOf(context, company, 'De-provisioning', true), ...laneOf(sentBy) }
}

function confirmingTurn(context: WritingContext, company: CompanyRef): TurnRequest {
  return turnOf(context, company, 'Confirming the de-provisioning', false)
}

function turnOf(context: WritingContext, company: CompanyRef, what: string, isWrite: boolean): TurnRequest {
  return {
    connectionId: company.connectionId,
    company,
    companyName: context.directory.facts(company)?.displayName ?? '',
    what,
    isWrite,
    priority: 'person',
    batchId: '',
  }
}

/** The older service has a lane of its own. */
function laneOf(sentBy: DeprovisionedCompany['sentBy']): Pick<TurnRequest, 'service'> {
  return sentBy === 'v1' ? { service: 'v1' } : {}
}

export function makeConfirmations(context: WritingContext): Confirmations {
  const confirm: Confirmations['confirm'] = (what, judgement, requestId = '') => ({
    what,
    ...judgement,
    requestId,
    at: context.timestamp(),
  })

  const readInactive: Confirmations['readInactive'] = async (company, sentBy) => {
    const turn = { ...confirmingTurn(context, company), ...laneOf(sentBy) }
    const list = await context.client.read(turn, async (wire) => {
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

  const callData: Confirmations['callData'] = async (company) => {
    const turn = confirmingTurn(context, company)
    const answer = await context.client.read(
      turn,
      (wire) =>
        wire.readRecords(company.endpointId, 'customer', smallRead(company), (raw) => {
          const decoded = decodeEnvelope(raw)
          return Promise.resolve(
            decoded.ok ? ok(redactEnvelope(decoded.value, secretsOf(wire.target))) : decoded,
          )
        }),
      { tries: 1 },
    )
    const requestId = answer.ok ? answer.value.requestId : (answer.error.details.requestId ?? '')
    return confirm('data-call', judgeDataCall(answer), requestId)
  }

  /** A record that is known to be there would deny it; else the little that changed since yesterday. */
  const smallRead = (company: CompanyRef): RecordsQuery => {
    const known = context.store.journal.manners.knownRecords(company, 'customer', [])
    const [id] = known.ok ? known.value.keys() : []
    if (id !== undefined) return { ids: [id] }
    return { modTimeStart: new Date(context.clock.now() - DAY).toISOString() }
  }

  return { confirm, readInactive, callData }
}
