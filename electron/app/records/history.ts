/** History: what was sent, newest first; undoing it; and deleting a company's data. */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type AppError, appError, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Store } from '../../store/store.ts'
import { companyRefusal } from '../../writing/context.ts'
import { createRevert } from '../../writing/records/revert.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { GetSupportedFields } from './field-support.ts'
import type { HistoryFiles } from './history-files.ts'
import type { KeptLists } from './kept-lists.ts'
import { afterCursor, batchEntry, cursorOf, manageEntries, newestFirst, recordView } from './sent-entries.ts'

export interface HistoryOptions {
  readonly store: Pick<Store, 'companies' | 'drafts' | 'history' | 'journal'>
  readonly companies: Pick<Companies, 'find' | 'facts'>
  readonly support: GetSupportedFields
  readonly announcer: Announcer
  readonly clock: Clock
  readonly newId: () => string
  readonly settings: Pick<SettingsStore, 'get' | 'set'>
  readonly files: HistoryFiles
  readonly keptLists: Pick<KeptLists, 'forget'>
  /** Keeps requests that still run for a company from being logged. */
  readonly forgetLines: (company: CompanyRef) => void
}

/** Characters of a request or a response to show. */
const LONGEST_SHOWN = 20_000

export function createHistory(options: HistoryOptions): HandlersOf<'history'> {
  const { store, companies, announcer, clock, files } = options
  const { history } = store
  const revert = createRevert({
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
      const responses = history.responses(operationId)
      return ok(
        requests.map((request) => ({
          sentAt: request.sentAt,
          respondedAt: request.respondedAt,
          outcome: request.outcome,
          status: request.status,
          requestId: request.requestId,
          sent: request.body.slice(0, LONGEST_SHOWN),
          response: (responses.get(request.requestKey) ?? '').slice(0, LONGEST_SHOWN),
          records: request.operationIds.length,
        })),
      )
    },

    'history.saveReceipt': ({ batchId }) => files.saveReceipt(batchId),

    'history.saveHistory': (asked) => files.save(asked),

    'history.planUndo': async ({ which }) => {
      const sent = revert.find(which)
      if (!sent.ok) return sent
      const company = companies.find(sent.value.company)
      const { fields, refusal } = company.ok
        ? await supported(company.value, sent.value.object)
        : { fields: null, refusal: company.error }
      const plan = revert.plan(sent.value, fields)
      return ok({ ...plan, refusal })
    },

    'history.undo': async ({ operationIds }) => {
      const sent = revert.find({ of: 'records', operationIds: [...new Set(operationIds)] })
      if (!sent.ok) return sent
      const { company, object } = sent.value
      const known = companies.find(company)
      if (!known.ok) return known
      const { fields, refusal } = await supported(known.value, object)
      if (refusal !== null) return err(refusal)
      const draftIds = revert.draft(sent.value, fields)
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

function notListed(company: StoredCompany): AppError {
  return appError(
    'not-found',
    `The service no longer lists ${displayName(company)}.`,
    'Its books can’t be opened from here.',
  )
}
