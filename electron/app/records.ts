/** Records: reading a list, what may be changed in it, drafts, sending and what became of it. */
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { FieldSupport, RecordSet, RecordsFilter } from '../../shared/contract/records.ts'
import { nameKey } from '../../shared/names.ts'
import { objectDefinition } from '../../shared/records.ts'
import { ok, type Result } from '../../shared/result.ts'
import type { Rows } from '../rows/rows.ts'
import type { Scheduler } from '../service/scheduler.ts'
import type { ServiceClient, TurnRequest } from '../service/wire.ts'
import type { DraftStore, StoredCompany } from '../store/store.ts'
import { fullNameOf, fullNameOfInsert, idOf } from '../writing/names.ts'
import type { Writer } from '../writing/writer.ts'
import { displayName, type Companies } from './companies.ts'
import type { AskSupport } from './field-support.ts'
import type { HandlersOf } from './handlers.ts'
import type { Announcer, Clock, SettingsStore } from './ports.ts'
import { readPages } from './record-pages.ts'

/** So many records are sent without asking first whether the company answers: the send itself tells. */
const FEW = 20

export interface RecordsOptions {
  readonly client: ServiceClient
  readonly scheduler: Scheduler
  readonly rows: Rows
  readonly drafts: DraftStore
  readonly writer: Writer
  readonly companies: Pick<Companies, 'known' | 'beforeLong'>
  readonly support: AskSupport
  readonly announcer: Announcer
  readonly settings: SettingsStore
  readonly clock: Clock
}

/** A read that goes on. */
interface Reading {
  isStopped: boolean
  entryId: string | null
}

