/**
 * Pure decisions for **Undo…**, from the journal: which of the changes that were sent can be undone, and how. The
 * result is drafts. Like all drafts, they are checked against the current record before they are sent. What someone
 * else has changed since becomes a conflict and is never overwritten.
 */
import type { UndoPlan, UndoRecord, UndoRefusal, UndoTarget } from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type EditValue,
  type FieldEdit,
  isEmpty,
  pathType,
  type RecordData,
  sameValue,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { isDescribed, objectDefinition } from '../../../shared/records/definition.ts'
import { editability } from '../../../shared/records/fields.ts'
import { mergedRecord } from '../../../shared/records/outcome.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import type { HistoryOperation, RecordDraft } from '../../store/journal/history.ts'
import type { Store } from '../../store/store.ts'
import { recordBody } from './payload.ts'

/** A record that was sent, and what has happened to it here since. */
export interface SentRecord {
  readonly operation: HistoryOperation
  /** Operations saved on the same record afterward, oldest first. */
  readonly later: readonly HistoryOperation[]
  /** The record's current draft. */
  readonly draft: RecordDraft | null
}

/** The plan for one record: what the user sees, and the edits. */
export interface RevertPlan {
  readonly shown: UndoRecord
  /** The record as last known here. */
  readonly before: RecordData
  /** Empty if nothing can be undone. */
  readonly edits: readonly FieldEdit[]
}

const ACTIVE = 'IsActive'

/**
 * Plans an undo.
 * @param supported field names that metadata lists; `null` if it could not be read, which rules out every field
 */
function planRecord(sent: SentRecord, supported: ReadonlySet<string> | null): RevertPlan {
  const { operation, later } = sent
  const before = [operation, ...later]
    .filter(({ state }) => state === 'acked')
    .reduce<RecordData>((record, each) => mergedRecord(record, each), operation.before)
  const refused = whyNone(sent)
  const fields = operation.kind === 'insert' ? [activeField(sent, before)] : changedFields(sent, before)
  const judged = fields.map((field) => ({
    ...field,
    refused: refused ?? field.refused ?? whyNotSendable(sent, before, field, supported),
  }))
  const edits = judged.flatMap(({ path, is, willBe, refused: reason }): FieldEdit[] =>
    reason === null ? [{ path, was: is, now: willBe }] : [],
  )
  const [first] = judged
  return {
    shown: {
      operationId: operation.operationId,
      recordId: operation.recordId,
      recordName: operation.recordName,
      kind: operation.kind,
      // A common reason is given once. If the reasons differ, the first is given.
      refused: edits.length > 0 ? null : (refused ?? first?.refused ?? { reason: 'no-record', at: null }),
      fields: judged.map((field) => ({ ...field, willBe: field.refused === null ? field.willBe : null })),
    },
    before,
    edits,
  }
}

/** The value at a path, and its new value. */
interface Field {
  readonly path: string
  readonly was: EditValue | null
  readonly is: EditValue
  readonly willBe: EditValue
  readonly refused: UndoRefusal | null
}

function no(reason: UndoRefusal['reason'], at: string | null = null): UndoRefusal {
  return { reason, at }
}

/** Why nothing of the record can be undone, whichever field. */
function whyNone({ operation, draft }: SentRecord): UndoRefusal | null {
  if (operation.state !== 'acked') {
    const isOver = operation.isClosed || operation.state === 'rejected'
    return no(isOver ? 'not-saved' : 'not-settled')
  }
  if (operation.recordId === '') return no('no-record')
  // It may be someone else's record with the same name and values.
  if (operation.kind === 'insert' && operation.isKnownByName) return no('known-by-name')
  if (operation.undoneBy !== null) {
    // Its draft takes its place until it is saved.
    return no('changed-back', operation.undoneBy.at)
  }
  if (draft === null) return null
  return no(draft.undoes === operation.operationId ? 'draft-waits' : 'has-draft')
}

function changedFields(sent: SentRecord, before: RecordData): readonly Field[] {
  const { object, edits } = sent.operation
  return edits.map(({ path, was, now }) => {
    const is = valueAt(object, before, path)
    return { path, was, is, willBe: was ?? '', refused: whyStays(sent, path, is, now) }
  })
}

/**
 * Why a field can't be undone. The value that was sent must still be there. Otherwise undoing it would lose a later
 * change.
 */
function whyStays(
  { operation, later }: SentRecord,
  path: string,
  is: EditValue,
  sent: EditValue,
): UndoRefusal | null {
  const { object, before } = operation
  const same = (left: EditValue, right: EditValue): boolean => sameValue(pathType(object, path), left, right)
  if (same(is, sent)) return null
  // Also undoes what the application made of the value when it was saved. No one else put it there.
  const left = valueAt(object, mergedRecord(before, operation), path)
  if (same(is, left) && !same(is, valueAt(object, before, path))) return null
  const again = later.findLast(({ edits }) => edits.some((edit) => topField(edit.path) === topField(path)))
  return again === undefined
    ? no('altered')
    : no('changed-again', again.sendings[0]?.sentAt ?? again.queuedAt)
}

