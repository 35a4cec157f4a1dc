/** The rows worker holds lists and reports, so neither the main process nor the window ever parses them whole. */
import { parentPort } from 'node:worker_threads'
import type { RecordChunk, RowsRequest, RowsResponse } from './rows.ts'
import { createRowsHandlers } from './rows-handlers.ts'

/** The buffers of a response, which are transferred instead of copied. */
function transferable(value: unknown): ArrayBuffer[] {
  if (typeof value !== 'object' || value === null || !('value' in value)) return []
  const inner = isChunk(value.value) ? value.value.bytes : value.value
  return inner instanceof Uint8Array && inner.buffer instanceof ArrayBuffer ? [inner.buffer] : []
}

function isChunk(value: unknown): value is RecordChunk {
  return typeof value === 'object' && value !== null && 'lengths' in value
}

const port = parentPort
if (port !== null) {
  const handlers = createRowsHandlers()
  port.on('message', ({ id, method, args }: RowsRequest) => {
    let response: RowsResponse
    try {
      const handler = handlers[method] as (...args: readonly unknown[]) => unknown
      response = { id, value: handler(...args) }
    } catch (cause) {
      response = { id, defect: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) }
    }
    port.postMessage(response, 'value' in response ? transferable(response.value) : [])
  })
}
