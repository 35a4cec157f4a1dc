/**
 * Creates the user for a setup before its company is requested. Users can't be looked up, so a request whose response
 * was lost is shown right away and never sent again automatically. *Assumption* (docs/decisions.md, "Creating a user"):
 * the request is `{}`, and the response has `userId` or `id`.
 */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { type AppError, appError, ok } from '../../../shared/result.ts'
import { callsRequestWrong } from '../../service/protocol/cooldown.ts'
import { member, scalarText } from '../../service/protocol/envelope.ts'
import { type Envelope, serviceRequest, type Wire, type WriteResult } from '../../service/protocol/wire.ts'
import { resultOfAsync } from '../../store/database.ts'
import type { JournalProvisioning, UserCreation } from '../../store/journal/companies.ts'
import type { NewRequest } from '../../store/journal/journal.ts'
import type { WritingContext } from '../context.ts'
import { type ProvisioningJournal, requestResult } from './journal.ts'

export interface UserCreator {
  /**
   * Creates the user for a setup in its own slot, and journals the outcome. Returns whether the company may be
   * requested now. It may not if the user has discarded or stopped the setup.
   */
  make(provisioning: Provisioning): Promise<boolean>
}

const BODY = '{}'

/** Longer text isn't an ID. */
const LONGEST_ID = 2_000

/** The user ID in a response; empty if there is none. */
function userIdOf(envelope: Envelope): string {
  for (const { object } of envelope.items) {
    if (object === null) continue
    const userId = scalarText(member(object, 'userId')).trim() || scalarText(member(object, 'id')).trim()
    if (userId !== '' && userId.length <= LONGEST_ID) return userId
  }
  return ''
}

const HELD = appError(
  'service-error',
  'The service didn’t say whether it created the client.',
  'Clients can’t be looked up. Ask your provider, paste the user ID if you have it, or create another one.',
)

/** The user stopped it, the computer slept, or the connection ended. Nothing else happens automatically. */
const STOPPED = appError(
  'stopped',
  'Stopped before the company was requested.',
  'No company was provisioned, so nothing is billed.',
)

export function createUserCreator(context: WritingContext, journal: ProvisioningJournal): UserCreator {
  const { manage } = context.store.journal

  const run = async ({ provisioningId, connectionId }: Provisioning, wire: Wire): Promise<void> => {
    const queued = journal.get(provisioningId)
    if (queued.value.state !== 'queued') return
    const sentAt = context.timestamp()
    const creation: UserCreation = {
      creationId: context.newId(),
      connectionId,
      state: 'sending',
      sentAt,
      userId: '',
      error: null,
    }
    const request: NewRequest = {
      requestKey: context.newId(),
      batchId: '',
      kind: 'create-user',
      connectionId,
      endpointId: '',
      object: '',
      body: BODY,
      sentAt,
    }
    const making = withChange(queued, {
      state: 'making-user',
      newUser: { state: 'asked', askedAt: sentAt },
    })
    manage.putUserCreation(creation, making, request, null)
    context.listener.companiesChanged(connectionId)
    const result = await wire.createUser(BODY)
    const done: UserCreation = { ...creation, ...creationAfter(context, result) }
    // The setup may have been discarded in the meantime. The new user is recorded anyway.
    const asked = journal.get(provisioningId)
    const made = withChange(asked, changeAfter(asked.value, done, wire.isStopped()))
    manage.putUserCreation(done, made, null, requestResult(context, request.requestKey, result))
    context.listener.companiesChanged(connectionId)
  }

  return {
    async make(provisioning) {
      const { provisioningId, connectionId } = provisioning
      const what = 'Creating a client'
      const request = serviceRequest({
        ...{ connectionId, what, isWrite: true, priority: 'interactive' },
        batchId: provisioningId,
      })
      const { result } = await context.client.withSlot(request, (wire) =>
        resultOfAsync(async () => {
          await run(provisioning, wire)
          return ok(undefined)
        }),
      )
      const found = journal.get(provisioningId)
      const { state, userId, newUser } = found.value
      // The user removed it from the queue, the queue is paused, or the journal can't be written. Nothing was sent.
      if (state === 'queued' && userId === '') {
        journal.put(found, { state: 'refused', error: result.ok ? STOPPED : result.error })
      }
      // The response could not be saved to disk.
      if (state === 'making-user') {
        const held = newUser === null ? null : ({ ...newUser, state: 'held' } as const)
        journal.put(found, { state: 'refused', newUser: held, error: HELD })
      }
      return state === 'queued' && userId !== '' && !context.isClosed()
    },
  }
}

