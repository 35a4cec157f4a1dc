/** Reads records back for the write protocol, in a slot that the caller holds. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { RecordSets } from '../../rows/rows.ts'
import { parseJsonText } from '../../service/protocol/envelope.ts'
import type { Wire } from '../../service/protocol/wire.ts'
import type {
  CompanyDirectory,
  FindInList,
  FoundById,
  FoundInList,
  RecordReader,
} from '../../writing/context.ts'
import type { SettingsStore } from '../ports.ts'
import { formatProgress, type PagesQuery, type PagesRead, readPages } from './pages.ts'

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
