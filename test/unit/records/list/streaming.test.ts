/**
 * A list that is shown while it is still arriving: what is available early, what is removed again, and what is kept.
 */
import { afterAll, describe, expect, test } from 'vitest'
import { type PagesProgress, readPages } from '../../../../electron/app/records/pages.ts'
import { createSystemClock, throttle } from '../../../../electron/clock.ts'
import { createRows } from '../../../../electron/rows/rows-client.ts'
import { createMask } from '../../../../electron/service/errors/redact.ts'
import type {
  CountedResponse,
  Decoder,
  OnBytes,
  RawResponse,
  Wire,
} from '../../../../electron/service/protocol/wire.ts'
import { startDeadline } from '../../../../electron/service/transport/deadline.ts'
import { exchange } from '../../../../electron/service/transport/exchange.ts'
import { appError, err, ok, type Result } from '../../../../shared/result.ts'
import { value } from '../../../result.ts'
import { VirtualClock } from '../../../virtual-clock.ts'
import { standIn } from './stand-in.ts'

const rows = createRows(
  new URL('../../../../electron/rows/rows-worker.ts', import.meta.url),
  createSystemClock(),
)
afterAll(() => rows.close())

const ITEMS = Array.from({ length: 20 }, (_, index) => ({
  Object: { ID: `${index + 1}`, Name: `N${index}` },
}))
const BODY = JSON.stringify({ Page: 1, MoreData: false, RequestId: 'r', Contents: ITEMS, Errors: null })
const HALF = BODY.slice(0, BODY.indexOf('{"ID":"11"'))

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
function raw(text: string): RawResponse {
  const block = bytes(text)
  return { status: 200, contentType: 'application/json', blocks: [block], length: block.length }
}
const dropped = () => err(appError('dropped', 'It broke off.', ''))
const stopped = () => err(appError('stopped', 'Stopped.', ''))

/** The service's response to one attempt. */
type Answer = <T extends CountedResponse>(decode: Decoder<T>, onBytes: OnBytes) => Promise<Result<T>>

/** Reads a list with these responses, one per attempt. */
function reading(...answers: readonly Answer[]) {
  const told = Promise.withResolvers<PagesProgress>()
  const progress: PagesProgress[] = []
  let isStopped = false
  let tried = 0
  const wire = standIn<Wire>({
    target: { mask: createMask(['key-of-the-test']) },
    readRecords: (_id: string, _object: string, _query: object, decode: Decoder<never>, onBytes?: OnBytes) =>
      answers[tried++]?.(decode, onBytes ?? (() => undefined)) ?? Promise.resolve(dropped()),
  })
  const read = readPages({
    rows,
    endpointId: 'e',
    object: 'customer',
    application: 'qbd',
    query: { ids: [], modTimeStart: null, modTimeEnd: null },
    mostMebibytes: 10,
    tellsEarly: true,
    isStopped: () => isStopped,
    ask: async (operation) => {
      let answer = await operation(wire)
      while (!answer.ok && answer.error.kind === 'dropped' && tried < answers.length)
        answer = await operation(wire)
      return answer
    },
    onProgress: (_wire, each) => {
      progress.push(each)
      told.resolve(each)
    },
  })
  return { read, progress, early: told.promise, stop: () => (isStopped = true) }
}

async function idsOf(setId: string): Promise<readonly unknown[]> {
  const piece = value(await rows.chunk(setId, 0, 100))
  return (JSON.parse(new TextDecoder().decode(piece.bytes)) as { ID: string }[]).map(({ ID }) => ID)
}

const FIRST_TEN = ITEMS.slice(0, 10).map(({ Object: { ID } }) => ID)

test('what a slow service has sent is passed on early, in order, and once', async () => {
  const clock = new VirtualClock()
  const rest = Promise.withResolvers<undefined>()
  const second = Promise.withResolvers<undefined>()
  const heard: string[] = []
  const body = new ReadableStream<Uint8Array>({
    async start(stream) {
      stream.enqueue(bytes('one '))
      await clock.sleep(450)
      stream.enqueue(bytes('two '))
      second.resolve(undefined)
      await rest.promise
      stream.enqueue(bytes('three'))
      stream.close()
    },
  })
  const answer = exchange(
    {
      ...{ method: 'GET', url: 'http://service.example/', host: 'service.example', headers: {}, body: null },
      ...{
        seconds: 60,
        mostBytes: 1_000,
        mask: createMask([]),
        fetch: () => Promise.resolve(new Response(body)),
      },
      onBytes: (each) => heard.push(new TextDecoder().decode(each)),
    },
    startDeadline(clock, 600),
    clock,
  )
  await clock.run(second.promise)
  await clock.settle()
  expect(heard).toEqual(['one two '])
  rest.resolve(undefined)
  expect(await answer).toMatchObject({ hasResponse: true, raw: { length: 13 } })
})

