// How the cost of the history grows: the first page, a page from the middle, a search for a number that occurs once,
// and one record's history, with 40,000 changes against 2,000. Each uses an index, so that a long history opens as fast
// as a short one.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openStore, type Store } from '../../electron/store/store.ts'
import { value } from '../result.ts'
import { byTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'history'

const [MANY, FEW] = [40_000, 2_000]
/** One page takes less time than the clock resolves reliably, so this many are measured together. */
const PAGES = 10
/** Twenty times the changes may take twice as long, because indexes get deeper and a search reads a narrow table. */
const MAX_RATIO = 2
const COMPANY = { connectionId: 'c1', endpointId: 'e1' }

/** Creates a journal with this many changes, written directly to its file in batches of 50. */
function fill(path: string, count: number): void {
  value(openStore(path, { now: () => 0 })).close()
  const raw = new DatabaseSync(path)
  raw.exec('BEGIN')
  const batch = raw.prepare(
    `INSERT INTO batches (batch_id, connection_id, endpoint_id, object, queued_at, status) VALUES (?, 'c1', 'e1', 'customer', ?, 'open')`,
  )
  const operation = raw.prepare(
    `INSERT INTO operations (operation_id, batch_id, position, draft_id, connection_id, endpoint_id, object, kind,
       record_id, record_name, full_name, external_id, state, is_closed, before, edits, queued_at, after)
     VALUES (?, ?, ?, ?, 'c1', 'e1', 'customer', 'change', ?, ?, '', '', 'acked', 1, ?, ?, ?, ?)`,
  )
  const words = raw.prepare('INSERT INTO operation_words (operation_id, batch_id, words) VALUES (?, ?, ?)')
  const record = JSON.stringify({ ID: 'R', Name: 'N', BillingAddress: { Line1: 'x'.repeat(900) } })
  for (let at = 0; at < count; at += 1) {
    const batchId = `b${String(Math.floor(at / 50)).padStart(6, '0')}`
    const queuedAt = new Date(
      Date.parse('2026-01-01T00:00:00Z') + Math.floor(at / 50) * 7_200_000,
    ).toISOString()
    if (at % 50 === 0) batch.run(batchId, queuedAt)
    const phone = `555-${String(at).padStart(6, '0')}`
    const edits = JSON.stringify([{ path: 'Phone', was: '', now: phone }])
    operation.run(
      `o${String(at)}`,
      batchId,
      at % 50,
      `d${String(at)}`,
      `R${String(at)}`,
      `Customer ${String(at)}`,
      record,
      edits,
      queuedAt,
      record,
    )
    words.run(`o${String(at)}`, batchId, `customer ${String(at)}\n${phone}`)
  }
  raw.exec('COMMIT')
  raw.close()
}

const QUERY = {
  connectionId: COMPANY.connectionId,
  endpointId: null,
  object: '',
  outcome: null,
  text: '',
  before: null,
  limit: 20,
} as const

/** The queries, each with the number of rows that it must find. */
const LOOKS: readonly { readonly what: string; readonly look: (store: Store) => readonly unknown[] }[] = [
  { what: 'First page of History', look: (store) => store.history.batches(QUERY) },
  {
    what: '– a page from the middle',
    look: (store) => store.history.batches({ ...QUERY, before: { at: '2026-01-03T00:00:00.000Z', id: '' } }),
  },
  {
    what: '– one record’s history',
    look: (store) => {
      const which = { of: 'record', company: COMPANY, object: 'customer', recordId: 'R1777' } as const
      return store.history.operations({ which, outcome: null, text: '', after: '', limit: 20 })
    },
  },
]

/** Runs a query on both journals in turn. */
export async function run(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-bench-'))
  const stores = [MANY, FEW].map((count) => {
    const path = join(folder, `${String(count)}.sqlite`)
    fill(path, count)
    return value(openStore(path, { now: () => 0 }))
  })
  try {
    const [many, few] = stores as [Store, Store]
    const rows: Row[] = []
    for (const { what, look } of LOOKS) {
      if (look(many).length === 0 || look(few).length === 0) throw new Error(`${what}: nothing was found.`)
      const measured = await byTurns(
        () => Array.from({ length: PAGES }, () => look(many)),
        () => Array.from({ length: PAGES }, () => look(few)),
      )
      rows.push(
        ratioRow({
          what,
          why: `${MANY.toLocaleString('en')} changes, ${String(PAGES)} reads at a time. Each read goes by an index, so years of work should cost what a month costs.`,
          turns: measured,
          against: `${FEW.toLocaleString('en')} changes`,
          most: MAX_RATIO,
        }),
      )
    }
    return rows
  } finally {
    for (const store of stores) store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
