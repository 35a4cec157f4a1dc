/** What the screens ask of the write protocol: sending records, and decisions about them. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Decision, Draft, Operation, OperationState } from '../../../shared/contract/records.ts'
import { type FieldEdit, isEmpty, type JsonType, pathOf, topField } from '../../../shared/records/changes.ts'
import { fieldDefinition, objectDefinition } from '../../../shared/records/definition.ts'
import { editability, pathHeading } from '../../../shared/records/fields.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { resultOf } from '../../store/database.ts'
import type { StoredDraft } from '../../store/drafts.ts'
import type { Baseline, JournalBatch, JournalOperation, NewOperation } from '../../store/journal/journal.ts'
import type { OperationEnd } from '../../store/journal/operations.ts'
import { companyRefusal, notFoundError, type WritingContext } from '../context.ts'
import { resumeChanges } from './confirm.ts'
import { decide } from './decide.ts'
import { recordBody } from './payload.ts'
import type { CompanyQueue } from './queue.ts'
import { fullNameOf, fullNameOfInsert, shownName } from './recognition.ts'
import { createFactsUpdate, sentToPreviousServiceError } from './states.ts'

export interface RecordsWriter {
  /**
   * Turns drafts into operations in one transaction and sends them in the background. Returns right away.
   * @param options.supported paths that metadata lists; `null` if it could not be read
   * @param options.types types of fields without a definition, as far as they are known
   * @param options.namesakes IDs of the records that already have a full name, by `nameKey`, as far as lists were read
   * @param options.baseline the content of the list, if it was read completely
   */
  send(
    company: CompanyRef,
    object: string,
    draftIds: readonly string[],
    options: {
      readonly supported: readonly string[] | null
      readonly types?: ReadonlyMap<string, JsonType>
      readonly namesakes?: ReadonlyMap<string, readonly string[]>
      readonly baseline?: Baseline | null
      /** Whether the user confirmed sending drafts from before a restore. Otherwise they are refused. */
      readonly evenIfStale?: boolean
    },
  ): Result<Batch>
  /** Stops after the array that is being sent. The rest waits for the user. */
  stopBatch(batchId: string): Result<Batch>
  resumeBatch(batchId: string): Result<Batch>
  /**
   * Like `resumeBatch`, but if an unexpected result stopped the changes to its list, they stay stopped.
   * @param isPastUnknown whether to send past operations that both rechecks left unknown
   */
  reopenBatch(batchId: string, isPastUnknown: boolean): Result<Batch>
  /**
   * Resumes the changes to a list that an unexpected result stopped, as the user requested. Returns whether they were
   * stopped. No batch is resumed.
   */
  resumeChanges(company: CompanyRef, object: string): boolean
  /** Resumes what the user sent in this run and a refused key interrupted, once the pause is over. */
  resumeAfterKeyAccepted(connectionId: string): void
  /**
   * Why something of a company with an unknown outcome couldn't be rechecked just now. Until it is, nothing else is sent
   * there. `null` otherwise.
   */
  recheckError(company: CompanyRef): AppError | null
  /** The batches of this run, and those that are still unfinished. */
  batches(company: CompanyRef, object: string): readonly Batch[]
  /** Resolves when the recheck is done. */
  checkNow(company: CompanyRef, operationIds: readonly string[]): Promise<Result<void>>
  decide(operationId: string, decision: Decision): Result<void>
  /** The drafts with their outcomes. */
  drafts(company: CompanyRef, object: string): readonly Draft[]
}

/**
 * A draft stays tied to an operation in one of these states until the user has decided. `acked` is one of them because
 * a record may be saved, but not as sent.
 */
const AWAITS_DECISION: readonly OperationState[] = ['held', 'conflict', 'acked']

export interface RecordsWriterOptions {
  readonly context: WritingContext
  readonly queueOf: (company: CompanyRef) => CompanyQueue
  readonly view: {
    readonly batch: (batch: JournalBatch) => Batch
    readonly operations: (operations: readonly JournalOperation[]) => readonly Operation[]
  }
}

