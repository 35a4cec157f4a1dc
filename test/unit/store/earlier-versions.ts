/**
 * Backups that earlier versions of the store wrote. Version 25 wrote `favourite` and `unauthorised`; later versions write
 * `favorite` and `unauthorized`. Up to versions 27 and 28, some tables, columns, and members of JSON had other names.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fromBufferPromise } from 'yauzl'
import type { Store } from '../../../electron/store/store.ts'
import { COMPANY } from '../writing/world.ts'

/** Versions whose backup has a row in every table. */
export const FULL_BACKUPS = [27, 28] as const

type EarlierVersion = 25 | (typeof FULL_BACKUPS)[number]

export function backupOf(version: EarlierVersion): string {
  return join(import.meta.dirname, `../../fixtures/backup-${String(version)}.zip`)
}

/** Puts the database and the settings of a backup into a folder. */
export async function unpackBackup(version: EarlierVersion, folder: string): Promise<void> {
  const zip = await fromBufferPromise(readFileSync(backupOf(version)))
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    writeFileSync(join(folder, entry.fileName), Buffer.concat(chunks))
  }
}

/** Everything in the store that version 25 spelled the British way. */
export function spelledIn(store: Store) {
  const { favorite, notes } = store.companies.get(COMPANY) ?? {}
  const all = { ...COMPANY, object: '', outcome: null, text: '', before: null, limit: 100 }
  const operations = store.history.batches(all).flatMap(({ batch: { batchId } }) =>
    store.history.operations({
      which: { of: 'batch', batchId },
      outcome: null,
      text: '',
      after: '',
      limit: 100,
    }),
  )
  return {
    favorite,
    notes,
    refused: operations.flatMap(({ state, error }) => (state === 'rejected' ? [error?.kind] : [])),
    reports: store.reportRuns.all().flatMap(({ items }) => items.map(({ error }) => error?.kind)),
    log: store.requestLog.list({ connectionId: null, before: null, limit: 10 }).map(({ code }) => code),
  }
}

/** What the backup says, in the spelling of later versions. A note is the user's own words, whatever they look like. */
export const SPELLED: ReturnType<typeof spelledIn> = {
  favorite: true,
  notes: 'They write "favourite": true, and "kind":"unauthorised".',
  refused: ['unauthorized'],
  reports: ['unauthorized'],
  log: ['unauthorized'],
}
