/** Deadlines that fire late, because the computer slept or the event loop was blocked. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, test, type TestContext } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { type Clock, createSystemClock, createSystemRandom } from '../../../electron/clock.ts'
import { createClient } from '../../../electron/service/protocol/client.ts'
import { decodeEnvelope } from '../../../electron/service/protocol/envelope.ts'
import { Scheduler } from '../../../electron/service/queue/scheduler.ts'
import { createTransport } from '../../../electron/service/transport/transport.ts'
import { ok } from '../../../shared/result.ts'
import { NO_BLOCKS, READING, serviceTarget } from './network.ts'

/** Answers in its own thread, which continues while this one is blocked. */
const SERVER = `
  const { createServer } = require('node:http')
  const { gzipSync } = require('node:zlib')
  const { parentPort, workerData } = require('node:worker_threads')
  const answered = new Int32Array(workerData)
  const waiting = []
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    waiting.push(response)
    parentPort.postMessage('arrived')
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
  parentPort.on('message', (message) => {
    if (message === 'count') return parentPort.postMessage(requests)
    const filler = 'x'.repeat(30_000)
    const text = JSON.stringify({ Contents: [], Errors: null, RequestId: 'late', filler })
    const response = waiting.shift()
    if (message === 'gzip') response.setHeader('content-encoding', 'gzip')
    response.end(message === 'gzip' ? gzipSync(text) : text, () => {
      Atomics.store(answered, 0, 1)
      Atomics.notify(answered, 0)
    })
  })
`

async function startService({ onTestFinished }: TestContext) {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(SERVER, { eval: true, workerData: answered.buffer })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = (await once(worker, 'message')) as [number]
  const clock = { ...createSystemClock(), isLate: false, ring: (): void => undefined }
  const late = (): number => (clock.isLate ? 10 * DEFAULT_SETTINGS.writeSeconds * 1_000 : 0)
  const turned: Clock = {
    ...clock,
    now: () => Date.now() + late(),
    elapsed: () => performance.now() + late(),
    after(_milliseconds, callback) {
      clock.ring = callback
      return () => undefined
    },
  }
  const random = createSystemRandom()
  const leaving: { then: () => void } = { then: () => undefined }
  const scheduler = new Scheduler({
    clock: turned,
    newId: () => random.id(),
    storage: {
      ...NO_BLOCKS,
      block() {
        leaving.then()
        return ok(undefined)
      },
    },
    graceMilliseconds: () => 0,
    onChange: () => undefined,
  })
  const transport = createTransport({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificateFile: () => '',
    clock: turned,
  })
  onTestFinished(() => transport.close())
  const target = serviceTarget(`http://127.0.0.1:${String(port)}`, 'key')
  const client = createClient({
    scheduler,
    clock: turned,
    target: () => Promise.resolve(ok(target)),
    queueOf: () => 'queue',
    fetchFor: () => transport.fetch,
    settings: () => DEFAULT_SETTINGS,
    openLog: () => () => undefined,
    random,
  })
  return { answered, worker, clock, client, leaving }
}

test.for([
  ['an answer', 'its timer', 'timer', 'plain'],
  ['an answer', 'the end of a sleep', 'wake', 'plain'],
  ['a compressed answer', 'its timer', 'timer', 'gzip'],
  ['a compressed answer', 'the end of a sleep', 'wake', 'gzip'],
] as const)(
  '%s that is in the socket when %s ends and the deadline passes is read',
  async ([, , by, answer], context) => {
    const { answered, worker, clock, client } = await startService(context)
    const arrived = once(worker, 'message')
    const read = client.read(
      READING,
      (wire) => wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw))),
      { tries: 1 },
    )
    await arrived
    worker.postMessage(answer)
    // Blocks this thread until the complete response has arrived.
    Atomics.wait(answered, 0, 0)
    clock.isLate = true
    if (by === 'timer') clock.ring()
    else client.wake()
    expect(await read).toMatchObject({ ok: true, value: { requestId: 'late' } })
  },
)

test('a write whose deadline passed while it was connecting is never sent', async (context) => {
  const { worker, clock, client, leaving } = await startService(context)
  leaving.then = () => {
    clock.isLate = true
  }
  const { result } = await client.withSlot({ ...READING, isWrite: true }, async (wire) =>
    ok(await wire.insertRecords('e', 'customer', '{"ID":"","Name":"A"}')),
  )
  expect(result).toMatchObject({ ok: true, value: { outcome: 'not-sent' } })
  worker.postMessage('count')
  expect(await once(worker, 'message')).toEqual([0])
})
