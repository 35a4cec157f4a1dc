/** Mutates a backup: one random change to its database, its settings, or its bytes. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { SCHEMA_VERSION } from '../../../electron/store/schema.ts'
import { pick } from '../../unit/writing/random.ts'

/** The parts of a backup. */
export interface Parts {
  readonly database: Buffer
  readonly settings: Buffer
  /** Members to change in the manifest. */
  readonly manifest: Readonly<Record<string, unknown>>
}

type Random = () => number

const DEEP = `${'['.repeat(3_000)}${']'.repeat(3_000)}`
const HOSTILE: readonly (SQLInputValue | boolean)[] = [
  ...[null, '', ' ', 0, 1, 2, -1, 1.5, 1e308, true, false, 2 ** 53 - 1, 2n ** 63n - 1n, -(2n ** 63n)],
  ...['x', 'x'.repeat(300), 'x'.repeat(2_001), 'x'.repeat(200_001), '\u0000', '\u202egnp.exe', '\ud800'],
  ...[
    '../../outside/evil',
    '..\\..\\evil',
    '/etc/passwd',
    'C:\\Windows\\evil',
    '\\\\evil\\share\\x',
    '~/.profile',
  ],
  ...[
    '.',
    '..',
    'CON',
    'a/b',
    'https://evil.example',
    'http://evil.example',
    'sample:',
    'file:///etc/passwd',
  ],
  ...[`'; DROP TABLE drafts; --`, '<script>alert(1)</script>', '=cmd|calc', '__proto__', 'constructor'],
  ...['{}', '[]', '[null]', 'null', '{"__proto__":{"a":1}}', '{"a":1,"a":2}', DEEP, '"text"', '1e999'],
  ...[
    'queued',
    'sending',
    'running',
    'waiting',
    'running',
    'done',
    'unknown',
    'held',
    'acked',
    'rejected',
    'open',
  ],
  ...['insert', 'change', 'arrived', 'kept', 'done', 'finished', 'sent', 'c1', 'e1', 'c1 v1', 'v1', 'v2'],
  ...['2026-01-01', 'soon', '9999-12-31T23:59:59.999Z', '+275760-09-13T00:00:00.000Z', '1969-12-31'],
  new Uint8Array([0, 255, 1]),
  new Uint8Array(5_000),
]

const OBJECTS = [
  'CREATE TRIGGER mine AFTER INSERT ON drafts BEGIN DELETE FROM operations; END',
  'CREATE TRIGGER mine AFTER DELETE ON blocked_queues BEGIN UPDATE drafts SET is_stale = 0; END',
  'CREATE VIEW mine AS SELECT * FROM drafts',
  'CREATE INDEX mine ON drafts (before)',
  'CREATE UNIQUE INDEX mine ON companies (label)',
  'CREATE TABLE mine (a)',
  'CREATE TABLE mine (a GENERATED ALWAYS AS (1))',
  'CREATE VIRTUAL TABLE mine USING fts5(a)',
  'CREATE VIRTUAL TABLE mine USING rtree(a, b, c)',
] as const
const DISGUISES = [
  'mine',
  'sqlite_stat1',
  'sqlite_stat4',
  'sqlite_stat9',
  'sqlite_sequence',
  'sqlite_autoindex_mine_1',
  'drafts ',
]

export function mutateBackup(parts: Parts, random: Random, path: string): Parts {
  const roll = random()
  if (roll < 0.72) return { ...parts, database: withDatabase(parts.database, random, path) }
  if (roll < 0.87) return { ...parts, database: corruptBytes(parts.database, random) }
  if (roll < 0.96) return { ...parts, settings: withSettings(parts.settings, random) }
  const member = pick(random, ['madeAt', 'program', 'schema', 'version', 'format', 'parts', 'more'])
  return { ...parts, manifest: { [member]: asJson(pick(random, HOSTILE)) } }
}

/** Flips bits, or truncates, fills, or swaps pages. */
export function corruptBytes(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes)
  const page = (): number => Math.floor((random() * changed.length) / 4_096) * 4_096
  switch (pick(random, ['flip', 'flips', 'cut', 'fill', 'swap', 'header'])) {
    case 'flip':
      flipBit(changed, Math.floor(random() * changed.length), Math.floor(random() * 8))
      return changed
    case 'flips':
      for (let at = Math.floor(random() * 40); at >= 0; at -= 1) {
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256)
      }
      return changed
    case 'cut':
      return changed.subarray(0, random() < 0.5 ? page() : Math.floor(random() * changed.length))
    case 'fill':
      return changed.fill(Math.floor(random() * 256), page(), page())
    case 'swap': {
      const [one, other] = [page(), page()]
      const held = Buffer.from(changed.subarray(one, one + 4_096))
      changed.copy(changed, one, other, other + 4_096)
      held.copy(changed, other)
      return changed
    }
    default:
      changed[Math.floor(random() * 100)] = Math.floor(random() * 256)
      return changed
  }
}

function flipBit(bytes: Buffer, at: number, bit: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ (1 << bit)
}

