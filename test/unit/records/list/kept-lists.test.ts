// Copies of lists on this computer: exact, unreadable without their key, intact after a crash at any byte, and deleted on
// request.
import type * as files from 'node:fs'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { KeptBooks, type KeptBooksOptions } from '../../../../electron/app/all-companies/kept-books.ts'
import { KeptLists } from '../../../../electron/app/records/kept-lists.ts'
import { createSystemClock } from '../../../../electron/clock.ts'
import { createRows } from '../../../../electron/rows/rows-client.ts'
import type { CompanyRef } from '../../../../shared/contract/parts.ts'
import type { OpenedSet, Operation } from '../../../../shared/contract/records.ts'
import { findQuery } from '../../../../shared/records/search-text.ts'
import { appError, err } from '../../../../shared/result.ts'
import { memorySecrets } from '../../../reliability/world/core-parts.ts'
import { value } from '../../../result.ts'
import { createRowsInThread } from '../../../rows-in-thread.ts'
import { isDeep } from '../../../seeds.ts'
import { VirtualClock } from '../../../virtual-clock.ts'
import { testFolder } from '../../writing/world.ts'
import { standIn } from './stand-in.ts'

/** The simulated disk of the rows in this thread: how many bytes still fit, and whether files can be renamed. */
const disk = vi.hoisted(() => ({ room: Infinity, canRename: true, open: new Set<number>() }))

vi.mock('node:fs', async (original) => {
  const real = await original<typeof files>()
  const full = (): Error => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  const mocked = {
    openSync(...given: Parameters<typeof files.openSync>) {
      const handle = real.openSync(...given)
      disk.open.add(handle)
      return handle
    },
    closeSync(handle: number) {
      if (!disk.open.delete(handle)) throw new Error('EBADF: bad file descriptor')
      real.closeSync(handle)
    },
    writeSync(handle: number, bytes: Uint8Array, from: number, length: number, at: number) {
      if (disk.room === 0) throw full()
      // A disk that is nearly full writes only a part.
      const taken = Math.min(disk.room, length)
      disk.room -= taken
      return real.writeSync(handle, bytes, from, taken, at)
    },
    renameSync(...given: Parameters<typeof files.renameSync>) {
      if (!disk.canRename) throw full()
      real.renameSync(...given)
    },
  }
  return { ...real, ...mocked }
})

const inWorker = createRows(
  new URL('../../../../electron/rows/rows-worker.ts', import.meta.url),
  createSystemClock(),
)
let rows = inWorker
afterAll(() => inWorker.close())

afterEach(() => {
  Object.assign(disk, { room: Infinity, canRename: true })
  disk.open.clear()
  rows = inWorker
})

/** Bytes between two that are damaged, or at which a crash happens. */
const STEP = isDeep ? 1 : 5

const COMPANY = { connectionId: 'connection-of-the-test', endpointId: 'endpoint-of-the-test' }

/** Texts of records as a service might write them: numbers, escapes, spaces, and members in any order. */
function recordText(at: number, phone: string): string {
  return `{ "ID":"${at}", "Name":"Müller \\u0026 Söhne ${at}","Balance": ${at}.10 ,"Phone":"${phone}", "Open":null }`
}

async function setOf(texts: readonly string[]): Promise<string> {
  const items = texts.map((text) => `{"Object":${text}}`).join(',')
  const body = `{"Status":200,"Page":1,"MoreData":false,"RequestId":"r","Contents":[${items}],"Errors":null}`
  const block = new TextEncoder().encode(body)
  const setId = await rows.openSet()
  value(
    await rows.addPage(setId, {
      status: 200,
      contentType: 'application/json',
      blocks: [block],
      length: block.length,
    }),
  )
  return setId
}

async function readSet(texts: readonly string[], change: Partial<OpenedSet> = {}): Promise<OpenedSet> {
  const setId = await setOf(texts)
  return {
    setId,
    company: COMPANY,
    object: 'customer',
    filter: { ids: [], modifiedFrom: null, modifiedTo: null },
    count: texts.length,
    fields: value(await rows.shape(setId)),
    readAt: '2026-03-31T09:00:00.000Z',
    endedAt: '2026-03-31T09:00:02.000Z',
    savesMark: '',
    isWhole: true,
    partialReason: '',
    pages: 1,
    problems: [],
    requestIds: ['r'],
    ...change,
  }
}

