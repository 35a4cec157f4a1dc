// What journaling one record costs: its three steps (queued, sending, answered) against three bare fdatasyncs of one
// page each, on the same disk in the same run. Each of the three must be on disk.
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '../../electron/store/store.ts'
import { value } from '../result.ts'
import { byTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'journal'

const WRITES = 50
/** More and shorter turns than elsewhere, because a disk's cache distorts single ones. */
const TURNS = 15
const COMPANY = { connectionId: 'c1', endpointId: 'e1' }
const AT = '2026-03-01T09:00:00Z'

/** Drafts are created beforehand, because they are saved while the user types. */
function draft(store: Store, draftId: string): void {
  const edits = [{ path: 'Name', was: null, now: draftId }]
  store.drafts.saveAll([
    {
      draftId,
      company: COMPANY,
      object: 'customer',
      kind: 'insert',
      recordId: '',
      before: {},
      edits,
      changedAt: AT,
    },
  ])
}

function journal(store: Store, draftId: string): void {
  const { operations } = store.journal
  const id = `o-${draftId}`
  const queued = { batchId: `b-${draftId}`, company: COMPANY, object: 'customer', queuedAt: AT } as const
  const operation = {
    operationId: id,
    draftId,
    kind: 'insert',
    recordId: '',
    recordName: draftId,
    fullName: draftId,
    externalId: id,
    namesakes: [],
    before: {},
    edits: [{ path: 'Name', was: null, now: draftId }],
  } as const
  operations.enqueue({ ...queued, status: 'open', error: null }, [operation], [])
  const request = {
    requestKey: `k-${draftId}`,
    batchId: queued.batchId,
    kind: 'insert',
    ...COMPANY,
    object: 'customer',
    body: `{"ID":"","Name":"${draftId}"}`,
    sentAt: AT,
  } as const
  operations.begin(request, [{ operationId: id, from: 'queued', to: 'sending', facts: {}, closes: false }])
  const after = { ID: 'R1', Name: draftId }
  const answer = {
    requestKey: request.requestKey,
    respondedAt: AT,
    outcome: 'answered',
    status: 200,
    requestId: 'r1',
    error: null,
    text: null,
    returnedIds: ['R1'],
    items: [{ operationId: id, text: JSON.stringify(after) }],
  } as const
  const facts = { recordId: 'R1', after, settledAt: AT }
  operations.move([{ operationId: id, from: 'sending', to: 'acked', facts, closes: true }], answer)
}

export { run as quick }

/** Journals as the writer does, while the peer writes and syncs as often. */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-bench-'))
  const store = value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => Date.now() }))
  const file = openSync(join(folder, 'peer'), 'w')
  try {
    let made = 0
    const turns: string[][] = []
    // The first turn is a warm-up.
    for (let turn = 0; turn < TURNS + 1; turn += 1) {
      const ids = Array.from({ length: WRITES }, () => `draft-${(made += 1)}`)
      for (const id of ids) draft(store, id)
      turns.push(ids)
    }
    // The smallest unit that a disk writes: one page.
    const bytes = Buffer.alloc(4_096, 7)
    const measured = await byTurns(
      () => {
        for (const id of turns.shift() ?? []) journal(store, id)
      },
      () => {
        for (let index = 0; index < WRITES * 3; index += 1) {
          writeSync(file, bytes)
          fdatasyncSync(file)
        }
      },
      TURNS,
    )
    return [
      ratioRow({
        what: `Journal ${WRITES} writes`,
        why: 'Each write is on disk as queued, as sending, and as answered. Three bare syncs of one page are the least that this costs.',
        turns: measured,
        against: 'three fdatasync calls each',
        most: 1.5,
      }),
    ]
  } finally {
    store.close()
    closeSync(file)
    rmSync(folder, { recursive: true, force: true })
  }
}