/** A new record can't be removed from the books. It is made inactive. */
function activeField({ operation }: SentRecord, before: RecordData): Field {
  const { object } = operation
  const is = valueAt(object, before, ACTIVE)
  const isKnown = isDescribed(object, ACTIVE) || Object.hasOwn(before, ACTIVE)
  const isInactive = typeof is === 'string' && is.toLowerCase() === 'false'
  const refused = isKnown ? (isInactive ? no('already-inactive') : null) : no('no-active-field')
  return { path: ACTIVE, was: null, is, willBe: 'false', refused }
}

/** Why the field can't be sent now. Metadata must list it, and its value must fit JSON. */
function whyNotSendable(
  { operation }: SentRecord,
  before: RecordData,
  { path, is, willBe }: Field,
  supported: ReadonlySet<string> | null,
): UndoRefusal | null {
  const { object, recordId } = operation
  if (!editability(object, path, supported, 'existing').editable) return no('not-taken')
  const isRequired = objectDefinition(object)?.required.includes(path) ?? false
  if (isRequired && isEmpty(willBe)) return no('cannot-be-emptied')
  const body = recordBody({
    object,
    kind: 'change',
    recordId,
    edits: [{ path, was: is, now: willBe }],
    externalId: '',
    current: before,
  })
  return body.ok ? null : no('cannot-be-emptied')
}

// Gathers the facts for **Undo…**, and creates its drafts.

export interface RevertDependencies {
  readonly store: Pick<Store, 'drafts' | 'history'>
  /** The current time (ISO). */
  readonly timestamp: () => string
  readonly newId: () => string
}

/** Records of one list of one company that were sent. */
export interface SentList {
  readonly company: CompanyRef
  readonly object: string
  readonly operations: readonly [HistoryOperation, ...HistoryOperation[]]
}

export interface Revert {
  /** Returns an error if they no longer exist, or belong to several lists or companies. */
  find(which: UndoTarget): Result<SentList>
  plan(sent: SentList, supported: readonly string[] | null): Omit<UndoPlan, 'refusal'>
  /** Creates all of the drafts or none. Returns their IDs. */
  draft(sent: SentList, supported: readonly string[] | null): Result<readonly string[]>
}

const GONE = appError(
  'not-found',
  'The history of this change is no longer on this computer.',
  'Settings decides how long history is kept. Check the accounting application.',
)

export function createRevert({ store, timestamp, newId }: RevertDependencies): Revert {
  const ways = (sent: SentList, supported: readonly string[] | null): readonly RevertPlan[] => {
    const fields = supported === null ? null : new Set(supported)
    const found: RevertPlan[] = []
    for (const operation of sent.operations) {
      const later = store.history.later(operation)
      const draft = store.history.draftOf(operation.company, operation.object, operation.recordId)
      found.push(planRecord({ operation, later, draft }, fields))
    }
    return found
  }

  return {
    find(which) {
      const ids = which.of === 'batch' ? store.history.operationIds(which.batchId) : which.operationIds
      const operations: HistoryOperation[] = []
      for (const operationId of ids) {
        const operation = store.history.operation(operationId)
        if (operation === null) return err(GONE)
        operations.push(operation)
      }
      const [first, ...more] = operations
      if (first === undefined) return err(GONE)
      const { company, object } = first
      const isOneList = more.every(
        (each) =>
          each.company.connectionId === company.connectionId &&
          each.company.endpointId === company.endpointId &&
          each.object === object,
      )
      if (!isOneList) {
        return err(appError('invalid-input', 'You can undo the changes of only one list at a time.'))
      }
      return ok({ company, object, operations: [first, ...more] })
    },

    plan(sent, supported) {
      return {
        company: sent.company,
        object: sent.object,
        at: sent.operations[0].sendings[0]?.sentAt ?? sent.operations[0].queuedAt,
        records: ways(sent, supported).map(({ shown }) => shown),
      }
    },

    draft(sent, supported) {
      const found = ways(sent, supported)
      const stays = found.find(({ edits }) => edits.length === 0)
      if (stays !== undefined) {
        return err(
          appError(
            'invalid-input',
            `${stays.shown.recordName}: this can no longer be undone.`,
            'Open Undo again to see why.',
          ),
        )
      }
      const drafts = found.map(({ shown, before, edits }) => ({
        draftId: newId(),
        company: sent.company,
        object: sent.object,
        kind: 'change' as const,
        recordId: shown.recordId,
        before,
        edits,
        changedAt: timestamp(),
        undoes: shown.operationId,
      }))
      store.drafts.addUndoDrafts(drafts)
      return ok(drafts.map(({ draftId }) => draftId))
    },
  }
}
