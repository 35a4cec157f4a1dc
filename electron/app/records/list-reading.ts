/**
 * Reads lists into the rows worker: those that the window shows and, below, those that the write protocol reads back. The
 * window's lists have one read at a time each, which reports progress and can be stopped. The worker keeps the records
 * until the list is closed.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ChangedSet, RecordSet, RecordsFilter } from '../../../shared/contract/records.ts'
import { type JsonType, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { recordNoun } from '../../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, throttle, timestamp } from '../../clock.ts'
import type { RecordSets } from '../../rows/rows.ts'
import { translateReadErrors } from '../../service/errors/service-errors.ts'
import { parseJsonText } from '../../service/protocol/envelope.ts'
import type { ServiceClient, SlotRequest, Wire } from '../../service/protocol/wire.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Baseline } from '../../store/journal/journal.ts'
import type {
  CompanyDirectory,
  FindInList,
  FoundById,
  FoundInList,
  RecordReader,
} from '../../writing/context.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { KeptList, KeptLists } from './kept-lists.ts'
import { formatProgress, type PagesProgress, type PagesQuery, type PagesRead, readPages } from './pages.ts'

export interface ListReadingOptions {
  readonly client: ServiceClient
  readonly scheduler: Scheduler
  readonly rows: RecordSets
  readonly companies: Pick<Companies, 'withProbe'>
  readonly announcer: Announcer
  readonly settings: SettingsStore
  readonly keptLists: KeptLists
  /** See `OperationStore`. */
  readonly savesMark: () => string
  readonly clock: Clock
}

export interface ListReading {
  /** Reads a list into a set. Abandons an earlier read of the same list. */
  open(company: StoredCompany, object: string, filter: RecordsFilter): Promise<Result<RecordSet>>
  /**
   * Opens the copy of a list that is kept on this computer, if there is one. It doesn't count as a baseline or for names:
   * it says nothing about what others added since.
   */
  openKept(company: CompanyRef, object: string): Promise<KeptList | null>
  /**
   * Reads a whole list in the background, to keep a copy of it. Waits behind whatever a user waits for, and tells the
   * window nothing: a list that is shown stays as it is.
   */
  readToKeep(company: StoredCompany, object: string, options: BackgroundRead): Promise<Result<KeptRead>>
  /** Whether a list is being read. */
  isReading(company: CompanyRef, object: string): boolean
  /** Stops the read of a list, and keeps what was received as an incomplete list. */
  stop(company: CompanyRef, object: string): void
  /** Merges a newer set of the same list into an open one. */
  merge(setId: string, newerId: string): Promise<Result<ChangedSet>>
  close(setId: string): Promise<void>
  /** The IDs of a list, if it was read completely and is open; otherwise `null`. */
  baseline(company: CompanyRef, object: string): Promise<Baseline | null>
  /** Records with these names in the open sets of a list. */
  named(company: CompanyRef, object: string, names: readonly string[]): Promise<readonly RecordData[]>
  /** JSON types by path, from the set that was read last; `null` if none is open. */
  types(company: CompanyRef, object: string): Promise<ReadonlyMap<string, JsonType> | null>
}

/** Milliseconds between progress events. */
const TELL_EVERY = 150

interface Told {
  readonly wire: Wire
  readonly progress: PagesProgress
}

/** A read that no one waits for. */
export interface BackgroundRead {
  /** Activity shows its requests together. */
  readonly batchId: string
  readonly onEntry: (entryId: string) => void
  readonly isStopped: () => boolean
  /** `KeptLists.deletions` when it was requested. */
  readonly since: number
  /** Awaited when the list was read whole, before its copy is written. */
  readonly beforeKeeping: () => Promise<unknown>
}

export interface KeptRead {
  readonly count: number
  /** Why nothing was kept; empty if it was. */
  readonly reason: string
}

/** A running read. */
interface Reading {
  isStopped: boolean
  entryId: string | null
}

