/** Copies of reports for a month: taken from the rows worker, kept packed, and opened again as statements. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { KeptReading } from '../../../shared/contract/review.ts'
import type { ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { err, ok, type Result } from '../../../shared/result.ts'
import type { FullReport, ListedRecord } from '../../review/evidence/evidence.ts'
import type { ReportRows } from '../../rows/rows.ts'
import { resultOf } from '../../store/database.ts'
import { DAMAGED_COPY, digestCopy, type MonthCopy, type MonthStore, packPart } from '../../store/months.ts'
import { ROWS_AT_ONCE } from '../reports/report-reader.ts'

/** What is kept of a report besides its rows. */
export type CopiedHead = Omit<ReportHead, 'reportId'>

/** Amounts in the JSON of rows. */
const [DECIMAL, WHOLE] = [/"-?\d+\.\d+"/, /"-?[1-9]\d*"/]

/** Takes a copy of a report that the worker holds, byte for byte, and checks whether its amounts have decimals. */
export async function copyReport(
  rows: Pick<ReportRows, 'reportChunk'>,
  report: ReportHead,
  copyId: string,
): Promise<Result<MonthCopy & { readonly hasCents: boolean }>> {
  const { reportId, ...kept } = report
  const head = JSON.stringify(kept satisfies CopiedHead)
  const bytes: Uint8Array[] = []
  let [hasDecimal, hasWhole] = [false, false]
  for (let from = 0; from < report.rowCount; from += ROWS_AT_ONCE) {
    const chunk = await rows.reportChunk(reportId, from, ROWS_AT_ONCE)
    if (!chunk.ok) return chunk
    bytes.push(chunk.value)
    if (hasDecimal) continue
    const text = Buffer.from(chunk.value).toString('latin1')
    hasDecimal = DECIMAL.test(text)
    hasWhole ||= WHOLE.test(text)
  }
  const hasCents = hasDecimal || !hasWhole
  return ok({ copyId, head, parts: await packed(bytes), digest: digestCopy(head, bytes), hasCents })
}

/** Copies what the rules need from a list. */
export async function copyRecords(records: readonly ListedRecord[], copyId: string): Promise<MonthCopy> {
  const head = '{}'
  const bytes: Uint8Array[] = []
  for (let from = 0; from < records.length; from += ROWS_AT_ONCE) {
    bytes.push(Buffer.from(JSON.stringify(records.slice(from, from + ROWS_AT_ONCE))))
  }
  return { copyId, head, parts: await packed(bytes), digest: digestCopy(head, bytes) }
}

async function packed(bytes: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = []
  for (const part of bytes) {
    parts.push(packPart(part))
    await yieldToEventLoop()
  }
  return parts
}

/** The head of a report's copy. An error if the copy is of something else. */
export function copiedHead(
  store: MonthStore,
  { copyId, name }: Pick<KeptReading, 'copyId' | 'name'>,
): Result<CopiedHead> {
  const head = resultOf(() => JSON.parse(store.head(copyId)) as CopiedHead)
  return head.ok && head.value.name !== name ? err(DAMAGED_COPY) : head
}

/** The rows of a copy in batches. The last one is an error if the copy is damaged. */
export async function* copiedRows(
  store: MonthStore,
  copyId: string,
): AsyncGenerator<Result<readonly ReportRow[]>> {
  let count = 0
  for await (const part of partsOf(store, copyId)) {
    const from = count
    const rows = part.ok && areReportRows(part.value, from) ? part.value : null
    if (rows === null) {
      yield part.ok ? err(DAMAGED_COPY) : part
      return
    }
    count += rows.length
    yield ok(rows)
  }
}

/** The parts of a copy, as JSON. The last one is an error if the copy is damaged. */
async function* partsOf(store: MonthStore, copyId: string): AsyncGenerator<Result<unknown>> {
  const decoder = new TextDecoder()
  const parts = store.parts(copyId)
  for (;;) {
    const next = resultOf(() => parts.next())
    if (!next.ok) {
      yield next
      return
    }
    if (next.value.done === true) return
    yield parsed(decoder.decode(next.value.value))
    await yieldToEventLoop()
  }
}

function parsed(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text) as unknown)
  } catch {
    return err(DAMAGED_COPY)
  }
}

/**
 * A restored backup may hold anything.
 * @param from how many rows come before these
 */
function areReportRows(rows: unknown, from: number): rows is readonly ReportRow[] {
  return (
    Array.isArray(rows) &&
    rows.length <= ROWS_AT_ONCE &&
    rows.every((row: Partial<ReportRow> | null, at) => {
      if (typeof row !== 'object' || row === null) return false
      const { name, id, rowType, kind, level, parent, values } = row
      return (
        typeof name === 'string' &&
        typeof id === 'string' &&
        typeof rowType === 'string' &&
        typeof kind === 'string' &&
        Number.isSafeInteger(level) &&
        // The section around a row comes before it.
        typeof parent === 'number' &&
        parent >= -1 &&
        parent < from + at &&
        Array.isArray(values) &&
        values.every((each) => typeof each === 'string')
      )
    })
  )
}

/** A report with all of its rows, for the rules. */
export async function statementOf(
  head: CopiedHead,
  rows: AsyncIterable<Result<readonly ReportRow[]>>,
): Promise<Result<FullReport>> {
  const all: ReportRow[] = []
  for await (const batch of rows) {
    if (!batch.ok) return batch
    for (const row of batch.value) all.push(row)
  }
  const { name, from, to, columns, checks } = head
  return ok({ name, from, to, columns, rows: all, checks })
}

export async function copiedStatement(
  store: MonthStore,
  reading: Pick<KeptReading, 'copyId' | 'name'>,
): Promise<Result<FullReport>> {
  const head = copiedHead(store, reading)
  return head.ok ? statementOf(head.value, copiedRows(store, reading.copyId)) : head
}

/** A restored backup may hold anything. */
function areListedRecords(records: unknown): records is readonly ListedRecord[] {
  const TEXTS = ['id', 'name', 'fullName', 'parentId', 'type', 'phone', 'email', 'currency'] as const
  return (
    Array.isArray(records) &&
    records.every(
      (record: Partial<ListedRecord> | null) =>
        typeof record === 'object' &&
        record !== null &&
        TEXTS.every((name) => typeof record[name] === 'string'),
    )
  )
}

export async function copiedRecords(
  store: MonthStore,
  copyId: string,
): Promise<Result<readonly ListedRecord[]>> {
  const records: ListedRecord[] = []
  for await (const part of partsOf(store, copyId)) {
    if (!part.ok) return part
    if (!areListedRecords(part.value)) return err(DAMAGED_COPY)
    for (const record of part.value) records.push(record)
  }
  return ok(records)
}
