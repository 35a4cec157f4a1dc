// The overhead of sending a long batch: 10,000 inserts as one batch through the whole core (journal on disk, queue,
// client, transport, events), against a bare loop that sends the same bodies to the same server. The two alternate:
// after every 20 requests, the server holds its response until the bare loop has sent the same 20. A response takes 60
// ms instead of a real service's 200, to keep the run short, but long enough for what the program does meanwhile. The
// overhead is measured separately, from each response to the next request, and the ratio is computed for 200 ms. The
// window works in another process, so its work isn't included. Changes would also be read again before they are sent;
// inserts are not.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Announcer } from '../../electron/app/ports.ts'
import { type CorePlan, makeCore, type RunningCore } from '../reliability/world/core-parts.ts'
import { Person } from '../reliability/world/person.ts'
import { callerOf } from '../reliability/world/world.ts'
import { value } from '../result.ts'
import { type InsertServer, serveInserts } from './support/insert-server.ts'
import { median, milliseconds, noTurns, type Row, type Turns } from './support/measure.ts'

export const name = 'batch'

const INSERTS = 10_000
/** The most drafts per call. */
const AT_ONCE = 1_000
/**
 * In arrays of 50, after a first array of one record and a second of ten, by which the program learns whether responses
 * account for every record.
 */
const REQUESTS = 202
/** The first run is a warm-up. */
const PART_SIZE = 20
const PARTS = Math.floor(REQUESTS / PART_SIZE)
const LATENCY_MILLISECONDS = 60
/** How long a request to a real service takes, in ms. */
const REAL_LATENCY = 200
const MAX_RATIO = 1.02

export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-bench-batch-'))
  const server = await serveInserts({ latency: LATENCY_MILLISECONDS, partSize: PART_SIZE })
  const end = new BatchEnd()
  const running = value(makeCore(planFor(folder), { announcer: end }))
  try {
    const person = await atTheBooks(running, server)
    const draftIds = await draftInserts(person)
    const onTop = noTurns()
    const startedAt = performance.now()
    const firstPart = server.nextPart()
    value(await person.send(draftIds))
    const before = performance.now() - startedAt
    for (let part = 0; part < PARTS; part += 1) {
      const ours = await (part === 0 ? firstPart : server.nextPart())
      const peer = server.nextPart()
      await bareLoop(server, ours.bodies)
      const bare = await peer
      server.resume()
      if (part === 0) continue
      onTop.ours.push(mean(ours.gaps))
      onTop.peer.push(mean(bare.gaps))
    }
    const saved = await end.saved
    if (saved !== INSERTS) throw new Error(`${saved} of ${INSERTS} inserts were saved.`)
    if (running.defects.length > 0) throw new Error(running.defects.join('\n'))
    return [rowOf(before, onTop)]
  } finally {
    await running.core.close()
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param before from **Send** until the batch is queued, in ms; `onTop` is the overhead of each request, in ms */
function rowOf(before: number, onTop: Turns): Row {
  const whole = (each: number): number => REQUESTS * (REAL_LATENCY + each)
  const bare = median(onTop.peer)
  const ratios = onTop.ours.map((each) => (before + whole(each)) / whole(bare))
  const ratio = { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) }
  return {
    what: `Send ${INSERTS.toLocaleString('en')} inserts`,
    why: `Our own time per request, computed for a service that takes ${String(REAL_LATENCY)} ms. A bare loop sends the same bodies to the same server.`,
    ours: `${milliseconds(median(onTop.ours))} a request, ${milliseconds(before)} at the start`,
    against: `a bare loop: ${milliseconds(bare)} a request`,
    ratio,
    budget: `≤ ${String(MAX_RATIO)}`,
    held: ratio.median <= MAX_RATIO,
  }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function planFor(userData: string): CorePlan {
  return { userData, settings: {}, beginsAt: Date.now(), factor: 1, saved: null }
}

async function atTheBooks(running: RunningCore, server: InsertServer): Promise<Person> {
  running.core.start()
  const person = new Person(callerOf(running))
  await person.connect(server.url, server.key)
  return person
}

/** Creates drafts as an import does. Returns their IDs. */
async function draftInserts(person: Person): Promise<readonly string[]> {
  const drafts = Array.from({ length: INSERTS }, (_, index) => {
    const called = `Customer ${String(index).padStart(5, '0')}`
    const fields = {
      Name: called,
      CompanyName: `${called} & Sons “Ltd”`,
      Phone: `(415) 555-01${String(index % 100).padStart(2, '0')}`,
      Email: `office${index}@customers.example`,
      'BillingAddress.Line1': `${index} Alder Court`,
      'BillingAddress.City': 'Bayshore',
      'BillingAddress.PostalCode': String(94_000 + (index % 900)),
    }
    const edits = Object.entries(fields).map(([path, now]) => ({ path, was: null, now }))
    return { draftId: `draft-${index}`, kind: 'insert', recordId: '', before: {}, edits } as const
  })
  for (let from = 0; from < INSERTS; from += AT_ONCE) {
    const some = drafts.slice(from, from + AT_ONCE)
    await person.call('records.saveDrafts', { company: person.company, object: 'customer', drafts: some })
  }
  return drafts.map(({ draftId }) => draftId)
}

async function bareLoop(server: InsertServer, bodies: readonly string[]): Promise<void> {
  for (const body of bodies) {
    const answer = await fetch(server.otherUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': server.key },
      body,
    })
    await answer.text()
  }
}

/** Receives events in place of the window. Each is cloned, as IPC does. */
class BatchEnd implements Announcer {
  readonly #ended = Promise.withResolvers<number>()

  /** Returns the number of saved records once the batch has ended. */
  get saved(): Promise<number> {
    return this.#ended.promise
  }

  readonly emit: Announcer['emit'] = (event, payload) => {
    const { batch } = structuredClone(payload) as { batch?: { phase: string; saved: number } | null }
    if (event === 'records.changed' && batch && ENDS.has(batch.phase)) this.#ended.resolve(batch.saved)
  }

  readonly notify = (): void => undefined
}

const ENDS: ReadonlySet<string> = new Set(['done', 'paused', 'stopped'])
