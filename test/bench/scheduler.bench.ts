// The overhead of the request queue: requests through the scheduler and the client, one after another, against a bare
// loop of awaits. Both send the same GET through the same transport to the same loopback server, which responds after a
// few milliseconds, and both decode the same envelope. The difference is scheduling, deadlines, the queue's state, and
// the log. A real service takes far longer, so the overhead's real share is smaller.
import { createServer } from 'node:http'
import { DEFAULT_SETTINGS } from '../../electron/app/program/settings.ts'
import { createSystemClock, createSystemRandom } from '../../electron/clock.ts'
import { createMask } from '../../electron/service/errors/redact.ts'
import { createClient } from '../../electron/service/protocol/client.ts'
import { decodeEnvelope } from '../../electron/service/protocol/envelope.ts'
import type { SlotRequest } from '../../electron/service/protocol/wire.ts'
import type { StoredBlock } from '../../electron/service/queue/request-queue.ts'
import { Scheduler } from '../../electron/service/queue/scheduler.ts'
import { startDeadline } from '../../electron/service/transport/deadline.ts'
import { exchange } from '../../electron/service/transport/exchange.ts'
import { createTransport } from '../../electron/service/transport/transport.ts'
import { ok } from '../../shared/result.ts'
import { byTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'scheduler'

const REQUESTS = 300
const TURNS = 9
const LATENCY_MILLISECONDS = 2
const KEY = 'bench-key'
const BODY = JSON.stringify({ Contents: [], Errors: null, RequestId: 'bench' })
const READING: SlotRequest = {
  connectionId: 'bench',
  company: null,
  companyName: '',
  what: 'Reading',
  isWrite: false,
  priority: 'batch',
  batchId: '',
}

export async function run(): Promise<readonly Row[]> {
  const server = await serveSlowly()
  const clock = createSystemClock()
  const random = createSystemRandom()
  const transport = createTransport({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificateFile: () => '',
    clock,
  })
  const shut = new Map<string, StoredBlock>()
  const scheduler = new Scheduler({
    clock,
    newId: () => random.id(),
    storage: {
      block: (key, kept) => ok(void shut.set(key, kept)),
      unblock: (key) => ok(void shut.delete(key)),
      blockOf: (key) => ok(shut.get(key) ?? null),
      acquire: () => ok(true),
      release: () => undefined,
    },
    graceMilliseconds: () => DEFAULT_SETTINGS.graceSeconds * 1_000,
    onChange: () => undefined,
  })
  // The same for each request, as the program’s connections give it.
  const target = {
    connectionId: 'bench',
    address: server.url,
    legacyAddress: '',
    key: KEY,
    legacyKey: '',
    mask: createMask([KEY]),
  }
  const client = createClient({
    scheduler,
    clock,
    target: () => Promise.resolve(ok(target)),
    queueOf: () => 'queue',
    fetchFor: () => transport.fetch,
    settings: () => DEFAULT_SETTINGS,
    openLog: () => () => undefined,
    random,
  })

  const throughTheQueue = async (): Promise<void> => {
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const answer = await client.read(READING, (wire) =>
        wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw))),
      )
      if (!answer.ok) throw new Error(answer.error.message)
    }
  }
  /** A long queue: all requests are queued at once, as in a batch, and run one at a time. */
  const queued = async (): Promise<void> => {
    const answers = await Promise.all(
      Array.from({ length: REQUESTS }, () =>
        client.read(READING, (wire) => wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw)))),
      ),
    )
    if (answers.some((answer) => !answer.ok)) throw new Error('A queued request failed.')
  }
  const bareLoop = async (): Promise<void> => {
    for (let sent = 0; sent < REQUESTS; sent += 1) {
      const answer = await exchange(
        {
          method: 'GET',
          url: `${server.url}/v2/Manage/endpoint`,
          host: '127.0.0.1',
          headers: { accept: 'application/json', 'x-api-key': KEY },
          body: null,
          seconds: DEFAULT_SETTINGS.readSeconds,
          mostBytes: DEFAULT_SETTINGS.responseMebibytes * 1_048_576,
          mask: target.mask,
          fetch: transport.fetch,
        },
        startDeadline(createSystemClock(), 600),
        clock,
      )
      if (!answer.hasResponse || !decodeEnvelope(answer.raw).ok)
        throw new Error('The bare loop got no envelope.')
    }
  }

  try {
    const alone = await byTurns(throughTheQueue, bareLoop, TURNS)
    const inLine = await byTurns(queued, bareLoop, TURNS)
    return [
      ratioRow({
        what: `Send ${String(REQUESTS)} requests, one by one`,
        why: 'Queue, deadline, and log around a service that answers in 2 ms. The peer awaits the same exchange in a loop.',
        turns: alone,
        against: 'a loop of awaits',
        most: 1.03,
      }),
      ratioRow({
        what: `Send ${String(REQUESTS)} requests, queued at once`,
        why: 'The same as one long queue.',
        turns: inLine,
        against: 'a loop of awaits',
        most: 1.03,
      }),
    ]
  } finally {
    await transport.close()
    await server.close()
  }
}

/** A service that takes a few milliseconds for each response. */
async function serveSlowly(): Promise<{ readonly url: string; readonly close: () => Promise<void> }> {
  const server = createServer((_request, response) => {
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(BODY)
    }, LATENCY_MILLISECONDS)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${String(address.port)}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