export function createListReading(options: ListReadingOptions): ListReading {
  const { client, scheduler, rows, companies, announcer, keptLists, clock } = options
  const readings = new Map<string, Reading>()
  /** The list of each open set. `version` counts merges. */
  const heldSets = new Map<
    string,
    {
      readonly name: string
      readonly set: RecordSet
      readonly isWhole: boolean
      readonly isKept: boolean
      readonly version: number
    }
  >()

  const read = async (
    company: StoredCompany,
    object: string,
    filter: RecordsFilter,
    reading: Reading,
  ): Promise<Result<RecordSet>> => {
    const [readAt, savesMark, since] = [timestamp(clock), options.savesMark(), keptLists.deletions]
    const isOver = (): boolean => readings.get(companyKey(company.ref, object)) !== reading
    const tell = throttle<Told>(clock, TELL_EVERY, ({ wire, progress: { setId, pages, count } }) => {
      if (isOver()) return
      wire.progress(formatProgress(pages, count))
      void rows.shape(setId).then((shape) => {
        // The set was closed in the meantime.
        if (!shape.ok || isOver()) return
        const progress = { records: count, pages, setId, fields: shape.value }
        announcer.emit('records.progress', { company: company.ref, object, ...progress })
      })
    })
    const pages = await readPages({
      rows,
      endpointId: company.ref.endpointId,
      object,
      application: company.application,
      query: { ids: filter.ids, modTimeStart: filter.modifiedFrom, modTimeEnd: filter.modifiedTo },
      mostMebibytes: options.settings.get().responseMebibytes,
      ask: (operation) =>
        client.read(
          requestOf(company, object),
          companies.withProbe(company.ref, object, isWholeList(filter) ? 'quiet' : 'silent', operation),
          {
            onEntry: (entryId) => {
              reading.entryId = entryId
            },
          },
        ),
      isStopped: () => reading.isStopped,
      tellsEarly: true,
      onProgress: (wire, progress) => tell({ wire, progress }),
    })
    if (!pages.ok) return pages
    const { setId, count, gone, hasMoved, requestIds } = pages.value
    const goneProblem =
      gone.length === 0
        ? null
        : translateReadErrors(company.application, gone, requestIds.at(-1) ?? '', 200, 'record')
    if (goneProblem !== null && count === 0) {
      await rows.closeSet(setId)
      return err(goneProblem)
    }
    const partialReason =
      pages.value.partialReason || (goneProblem?.message ?? '') || (hasMoved ? LIST_CHANGED : '')
    const shape = await rows.shape(setId)
    if (!shape.ok) return shape
    const set: RecordSet = {
      setId,
      company: company.ref,
      object,
      filter,
      count,
      fields: shape.value,
      readAt,
      savesMark,
      endedAt: timestamp(clock),
      isWhole: partialReason === '',
      partialReason,
      pages: pages.value.pages,
      problems: [...pages.value.problems, ...(goneProblem === null ? [] : [goneProblem])],
      requestIds,
    }
    const isWhole = isWholeList(filter) && partialReason === ''
    heldSets.set(setId, { name: companyKey(company.ref, object), set, isWhole, isKept: false, version: 0 })
    if (isWhole) keptLists.keep(set, since)
    return ok(set)
  }

  const stop = (name: string): void => {
    const reading = readings.get(name)
    if (reading === undefined) return
    reading.isStopped = true
    if (reading.entryId !== null) scheduler.stop(reading.entryId)
  }

  return {
    async open(company, object, filter) {
      const name = companyKey(company.ref, object)
      // For example, the window was reloaded. No one waits for the first response anymore.
      stop(name)
      const reading: Reading = { isStopped: false, entryId: null }
      readings.set(name, reading)
      try {
        return await read(company, object, filter, reading)
      } finally {
        if (readings.get(name) === reading) readings.delete(name)
      }
    },

    async openKept(company, object) {
      const kept = await keptLists.open(company, object)
      if (kept === null) return null
      const { set } = kept
      heldSets.set(set.setId, {
        name: companyKey(company, object),
        set,
        isWhole: false,
        isKept: true,
        version: 0,
      })
      return kept
    },

    async readToKeep(company, object, { batchId, onEntry, isStopped, since, beforeKeeping }) {
      const [readAt, savesMark] = [timestamp(clock), options.savesMark()]
      const pages = await readPages({
        rows,
        endpointId: company.ref.endpointId,
        object,
        application: company.application,
        query: EVERYTHING,
        mostMebibytes: options.settings.get().responseMebibytes,
        ask: (operation) =>
          client.read(
            { ...requestOf(company, object), priority: 'batch', batchId },
            companies.withProbe(company.ref, object, 'quiet', operation),
            { onEntry },
          ),
        isStopped,
        tellsEarly: false,
        onProgress: (wire, { pages: read, count }) => {
          wire.progress(formatProgress(read, count))
        },
      })
      if (!pages.ok) return pages
      const { setId, count, partialReason, hasMoved, problems, requestIds } = pages.value
      try {
        const shape = await rows.shape(setId)
        if (!shape.ok) return shape
        if (partialReason !== '' || hasMoved) return ok({ count, reason: partialReason || LIST_CHANGED })
        const set: RecordSet = {
          setId,
          company: company.ref,
          object,
          filter: { ids: [], modifiedFrom: null, modifiedTo: null },
          count,
          fields: shape.value,
          readAt,
          savesMark,
          endedAt: timestamp(clock),
          isWhole: true,
          partialReason: '',
          pages: pages.value.pages,
          problems,
          requestIds,
        }
        await beforeKeeping()
        keptLists.keep(set, since, 0)
        const isKept = await keptLists.settled(setId)
        return isKept ? ok({ count, reason: '' }) : err(NOT_KEPT)
      } finally {
        await rows.closeSet(setId)
      }
    },

    isReading: (company, object) => readings.has(companyKey(company, object)),

    stop(company, object) {
      stop(companyKey(company, object))
    },

    async merge(setId, newerId) {
      const [list, changed] = [heldSets.get(setId)?.set, heldSets.get(newerId)?.set]
      if (list !== undefined && changed !== undefined) await keptLists.keepChanges(list, changed)
      const merged = await rows.merge(setId, newerId)
      if (!merged.ok) return merged
      heldSets.delete(newerId)
      const held = heldSets.get(setId)
      if (held !== undefined) heldSets.set(setId, { ...held, version: held.version + 1 })
      const shape = await rows.shape(setId)
      return shape.ok ? ok({ count: merged.value, fields: shape.value }) : shape
    },

    async close(setId) {
      heldSets.delete(setId)
      await keptLists.settled(setId)
      await rows.closeSet(setId)
    },

    async baseline(company, object) {
      for (const [setId, { name, isWhole, version }] of [...heldSets].toReversed()) {
        if (!isWhole || name !== companyKey(company, object)) continue
        const records = await rows.fingerprints(setId)
        if (records.ok) return { baselineId: `${setId}.${version}`, records: records.value }
      }
      return null
    },

    async named(company, object, names) {
      const records: RecordData[] = []
      for (const [setId, { name, isKept }] of heldSets) {
        if (isKept || name !== companyKey(company, object)) continue
        // The set may have been closed in the meantime.
        const found = await rows.find(setId, { externalIds: [], names })
        if (found.ok) records.push(...found.value)
        else heldSets.delete(setId)
      }
      return records
    },

    async types(company, object) {
      for (const [setId, { name }] of [...heldSets].toReversed()) {
        const types = name === companyKey(company, object) ? await rows.types(setId) : null
        if (types?.ok) return types.value
      }
      return null
    },
  }
}

