/** De-provisions a company, and gathers the confirmations that it is. One company a call (specification 4.5, 4.7). */
import type { Confirmation } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { err, ok, type AppError, type Result } from '../../shared/result.ts'
import { readCompanyList } from '../service/company-list.ts'
import { decodeCompanies, decodeLegacyCompanies, type CompanyRecord } from '../service/company-records.ts'
import { decodeEnvelope } from '../service/envelope.ts'
import type { RecordsQuery, ServiceError, TurnRequest, Wire, WriteAnswer } from '../service/wire.ts'
import type { Deprovisioning, NewRequest } from '../store/journal.ts'
import { notFound, turnToEnd, type WritingContext } from './context.ts'
import { isDeprovisioned, judgeAnswer, judgeDataCall, judgeInactiveList } from './deprovisioning-decisions.ts'
import { requestAnswer } from './provisioning.ts'

export interface DeprovisioningWriter {
  /**
   * @returns the confirmations with their results; an error when it is certain that nothing was done
   */
  deprovision(
    company: CompanyRef,
  ): Promise<Result<{ readonly confirmations: readonly Confirmation[]; readonly isDeprovisioned: boolean }>>
  /** At a start: looks at the inactive list for what was on its way. */
  start(): Result<void>
}

/** What the PATCH brought, whichever service it was. */
interface Patched {
  readonly deprovisioning: Deprovisioning
  /** It is certain that nothing was done. */
  readonly refusal: AppError | null
}

const DAY = 86_400_000

