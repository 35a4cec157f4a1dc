// What is remembered about imports, with a real store: mappings, rows that were saved before, and rows that were not
// accepted.
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createImport, type Import } from '../../../electron/app/import/import.ts'
import { createImportFiles, type ImportFiles } from '../../../electron/files/import/import-files.ts'
import { resultOfAsync } from '../../../electron/store/database.ts'
import type { ImportRow, OpenedTable } from '../../../shared/import/table.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { IMPORT_OPTIONS } from '../../import-options.ts'
import { value } from '../../result.ts'
import { COMPANY, storedCompany, World } from '../writing/world.ts'

const LIST = { company: COMPANY, object: 'customer' }
const FILE = 'f'.repeat(32)
const files: ImportFiles = createImportFiles(IMPORT_OPTIONS)
afterAll(() => files.closeAll())

/** A row's fingerprint, which tests name by one digit. */
function print(digit: number): string {
  return String(digit).padStart(32, '0')
}

interface ImportParts {
  readonly handlers: Import['handlers']
  readonly forgetAll: Import['forgetAll']
  /** Where the last file was saved. */
  readonly saved: () => string
}

function importWith(world: World, chosen: string | null): ImportParts {
  let saved = ''
  let ids = 0
  const made = createImport({
    files,
    store: world.store.imports,
    companies: { find: (company) => ok(storedCompany({ ref: company, label: 'Alder' })) },
    dialog: {
      choose: (name) => {
        saved = join(world.folder, name)
        return Promise.resolve(saved)
      },
    },
    openDialog: {
      chooseTable: () => Promise.resolve(chosen),
      chooseBackup: () => Promise.resolve(null),
      chooseLogo: () => Promise.resolve(null),
      chooseRunFile: () => Promise.resolve(null),
      chooseCertificate: () => Promise.resolve(null),
    },
    clock: world.clock,
    newId: () => `import-${String((ids += 1))}`,
  })
  return { ...made, saved: () => saved }
}

async function open(handlers: Import['handlers']): Promise<OpenedTable> {
  const { file } = value(await handlers['import.chooseFile']({}))
  return value(await handlers['import.openFile']({ fileId: file?.fileId ?? '', sheet: '', text: FROM_FILE }))
}

function csv(world: World, ...lines: readonly string[]): string {
  const path = join(world.folder, 'clients.csv')
  writeFileSync(path, lines.join('\r\n'))
  return path
}

const FROM_FILE = { encoding: null, delimiter: null }

describe('choosing a file', () => {
  test('makes its rows available by a handle, so that its path never leaves the main process', async () => {
    const world = new World()
    const { handlers, forgetAll } = importWith(world, csv(world, 'Name,Phone', 'Alder,1'))
    const chosen = value(await handlers['import.chooseFile']({}))
    expect(chosen).toEqual({ file: { fileId: 'import-1', name: 'clients.csv' } })
    const opened = value(
      await handlers['import.openFile']({ fileId: 'import-1', sheet: '', text: FROM_FILE }),
    )
    expect(JSON.stringify([chosen, opened])).not.toContain(world.folder)
    const bytes = value(await handlers['import.rows']({ tableId: opened.tableId, from: 0, count: 10 }))
    const rows = JSON.parse(new TextDecoder().decode(bytes)) as readonly ImportRow[]
    expect(rows.map(({ cells }) => cells)).toEqual([
      ['Name', 'Phone'],
      ['Alder', '1'],
    ])
    await forgetAll()
    const again = await handlers['import.openFile']({ fileId: 'import-1', sheet: '', text: FROM_FILE })
    expect(again).toMatchObject({ ok: false, error: { kind: 'not-found' } })
  })

  test('or dropping one keeps it in memory until the next one, and any of its sheets can be read', async () => {
    const world = new World()
    const { handlers, forgetAll } = importWith(world, null)
    const take = async (text: string) => {
      const bytes = new TextEncoder().encode(text)
      return value(await handlers['import.takeFile']({ name: 'dropped.csv', bytes })).file.fileId
    }
    const first = await take('Name,Phone\r\nAlder,1')
    const opened = value(await handlers['import.openFile']({ fileId: first, sheet: '', text: FROM_FILE }))
    expect(opened).toMatchObject({ kind: 'csv', fileName: 'dropped.csv', rowCount: 2 })
    const second = await take('Name\r\nFinch')
    expect(
      value(await handlers['import.openFile']({ fileId: second, sheet: '', text: FROM_FILE })).rowCount,
    ).toBe(2)
    expect(await handlers['import.openFile']({ fileId: first, sheet: '', text: FROM_FILE })).toMatchObject({
      ok: false,
    })
    await forgetAll()
    expect(await handlers['import.openFile']({ fileId: second, sheet: '', text: FROM_FILE })).toMatchObject({
      ok: false,
    })
  })

  test('shows a message if no file is chosen or nothing is pasted', async () => {
    const world = new World()
    const { handlers } = importWith(world, null)
    expect(value(await handlers['import.chooseFile']({}))).toEqual({ file: null })
    expect(await handlers['import.openPasted']({ text: ' \n', delimiter: null })).toMatchObject({
      ok: false,
      error: { message: 'There are no rows on the clipboard.' },
    })
  })
})

