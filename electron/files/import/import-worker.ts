/**
 * The import worker: reads one table and hands its rows out as bytes until it is let go. A worker for each table, so
 * that a hostile file takes nothing else with it; its memory is limited by who starts it.
 */
import { parentPort, workerData } from 'node:worker_threads'
import type { ImportRequest, ImportResponse, ImportTask } from './protocol.ts'
import { readSource } from './read-source.ts'

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
