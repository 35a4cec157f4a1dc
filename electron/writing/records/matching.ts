/**
 * Which item of an answer belongs to which operation. Items that name their records as they were sent decide first. The
 * rest go by position, where the counts agree and no item contradicts its place: a service may alter names, and most
 * services keep no mark. Whatever cannot be assigned leaves its operation in doubt.
 */
import type { FieldEdit, RecordData } from '../../../shared/records/changes.ts'
import type { EnvelopeItem } from '../../service/protocol/wire.ts'
import { evidenceFor, fitOf, isContradicted, compareExternalId } from './recognition.ts'
import { idOf, namesOfRecord } from './names.ts'

/** How an operation can be recognized in an answer. */
export interface SentRecord {
  readonly operationId: string
  readonly kind: 'insert' | 'change'
  readonly object: string
  readonly edits: readonly FieldEdit[]
  /** Empty for an insert. */
  readonly recordId: string
  readonly mark: string
  /** Names under which the application may answer it; the first is its full name. */
  readonly names: readonly string[]
}

/** @returns for each operation's id its item; without an entry where none can be told for certain */
export function matchItems(
  sent: readonly SentRecord[],
  items: readonly EnvelopeItem[],
): ReadonlyMap<string, EnvelopeItem> {
  const strictly = byPosition(sent, items, agrees)
  if (strictly !== null) return strictly
  const named = byNaming(sent, items)
  return byRemainingPositions(sent, items, named) ?? named
}

type Agrees = (sent: SentRecord, item: EnvelopeItem, all: readonly SentRecord[]) => boolean

function byPosition(
  sent: readonly SentRecord[],
  items: readonly EnvelopeItem[],
  fits: Agrees,
): Map<string, EnvelopeItem> | null {
  if (sent.length !== items.length) return null
  const matched = new Map<string, EnvelopeItem>()
  for (const [index, record] of sent.entries()) {
    const item = items[index]
    if (item === undefined || !fits(record, item, sent)) return null
    matched.set(record.operationId, item)
  }
  return repeatedIds(items).size > 0 ? null : matched
}

/** One id in two items: at least one of them is not what it seems, and nobody can tell which. */
function repeatedIds(items: readonly EnvelopeItem[]): ReadonlySet<string> {
  const ids = items.flatMap(({ object }) => (object === null || idOf(object) === '' ? [] : [idOf(object)]))
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
}

/** Whether the item, by the surest thing that it says about itself, can be this record. */
function agrees(sent: SentRecord, { object }: EnvelopeItem, all: readonly SentRecord[]): boolean {
  if (object === null) return true
  const says = compareExternalId(sent.mark, object)
  if (says === 'ours') return true
  const isNamed = namesOfRecord(object).some((name) => sent.names.includes(name))
  // Another record's mark; or one that the application gave it, and then its name has to say so.
  if (says === 'other') return isNamed && !isMarkedForAnother(sent, object, all)
  const id = idOf(object)
  if (sent.kind === 'change' && id !== '') return id === sent.recordId
  return isNamed || namesOfRecord(object).length === 0 || sent.names.length === 0
}

function isMarkedForAnother(sent: SentRecord, object: RecordData, all: readonly SentRecord[]): boolean {
  return all.some((other) => other !== sent && compareExternalId(other.mark, object) === 'ours')
}

/**
 * The inserts whose items do not name them, in their places. Only where the answer keeps the order of the request as far
 * as its items tell, and where no item fits another operation better than the one in its place.
 */
function byRemainingPositions(
  sent: readonly SentRecord[],
  items: readonly EnvelopeItem[],
  named: ReadonlyMap<string, EnvelopeItem>,
): ReadonlyMap<string, EnvelopeItem> | null {
  if (sent.some(({ kind }) => kind !== 'insert')) return null
  return byPosition(sent, items, (record, item) => {
    const certain = named.get(record.operationId)
    if (certain !== undefined) return certain === item
    const { object } = item
    if (object === null) return true
    return !isMarkedForAnother(record, object, sent) && isInItsPlace(record, object, sent)
  })
}

function isInItsPlace(record: SentRecord, object: RecordData, all: readonly SentRecord[]): boolean {
  const evidence = evidenceFor(record, object)
  if (isContradicted(evidence)) return false
  const fit = fitOf(evidence)
  return all.every((other) => other === record || fitOf(evidenceFor(other, object)) <= fit)
}

const WAYS: readonly ((sent: SentRecord, object: RecordData) => boolean)[] = [
  (sent, object) => compareExternalId(sent.mark, object) === 'ours',
  (sent, object) => sent.kind === 'change' && idOf(object) === sent.recordId,
  (sent, object) => namesOfRecord(object).some((name) => sent.names.includes(name)),
]

function byNaming(sent: readonly SentRecord[], items: readonly EnvelopeItem[]): Map<string, EnvelopeItem> {
  const matched = new Map<string, EnvelopeItem>()
  // Claimed by two items, or one item by two records: none of them is certain.
  const doubtful = new Set<string>()
  const repeated = repeatedIds(items)
  for (const item of items) {
    if (item.object !== null && repeated.has(idOf(item.object))) continue
    const candidates = candidatesFor(sent, item)
    const [only] = candidates
    if (only === undefined) continue
    if (candidates.length > 1 || matched.has(only.operationId)) {
      for (const candidate of candidates) doubtful.add(candidate.operationId)
    } else {
      matched.set(only.operationId, item)
    }
  }
  for (const operationId of doubtful) matched.delete(operationId)
  return matched
}

/** By the surest way that finds any; a record that the item contradicts in something surer is none. */
function candidatesFor(sent: readonly SentRecord[], item: EnvelopeItem): readonly SentRecord[] {
  const { object } = item
  if (object === null) return []
  for (const isThis of WAYS) {
    const candidates = sent.filter((record) => isThis(record, object) && agrees(record, item, sent))
    if (candidates.length > 0) return candidates
  }
  return []
}
