/** A connection's address is changed: what waits stops, and what was sent where it leads now is looked for again. */
import type { WritingContext } from './context.ts'
import { ADDRESS_CHANGED } from './records/uncertainty.ts'

/** The addresses of a connection's two services; empty where it has none. */
export interface Leads {
  readonly v2: string
  readonly v1: string
}

/** @param goOn rechecks a connection's operations with an unknown outcome, now that its address may be right again */
export function createServiceAddresses(
  context: WritingContext,
  goOn: (connectionId: string) => void,
): (connectionId: string, leads: Leads, isSameService: boolean) => void {
  const { operations, places } = context.store.journal

  /** The window hears of all that reads otherwise now. */
  const tell = (connectionId: string, stopped: readonly string[]): void => {
    for (const batchId of stopped) {
      context.setStall(batchId, null)
      const batch = operations.batch(batchId)
      const left = operations.nextOfBatch(batchId, Number.MAX_SAFE_INTEGER)
      if (batch === null) continue
      const ids = left.map(({ operationId }) => operationId)
      context.changed(batch.company, batch.object, ids, batchId)
    }
    const ids = places.inDoubt(connectionId)
    const inDoubt = operations.byIds(ids)
    for (const { company, object, operationId, batchId } of inDoubt) {
      context.changed(company, object, [operationId], batchId)
    }
    context.listener.companiesChanged(connectionId)
  }

  return (connectionId, leads, isSameService) => {
    const stopped = places.follow(connectionId, leads, { isSameService, because: ADDRESS_CHANGED })
    tell(connectionId, stopped)
    goOn(connectionId)
  }
}