function withDatabase(bytes: Buffer, random: Random, path: string): Buffer {
  writeFileSync(path, bytes)
  const database = open(path)
  try {
    change(database, random, path)
  } catch {
    // SQLite refuses some changes. Then the database stays unchanged.
  } finally {
    if (database.isOpen) database.close()
  }
  const changed = readFileSync(path)
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
  return changed
}

function open(path: string): DatabaseSync {
  return new DatabaseSync(path, { defensive: false, enableForeignKeyConstraints: false })
}

function change(database: DatabaseSync, random: Random, path: string): void {
  const roll = random()
  if (roll < 0.12) hide(database, random)
  else if (roll < 0.15)
    database.exec(`PRAGMA user_version = ${String(Math.floor(random() * (SCHEMA_VERSION + 4)) - 2)}`)
  else if (roll < 0.6) put(database, random, path, pick(random, HOSTILE))
  else if (roll < 0.9) putInJson(database, random, path)
  else if (roll < 0.95) again(database, random)
  else database.exec(`DELETE FROM "${tableOf(database, random)}"`)
}

function hide(database: DatabaseSync, random: Random): void {
  database.exec(pick(random, OBJECTS))
  const name = pick(random, DISGUISES)
  if (name === 'mine') return
  database.exec('PRAGMA writable_schema = ON')
  database
    .prepare(`UPDATE sqlite_schema SET name = ?, sql = replace(sql, 'mine', ?) WHERE name = 'mine'`)
    .run(name, name)
}

function tableOf(database: DatabaseSync, random: Random): string {
  const tables = database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
  return String(pick(random, tables)['name'])
}

function put(database: DatabaseSync, random: Random, path: string, hostile: SQLInputValue | boolean): void {
  const table = tableOf(database, random)
  const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
  putAt(database, path, table, String(pick(random, columns)['name']), hostile)
}

/** Writes a value even if the table's types forbid it, by dropping the checks temporarily. */
function putAt(
  database: DatabaseSync,
  path: string,
  table: string,
  column: string,
  hostile: SQLInputValue | boolean,
): void {
  const value = typeof hostile === 'boolean' ? Number(hostile) : hostile
  const sql = `UPDATE "${table}" SET "${column}" = ?`
  try {
    database.prepare(sql).run(value)
    return
  } catch {
    // A value of another type.
  }
  const before = database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(table)?.['sql']
  const setSchema = (each: DatabaseSync, words: string): void => {
    each.exec('PRAGMA writable_schema = ON')
    each.prepare('UPDATE sqlite_schema SET sql = ? WHERE name = ?').run(words, table)
    each.close()
  }
  setSchema(
    database,
    String(before)
      .replace(/STRICT(, )?/, '')
      .replaceAll('NOT NULL', ''),
  )
  const loose = open(path)
  try {
    loose.prepare(sql).run(value)
  } finally {
    setSchema(loose, String(before))
  }
}

function putInJson(database: DatabaseSync, random: Random, path: string): void {
  const table = tableOf(database, random)
  const row = database.prepare(`SELECT * FROM "${table}" LIMIT 1`).get() ?? {}
  const columns = Object.entries(row).filter(([, value]) => typeof value === 'string' && /^[[{]/.test(value))
  if (columns.length === 0) {
    put(database, random, path, pick(random, HOSTILE))
    return
  }
  const [column, text] = pick(random, columns)
  putAt(database, path, table, column, JSON.stringify(withMember(JSON.parse(String(text)), random)))
}

/** Changes, removes, or adds a member at any depth. */
function withMember(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null || random() < 0.15) return asJson(pick(random, HOSTILE))
  const members = Object.entries(value)
  const isMore = members.length === 0 || random() < 0.1
  const name = isMore
    ? pick(random, ['folder', 'files', 'isSample', '__proto__', '0', 'more'])
    : pick(random, members)[0]
  const rest = members.filter(([each]) => each !== name)
  const next =
    random() < 0.1
      ? rest
      : members.map(([each, one]) => [each, each === name ? withMember(one, random) : one] as const)
  const made = isMore ? [...members, [name, asJson(pick(random, HOSTILE))] as const] : next
  return Array.isArray(value) ? made.map(([, one]): unknown => one) : Object.fromEntries<unknown>(made)
}

function asJson(value: SQLInputValue | boolean): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value instanceof Uint8Array ? [...value.subarray(0, 5)] : value
}

/** Repeats a row under another key. */
function again(database: DatabaseSync, random: Random): void {
  const table = tableOf(database, random)
  const row = database.prepare(`SELECT * FROM "${table}" LIMIT 1`).get() ?? {}
  const [first = ''] = Object.keys(row)
  const values = Object.entries(row).map(([name, value]) => (name === first ? `${String(value)}x` : value))
  database.prepare(`INSERT INTO "${table}" VALUES (${values.map(() => '?').join(', ')})`).run(...values)
}

function withSettings(bytes: Buffer, random: Random): Buffer {
  if (random() < 0.1) return corruptBytes(bytes, random)
  return Buffer.from(JSON.stringify(withMember(JSON.parse(bytes.toString()), random)))
}