export function createRecordsWriter({ context, queueOf, view }: RecordsWriterOptions): RecordsWriter {
  const { drafts, journal } = context.store
  /** Batches of this run stay in the list until it ends. */
  const ofThisRun: string[] = []

  const batchOf = (batchId: string): JournalBatch => {
    const batch = journal.operations.batch(batchId)
    if (batch === null) throw notFoundError('This batch')
    return batch
  }

  const send: RecordsWriter['send'] = (company, object, draftIds, options) => {
    const { supported, types = new Map(), namesakes = new Map(), evenIfStale = false } = options
    const refusal = companyRefusal(context.directory.facts(company))
    if (refusal !== null) return err(refusal)
    const ids = [...new Set(draftIds)]
    const found = drafts.get(company, ids)
    if (found.length < ids.length || found.some((draft) => draft.object !== object)) {
      throw notFoundError('A draft')
    }
    const tied = journal.operations.byIds(found.flatMap(({ operationId }) => operationId ?? []))
    const twice = sentAlready(found, tied)
    if (twice !== null) return twice

    const stale = found.filter(({ isStale }) => isStale)
    if (stale.length > 0 && !evenIfStale) return err(alreadySentError(stale.length))

    const fields = supported === null ? null : new Set(supported)
    const known = { paths: fields, types }
    const refusals = found.flatMap((draft) => draftRefusal(draft, known) ?? [])
    const [first, ...more] = refusals
    if (first !== undefined) {
      return err({ ...first, details: { ...first.details, more: more.map(({ message }) => message) } })
    }
    const batch: JournalBatch = {
      batchId: context.newId(),
      company,
      object,
      queuedAt: context.timestamp(),
      status: 'open',
      error: null,
    }
    const { markWithExternalId } = context.settings(company.connectionId)
    const takesExternalId = markWithExternalId && (fields?.has('ExternalID') ?? false)
    // A draft from before a restore may already be in the books under another external ID, and in the lists that were
    // read. Its name decides.
    const operations = found.map((draft) =>
      newOperation(draft, {
        operationId: context.newId(),
        takesExternalId: takesExternalId && !draft.isStale,
        namesakes: draft.isStale ? new Map() : namesakes,
        known,
      }),
    )
    const replaced = tied
      .filter(({ state }) => state === 'queued')
      .map(({ operationId }): OperationEnd => ({ operationId, from: 'queued', draft: 'release' }))
    // A list that was read may contain what was sent before the restore, so it says nothing about such drafts.
    const baseline = stale.length > 0 ? null : (options.baseline ?? null)
    journal.operations.enqueue(batch, operations, replaced, baseline)
    ofThisRun.push(batch.batchId)
    context.changed(
      company,
      object,
      operations.map(({ operationId }) => operationId),
      batch.batchId,
    )
    queueOf(company).forgetFailures()
    queueOf(company).wake()
    return ok(view.batch(batch))
  }

  /** Returns the same batch after a double click. Anything else that is being sent is refused. */
  const sentAlready = (
    found: readonly StoredDraft[],
    tied: readonly JournalOperation[],
  ): Result<Batch> | null => {
    const inProgress: JournalOperation[] = []
    for (const operation of tied) {
      if (operation.state === 'rejected') continue
      if (operation.state === 'queued') {
        if (batchOf(operation.batchId).status !== 'open') continue
      }
      inProgress.push(operation)
    }
    const waiting = inProgress.find(({ state }) => AWAITS_DECISION.includes(state))
    if (waiting !== undefined) {
      return err(
        appError(
          'invalid-input',
          `${waiting.recordName}: this record waits for your decision.`,
          'Decide about it or discard it. Then send the rest.',
        ),
      )
    }
    const [first] = inProgress
    if (first === undefined) return null
    const isSameBatch =
      inProgress.length === found.length && inProgress.every(({ batchId }) => batchId === first.batchId)
    if (isSameBatch && ofThisRun.includes(first.batchId)) {
      return ok(view.batch(batchOf(first.batchId)))
    }
    return err(
      appError(
        'invalid-input',
        `${first.recordName}: this record was sent already.`,
        'Wait for its outcome or decide about it. Then send the rest.',
      ),
    )
  }

  /** Stopping a batch also cancels **Send again** for whatever hasn't been sent yet. */
  const takeBackSendAgain = ({ batchId, company, object }: JournalBatch): void => {
    const held = journal.operations.open(company, ['held'])
    const asked = held.filter((operation) => operation.batchId === batchId && operation.sendAgain)
    if (asked.length === 0) return
    journal.operations.move(
      asked.map((operation) => createFactsUpdate(operation, { sendAgain: false })),
      null,
    )
    const ids = asked.map(({ operationId }) => operationId)
    context.changed(company, object, ids, batchId)
  }

  const setStatus = (batchId: string, status: 'open' | 'stopped'): Result<Batch> => {
    const batch = batchOf(batchId)
    if (status === 'open') {
      const refusal = companyRefusal(context.directory.facts(batch.company))
      if (refusal !== null) return err(refusal)
    }
    if (status === 'stopped') takeBackSendAgain(batch)
    journal.operations.setBatch(batchId, status, null)
    context.setStall(batchId, null)
    const next = journal.operations.queuedOfBatch(batchId, Number.MAX_SAFE_INTEGER)
    context.changed(
      batch.company,
      batch.object,
      next.map(({ operationId }) => operationId),
      batchId,
    )
    if (!ofThisRun.includes(batchId)) ofThisRun.push(batchId)
    if (status === 'open') {
      queueOf(batch.company).forgetFailures()
      queueOf(batch.company).wake()
    }
    return ok(view.batch({ ...batch, status, error: null }))
  }

  const reopenBatch = (batchId: string, isPastUnknown: boolean): Result<Batch> => {
    if (isPastUnknown) queueOf(batchOf(batchId).company).sendPastUnknown()
    return setStatus(batchId, 'open')
  }

  return {
    send,
    stopBatch: (batchId) => setStatus(batchId, 'stopped'),
    resumeBatch(batchId) {
      const { company, object } = batchOf(batchId)
      const left = journal.operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER)
      if (left.some(({ kind }) => kind === 'change')) resumeChanges(context, company, object)
      return reopenBatch(batchId, true)
    },
    reopenBatch,
    resumeChanges: (company, object) => resumeChanges(context, company, object),
    resumeAfterKeyAccepted(connectionId) {
      for (const batchId of ofThisRun) {
        // If it can't be reopened, it stays paused and shows why. The user can resume it.
        resultOf(() => {
          const { company, status, error } = batchOf(batchId)
          if (company.connectionId !== connectionId) return
          if (status === 'paused' && error?.kind === 'unauthorized') setStatus(batchId, 'open')
        })
      }
    },
    recheckError: (company) => queueOf(company).recheckError,
    batches(company, object) {
      return journal.operations.batches(company, object, ofThisRun).map((batch) => view.batch(batch))
    },
    async checkNow(company, operationIds) {
      const asked = journal.operations.byIds(operationIds)
      const away = asked.find(({ previousService }) => previousService !== '')
      const isAllAway = asked.every(({ previousService }) => previousService !== '')
      if (away !== undefined && isAllAway) return err(sentToPreviousServiceError(away.previousService))
      return queueOf(company).checkNow(operationIds)
    },
    decide: (operationId, decision) => decide(context, queueOf, operationId, decision),
    drafts(company, object) {
      const listed = drafts.list(company, object)
      const shown = view.operations(journal.operations.ofDrafts(company, object))
      const byId = new Map(shown.map((operation) => [operation.operationId, operation]))
      return listed.map(({ operationId, ...draft }) => ({
        ...draft,
        operation: operationId === null ? null : (byId.get(operationId) ?? null),
      }))
    },
  }
}

