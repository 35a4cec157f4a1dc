/** Proposes what to do with likely duplicates, and describes how they differ. */
import { isObject, type RecordData, textOf } from '../../shared/records/changes.ts'
import type { ProposedRecord } from '../../shared/records/tidy.ts'
import { addressKey, STREET_LINES } from './address.ts'
import { type Card, duplicateName, groupDuplicates, type HasChildren, planRetirement } from './duplicates.ts'
import { wordsOf } from './likeness.ts'
import type { ListFields } from './list-fields.ts'
import { keyWithFacts, type Proposals, UNKNOWN_FIELDS } from './proposals.ts'

interface DuplicateSearch {
  /** All records of the list. */
  readonly cards: readonly Card[]
  /** IDs that several records have. */
  readonly sharedIds: ReadonlySet<string>
  readonly isAccounts: boolean
  readonly parents: HasChildren
  readonly fields: ListFields
  readonly recordsOf: (ids: readonly string[]) => readonly RecordData[]
}

export function proposeDuplicates(search: DuplicateSearch, proposals: Proposals): void {
  const { cards: all, sharedIds, isAccounts, parents, recordsOf } = search
  const keyOf = (cards: readonly Card[]): string => duplicatesKey(proposals.list, cards)
  const groups = groupDuplicates(
    all.filter(({ id }) => id !== '' && !sharedIds.has(id)),
    {
      isAccounts,
      parents,
      isDismissed: (cards) => proposals.isDismissed('duplicate', keyOf(cards)),
      recordsOf,
    },
  )
  if (groups.length === 0) return
  const shown = groups.flatMap(({ cards, reason }) => {
    const key = keyOf(cards)
    const ids = cards.map(({ id }) => id)
    return proposals.reserve('duplicate', key, ids) ? [{ cards, reason, key }] : []
  })
  const ids = shown.flatMap(({ cards }) => cards.map(({ id }) => id))
  const records = new Map(recordsOf(ids).map((record) => [textOf(record['ID']), record]))
  const taken = new Set(all.map(({ name }) => name.toLowerCase()))
  for (const { cards, reason, key } of shown) {
    proposals.add({
      kind: 'duplicate',
      key,
      reason,
      records: cards.map((card) => describeDuplicate(card, records.get(card.id) ?? {}, taken, search)),
    })
  }
}

function duplicatesKey(list: string, cards: readonly Card[]): string {
  const each = cards
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ id, name, phone, email, address }) =>
      keyWithFacts(id, [wordsOf(name), phone, email, addressKey(address)]),
    )
  return `duplicates|${list}|${each.join(',')}`
}

/** @param taken names in lowercase, to which the new name of this record is added */
function describeDuplicate(
  card: Card,
  record: RecordData,
  taken: Set<string>,
  { isAccounts, parents, fields }: DuplicateSearch,
): ProposedRecord {
  const now = duplicateName(card.name, isAccounts, taken)
  taken.add(now.toLowerCase())
  const retired = fields.areKnown
    ? planRetirement(card, parents.has(card), now, (path) => fields.canEdit(path))
    : { edits: [], blockedReason: UNKNOWN_FIELDS }
  return { recordId: card.id, name: card.fullName, ...retired, facts: factsOf(card, record) }
}

/** Describes how duplicates differ, for a person who compares them. */
function factsOf(card: Card, record: RecordData): ProposedRecord['facts'] {
  const linesOf = (address: unknown): string =>
    isObject(address)
      ? [...STREET_LINES, 'City', 'State', 'PostalCode']
          .map((line) => textOf(address[line]))
          .filter(Boolean)
          .join(', ')
      : ''
  const facts = ['Phone', 'Mobile', 'AlternatePhone', 'Email', 'CompanyName', 'Number', 'Type'].map(
    (path) => ({
      path,
      value: textOf(record[path]),
    }),
  )
  return [
    ...facts,
    { path: 'Currency', value: card.currency },
    ...['BillingAddress', 'Address', 'ShippingAddress'].map((path) => ({
      path,
      value: linesOf(record[path]),
    })),
    { path: 'Balance', value: card.balance },
    { path: 'CreatedDate', value: card.createdAt },
  ].filter(({ value }) => value !== '')
}