const NOT_KEPT = appError(
  'store',
  'The list was read, but no copy could be kept on this computer.',
  'Check that the keychain is unlocked and that the disk has space, then read it again.',
)
const LIST_CHANGED = 'The list changed while it was read.'

function requestOf(company: StoredCompany, object: string): SlotRequest {
  const { plural } = recordNoun(object)
  return {
    connectionId: company.ref.connectionId,
    company: company.ref,
    companyName: displayName(company),
    what: `Reading ${plural === 'records' ? `${object} records` : plural}`,
    isWrite: false,
    priority: 'interactive',
    batchId: '',
    reads: 'list',
  }
}

/** Reads by ID or by time are small. */
function isWholeList({ ids, modifiedFrom, modifiedTo }: RecordsFilter): boolean {
  return ids.length === 0 && modifiedFrom === null && modifiedTo === null
}

/*
 * Reads records back for the write protocol, in a slot that the caller holds.
 */

const EVERYTHING: PagesQuery = { ids: [], modTimeStart: null, modTimeEnd: null }

interface SetToRead {
  readonly wire: Wire
  readonly company: CompanyRef
  readonly object: string
  readonly query: PagesQuery
  /** Not for a few records by ID, which are part of a larger step with its own progress. */
  readonly tellsProgress: boolean
}