function alreadySentError(count: number): AppError {
  return appError(
    'invalid-input',
    count === 1
      ? 'One of these drafts comes from an older backup and may already be in the books.'
      : `${count} of these drafts come from an older backup and may already be in the books.`,
    'Nothing was sent. Check the list first, then send them and confirm.',
  )
}

/*
 * Drafts become operations. Each is checked first, so that the service doesn't have to refuse it.
 */

/** What is known about a list's fields beyond the data definition. */
export interface KnownFields {
  /** The paths that metadata lists; `null` if it could not be read. */
  readonly paths: ReadonlySet<string> | null
  /** By path, from metadata or from records that were read. */
  readonly types: ReadonlyMap<string, JsonType>
}

/** Why a draft can't be sent, naming the record and the field; `null` if it can. */
export function draftRefusal(draft: StoredDraft, known: KnownFields): AppError | null {
  const name = shownName(draft.edits, draft.before)
  const refuse = (reason: string): AppError =>
    appError('invalid-input', name === '' ? reason : `${name}: ${reason}`, 'Correct it, then send again.')

  for (const edit of draft.edits) {
    const can = editability(
      draft.object,
      edit.path,
      known.paths,
      draft.kind === 'insert' ? 'new' : 'existing',
    )
    if (!can.editable) return refuse(`“${pathHeading(draft.object, edit.path)}”: ${can.reason}`)
  }
  for (const field of objectDefinition(draft.object)?.required ?? []) {
    if (isMissing(draft, field)) return refuse(`“${fieldDefinition(draft.object, field).label}” is required.`)
  }
  const body = recordBody({
    object: draft.object,
    kind: draft.kind,
    recordId: draft.recordId,
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
    externalId: '',
    current: draft.before,
  })
  return body.ok ? null : refuse(body.error.message)
}

