import { createServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { type Clock, createSystemClock, createSystemRandom } from '../../../electron/clock.ts'
import { translateErrors } from '../../../electron/service/errors/service-errors.ts'
import { createClient, type StoppableClient } from '../../../electron/service/protocol/client.ts'
import { busyError } from '../../../electron/service/protocol/cooldown.ts'
import { decodeEnvelope } from '../../../electron/service/protocol/envelope.ts'
import { parseAddress } from '../../../electron/service/protocol/requests.ts'
import type { Envelope } from '../../../electron/service/protocol/wire.ts'
import type { StoredBlock } from '../../../electron/service/queue/request-queue.ts'
import { Scheduler } from '../../../electron/service/queue/scheduler.ts'
import { createTransport } from '../../../electron/service/transport/transport.ts'
import type { LogEntry } from '../../../shared/contract/activity.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { NO_BLOCKS, READING, serviceTarget } from './network.ts'

/** How a raw server handles a request on the socket. */
type Behavior = (socket: Socket, request: string) => void

const KEY = 'canary-key-3f9c1b7a'
const EMPTY = JSON.stringify({ Contents: [], Errors: null, RequestId: 'r-1' })

function answer(body: string, head = '200 OK', more = ''): Behavior {
  return (socket) => {
    socket.end(
      `HTTP/1.1 ${head}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`,
    )
  }
}

const drop: Behavior = (socket) => socket.destroy()
const reset: Behavior = (socket) => socket.resetAndDestroy()
const hang: Behavior = () => undefined
const silence: Behavior = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"Con')
const half: Behavior = (socket) => {
  socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"Con', () => socket.destroy())
}

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

/** A server on loopback that counts requests on the wire, and a client for it. */
async function make(
  behaviors: readonly Behavior[],
  settings: Partial<Settings> = {},
  queues: { readonly queueOf?: () => string; readonly isDiskFull?: boolean } = {},
) {
  const seen: string[] = []
  const ports: number[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (data) => {
      const text = data.toString('latin1')
      if (!/^(?:GET|POST|PATCH) /.test(text)) return
      seen.push(text)
      ports.push(socket.remotePort ?? 0)
      const behave = behaviors[Math.min(seen.length, behaviors.length) - 1]
      behave?.(socket, text)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const log: LogEntry[] = []
  const waits: number[] = []
  const until = new Map<string, StoredBlock>()
  /** Until when the queue was blocked on disk, each time. */
  const shut: number[] = []
  const system = createSystemClock()
  const random = createSystemRandom()
  /** Milliseconds of the pauses between tries, which are recorded and skipped. Deadlines are as set. */
  let skipped = 0
  const clock: Clock = {
    ...system,
    now: () => system.now() + skipped,
    elapsed: () => system.elapsed() + skipped,
    after(milliseconds, callback) {
      const isDeadline = milliseconds === (settings.readSeconds ?? 0) * 1_000
      if (milliseconds < 2_000 || isDeadline) return system.after(milliseconds, callback)
      waits.push(milliseconds)
      return system.after(0, () => {
        skipped += milliseconds
        callback()
      })
    },
  }
  const scheduler = new Scheduler({
    clock,
    newId: () => random.id(),
    storage: {
      ...NO_BLOCKS,
      block: (key, kept) => {
        if (queues.isDiskFull === true) return err(appError('store', 'The disk is full.'))
        shut.push(kept.until)
        return ok(void until.set(key, kept))
      },
      unblock: (key) => ok(void until.delete(key)),
      blockOf: (key) => ok(until.get(key) ?? null),
    },
    graceMilliseconds: () => 20,
    onChange: () => undefined,
  })
  const transport = createTransport({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificateFile: () => '',
    clock: system,
  })
  const target = serviceTarget(`http://127.0.0.1:${String(port)}`, KEY)
  const client = createClient({
    scheduler,
    clock,
    target: () => Promise.resolve(ok(target)),
    queueOf: queues.queueOf ?? (() => 'queue'),
    fetchFor: () => transport.fetch,
    settings: () => ({ ...DEFAULT_SETTINGS, readSeconds: 0.3, writeSeconds: 0.3, ...settings }),
    openLog: () => (entry) => log.push(entry),
    random: { ...random, fraction: () => 0.5 },
  })
  closing.push(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((closed) => server.close(closed))
    await transport.close()
  })
  return { client, scheduler, seen, ports, log, waits, shut, port }
}

function list(client: StoppableClient, tries: 1 | 3 = 3): Promise<Result<Envelope>> {
  return client.read(
    READING,
    (wire) => wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw))),
    { tries },
  )
}

