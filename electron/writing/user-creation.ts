/**
 * Creates a user. There is no way to look one up, so a lost answer is held at once and shown; it is never sent again
 * by itself. *Assumption* (decisions.md, "creating a user"): `{}` is sent, and `userId` or `id` is answered.
 */
import { appError, err, ok, type AppError, type Result } from '../../shared/result.ts'
import { member, scalarText } from '../service/envelope.ts'
import type { Envelope, Wire, WriteAnswer } from '../service/wire.ts'
import type { NewRequest, UserCreation } from '../store/journal.ts'
import { turnToEnd, type WritingContext } from './context.ts'
import { requestAnswer } from './request-answer.ts'

export interface UserWriter {
  createUser(connectionId: string): Promise<Result<{ readonly userId: string }>>
  /** Newest first: where a late answer is found, and what may have been created unseen. */
  userCreations(connectionId: string): Result<readonly UserCreation[]>
}

const BODY = '{}'

/** What is longer can't be handed on whole, and is no id. */
const LONGEST_ID = 2_000

/** The user id of an answer; empty when it holds none. */
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
  'The service did not say whether it created the user.',
  'A user can’t be looked up. Ask the provider of the service, paste the user’s ID if you have it, or create another one.',
)

export function createUserWriter(context: WritingContext): UserWriter {
  const { manage } = context.store.journal

  const run = async (connectionId: string, wire: Wire): Promise<UserCreation> => {
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
    const written = manage.putUserCreation(creation, request, null)
    if (!written.ok) return { ...creation, state: 'not-sent', error: written.error }
    const answer = await wire.createUser(BODY)
    const done: UserCreation = { ...creation, ...creationAfter(context, answer) }
    const kept = manage.putUserCreation(done, null, requestAnswer(context, request.requestKey, answer))
    context.listener.companiesChanged(connectionId)
    return kept.ok || done.userId !== '' ? done : { ...done, error: kept.error }
  }

  return {
    async createUser(connectionId) {
      const { result, wasLetGo } = await lettingGo(context, connectionId, run)
      if (!result.ok) return result
      const { userId, error } = result.value
      if (userId !== '') return ok({ userId })
      return err(error ?? (wasLetGo ? HELD : NOT_DONE))
    },
    userCreations: (connectionId) => manage.userCreations(connectionId),
  }
}

const NOT_DONE = appError('service-error', 'No user was created.')

function lettingGo(
  context: WritingContext,
  connectionId: string,
  run: (connectionId: string, wire: Wire) => Promise<UserCreation>,
): ReturnType<typeof turnToEnd<UserCreation>> {
  return turnToEnd(
    context.client,
    {
      connectionId,
      company: null,
      companyName: '',
      what: 'Creating a user',
      isWrite: true,
      priority: 'person',
      batchId: '',
    },
    (wire) => run(connectionId, wire),
  )
}

function creationAfter(
  context: WritingContext,
  answer: WriteAnswer,
): Pick<UserCreation, 'state' | 'userId' | 'error'> {
  switch (answer.outcome) {
    case 'not-sent':
      return { state: 'not-sent', userId: '', error: answer.error }
    case 'refused-key':
      return { state: 'refused', userId: '', error: answer.error }
    case 'in-doubt':
      return isRefusal(answer.error.details.status)
        ? { state: 'refused', userId: '', error: notOffered(answer.error) }
        : { state: 'held', userId: '', error: inDoubt(answer.error) }
    case 'answered': {
      const { envelope } = answer
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
        : { state: 'held', userId: '', error: inDoubt(error) }
    }
  }
}

/**
 * *Assumption* (decisions.md, "creating a user"): no agent has a part in it, so a status that calls the request itself
 * wrong proves that nothing was made. Others, as 408 and 429, may be said by whatever stands in between, at any stage.
 */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && REQUEST_IS_WRONG.has(status)
}

const REQUEST_IS_WRONG: ReadonlySet<number> = new Set([
  400, 401, 403, 404, 405, 406, 410, 411, 413, 414, 415, 422, 431,
])

const PASTE = 'Ask the provider of the service for the user’s ID, and paste it in step 2.'

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

/** Refused without a word of the service about it, as where users are created elsewhere. */
function notOffered({ kind, details }: AppError): AppError {
  return appError(
    kind,
    `${NOT_DONE.message} The service refuses to create users here (HTTP ${String(details.status)}).`,
    PASTE,
    details,
  )
}

/** The reason, and what it means here. */
function inDoubt(error: AppError): AppError {
  return { ...error, message: `${error.message} ${HELD.message}`, advice: HELD.advice }
}
