/**
 * Reads lists into the rows worker, which keeps the records until the list is closed. Each list has one read at a time,
 * which reports progress and can be stopped.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { ChangedSet, OpenedSet, RecordsFilter } from '../../../shared/contract/records.ts'
import type { JsonType, RecordData } from '../../../shared/records/changes.ts'
import { recordNoun } from '../../../shared/records/definition.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { type Clock, throttle, timestamp } from '../../clock.ts'
import type { RecordSets } from '../../rows/rows.ts'
import { translateReadErrors } from '../../service/errors/service-errors.ts'
import type { ServiceClient, SlotRequest, Wire } from '../../service/protocol/wire.ts'
import type { Scheduler } from '../../service/queue/scheduler.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { Baseline } from '../../store/journal/journal.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, SettingsStore } from '../ports.ts'
import type { KeptList, KeptLists } from './kept-lists.ts'
import { formatProgress, type PagesOptions, type PagesProgress, type PagesRead, readPages } from './pages.ts'

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

/** Milliseconds between progress events. */
const EVENT_INTERVAL = 150

interface ReadingProgress {
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
  /** Awaited when the list was read completely, before its copy is written. */
  readonly beforeKeeping: () => Promise<unknown>
}

export interface KeptRead {
  readonly count: number
  /** Why nothing was kept; empty if it was. */
  readonly reason: string
}

/** How the pages of a list are read. */
interface PagesReading extends Pick<PagesOptions, 'isStopped' | 'tellsEarly' | 'onProgress'> {
  readonly request: SlotRequest
  readonly onEntry: (entryId: string) => void
}

/** A running read. */
interface Reading {
  isStopped: boolean
  entryId: string | null
}

/** A list in the rows worker. */
interface OpenSet {
  /** `companyKey` of its list. */
  readonly name: string
  readonly set: OpenedSet
  readonly isWhole: boolean
  readonly isKept: boolean
  /** How many newer sets were merged into it. */
  readonly version: number
}

/** The reads of lists, and the lists that are open. */
export class ListReading {
  readonly #options: ListReadingOptions
  /** The running reads, by list. */
  readonly #readings = new Map<string, Reading>()
  /** By set ID. */
  readonly #openSets = new Map<string, OpenSet>()

  constructor(options: ListReadingOptions) {
    this.#options = options
  }

