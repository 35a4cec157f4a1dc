/** History: what was sent, newest first; changing it back; and deleting a company's data. */
import { applicationName, companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CallAnswer } from '../../../shared/contract/contract.ts'
import type { HistoryOutcome, HistoryRecord } from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { valueAt } from '../../../shared/records/changes.ts'
import { listName } from '../../../shared/records/definition.ts'
import { todayIso } from '../../../shared/reports/messages.ts'
import { type AppError, appError, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { KeptLists } from './kept-lists.ts'
import { fileName } from '../../files/file-name.ts'
import { letterheadOf } from '../../files/print/letterhead.ts'
import { receiptPrint } from '../../files/print/receipt-print.ts'
import { writeWholeFile } from '../../files/write-file.ts'
import type { Deprovisioning, JournalProvisioning, UserCreation } from '../../store/journal/companies.ts'
import type { HistoryBatch, HistoryOperation, HistoryCursor } from '../../store/journal/history.ts'
import type { Store } from '../../store/store.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { companyRefusal } from '../../writing/records/payload.ts'
import { createRevert } from '../../writing/records/revert.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, Printer, SaveDialog, SettingsStore } from '../ports.ts'
import type { GetSupportedFields } from './records.ts'

export interface HistoryOptions {
  readonly store: Pick<Store, 'companies' | 'drafts' | 'history' | 'journal'>
  readonly companies: Pick<Companies, 'find' | 'facts'>
  readonly support: GetSupportedFields
  readonly announcer: Announcer
  readonly clock: Clock
  readonly newId: () => string
  readonly settings: Pick<SettingsStore, 'get' | 'set' | 'connections'>
  readonly dialog: SaveDialog
  readonly printer: Printer
  /** BCP 47, of the computer. */
  readonly locale: string
  readonly keptLists: Pick<KeptLists, 'forget'>
  /** Keeps requests that still run for a company from being logged. */
  readonly forgetLines: (company: CompanyRef) => void
}

/** Characters of a request or an answer to show. */
const LONGEST_SHOWN = 20_000

export function createHistory(options: HistoryOptions): HandlersOf<'history'> {
  const { store, companies, announcer, clock } = options
  const { history } = store
  const changeBack = createRevert({
    store,
    timestamp: () => timestamp(clock),
    newId: options.newId,
  })

  const nameOf = (company: CompanyRef): string => {
    const found = store.companies.get(company)
    return found === null ? '' : displayName(found)
  }

  /** The fields that the company's application supports, or why they can't be read. */
  const supported = async (
    company: StoredCompany,
    object: string,
  ): Promise<{ readonly fields: readonly string[] | null; readonly refusal: AppError | null }> => {
    const refusal =
      companyRefusal(companies.facts(company.ref)) ?? (company.isListed ? null : notListed(company))
    if (refusal !== null) return { fields: null, refusal }
    const asked = await options.support(company, object)
    return asked.ok ? { fields: asked.value.paths, refusal: null } : { fields: null, refusal: asked.error }
  }

  return {
    'history.entries': ({ connectionId, company, object, outcome, text, cursor, limit }) => {
      const before = afterCursor(cursor)
      // One more than requested shows whether there is a next page.
      const batches = history.batches({
        connectionId,
        endpointId: company?.endpointId ?? null,
        object,
        outcome,
        text,
        before,
        limit: limit + 1,
      })
      const others =
        object === '' ? manageEntries(store, connectionId, { company, outcome, text, before, nameOf }) : []
      const found = [...batches.map((batch) => batchEntry(batch, nameOf)), ...others].toSorted(newestFirst)
      const entries = found.slice(0, limit)
      const last = entries.at(-1)
      return ok({ entries, next: found.length > limit && last ? cursorOf(last) : '' })
    },

    'history.records': ({ which, outcome, text, cursor, limit }) => {
      const found = history.operations({ which, outcome, text, after: cursor, limit: limit + 1 })
      const page = found.slice(0, limit)
      const next = found.length > limit ? (page.at(-1)?.operationId ?? '') : ''
      return ok({ records: page.map(recordView), next })
    },

    'history.requests': ({ operationId }) => {
      const requests = store.journal.operations.requests(operationId)
      const answers = history.answers(operationId)
      return ok(
        requests.map((request) => ({
          sentAt: request.sentAt,
          answeredAt: request.answeredAt,
          outcome: request.outcome,
          status: request.status,
          requestId: request.requestId,
          sent: request.body.slice(0, LONGEST_SHOWN),
          answered: (answers.get(request.requestKey) ?? '').slice(0, LONGEST_SHOWN),
          records: request.operationIds.length,
        })),
      )
    },

    'history.saveReceipt': async ({ batchId }) => {
      const sent = changeBack.find({ of: 'batch', batchId })
      if (!sent.ok) return sent
      const { company: ref, object, operations } = sent.value
      const company = store.companies.get(ref)
      const connection = options.settings
        .connections()
        .find(({ connectionId }) => connectionId === ref.connectionId)
      const madeAt = timestamp(clock)
      const companyName = nameOf(ref) || 'Unknown company'
      const receipt = {
        companyName,
        applicationName: company?.applicationName ?? '',
        connection: [connection?.name, connection?.address].filter(Boolean).join(', '),
        object,
        sentAt: operations[0].queuedAt,
        madeAt,
        records: operations.map(recordView),
      }
      const settings = options.settings.get()
      const choice = { locale: options.locale, negatives: settings.negatives }
      const printed = receiptPrint(receipt, choice, letterheadOf(settings))
      if (!printed.ok) return printed
      const sentOn = todayIso(new Date(receipt.sentAt))
      const name = fileName([companyName, `Receipt, ${listName(object)}`, sentOn], 'pdf')
      const path = await options.dialog.choose(name, 'pdf')
      if (path === null) return ok({ saved: false })
      const bytes = await options.printer.pdf(printed.value)
      return bytes.ok ? writeWholeFile(path, [bytes]) : bytes
    },

    'history.planChangeBack': async ({ which }) => {
      const sent = changeBack.find(which)
      if (!sent.ok) return sent
      const company = companies.find(sent.value.company)
      const { fields, refusal } = company.ok
        ? await supported(company.value, sent.value.object)
        : { fields: null, refusal: company.error }
      const plan = changeBack.plan(sent.value, fields)
      return ok({ ...plan, refusal })
    },

    'history.changeBack': async ({ operationIds }) => {
      const sent = changeBack.find({ of: 'records', operationIds: [...new Set(operationIds)] })
      if (!sent.ok) return sent
      const { company, object } = sent.value
      const known = companies.find(company)
      if (!known.ok) return known
      const { fields, refusal } = await supported(known.value, object)
      if (refusal !== null) return err(refusal)
      const draftIds = changeBack.draft(sent.value, fields)
      if (!draftIds.ok) return draftIds
      announcer.emit('companies.changed', { connectionId: company.connectionId })
      return ok({ company, object, draftIds: draftIds.value })
    },

    'history.deleteCompany': async ({ company }) => {
      try {
        await options.keptLists.forget(company)
        await store.journal.deleteCompany(company)
        options.forgetLines(company)
        const { lastCompany } = options.settings.get()
        if (lastCompany !== null && companyKey(lastCompany) === companyKey(company)) {
          options.settings.set({ lastCompany: null })
        }
      } finally {
        announcer.emit('companies.changed', { connectionId: company.connectionId })
      }
      return ok({})
    },
  }
}

function newestFirst(left: Entry, right: Entry): number {
  if (left.at !== right.at) return left.at < right.at ? 1 : -1
  return left.entryId < right.entryId ? 1 : -1
}

function notListed(company: StoredCompany): AppError {
  return appError(
    'not-found',
    `The service no longer lists ${displayName(company)}.`,
    'Its books can’t be reached from here.',
  )
}

function batchEntry(found: HistoryBatch, nameOf: (company: CompanyRef) => string): Entry {
  const { batch, inserts, changes, outcomes, requestIds, changesBack, changedBackBy } = found
  return {
    entryId: batch.batchId,
    kind: 'records',
    at: batch.queuedAt,
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
    changesBack,
    changedBackBy,
  }
}

function outcomeOf({ state, isClosed }: HistoryOperation): HistoryOutcome {
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

function recordView(operation: HistoryOperation): HistoryRecord {
  const { object, after } = operation
  return {
    operationId: operation.operationId,
    batchId: operation.batchId,
    company: operation.company,
    object,
    kind: operation.kind,
    recordId: operation.recordId,
    recordName: operation.recordName,
    outcome: outcomeOf(operation),
    at: operation.queuedAt,
    settledAt: operation.settledAt,
    confirmedByReading: operation.confirmedByReading,
    fields: operation.edits.map(({ path, was, now }) => ({
      path,
      was,
      sent: now,
      is: after === null || operation.state !== 'acked' ? null : valueAt(object, after, path),
    })),
    error: operation.error,
    requestId: operation.requestId,
    changesBack: operation.changesBack,
    changedBackBy: operation.changedBackBy,
  }
}

// What was sent about companies and users, as entries beside the batches of records.

export type Entry = CallAnswer<'history.entries'>['entries'][number]

/** The entry after which the next page begins, as text. */
function cursorOf({ at, entryId }: Entry): string {
  return `${at} ${entryId}`
}

function afterCursor(cursor: string): HistoryCursor | null {
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
function manageEntries(
  store: Pick<Store, 'history' | 'journal'>,
  connectionId: string,
  wanted: Wanted,
): readonly Entry[] {
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
  return entries.filter((entry) => fits(entry, wanted))
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

/** It was discarded while it waited, so it was never sent. */
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