function world(folder = testFolder(), secrets = memorySecrets(null)) {
  const clock = new VirtualClock()
  const failures: unknown[] = []
  const state = { address: 'https://service.example/v2', isKept: true }
  const make = () =>
    new KeptLists({
      rows,
      folder: join(folder, 'lists'),
      secrets,
      keychainNamespace: 'test',
      clock,
      address: () => state.address,
      isKept: () => state.isKept,
      onForget: () => undefined,
      onKept: () => undefined,
      failed: (what, reason) => failures.push([what, reason]),
    })
  const lists = make()
  const path = (): string => {
    const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('.list'),
    )
    if (found === undefined) throw new Error('There is no copy.')
    return join(folder, found)
  }
  /** Copies a list, and waits until the copy is on disk. */
  const keep = async (set: OpenedSet, since = lists.deletions): Promise<void> => {
    lists.keep(set, since)
    await clock.advance(1_500)
    await lists.settled(set.setId)
  }
  return { clock, failures, folder, keep, lists, make, path, secrets, state }
}

/** The records of a set, as the window gets them. */
async function contentOf(setId: string): Promise<string> {
  return new TextDecoder().decode(value(await rows.chunk(setId, 0, 10_000)).bytes)
}

const TEXTS = [1, 2, 3].map((at) => recordText(at, `(415) 555-010${at}`))

describe('a copy', () => {
  test('restores every record exactly, and everything known about the list', async () => {
    const { keep, lists } = world()
    const set = await readSet(TEXTS)
    lists.noteSupport(COMPANY, 'customer', ['Phone'])
    await keep(set)
    const kept = await lists.open(COMPANY, 'Customer')
    expect(kept).toEqual({
      set: { ...set, setId: kept?.set.setId },
      updated: null,
      supported: ['Phone'],
    })
    const setId = kept?.set.setId ?? ''
    expect(await contentOf(setId)).toBe(await contentOf(set.setId))
    expect(value(await rows.byIds(setId, ['2']))).toEqual([TEXTS[1]])
    expect(value(await rows.types(setId))).toEqual(value(await rows.types(set.setId)))
  })

  test('is read frame by frame if the list is large', async () => {
    const { keep, lists } = world()
    const texts = Array.from({ length: 3_000 }, (_, at) => recordText(at, 'x'.repeat(2_000)))
    const set = await readSet(texts)
    await keep(set)
    const kept = await lists.open(COMPANY, 'customer')
    expect(kept?.set.count).toBe(3_000)
    expect(await contentOf(kept?.set.setId ?? '')).toBe(await contentOf(set.setId))
  })

  test('can’t be read without its key, and neither it nor its path has the name of a company or list', async () => {
    const { folder, keep, path, make } = world()
    await keep(await readSet(TEXTS))
    const bytes = readFileSync(path())
    for (const word of [
      'Müller',
      '555-0101',
      'Balance',
      'customer',
      COMPANY.endpointId,
      COMPANY.connectionId,
    ]) {
      expect(bytes.includes(word)).toBe(false)
      expect(path().slice(folder.length)).not.toContain(word)
    }
    expect(await make().open(COMPANY, 'customer')).not.toBeNull()
    const stranger = world(folder)
    expect(await stranger.lists.open(COMPANY, 'customer')).toBeNull()
    expect(stranger.failures).toHaveLength(1)
  })

  test('with a changed bit isn’t used, and is deleted', async () => {
    const { keep, lists, path, failures } = world()
    await keep(await readSet(TEXTS))
    const whole = readFileSync(path())
    const file = path()
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 4
      writeFileSync(file, damaged)
      expect(await lists.open(COMPANY, 'customer'), `byte ${at}`).toBeNull()
      expect(() => path()).toThrow('There is no copy.')
    }
    expect(failures.length).toBeGreaterThan(0)
  })

  test('belongs to the service it was read from', async () => {
    const { keep, lists, state } = world()
    await keep(await readSet(TEXTS))
    state.address = 'https://another.example/v2'
    expect(await lists.open(COMPANY, 'customer')).toBeNull()
  })

  test('of one list isn’t used for another one, even under its name', async () => {
    const { keep, lists, path } = world()
    await keep(await readSet(TEXTS))
    const customers = readFileSync(path())
    const file = path()
    await lists.forget(COMPANY)
    await keep(await readSet([recordText(9, 'v')], { object: 'vendor' }))
    const vendors = path()
    expect(vendors).not.toBe(file)
    writeFileSync(vendors, customers)
    expect(await lists.open(COMPANY, 'vendor')).toBeNull()
  })

  test('isn’t made if the company keeps none', async () => {
    const { clock, keep, lists, path, state } = world()
    state.isKept = false
    await keep(await readSet(TEXTS))
    expect(() => path()).toThrow()
    expect(await lists.open(COMPANY, 'customer')).toBeNull()
    // Turned off between the read and the copy.
    state.isKept = true
    const set = await readSet(TEXTS)
    lists.keep(set, lists.deletions)
    state.isKept = false
    await clock.advance(1_500)
    await lists.settled(set.setId)
    expect(() => path()).toThrow()
  })
})