export function createDeprovisioningWriter(context: WritingContext): DeprovisioningWriter {
  const { manage } = context.store.journal

  const request = (company: CompanyRef, what: string, isWrite: boolean): TurnRequest => ({
    connectionId: company.connectionId,
    company,
    companyName: context.directory.facts(company)?.displayName ?? '',
    what,
    isWrite,
    priority: 'person',
    batchId: '',
  })

  /** The older service knows a company that only it lists. */
  const isLegacy = (company: CompanyRef): Result<boolean> => {
    const stored = context.store.companies.get(company)
    if (!stored.ok) return stored
    return stored.value === null ? notFound('This company') : ok(stored.value.listedBy === 'v1')
  }

  const confirm = (
    what: Confirmation['what'],
    judgement: Pick<Confirmation, 'result' | 'says'>,
    requestId = '',
  ): Confirmation => ({ what, ...judgement, requestId, at: context.timestamp() })

  const patch = async (company: CompanyRef, legacy: boolean, wire: Wire): Promise<Patched> => {
    // As shown (specification 4.5): the JSON string "false", not the boolean; the older service the same.
    const body = JSON.stringify({ endpointId: company.endpointId, isActive: 'false' })
    const sentAt = context.timestamp()
    const deprovisioning: Deprovisioning = {
      deprovisioningId: context.newId(),
      company,
      state: 'sending',
      sentAt,
      confirmations: [],
      error: null,
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
    const written = manage.putDeprovisioning(deprovisioning, newRequest, null)
    if (!written.ok) return { deprovisioning, refusal: written.error }
    const answer = legacy
      ? readLegacy(await wire.legacyDeprovision(body))
      : readCurrent(await wire.deprovision(body))
    const refusal = answer.isCertainlyNotDone ? answer.error : null
    const after: Deprovisioning = {
      ...deprovisioning,
      state: refusal === null ? 'unknown' : 'not-sent',
      confirmations:
        refusal === null ? [confirm('answer', answer.judge(company.endpointId), answer.requestId)] : [],
      error: answer.error,
    }
    const kept = manage.putDeprovisioning(
      after,
      null,
      requestAnswer(context, newRequest.requestKey, answer.answer),
    )
    if (answer.companies.length > 0) {
      context.listener.companiesRead(company.connectionId, answer.companies, false)
    }
    return { deprovisioning: after, refusal: refusal ?? (kept.ok ? null : kept.error) }
  }

  const readInactive = async (company: CompanyRef, legacy: boolean): Promise<Confirmation> => {
    const turn = request(company, 'Confirming the de-provisioning', false)
    const list = await context.client.read(turn, async (wire) => {
      if (!legacy) return readCompanyList(wire, { isActive: false })
      const answered = await wire.legacyListCompanies({ isActive: false })
      return answered.ok
        ? ok({ companies: decodeLegacyCompanies(answered.value), isWhole: answered.value.statusCode === '0' })
        : answered
    })
    if (list.ok) context.listener.companiesRead(company.connectionId, list.value.companies, false)
    return confirm('inactive-list', judgeInactiveList(list, company.endpointId))
  }

  const callData = async (company: CompanyRef): Promise<Confirmation> => {
    const turn = request(company, 'Confirming the de-provisioning', false)
    const answer = await context.client.read(
      turn,
      (wire) =>
        wire.readRecords(company.endpointId, 'customer', smallRead(company), (raw) =>
          Promise.resolve(decodeEnvelope(raw)),
        ),
      { tries: 1 },
    )
    const requestId = answer.ok ? answer.value.requestId : (answer.error.details.requestId ?? '')
    return confirm('data-call', judgeDataCall(answer), requestId)
  }

  /** A record that is known to be there would deny it; else the little that changed since yesterday. */
  const smallRead = (company: CompanyRef): RecordsQuery => {
    const known = context.store.journal.manners.knownRecordIds(company, 'customer', [])
    const [id] = known.ok ? known.value : []
    if (id !== undefined) return { ids: [id] }
    return { modTimeStart: new Date(context.clock.now() - DAY).toISOString() }
  }

  const finish = (
    deprovisioning: Deprovisioning,
    confirmations: readonly Confirmation[],
  ): Result<boolean> => {
    const isDone = isDeprovisioned(confirmations)
    const isDenied = confirmations.some(({ what, result }) => what !== 'data-call' && result === 'denied')
    const written = manage.putDeprovisioning(
      { ...deprovisioning, state: isDone ? 'done' : isDenied ? 'denied' : 'unknown', confirmations },
      null,
      null,
    )
    context.listener.companiesChanged(deprovisioning.company.connectionId)
    return written.ok ? ok(isDone) : written
  }

  const settle = async (open: Deprovisioning): Promise<void> => {
    try {
      const legacy = isLegacy(open.company)
      if (!legacy.ok) return
      const list = await readInactive(open.company, legacy.value)
      if (context.isClosed()) return
      finish(open, [...open.confirmations.filter(({ what }) => what !== 'inactive-list'), list])
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  return {
    async deprovision(company) {
      const legacy = isLegacy(company)
      if (!legacy.ok) return legacy
      const { result } = await turnToEnd(context.client, request(company, 'De-provisioning', true), (wire) =>
        patch(company, legacy.value, wire),
      )
      if (!result.ok) return result
      const { deprovisioning, refusal } = result.value
      if (refusal !== null) return err(refusal)
      const list = await readInactive(company, legacy.value)
      const soFar = [...deprovisioning.confirmations, list]
      // The older service has no data calls.
      const confirmations = legacy.value ? soFar : [...soFar, await callData(company)]
      const done = finish(deprovisioning, confirmations)
      return done.ok ? ok({ confirmations, isDeprovisioned: done.value }) : done
    },
    start() {
      const open = manage.openDeprovisionings()
      if (!open.ok) return open
      for (const deprovisioning of open.value) void settle(deprovisioning)
      return ok(undefined)
    },
  }
}

/** Either service's answer in one shape. */
interface ReadAnswer {
  readonly answer: WriteAnswer<{ readonly status: number }>
  readonly companies: readonly CompanyRecord[]
  readonly requestId: string
  readonly error: AppError | null
  readonly isCertainlyNotDone: boolean
  readonly judge: (endpointId: string) => Pick<Confirmation, 'result' | 'says'>
}

function readUnanswered(
  answer: Exclude<WriteAnswer<{ readonly status: number }>, { outcome: 'answered' }>,
): ReadAnswer {
  const { error, outcome } = answer
  return {
    answer,
    companies: [],
    requestId: error.details.requestId ?? '',
    error,
    isCertainlyNotDone: outcome !== 'in-doubt',
    judge: () => ({ result: 'unclear', says: `No sure answer came: ${error.message}` }),
  }
}

function readAnswered(
  answer: WriteAnswer<{ readonly status: number }>,
  companies: readonly CompanyRecord[],
  errors: readonly ServiceError[],
  requestId: string,
): ReadAnswer {
  return {
    answer,
    companies,
    requestId,
    error: null,
    isCertainlyNotDone: false,
    judge: (endpointId) => judgeAnswer(companies, errors, endpointId),
  }
}

function readCurrent(answer: WriteAnswer): ReadAnswer {
  if (answer.outcome !== 'answered') return readUnanswered(answer)
  const { envelope } = answer
  const errors = [...envelope.errors, ...envelope.items.flatMap((item) => item.errors)]
  return readAnswered(answer, decodeCompanies(envelope), errors, envelope.requestId)
}

function readLegacy(answer: Awaited<ReturnType<Wire['legacyDeprovision']>>): ReadAnswer {
  if (answer.outcome !== 'answered') return readUnanswered(answer)
  const { envelope } = answer
  const isSuccess = envelope.statusCode === '0' || envelope.statusCode === ''
  const error: ServiceError = {
    code: envelope.statusCode,
    message: envelope.message,
    severity: '',
    detail: '',
    raw: envelope.message,
  }
  return readAnswered(answer, decodeLegacyCompanies(envelope), isSuccess ? [] : [error], '')
}
