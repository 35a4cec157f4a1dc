// The loopback server's faults: their effect on the caller, and whether the request was executed.
import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Fault, type FaultRule } from '../sample-server/faults.ts'
import { type SampleServer, type ServerTime, startSampleServer } from '../sample-server/server.ts'
import { VirtualClock } from '../virtual-clock.ts'

let server: SampleServer
let time: WatchedTime
let customerPath: string

/** Virtual time that reports when a request starts to wait, and when none is left. */
class WatchedTime implements ServerTime {
  readonly #clock = new VirtualClock()
  #waiting = Promise.withResolvers<undefined>()
  #open = 0

  now(): number {
    return this.#clock.now()
  }

  after(_headers: unknown, milliseconds: number, callback: () => void): () => void {
    this.#waiting.resolve(undefined)
    return this.#clock.after(milliseconds, callback)
  }

  arrived(): void {
    this.#waiting = Promise.withResolvers<undefined>()
    this.#open += 1
  }

  silent(): void {
    this.#waiting.resolve(undefined)
  }

  ended(): void {
    this.#open -= 1
  }

  /** Resolves when the latest request waits for time or for its caller to disconnect. */
  waiting(): Promise<undefined> {
    return this.#waiting.promise
  }

  /** Advances time until no request is left. */
  async idle(): Promise<void> {
    while (this.#open > 0) await this.#clock.advance(1_000)
  }

  /** Advances time until the promise has settled. */
  async turn<T>(work: Promise<T>): Promise<T> {
    const outcome = { isSettled: false }
    const settle = (): void => {
      outcome.isSettled = true
    }
    work.then(settle, settle)
    while (!outcome.isSettled) await this.#clock.advance(1_000)
    return await work
  }
}

beforeEach(async () => {
  time = new WatchedTime()
  server = await startSampleServer({ today: '2026-03-31', customers: 12, volume: 0.1, time })
  const [first] = server.service.state().companies
  customerPath = `/v2/data/${first?.endpointId ?? ''}/customer`
})
afterEach(async () => {
  await server.close()
})

async function send(path: string, init: RequestInit = {}): Promise<Response> {
  return await fetch(server.url + path, { redirect: 'manual', ...init, headers: { 'x-api-key': server.key } })
}

async function insert(name: string): Promise<Response> {
  return await send(customerPath, { method: 'POST', body: JSON.stringify({ ID: '', Name: name }) })
}

async function wasInserted(name: string): Promise<boolean> {
  server.control({ clearFaults: true })
  await time.idle()
  return (await (await send(customerPath)).text()).includes(`"Name":"${name}"`)
}

interface Envelope {
  readonly MoreData: boolean | null
  readonly HasErrors: boolean
  readonly Contents: readonly { readonly Object: { readonly ID: string } | null; readonly Errors: unknown }[]
}

async function read(query = ''): Promise<Envelope> {
  return (await (await send(customerPath + query)).json()) as Envelope
}

describe('a connection that fails', () => {
  it.each<[string, Fault, boolean]>([
    ['dropped before the work', { kind: 'drop', when: 'before' }, false],
    ['dropped after the work', { kind: 'drop', when: 'after' }, true],
    ['reset before the work', { kind: 'reset', when: 'before' }, false],
    ['reset after the work', { kind: 'reset', when: 'after' }, true],
    ['broken within the answer', { kind: 'truncate', abruptly: true }, true],
  ])('%s: the caller gets an error', async (_words, fault, done) => {
    server.addFaults({ fault })
    await expect(insert('Test, Fault').then(async (answer) => await answer.text())).rejects.toThrow()
    expect(await wasInserted('Test, Fault')).toBe(done)
  })

  it('is reset with an RST, not closed', async () => {
    server.addFaults({ fault: { kind: 'reset', when: 'before' } })
    const code = await new Promise((resolve) => {
      const outgoing = httpRequest(server.url + customerPath, { headers: { 'x-api-key': server.key } })
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code)
      })
      outgoing.end()
    })
    expect(code).toBe('ECONNRESET')
  })
})

describe('a response that never arrives', () => {
  let caller: AbortController
  beforeEach(() => {
    caller = new AbortController()
  })
  /** The caller disconnects once the server keeps it waiting. */
  const giveUp = async (asked: Promise<Response>): Promise<void> => {
    const text = asked.then((answer) => answer.text())
    text.catch(() => undefined)
    await expect.poll(() => server.counters().received).toBe(1)
    await time.waiting()
    caller.abort()
    await expect(text).rejects.toThrow()
  }

  it.each<[string, Fault, boolean]>([
    ['hangs before the work', { kind: 'hang', when: 'before' }, false],
    ['hangs after the work', { kind: 'hang', when: 'after' }, true],
    ['is a head and then silence', { kind: 'silence' }, true],
    ['trickles', { kind: 'trickle', bytes: 4, everyMs: 200 }, true],
  ])('%s: the caller gives up', async (_words, fault, done) => {
    server.addFaults({ fault })
    const body = JSON.stringify({ ID: '', Name: 'Test, Hang' })
    await giveUp(send(customerPath, { method: 'POST', body, signal: caller.signal }))
    expect(await wasInserted('Test, Hang')).toBe(done)
  })

  it('keeps the service working after its caller is gone', async () => {
    server.addFaults({ match: { method: 'POST' }, fault: { kind: 'slow', milliseconds: 400 } })
    const body = JSON.stringify({ ID: '', Name: 'Test, Slow' })
    await giveUp(send(customerPath, { method: 'POST', body, signal: caller.signal }))
    expect((await send(customerPath)).status).toBe(409)
    expect(await wasInserted('Test, Slow')).toBe(true)
    expect(server.counters()).toMatchObject({ mostAtOnce: 2, refused: 1 })
  })
})