describe('what changed since', () => {
  const changed = (texts: readonly string[], change: Partial<OpenedSet> = {}) =>
    readSet(texts, { readAt: '2026-03-31T10:00:00.000Z', endedAt: '2026-03-31T10:00:01.000Z', ...change })

  /** A list of 20 whose copy was opened, as after a restart. */
  async function opened() {
    const made = world()
    const texts = Array.from({ length: 20 }, (_, at) => recordText(at, 'old'))
    await made.keep(await readSet(texts))
    const kept = await made.lists.open(COMPANY, 'customer')
    if (kept === null) throw new Error('There is no copy.')
    return { ...made, set: kept.set, texts }
  }

  test('is appended: a few bytes, whatever the size of the list', async () => {
    const { lists, path, set, texts } = await opened()
    const before = readFileSync(path())
    await lists.keepChanges(set, await changed([recordText(3, 'new'), recordText(90, 'new')]))
    expect(readFileSync(path()).subarray(0, before.length).equals(before)).toBe(true)
    const kept = await lists.open(COMPANY, 'customer')
    expect(kept).toMatchObject({
      set: { count: 21, readAt: '2026-03-31T09:00:00.000Z' },
      updated: { readAt: '2026-03-31T10:00:00.000Z', endedAt: '2026-03-31T10:00:01.000Z' },
    })
    const setId = kept?.set.setId ?? ''
    expect(value(await rows.byIds(setId, ['3', '90', '4']))).toEqual([
      recordText(3, 'new'),
      recordText(90, 'new'),
      texts[4],
    ])
  })

  test('isn’t kept if it is incomplete, because it may have later stamps than what it lacks', async () => {
    const { lists, set, texts } = await opened()
    await lists.keepChanges(set, await changed([recordText(3, 'new')], { isWhole: false }))
    const kept = await lists.open(COMPANY, 'customer')
    expect(kept?.updated).toBeNull()
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['3']))).toEqual([texts[3]])
  })

  test('leaves the old or the new copy after a crash at any byte, and later changes are kept', async () => {
    const { lists, path, set, texts } = await opened()
    const file = path()
    const before = readFileSync(file)
    await lists.keepChanges(set, await changed([recordText(3, 'new')]))
    const after = readFileSync(file)
    for (let length = after.length; length >= before.length; length -= STEP) {
      // A file system may know the new length of a file whose last blocks never reached the disk.
      for (const isLong of [false, true]) {
        const left = Buffer.alloc(isLong ? after.length : length)
        after.copy(left, 0, 0, length)
        writeFileSync(file, left)
        const at = `cut at ${length}${isLong ? ', then zeros' : ''}`
        const kept = await lists.open(COMPANY, 'customer')
        if (kept === null) throw new Error(`The old copy is gone: ${at}`)
        const isNew = length === after.length
        const third = isNew ? recordText(3, 'new') : texts[3]
        expect(value(await rows.byIds(kept.set.setId, ['3'])), at).toEqual([third])
        expect(kept.updated?.readAt ?? null, at).toBe(isNew ? '2026-03-31T10:00:00.000Z' : null)
        if ((after.length - length) % 9 > 0) continue
        await lists.keepChanges(kept.set, await changed([recordText(5, 'newer')]))
        const again = await lists.open(COMPANY, 'customer')
        expect(value(await rows.byIds(again?.set.setId ?? '', ['3', '5'])), at).toEqual([
          third,
          recordText(5, 'newer'),
        ])
      }
    }
  })

  test('ignores a change that a crash cut off after complete ones', async () => {
    const { lists, path, set } = await opened()
    const file = path()
    await lists.keepChanges(set, await changed([recordText(3, 'new')]))
    const { length } = readFileSync(file)
    await lists.keepChanges(set, await changed([recordText(4, 'new')]))
    const after = readFileSync(file)
    // The first block of the second change never reached the disk, but its end did.
    after.fill(0, length + 20, length + 60)
    writeFileSync(file, after)
    const kept = await lists.open(COMPANY, 'customer')
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['3', '4']))).toEqual([
      recordText(3, 'new'),
      recordText(4, 'old'),
    ])
    if (kept === null) throw new Error('There is no copy.')
    await lists.keepChanges(kept.set, await changed([recordText(5, 'newer')]))
    const again = await lists.open(COMPANY, 'customer')
    expect(value(await rows.byIds(again?.set.setId ?? '', ['3', '4', '5']))).toEqual([
      recordText(3, 'new'),
      recordText(4, 'old'),
      recordText(5, 'newer'),
    ])
  })

  test('with a changed bit anywhere leaves the copy before the damaged change, and without its list none', async () => {
    const { lists, path, set, texts } = await opened()
    const file = path()
    const listEnd = readFileSync(file).length
    await lists.keepChanges(set, await changed([recordText(3, 'new')]))
    const changeEnd = readFileSync(file).length
    await lists.keepChanges(set, await changed([recordText(4, 'new')]))
    const whole = readFileSync(file)
    for (let at = 0; at < whole.length; at += STEP) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0x40
      writeFileSync(file, damaged)
      const kept = await lists.open(COMPANY, 'customer')
      const records = kept && value(await rows.byIds(kept.set.setId, ['3', '4']))
      const left =
        at < listEnd
          ? [null, undefined]
          : at < changeEnd
            ? [[texts[3], texts[4]], null]
            : [[recordText(3, 'new'), texts[4]], { readAt: '2026-03-31T10:00:00.000Z' }]
      expect([records, kept?.updated], `byte ${at}`).toMatchObject(left)
      if (kept === null) continue
      if (at % 9 === 0) {
        await lists.keepChanges(kept.set, await changed([recordText(5, 'newer')]))
        const again = await lists.open(COMPANY, 'customer')
        expect(value(await rows.byIds(again?.set.setId ?? '', ['5'])), `byte ${at}`).toEqual([
          recordText(5, 'newer'),
        ])
      }
      await rows.closeSet(kept.set.setId)
    }
  })

  test('is ignored if it isn’t ours, and removed from the file at the next append', async () => {
    const { lists, path, set, texts } = await opened()
    appendFileSync(path(), Buffer.alloc(5_000, 1))
    const { length } = readFileSync(path())
    const kept = await lists.open(COMPANY, 'customer')
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['3']))).toEqual([texts[3]])
    await lists.keepChanges(set, await changed([recordText(3, 'new')]))
    expect(readFileSync(path()).length).toBeLessThan(length)
  })

  test('isn’t appended to a newer copy that another read has created in the meantime', async () => {
    const { keep, lists, set } = await opened()
    const texts = Array.from({ length: 20 }, (_, at) => recordText(at, 'newest'))
    await keep(await readSet(texts, { readAt: '2026-03-31T11:00:00.000Z' }))
    // It was requested before then.
    await lists.keepChanges(set, await changed([recordText(3, 'new')]))
    const kept = await lists.open(COMPANY, 'customer')
    expect(kept).toMatchObject({ set: { readAt: '2026-03-31T11:00:00.000Z' }, updated: null })
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['3']))).toEqual([recordText(3, 'newest')])
  })

  test('is written into a new copy if it is a large part of the list', async () => {
    const { clock, lists, path, set } = await opened()
    const newer = await changed(Array.from({ length: 8 }, (_, at) => recordText(at, 'new')))
    await lists.keepChanges(set, newer)
    const appended = readFileSync(path()).length
    value(await rows.merge(set.setId, newer.setId))
    await clock.advance(1_500)
    await lists.settled(set.setId)
    expect(readFileSync(path()).length).toBeLessThan(appended)
    const kept = await lists.open(COMPANY, 'customer')
    expect(kept).toMatchObject({ set: { count: 20 }, updated: { readAt: '2026-03-31T10:00:00.000Z' } })
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['7', '8']))).toEqual([
      recordText(7, 'new'),
      recordText(8, 'old'),
    ])
  })
})

