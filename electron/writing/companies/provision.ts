/**
 * Provisions companies, each with a new user if requested (`create-user.ts`). Reads the list of companies first, in the
 * same slot. If the response is lost or late, a new company in the list settles the outcome (`watch.ts`). The request
 * is never repeated.
 */
import { isSameId, namedBooks } from '../../../shared/companies/companies.ts'
import type { Provisioning, SetupAttempt } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  readCompanyList,
} from '../../service/companies/company-list.ts'
import { serviceRequest, type Wire, type WriteResult } from '../../service/protocol/wire.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type { JournalProvisioning } from '../../store/journal/companies.ts'
import type { NewRequest } from '../../store/journal/journal.ts'
import { notFoundError, type WritingContext } from '../context.ts'
import { createUserCreator } from './create-user.ts'
import { createProvisioningJournal, requestResult } from './journal.ts'
import { changeAfterResponse, holdsId, listBefore } from './provision-verdicts.ts'
import { createProvisioningWatch } from './watch.ts'

/** Provisioning as the use cases see it. */
export interface ProvisioningWriter {
  /**
   * Provisions a company, after creating a new user if needed. When this returns, the request is journaled and queued.
   * The listener reports the outcome. Refuses a request that was already made.
   */
  provision(connectionId: string, what: ProvisionRequest): Result<Provisioning>
  /** Whether a setup was started from this draft of **Add company**. */
  wasRequested(connectionId: string, asking: RequestIdentity): boolean
  /**
   * Discards a setup. Cancels nothing: a request that was sent may still succeed and is watched. An unsent request is
   * dropped.
   */
  stopWaiting(provisioningId: string): Provisioning
  /** Rechecks now. Returns an error if the list can't be read or is inconclusive. */
  recheckProvisioning(provisioningId: string): Promise<Result<Provisioning>>
  decideProvisioning(
    provisioningId: string,
    decision: 'keep' | 'not-the-right-file' | 'drop',
  ): Result<Provisioning>
  /** Newest first. */
  provisionings(connectionId: string): readonly SetupAttempt[]
}

/** Provisioning during one run of the program. */
export interface ProvisioningProtocol {
  readonly writer: ProvisioningWriter
  /** Answers the question about a company's file that a setup may still ask, since the company was de-provisioned. */
  companyEnded(company: CompanyRef): void
  /** Rechecks pending setups now, for one connection or, at startup, for all. */
  start(connectionId?: string): void
  close(): void
}

