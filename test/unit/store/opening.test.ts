import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { createDatabase } from '../../../electron/store/database.ts'
import { deleteCompany, deleteConnection } from '../../../electron/store/deletion.ts'
import { SCHEMA_VERSION } from '../../../electron/store/schema.ts'
import { openStore } from '../../../electron/store/store.ts'
import { value } from '../../result.ts'
import { COMPANY, storedCompany, testFolder } from '../writing/world.ts'
import { databaseWithEveryTable } from './every-table.ts'

const options = { now: () => Date.parse('2026-03-01T09:00:00Z') }

describe('opening the store', () => {
  test('what was confirmed is there after reopening, readable only by its owner', () => {
    const path = join(testFolder(), 'bookbridge.sqlite')
    const first = value(openStore(path, options))
    first.queues.block('queue', {
      at: 4_000.6,
      until: 5_000.4,
      elapsed: 70.5,
      what: 'Reading customers',
      reason: 'asked',
    })
    first.close()
    const second = value(openStore(path, options))
    expect(second.queues.blockOf('queue')).toEqual({
      at: 4_000,
      until: 5_001,
      elapsed: 70.5,
      what: 'Reading customers',
      reason: 'asked',
    })
    expect(second.notices).toEqual([])
    if (process.platform !== 'win32') {
      for (const suffix of ['', '-wal']) expect(statSync(path + suffix).mode & 0o077).toBe(0)
    }
    second.close()
  })

  test('a second program on the same file gets a clear message', () => {
    const path = join(testFolder(), 'bookbridge.sqlite')
    const first = value(openStore(path, options))
    const second = openStore(path, options)
    expect(second).toMatchObject({ ok: false, error: { kind: 'store' } })
    if (!second.ok) expect(second.error.message).toContain('Another Bookbridge')
    first.close()
    const third = openStore(path, options)
    expect(third.ok).toBe(true)
    if (third.ok) third.value.close()
  })

  test.each([
    [
      'text instead of a database',
      (bytes: Uint8Array) => new TextEncoder().encode('no database '.repeat(bytes.length / 8)),
    ],
    [
      'pages overwritten',
      (bytes: Uint8Array) => bytes.map((byte, index) => (index > 4_500 && index < 60_000 ? 0x5a : byte)),
    ],
  ])('a damaged file (%s) is set aside under another name, with a notice', (_what, damage) => {
    const folder = testFolder()
    const path = join(folder, 'bookbridge.sqlite')
    value(openStore(path, options)).close()
    writeFileSync(path, damage(readFileSync(path)))
    const opened = value(openStore(path, options))
    expect(opened.notices).toHaveLength(1)
    expect(opened.isReadOnly).toBe(false)
    expect(opened.companies.list('c1')).toEqual([])
    opened.close()
    const setAside = readdirSync(folder).filter((name) => /\.damaged-.*Z$/.test(name))
    expect(setAside).toHaveLength(1)
    expect(opened.damagedFiles()).toEqual(setAside.map((name) => join(folder, name)))
  })

  test.each([
    'CREATE TRIGGER mine AFTER INSERT ON companies BEGIN DELETE FROM drafts; END',
    'CREATE VIEW mine AS SELECT * FROM drafts',
    'CREATE TABLE mine (a)',
    'DROP TRIGGER operation_words_deleted',
  ])('anything in the file besides our tables is left behind, and the rows are kept: %s', (sql) => {
    const folder = testFolder()
    const path = join(folder, 'bookbridge.sqlite')
    const store = value(openStore(path, options))
    store.companies.put(storedCompany({ label: 'Ours' }))
    store.close()
    const altered = new DatabaseSync(path)
    altered.exec(sql)
    altered.close()
    const opened = value(openStore(path, options))
    expect(opened.notices).toHaveLength(1)
    expect(opened.companies.list('c1')).toMatchObject([{ label: 'Ours' }])
    opened.close()
    const again = value(openStore(path, options))
    expect(again.notices).toEqual([])
    again.close()
  })

  test.each([
    ['connection', COMPANY.connectionId, []],
    // The companies that were listed before another one was added.
    ['company', COMPANY.endpointId, ['provisionings']],
  ] as const)('a deleted %s leaves nothing of its own in any table', async (what, id, stays) => {
    const path = join(testFolder(), 'bookbridge.sqlite')
    writeFileSync(path, await databaseWithEveryTable())
    const raw = new DatabaseSync(path)
    const tables = raw.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).all()
    // A random ID in hexadecimal may begin like this one.
    const mention = new RegExp(`"${id}(?![0-9a-f])`)
    const naming = (): readonly unknown[] =>
      tables.flatMap(({ name }) => {
        const rows = raw.prepare(`SELECT * FROM "${String(name)}"`).all()
        return mention.test(JSON.stringify(rows)) ? [name] : []
      })
    expect(naming().length).toBeGreaterThan(15)
    const database = createDatabase(raw, null)
    if (what === 'company') await deleteCompany(database, COMPANY)
    else await deleteConnection(database, COMPANY.connectionId, { evenUnconfirmed: true })
    expect(naming()).toEqual(stays)
    raw.close()
  })

  test.each([1, SCHEMA_VERSION - 1])(
    'a file of an older program (version %i) is refused with a message, and stays as it is',
    async (version) => {
      const folder = testFolder()
      const path = join(folder, 'bookbridge.sqlite')
      writeFileSync(path, await databaseWithEveryTable())
      const older = new DatabaseSync(path)
      older.exec(`PRAGMA journal_mode = WAL; PRAGMA user_version = ${String(version)}`)
      older.close()
      const before = readFileSync(path)
      const refused = openStore(path, options)
      expect(refused.ok ? '' : refused.error.message).toContain('older version of Bookbridge')
      expect(readFileSync(path).equals(before)).toBe(true)
      expect(readdirSync(folder).filter((name) => name.startsWith('bookbridge.sqlite.'))).toEqual([])
    },
  )

  test('a file of a newer program is only read, and every write says why', () => {
    const path = join(testFolder(), 'bookbridge.sqlite')
    const first = value(openStore(path, options))
    first.companies.put(storedCompany())
    first.close()
    const raw = new DatabaseSync(path)
    raw.exec('PRAGMA user_version = 99')
    raw.close()
    const opened = value(openStore(path, options))
    expect(opened.isReadOnly).toBe(true)
    expect(opened.companies.list('c1')).toHaveLength(1)
    expect(() => {
      opened.companies.annotate(COMPANY, { label: 'x' })
    }).toThrow('A newer version of Bookbridge')
    opened.close()
  })

  test('a missing folder is an error, not a crash', () => {
    expect(openStore(join(testFolder(), 'none', 'x.sqlite'), options)).toMatchObject({
      ok: false,
      error: { kind: 'store' },
    })
  })
})

