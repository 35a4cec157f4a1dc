/** A long batch's log is moved into the file while nothing waits for the disk, so that no response has to wait. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openStore } from '../../../electron/store/store.ts'
import { value } from '../../result.ts'

const COMPANY = { connectionId: 'c', endpointId: 'e' }
const AT = '2026-03-01T09:00:00.000Z'

/** The content of the file without the log beside it. */
function draftsInFile(path: string, folder: string): number {
  const copy = join(folder, 'copy.sqlite')
  copyFileSync(path, copy)
  const file = new DatabaseSync(copy, { readOnly: true })
  try {
    return Number(file.prepare('SELECT count(*) AS count FROM drafts').get()?.['count'])
  } finally {
    file.close()
  }
}

test('what a long batch wrote is moved into the file on request. A little stays in the log', ({
  onTestFinished,
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'bookbridge-checkpoint-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const path = join(folder, 'bookbridge.sqlite')
  // The tables are already in the file, from an earlier run.
  value(openStore(path, { now: Date.now })).close()
  const store = value(openStore(path, { now: Date.now }))
  onTestFinished(() => {
    store.close()
  })
  const draft = (count: number) => {
    store.drafts.saveAll(
      Array.from({ length: count }, (_, index) => ({
        draftId: `d${index}`,
        company: COMPANY,
        object: 'customer',
        kind: 'insert',
        recordId: '',
        before: {},
        edits: [{ path: 'Name', was: null, now: `Customer ${index}` }],
        changedAt: AT,
      })),
    )
  }
  draft(1_000)
  store.checkpoint()
  expect(draftsInFile(path, folder)).toBe(0)
  draft(3_000)
  store.checkpoint()
  expect(draftsInFile(path, folder)).toBe(3_000)
})
