/**
 * Whether changes of a list are known to do what they say, and the stop after a first one that did not come out as
 * meant (decisions.md, "payload of PATCH"). It holds for a connection, an application and an object.
 */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Manners, MannersKey } from '../store/journal.ts'
import type { WritingContext } from './context.ts'

function changesOf(context: WritingContext, company: CompanyRef, object: string): MannersKey {
  const application = context.directory.facts(company)?.application ?? ''
  return { connectionId: company.connectionId, application, object, kind: 'change' }
}

/** Until a first change was read back in its own turn, each is kept with its record as it was right before. */
export function areChangesProven(
  context: WritingContext,
  company: CompanyRef,
  object: string,
): Result<boolean> {
  const learnt = context.store.journal.manners.get(changesOf(context, company, object))
  return learnt.ok ? ok(learnt.value.isProven) : learnt
}

/** No further change is sent until the person goes on. */
export function stopChanges(context: WritingContext, company: CompanyRef, object: string): Result<void> {
  return setStopped(context, changesOf(context, company, object), true)
}

/** The person has seen what the first change came to: the next one goes, alone again, and is read back. */
export function letChangesGoOn(context: WritingContext, company: CompanyRef, object: string): Result<void> {
  return setStopped(context, changesOf(context, company, object), false)
}

function setStopped(context: WritingContext, key: MannersKey, isStopped: Manners['isStopped']): Result<void> {
  const { manners } = context.store.journal
  const learnt = manners.get(key)
  if (!learnt.ok) return learnt
  return learnt.value.isStopped === isStopped
    ? ok(undefined)
    : manners.set(key, { ...learnt.value, isStopped })
}