export function createRecords(options: RecordsOptions): HandlersOf<'records'> {
  const { client, scheduler, rows, writer, companies, announcer, clock } = options
  const readings = new Map<string, Reading>()
  /** The sets that are held of each list, until they are closed. */
  const heldSets = new Map<string, string>()

  const request = (company: StoredCompany, what: string): TurnRequest => ({
    connectionId: company.ref.connectionId,
    company: company.ref,
    companyName: displayName(company),
    what,
    isWrite: false,
    priority: 'person',
    batchId: '',
  })

  const readSet = async (
    company: StoredCompany,
    object: string,
    filter: RecordsFilter,
    reading: Reading,
  ): Promise<Result<RecordSet>> => {
    const setId = await rows.openSet()
    const readAt = new Date(clock.now()).toISOString()
    const read = await readPages({
      rows,
      setId,
      endpointId: company.ref.endpointId,
      object,
      application: company.application,
      query: { ids: filter.ids, modTimeStart: filter.modifiedFrom, modTimeEnd: filter.modifiedTo },
      mostMebibytes: options.settings.get().answerMebibytes,
      ask: (operation) =>
        client.read(request(company, `Reading ${plural(object)}`), operation, {
          onEntry: (entryId) => {
            reading.entryId = entryId
          },
        }),
      isStopped: () => reading.isStopped,
      onPage: (pages, count) => {
        announcer.emit('records.progress', { company: company.ref, object, records: count, pages, bytes: 0 })
      },
    })
    if (!read.ok) {
      await rows.closeSet(setId)
      return read
    }
    const shape = await rows.shape(setId)
    if (!shape.ok) return shape
    heldSets.set(setId, readingName(company.ref, object))
    return ok({
      setId,
      company: company.ref,
      object,
      filter,
      count: read.value.count,
      fields: shape.value,
      readAt,
      isWhole: read.value.partialBecause === '',
      partialBecause: read.value.partialBecause,
      pages: read.value.pages,
      problems: read.value.problems,
      requestIds: read.value.requestIds,
    })
  }

  /**
   * The records that have a new one's full name already, as far as the lists that are held tell: another's record of
   * that name is not to be taken for ours when the answer is lost.
   */
  const namesakesOf = async (
    company: CompanyRef,
    object: string,
    draftIds: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>> => {
    const drafts = options.drafts.get(company, draftIds)
    const inserts = drafts.ok ? drafts.value.filter(({ kind }) => kind === 'insert') : []
    const names = inserts.map(({ edits }) => fullNameOfInsert(edits)).filter((name) => name !== '')
    const found = new Map<string, readonly string[]>()
    if (names.length === 0) return found
    for (const [setId, name] of heldSets) {
      if (name !== readingName(company, object)) continue
      // A set that is gone meanwhile tells nothing.
      const records = await rows.find(setId, { marks: [], names })
      for (const record of records.ok ? records.value : []) {
        const key = nameKey(fullNameOf(record))
        if (idOf(record) !== '') found.set(key, [...(found.get(key) ?? []), idOf(record)])
      }
    }
    return found
  }

  const stop = (name: string): void => {
    const reading = readings.get(name)
    if (reading === undefined) return
    reading.isStopped = true
    if (reading.entryId !== null) scheduler.stop(reading.entryId)
  }

  return {
    'records.open': async ({ company, object, filter }) => {
      const found = companies.known(company)
      if (!found.ok) return found
      const name = readingName(company, object)
      // Asked for anew, as by a window that was loaded again: nobody waits for the first answer any more.
      stop(name)
      const reading: Reading = { isStopped: false, entryId: null }
      readings.set(name, reading)
      try {
        return await readSet(found.value, object, filter, reading)
      } finally {
        if (readings.get(name) === reading) readings.delete(name)
      }
    },

    'records.stop': ({ company, object }) => {
      stop(readingName(company, object))
      return ok({})
    },

    'records.rows': ({ setId, from, count }) => rows.chunk(setId, from, count),

    'records.close': async ({ setId }) => {
      heldSets.delete(setId)
      await rows.closeSet(setId)
      return ok({})
    },

    'records.support': async ({ company, object }): Promise<Result<FieldSupport>> => {
      const found = companies.known(company)
      if (!found.ok) return found
      const supported = await options.support(found.value, object)
      return ok(
        supported.ok
          ? { supported: supported.value, error: null }
          : { supported: null, error: supported.error },
      )
    },

    'records.drafts': ({ company, object }) => writer.drafts(company, object),

    'records.saveDraft': (draft) => {
      const saved = options.drafts.save({ ...draft, changedAt: new Date(clock.now()).toISOString() })
      if (!saved.ok) return saved
      announcer.emit('companies.changed', { connectionId: draft.company.connectionId })
      if (saved.value === null) return ok({ draft: null })
      const { operationId: _sentAs, ...plain } = saved.value
      return ok({ draft: { ...plain, operation: null } })
    },

    'records.discardDrafts': ({ company, draftIds }) => {
      const discarded = options.drafts.discard(company, draftIds)
      if (!discarded.ok) return discarded
      announcer.emit('companies.changed', { connectionId: company.connectionId })
    'records.saveDrafts': ({ company, object, drafts }) => {
      const changedAt = new Date(clock.now()).toISOString()
      const saved = options.drafts.saveAll(drafts.map((draft) => ({ ...draft, company, object, changedAt })))
      if (!saved.ok) return saved
      announcer.emit('companies.changed', { connectionId: company.connectionId })
      return ok({ refused: saved.value })
    },

      return ok({})
    },

    'records.send': async ({ company, object, draftIds }) => {
      const found = companies.known(company)
      if (!found.ok) return found
      const supported = await options.support(found.value, object)
      if (!supported.ok) return supported
      if (draftIds.length > FEW) {
        // What is sent to a silent company ends as not confirmed, batch after batch.
        const reachable = await companies.beforeLong(company)
        if (!reachable.ok) return reachable
      }
      const namesakes = await namesakesOf(company, object, draftIds)
      return writer.send(company, object, draftIds, { supported: supported.value, namesakes })
    },

    'records.batches': ({ company, object }) => writer.batches(company, object),
    'records.stopBatch': ({ batchId }) => writer.stopBatch(batchId),
    'records.resumeBatch': ({ batchId }) => writer.resumeBatch(batchId),

    'records.checkNow': async ({ company, operationIds }) => {
      const checked = await writer.checkNow(company, operationIds)
      return checked.ok ? ok({}) : checked
    },

    'records.decide': ({ operationId, decision }) => {
      const decided = writer.decide(operationId, decision)
      return decided.ok ? ok({}) : decided
    },

    'records.history': ({ company, object, recordId, limit }) =>
      writer.history(company, object, recordId, limit),
  }
}

function readingName(company: CompanyRef, object: string): string {
  return JSON.stringify([company.connectionId, company.endpointId, object])
}

function plural(object: string): string {
  return objectDefinition(object)?.plural ?? `${object} records`
}