describe('copies are deleted', () => {
  test('with the company, while those of others stay', async () => {
    const { keep, lists } = world()
    const other = { ...COMPANY, endpointId: 'another' }
    await keep(await readSet(TEXTS))
    await keep(await readSet(TEXTS, { company: other }))
    await lists.forget(COMPANY)
    expect(await lists.open(COMPANY, 'customer')).toBeNull()
    expect(await lists.open(other, 'customer')).not.toBeNull()
  })

  test('with the connection, together with its key', async () => {
    const { keep, lists, secrets } = world()
    await keep(await readSet(TEXTS))
    const before = value(await secrets.get('Bookbridge-test lists', COMPANY.connectionId))
    expect(Buffer.from(before ?? '', 'base64')).toHaveLength(32)
    await lists.forget({ connectionId: COMPANY.connectionId })
    expect(value(await secrets.get('Bookbridge-test lists', COMPANY.connectionId))).toBeNull()
    expect(await lists.open(COMPANY, 'customer')).toBeNull()
  })

  test('that a crash left, where nothing should be kept, at the next start', async () => {
    const { keep, lists, make, state } = world()
    const [other, gone] = [
      { ...COMPANY, endpointId: 'another' },
      { connectionId: 'removed', endpointId: 'another' },
    ]
    for (const company of [COMPANY, other, gone]) await keep(await readSet(TEXTS, { company }))
    const companiesOf = (ours: readonly CompanyRef[]) => (connectionId: string) =>
      connectionId === COMPANY.connectionId ? ours : [gone]
    const next = make()
    const size = await next.size()
    await next.sweep([COMPANY.connectionId, 'removed'], companiesOf([COMPANY, other]))
    expect(await next.size()).toBe(size)
    await next.sweep([COMPANY.connectionId], companiesOf([COMPANY, other]))
    expect(await next.open(gone, 'customer')).toBeNull()
    expect(await next.open(other, 'customer')).not.toBeNull()
    state.isKept = false
    await next.sweep([COMPANY.connectionId], companiesOf([COMPANY]))
    state.isKept = true
    expect(await next.open(COMPANY, 'customer')).toBeNull()
    expect(await next.open(other, 'customer')).not.toBeNull()
    await lists.close()
  })

  test('that a crash left half written, at the next start, and until then they count', async () => {
    const { folder, keep, make, path } = world()
    await keep(await readSet(TEXTS))
    const whole = await make().size()
    const [part, vendors] = [`${path()}.part`, path().replace(/.{5}\.list$/, '12345.list.part')]
    for (const each of [part, vendors]) writeFileSync(each, 'x'.repeat(100))
    const next = make()
    expect(await next.size()).toBe(whole + 200)
    await next.sweep([COMPANY.connectionId], () => [COMPANY])
    expect(await next.size()).toBe(whole)
    expect(readdirSync(folder, { recursive: true, encoding: 'utf8' }).join()).not.toContain('.part')
    expect(await next.open(COMPANY, 'customer')).not.toBeNull()
  })

  test('a copy isn’t written if its company is deleted first', async () => {
    const { clock, lists, path } = world()
    const set = await readSet(TEXTS)
    lists.keep(set, lists.deletions)
    await lists.forget(COMPANY)
    await clock.advance(1_500)
    await lists.settled(set.setId)
    expect(() => path()).toThrow()
  })

  test('a list that was read before every copy was deleted isn’t copied, but one that is read later is', async () => {
    const { keep, lists, path } = world()
    const since = lists.deletions
    await lists.forgetAll()
    expect(lists.wants(COMPANY, since)).toBe(false)
    await keep(await readSet(TEXTS), since)
    expect(() => path()).toThrow()
    await keep(await readSet(TEXTS))
    expect(await lists.open(COMPANY, 'customer')).not.toBeNull()
  })

  test.for([
    ['an hour passes', 60],
    ['the clock is set back by an hour', -60],
    ['the clock stands still', 0],
  ] as const)(
    'a list that was read before its company was deleted isn’t copied, but one that is read later is: %s',
    async ([, minutes]) => {
      const { clock, keep, lists, path } = world()
      const now = (): string => new Date(clock.now()).toISOString()
      const since = lists.deletions
      const open = await readSet(TEXTS, { readAt: now() })
      await keep(open)
      clock.set(clock.now() + minutes * 60_000)
      await lists.forget(COMPANY)
      // Its read began before the deletion.
      await keep(await readSet(TEXTS, { readAt: now() }), since)
      await lists.keepChanges(open, await readSet(TEXTS, { readAt: now() }))
      await clock.advance(1_500)
      await lists.settled(open.setId)
      expect(() => path()).toThrow()
      clock.set(clock.now() + minutes * 60_000)
      await keep(await readSet(TEXTS, { readAt: now() }))
      expect(await lists.open(COMPANY, 'customer')).not.toBeNull()
    },
  )
})