/** Whether a draft lacks a required field: a new record must have it, and an existing record must keep it. */
function isMissing(draft: StoredDraft, field: string): boolean {
  const edit: FieldEdit | undefined = draft.edits.find(({ path }) => path === field)
  if (edit === undefined) return draft.kind === 'insert'
  return isEmpty(edit.now) || (typeof edit.now === 'string' && edit.now.trim() === '')
}

/**
 * *Assumption*: if metadata lists `ExternalID` and the user left it empty, an insert carries our operation's ID there.
 * It identifies the record if the response is lost.
 */
function newOperation(
  draft: StoredDraft,
  {
    operationId,
    takesExternalId,
    namesakes,
    known,
  }: {
    readonly operationId: string
    readonly takesExternalId: boolean
    readonly namesakes: ReadonlyMap<string, readonly string[]>
    readonly known: KnownFields
  },
): NewOperation {
  const isInsert = draft.kind === 'insert'
  const fullName = isInsert ? fullNameOfInsert(draft.edits) : fullNameOf(draft.before)
  const hasOwnExternalId = draft.edits.some(({ path }) => path === 'ExternalID')
  return {
    operationId,
    draftId: draft.draftId,
    kind: draft.kind,
    recordId: isInsert ? '' : draft.recordId,
    recordName: shownName(draft.edits, draft.before),
    fullName,
    externalId: isInsert && takesExternalId && !hasOwnExternalId ? operationId : '',
    namesakes: isInsert ? (namesakes.get(nameKey(fullName)) ?? []) : [],
    before: draft.before,
    edits: draft.edits.map((edit) => sentEdit(draft.object, edit, known)),
  }
}

/**
 * An edit with how to send it. For a field without a definition, that is the type it appears to have. For a reference,
 * it is the one member that the application takes, if it takes only one.
 */
function sentEdit(object: string, edit: FieldEdit, { paths, types }: KnownFields): FieldEdit {
  const { path } = edit
  const field = topField(path)
  const definition = objectDefinition(object)?.fields.find(({ name }) => name === field)
  const isReference = definition?.type === 'reference' || typeof edit.now !== 'string'
  if (isReference) {
    const [byId, byName] = ['ID', 'FullName'].map((member) => paths?.has(pathOf(field, member)) ?? false)
    return byId === byName ? edit : { ...edit, as: byId ? 'ID' : 'FullName' }
  }
  const type = definition === undefined ? types.get(path) : undefined
  return type === undefined ? edit : { ...edit, as: type }
}