describe('a mapping', () => {
  test('is remembered for a list and a set of headings. The last one wins, and survives a restart', () => {
    const world = new World()
    const phone = { heading: 'Tel', path: 'Phone', emptyMeans: 'clear' } as const
    const { imports } = world.store
    const none = { choices: [], derived: [] }
    expect(imports.mapping('customer', '["tel"]')).toEqual(none)
    imports.keepMapping('customer', '["tel"]', { choices: [{ ...phone, path: null }], derived: [] })
    imports.keepMapping('Customer', '["tel"]', { choices: [phone], derived: [] })
    const next = world.restart().store.imports
    expect(next.mapping('customer', '["tel"]')).toEqual({ choices: [phone], derived: [] })
    expect(next.mapping('vendor', '["tel"]')).toEqual(none)
    expect(next.mapping('customer', '["tel","name"]')).toEqual(none)
  })

  test('is saved under a name, replaced by that name, and deleted', async () => {
    const world = new World()
    const { handlers } = importWith(world, null)
    const choice = { heading: 'Client', path: 'Name', emptyMeans: 'leave' } as const
    const column = { heading: 'Address 2', occurrence: 0 }
    const mapping = {
      choices: [choice],
      derived: [{ kind: 'split' as const, column, by: 'city-state-zip' as const }],
    }
    const saved = async (object: string) => value(await handlers['import.savedMappings']({ object })).mappings
    value(await handlers['import.saveMapping']({ object: 'customer', name: 'Till', mapping }))
    value(
      await handlers['import.saveMapping']({
        object: 'customer',
        name: 'CRM',
        mapping: { ...mapping, derived: [] },
      }),
    )
    value(await handlers['import.saveMapping']({ object: 'Customer', name: 'CRM', mapping }))
    expect(await saved('customer')).toEqual([
      { name: 'CRM', mapping },
      { name: 'Till', mapping },
    ])
    expect(await saved('vendor')).toEqual([])
    value(await handlers['import.deleteMapping']({ object: 'customer', name: 'CRM' }))
    expect((await saved('customer')).map(({ name }) => name)).toEqual(['Till'])
  })
})

/** Imports two new records, one of which the application refuses. */
async function imported(
  world: World,
): Promise<{ readonly handlers: Import['handlers']; readonly saved: () => string }> {
  world.putCompany()
  const made = importWith(world, csv(world, 'Client,Tel', 'Elm,=1', 'Refused one,2', 'Never sent,3'))
  const { tableId } = await open(made.handlers)
  const drafts = [
    world.draftInsert({ Name: 'Elm', Phone: '=1' }),
    world.draftInsert({ Name: 'Refused one', Phone: '2' }),
    world.draftInsert({ Name: 'Never sent', Phone: '3' }),
  ]
  const rows = drafts.map((draftId, index) => [index + 2, print(index + 1), draftId, 'insert'] as const)
  value(await made.handlers['import.keep']({ ...LIST, tableId, headingRow: 1, file: FILE, rows }))
  expect(await repeats(made.handlers)).toEqual([])
  world.service.refusal = ({ Name }) => (Name === 'Refused one' ? { Message: 'No such name here.' } : null)
  await world.sendAndSettle(drafts.slice(0, 2))
  return made
}

async function repeats(handlers: Import['handlers'], file = FILE, rows = [1, 2, 3]): Promise<unknown> {
  const asked: Result<{ readonly past: unknown }> = await handlers['import.repeats']({
    ...LIST,
    file,
    rows: rows.map(print),
  })
  return value(asked).past
}