export function createRecordReader(
  rows: RecordSets,
  directory: CompanyDirectory,
  settings: SettingsStore,
): RecordReader {
  /** Reads into a new set, and always closes it. */
  const withSet = async <T>(
    { wire, company, object, query, tellsProgress }: SetToRead,
    use: (setId: string, read: PagesRead) => Promise<Result<T>>,
  ): Promise<Result<T>> => {
    const read = await readPages({
      rows,
      endpointId: company.endpointId,
      object,
      application: directory.facts(company)?.application ?? '',
      query,
      mostMebibytes: settings.get().responseMebibytes,
      ask: (operation) => operation(wire),
      isStopped: wire.isStopped,
      tellsEarly: false,
      onProgress(_wire, { pages, count }) {
        if (tellsProgress) wire.progress(formatProgress(pages, count))
      },
    })
    if (!read.ok) return read
    try {
      return await use(read.value.setId, read.value)
    } finally {
      await rows.closeSet(read.value.setId)
    }
  }

  const readTogether: RecordReader['byIds'] = (wire, company, object, ids) =>
    withSet<FoundById>(
      { wire, company, object, query: { ...EVERYTHING, ids }, tellsProgress: false },
      async (setId, read) => {
        const found = await rows.byIds(setId, ids)
        if (!found.ok) return found
        const records = new Map<string, RecordData>()
        const texts = new Map<string, string>()
        const shared = new Set<string>()
        for (const text of found.value) {
          const record = recordOf(text)
          const id = textOf(record['ID'])
          if (records.has(id)) shared.add(id)
          records.set(id, record)
          texts.set(id, text)
        }
        // Several records with one ID can't be told apart, so nothing is known about them, and nothing is sent.
        for (const id of shared) records.delete(id)
        // An ID with only an error beside it says nothing about the record.
        const bare = read.recordErrors.filter(({ isBare }) => isBare)
        for (const { recordId } of bare) records.delete(recordId)
        const { gone, requestIds } = read
        const refused = [...read.refused, ...bare.flatMap(({ errors }) => errors)]
        const partialReason = read.partialReason || sharedIdMessage([...shared])
        return ok({ records, texts, refused, gone, requestIds, partialReason })
      },
    )

  /**
   * A service may honor only one of several `id` parameters, so a record that is missing among others is asked for alone
   * before its absence means anything.
   */
  const byIds: RecordReader['byIds'] = async (wire, company, object, ids) => {
    const together = await readTogether(wire, company, object, ids)
    if (!together.ok || ids.length < 2 || together.value.partialReason !== '') return together
    const missing = ids.filter((id) => !together.value.records.has(id))
    if (missing.length <= together.value.gone.length) return together
    let found = together.value
    for (const id of missing) {
      const alone = await readTogether(wire, company, object, [id])
      if (!alone.ok) return ok({ ...found, partialReason: alone.error.message })
      found = merged(found, alone.value)
    }
    return ok(found)
  }

  return {
    byIds,

    fingerprintsOfWholeList: (wire, company, object) =>
      withSet({ wire, company, object, query: EVERYTHING, tellsProgress: true }, async (setId, read) =>
        isWhole(read) ? rows.fingerprints(setId) : ok(null),
      ),

    inWholeList: (wire, company, object, wanted) =>
      withSet<FoundInList>(
        { wire, company, object, query: EVERYTHING, tellsProgress: true },
        async (setId, read) => {
          const found = await findInSet(rows, setId)(wanted)
          if (!found.ok) return found
          return ok({ isWhole: isWhole(read), ...found.value, count: read.count })
        },
      ),
  }
}

function merged(one: FoundById, other: FoundById): FoundById {
  return {
    records: new Map([...one.records, ...other.records]),
    texts: new Map([...one.texts, ...other.texts]),
    refused: [...one.refused, ...other.refused],
    gone: [...one.gone, ...other.gone],
    requestIds: [...one.requestIds, ...other.requestIds],
    partialReason: one.partialReason || other.partialReason,
  }
}

/** Whether a record that was not read is certainly not in the list. */
function isWhole({ partialReason, recordErrors, hasMoved }: PagesRead): boolean {
  return partialReason === '' && recordErrors.length === 0 && !hasMoved
}

/** Finds records in an open set. */
export function findInSet(rows: RecordSets, setId: string): FindInList {
  return async (wanted) => {
    const candidates = await rows.find(setId, wanted)
    if (!candidates.ok) return candidates
    const named = await rows.byIds(setId, wanted.ids)
    if (!named.ok) return named
    const known = new Set(candidates.value.map((record) => textOf(record['ID'])))
    const others = named.value.map(recordOf).filter((record) => !known.has(textOf(record['ID'])))
    const newRecords = new Map<string, readonly RecordData[]>()
    for (const [batchId, baseline] of wanted.baselines) {
      const added = await rows.newRecords(setId, baseline)
      if (!added.ok) return added
      newRecords.set(batchId, added.value)
    }
    return ok({ candidates: [...candidates.value, ...others], newRecords })
  }
}

/** Parses a record whose JSON was checked when it arrived. Numbers become text. */
export function recordOf(text: string): RecordData {
  const parsed = parseJsonText(text)
  return parsed.ok ? (parsed.value as RecordData) : {}
}

function sharedIdMessage([id]: readonly string[]): string {
  return id === undefined ? '' : `Several records have the ID ${id}, so they can’t be told apart.`
}
