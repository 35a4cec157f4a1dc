/** De-provisions one company per call, and gathers the confirmations (specification 4.5, 4.7). */
import { isSameId } from '../../../shared/companies/companies.ts'
import type { Confirmation, DeprovisioningView } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import {
  type CompanyRecord,
  decodeCompanies,
  decodeLegacyCompanies,
  readCompanyList,
} from '../../service/companies/company-list.ts'
import { redactEnvelope } from '../../service/errors/redact.ts'
import { decodeEnvelope } from '../../service/protocol/envelope.ts'
import type {
  RecordsQuery,
  ServiceError,
  SlotRequest,
  Wire,
  WriteResult,
} from '../../service/protocol/wire.ts'
import { resultOfAsync } from '../../store/database.ts'
import type { DeprovisionedCompany, Deprovisioning } from '../../store/journal/companies.ts'
import type { NewRequest } from '../../store/journal/journal.ts'
import { notFoundError, type WritingContext } from '../context.ts'
import { sentToPreviousServiceError } from '../records/states.ts'
import {
  judgeDataCall,
  judgeInactiveList,
  judgeResponse,
  type Judgment,
  stateAfter,
} from './confirmation-verdicts.ts'
import { requestResult } from './journal.ts'
import { RecheckTimer } from './recheck-timer.ts'

/** De-provisioning as the use cases see it. */
export interface DeprovisioningWriter {
  /**
   * De-provisions a company.
   * @param service which service to ask if both list the company; ignored otherwise
   * @returns the confirmations, or an error if certainly nothing was done, for example because a write to these books
   * is waiting or not confirmed
   */
  deprovision(company: CompanyRef, service?: Service): Promise<Result<Deprovisioned>>
  /** Newest first. */
  deprovisionings(connectionId: string): readonly DeprovisioningView[]
  /** Reads them from the journal, in the given order. Returns an error if one no longer exists. */
  deprovisioningsById(deprovisioningIds: readonly string[]): readonly Deprovisioning[]
  /** Reads the list of inactive companies again. */
  recheckDeprovisioning(deprovisioningId: string): Promise<Result<DeprovisioningView>>
  /** Confirms unconfirmed de-provisionings from a list that was read for another reason. */
  deprovisionedByList(connectionId: string, sentBy: DeprovisionedCompany['sentBy'], list: ReadList): void
}

/** De-provisioning during one run of the program. */
export interface DeprovisioningProtocol {
  readonly writer: DeprovisioningWriter
  /** Resumes checking the list of inactive companies, for one connection or, at startup, for all. */
  start(connectionId?: string): void
  close(): void
}

/** An outcome and its ID in the journal. */
export interface Deprovisioned extends Pick<Deprovisioning, 'deprovisioningId' | 'sentAt' | 'confirmations'> {
  readonly isDeprovisioned: boolean
}

/** A list of companies. `requestId` is the service's, or empty. */
export interface ReadList {
  readonly companies: readonly CompanyRecord[]
  readonly requestId: string
}

type Service = DeprovisionedCompany['sentBy']

/** The result of the PATCH, from either service. */
interface Patched {
  readonly deprovisioning: Deprovisioning
  /** Set if certainly nothing was done. */
  readonly refusal: AppError | null
}

function viewOf({
  deprovisioningId,
  company,
  state,
  sentAt,
  confirmations,
}: Deprovisioning): DeprovisioningView {
  return { deprovisioningId, company, state, sentAt, confirmations: [...confirmations] }
}