describe('after sending', () => {
  test('what was saved is recognized by file and by row, but drafts and rejected rows aren’t', async () => {
    const world = new World()
    const { handlers } = await imported(world)
    const known = {
      fileName: 'clients.csv',
      importedAt: expect.any(String) as string,
      added: 1,
      changed: 0,
      file: FILE,
      rows: [print(1)],
    }
    expect(await repeats(handlers)).toEqual([known])
    expect(await repeats(handlers, 'a'.repeat(32))).toEqual([known])
    expect(await repeats(handlers, 'a'.repeat(32), [2, 3])).toEqual([])
    const other = { ...LIST, object: 'vendor', file: FILE, rows: [] }
    expect(value(await handlers['import.repeats'](other)).past).toEqual([])
  })

  test('rows that were not accepted can be saved in the file’s own columns, without formulas, with the reason for each', async () => {
    const world = new World()
    const { handlers, saved } = await imported(world)
    const { imports } = value(await handlers['import.notAccepted'](LIST))
    expect(imports).toMatchObject([{ fileName: 'clients.csv', count: 1 }])
    const importId = imports[0]?.importId ?? ''
    expect(value(await handlers['import.saveNotAccepted']({ ...LIST, importId, kind: 'csv' }))).toMatchObject(
      {
        saved: true,
      },
    )
    expect(basename(saved())).toBe('Alder - Customers - clients, rows not accepted.csv')
    const [headings, row, ...more] = readFileSync(saved(), 'utf8').trimEnd().split('\r\n')
    expect(headings).toBe('\ufeffClient,Tel,Why it was not imported')
    expect(row).toMatch(/^Refused one,2,.*No such name here/)
    expect(more).toEqual([])
    const elsewhere = {
      company: { ...COMPANY, endpointId: 'other' },
      object: 'customer',
      importId,
      kind: 'csv' as const,
    }
    expect(await handlers['import.saveNotAccepted'](elsewhere)).toMatchObject({
      error: { kind: 'not-found' },
    })
  })

  test('nothing of it is left after the company’s data is deleted or the history has expired', async () => {
    const world = new World()
    const { handlers } = await imported(world)
    world.store.imports.trim('2026-04-01')
    expect(await repeats(handlers)).toEqual([])
    // A row whose draft waits for the user is kept.
    expect(value(await handlers['import.notAccepted'](LIST)).imports).toHaveLength(1)
    await world.store.journal.deleteCompany(COMPANY)
    expect(value(await handlers['import.notAccepted'](LIST)).imports).toEqual([])
    expect(readFileSync(world.path).includes('Refused one')).toBe(false)
  })
})

test('a company whose data was deleted while its file was read has no rows of it', async () => {
  const world = new World()
  world.putCompany()
  const { handlers } = importWith(world, csv(world, 'Client,Tel', 'Elm,1'))
  const { tableId } = await open(handlers)
  const rows = [[2, print(1), world.draftInsert({ Name: 'Elm' }), 'insert'] as const]
  const kept = resultOfAsync(async () =>
    handlers['import.keep']({ ...LIST, tableId, headingRow: 1, file: FILE, rows }),
  )
  await world.store.journal.deleteCompany(COMPANY)
  await kept
  expect(
    await resultOfAsync(async () =>
      handlers['import.keep']({ ...LIST, tableId, headingRow: 1, file: FILE, rows }),
    ),
  ).toMatchObject({ ok: false, error: { kind: 'not-found' } })
  expect(readFileSync(world.path).includes('Elm')).toBe(false)
})

describe('rows that can’t be used', () => {
  test('are saved as they were read, with the reason for each', async () => {
    const world = new World()
    const { handlers, saved } = importWith(
      world,
      csv(world, 'My clients', '', 'Name,Balance', 'Elm,lots', 'Fir,1'),
    )
    const { tableId } = await open(handlers)
    const reasons = [{ row: 4, reason: '“lots” is not an amount.', columns: [1] }]
    value(await handlers['import.saveFailedRows']({ ...LIST, tableId, headingRow: 3, reasons, kind: 'csv' }))
    expect(readFileSync(saved(), 'utf8').trimEnd().split('\r\n')).toEqual([
      '\ufeffName,Balance,Why it was not imported',
      'Elm,lots,“lots” is not an amount.',
    ])
  })
})
