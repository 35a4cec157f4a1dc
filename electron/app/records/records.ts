/** Records: reading a list, supported fields, drafts, sending, and outcomes. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { FieldSupport } from '../../../shared/contract/records.ts'
import { type JsonType, topField } from '../../../shared/records/changes.ts'
import { isDescribed } from '../../../shared/records/definition.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { type AppError, appError, err, ok, type Result } from '../../../shared/result.ts'
import { timestamp } from '../../clock.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { DraftStore } from '../../store/drafts.ts'
import type { Baseline } from '../../store/journal/journal.ts'
import { fullNameOf, fullNameOfInsert, idOf } from '../../writing/records/recognition.ts'
import type { Writer } from '../../writing/writer.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { GetSupportedFields, SupportedFields } from './field-support.ts'
import { type ListReading, type ListReadingOptions, WHOLE_LIST } from './list-reading.ts'
import { findInSet } from './record-reader.ts'

/** Batches up to this size are sent without testing the company first. */
const FEW = 20

export interface RecordsOptions extends Pick<
  ListReadingOptions,
  'rows' | 'announcer' | 'settings' | 'keptLists' | 'clock'
> {
  readonly reading: ListReading
  readonly drafts: DraftStore
  readonly writer: Writer
  readonly companies: Pick<Companies, 'find' | 'probe' | 'withProbe'>
  readonly support: GetSupportedFields
  /** The types of the values in a kept list, by path; `null` if it isn't kept. */
  readonly keptTypes: (company: CompanyRef, object: string) => Promise<ReadonlyMap<string, JsonType> | null>
}

const LIST_FIRST = appError(
  'invalid-input',
  'Bookbridge doesn’t know yet which fields of this list are numbers.',
  'Nothing was sent. Wait until the records are loaded, then send.',
)

/** The error of a step before anything is sent. */
function stillDrafts(error: AppError): AppError {
  const advice = error.advice.replace(/^Nothing was sent\. /, '')
  return { ...error, advice: `Nothing was sent, and your changes stay drafts. ${advice}`.trimEnd() }
}

export function createRecords(options: RecordsOptions): HandlersOf<'records'> {
  const { rows, reading, writer, companies, announcer, clock } = options

  /**
   * What open lists say before inserts are sent: records that already have a new one's full name, and all IDs. If an
   * answer is lost, none of these is mistaken for the new record.
   */
  const before = async (
    company: CompanyRef,
    object: string,
    draftIds: readonly string[],
  ): Promise<{ namesakes: ReadonlyMap<string, readonly string[]>; baseline: Baseline | null }> => {
    const drafts = options.drafts.get(company, draftIds)
    const inserts = drafts.filter(({ kind }) => kind === 'insert')
    const namesakes = new Map<string, readonly string[]>()
    if (inserts.length === 0) return { namesakes, baseline: null }
    const names = inserts.map(({ edits }) => fullNameOfInsert(edits)).filter((name) => name !== '')
    for (const record of await reading.named(company, object, names)) {
      const key = nameKey(fullNameOf(record))
      if (idOf(record) !== '') namesakes.set(key, [...(namesakes.get(key) ?? []), idOf(record)])
    }
    return { namesakes, baseline: await reading.baseline(company, object) }
  }

  /**
   * Finds the types of fields that the definition doesn't describe: from the records of an open list or of its copy,
   * then from metadata. Reads the list if it isn't open, which its first insert would require anyway.
   */
  const withTypes = async <T>(
    company: StoredCompany,
    object: string,
    draftIds: readonly string[],
    { paths, types: shown }: SupportedFields,
    use: (types: ReadonlyMap<string, JsonType>) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const read = await reading.types(company.ref, object)
    if (read !== null) return use(new Map([...shown, ...read]))
    const drafts = options.drafts.get(company.ref, draftIds)
    const isUndescribed = drafts.some(({ edits }) =>
      edits.some(({ path }) => !isDescribed(object, topField(path))),
    )
    const kept = isUndescribed ? await options.keptTypes(company.ref, object) : null
    if (kept !== null) return use(new Map([...shown, ...kept]))
    const inserts = drafts.filter(({ kind }) => kind === 'insert')
    const isUnlisted = inserts.some(({ edits }) =>
      edits.some(
        ({ path }) => !isDescribed(object, topField(path)) && paths.includes(path) && !shown.has(path),
      ),
    )
    if (!isUnlisted) return use(shown)
    if (reading.isReading(company.ref, object)) return err(LIST_FIRST)
    const opened = await reading.open(company, object, WHOLE_LIST)
    if (!opened.ok) return opened
    try {
      const types = await reading.types(company.ref, object)
      return await use(new Map([...shown, ...(types ?? [])]))
    } finally {
      await reading.close(opened.value.setId)
    }
  }

  return {
    'records.open': async ({ company, object, filter }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const opened = await reading.open(found.value, object, filter)
      if (opened.ok) void writer.noticeDuplicates(company, object, findInSet(rows, opened.value.setId))
      return opened
    },

    'records.openKept': async ({ company, object }) => {
      const kept = await reading.openKept(company, object)
      if (kept === null) return ok(null)
      const savedSince = writer.savedSince(company, object, (kept.updated ?? kept.set).savesMark)
      if (savedSince !== null) return ok({ ...kept, savedSince })
      await reading.close(kept.set.setId)
      return ok(null)
    },

    'records.keptSize': async () => ok({ bytes: await options.keptLists.size() }),

    'records.stop': ({ company, object }) => {
      reading.stop(company, object)
      return ok({})
    },

    'records.merge': ({ setId, newerId }) => reading.merge(setId, newerId),

    'records.rows': ({ setId, from, count }) => rows.chunk(setId, from, count),

    'records.close': async ({ setId }) => {
      await reading.close(setId)
      return ok({})
    },

    'records.support': async ({ company, object, ...asked }): Promise<Result<FieldSupport>> => {
      const found = companies.find(company)
      if (!found.ok) return found
      const supported = await options.support(found.value, object, asked)
      if (supported.ok && asked.applications === undefined)
        options.keptLists.noteSupport(company, object, supported.value.paths)
      return ok(
        supported.ok
          ? { supported: supported.value.paths, error: null }
          : { supported: null, error: supported.error },
      )
    },

    'records.drafts': ({ company, object }) => ok(writer.drafts(company, object)),

    'records.saveDrafts': ({ company, object, drafts }) => {
      const changedAt = timestamp(clock)
      const saved = options.drafts.saveAll(drafts.map((draft) => ({ ...draft, company, object, changedAt })))
      announcer.emit('companies.changed', { connectionId: company.connectionId })
      return ok({ refused: saved })
    },

    'records.discardDrafts': ({ company, draftIds }) => {
      options.drafts.discard(company, draftIds)
      announcer.emit('companies.changed', { connectionId: company.connectionId })
      return ok({})
    },

    'records.send': async ({ company, object, draftIds, evenIfStale = false }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const supported = await options.support(found.value, object)
      if (!supported.ok) return err(stillDrafts(supported.error))
      if (draftIds.length > FEW) {
        // What is sent to a silent company ends as not confirmed.
        const reachable = await companies.probe(company, object)
        if (!reachable.ok) return err(stillDrafts(reachable.error))
      }
      return withTypes(found.value, object, draftIds, supported.value, async (types) => {
        const known = await before(company, object, draftIds)
        return writer.send(company, object, draftIds, {
          supported: supported.value.paths,
          types,
          ...known,
          evenIfStale,
        })
      })
    },

    'records.batches': ({ company, object }) => ok(writer.batches(company, object)),
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
  }
}
