/** What was sent about companies and users, as entries of the history beside the batches of records. */
import { applicationName } from '../../shared/companies/companies.ts'
import type { CallAnswer } from '../../shared/contract/contract.ts'
import type { HistoryOutcome } from '../../shared/contract/history.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { HistoryPlace } from '../store/history.ts'
import type { Deprovisioning, JournalProvisioning, UserCreation } from '../store/manage-journal.ts'
import type { Store } from '../store/store.ts'

export type Entry = CallAnswer<'history.entries'>['entries'][number]

/** Behind which entry the next page begins, as text. */
export function cursorOf({ at, entryId }: Entry): string {
  return `${at} ${entryId}`
}

export function afterCursor(cursor: string): HistoryPlace | null {
  const space = cursor.indexOf(' ')
  return space < 0 ? null : { at: cursor.slice(0, space), id: cursor.slice(space + 1) }
}

interface Wanted {
  readonly company: CompanyRef | null
  readonly outcome: HistoryOutcome | null
  readonly text: string
  readonly before: HistoryPlace | null
  readonly nameOf: (company: CompanyRef) => string
}

/** All that fit; there are few of them, so they are read whole. */
export function manageEntries(
  store: Pick<Store, 'history' | 'journal'>,
  connectionId: string,
  wanted: Wanted,
): Result<readonly Entry[]> {
  const { manage } = store.journal
  const provisionings = manage.provisionings(connectionId)
  if (!provisionings.ok) return provisionings
  const deprovisionings = manage.deprovisionings(connectionId)
  if (!deprovisionings.ok) return deprovisionings
  const users = manage.userCreations(connectionId)
  if (!users.ok) return users
  const requestId = (kind: 'provision' | 'create-user', sentAt: string): readonly string[] => {
    const found = store.history.requestId(kind, connectionId, sentAt)
    return found.ok && found.value !== '' ? [found.value] : []
  }
  const entries = [
    ...provisionings.value.flatMap((each) => provisioningEntry(each, wanted, requestId)),
    ...deprovisionings.value.map((each) => deprovisioningEntry(each, wanted)),
    ...users.value.map((each) => userEntry(each, requestId)),
  ]
  return ok(entries.filter((entry) => fits(entry, wanted)))
}

function fits(entry: Entry, { company, outcome, text, before }: Wanted): boolean {
  if (company !== null && entry.company?.endpointId !== company.endpointId) return false
  if (outcome !== null && entry.outcomes.every((each) => each.outcome !== outcome)) return false
  if (before !== null && (entry.at > before.at || (entry.at === before.at && entry.entryId >= before.id))) {
    return false
  }
  const words = [entry.companyName, entry.says, ...entry.requestIds].join('\n').normalize('NFC').toLowerCase()
  return text
    .normalize('NFC')
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}

function entry(
  given: Pick<Entry, 'entryId' | 'kind' | 'at' | 'connectionId' | 'company' | 'companyName' | 'says'> &
    Pick<Entry, 'requestIds' | 'error'>,
  outcome: HistoryOutcome,
): Entry {
  return {
    ...given,
    object: '',
    inserts: 0,
    changes: 0,
    outcomes: [{ outcome, count: 1 }],
    changesBack: [],
    changedBackBy: [],
  }
}

/** What was only waiting and given up was never sent. */
function provisioningEntry(
  { value }: JournalProvisioning,
  { nameOf }: Wanted,
  requestId: (kind: 'provision', sentAt: string) => readonly string[],
): readonly Entry[] {
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

function deprovisioningEntry(deprovisioning: Deprovisioning, { nameOf }: Wanted): Entry {
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
): Entry {
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
