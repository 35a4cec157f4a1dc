// Lists that are kept on this computer: opening one of 100,000 customers against reading it from a service that costs
// nothing, and what appending to a copy costs.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSystemClock } from '../../electron/clock.ts'
import { createRows } from '../../electron/rows/rows-client.ts'
import type { KeptFileRef } from '../../electron/rows/rows.ts'
import type { Result } from '../../shared/result.ts'
import { serveCustomers } from './body-server.ts'
import { byTurns, noTurns, ratioRow, type Row } from './measure.ts'

export const name = 'many'

const CUSTOMERS = 100_000
const CHUNK = 1_000
/** Records that the window shows first. */
const FIRST = 100
const CHANGED = 100
const TURNS = 5

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
    return [
      ratioRow({
        what: 'Open a kept list of 100,000',
        why: 'From the file until the first rows are ready for the window. The peer reads the whole list from a service that answers at once.',
        // The first turn warmed up.
        turns: { ours: firsts.slice(1), peer: opened.peer },
        against: 'reading it',
        most: 0.25,
      }),
      ratioRow({
        what: '– all of it',
        why: 'Until every record is ready.',
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

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.details.raw ?? result.error.message)
  return result.value
}