const NOT_DONE = appError('service-error', 'No client was created.')

function withChange(provisioning: JournalProvisioning, change: Partial<Provisioning>): JournalProvisioning {
  return { ...provisioning, value: { ...provisioning.value, ...change } }
}

/** How the outcome changes the setup. A discarded setup stays discarded. */
function changeAfter(value: Provisioning, creation: UserCreation, isStopped: boolean): Partial<Provisioning> {
  const askedAt = creation.sentAt
  const isOver = value.state !== 'making-user'
  switch (creation.state) {
    case 'done': {
      const made = { userId: creation.userId, newUser: { state: 'made', askedAt } } as const
      if (isOver) return made
      return isStopped ? { ...made, state: 'refused', error: STOPPED } : { ...made, state: 'queued' }
    }
    case 'sending':
    case 'held':
    case 'refused':
    case 'not-sent': {
      const isInDoubt = creation.state === 'held' || creation.state === 'sending'
      const newUser: Provisioning['newUser'] =
        creation.state === 'not-sent'
          ? { state: 'to-make', askedAt: null }
          : { state: isInDoubt ? 'held' : 'not-made', askedAt }
      return isOver ? { newUser } : { newUser, state: 'refused', error: creation.error ?? HELD }
    }
  }
}

function creationAfter(
  context: WritingContext,
  result: WriteResult,
): Pick<UserCreation, 'state' | 'userId' | 'error'> {
  switch (result.outcome) {
    case 'not-sent':
      return { state: 'not-sent', userId: '', error: result.error }
    case 'refused-key':
      return { state: 'refused', userId: '', error: result.error }
    case 'uncertain':
      return isRefusal(result.error.details.status)
        ? { state: 'refused', userId: '', error: notOffered(result.error) }
        : { state: 'held', userId: '', error: uncertainError(result.error) }
    case 'answered': {
      const { envelope } = result
      const itemErrors = envelope.items.flatMap(({ errors }) => errors)
      const userId = userIdOf(envelope)
      if (userId !== '' && itemErrors.length === 0) return { state: 'done', userId, error: null }
      const errors = [...itemErrors, ...envelope.errors]
      if (errors.length === 0) {
        return isRefusal(envelope.status) && userId === ''
          ? { state: 'refused', userId: '', error: notOffered(unexplained(envelope)) }
          : { state: 'held', userId: '', error: HELD }
      }
      const error = context.translate('', errors, envelope.requestId, envelope.status)
      const isOfItsItem = itemErrors.length > 0 && envelope.errors.length === 0
      return userId === '' && (isOfItsItem || isRefusal(envelope.status))
        ? {
            state: 'refused',
            userId: '',
            error: refusal(error),
          }
        : { state: 'held', userId: '', error: uncertainError(error) }
    }
  }
}

/**
 * *Assumption* (docs/decisions.md, "Creating a user"): no agent is involved, so a status that blames the request proves
 * that no user was created. Other statuses, such as 408 and 429, may come from a gateway at any stage.
 */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && callsRequestWrong(status)
}

const PASTE = 'Ask your provider for the user ID, and paste it in step 2.'

function refusal(error: AppError): AppError {
  return {
    ...error,
    message: `${NOT_DONE.message} ${error.message}`,
    advice: error.advice === '' ? PASTE : error.advice,
  }
}

function unexplained({ status, requestId }: Envelope): AppError {
  return appError('service-error', '', '', { status, code: `HTTP ${String(status)}`, requestId })
}

/** Refused without a message from the service, for example because users are created elsewhere. */
function notOffered({ kind, details }: AppError): AppError {
  return appError(
    kind,
    `${NOT_DONE.message} The service refuses to create clients at this address (HTTP ${String(details.status)}).`,
    PASTE,
    details,
  )
}

/** Adds to the error what it means for this setup. */
function uncertainError(error: AppError): AppError {
  return { ...error, message: `${error.message} ${HELD.message}`, advice: HELD.advice }
}
