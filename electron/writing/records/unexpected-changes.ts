/**
 * The first change of a connection, application and object goes alone and is read back: what was changed is changed
 * and nothing else is, or writing stops there (decisions.md, "Payload of PATCH": all of it is an *Assumption*).
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Difference } from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type FieldEdit,
  type RecordData,
  isEmpty,
  memberOf,
  ownValue,
  pathOf,
  pathType,
  sameValue,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { fieldDefinition, isDescribed } from '../../../shared/records/definition.ts'
import type { JournalOperation, Manners, MannersKey, OperationMove } from '../../store/journal/journal.ts'
import type { WritingContext } from '../context.ts'
import { differencesFrom, isUnexpectedChange } from './compare.ts'
import type { Reconciliation } from './reconcile.ts'

/** Lists what a first change altered besides its own fields. Empty for any other operation. */
export function unexpectedChangesIn(
  { object, edits, fresh }: Pick<JournalOperation, 'object' | 'edits' | 'fresh'>,
  after: RecordData,
): readonly Difference[] {
  return fresh === null ? [] : unmeantChanges(object, edits, fresh, after)
}

/**
 * What a later look says of a change that was sent while none before it was known to do what it says: its answer,
 * or its reading back, was lost. A change that is held was found undone before: what is there since is not its doing.
 */
export function reconcileFirstChange(
  operation: JournalOperation,
  settlement: Reconciliation,
  found: RecordData | null,
): Reconciliation {
  const isAnother = settlement.verdict === 'otherwise' && settlement.because === 'another-record'
  const unmeant = found === null || isAnother ? [] : unexpectedChangesIn(operation, found)
  if (unmeant.length === 0) return settlement
  const { verdict } = settlement
  if (verdict === 'done') return { ...settlement, notAsSent: [...settlement.notAsSent, ...unmeant] }
  if (verdict === 'open' || operation.state === 'held') return settlement
  const differences = [...(found === null ? [] : differencesFrom(operation, found)), ...unmeant]
  return { verdict: 'otherwise', record: found, differences, because: 'other-values' }
}

/** Whether a recheck showed that a first change altered more than its own fields. Further changes then stop. */
export function hasUnexpectedChanges(
  { fresh, error }: JournalOperation,
  { from, to, facts }: OperationMove,
): boolean {
  if (fresh === null) return false
  // Its answer called it saved, and both looks found it as before.
  if (from === 'unknown' && to === 'held' && error === null) return true
  return to === 'conflict' || (to === 'acked' && (facts.notAsSent?.length ?? 0) > 0)
}

/**
 * The paths that nobody meant to change and that changed: `yours` is what they said right before.
 * @param fresh the record right before the change
 * @param after the record read back right after it
 */
function unmeantChanges(
  object: string,
  edits: readonly FieldEdit[],
  fresh: RecordData,
  after: RecordData,
): readonly Difference[] {
  const touched = new Set(edits.map((edit) => topField(edit.path)))
  return [...new Set([...Object.keys(fresh), ...Object.keys(after)])]
    .filter((field) => !touched.has(field))
    .flatMap((field) => pathsUnder(field, fresh, after))
    .flatMap((path) => {
      const was = valueAt(object, fresh, path)
      const is = valueAt(object, after, path)
      if (sameValue(pathType(object, path), was, is)) return []
      if (!isDescribed(object, topField(path))) {
        const name = memberOf(path) ?? path
        return isUnexpectedChange(name, rawAt(fresh, path), rawAt(after, path), edits)
          ? [loss(path, was, is)]
          : []
      }
      // What the application keeps (dates, the balance, the full name) moves by itself;
      // that it was emptied would mean that a change replaces the whole record.
      const isKept = fieldDefinition(object, topField(path)).editable !== 'yes'
      return isKept && !(isEmpty(is) && !isEmpty(was)) ? [] : [loss(path, was, is)]
    })
}

function loss(path: string, was: EditValue, is: EditValue): Difference {
  return { path, asRead: was, theirs: is, yours: was }
}

function rawAt(record: RecordData, path: string): unknown {
  const [top, member] = [topField(path), memberOf(path)]
  const value = ownValue(record, top)
  if (member === null) return value
  return typeof value === 'object' && value !== null ? new Map(Object.entries(value)).get(member) : undefined
}

/** A plain field, or the members of an object that either version has. A reference is one thing. */
function pathsUnder(field: string, fresh: RecordData, after: RecordData): readonly string[] {
  const members = [fresh, after].flatMap((record) => {
    const value = ownValue(record, field)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : []
  })
  if (members.length === 0 || members.includes('FullName')) return [pathOf(field)]
  return [...new Set(members)].map((member) => pathOf(field, member))
}

/*
 * Whether changes of a list are known to do what they say, and the stop after a first one that did not come out as
 * meant (decisions.md, "Payload of PATCH"). It holds for a connection, an application and an object.
 */

function changesOf(context: WritingContext, company: CompanyRef, object: string): MannersKey {
  const application = context.directory.facts(company)?.application ?? ''
  return { connectionId: company.connectionId, application, object, kind: 'change' }
}

/** Until a first change was read back in its own turn, each is kept with its record as it was right before. */
export function areChangesProven(context: WritingContext, company: CompanyRef, object: string): boolean {
  return context.store.journal.manners.get(changesOf(context, company, object)).isProven
}

/** No further change is sent until the person goes on. */
export function stopChanges(context: WritingContext, company: CompanyRef, object: string): void {
  setStopped(context, changesOf(context, company, object), true)
}

/** Resumes changes after the person has reviewed the first one. The next change goes alone too, and is read back. */
export function resumeChanges(context: WritingContext, company: CompanyRef, object: string): void {
  setStopped(context, changesOf(context, company, object), false)
}

function setStopped(context: WritingContext, key: MannersKey, isStopped: Manners['isStopped']): void {
  const { manners } = context.store.journal
  const learnt = manners.get(key)
  if (learnt.isStopped !== isStopped) manners.set(key, { ...learnt, isStopped })
}
