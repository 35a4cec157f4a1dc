/** Backups as an attacker might make them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ZipFile } from 'yazl'
import { ownTables, SCHEMA_VERSION } from '../../../electron/store/schema.ts'
import { testFolder } from '../writing/world.ts'

/** What a database may have besides tables, each called `mine`. */
export const HIDDEN = [
  ['a trigger', 'CREATE TRIGGER mine AFTER INSERT ON drafts BEGIN DELETE FROM operations; END'],
  ['a view', 'CREATE VIEW mine AS SELECT * FROM drafts'],
  ['an index', 'CREATE INDEX mine ON drafts (before)'],
  ['a table', 'CREATE TABLE mine (a)'],
] as const

/** Renames it to a name that SQLite reserves. */
export function hidden(made: string): readonly string[] {
  return [
    made,
    'PRAGMA writable_schema = ON',
    `UPDATE sqlite_schema SET name = 'sqlite_stat9', sql = replace(sql, 'mine', 'sqlite_stat9') WHERE name = 'mine'`,
    'PRAGMA writable_schema = OFF',
  ]
}

export function written(bytes: Uint8Array): string {
  const file = join(testFolder(), 'backup.zip')
  writeFileSync(file, bytes)
  return file
}

/** A database with our tables and nothing in them. */
export function emptyDatabase(says = SCHEMA_VERSION, more: readonly string[] = []): Buffer {
  const path = join(testFolder(), 'made.sqlite')
  const made = new DatabaseSync(path, { defensive: false })
  const rows = JSON.parse(ownTables()) as readonly { type: string; sql: string | null }[]
  for (const type of ['table', 'index', 'trigger']) {
    for (const row of rows) if (row.type === type && row.sql !== null) made.exec(row.sql)
  }
  for (const statement of more) made.exec(statement)
  made.exec(`PRAGMA user_version = ${String(says)}`)
  made.close()
  return readFileSync(path)
}

type Lie = (said: Record<string, object>) => Record<string, object>
export const lying =
  (lie: object): Lie =>
  (said) => ({ ...said, 'settings.json': { ...said['settings.json'], ...lie } })

/** A backup in this program's format, with other parts (`null` for none) and another manifest. */
export async function zipOf(
  parts: Readonly<Record<string, Uint8Array | null>>,
  manifest: Readonly<Record<string, unknown>> & { readonly parts?: Lie } = {},
  isRaw = false,
): Promise<string> {
  return written(await zipBytes(parts, manifest, isRaw))
}

export async function zipBytes(
  parts: Readonly<Record<string, Uint8Array | null>>,
  manifest: Readonly<Record<string, unknown>> & { readonly parts?: unknown } = {},
  isRaw = false,
): Promise<Buffer> {
  const all: Record<string, Uint8Array | null> = {
    'settings.json': Buffer.from('{}'),
    ...(Object.hasOwn(parts, 'bookbridge.sqlite') ? {} : { 'bookbridge.sqlite': emptyDatabase() }),
    ...parts,
  }
  const said: Record<string, object> = {}
  for (const name of ['settings.json', 'bookbridge.sqlite']) {
    const bytes = all[name] ?? new Uint8Array()
    const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
    said[name] = { bytes: bytes.length, sha256: Buffer.from(digest).toString('hex') }
  }
  all['manifest.json'] ??= Buffer.from(
    JSON.stringify({
      format: 'bookbridge-backup',
      version: 1,
      madeAt: '2026-03-01T09:00:00.000Z',
      program: '0',
      schema: SCHEMA_VERSION,
      ...manifest,
      parts: typeof manifest.parts === 'function' ? (manifest.parts as Lie)(said) : (manifest.parts ?? said),
    }),
  )
  if (parts['manifest.json'] === null) all['manifest.json'] = null
  const zip = new ZipFile()
  for (const [name, bytes] of Object.entries(all)) {
    // yazl rejects names that lead out of the folder, so a name of the same length is replaced in the bytes.
    if (bytes !== null) {
      zip.addBuffer(Buffer.from(bytes), isRaw ? name.replace('../', 'xx/') : name, { compress: false })
    }
  }
  zip.end()
  const pieces: Uint8Array[] = []
  for await (const piece of zip.outputStream as AsyncIterable<Uint8Array>) pieces.push(piece)
  const bytes = Buffer.concat(pieces).toString('latin1')
  return Buffer.from(isRaw ? bytes.replaceAll('xx/evil.txt', '../evil.txt') : bytes, 'latin1')
}