async function insert(client: StoppableClient) {
  const { result } = await client.withSlot({ ...READING, isWrite: true }, async (wire) =>
    ok(await wire.insertRecords('e', 'customer', '{"ID":"","Name":"A"}')),
  )
  return result
}

describe('a read', () => {
  it('has the key, and is answered once', async () => {
    const { client, seen, log } = await make([answer(EMPTY)])
    expect(await list(client)).toMatchObject({ ok: true, value: { requestId: 'r-1' } })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(/^GET \/v2\/Manage\/endpoint HTTP/)
    expect(seen[0]?.toLowerCase()).toContain(`x-api-key: ${KEY}`)
    expect(log).toMatchObject([{ outcome: 'answered', requestId: 'r-1', method: 'GET' }])
    expect(JSON.stringify(log)).not.toContain(KEY)
  })

  it('is logged with the envelope’s RequestId, not with a record’s member of that name', async () => {
    const record = { Object: { ID: '1', RequestId: 'of-a-record', Notes: '"RequestId":"in-a-note"' } }
    const body = JSON.stringify({ Contents: [record], HasErrors: false, RequestId: 'r-"7"' })
    const { client, log } = await make([answer(body), answer(body)])
    await list(client)
    await insert(client)
    const ended = log.filter(({ outcome }) => outcome === 'answered')
    expect(ended.map(({ requestId }) => requestId)).toEqual(['r-"7"', 'r-"7"'])
  })

  it.each([
    ['dropped', drop, 'dropped'],
    ['reset', reset, 'dropped'],
    ['cut in the middle', half, 'dropped'],
    ['silent', hang, 'timed-out'],
    ['silent after its head', silence, 'timed-out'],
  ])('that is %s is tried three times in all, then reports it', async (_name, behavior, kind) => {
    const { client, seen, waits } = await make([behavior])
    expect(await list(client)).toMatchObject({ ok: false, error: { kind } })
    expect(seen).toHaveLength(3)
    expect(waits.every((wait) => wait >= 2_000 && wait <= 60_000)).toBe(true)
  })

  it('succeeds if a later try does', async () => {
    const { client, seen } = await make([drop, answer(EMPTY)])
    expect((await list(client)).ok).toBe(true)
    expect(seen).toHaveLength(2)
  })

  it('of Connect is tried once', async () => {
    const { client, seen } = await make([drop])
    await list(client, 1)
    expect(seen).toHaveLength(1)
  })

  it.each(['429 Too Many', '503 Busy'])(
    'waits as long as the service asks with a %s, and no longer',
    async (status) => {
      const { client, seen, waits, shut } = await make([
        answer('', status, 'retry-after: 7\r\n'),
        answer(EMPTY),
      ])
      expect((await list(client)).ok).toBe(true)
      expect(seen).toHaveLength(2)
      expect(waits).toContain(7_000)
      expect(shut, 'once for each request, and once for the wait that was asked for').toHaveLength(3)
    },
  )

  it('stops and reports it if the service asks for more than five minutes', async () => {
    const { client, seen } = await make([answer('', '503 Busy', 'retry-after: 900\r\n')])
    expect(await list(client)).toMatchObject({
      ok: false,
      error: { kind: 'busy', message: expect.stringContaining('15 minutes') as string },
    })
    expect(seen).toHaveLength(1)
  })

  it('whose key is rejected is tried once, and the queue pauses', async () => {
    const { client, scheduler, seen } = await make([
      answer('{"Contents":[],"Errors":[]}', '401 Unauthorized'),
    ])
    const result = await client.read(READING, (wire) =>
      wire.listCompanies({}, () =>
        Promise.resolve({
          ok: false,
          error: { kind: 'unauthorized', message: 'no', advice: '', details: {} },
        }),
      ),
    )
    expect(result).toMatchObject({ ok: false, error: { kind: 'unauthorized' } })
    expect(seen).toHaveLength(1)
    expect(scheduler.queues()[0]?.paused).toMatchObject({ kind: 'unauthorized' })
  })

  it.each([302, 307])('that is answered with a redirect (%i) isn’t sent anywhere else', async (status) => {
    const { client, seen } = await make([
      answer('', `${String(status)} Moved`, 'location: http://127.0.0.1:1/\r\n'),
    ])
    expect(await list(client)).toMatchObject({ ok: false, error: { kind: 'redirected' } })
    expect(seen).toHaveLength(1)
  })

  it('whose answer is larger than allowed ends with an error', async () => {
    const { client } = await make([answer('x'.repeat(2_000_000))], { responseMebibytes: 1, readSeconds: 5 })
    expect(await list(client)).toMatchObject({ ok: false, error: { kind: 'too-large' } })
  })

  it('to a missing host names it', async () => {
    const { client } = await make([answer(EMPTY)])
    await Promise.all(closing.splice(0).map((close) => close()))
    const result = await list(client, 1)
    expect(result).toMatchObject({
      ok: false,
      error: { kind: 'unreachable', message: expect.stringContaining('127.0.0.1') as string },
    })
  })
})