  /** Reads a list into a set. Abandons an earlier read of the same list. */
  async open(company: StoredCompany, object: string, filter: RecordsFilter): Promise<Result<OpenedSet>> {
    const name = companyKey(company.ref, object)
    // For example, the window was reloaded. No one waits for the first response anymore.
    this.#stop(name)
    const reading: Reading = { isStopped: false, entryId: null }
    this.#readings.set(name, reading)
    try {
      return await this.#read(company, object, filter, reading)
    } finally {
      if (this.#readings.get(name) === reading) this.#readings.delete(name)
    }
  }

  /**
   * Opens the kept copy of a list, if there is one. It isn't used as a baseline or to look up names, because it doesn't
   * show what others added since.
   */
  async openKept(company: CompanyRef, object: string): Promise<KeptList | null> {
    const kept = await this.#options.keptLists.open(company, object)
    if (kept === null) return null
    const { set } = kept
    this.#openSets.set(set.setId, {
      name: companyKey(company, object),
      set,
      isWhole: false,
      isKept: true,
      version: 0,
    })
    return kept
  }

  /**
   * Reads a whole list in the background, to keep a copy of it. Waits behind whatever a user waits for, and tells the
   * window nothing: a list that is shown stays as it is.
   */
  async readToKeep(
    company: StoredCompany,
    object: string,
    options: BackgroundRead,
  ): Promise<Result<KeptRead>> {
    const { batchId, onEntry, isStopped, since, beforeKeeping } = options
    const { rows, keptLists, clock } = this.#options
    const [readAt, savesMark] = [timestamp(clock), this.#options.savesMark()]
    const pages = await this.#pagesOf(company, object, WHOLE_LIST, {
      request: { ...requestOf(company, object), priority: 'batch', batchId },
      onEntry,
      isStopped,
      tellsEarly: false,
      onProgress: (wire, { pages: read, count }) => {
        wire.progress(formatProgress(read, count))
      },
    })
    if (!pages.ok) return pages
    const { setId, count, partialReason, hasMoved } = pages.value
    try {
      const set = await this.#recordSet(
        pages.value,
        { company: company.ref, object, filter: WHOLE_LIST, readAt, savesMark },
        partialReason || (hasMoved ? LIST_CHANGED : ''),
      )
      if (!set.ok) return set
      if (!set.value.isWhole) return ok({ count, reason: set.value.partialReason })
      await beforeKeeping()
      keptLists.keep(set.value, since, 0)
      const isKept = await keptLists.settled(setId)
      return isKept ? ok({ count, reason: '' }) : err(NOT_KEPT)
    } finally {
      await rows.closeSet(setId)
    }
  }

  /** Whether a list is being read. */
  isReading(company: CompanyRef, object: string): boolean {
    return this.#readings.has(companyKey(company, object))
  }

  /** Stops the read of a list, and keeps what was received as an incomplete list. */
  stop(company: CompanyRef, object: string): void {
    this.#stop(companyKey(company, object))
  }

  /** Merges a newer set of the same list into an open one. */
  async merge(setId: string, newerId: string): Promise<Result<ChangedSet>> {
    const { rows, keptLists } = this.#options
    const [list, changed] = [this.#openSets.get(setId)?.set, this.#openSets.get(newerId)?.set]
    if (list !== undefined && changed !== undefined) await keptLists.keepChanges(list, changed)
    const merged = await rows.merge(setId, newerId)
    if (!merged.ok) return merged
    this.#openSets.delete(newerId)
    const held = this.#openSets.get(setId)
    if (held !== undefined) this.#openSets.set(setId, { ...held, version: held.version + 1 })
    const shape = await rows.shape(setId)
    return shape.ok ? ok({ count: merged.value, fields: shape.value }) : shape
  }

  async close(setId: string): Promise<void> {
    const { rows, keptLists } = this.#options
    this.#openSets.delete(setId)
    await keptLists.settled(setId)
    await rows.closeSet(setId)
  }

  /** The IDs of a list, if it was read completely and is open; otherwise `null`. */
  async baseline(company: CompanyRef, object: string): Promise<Baseline | null> {
    for (const [setId, { name, isWhole, version }] of [...this.#openSets].toReversed()) {
      if (!isWhole || name !== companyKey(company, object)) continue
      const records = await this.#options.rows.fingerprints(setId)
      if (records.ok) return { baselineId: `${setId}.${version}`, records: records.value }
    }
    return null
  }

  /** Records with these names in the open sets of a list. */
  async named(company: CompanyRef, object: string, names: readonly string[]): Promise<readonly RecordData[]> {
    const { rows } = this.#options
    const records: RecordData[] = []
    for (const [setId, { name, isKept }] of this.#openSets) {
      if (isKept || name !== companyKey(company, object)) continue
      // The set may have been closed in the meantime.
      const found = await rows.find(setId, { externalIds: [], names })
      if (found.ok) records.push(...found.value)
      else this.#openSets.delete(setId)
    }
    return records
  }

  /** JSON types by path, from the set that was read last; `null` if none is open. */
  async types(company: CompanyRef, object: string): Promise<ReadonlyMap<string, JsonType> | null> {
    for (const [setId, { name }] of [...this.#openSets].toReversed()) {
      const types = name === companyKey(company, object) ? await this.#options.rows.types(setId) : null
      if (types?.ok) return types.value
    }
    return null
  }

  #pagesOf(
    company: StoredCompany,
    object: string,
    filter: RecordsFilter,
    { request, onEntry, ...how }: PagesReading,
  ): Promise<Result<PagesRead>> {
    const { client, companies, rows, settings } = this.#options
    return readPages({
      rows,
      endpointId: company.ref.endpointId,
      object,
      application: company.application,
      query: { ids: filter.ids, modTimeStart: filter.modifiedFrom, modTimeEnd: filter.modifiedTo },
      mostMebibytes: settings.get().responseMebibytes,
      ask: (operation) =>
        client.read(
          request,
          companies.withProbe(company.ref, object, isWholeList(filter) ? 'quiet' : 'silent', operation),
          { onEntry },
        ),
      ...how,
    })
  }

  /** Describes a set that was just read. */
  async #recordSet(
    { setId, count, pages, problems, requestIds }: PagesRead,
    begun: Pick<OpenedSet, 'company' | 'object' | 'filter' | 'readAt' | 'savesMark'>,
    partialReason: string,
  ): Promise<Result<OpenedSet>> {
    const { rows, clock } = this.#options
    const shape = await rows.shape(setId)
    if (!shape.ok) return shape
    const isWhole = partialReason === ''
    const endedAt = timestamp(clock)
    const read = { count, fields: shape.value, endedAt, isWhole, partialReason, pages, problems, requestIds }
    return ok({ setId, ...begun, ...read })
  }

  async #read(
    company: StoredCompany,
    object: string,
    filter: RecordsFilter,
    reading: Reading,
  ): Promise<Result<OpenedSet>> {
    const { rows, announcer, keptLists, clock } = this.#options
    const [readAt, savesMark, since] = [timestamp(clock), this.#options.savesMark(), keptLists.deletions]
    const isOver = (): boolean => this.#readings.get(companyKey(company.ref, object)) !== reading
    const tell = throttle<ReadingProgress>(
      clock,
      EVENT_INTERVAL,
      ({ wire, progress: { setId, pages, count } }) => {
        if (isOver()) return
        wire.progress(formatProgress(pages, count))
        void rows.shape(setId).then((shape) => {
          // The set was closed in the meantime.
          if (!shape.ok || isOver()) return
          const progress = { records: count, pages, setId, fields: shape.value }
          announcer.emit('records.progress', { company: company.ref, object, ...progress })
        })
      },
    )
    const pages = await this.#pagesOf(company, object, filter, {
      request: requestOf(company, object),
      onEntry: (entryId) => {
        reading.entryId = entryId
      },
      isStopped: () => reading.isStopped,
      tellsEarly: true,
      onProgress: (wire, progress) => tell({ wire, progress }),
    })
    if (!pages.ok) return pages
    const { setId, count, gone, hasMoved, problems, requestIds } = pages.value
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
    const set = await this.#recordSet(
      { ...pages.value, problems: [...problems, ...(goneProblem === null ? [] : [goneProblem])] },
      { company: company.ref, object, filter, readAt, savesMark },
      partialReason,
    )
    if (!set.ok) return set
    const isWhole = isWholeList(filter) && partialReason === ''
    this.#openSets.set(setId, {
      name: companyKey(company.ref, object),
      set: set.value,
      isWhole,
      isKept: false,
      version: 0,
    })
    if (isWhole) keptLists.keep(set.value, since)
    return set
  }

  #stop(name: string): void {
    const reading = this.#readings.get(name)
    if (reading === undefined) return
    reading.isStopped = true
    if (reading.entryId !== null) this.#options.scheduler.stop(reading.entryId)
  }
}

const NOT_KEPT = appError(
  'store',
  'The list was read, but no copy could be kept on this computer.',
  'Check that the keychain is unlocked and that the disk has space, then read it again.',
)

/** Everything in a list. */
export const WHOLE_LIST: RecordsFilter = { ids: [], modifiedFrom: null, modifiedTo: null }
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