describe('companies', () => {
  test('a new listing never overwrites a note, and keeps companies that it lacks', () => {
    const store = value(openStore(join(testFolder(), 'bookbridge.sqlite'), options))
    const other = { ...storedCompany(), ref: { connectionId: 'c1', endpointId: 'e2' } }
    store.companies.replaceListing('c1', [storedCompany(), other], '2026-01-01', true)
    store.companies.annotate(COMPANY, { label: 'Alder', readOnly: true })
    store.companies.replaceListing('c1', [storedCompany({ companyName: 'New name' })], '2026-01-02', true)
    const [first, second] = store.companies.list('c1')
    expect(first).toMatchObject({ label: 'Alder', readOnly: true, companyName: 'New name', isListed: true })
    expect(second).toMatchObject({ isListed: false })
    expect(store.companies.lastListing('c1')).toEqual({ readAt: '2026-01-02', isWhole: true })
    store.close()
  })

  test('an incomplete list is known to be incomplete at the next start, and removes no company', () => {
    const path = join(testFolder(), 'bookbridge.sqlite')
    const store = value(openStore(path, options))
    store.companies.replaceListing('c1', [storedCompany()], '2026-01-01', true)
    store.companies.replaceListing('c1', [], '2026-01-02', false)
    store.close()
    const again = value(openStore(path, options))
    expect(again.companies.lastListing('c1')).toEqual({ readAt: '2026-01-02', isWhole: false })
    expect(again.companies.list('c1')).toMatchObject([{ isListed: true }])
    again.close()
  })
})

describe('drafts', () => {
  const draft = (draftId: string, recordId: string, now: string) => ({
    draftId,
    company: COMPANY,
    object: 'customer',
    kind: 'change' as const,
    recordId,
    before: { ID: recordId, Phone: '1' },
    edits: now === '' ? [] : [{ path: 'Phone', was: '1', now }],
    changedAt: '2026-03-01T09:00:00Z',
  })

  test('ten thousand are saved and listed in order. Without edits, a draft is deleted', () => {
    const store = value(openStore(join(testFolder(), 'bookbridge.sqlite'), options))
    const many = Array.from({ length: 10_000 }, (_, index) => draft(`d${index}`, `r${index}`, '2'))
    expect(store.drafts.saveAll(many)).toEqual([])
    const listed = store.drafts.list(COMPANY, 'customer')
    expect(listed).toHaveLength(10_000)
    expect(listed[9_999]?.draftId).toBe('d9999')
    expect(store.drafts.saveAll([draft('d0', 'r0', '')])).toEqual([])
    store.drafts.discard(COMPANY, ['d1', 'd2'])
    expect(store.drafts.list(COMPANY, 'customer')).toHaveLength(9_997)
    expect(store.unfinished.list('c1')).toMatchObject([{ kind: 'draft', count: 9_997 }])
    store.close()
  })

  test('there is one draft per record, and never one of another company’s', () => {
    const store = value(openStore(join(testFolder(), 'bookbridge.sqlite'), options))
    expect(store.drafts.saveAll([draft('d1', 'r1', '2')])).toEqual([])
    expect(store.drafts.saveAll([draft('d2', 'r1', '3')])).toMatchObject([
      { draftId: 'd2', error: { kind: 'invalid-input' } },
    ])
    const foreign = { ...draft('d1', 'r1', '3'), company: { connectionId: 'c1', endpointId: 'e2' } }
    expect(store.drafts.saveAll([foreign])).toMatchObject([{ draftId: 'd1' }])
    store.close()
  })
})
