/**
 * Matches the items of a response to operations. Items that name their records as they were sent decide first. The rest
 * are matched by position, if the counts agree and no item contradicts its position: a service may change names, and
 * most services keep no external ID. An operation without a match is in doubt.
 */
import type { FieldEdit, RecordData } from '../../../shared/records/changes.ts'
import type { EnvelopeItem } from '../../service/protocol/wire.ts'
import {
  compareExternalId,
  evidenceFor,
  idOf,
  isContradicted,
  matchScore,
  namesOfRecord,
} from './recognition.ts'

/** What identifies an operation in a response. */
export interface SentRecord {
  readonly operationId: string
  readonly kind: 'insert' | 'change'
  readonly object: string
  readonly edits: readonly FieldEdit[]
  /** Empty for an insert. */
  readonly recordId: string
  readonly externalId: string
  /** Names under which the application may return it. The first is its full name. */
  readonly names: readonly string[]
}

/**
 * Matches operations to items.
 * @returns the item of each operation, by its ID; omits operations without a certain match
 */
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

/** IDs that occur in two items. At least one of the two is wrong, and nothing shows which. */
function repeatedIds(items: readonly EnvelopeItem[]): ReadonlySet<string> {
  const ids = items.flatMap(({ object }) => (object === null || idOf(object) === '' ? [] : [idOf(object)]))
  return new Set(ids.filter((id, index) => ids.indexOf(id) !== index))
}

/** Whether the item can be this record, judged by the item's strongest evidence. */
function agrees(sent: SentRecord, { object }: EnvelopeItem, all: readonly SentRecord[]): boolean {
  if (object === null) return true
  const says = compareExternalId(sent.externalId, object)
  if (says === 'ours') return true
  const isNamed = namesOfRecord(object).some((name) => sent.names.includes(name))
  // The external ID belongs to another record, or the application assigned its own. The name must match.
  if (says === 'other') return isNamed && !isMarkedForAnother(sent, object, all)
  const id = idOf(object)
  if (sent.kind === 'change' && id !== '') return id === sent.recordId
  return isNamed || namesOfRecord(object).length === 0 || sent.names.length === 0
}

function isMarkedForAnother(sent: SentRecord, object: RecordData, all: readonly SentRecord[]): boolean {
  return all.some((other) => other !== sent && compareExternalId(other.externalId, object) === 'ours')
}

/**
 * Matches the remaining inserts by position if the items show no other order and none fits another operation better.
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
  const fit = matchScore(evidence)
  return all.every((other) => other === record || matchScore(evidenceFor(other, object)) <= fit)
}

const WAYS: readonly ((sent: SentRecord, object: RecordData) => boolean)[] = [
  (sent, object) => compareExternalId(sent.externalId, object) === 'ours',
  (sent, object) => sent.kind === 'change' && idOf(object) === sent.recordId,
  (sent, object) => namesOfRecord(object).some((name) => sent.names.includes(name)),
]

function byNaming(sent: readonly SentRecord[], items: readonly EnvelopeItem[]): Map<string, EnvelopeItem> {
  const matched = new Map<string, EnvelopeItem>()
  // Two items claim the record, or two records claim the item, so neither is certain.
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

/** Finds candidates for the item by the strongest evidence that finds any, unless stronger evidence contradicts it. */
function candidatesFor(sent: readonly SentRecord[], item: EnvelopeItem): readonly SentRecord[] {
  const { object } = item
  if (object === null) return []
  for (const isThis of WAYS) {
    const candidates = sent.filter((record) => isThis(record, object) && agrees(record, item, sent))
    if (candidates.length > 0) return candidates
  }
  return []
}
