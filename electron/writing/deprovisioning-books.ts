/**
 * Whether a company's books may be closed: not while a write to them is not confirmed, since nobody could read back what
 * became of it, and not ahead of one that waits, which could never be sent (design, "Writing").
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError, err, ok, type Result } from '../../shared/result.ts'
import type { WritingContext } from './context.ts'

/** An error with what to do where a write to these books is not confirmed or waits to be sent. */
export function openWrites(context: Pick<WritingContext, 'store'>, company: CompanyRef): Result<void> {
  const { operations } = context.store.journal
  const unconfirmed = operations.open(company, ['sending', 'unknown'])
  if (!unconfirmed.ok) return unconfirmed
  if (unconfirmed.value.length > 0) {
    return err(
      appError(
        'invalid-input',
        `Not de-provisioned: ${recordsOf(unconfirmed.value.length)} sent to these books ${unconfirmed.value.length === 1 ? 'is' : 'are'} not confirmed yet.`,
        'Open Records and check, then wait until it is known: afterwards nobody could look for it. Then de-provision.',
      ),
    )
  }
  const queued = operations.open(company, ['queued'])
  if (!queued.ok) return queued
  if (queued.value.length === 0) return ok(undefined)
  return err(
    appError(
      'invalid-input',
      `Not de-provisioned: ${recordsOf(queued.value.length)} still ${queued.value.length === 1 ? 'waits' : 'wait'} to be sent to these books.`,
      'Open Records, and send or discard what waits. Then de-provision.',
    ),
  )
}

function recordsOf(count: number): string {
  return count === 1 ? '1 record' : `${String(count)} records`
}
