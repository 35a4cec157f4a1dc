/**
 * Which item of an answer belongs to which operation. By position only when counts agree and every item that names
 * itself agrees; else by `ExternalID`, `ID`, full name. What can't be laid to an operation leaves it in doubt.
 */
import type { EnvelopeItem } from '../service/wire.ts'
import { markSays } from './marks.ts'
import { idOf, namesOfRecord } from './names.ts'

/** How an operation can be recognised in an answer. */
export interface SentRecord {
  readonly operationId: string
  readonly kind: 'insert' | 'change'
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
  return byPosition(sent, items) ?? byNaming(sent, items)
}

function byPosition(
  sent: readonly SentRecord[],
  items: readonly EnvelopeItem[],
): Map<string, EnvelopeItem> | null {
  if (sent.length !== items.length) return null
  const matched = new Map<string, EnvelopeItem>()
  for (const [index, record] of sent.entries()) {
    const item = items[index]
    if (item === undefined || !agrees(record, item, sent)) return null
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
  const says = markSays(sent.mark, object)
  if (says === 'ours') return true
  const isNamed = namesOfRecord(object).some((name) => sent.names.includes(name))
  // Another record's mark; or one that the application gave it, and then its name has to say so.
  if (says === 'other') return isNamed && !all.some(({ mark }) => markSays(mark, object) === 'ours')
  const id = idOf(object)
  if (sent.kind === 'change' && id !== '') return id === sent.recordId
  return isNamed || namesOfRecord(object).length === 0 || sent.names.length === 0
}

const WAYS: readonly ((sent: SentRecord, object: Readonly<Record<string, unknown>>) => boolean)[] = [
  (sent, object) => markSays(sent.mark, object) === 'ours',
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
