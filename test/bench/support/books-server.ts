// The sample service with a long list of customers that was created beforehand, so that neither way of reading it waits
// for its creation. It serves the whole list as it is, and passes every other request on to the sample, including
// requests for changes unless changes are simulated.
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { LoopbackServer } from '../../e2e/support/loopback-server.ts'
import { startService } from '../../e2e/support/service.ts'
import { serveCustomers } from './body-server.ts'
import { changedCustomersBody } from './customers.ts'

const CHANGED = /^\/v2\/data\/[^/]+\/customer\?.*modTime/i
const CUSTOMERS = /^\/v2\/data\/[^/]+\/customer(?:\?(?!.*modTime)|$)/i

export interface Books {
  readonly url: string
  readonly key: string
  /** Serves only the list, at any path. */
  readonly listUrl: string
  /** From now on, this many customers have this phone number, and changed just now. */
  readonly change: (count: number, phone: string) => void
  readonly close: () => Promise<void>
}

/** Starts it with this many customers in each company's books. */
export async function serveBooks(customers: number): Promise<Books> {
  const sample = await startService()
  const list = await serveCustomers(customers)
  let changed: Uint8Array | null = null
  const server = new LoopbackServer((incoming, outgoing) => {
    if (changed !== null && incoming.method === 'GET' && CHANGED.test(incoming.url ?? '')) {
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-length': String(changed.length),
      })
      outgoing.end(changed)
      return
    }
    const isList = incoming.method === 'GET' && CUSTOMERS.test(incoming.url ?? '')
    forwardRequest(incoming, outgoing, new URL(incoming.url ?? '/', isList ? list.url : sample.url))
  })
  await server.listen()
  return {
    url: server.url,
    key: sample.key,
    listUrl: `${server.url}/v2/data/books/customer`,
    change: (count, phone) => {
      changed = changedCustomersBody(count, phone)
    },
    close: async () => {
      await Promise.all([server.close(), sample.stop(), list.close()])
    },
  }
}

/**
 * Forwards a request to another server.
 * @param answered handles the response; by default, it is passed back unchanged
 */
export function forwardRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: URL,
  answered: (answer: IncomingMessage) => void = (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  },
): void {
  const onward = request(url, { method: incoming.method ?? 'GET', headers: incoming.headers }, answered)
  onward.once('error', () => outgoing.destroy())
  incoming.pipe(onward)
}
