/** What was sent, as the history shows and saves it: batches and records of the journal, and calls about companies and users. */
import { applicationName } from '../../../shared/companies/companies.ts'
import type {
  HistoryEntry,
  HistoryOutcome,
  HistoryRecord,
  SentTime,
} from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { valueAt } from '../../../shared/records/changes.ts'
import { normalizeForSearch, searchTerms } from '../../../shared/records/search-text.ts'
import type { Deprovisioning, JournalProvisioning, UserCreation } from '../../store/journal/companies.ts'
import type { HistoryBatch, HistoryCursor, HistoryOperation } from '../../store/journal/history.ts'
import type { Store } from '../../store/store.ts'

export function newestFirst(left: HistoryEntry, right: HistoryEntry): number {
  if (left.at !== right.at) return left.at < right.at ? 1 : -1
  return left.entryId < right.entryId ? 1 : -1
}

export function batchEntry(found: HistoryBatch, nameOf: (company: CompanyRef) => string): HistoryEntry {
  const { batch, sentBy, inserts, changes, outcomes, requestIds, undoes, undoneBy } = found
  const at = found.firstSentAt ?? batch.queuedAt
  return {
    entryId: batch.batchId,
    kind: 'records',
    at,
    lastAt: found.lastSentAt ?? at,
    isSent: found.firstSentAt !== null,
    sentBy,
    connectionId: batch.company.connectionId,
    company: batch.company,
    companyName: nameOf(batch.company),
    object: batch.object,
    inserts,
    changes,
    outcomes: [...outcomes].map(([outcome, count]) => ({ outcome, count })),
    says: '',
    requestIds,
    error: batch.error,
    undoes,
    undoneBy,
  }
}

export function historyOutcome({
  state,
  isClosed,
}: Pick<HistoryOperation, 'state' | 'isClosed'>): HistoryOutcome {
  switch (state) {
    case 'acked':
      return 'saved'
    case 'rejected':
      return 'not-accepted'
    case 'conflict':
      return 'changed-meanwhile'
    case 'held':
      return isClosed ? 'discarded' : 'decision'
    case 'queued':
      return 'not-sent'
    case 'sending':
    case 'unknown':
      return 'not-confirmed'
  }
}

export function recordView(operation: HistoryOperation): HistoryRecord {
  const { object, after, sendings } = operation
  const [first, last] = [sendings[0], sendings.at(-1)]
  return {
    operationId: operation.operationId,
    batchId: operation.batchId,
    company: operation.company,
    object,
    kind: operation.kind,
    recordId: operation.recordId,
    recordName: operation.recordName,
    outcome: historyOutcome(operation),
    at: first?.sentAt ?? operation.queuedAt,
    lastAt: last?.sentAt ?? operation.queuedAt,
    isSent: last !== undefined,
    earlier: sendings.slice(0, -1).map(({ sentAt, requestId, isRefused }) => ({
      at: sentAt,
      requestId,
      outcome: isRefused ? 'not-accepted' : 'not-confirmed',
    })),
    settledAt: operation.settledAt,
    confirmedByReading: operation.confirmedByReading,
    fields: operation.edits.map(({ path, was, now }) => ({
      path,
      was,
      sent: now,
      is: after === null || operation.state !== 'acked' ? null : valueAt(object, after, path),
    })),
    error: operation.error,
    requestId: last?.requestId ?? operation.requestId,
    undoes: operation.undoes,
    undoneBy: operation.undoneBy,
  }
}

/** When the first and the last of these records were sent, or when they were queued if none was sent. */
export function sentTimeOf(records: readonly HistoryRecord[]): SentTime {
  const sent = records.filter(({ isSent }) => isSent)
  const times = (sent.length > 0 ? sent : records).flatMap(({ at, lastAt }) => [at, lastAt]).toSorted()
  return { at: times[0] ?? '', lastAt: times.at(-1) ?? '', isSent: sent.length > 0 }
}

/** A batch's entry, limited to these of its records. */
export function entryWith(entry: HistoryEntry, records: readonly HistoryRecord[]): HistoryEntry {
  const inserts = records.filter(({ kind }) => kind === 'insert').length
  const outcomes = Map.groupBy(records, ({ outcome }) => outcome)
  return {
    ...entry,
    ...sentTimeOf(records),
    inserts,
    changes: records.length - inserts,
    outcomes: [...outcomes].map(([outcome, of]) => ({ outcome, count: of.length })),
  }
}

// Entries for requests about companies and users, listed beside the batches of records.

/** The entry after which the next page begins, as text. */
export function cursorOf({ at, entryId }: HistoryEntry): string {
  return `${at} ${entryId}`
}

export function afterCursor(cursor: string): HistoryCursor | null {
  const space = cursor.indexOf(' ')
  return space < 0 ? null : { at: cursor.slice(0, space), id: cursor.slice(space + 1) }
}

interface Wanted {
  readonly company: CompanyRef | null
  readonly outcome: HistoryOutcome | null
  readonly text: string
  readonly before: HistoryCursor | null
  readonly nameOf: (company: CompanyRef) => string
}