/** @param ended called for each company whose de-provisioning is confirmed */
export function createDeprovisioning(
  context: WritingContext,
  ended: (company: CompanyRef) => void,
): DeprovisioningProtocol {
  const { manage } = context.store.journal
  const { confirm, readInactive, callData } = createConfirmations(context)
  const timer = new RecheckTimer(context.clock)

  /**
   * What the report will say, and whether the company's data can be requested. It can't if only the older service lists
   * the company.
   */
  const knownOf = (
    company: CompanyRef,
    service: Service,
  ): { readonly known: DeprovisionedCompany; readonly hasData: boolean } => {
    const stored = context.store.companies.get(company)
    if (stored === null) throw notFoundError('This company')
    const { companyName, label, applicationName, fullPath, userId, listedBy } = stored
    const sentBy = listedBy === 'both' ? service : listedBy
    return {
      known: { companyName, label, applicationName, fullPath, userId, sentBy },
      hasData: listedBy !== 'v1',
    }
  }

  const patch = async (
    deprovisioningId: string,
    company: CompanyRef,
    known: DeprovisionedCompany,
    wire: Wire,
  ): Promise<Patched> => {
    const legacy = known.sentBy === 'v1'
    // Both services take the JSON string "false", not the boolean (specification 4.5). The ID is spelled as that
    // service currently spells it, which may differ from the spelling stored here.
    const endpointId = context.store.companies.get(company)?.listedAs ?? company.endpointId
    const body = JSON.stringify({ endpointId, isActive: 'false' })
    const sentAt = context.timestamp()
    const deprovisioning: Deprovisioning = {
      deprovisioningId,
      company,
      known,
      state: 'sending',
      sentAt,
      confirmations: [],
      error: null,
      previousService: '',
    }
    const newRequest: NewRequest = {
      requestKey: context.newId(),
      batchId: '',
      kind: legacy ? 'legacy-deprovision' : 'deprovision',
      connectionId: company.connectionId,
      endpointId: company.endpointId,
      object: '',
      body,
      sentAt,
    }
    manage.putDeprovisioning(deprovisioning, newRequest, null)
    const result = legacy
      ? readLegacy(await wire.legacyDeprovision(body))
      : readCurrent(await wire.deprovision(body))
    const refusal = result.isCertainlyNotDone ? result.error : null
    const after: Deprovisioning = {
      ...deprovisioning,
      state: refusal === null ? 'unknown' : 'not-sent',
      confirmations:
        refusal === null ? [confirm('answer', result.judge(company.endpointId), result.requestId)] : [],
      error: result.error,
    }
    if (result.companies.length > 0) {
      context.listener.companiesRead(company.connectionId, result.companies, false)
    }
    manage.putDeprovisioning(after, null, requestResult(context, newRequest.requestKey, result.result))
    return { deprovisioning: after, refusal }
  }

  const finish = (deprovisioning: Deprovisioning, confirmations: readonly Confirmation[]): Deprovisioning => {
    const { deprovisioningId, company } = deprovisioning
    const current = manage.deprovisioning(deprovisioningId)
    // Another list has confirmed it in the meantime. A list that lags doesn't undo that.
    if (current?.state === 'done') return current
    const settled = { ...deprovisioning, state: stateAfter(confirmations), confirmations }
    try {
      manage.putDeprovisioning(settled, null, null)
    } finally {
      context.listener.companiesChanged(company.connectionId)
      if (settled.state === 'unknown') scheduleRecheck(settled)
      else timer.cancel(deprovisioningId)
      if (settled.state === 'done') ended(company)
    }
    return settled
  }

  /** Schedules the next check of the list of inactive companies. The service may still be working. */
  const scheduleRecheck = (open: Deprovisioning): void => {
    const { deprovisioningId } = open
    timer.rechecked(deprovisioningId)
    if (context.isClosed()) timer.cancel(deprovisioningId)
    else timer.schedule(deprovisioningId, () => void begin(open))
  }

  const recheck = async (begun: Deprovisioning): Promise<Result<Deprovisioning>> => {
    const open = manage.deprovisioning(begun.deprovisioningId) ?? begun
    if (open.previousService !== '') return err(sentToPreviousServiceError(open.previousService))
    const list = await readInactive(open.company, open.known.sentBy, open.deprovisioningId)
    const current = manage.deprovisioning(open.deprovisioningId)
    // The user may have deleted the company's data in the meantime.
    if (current === null) throw notFoundError('This de-provisioning')
    if (context.isClosed()) return ok(current)
    return ok(finish(current, updateFromList(current.confirmations, list)))
  }

  const begin = async (open: Deprovisioning): Promise<void> => {
    try {
      await recheck(open)
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  const writer: DeprovisioningWriter = {
    async deprovision(company, service = 'v2') {
      const { known, hasData } = knownOf(company, service)
      const before = openWrites(context, company)
      if (!before.ok) return before
      const deprovisioningId = context.newId()
      const request = deprovisionRequest(context, company, known.sentBy, deprovisioningId)
      const { result } = await context.client.withSlot(request, (wire) =>
        resultOfAsync(async () => {
          // Checks again in the slot, because something may have been sent while this request waited.
          const still = openWrites(context, company)
          return still.ok ? ok(await patch(deprovisioningId, company, known, wire)) : still
        }),
      )
      if (!result.ok) return result
      const { deprovisioning, refusal } = result.value
      if (refusal !== null) return err(refusal)
      const list = await readInactive(company, known.sentBy, deprovisioningId)
      const soFar = [...deprovisioning.confirmations, list]
      const confirmations = hasData ? [...soFar, await callData(company, deprovisioningId)] : soFar
      const { sentAt } = deprovisioning
      const { state, confirmations: all } = finish(deprovisioning, confirmations)
      return ok({ deprovisioningId, sentAt, confirmations: all, isDeprovisioned: state === 'done' })
    },
    deprovisionings(connectionId) {
      return manage
        .deprovisionings(connectionId)
        .filter(({ state }) => state !== 'not-sent')
        .map((each) => viewOf(each))
    },
    async recheckDeprovisioning(deprovisioningId) {
      const found = manage.deprovisioning(deprovisioningId)
      if (found === null) throw notFoundError('This de-provisioning')
      const rechecked = await recheck(found)
      return rechecked.ok ? ok(viewOf(rechecked.value)) : rechecked
    },
    deprovisionedByList(connectionId, sentBy, { companies, requestId }) {
      const inactive = companies.filter(({ isActive }) => !isActive)
      if (inactive.length === 0) return
      for (const open of manage.deprovisionings(connectionId)) {
        const { company, known, state, confirmations, previousService } = open
        if (previousService !== '') continue
        if ((state !== 'unknown' && state !== 'denied') || known.sentBy !== sentBy) continue
        if (!inactive.some(({ endpointId }) => isSameId(endpointId, company.endpointId))) continue
        const says = 'The list of companies calls the company inactive.'
        const list = confirm('inactive-list', { result: 'confirmed', says }, requestId)
        finish(open, updateFromList(confirmations, list))
      }
    },
    deprovisioningsById(deprovisioningIds) {
      const all: Deprovisioning[] = []
      for (const deprovisioningId of deprovisioningIds) {
        const found = manage.deprovisioning(deprovisioningId)
        if (found === null) throw notFoundError('This de-provisioning')
        all.push(found)
      }
      return all
    },
  }

  return {
    writer,
    start(connectionId) {
      for (const deprovisioning of manage.openDeprovisionings()) {
        if (connectionId !== undefined && deprovisioning.company.connectionId !== connectionId) continue
        // A de-provisioning that is being sent in this run is rechecked anyway.
        if (deprovisioning.state === 'unknown') void begin(deprovisioning)
      }
    },
    close() {
      timer.close()
    },
  }
}

/*
 * Whether a company may be de-provisioned. It may not while a write to it is unconfirmed, because the outcome could no
 * longer be read back, or while one waits, because it could never be sent.
 */

/** Returns an error with advice if a write to these books is waiting or not confirmed. */
export function openWrites(context: Pick<WritingContext, 'store'>, company: CompanyRef): Result<void> {
  const { operations } = context.store.journal
  const unconfirmed = operations.open(company, ['sending', 'unknown'])
  if (unconfirmed.length > 0) {
    return err(
      appError(
        'invalid-input',
        `Not de-provisioned: ${recordsOf(unconfirmed.length)} sent to these books ${unconfirmed.length === 1 ? 'is' : 'are'} not confirmed yet.`,
        'Open Records, check, and wait for the outcome, because it can’t be checked afterward. Then de-provision.',
      ),
    )
  }
  const queued = operations.open(company, ['queued'])
  if (queued.length === 0) return ok(undefined)
  return err(
    appError(
      'invalid-input',
      `Not de-provisioned: ${recordsOf(queued.length)} still ${queued.length === 1 ? 'waits' : 'wait'} to be sent to these books.`,
      'Open Records, and send or discard the waiting changes. Then de-provision.',
    ),
  )
}

function recordsOf(count: number): string {
  return count === 1 ? '1 record' : `${String(count)} records`
}

// The result of a de-provisioning's PATCH, from either service.

/** A response from either service, in one shape. */
interface InterpretedResponse {
  readonly result: WriteResult<{ readonly status: number }>
  readonly companies: readonly CompanyRecord[]
  readonly requestId: string
  readonly error: AppError | null
  readonly isCertainlyNotDone: boolean
  readonly judge: (endpointId: string) => Judgment
}

function interpretFailure(
  result: Exclude<WriteResult<{ readonly status: number }>, { outcome: 'answered' }>,
): InterpretedResponse {
  const { error, outcome } = result
  return {
    result,
    companies: [],
    requestId: error.details.requestId ?? '',
    error,
    isCertainlyNotDone: outcome !== 'uncertain',
    judge: () => ({ result: 'unclear', says: `No clear response came: ${error.message}` }),
  }
}

function interpretEnvelope(
  result: WriteResult<{ readonly status: number }>,
  companies: readonly CompanyRecord[],
  errors: readonly ServiceError[],
  requestId: string,
): InterpretedResponse {
  return {
    result,
    companies,
    requestId,
    error: null,
    isCertainlyNotDone: false,
    judge: (endpointId) => judgeResponse(companies, errors, endpointId),
  }
}

/** Reads a response from the current service. */
function readCurrent(result: WriteResult): InterpretedResponse {
  if (result.outcome !== 'answered') return interpretFailure(result)
  const { envelope } = result
  const errors = [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)]
  return interpretEnvelope(result, decodeCompanies(envelope), errors, envelope.requestId)
}

/** Reads a response from the older service (specification 4.7). */
function readLegacy(result: Awaited<ReturnType<Wire['legacyDeprovision']>>): InterpretedResponse {
  if (result.outcome !== 'answered') return interpretFailure(result)
  const { envelope } = result
  const isSuccess = envelope.statusCode === '0' || envelope.statusCode === ''
  const error: ServiceError = {
    code: envelope.statusCode,
    message: envelope.message,
    severity: '',
    detail: '',
    raw: envelope.message,
  }
  return interpretEnvelope(result, decodeLegacyCompanies(envelope), isSuccess ? [] : [error], '')
}

// Proof that a company was de-provisioned: the list of inactive companies, and a data call that is refused.

interface Confirmations {
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
function deprovisionRequest(
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

function createConfirmations(context: WritingContext): Confirmations {
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
function updateFromList(confirmations: readonly Confirmation[], list: Confirmation): readonly Confirmation[] {
  const isAnswer = ({ what }: Confirmation): boolean => what === 'answer'
  const others = confirmations.filter(({ what }) => what !== 'answer' && what !== 'inactive-list')
  return [...confirmations.filter(isAnswer), list, ...others]
}
