/**
 * The import worker: reads one table and hands its rows out as bytes until it is let go. A worker for each table, so
 * that a hostile file takes nothing else with it; its memory is limited by who starts it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { OpenedTable } from '../../../shared/import/table.ts'
import type { Result } from '../../../shared/result.ts'
import type { ImportLimits } from './limits.ts'
import { type ImportSource, readSource } from './read-source.ts'

/** What a worker is started with. */
export interface ImportTask {
  readonly source: ImportSource
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
  const answer = (response: ImportResponse, transfer: readonly ArrayBuffer[] = []): void => {
    port.postMessage(response, [...transfer])
  }
  const read = await readSource(source, limits)
  if (read.ok) {
    const { rows, ...table } = read.value
    const encoder = new TextEncoder()
    port.on('message', ({ id, from, count }: ImportRequest) => {
      const bytes = encoder.encode(JSON.stringify(rows.slice(from, from + count)))
      answer({ what: 'rows', id, bytes }, [bytes.buffer])
    })
    answer({ what: 'opened', table: { ok: true, value: { ...table, rowCount: rows.length } } })
  } else {
    answer({ what: 'opened', table: read })
  }
}
