/** What the rows worker does for each call. It holds the lists and reports. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type EditValue, pathType, type RecordData, textOf, valueAt } from '../../shared/records/changes.ts'
import { valueKey } from '../../shared/records/value-text.ts'
import { appError, causeText, err, ok, type Result } from '../../shared/result.ts'
import type { RawResponse } from '../service/protocol/wire.ts'
import { TidyScan } from '../tidy/scan.ts'
import { KeptSetReader, KeptSetWriter } from './records/kept-set.ts'
import { RecordSet } from './records/record-set.ts'
import { SearchIndex } from './records/search-index.ts'
import { combinedReport, type HeldReport } from './reports/combine.ts'
import { decodeReport, finishReport, joinReportPage, type ReportPages } from './reports/report.ts'
import type { Rows } from './rows.ts'

const LIST_NOT_HELD = appError('not-found', 'This list is no longer in memory.', 'Get the records again.')
const NOT_HELD = appError('not-found', 'This report is no longer in memory.', 'Run it again.')

type RowsHandlers = {
  readonly [Name in keyof Omit<Rows, 'close'>]: (
    ...args: Parameters<Rows[Name]>
  ) => Awaited<ReturnType<Rows[Name]>>
}

export function createRowsHandlers(): RowsHandlers {
  const sets = new Map<string, RecordSet>()
  const reports = new Map<string, HeldReport>()
  /** Reports with more pages to come. */
  const reportPages = new Map<string, ReportPages>()
  const keepings = new Map<string, KeptSetWriter>()
  /** Sets that are still being read from a file. */
  const loading = new Map<string, KeptSetReader>()
  const indexes = new Map<string, SearchIndex>()
  /** Sets that are being scanned for **Tidy up**. */
  const scans = new Map<string, TidyScan>()
  const encoder = new TextEncoder()

  const withSet = <T>(setId: string, use: (set: RecordSet) => Result<T>): Result<T> => {
    const set = sets.get(setId)
    return set === undefined ? err(LIST_NOT_HELD) : use(set)
  }

  const withIndex = <T>(setId: string, use: (index: SearchIndex) => T): Result<T> => {
    const index = indexes.get(setId)
    return index === undefined ? err(LIST_NOT_HELD) : ok(use(index))
  }

  const withKeeping = <T>(keepingId: string, use: (writer: KeptSetWriter) => T): Result<T> => {
    const writer = keepings.get(keepingId)
    return writer === undefined ? err(LIST_NOT_HELD) : withFile(() => use(writer))
  }

  return {
    openSet() {
      const setId = randomUUID()
      sets.set(setId, new RecordSet())
      return setId
    },
    addBytes: (setId, bytes) =>
      withSet(setId, (set) => {
        set.addBytes(bytes)
        return ok(set.count)
      }),
    keepBegun: (setId) =>
      withSet(setId, (set) => {
        set.keepBegun()
        return ok(set.count)
      }),
    addPage(setId, raw: RawResponse) {
      const set = sets.get(setId)
      if (set !== undefined) return set.addPage(raw)
      // These records are no longer needed, but support may ask for the RequestId.
      const late = new RecordSet().addPage(raw)
      const requestId = late.ok ? late.value.requestId : ''
      return err({ ...LIST_NOT_HELD, details: requestId === '' ? {} : { requestId } })
    },
    shape: (setId) => withSet(setId, (set) => ok(set.shape())),
    types: (setId) => withSet(setId, (set) => ok(set.types())),
    chunk: (setId, from, count) => withSet(setId, (set) => ok(set.chunk(from, count))),
    byIds: (setId, ids) => withSet(setId, (set) => ok(set.byIds(ids))),
    find: (setId, { externalIds, names, values }) =>
      withSet(setId, (set) => ok(set.find(new Set(externalIds), new Set(names), new Set(values)))),
    fingerprints: (setId) => withSet(setId, (set) => ok(set.fingerprints())),
    newRecords: (setId, known) => withSet(setId, (set) => ok(set.newRecords(known))),
    merge: (setId, newerId) =>
      withSet(setId, (set) =>
        withSet(newerId, (newer) => {
          set.merge(newer)
          sets.delete(newerId)
          return ok(set.count)
        }),
      ),
    closeSet(setId) {
      sets.delete(setId)
      scans.delete(setId)
      loading.get(setId)?.drop()
      loading.delete(setId)
    },
    beginKeeping: (setId, { path, key }, isAppended) =>
      withSet(setId, (set) =>
        withFile(() => {
          const keepingId = randomUUID()
          const secret = Buffer.from(key, 'base64')
          keepings.set(
            keepingId,
            isAppended ? KeptSetWriter.append(set, path, secret) : KeptSetWriter.begin(set, path, secret),
          )
          return keepingId
        }),
      ),
    keepMore: (keepingId) => withKeeping(keepingId, (writer) => writer.writeNext()),
    endKeeping: (keepingId, meta) =>
      withKeeping(keepingId, (writer) => {
        const size = writer.end(meta)
        keepings.delete(keepingId)
        return size
      }),
    dropKeeping(keepingId) {
      keepings.get(keepingId)?.drop()
      keepings.delete(keepingId)
    },
    openKept: ({ path, key }) =>
      existsSync(path)
        ? withFile(() => {
            const reader = KeptSetReader.open(path, Buffer.from(key, 'base64'))
            const setId = randomUUID()
            sets.set(setId, reader.set)
            loading.set(setId, reader)
            return { setId, meta: reader.meta, changes: reader.changes }
          })
        : ok(null),
    loadKept: (setId) =>
      withSet(setId, (set) =>
        withFile(() => {
          const isDone = loading.get(setId)?.readNext() ?? true
          if (isDone) loading.delete(setId)
          return { count: set.count, isDone }
        }),
      ),
    patch: (setId, records) =>
      withSet(setId, (set) => {
        set.patch(records)
        return ok(set.count)
      }),
    index: (setId, object, count) =>
      withSet(setId, (set) => {
        const index = indexes.get(setId) ?? new SearchIndex(object)
        indexes.set(setId, index)
        for (const record of set.records(index.count, count)) index.add(record)
        const isDone = index.count >= set.count
        if (isDone) {
          index.seal()
          sets.delete(setId)
        }
        return ok({ isDone, bytes: index.bytes })
      }),
    tidy: (setId, options, count) =>
      withSet(setId, (set) => {
        const scan = scans.get(setId) ?? new TidyScan(options)
        scans.set(setId, scan)
        for (const record of set.records(scan.count, count)) scan.add(record)
        if (scan.count < set.count) return ok(null)
        scans.delete(setId)
        return ok(scan.finish((ids) => set.byIds(ids).map((text) => JSON.parse(text) as RecordData)))
      }),
    findInIndex: (setId, query, most) => withIndex(setId, (index) => index.find(query, most)),
    namedInIndex: (setId, name, most) => withIndex(setId, (index) => index.named(name, most)),
    valuesIn: (setId, object, path, from, count) =>
      withSet(setId, (set) => {
        const type = pathType(object, path)
        const found = new Map<string, { readonly value: EditValue; readonly recordIds: string[] }>()
        for (const record of set.records(from, count)) {
          const value = valueAt(object, record, path)
          const key = valueKey(type, value)
          const known = found.get(key) ?? { value, recordIds: [] }
          known.recordIds.push(textOf(record['ID']))
          found.set(key, known)
        }
        return ok({ values: [...found.values()], isDone: from + count >= set.count })
      }),
    closeIndex(setId) {
      indexes.delete(setId)
      sets.delete(setId)
    },
    openReport(name, raw) {
      const decoded = decodeReport(name, raw)
      if (!decoded.ok) return decoded
      const reportId = randomUUID()
      const { pages, rows, summary } = decoded.value
      reports.set(reportId, { rows, summary })
      if (pages !== null) reportPages.set(reportId, pages)
      return ok({ reportId, summary, hasMore: pages !== null })
    },
    addReportPage(reportId, raw) {
      const pages = reportPages.get(reportId)
      if (pages === undefined) return err(NOT_HELD)
      const joined = joinReportPage(pages, raw)
      if (!joined.ok) return joined
      const { pages: all, ...report } = joined.value
      reportPages.set(reportId, all)
      return ok(report)
    },
    finishReport(reportId, reason) {
      const pages = reportPages.get(reportId)
      if (pages === undefined) return err(NOT_HELD)
      reportPages.delete(reportId)
      const finished = finishReport(pages, reason)
      reports.set(reportId, finished)
      return ok(finished.summary)
    },
    reportChunk(reportId, from, count) {
      const rows = reports.get(reportId)?.rows
      if (rows === undefined) return err(NOT_HELD)
      return ok(encoder.encode(JSON.stringify(rows.slice(from, from + count))))
    },
    combineReports(making, name, parts) {
      const held = parts.flatMap(({ reportId }) => reports.get(reportId) ?? [])
      if (held.length < parts.length) return err(NOT_HELD)
      const combined = combinedReport(
        making,
        name,
        held,
        parts.map(({ label }) => label),
      )
      if (!combined.ok) return combined
      const reportId = randomUUID()
      reports.set(reportId, combined.value)
      return ok({ reportId, summary: combined.value.summary })
    },
    closeReport(reportId) {
      reports.delete(reportId)
      reportPages.delete(reportId)
    },
  }
}

/** A copy that can't be written or read is not a defect: the disk may be full, or the file damaged. */
function withFile<T>(use: () => T): Result<T> {
  try {
    return ok(use())
  } catch (cause) {
    return err(
      appError('file', 'A copy of a list on this computer can’t be used.', '', { raw: causeText(cause) }),
    )
  }
}