describe('a full disk', () => {
  /** Every file, with its content. */
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString('base64')])

  const later = { readAt: '2026-03-31T10:00:00.000Z', endedAt: '2026-03-31T10:00:01.000Z' }
  const NEWER = TEXTS.map((text) => text.replace('555-01', '555-02'))

  test('leaves no copy, wherever it is full, and the list is read on', async () => {
    rows = createRowsInThread()
    const size = await sizeOf(TEXTS)
    // If everything fits, the rename fails.
    for (let room = 0; room < size + 50; room += 17) {
      const { clock, failures, folder, keep, lists } = world()
      const set = await readSet(TEXTS)
      Object.assign(disk, { room, canRename: false })
      await keep(set)
      const at = `${String(room)} bytes fit`
      expect(failures, at).toEqual([['copy', expect.stringContaining('ENOSPC')]])
      expect(filesIn(folder), at).toEqual([])
      expect(disk.open.size, at).toBe(0)
      expect(await lists.open(COMPANY, 'customer'), at).toBeNull()
      expect(value(await rows.byIds(set.setId, ['2'])), at).toEqual([TEXTS[1]])
      Object.assign(disk, { room: Infinity, canRename: true })
      lists.keep(set, lists.deletions)
      await clock.advance(1_500)
      await lists.settled(set.setId)
      expect((await lists.open(COMPANY, 'customer'))?.set.count, at).toBe(TEXTS.length)
    }
  })

  test('leaves the old copy while a new one is written', async () => {
    rows = createRowsInThread()
    const { failures, folder, keep, lists } = world()
    await keep(await readSet(TEXTS))
    const before = filesIn(folder)
    const size = await sizeOf(NEWER)
    for (let room = 0; room < size + 50; room += 17) {
      const set = await readSet(NEWER, later)
      Object.assign(disk, { room, canRename: false })
      await keep(set)
      const at = `${String(room)} bytes fit`
      expect(failures, at).toHaveLength(room / 17 + 1)
      expect(filesIn(folder), at).toEqual(before)
      expect(disk.open.size, at).toBe(0)
    }
    const kept = await lists.open(COMPANY, 'customer')
    expect(value(await rows.byIds(kept?.set.setId ?? '', ['1', '2', '3']))).toEqual(TEXTS)
  })

  test('leaves the old copy while changes are appended, and they are kept once there is room', async () => {
    rows = createRowsInThread()
    const texts = Array.from({ length: 20 }, (_, at) => recordText(at, 'old'))
    const { clock, failures, folder, keep, lists, path } = world()
    await keep(await readSet(texts))
    const before = readFileSync(path())
    const changed = () => readSet([recordText(3, 'new')], later)
    const copy = await lists.open(COMPANY, 'customer')
    if (copy === null) throw new Error('There is no copy.')
    await lists.keepChanges(copy.set, await changed())
    const appended = readFileSync(path()).length - before.length
    for (let room = 0; room < appended; room += 17) {
      writeFileSync(path(), before)
      const list = await lists.open(COMPANY, 'customer')
      if (list === null) throw new Error('There is no copy.')
      const newer = await changed()
      failures.length = 0
      disk.room = room
      await lists.keepChanges(list.set, newer)
      value(await rows.merge(list.set.setId, newer.setId))
      // It is then written as a whole, which fails, too.
      await clock.advance(1_500)
      await lists.settled(list.set.setId)
      const at = `${String(room)} bytes fit`
      expect(failures, at).toHaveLength(2)
      expect(disk.open.size, at).toBe(0)
      expect(filesIn(folder), at).toHaveLength(1)
      expect(value(await rows.byIds(list.set.setId, ['3'])), at).toEqual([recordText(3, 'new')])
      const old = await lists.open(COMPANY, 'customer')
      expect(old, at).toMatchObject({ set: { count: 20 }, updated: null })
      if (old === null) continue
      expect(value(await rows.byIds(old.set.setId, ['3', '4'])), at).toEqual([texts[3], texts[4]])
      disk.room = Infinity
      await lists.keepChanges(old.set, await changed())
      const kept = await lists.open(COMPANY, 'customer')
      expect(kept?.updated?.readAt, at).toBe(later.readAt)
      expect(value(await rows.byIds(kept?.set.setId ?? '', ['3', '4'])), at).toEqual([
        recordText(3, 'new'),
        texts[4],
      ])
    }
  })

  async function sizeOf(texts: readonly string[]): Promise<number> {
    const { keep, path } = world()
    await keep(await readSet(texts, later))
    return readFileSync(path()).length
  }
})