/** Returns all matching entries. There are few, so all are read. */
export function manageEntries(
  store: Pick<Store, 'history' | 'journal'>,
  connectionId: string,
  wanted: Wanted,
): readonly HistoryEntry[] {
  const { manage } = store.journal
  const provisionings = manage.provisionings(connectionId)
  const deprovisionings = manage.deprovisionings(connectionId)
  const users = manage.userCreations(connectionId)
  const requestId = (kind: 'provision' | 'create-user', sentAt: string): readonly string[] => {
    const found = store.history.requestId(kind, connectionId, sentAt)
    return found === '' ? [] : [found]
  }
  const entries = [
    ...provisionings.flatMap((each) => provisioningEntry(each, wanted, requestId)),
    ...deprovisionings.map((each) => deprovisioningEntry(each, wanted)),
    ...users.map((each) => userEntry(each, requestId)),
  ]
  const senders = manage.senders(connectionId)
  return entries
    .map((entry) => ({ ...entry, sentBy: senders.get(entry.entryId) ?? '' }))
    .filter((entry) => fits(entry, wanted))
}

function fits(entry: HistoryEntry, { company, outcome, text, before }: Wanted): boolean {
  if (company !== null && entry.company?.endpointId !== company.endpointId) return false
  if (outcome !== null && entry.outcomes.every((each) => each.outcome !== outcome)) return false
  if (before !== null && (entry.at > before.at || (entry.at === before.at && entry.entryId >= before.id))) {
    return false
  }
  const words = normalizeForSearch([entry.companyName, entry.says, ...entry.requestIds].join('\n'))
  return searchTerms(text).every((word) => words.includes(word))
}

function entry(
  given: Pick<HistoryEntry, 'entryId' | 'kind' | 'at' | 'connectionId' | 'company' | 'companyName' | 'says'> &
    Pick<HistoryEntry, 'requestIds' | 'error'>,
  outcome: HistoryOutcome,
): HistoryEntry {
  return {
    ...given,
    lastAt: given.at,
    isSent: outcome !== 'not-sent',
    sentBy: '',
    object: '',
    inserts: 0,
    changes: 0,
    outcomes: [{ outcome, count: 1 }],
    undoes: [],
    undoneBy: [],
  }
}

/** It was discarded while it waited, so it was never sent. */
function provisioningEntry(
  { value }: JournalProvisioning,
  { nameOf }: Wanted,
  requestId: (kind: 'provision', sentAt: string) => readonly string[],
): readonly HistoryEntry[] {
  if (value.sentAt === null) return []
  const outcomes = {
    queued: 'not-sent',
    'making-user': 'not-sent',
    sending: 'not-confirmed',
    waiting: 'not-confirmed',
    arrived: 'saved',
    kept: 'saved',
    refused: 'not-accepted',
    dropped: value.company === null ? 'discarded' : 'saved',
  } as const
  const facts = [applicationName(value.application), `user ${value.userId}`, value.expectedFile]
  return [
    entry(
      {
        entryId: value.provisioningId,
        kind: 'provisioning',
        at: value.sentAt,
        connectionId: value.connectionId,
        company: value.company,
        companyName: value.company === null ? '' : nameOf(value.company),
        says: facts.filter(Boolean).join(', '),
        requestIds: requestId('provision', value.sentAt),
        error: value.error,
      },
      outcomes[value.state],
    ),
  ]
}

function deprovisioningEntry(deprovisioning: Deprovisioning, { nameOf }: Wanted): HistoryEntry {
  const { company, confirmations, state, error } = deprovisioning
  const outcomes = {
    sending: 'not-confirmed',
    unknown: 'not-confirmed',
    done: 'saved',
    denied: 'not-accepted',
    'not-sent': 'not-sent',
  } as const
  return entry(
    {
      entryId: deprovisioning.deprovisioningId,
      kind: 'deprovisioning',
      at: deprovisioning.sentAt,
      connectionId: company.connectionId,
      company,
      companyName: nameOf(company),
      says: confirmations
        .map(({ says }) => says)
        .join(' ')
        .slice(0, 2_000),
      requestIds: [...new Set(confirmations.map(({ requestId }) => requestId).filter(Boolean))],
      error,
    },
    outcomes[state],
  )
}

function userEntry(
  creation: UserCreation,
  requestId: (kind: 'create-user', sentAt: string) => readonly string[],
): HistoryEntry {
  const outcomes = {
    sending: 'not-confirmed',
    done: 'saved',
    held: 'not-confirmed',
    refused: 'not-accepted',
    'not-sent': 'not-sent',
  } as const
  return entry(
    {
      entryId: creation.creationId,
      kind: 'user',
      at: creation.sentAt,
      connectionId: creation.connectionId,
      company: null,
      companyName: '',
      says: creation.userId === '' ? '' : `user ${creation.userId}`,
      requestIds: requestId('create-user', creation.sentAt),
      error: creation.error,
    },
    outcomes[creation.state],
  )
}