describe('nothing underneath sends anything twice', () => {
  /** Answers and keeps the connection open, as servers do. */
  const answerAndKeep: Behavior = (socket) => {
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(EMPTY)}\r\n\r\n${EMPTY}`,
    )
  }

  it('a read on a kept connection that the service drops is on the wire once per try', async () => {
    const { client, seen } = await make([answerAndKeep, drop])
    expect((await list(client)).ok).toBe(true)
    expect(await list(client, 1)).toMatchObject({ ok: false, error: { kind: 'dropped' } })
    expect(seen).toHaveLength(2)
  })

  it('a read that is answered with 421 is on the wire once', async () => {
    const { client, seen } = await make([answer('', '421 Misdirected')])
    expect((await list(client, 1)).ok).toBe(false)
    expect(seen).toHaveLength(1)
  })

  it('a write never uses a connection that a read has left open', async () => {
    const { client, seen, ports } = await make([answerAndKeep])
    await list(client)
    await insert(client)
    await list(client)
    expect(seen.map((request) => request.split(' ')[0])).toEqual(['GET', 'POST', 'GET'])
    expect(ports[0]).not.toBe(ports[1])
    expect(seen[1]?.toLowerCase()).toContain('connection: close')
  })
})

describe('a key that the service echoes', () => {
  const echo = JSON.stringify({
    Contents: [{ Object: null, Errors: [{ Code: KEY, Message: `for ${KEY}` }] }],
    Errors: [{ Code: KEY, Message: `Something about ${KEY}`, Detail: encodeURIComponent(KEY) }],
    RequestId: `r-${KEY}`,
  })

  it('is in no error of a read, and in no log entry', async () => {
    const { client, log } = await make([answer(echo)])
    const result = await client.read(READING, (wire) =>
      wire.listCompanies({}, (raw) => {
        const decoded = decodeEnvelope(raw)
        const errors = decoded.ok ? decoded.value.errors : []
        return Promise.resolve(err(translateErrors('', errors, 'r-2', 200)))
      }),
    )
    expect(result).toMatchObject({
      ok: false,
      error: { message: 'The service says: Something about ••• •••' },
    })
    expect(JSON.stringify([result, log])).not.toContain(KEY)
  })

  it('is in no error of a write’s envelope', async () => {
    const { client, log } = await make([answer(echo)])
    const result = await insert(client)
    const envelope = result.ok && result.value.outcome === 'answered' ? result.value.envelope : null
    expect(envelope?.errors).toHaveLength(1)
    expect(JSON.stringify([envelope, log])).not.toContain(KEY)
  })
})

describe('a write', () => {
  it('is sent once with the exact text', async () => {
    const { client, seen } = await make([answer(EMPTY)])
    expect(await insert(client)).toMatchObject({ ok: true, value: { outcome: 'answered' } })
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatch(/^POST \/v2\/data\/e\/customer HTTP/)
    expect(seen[0]?.toLowerCase()).toContain('schemaversion: 20.04')
    expect(seen[0]).toContain('\r\n\r\n{"ID":"","Name":"A"}')
  })

  it.each([
    ['dropped', drop],
    ['reset', reset],
    ['cut in the middle', half],
    ['silent', hang],
    ['silent after its head', silence],
    ['answered with 421', answer('', '421 Misdirected')],
    ['answered with 429', answer('', '429 Too Many', 'retry-after: 1\r\n')],
    ['answered with a redirect', answer('', '308 Moved', 'location: http://127.0.0.1:1/\r\n')],
    ['answered with a page', answer('<html>Sign in</html>')],
    ['answered with half an envelope', answer('{"Contents":[')],
    ['answered with nothing', answer('', '500 Error')],
  ])('that is %s is unknown, and is on the wire once', async (_name, behavior) => {
    const { client, seen } = await make([behavior])
    expect(await insert(client)).toMatchObject({ ok: true, value: { outcome: 'uncertain' } })
    expect(seen).toHaveLength(1)
  })

  it('to a host that refuses connections certainly wasn’t sent', async () => {
    const { client } = await make([answer(EMPTY)])
    await Promise.all(closing.splice(0).map((close) => close()))
    expect(await insert(client)).toMatchObject({
      ok: true,
      value: { outcome: 'not-sent', error: { kind: 'unreachable' } },
    })
  })

  it('whose key is rejected is a refusal', async () => {
    const { client, scheduler } = await make([answer('', '403 Forbidden')])
    expect(await insert(client)).toMatchObject({ ok: true, value: { outcome: 'refused-key' } })
    expect(scheduler.queues()[0]?.paused).toMatchObject({ kind: 'unauthorized' })
  })
})

describe('a slot', () => {
  it('sends nothing that can’t be journaled first', async () => {
    const { client, seen } = await make([answer(EMPTY)], {}, { isDiskFull: true })
    expect(await insert(client)).toMatchObject({ ok: true, value: { outcome: 'not-sent' } })
    expect(seen).toEqual([])
  })

  it('is refused if the key was changed while it waited', async () => {
    const keys = ['queue of before', 'queue of now']
    const { client, seen } = await make([answer(EMPTY)], {}, { queueOf: () => keys.shift() ?? '' })
    expect((await insert(client)).ok).toBe(false)
    expect(seen).toEqual([])
  })

  it('blocks the queue between its requests while the previous one may still run', async () => {
    const { client, seen, shut } = await make([drop, answer(EMPTY)])
    await client.withSlot(READING, async (wire) => {
      await wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw)))
      expect(shut).toHaveLength(1)
      return wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw)))
    })
    expect(seen).toHaveLength(2)
    expect(shut, 'once for each request, and once between').toHaveLength(3)
  })

  it('that was stopped sends nothing else, and blocks the queue for a moment', async () => {
    const { client, scheduler, seen, shut } = await make([answer(EMPTY)])
    const end = await client.withSlot({ ...READING, isWrite: true }, async (wire) => {
      await wire.listCompanies({}, (raw) => Promise.resolve(decodeEnvelope(raw)))
      const running = scheduler.queues()[0]?.running
      scheduler.stop(running?.entryId ?? '')
      return ok(await wire.insertRecords('e', 'customer', '{}'))
    })
    expect(end).toMatchObject({
      result: { value: { outcome: 'not-sent', error: { kind: 'stopped' } } },
      wasAbandoned: true,
    })
    expect(seen).toHaveLength(1)
    await expect.poll(() => shut.length, { message: 'for the request, and for what was let go of' }).toBe(2)
  })
})

describe('one request at a time', () => {
  it('holds under load, with reads, writes, drops, and stops', async () => {
    let atWork = 0
    let most = 0
    const slow: Behavior = (socket) => {
      atWork += 1
      most = Math.max(most, atWork)
      // Long enough for a simultaneous request to arrive.
      const work = (turns: number): void => {
        if (turns > 0) {
          setImmediate(work, turns - 1)
          return
        }
        atWork -= 1
        answer(EMPTY)(socket, '')
      }
      work(20)
    }
    const { client, scheduler, seen } = await make([slow], { readSeconds: 30, writeSeconds: 30 })
    const all: Promise<unknown>[] = []
    for (let index = 0; index < 60; index += 1) {
      all.push(index % 3 === 0 ? insert(client) : list(client))
      if (index % 10 === 9) {
        const running = scheduler.queues()[0]?.running
        if (running) scheduler.stop(running.entryId)
      }
    }
    await Promise.all(all)
    await vi.waitFor(() => expect(scheduler.queues()[0]).toMatchObject({ running: null, waiting: [] }))
    expect(most).toBe(1)
    expect(seen.length).toBeGreaterThan(50)
  })

  it('returns control to the user at once, and sends the next request only after the answer has arrived', async () => {
    const order: string[] = []
    const asked = Promise.withResolvers<undefined>()
    const mayAnswer = Promise.withResolvers<undefined>()
    const slow: Behavior = (socket, text) => {
      order.push(`asked ${text.split(' ')[0] ?? ''}`)
      asked.resolve(undefined)
      void mayAnswer.promise.then(() => {
        order.push('answered')
        answer(EMPTY)(socket, '')
      })
    }
    const { client, scheduler } = await make([slow], { readSeconds: 30, writeSeconds: 30 })
    const first = list(client)
    await asked.promise
    const running = scheduler.queues()[0]?.running
    if (running) scheduler.stop(running.entryId)
    expect(await first).toMatchObject({ ok: false, error: { kind: 'stopped' } })
    expect(order).toEqual(['asked GET'])
    const next = insert(client)
    mayAnswer.resolve(undefined)
    await next
    expect(order).toEqual(['asked GET', 'answered', 'asked POST', 'answered'])
  })
})

describe('Retry-After', () => {
  it('is seconds or a date', () => {
    const date = 'Sat, 21 Nov 2026 10:00:10 GMT'
    expect(busyError(429, '7', 0)?.wait).toBe(7_000)
    expect(busyError(429, date, Date.UTC(2026, 10, 21, 10, 0, 0))?.wait).toBe(10_000)
    expect(busyError(429, 'soon', 0)?.wait).toBeNull()
  })
})

describe('an ID or a name that would lead to another path', () => {
  it.each([
    '.',
    '..',
    '%2e%2E',
    '%252e.',
    '%25%32%65.',
    'a/../b',
    '..\\b',
    '..%2fManage',
    '..;x',
    ' .. ',
    '\u2025',
  ])('%j isn’t sent, with an error', async (evil) => {
    const { client, seen } = await make([answer(EMPTY)])
    const read = (endpointId: string, object: string) =>
      client.read(READING, (wire) =>
        wire.readRecords(endpointId, object, {}, (raw) => Promise.resolve(decodeEnvelope(raw))),
      )
    for (const result of [await read(evil, 'customer'), await read('e', evil)]) {
      expect(result).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    }
    const { result } = await client.withSlot({ ...READING, isWrite: true }, async (wire) =>
      ok(await wire.insertRecords(evil, 'customer', '{}')),
    )
    expect(result).toMatchObject({ value: { outcome: 'not-sent', error: { kind: 'invalid-input' } } })
    expect(seen).toHaveLength(0)
    expect(parseAddress(`https://service.example/${evil}/v2`).ok).toBe(false)
  })

  it('doesn’t include one with dots elsewhere', async () => {
    const { client, seen } = await make([answer(EMPTY)])
    const object = 'a..b. %41/...'
    const made = await client.read(READING, (wire) =>
      wire.readRecords('..e', object, { ids: ['..', '.'] }, (raw) => Promise.resolve(decodeEnvelope(raw))),
    )
    expect(made.ok).toBe(true)
    expect(seen[0]?.split(' ')[1]).toBe(`/v2/data/..e/${encodeURIComponent(object)}?id=..&id=.`)
    expect(parseAddress('https://service.example/a..b/v2')).toMatchObject({
      value: { address: 'https://service.example/a..b' },
    })
  })
})