describe('a keychain that refuses', () => {
  const refusal = () => Promise.resolve(err(appError('keychain', 'The keychain is locked.', 'Unlock it.')))

  test.each(['get', 'set'] as const)(
    '%s leaves no copy, and it is asked again the next time',
    async (call) => {
      const secrets = memorySecrets(null)
      const works = secrets[call]
      secrets[call] = refusal
      const { clock, failures, folder, keep, lists } = world(testFolder(), secrets)
      const set = await readSet(TEXTS)
      await keep(set)
      expect(failures).toEqual([['key', 'The keychain is locked.']])
      expect(readdirSync(folder)).not.toContain('lists')
      expect(await lists.open(COMPANY, 'customer')).toBeNull()
      await lists.keepChanges(set, await readSet(TEXTS))
      expect(
        await lists.use(COMPANY.connectionId, lists.pathOf(COMPANY, 'customer'), () => Promise.resolve(1)),
      ).toBeNull()
      expect(value(await rows.byIds(set.setId, ['2']))).toEqual([TEXTS[1]])
      Object.assign(secrets, { [call]: works })
      lists.keep(set, lists.deletions)
      await clock.advance(1_500)
      await lists.settled(set.setId)
      expect((await lists.open(COMPANY, 'customer'))?.set.count).toBe(TEXTS.length)
    },
  )

  test('get after copies were made leaves them, and deletes them on request', async () => {
    const { folder, keep, path, secrets } = world()
    await keep(await readSet(TEXTS))
    const before = readFileSync(path())
    // The program was started again.
    const works = secrets.get
    secrets.get = refusal
    const later = world(folder, secrets)
    expect(await later.lists.open(COMPANY, 'customer')).toBeNull()
    await later.keep(await readSet(TEXTS.slice(1)))
    expect(readFileSync(path()).equals(before)).toBe(true)
    secrets.get = works
    expect((await later.lists.open(COMPANY, 'customer'))?.set.count).toBe(TEXTS.length)
    secrets.get = refusal
    await world(folder, secrets).lists.forget(COMPANY)
    expect(() => path()).toThrow('There is no copy.')
  })
})

