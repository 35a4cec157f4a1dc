/**
 * Provisions companies. The list is taken first, in the same turn; a lost or late answer is settled by what the list
 * has more. *Not listed yet* is never *failed*.
 */
import type { Provisioning } from '../../shared/contract/companies.ts'
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { readCompanyList, type CompanyList } from '../service/company-list.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { TurnRequest, Wire, WriteAnswer } from '../service/wire.ts'
import type { JournalProvisioning, NewRequest, RequestAnswer } from '../store/journal.ts'
import { notFound, turnToEnd, type WritingContext } from './context.ts'
import { findProvisioned, nextProvisioningLook, provisionOutcome } from './provisioning-decisions.ts'

export interface ProvisioningWriter {
  /** Journalled and queued when this answers; follow it by the listener. */
  provision(
    connectionId: string,
    what: { readonly application: string; readonly userId: string; readonly expectedFile: string },
  ): Result<Provisioning>
  /** Not a cancelling: what was sent may still be done, and is watched. What was not sent yet is dropped. */
  stopWaiting(provisioningId: string): Result<Provisioning>
  /** Looks now. */
  lookForProvisioned(provisioningId: string): Promise<Result<Provisioning>>
  decideProvisioning(
    provisioningId: string,
    decision: 'keep' | 'not-the-right-file' | 'drop',
  ): Result<Provisioning>
  /** Newest first. */
  provisionings(connectionId: string): Result<readonly Provisioning[]>
  /** At a start: looks at once for what is waited for. */
  start(): Result<void>
  close(): void
}

