// Kept lists of 100,000 customers: opening one against reading it from a service that responds immediately, appending
// to a copy, finding records in five of them, and scanning one for **Tidy up**.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../electron/clock.ts'
import type { KeptFileRef } from '../../electron/rows/rows.ts'
import { createRows } from '../../electron/rows/rows-client.ts'
import { findQuery } from '../../shared/records/search-text.ts'
import { value } from '../result.ts'
import { serveCustomers } from './support/body-server.ts'
import { byTurns, longestPause, noTurns, pauseRow, ratioRow, type Row } from './support/measure.ts'

export const name = 'many'

const CUSTOMERS = 100_000
const CHUNK = 1_000
/** Records that the window shows first. */
const FIRST = 100
const CHANGED = 100
const FIRST_RESULT_MS = 100
const TURNS = 5
/** Number of lists that are searched together. */
const LISTS = 5
/**
 * Search texts: a name, an email address, digits of a phone number, an amount, a street that all records have, and a
 * text that none has.
 */
const TYPED = ['customer 099', 'office99999@', '4155550142', '19999.99', 'cannery row', 'nobody of this name']

export async function run(): Promise<readonly Row[]> {
  const server = await serveCustomers(CUSTOMERS)
  const smaller = await serveCustomers(CUSTOMERS / 10)
  const few = await serveCustomers(CHANGED)
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-kept-'))
  const rows = createRows(new URL('../../electron/rows/rows-worker.ts', import.meta.url), createSystemClock())
  const fileOf = (path: string): KeptFileRef => ({
    path: join(folder, path),
    key: Buffer.alloc(32, 7).toString('base64'),
  })

  const read = async (url: string): Promise<string> => {
    const answer = await fetch(url)
    const block = new Uint8Array(await answer.arrayBuffer())
    const setId = await rows.openSet()
    const raw = { status: 200, contentType: 'application/json', blocks: [block], length: block.length }
    value(await rows.addPage(setId, raw))
    return setId
  }
  const keep = async (setId: string, file: KeptFileRef, isAppended: boolean): Promise<void> => {
    const keepingId = value(await rows.beginKeeping(setId, file, isAppended))
    while (!value(await rows.keepMore(keepingId)));
    value(await rows.endKeeping(keepingId, {}))
  }
  const open = async (file: KeptFileRef): Promise<void> => {
    const startedAt = performance.now()
    const opened = value(await rows.openKept(file))
    if (opened === null) throw new Error('There is no copy.')
    while (!value(await rows.loadKept(opened.setId)).isDone);
    value(await rows.chunk(opened.setId, 0, FIRST))
    firstTook = performance.now() - startedAt
    await allChunks(opened.setId)
  }
  let firstTook = 0
  /** Indexes a kept list. */
  const index = async (file: KeptFileRef): Promise<string> => {
    const opened = value(await rows.openKept(file))
    if (opened === null) throw new Error('There is no copy.')
    while (!value(await rows.loadKept(opened.setId)).isDone);
    while (!value(await rows.index(opened.setId, 'customer', CHUNK)).isDone);
    return opened.setId
  }
  const allChunks = async (setId: string): Promise<void> => {
    for (let from = 0; from < CUSTOMERS; from += CHUNK) value(await rows.chunk(setId, from, CHUNK))
    await rows.closeSet(setId)
  }

  try {
    const [large, small] = [fileOf('large'), fileOf('small')]
    await keep(await read(server.url), large, false)
    await keep(await read(smaller.url), small, false)
    const firsts: number[] = []
    const opened = await byTurns(
      async () => {
        await open(large)
        firsts.push(firstTook)
      },
      async () => allChunks(await read(server.url)),
    )
    const appended = noTurns()
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [file, took] of [
        [large, appended.ours],
        [small, appended.peer],
      ] as const) {
        const setId = await read(few.url)
        const startedAt = performance.now()
        await keep(setId, file, true)
        took.push(performance.now() - startedAt)
        await rows.closeSet(setId)
      }
    }
    const indexIds: string[] = []
    for (let list = 0; list < LISTS; list += 1) indexIds.push(await index(large))
    const search = async (typed: string): Promise<void> => {
      const query = findQuery(typed)
      const startedAt = performance.now()
      let first: number | null = null
      for (const indexId of indexIds) {
        const { total } = value(await rows.findInIndex(indexId, query, 20))
        if (total > 0) first ??= performance.now() - startedAt
      }
      slowest = Math.max(slowest, first ?? performance.now() - startedAt)
    }
    let slowest = 0
    const setId = await read(server.url)
    const bytes = new Uint8Array(await (await fetch(server.url)).arrayBuffer())
    const tidied = await byTurns(
      async () => {
        const options = {
          object: 'customer',
          supported: ['Name', 'Phone', 'Email', 'IsActive'],
          now: new Date().toISOString(),
          dismissed: [],
          drafted: [],
        }
        while (value(await rows.tidy(setId, options, CHUNK)) === null);
      },
      () => JSON.parse(new TextDecoder().decode(bytes)) as unknown,
    )
    await rows.closeSet(setId)
    const texts = await textsOf(server.url)
    const found = noTurns()
    const paused = noTurns()
    for (let turn = 0; turn <= TURNS; turn += 1) {
      slowest = 0
      const pause = await longestPause(async () => {
        for (const typed of TYPED) await search(typed)
      })
      const startedAt = performance.now()
      for (let list = 0; list < LISTS; list += 1) texts.filter((text) => text.includes('nobody of this name'))
      const peer = performance.now() - startedAt
      // The first turn is a warm-up.
      if (turn === 0) continue
      found.ours.push(slowest)
      found.peer.push(peer)
      paused.ours.push(pause)
      paused.peer.push(peer)
    }
    return [
      pauseRow({
        what: 'Find over 500,000 records',
        why: 'The rows worker’s time for a text in five kept lists, until the first results or until nothing was found: the slowest of six texts. The peer looks through every record’s text.',
        turns: found,
        against: 'plain search',
        most: FIRST_RESULT_MS,
      }),
      pauseRow({
        what: '– longest pause of the main process, searching',
        why: 'A worker searches. The peer would be the pause.',
        turns: paused,
        against: 'plain search',
        most: 50,
      }),
      ratioRow({
        what: 'Tidy up 100,000 records',
        why: 'Every record is parsed and looked through, and all are compared with each other. Parsing them is the least that it costs.',
        turns: tidied,
        against: 'JSON.parse',
        most: 2,
      }),
      ratioRow({
        what: 'Open a kept list of 100,000',
        why: 'From the file until the first rows are ready for the window. The peer reads the whole list from a service that answers at once.',
        // The first turn was a warm-up.
        turns: { ours: firsts.slice(1), peer: opened.peer },
        against: 'reading it',
        most: 0.25,
      }),
      ratioRow({
        what: '– all of it',
        why: 'Until every record is ready. The peer does the same.',
        turns: opened,
        against: 'reading it',
        most: 0.5,
      }),
      ratioRow({
        what: '– append 100 changes',
        why: 'What **Refresh** writes. Its cost should not grow with the list.',
        turns: appended,
        against: 'to 10,000 records',
        most: 2,
      }),
    ]
  } finally {
    await Promise.all([rows.close(), server.close(), smaller.close(), few.close()])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Each record's text, in lowercase. */
async function textsOf(url: string): Promise<readonly string[]> {
  const { Contents } = (await (await fetch(url)).json()) as { Contents: readonly { Object: object }[] }
  return Contents.map((item) => JSON.stringify(item.Object).toLowerCase())
}