/** The searchable lists of the test's company. Nothing was saved since they were read unless `more` says so. */
function booksOver(
  { clock, lists }: Pick<ReturnType<typeof world>, 'clock' | 'lists'>,
  more: Partial<KeptBooksOptions> = {},
) {
  // The copies of these tests are from then.
  clock.set(Date.parse('2026-03-31T12:00:00Z'))
  const books = new KeptBooks({
    rows: { ...rows, close: () => Promise.resolve() },
    keptLists: lists,
    writer: { savedSince: () => [] },
    clock,
    changed: () => undefined,
    defect: (cause) => {
      throw cause
    },
    ...more,
  })
  const book = async () => (await books.prepared(COMPANY.connectionId))[0]
  const hits = async (text: string): Promise<readonly string[]> =>
    value(await rows.findInIndex((await book())?.indexId ?? '', findQuery(text), 5)).found.map(
      ({ recordId }) => recordId,
    )
  return { books, book, hits }
}

describe('searching a copy', () => {
  test('ignores copies of two companies that changed places', async () => {
    const made = world()
    const companies = [COMPANY, { ...COMPANY, endpointId: 'another-endpoint' }]
    for (const [at, company] of companies.entries())
      await made.keep(await readSet([TEXTS[at] ?? ''], { company }))
    const [one = '', other = ''] = companies.map((company) => made.lists.pathOf(company, 'customer'))
    const [first, second] = [readFileSync(one), readFileSync(other)]
    const recordsIn = async (company: CompanyRef): Promise<unknown> => {
      const { books } = booksOver(made)
      const found = await books.withList(company, 'customer', ({ records }) => records(['1', '2']))
      await books.close()
      return found?.map(({ ID }) => ID) ?? null
    }
    expect(await Promise.all(companies.map(recordsIn))).toEqual([['1'], ['2']])
    writeFileSync(one, second)
    writeFileSync(other, first)
    expect(await Promise.all(companies.map(recordsIn))).toEqual([null, null])
    const { books } = booksOver(made)
    expect(await books.prepared(COMPANY.connectionId)).toEqual([])
    await books.close()
    // Back in place, they are whole.
    writeFileSync(one, first)
    writeFileSync(other, second)
    expect(await Promise.all(companies.map(recordsIn))).toEqual([['1'], ['2']])
  })

  test('finds what was saved while it was being indexed', async () => {
    const made = world()
    await made.keep(await readSet(TEXTS))
    const saved: Operation[] = []
    const save = (phone: string): void => {
      const operation: Partial<Operation> = {
        operationId: phone,
        kind: 'change',
        recordId: '2',
        edits: [{ path: 'Phone', was: '', now: phone }],
        after: null,
      }
      saved.push(operation as Operation)
    }
    let isFirst = true
    const { books, hits } = booksOver(made, {
      rows: {
        ...rows,
        index(...input) {
          if (isFirst) save('999-0001')
          isFirst = false
          return rows.index(...input)
        },
        close: () => Promise.resolve(),
      },
      writer: { savedSince: () => [...saved] },
    })
    expect(await hits('415-555-0102')).toEqual(['2'])
    expect(await hits('999-0001')).toEqual(['2'])
    expect(await hits('415-555-0102')).toEqual([])
    await books.close()
  })

  test('works as soon as a keychain that was locked at the first search is unlocked', async () => {
    const { folder, keep, secrets } = world()
    await keep(await readSet(TEXTS))
    const works = secrets.get
    secrets.get = () => Promise.resolve(err(appError('keychain', 'The keychain is locked.', 'Unlock it.')))
    // The program was started again.
    const { books, hits } = booksOver(world(folder, secrets))
    expect(await books.prepare(COMPANY.connectionId)).toEqual({ books: [], waiting: 0 })
    expect(await books.prepared(COMPANY.connectionId)).toEqual([])
    secrets.get = works
    expect(await hits('415-555-0102')).toEqual(['2'])
    await books.close()
  })

  test('counts the records that it has by now, also after it was rewritten', async () => {
    const made = world()
    await made.keep(await readSet(TEXTS))
    const kept = await made.lists.open(COMPANY, 'customer')
    if (kept === null) throw new Error('There is no copy.')
    const saved: Operation[] = []
    const { books, book } = booksOver(made, { writer: { savedSince: () => saved } })
    const newer = await readSet([recordText(4, 'new'), recordText(5, 'new')])
    await made.lists.keepChanges(kept.set, newer)
    value(await rows.merge(kept.set.setId, newer.setId))
    expect((await book())?.count).toBe(5)
    await made.clock.advance(1_500)
    await made.lists.settled(kept.set.setId)
    expect((await book())?.count).toBe(5)
    const after = { ID: '9', Name: 'Ash' }
    saved.push(standIn<Operation>({ operationId: 'saved', kind: 'insert', recordId: '', edits: [], after }))
    expect((await book())?.count).toBe(6)
    expect(await books.withList(COMPANY, 'customer', ({ meta }) => Promise.resolve(meta.set.count))).toBe(6)
    await books.close()
  })
})