describe('a gateway that gives up', () => {
  it.each<[string, Fault]>([
    ['a cut connection', { kind: 'cutOff', workMs: 200 }],
    ["a gateway's page", { kind: 'cutOff', workMs: 200, status: 504 }],
  ])(
    '%s arrives immediately, and the service continues until it has done what it was asked',
    async (_words, fault) => {
      server.control({ clearRequests: true })
      server.addFaults({ match: { method: 'POST' }, fault })
      const came = await insert('Test, Cut off').then(
        ({ status }) => status,
        () => undefined,
      )
      expect(came).toBe('status' in fault ? fault.status : undefined)
      expect((await send(customerPath)).status).toBe(409)
      expect(await wasInserted('Test, Cut off')).toBe(true)
    },
  )
})

describe('a request that is still arriving', () => {
  it('counts as running once its headers have arrived, so another request counts as the second', async () => {
    const body = JSON.stringify({ ID: '', Name: 'Test, Upload' })
    const headers = { 'x-api-key': server.key, 'content-length': String(body.length) }
    const upload = httpRequest(server.url + customerPath, { method: 'POST', headers })
    const uploaded = new Promise<number | undefined>((resolve, reject) => {
      upload.on('error', reject)
      upload.on('response', (answer) => {
        answer.resume()
        answer.on('end', () => {
          resolve(answer.statusCode)
        })
      })
    })
    upload.write(body.slice(0, 5))
    await expect.poll(() => server.counters().received).toBe(1)
    expect((await send(customerPath)).status).toBe(409)
    expect((await insert('Test, Second')).status).toBe(409)
    upload.end(body.slice(5))
    expect(await uploaded).toBe(200)
    expect(server.counters()).toMatchObject({ received: 3, mostAtOnce: 2, refused: 2 })
    expect(server.counters().requests.map((request) => [request.body, request.second])).toEqual([
      [body, false],
      ['', true],
      [JSON.stringify({ ID: '', Name: 'Test, Second' }), true],
    ])
    expect(await wasInserted('Test, Upload')).toBe(true)
    expect(await wasInserted('Test, Second')).toBe(false)
  })

  it('no longer counts as running if its caller disconnects while sending it', async () => {
    const headers = { 'x-api-key': server.key, 'content-length': '100' }
    const upload = httpRequest(server.url + customerPath, { method: 'POST', headers })
    upload.on('error', () => undefined)
    upload.write('{')
    await expect.poll(() => server.counters().received).toBe(1)
    upload.destroy()
    await expect.poll(async () => (await send(customerPath)).status).toBe(200)
  })
})

describe('a response that trickles', () => {
  it.each([4, 64, 1_000_000])('ends with its last byte, in pieces of %d', async (bytes) => {
    const terms = customerPath.replace('customer', 'terms?id=none')
    const length = (await (await send(terms)).text()).length
    const everyMs = bytes === 4 ? 2 : 300
    server.addFaults({ fault: { kind: 'trickle', bytes, everyMs } })
    const slow = await time.turn(send(terms).then((answer) => answer.text()))
    // The caller has received everything, so the next request isn't concurrent.
    expect((await send(terms)).status).toBe(200)
    expect(slow.length).toBe(length)
    expect(server.counters().refused).toBe(0)
  })
})