export function createProvisioning(context: WritingContext): ProvisioningProtocol {
  const { manage } = context.store.journal
  const journal = createProvisioningJournal(context)
  const watch = createProvisioningWatch(context, journal)
  const users = createUserCreator(context, journal)

  /** Runs in one slot: list, journal, request, journal. */
  const run = async (provisioningId: string, wire: Wire): Promise<void> => {
    const queued = journal.get(provisioningId)
    if (queued.value.state !== 'queued') return
    if (queued.previousService !== '') return refuse(queued, NOT_THERE_ANY_MORE)
    const before = await readCompanyList(wire)
    if (!before.ok) return refuse(queued, before.error)
    const current = journal.get(provisioningId)
    if (current.value.state !== 'queued') return
    if (wire.isStopped()) return refuse(current, NOTHING_SENT)
    if (settleEarlier(current, before.value)) return refuse(current, THERE_ALREADY, 'dropped')
    const unsure = unsureEarlier(current, before.value)
    if (unsure.length > 0) return ask(current, unsure)
    return send(current, before.value, wire)
  }

  const send = async (provisioning: JournalProvisioning, before: CompanyList, wire: Wire): Promise<void> => {
    const { application, userId, connectionId, provisioningId } = provisioning.value
    const known = context.store.companies.list(connectionId)
    const sentAt = context.timestamp()
    const sent: JournalProvisioning = {
      ...provisioning,
      listBefore: listBefore(before, known),
      value: { ...provisioning.value, state: 'sending', sentAt },
    }
    const newRequest: NewRequest = {
      requestKey: context.newId(),
      batchId: '',
      kind: 'provision',
      connectionId,
      endpointId: '',
      object: '',
      body: JSON.stringify({ userId, endpoint: application }),
      sentAt,
    }
    manage.putProvisioning(sent, newRequest)
    context.listener.companiesChanged(connectionId)
    const result = await wire.provision(newRequest.body)
    digest(newRequest, provisioningId, result)
  }

  /** Whether an earlier try has succeeded in the meantime. One that was certainly refused can't. */
  const settleEarlier = (provisioning: JournalProvisioning, list: CompanyList): boolean => {
    const earlier = journal.earlier(provisioning)
    for (const each of earlier) {
      const settled = watch.reconcile(each.value.provisioningId, list)
      if (settled !== null) return true
      if (each.value.state === 'refused') journal.put(each, { state: 'dropped' })
    }
    return false
  }

  /** Companies that an earlier try may have created, without proof, and that the user hasn't been asked about. */
  const unsureEarlier = (provisioning: JournalProvisioning, list: CompanyList): readonly CompanyRecord[] => {
    const earlier = journal.earlier(provisioning)
    const asked = earlier.flatMap(({ askedAbout }) => askedAbout)
    const unsure = earlier.flatMap((each) => watch.mayBe(each, list))
    return unsure.filter(({ endpointId }) => !holdsId(asked, endpointId))
  }

  /** Holds the request so that the user can look at these companies first. The next try is sent anyway. */
  const ask = (provisioning: JournalProvisioning, unsure: readonly CompanyRecord[]): void => {
    const askedAbout = [...provisioning.askedAbout, ...unsure.map(({ endpointId }) => endpointId)]
    journal.put(provisioning, { state: 'refused', error: possibleMatchError(unsure) }, { askedAbout })
  }

  /** Nothing was sent, so certainly nothing was provisioned. */
  const refuse = (
    provisioning: JournalProvisioning,
    error: AppError,
    state: 'refused' | 'dropped' = 'refused',
  ): void => {
    journal.put(provisioning, { state, error })
  }

  const digest = (sent: NewRequest, provisioningId: string, result: WriteResult): void => {
    const found = journal.get(provisioningId)
    const { value, listBefore: before } = found
    const { change, company } = changeAfterResponse(value, before, result, context.translate)
    const next: JournalProvisioning = { ...found, value: { ...value, ...change } }
    manage.saveProvisioningResult(next, requestResult(context, sent.requestKey, result))
    if (company !== null) context.listener.companiesRead(value.connectionId, [company], false)
    context.listener.companiesChanged(value.connectionId)
  }

  const runInBackground = async (provisioning: Provisioning): Promise<void> => {
    const { provisioningId, connectionId, newUser } = provisioning
    try {
      if (newUser?.state === 'to-make' && !(await users.make(provisioning))) return
      const what = `Provisioning ${namedBooks(provisioning) || 'a company'}`
      const request = serviceRequest({
        ...{ connectionId, what, isWrite: true, priority: 'interactive' },
        batchId: provisioningId,
      })
      const { result } = await context.client.withSlot(request, (wire) =>
        resultOfAsync(async () => {
          await run(provisioningId, wire)
          return ok(undefined)
        }),
      )
      const found = journal.get(provisioningId)
      // The user removed it from the queue, or the queue is paused. Nothing was sent.
      if (!result.ok && found.value.state === 'queued') refuse(found, result.error)
      // The response could not be saved to disk, so the list is searched for the company.
      if (found.value.state === 'sending') journal.put(found, { state: 'waiting' })
      watch.schedule(provisioningId)
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  const decideProvisioning: ProvisioningWriter['decideProvisioning'] = (provisioningId, decision) => {
    const found = journal.get(provisioningId)
    const { state } = found.value
    if (decision !== 'drop' && state !== 'arrived') throw notFoundError('This choice')
    if (decision === 'drop' && state === 'sending') return err(SENT_ALREADY)
    const written = journal.put(found, {
      state: decision === 'keep' ? 'kept' : 'dropped',
      nextRecheckAt: null,
    })
    watch.forget(provisioningId)
    return ok(written.value)
  }

  const writer: ProvisioningWriter = {
    provision(connectionId, what) {
      const all = manage.provisionings(connectionId)
      const begun = { provisioningId: context.newId(), connectionId, queuedAt: context.timestamp() }
      const here = all.filter(({ previousService }) => previousService === '')
      const provisioning = newProvisioning(begun, what, here)
      if (!provisioning.ok) return provisioning
      manage.putProvisioning(provisioning.value, null)
      context.listener.companiesChanged(connectionId)
      void runInBackground(provisioning.value.value)
      return ok(provisioning.value.value)
    },
    wasRequested(connectionId, asking) {
      return wasRequested(manage.provisionings(connectionId), asking)
    },
    stopWaiting(provisioningId) {
      const found = journal.get(provisioningId)
      const { state, newUser } = found.value
      const isUnsent = state === 'queued' && (newUser === null || newUser.askedAt === null)
      return journal.put(found, { stoppedWaiting: true, state: isUnsent ? 'dropped' : state }).value
    },
    recheckProvisioning: (provisioningId) => watch.recheck(provisioningId),
    decideProvisioning,
    provisionings(connectionId) {
      return manage.provisionings(connectionId).map(({ value, again }) => ({ ...value, again }))
    },
  }

  return {
    writer,
    companyEnded(company) {
      // The end of the company is already on disk. Only the question remains.
      resultOf(() => {
        for (const { value } of manage.provisionings(company.connectionId)) {
          if (value.state !== 'arrived' || value.company === null) continue
          if (!isSameId(value.company.endpointId, company.endpointId)) continue
          decideProvisioning(value.provisioningId, 'not-the-right-file')
        }
      })
    },
    start(connectionId) {
      for (const { value, previousService } of manage.openProvisionings()) {
        if (connectionId !== undefined && value.connectionId !== connectionId) continue
        if (value.state === 'waiting' && previousService === '') watch.begin(value.provisioningId)
      }
    },
    close: () => {
      watch.close()
    },
  }
}

const NOTHING_SENT = appError(
  'stopped',
  'Stopped before anything was sent.',
  'Nothing was provisioned or billed.',
)
const NOT_THERE_ANY_MORE = appError(
  'connection-changed',
  'The address of this connection was changed before anything was sent.',
  'Nothing was provisioned or billed. Provision it again to use the new address.',
)
const THERE_ALREADY = appError('stopped', 'The first setup finished, so nothing was sent again.')

function possibleMatchError(unsure: readonly CompanyRecord[]): AppError {
  const names = unsure.slice(0, 3).map(({ companyName, endpointId }) => `“${companyName || endpointId}”`)
  const more = unsure.length > names.length ? [`${unsure.length - names.length} more`] : []
  return appError(
    'stopped',
    `Active since the first setup was sent: ${[...names, ...more].join(', ')}. Nothing was sent again.`,
    'One of these may be the company you’re waiting for. Check in Companies. If it isn’t, choose Provision company.',
  )
}

const SENT_ALREADY = appError(
  'invalid-input',
  'It has been sent, so it can’t be discarded now.',
  'Stop waiting instead.',
)

// Pure decisions about starting a setup. One draft provisions at most once.

/** What the user requested. */
export interface ProvisionRequest {
  readonly application: string
  /** `null` creates a user first, unless the setup that this one retries has created one. */
  readonly userId: string | null
  readonly expectedFile: string
  readonly place: Provisioning['place']
  /** `begunAt` of the draft of **Add company**. */
  readonly draftBegunAt?: string
  /** The earlier setup that this one retries. It is rechecked right before the request. */
  readonly again?: string
}

/** Identifies a request, so that a second click starts nothing. */
export type RequestIdentity = Pick<JournalProvisioning, 'draftBegunAt' | 'again'>

const ON_THEIR_WAY: readonly Provisioning['state'][] = ['queued', 'making-user', 'sending']

/**
 * Whether the same request was already made, from this draft or as another retry of the same setup that may still
 * succeed.
 */
function wasRequested(
  all: readonly JournalProvisioning[],
  { draftBegunAt, again }: RequestIdentity,
): boolean {
  return all.some(({ value, ...other }) => {
    if (draftBegunAt !== null && other.draftBegunAt === draftBegunAt && other.again === again) return true
    if (again === null) return false
    if (value.provisioningId === again) return ON_THEIR_WAY.includes(value.state)
    return other.again === again && value.state !== 'refused' && value.state !== 'dropped'
  })
}

/**
 * Creates a setup, with the user that an earlier try created. Returns an error if something is missing or if the
 * request was already made.
 * @param begun its new ID, and when it was requested (ISO)
 * @param all the setups of the connection
 */
function newProvisioning(
  begun: Pick<Provisioning, 'provisioningId' | 'connectionId' | 'queuedAt'>,
  what: ProvisionRequest,
  all: readonly JournalProvisioning[],
): Result<JournalProvisioning> {
  const { application, userId, expectedFile, place, draftBegunAt = null, again = null } = what
  if (application.trim() === '' || userId?.trim() === '') return err(SOMETHING_MISSING)
  if (wasRequested(all, { draftBegunAt, again })) return err(ASKED_ALREADY)
  const value: Provisioning = {
    ...begun,
    application: application.trim(),
    ...(userId === null ? userMadeBefore(all, again) : { userId: userId.trim(), newUser: null }),
    expectedFile,
    place,
    state: 'queued',
    stoppedWaiting: false,
    sentAt: null,
    lastRecheckedAt: null,
    nextRecheckAt: null,
    company: null,
    before: 'unknown',
    error: null,
  }
  return ok({
    value,
    listBefore: null,
    rechecks: 0,
    draftBegunAt,
    again,
    askedAbout: [],
    previousService: '',
  })
}

/** The user that the most recent earlier try created. Reused because users can't be looked up. */
function userMadeBefore(
  all: readonly JournalProvisioning[],
  again: string | null,
): Pick<Provisioning, 'userId' | 'newUser'> {
  for (let next = again; next !== null;) {
    const earlier = all.find(({ value }) => value.provisioningId === next)
    if (earlier?.value.newUser?.state === 'made') {
      const { userId, newUser } = earlier.value
      return { userId, newUser }
    }
    next = earlier?.again ?? null
  }
  return { userId: '', newUser: { state: 'to-make', askedAt: null } }
}

const SOMETHING_MISSING = appError('invalid-input', 'Provisioning needs an application and a user ID.')
const ASKED_ALREADY = appError(
  'invalid-input',
  'This company has already been requested, so nothing more was sent.',
  'Select its row in Companies and choose Continue.',
)