export function createProvisioningWriter(context: WritingContext): ProvisioningWriter {
  const { manage } = context.store.journal
  const timers = new Map<string, () => void>()

  const request = (connectionId: string, what: string, isWrite: boolean): TurnRequest => ({
    connectionId,
    company: null,
    companyName: '',
    what,
    isWrite,
    priority: 'person',
    batchId: '',
  })

  const get = (provisioningId: string): Result<JournalProvisioning> => {
    const found = manage.provisioning(provisioningId)
    if (!found.ok) return found
    return found.value === null ? notFound('This provisioning') : ok(found.value)
  }

  const put = (
    provisioning: JournalProvisioning,
    change: Partial<Provisioning>,
    more: Partial<Pick<JournalProvisioning, 'idsBefore' | 'looks'>> = {},
  ): Result<JournalProvisioning> => {
    const next: JournalProvisioning = {
      ...provisioning,
      ...more,
      value: { ...provisioning.value, ...change },
    }
    const written = manage.putProvisioning(next, null)
    if (!written.ok) return written
    context.listener.companiesChanged(next.value.connectionId)
    return ok(next)
  }

  /** The whole of it within one turn: the list, the journal, the request, the journal. */
  const run = async (provisioningId: string, wire: Wire): Promise<Result<void>> => {
    const queued = get(provisioningId)
    if (!queued.ok) return queued
    if (queued.value.value.state !== 'queued') return ok(undefined)
    const { application, userId, connectionId } = queued.value.value
    const before = await readCompanyList(wire)
    if (!before.ok) return refuse(queued.value, before.error)
    const current = get(provisioningId)
    if (!current.ok) return current
    if (current.value.value.state !== 'queued') return ok(undefined)
    if (wire.isStopped()) return refuse(current.value, NOTHING_SENT, 'dropped')
    const sent: JournalProvisioning = {
      ...current.value,
      idsBefore: before.value.isWhole ? before.value.companies.map(({ endpointId }) => endpointId) : null,
      value: { ...current.value.value, state: 'sending', sentAt: context.timestamp() },
    }
    const newRequest: NewRequest = {
      requestKey: context.newId(),
      batchId: '',
      kind: 'provision',
      connectionId,
      endpointId: '',
      object: '',
      body: JSON.stringify({ userId, endpoint: application }),
      sentAt: context.timestamp(),
    }
    const written = manage.putProvisioning(sent, newRequest)
    if (!written.ok) return refuse(current.value, written.error)
    context.listener.companiesChanged(connectionId)
    const answer = await wire.provision(newRequest.body)
    return digest(newRequest, provisioningId, answer)
  }

  /** Nothing was sent: it is certain that nothing was provisioned. */
  const refuse = (
    provisioning: JournalProvisioning,
    error: AppError,
    state: 'refused' | 'dropped' = 'refused',
  ): Result<void> => {
    const written = put(provisioning, { state, error })
    return written.ok ? ok(undefined) : written
  }

  const digest = (sent: NewRequest, provisioningId: string, answer: WriteAnswer): Result<void> => {
    const found = get(provisioningId)
    if (!found.ok) return found
    const { value, idsBefore } = found.value
    const { change, company } = changeFor(context, value, idsBefore, answer)
    const next: JournalProvisioning = { ...found.value, value: { ...value, ...change } }
    const written = manage.answerProvisioning(next, requestAnswer(context, sent.requestKey, answer))
    if (!written.ok) return written
    if (company !== null) context.listener.companiesRead(value.connectionId, [company], false)
    context.listener.companiesChanged(value.connectionId)
    return ok(undefined)
  }

  /** Sets the next look by itself, or none. A refused or arrived one needs none. */
  const schedule = (provisioningId: string): void => {
    timers.get(provisioningId)?.()
    timers.delete(provisioningId)
    const found = get(provisioningId)
    if (!found.ok || found.value.value.state !== 'waiting' || context.isClosed()) return
    const { value, looks } = found.value
    const sentAt = Date.parse(value.sentAt ?? value.queuedAt)
    const at = nextProvisioningLook(sentAt, looks)
    put(found.value, { nextLookAt: at === null ? null : new Date(at).toISOString() })
    if (at === null) return
    const wait = Math.max(0, at - context.clock.now())
    timers.set(
      provisioningId,
      context.clock.after(wait, () => {
        void lookByItself(provisioningId)
      }),
    )
  }

  const lookByItself = async (provisioningId: string): Promise<void> => {
    try {
      await look(provisioningId)
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  const look = async (provisioningId: string): Promise<Result<Provisioning>> => {
    const begun = get(provisioningId)
    if (!begun.ok) return begun
    if (begun.value.value.state !== 'waiting') return ok(begun.value.value)
    const { connectionId } = begun.value.value
    const listed = await context.client.read(
      { ...request(connectionId, 'Looking for the provisioned company', false), priority: 'batch' },
      (wire) => readCompanyList(wire),
      { tries: 1 },
    )
    if (context.isClosed()) return ok(begun.value.value)
    const found = get(provisioningId)
    if (!found.ok) return found
    const { value, idsBefore, looks } = found.value
    if (value.state !== 'waiting') return ok(value)
    const lookedAt = context.timestamp()
    const company = listed.ok && idsBefore !== null ? sought(found.value, listed.value) : null
    const written = put(
      found.value,
      {
        lastLookedAt: lookedAt,
        nextLookAt: null,
        ...(listed.ok ? {} : { error: listed.error }),
        ...(company === null ? {} : arrived(value, company, false)),
      },
      { looks: looks + 1 },
    )
    if (listed.ok) {
      context.listener.companiesRead(connectionId, listed.value.companies, listed.value.isWhole)
    }
    schedule(provisioningId)
    return written.ok ? ok(written.value.value) : written
  }

  const sought = (provisioning: JournalProvisioning, list: CompanyList): CompanyRecord | null => {
    const { application, userId, expectedFile, connectionId, provisioningId } = provisioning.value
    const others = manage.provisionings(connectionId)
    if (!others.ok) return null
    const taken = others.value
      .filter(({ value }) => value.provisioningId !== provisioningId)
      .flatMap(({ value }) => value.company?.endpointId ?? [])
    return findProvisioned(list.companies, {
      application,
      userId,
      expectedFile,
      idsBefore: new Set(provisioning.idsBefore ?? []),
      taken: new Set(taken),
    })
  }

  const runInBackground = async (provisioning: Provisioning): Promise<void> => {
    const { provisioningId, connectionId } = provisioning
    try {
      const { result } = await turnToEnd(
        context.client,
        request(connectionId, 'Provisioning a company', true),
        (wire) => run(provisioningId, wire),
      )
      const found = get(provisioningId)
      // Taken out of the queue, or the queue is paused: nothing was sent.
      if (!result.ok && found.ok && found.value.value.state === 'queued') {
        put(found.value, { state: 'dropped', error: result.error })
      }
      // Its answer could not be written down: it is looked for instead.
      if (found.ok && found.value.value.state === 'sending') put(found.value, { state: 'waiting' })
      schedule(provisioningId)
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  return {
    provision(connectionId, { application, userId, expectedFile }) {
      if (application.trim() === '' || userId.trim() === '') {
        return err(appError('invalid-input', 'Application and user ID are needed to provision a company.'))
      }
      const value: Provisioning = {
        provisioningId: context.newId(),
        connectionId,
        application: application.trim(),
        userId: userId.trim(),
        expectedFile,
        state: 'queued',
        stoppedWaiting: false,
        queuedAt: context.timestamp(),
        sentAt: null,
        lastLookedAt: null,
        nextLookAt: null,
        company: null,
        wasThereBefore: false,
        error: null,
      }
      const written = manage.putProvisioning({ value, idsBefore: null, looks: 0 }, null)
      if (!written.ok) return written
      context.listener.companiesChanged(connectionId)
      void runInBackground(value)
      return ok(value)
    },
    stopWaiting(provisioningId) {
      const found = get(provisioningId)
      if (!found.ok) return found
      const state = found.value.value.state === 'queued' ? 'dropped' : found.value.value.state
      const written = put(found.value, { stoppedWaiting: true, state })
      return written.ok ? ok(written.value.value) : written
    },
    lookForProvisioned: look,
    decideProvisioning(provisioningId, decision) {
      const found = get(provisioningId)
      if (!found.ok) return found
      const { state } = found.value.value
      const isArrived = state === 'arrived'
      if (decision !== 'drop' && !isArrived) return notFound('This choice')
      if (decision === 'drop' && state === 'sending') {
        return err(
          appError(
            'invalid-input',
            'It has been sent, so it can’t be given up now.',
            'Stop waiting instead.',
          ),
        )
      }
      const written = put(found.value, { state: decision === 'keep' ? 'kept' : 'dropped', nextLookAt: null })
      timers.get(provisioningId)?.()
      timers.delete(provisioningId)
      return written.ok ? ok(written.value.value) : written
    },
    provisionings(connectionId) {
      const found = manage.provisionings(connectionId)
      return found.ok ? ok(found.value.map(({ value }) => value)) : found
    },
    start() {
      const open = manage.openProvisionings()
      if (!open.ok) return open
      for (const { value } of open.value) {
        if (value.state === 'waiting') void lookByItself(value.provisioningId)
      }
      return ok(undefined)
    },
    close() {
      for (const cancel of timers.values()) cancel()
      timers.clear()
    },
  }
}

const NOTHING_SENT = appError('stopped', 'Stopped before anything was sent.')

function arrived(
  value: Provisioning,
  company: CompanyRecord,
  wasThereBefore: boolean,
): Partial<Provisioning> {
  return {
    state: 'arrived',
    company: { connectionId: value.connectionId, endpointId: company.endpointId },
    wasThereBefore,
    error: null,
  }
}

function changeFor(
  context: WritingContext,
  value: Provisioning,
  idsBefore: readonly string[] | null,
  answer: WriteAnswer,
): { readonly change: Partial<Provisioning>; readonly company: CompanyRecord | null } {
  if (answer.outcome === 'in-doubt')
    return { change: { state: 'waiting', error: answer.error }, company: null }
  if (answer.outcome !== 'answered')
    return { change: { state: 'refused', error: answer.error }, company: null }
  const outcome = provisionOutcome(answer.envelope, value.application, context.translate)
  if (outcome.outcome !== 'arrived') {
    return { change: { state: outcome.outcome, error: outcome.error }, company: null }
  }
  // Not known to be new is treated as there before: such a company is never offered for de-provisioning.
  const wasThere = idsBefore === null || idsBefore.includes(outcome.company.endpointId)
  return { change: arrived(value, outcome.company, wasThere), company: outcome.company }
}

/** The journal's line of an answer that may hold a token: its outcome, never its text. */
export function requestAnswer<T extends { readonly status: number }>(
  context: Pick<WritingContext, 'timestamp'>,
  requestKey: string,
  answer: WriteAnswer<T>,
): RequestAnswer {
  const isAnswered = answer.outcome === 'answered'
  const requestId = isAnswered && 'requestId' in answer.envelope ? String(answer.envelope.requestId) : ''
  return {
    requestKey,
    answeredAt: context.timestamp(),
    outcome: answer.outcome,
    status: isAnswered ? answer.envelope.status : (answer.error.details.status ?? null),
    requestId: isAnswered ? requestId : (answer.error.details.requestId ?? ''),
    error: isAnswered ? null : answer.error,
    text: null,
    items: [],
  }
}
