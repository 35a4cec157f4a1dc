// Serves one body of customers from its own thread, so that serving doesn't count in the measurement.
import { createServer } from 'node:http'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { customersBody } from './customers.ts'

/** Starts the server. Returns its address and a function that stops it. */
export async function serveCustomers(
  count: number,
): Promise<{ url: string; bytes: number; close: () => Promise<void> }> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { count } })
  const { port, bytes } = await new Promise<{ port: number; bytes: number }>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return {
    url: `http://127.0.0.1:${String(port)}`,
    bytes,
    close: async () => {
      await worker.terminate()
    },
  }
}

if (!isMainThread && parentPort !== null) {
  const { count } = workerData as { count: number }
  const body = customersBody(count)
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(body.length) })
    response.end(body)
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    parentPort?.postMessage({
      port: typeof address === 'object' ? (address?.port ?? 0) : 0,
      bytes: body.length,
    })
  })
}
