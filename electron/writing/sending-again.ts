/** Sends again what the person said *Send again* to: one more look right before, and what is there by now is not sent. */
import type { Wire } from '../service/wire.ts'
import type { JournalBatch, JournalOperation } from '../store/journal.ts'
import { nextArray } from './batching.ts'
import { moveBy, type WritingContext } from './context.ts'
import { SENT_AGAIN } from './new-sending.ts'
import { lookWithin } from './looking.ts'
import { sendWithin, type SendEnd } from './sending.ts'
import { tellWhy } from './still-in-doubt.ts'

/**
 * Within a turn that is held.
 * @param together held, of one kind, of the batch's list
 * @param size records of the array at most
 */
export async function sendAgainWithin(
  context: WritingContext,
  wire: Wire,
  batch: JournalBatch,
  together: readonly JournalOperation[],
  size: number,
): Promise<SendEnd> {
  const { operations } = context.store.journal
  const looked = await lookWithin(context, wire, batch.company, batch.object, together)
  if (!looked.ok) {
    return tellWhy(context, batch.company, together, looked.error)
      ? { end: 'go-on' }
      : { end: 'pause', error: looked.error }
  }
  const current = operations.byIds(together.map(({ operationId }) => operationId))
  if (!current.ok) return { end: 'pause', error: current.error }
  const meant = current.value.filter((operation) => operation.state === 'held' && operation.sendAgain)
  const again = nextArray(meant, size)
  if (again.length === 0 || wire.isStopped()) return { end: 'go-on' }
  if (again[0]?.kind === 'insert') {
    const end = await sendWithin(context, wire, batch, again)
    return end.end === 'pause' ? heldStill(context, batch, again, end) : end
  }
  const moves = again.map((operation) => moveBy(operation, 'send-again', SENT_AGAIN))
  const moved = operations.move(moves, null)
  if (!moved.ok) return { end: 'pause', error: moved.error }
  const queued = operations.byIds(again.map(({ operationId }) => operationId))
  if (!queued.ok) return { end: 'pause', error: queued.error }
  return sendWithin(context, wire, batch, queued.value, looked.value)
}

/** What did not come to leave is held still, with the reason; the word to send it again is spent. */
function heldStill(
  context: WritingContext,
  batch: JournalBatch,
  again: readonly JournalOperation[],
  end: SendEnd & { readonly end: 'pause' },
): SendEnd {
  const current = context.store.journal.operations.byIds(again.map(({ operationId }) => operationId))
  const held = current.ok ? current.value.filter(({ state }) => state === 'held') : []
  tellWhy(context, batch.company, held, end.error)
  return end
}
