/** Gathers what **Change back…** is decided from, and makes the drafts that do it. */
import type { ChangeBackPlan, WhichSent } from '../../shared/contract/history.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { HistoryOperation } from '../store/history.ts'
import type { Store } from '../store/store.ts'
import { wayBack, type WayBack } from './change-back.ts'

export interface ChangeBackDependencies {
  readonly store: Pick<Store, 'drafts' | 'history'>
  /** ISO time. */
  readonly timestamp: () => string
  readonly newId: () => string
}

/** Records of one list of one company that were sent. */
export interface SentList {
  readonly company: CompanyRef
  readonly object: string
  readonly operations: readonly [HistoryOperation, ...HistoryOperation[]]
}

export interface ChangeBack {
  /** An error when they are not there any more, or are not of one list of one company. */
  find(which: WhichSent): Result<SentList>
  plan(sent: SentList, supported: readonly string[] | null): Result<Omit<ChangeBackPlan, 'refusal'>>
  /** All of them or none; answers the drafts' ids. */
  draft(sent: SentList, supported: readonly string[] | null): Result<readonly string[]>
}

const GONE = appError(
  'not-found',
  'What was sent is no longer kept here.',
  'How long history is kept is a setting; look in the accounting application.',
)

export function createChangeBack({ store, timestamp, newId }: ChangeBackDependencies): ChangeBack {
  const ways = (sent: SentList, supported: readonly string[] | null): Result<readonly WayBack[]> => {
    const fields = supported === null ? null : new Set(supported)
    const found: WayBack[] = []
    for (const operation of sent.operations) {
      const later = store.history.later(operation)
      if (!later.ok) return later
      const draft = store.history.draftOf(operation.company, operation.object, operation.recordId)
      if (!draft.ok) return draft
      found.push(wayBack({ operation, later: later.value, draft: draft.value }, fields))
    }
    return ok(found)
  }

  return {
    find(which) {
      const ids = which.of === 'batch' ? store.history.operationIds(which.batchId) : ok(which.operationIds)
      if (!ids.ok) return ids
      const operations: HistoryOperation[] = []
      for (const operationId of ids.value) {
        const operation = store.history.operation(operationId)
        if (!operation.ok) return operation
        if (operation.value === null) return err(GONE)
        operations.push(operation.value)
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
        return err(appError('invalid-input', 'Records of one list are changed back at a time.'))
      }
      return ok({ company, object, operations: [first, ...more] })
    },

    plan(sent, supported) {
      const found = ways(sent, supported)
      if (!found.ok) return found
      return ok({
        company: sent.company,
        object: sent.object,
        at: sent.operations[0].queuedAt,
        records: found.value.map(({ shown }) => shown),
      })
    },

    draft(sent, supported) {
      const found = ways(sent, supported)
      if (!found.ok) return found
      const stays = found.value.find(({ edits }) => edits.length === 0)
      if (stays !== undefined) {
        return err(
          appError(
            'invalid-input',
            `${stays.shown.recordName}: this can no longer be changed back.`,
            'Open Change back again to see why.',
          ),
        )
      }
      const drafts = found.value.map(({ shown, before, edits }) => ({
        draftId: newId(),
        company: sent.company,
        object: sent.object,
        kind: 'change' as const,
        recordId: shown.recordId,
        before,
        edits,
        changedAt: timestamp(),
        changesBack: shown.operationId,
      }))
      const added = store.drafts.addChangesBack(drafts)
      return added.ok ? ok(drafts.map(({ draftId }) => draftId)) : added
    },
  }
}