describe('a compressed answer', () => {
  /** Unpacking may take any time, and no deadline is tested here. */
  const PATIENT = { readSeconds: 600, writeSeconds: 600 }
  const body = Buffer.from(JSON.stringify({ Contents: [], RequestId: 'r-7', Pad: 'x'.repeat(70_000) }))
  const packed = (bytes: Buffer, coding: string): Behavior => {
    return (socket) => {
      const head = `content-encoding: ${coding}\r\ncontent-length: ${String(bytes.length)}`
      socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n`), bytes]))
    }
  }
  const CODINGS = {
    gzip: gzipSync,
    'X-GZIP': gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  }
  const cases = Object.entries(CODINGS).map(([coding, pack]) => ({ coding, pack }))

  it.each([...cases, { coding: 'deflate', pack: deflateRawSync }])(
    'is read: $coding',
    async ({ coding, pack }) => {
      const { client } = await make(
        [
          packed(pack(body), coding),
          packed(gzipSync(pack(body)), `identity, ${coding},gzip`),
          packed(Buffer.alloc(0), coding),
        ],
        PATIENT,
      )
      expect(await list(client)).toMatchObject({ ok: true, value: { requestId: 'r-7' } })
      expect(await list(client)).toMatchObject({ ok: true, value: { requestId: 'r-7' } })
      expect(await list(client)).toMatchObject({ ok: false, error: { kind: 'malformed-response' } })
    },
  )

  it.each(cases)('is an error if it can’t be unpacked: $coding', async ({ coding, pack }) => {
    const { client, log } = await make(
      [
        packed(body, coding),
        packed(pack(body).subarray(0, -3), coding),
        packed(Buffer.concat([pack(body), Buffer.from(KEY)]), coding),
        packed(pack(body), `${coding}, ${KEY}`),
        packed(pack(body), Array.from({ length: 4 }, () => coding).join()),
      ],
      PATIENT,
    )
    for (let time = 0; time < 5; time += 1) {
      const result = await list(client)
      expect(result).toMatchObject({ ok: false, error: { kind: 'malformed-response' } })
      expect(JSON.stringify([result, log])).toContain('compressed data that can’t be read')
      expect(JSON.stringify([result, log])).not.toContain(KEY)
    }
  })

  it('that is invalid makes a write unknown', async () => {
    const { client } = await make([packed(body, 'gzip')], PATIENT)
    expect(await insert(client)).toMatchObject({
      value: { outcome: 'uncertain', error: { kind: 'malformed-response' } },
    })
  })

  it.each(cases)(
    'is limited by its unpacked size, and a dropped connection is reported as such: $coding',
    async ({ coding, pack }) => {
      const bomb = pack(Buffer.alloc(8 * 1_048_576))
      const cut: Behavior = (socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${coding}\r\ncontent-length: 100000\r\n\r\n`)
        socket.write(pack(body).subarray(0, 40), () => socket.destroy())
      }
      const { client } = await make([packed(pack(bomb), `${coding}, ${coding}`), cut], {
        ...PATIENT,
        responseMebibytes: 1,
      })
      expect(await list(client)).toMatchObject({ ok: false, error: { kind: 'too-large' } })
      expect(await list(client)).toMatchObject({ ok: false, error: { kind: 'dropped' } })
    },
  )
})