describe('the first page', () => {
  test('returns what is there before it processes everything that has arrived', async () => {
    const setId = await rows.openSet()
    const blocks = Array.from({ length: 50 }, () => HALF.slice(HALF.indexOf('{"Object"')))
    const done: string[] = []
    const added = [HALF, ...blocks].map(async (block) => {
      value(await rows.addBytes(setId, bytes(block)))
      done.push('block')
    })
    await added[0]
    expect(await idsOf(setId)).toEqual(FIRST_TEN)
    done.push('asked')
    await Promise.all(added)
    expect(done.indexOf('asked')).toBeLessThan(5)
    await rows.closeSet(setId)
  })

  test('is available as far as it has arrived, and stays the same when the rest arrives', async () => {
    const rest = Promise.withResolvers<undefined>()
    const { read, early } = reading(async (decode, onBytes) => {
      onBytes(bytes(HALF))
      await rest.promise
      return decode(raw(BODY))
    })
    const { setId, count, pages } = await early
    expect({ count, pages }).toEqual({ count: 10, pages: 0 })
    expect(await idsOf(setId)).toEqual(FIRST_TEN)
    rest.resolve(undefined)
    const whole = value(await read)
    expect(whole).toMatchObject({ setId, count: 20, pages: 1, partialReason: '' })
    expect(await idsOf(setId)).toEqual(ITEMS.map(({ Object: { ID } }) => ID))
  })

  test('that broke off and is requested again starts over, and keeps nothing of the previous try', async () => {
    const again = Promise.withResolvers<undefined>()
    const { read, early } = reading(
      async (_decode, onBytes) => {
        onBytes(bytes(HALF))
        await again.promise
        return dropped()
      },
      (decode) => decode(raw(BODY)),
    )
    const { setId } = await early
    again.resolve(undefined)
    const whole = value(await read)
    expect(whole.setId).not.toBe(setId)
    expect(whole.count).toBe(20)
    expect(await rows.chunk(setId, 0, 1)).toMatchObject({ ok: false, error: { kind: 'not-found' } })
  })

  test('that is stopped in between keeps what arrived as partial, and its late answer adds nothing', async () => {
    let late: (() => Promise<Result<unknown>>) | undefined
    const going = Promise.withResolvers<undefined>()
    const { read, early, stop } = reading(async (decode, onBytes) => {
      onBytes(bytes(HALF))
      late = () => decode(raw(BODY))
      await going.promise
      return stopped()
    })
    await early
    stop()
    going.resolve(undefined)
    const partial = value(await read)
    expect(partial).toMatchObject({ count: 10, partialReason: 'You stopped it.' })
    expect(await late?.()).toMatchObject({
      ok: false,
      error: { kind: 'not-found', details: { requestId: 'r' } },
    })
    expect(await idsOf(partial.setId)).toEqual(FIRST_TEN)
  })

  test('whose last try broke off is kept as far as it arrived, with the reason', async () => {
    const { read } = reading((_decode, onBytes) => {
      onBytes(bytes(HALF))
      return Promise.resolve(dropped())
    })
    expect(value(await read)).toMatchObject({ count: 10, partialReason: 'It broke off.' })
  })

  test('that turns out not to be an envelope is an error, and nothing of it is kept', async () => {
    const { read, early } = reading(async (decode, onBytes) => {
      onBytes(bytes(HALF))
      await Promise.resolve()
      return decode(raw(`${HALF}<html>`))
    })
    expect(await read).toMatchObject({ ok: false, error: { kind: 'malformed-response' } })
    const { setId } = await early
    expect((await rows.chunk(setId, 0, 1)).ok).toBe(false)
  })

  test('that is stopped before anything arrived is an error', async () => {
    const { read } = reading(() => Promise.resolve(stopped()))
    expect(await read).toMatchObject({ ok: false, error: { kind: 'stopped' } })
  })
})

test('a throttled call runs at once, then with the latest value', async () => {
  const clock = new VirtualClock()
  const told: number[] = []
  const tell = throttle<number>(clock, 20, (latest) => told.push(latest))
  for (const each of [1, 2, 3]) tell(each)
  expect(told).toEqual([1])
  await clock.advance(20)
  expect(told).toEqual([1, 3])
})

test('an empty list is complete', async () => {
  const { read } = reading((decode) => decode(raw('{"MoreData":false,"Contents":[]}')))
  expect(await read).toEqual(ok(expect.objectContaining({ count: 0, partialReason: '' })))
})
