/** A connection's address is changed: what waits stops, and what was sent where it leads now is looked for again. */
import { ok, type Result } from '../../shared/result.ts'
import type { WritingContext } from './context.ts'
import { ADDRESS_CHANGED } from './records/uncertainty.ts'

/** The addresses of a connection's two services; empty where it has none. */
export interface Leads {
  readonly v2: string
  readonly v1: string
}

/** @param goOn lets what is in doubt at a connection be looked for, now that it may lead there again */
export function createLeading(
  context: WritingContext,
  goOn: (connectionId: string) => Result<void>,
): (connectionId: string, leads: Leads, isSameService: boolean) => Result<void> {
  const { operations, places } = context.store.journal

  /** The window hears of all that reads otherwise now. */
  const tell = (connectionId: string, stopped: readonly string[]): Result<void> => {
    for (const batchId of stopped) {
      context.setStall(batchId, null)
      const batch = operations.batch(batchId)
      const left = operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER)
      if (!batch.ok) return batch
      if (!left.ok) return left
      if (batch.value === null) continue
      const ids = left.value.map(({ operationId }) => operationId)
      context.changed(batch.value.company, batch.value.object, ids, batchId)
    }
    const ids = places.inDoubt(connectionId)
    if (!ids.ok) return ids
    const inDoubt = operations.byIds(ids.value)
    if (!inDoubt.ok) return inDoubt
    for (const { company, object, operationId, batchId } of inDoubt.value) {
      context.changed(company, object, [operationId], batchId)
    }
    context.listener.companiesChanged(connectionId)
    return ok(undefined)
  }

  return (connectionId, leads, isSameService) => {
    const stopped = places.follow(connectionId, leads, { isSameService, because: ADDRESS_CHANGED })
    if (!stopped.ok) return stopped
    const told = tell(connectionId, stopped.value)
    return told.ok ? goOn(connectionId) : told
  }
}