describe('a response that isn’t an envelope', () => {
  it.each<[string, Fault, number, RegExp]>([
    ['a login page', { kind: 'html' }, 200, /^<!DOCTYPE html>/],
    ['a page with a status', { kind: 'status', status: 500, body: 'html' }, 500, /Sign in/],
    ['nothing at all', { kind: 'status', status: 502, body: 'empty' }, 502, /^$/],
    ['an envelope with a status', { kind: 'status', status: 429, retryAfter: 7 }, 429, /"HasErrors":true/],
    ['half of the JSON', { kind: 'truncate', share: 0.5 }, 200, /^\{"Self".*[^}]$/],
    ['any text', { kind: 'body', text: '[1,2', status: 200 }, 200, /^\[1,2$/],
    ['a redirect', { kind: 'redirect', location: 'http://127.0.0.1:9/' }, 302, /Moved/],
  ])('%s', async (_words, fault, status, text) => {
    server.addFaults({ fault })
    const answer = await send(customerPath)
    expect(answer.status).toBe(status)
    if (fault.kind === 'status' && fault.retryAfter !== undefined)
      expect(answer.headers.get('retry-after')).toBe('7')
    expect(await answer.text()).toMatch(text)
  })
})

describe('an envelope with wrong content', () => {
  it('omits, repeats, or reorders items', async () => {
    const good = (await read()).Contents.map((item) => item.Object?.ID)
    server.addFaults(
      { fault: { kind: 'missingItems', count: 2 } },
      { fault: { kind: 'extraItems' } },
      { fault: { kind: 'reorderedItems' } },
    )
    expect((await read()).Contents.map((item) => item.Object?.ID)).toEqual(good.slice(0, -2))
    expect((await read()).Contents.map((item) => item.Object?.ID)).toEqual([...good, good[0]])
    expect((await read()).Contents.map((item) => item.Object?.ID)).toEqual(good.toReversed())
  })

  it('puts an error on an item, with or without its record', async () => {
    server.addFaults(
      { fault: { kind: 'itemError', index: 1 } },
      { fault: { kind: 'itemError', index: 1, keepRecord: true } },
    )
    const bare = await read()
    expect(bare.HasErrors).toBe(true)
    expect(bare.Contents[1]).toMatchObject({ Object: null, Errors: [{ Code: '3180' }] })
    expect((await read()).Contents[1]?.Object).not.toBeNull()
  })

  it('always says that there are more items', async () => {
    server.addFaults({ fault: { kind: 'endlessMoreData' }, times: 0 })
    const [first, second] = [await read('?page=1'), await read('?page=2')]
    expect([first.MoreData, second.MoreData]).toEqual([true, true])
    expect(second.Contents.length).toBe(first.Contents.length)
    const ids = [...first.Contents, ...second.Contents].map((item) => item.Object?.ID)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('repeats a page', async () => {
    server.addFaults({ fault: { kind: 'repeatedPage' }, times: 0 })
    const [first, second] = [await read('?page=1'), await read('?page=2')]
    expect([first.MoreData, second.MoreData]).toEqual([true, true])
    expect(second.Contents).toEqual(first.Contents)
  })

  it('splits a list into pages if a page size is set', async () => {
    const whole = (await read()).Contents
    server.control({ pageSize: 5 })
    const pages = [await read('?page=1'), await read('?page=2'), await read('?page=3')]
    expect(pages.map((page) => page.MoreData)).toEqual([true, true, false])
    expect(pages.map((page) => page.Contents.length)).toEqual([5, 5, 2])
    expect(pages.flatMap((page) => page.Contents)).toEqual(whole)
  })

  it('omits members', async () => {
    server.addFaults({ fault: { kind: 'missingMembers', members: ['Contents', 'HasErrors'] } })
    const envelope = await read()
    expect(envelope).not.toHaveProperty('Contents')
    expect(envelope).toHaveProperty('RequestId')
  })
})

describe('rules', () => {
  const refusedBy = async (...rules: readonly FaultRule[]): Promise<boolean[]> => {
    server.addFaults(...rules)
    const refused: boolean[] = []
    for (let count = 0; count < 6; count++) refused.push((await send(customerPath)).status === 503)
    return refused
  }
  const fault: Fault = { kind: 'status', status: 503 }

  it('apply to a number of matching requests, starting with the nth', async () => {
    expect(await refusedBy({ nth: 2, times: 3, fault })).toEqual([false, true, true, true, false, false])
  })

  it('apply only to what they match', async () => {
    expect(await refusedBy({ match: { method: 'PATCH' }, times: 0, fault })).not.toContain(true)
    expect(await refusedBy({ match: { path: '/CUSTOMER' }, times: 0, fault })).not.toContain(false)
  })

  it('are repeatable by seed if they are random', async () => {
    const first = await refusedBy({ times: 0, chance: 0.5, fault })
    const again = await startSampleServer({ today: '2026-03-31', customers: 12, volume: 0.1 })
    await server.close()
    server = again
    expect(await refusedBy({ times: 0, chance: 0.5, fault })).toEqual(first)
    expect(first).toContain(true)
    expect(first).toContain(false)
  })

  it('are set over HTTP, and received requests are reported without the key', async () => {
    const body = JSON.stringify({ faults: [{ fault }] })
    const set = await fetch(server.controlUrl, { method: 'POST', body })
    expect(set.status).toBe(200)
    await send(`${customerPath}?note=${server.key}`)
    const told = await (await fetch(server.controlUrl)).text()
    expect(told).not.toContain(server.key)
    expect(JSON.parse(told)).toMatchObject({
      received: 1,
      mostAtOnce: 1,
      refused: 0,
      requests: [{ method: 'GET', path: customerPath, status: 503, fault: 'status', second: false }],
    })
    const wrong = await fetch(server.controlUrl, {
      method: 'POST',
      body: '{"faults":[{"fault":{"kind":"flood"}}]}',
    })
    expect(wrong.status).toBe(400)
    const unknown = await fetch(server.controlUrl, {
      method: 'POST',
      body: '{"conditions":{"machine":"asleep"}}',
    })
    expect(unknown.status).toBe(400)
  })
})
