/**
 * A worker thread that reads one table and serves its rows as bytes until it is terminated. Each table has its
 * own, so that a malicious file can't harm the others.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { OpenedTable } from '../../../shared/import/table.ts'
import type { Result } from '../../../shared/result.ts'
import type { ImportLimits } from './limits.ts'
import { type ImportOrigin, readSource } from './read-source.ts'

/** The data that a worker starts with. */
export interface ImportTask {
  readonly source: ImportOrigin
  readonly limits: ImportLimits
}

export interface ImportRequest {
  readonly id: number
  readonly from: number
  readonly count: number
}

export type ImportResponse =
  | { readonly what: 'opened'; readonly table: Result<Omit<OpenedTable, 'tableId'>> }
  /** Bytes of a JSON array of `ImportRow`. */
  | { readonly what: 'rows'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }

const port = parentPort
if (port !== null) {
  const { source, limits } = workerData as ImportTask
  const respond = (response: ImportResponse, transfer: readonly ArrayBuffer[] = []): void => {
    port.postMessage(response, [...transfer])
  }
  const read = await readSource(source, limits)
  if (read.ok) {
    const { rows, ...table } = read.value
    const encoder = new TextEncoder()
    port.on('message', ({ id, from, count }: ImportRequest) => {
      const bytes = encoder.encode(JSON.stringify(rows.slice(from, from + count)))
      respond({ what: 'rows', id, bytes }, [bytes.buffer])
    })
    respond({ what: 'opened', table: { ok: true, value: { ...table, rowCount: rows.length } } })
  } else {
    respond({ what: 'opened', table: read })
  }
}
