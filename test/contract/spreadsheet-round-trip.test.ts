/**
 * A list is exported, three cells are changed in LibreOffice, and the file is imported: exactly those three become
 * drafts. Runs in the deep tests if LibreOffice is installed.
 */
import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { recordsCsv, type RecordsExport, recordsWorkbook } from '../../electron/files/csv/records-export.ts'
import { IMPORT_LIMITS } from '../../electron/files/import/limits.ts'
import { readSource } from '../../electron/files/import/read-source.ts'
import { columnLetters } from '../../electron/files/workbook/cells.ts'
import { proposeColumns } from '../../renderer/records/import/columns/headings.ts'
import type { ImportPlan } from '../../renderer/records/import/plan/plan.ts'
import { rowOfHeadings, withHeadings } from '../../shared/import/table.ts'
import { pathType, type RecordData, valueAt } from '../../shared/records/changes.ts'
import { objectDefinition } from '../../shared/records/definition.ts'
import { importPaths, pathHeading } from '../../shared/records/fields.ts'
import { ok } from '../../shared/result.ts'
import { planImport } from '../import-sync.ts'
import { isDeep } from '../seeds.ts'
import { bytesOf } from '../unit/files/workbook-fixture.ts'

const run = promisify(execFile)
const OFFICE = 'soffice'
const PATIENCE_MS = 600_000
const hasOffice = isDeep && spawnSync(OFFICE, ['--version'], { timeout: PATIENCE_MS }).status === 0

const NAMES = [
  'Alder & Sons',
  '=Sum Co',
  '+Plus',
  '-Dash',
  '@Home',
  "'Apostrophe",
  'Zoë “Łódź” Ÿ',
  '1/2 Price',
  'TRUE',
]
const PHONES = ['+1 (212) 555-0100', '775-555-1186', '0044 20 7946 0958', '5551186', '(775) 555-0101']
const ZIPS = ['02134', '97201', '00501-1234', 'SW1A 1AA', '10001']

/** Forty customers with values that spreadsheets tend to change. */
const RECORDS: readonly RecordData[] = Array.from({ length: 40 }, (_, at) => {
  const name = `${NAMES[at % NAMES.length] ?? ''} ${String(at)}`
  return {
    ID: `80000${String(at).padStart(3, '0')}-1627468614`,
    Name: name,
    FullName: name,
    Number: ['C-0042', '007', '3-4', '1E5', '123456789012345678', '12.50'][at % 6] ?? '',
    Phone: PHONES[at % PHONES.length] ?? '',
    Email: `a${String(at)}@example.com`,
    Balance: ['0.00', '1234.50', '-0.10', '99999999999.99'][at % 4] ?? '',
    IsActive: at % 5 === 0 ? 'false' : 'true',
    Terms: { ID: '1', FullName: ['Net 30', '2% 10 Net 30', ''][at % 3] ?? '' },
    BillingAddress: {
      Line1: `${String(at)} High St`,
      Line2: at % 7 === 0 ? 'Suite 4,\nrear' : '',
      City: 'Bath',
      PostalCode: ZIPS[at % ZIPS.length] ?? '',
    },
  }
})
const PATHS = importPaths('customer', [])

/** A row of the file, a field, and what is typed. */
const EDITS = [
  { at: 3, path: 'Phone', typed: '503-555-0199' },
  { at: 17, path: 'BillingAddress.City', typed: 'Łódź' },
  { at: 31, path: 'Email', typed: 'new@example.com' },
] as const

const LIST: RecordsExport = {
  companyName: 'Alder',
  application: 'Desktop',
  list: 'Customers',
  readAt: '2026-03-31T14:05:00Z',
  askedFor: '',
  partialReason: '',
  withDrafts: false,
  columns: PATHS.map((path) => ({
    heading: pathHeading('customer', path),
    type: pathType('customer', path),
  })),
  rows: async function* () {
    const value = (record: RecordData, path: string): string => {
      const found = valueAt('customer', record, path)
      return typeof found === 'string' ? found : found.FullName
    }
    yield await Promise.resolve(ok(RECORDS.map((record) => PATHS.map((path) => value(record, path)))))
  },
}

const CSV = { name: 'Text - txt - csv (StarCalc)', options: '44,34,76,1' }
const XLSX = { name: 'Calc MS Excel 2007 XML', options: '' }
type Filter = typeof CSV

/** Opens a file in LibreOffice, types the edits into the row below the headings, and saves it under another name. */
async function editInOffice(
  folder: string,
  from: string,
  open: Filter,
  to: string,
  save: Filter,
): Promise<void> {
  const basic = join(folder, 'profile', 'user', 'basic')
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n'
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
  // The first start creates the profile, which must contain a macro library.
  await run(OFFICE, [profile, '--headless', '--terminate_after_init'], { timeout: PATIENCE_MS })
  writeFileSync(
    join(basic, 'Standard', 'script.xlb'),
    `${head}<!DOCTYPE library:library PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "library.dtd"><library:library xmlns:library="http://openoffice.org/2000/library" library:name="Standard" library:readonly="false" library:passwordprotected="false"><library:element library:name="Edit"/></library:library>`,
  )
  const cells = EDITS.map(
    ({ at, path, typed }) =>
      `sheet.getCellRangeByName("${columnLetters(PATHS.indexOf(path))}${String(at + 2)}").setFormula("${typed}")`,
  )
  const macro = `Function Prop(n, v)
Dim p As New com.sun.star.beans.PropertyValue
p.Name = n
p.Value = v
Prop = p
End Function
Sub Run
doc = StarDesktop.loadComponentFromURL("${pathToFileURL(from).href}", "_blank", 0, Array(Prop("Hidden", True), Prop("FilterName", "${open.name}"), Prop("FilterOptions", "${open.options}")))
sheet = doc.Sheets.getByIndex(0)
${cells.join('\n')}
doc.storeAsURL("${pathToFileURL(to).href}", Array(Prop("FilterName", "${save.name}"), Prop("FilterOptions", "${save.options}")))
doc.close(True)
StarDesktop.terminate()
End Sub
`
  const escapedMacro = macro.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  writeFileSync(
    join(basic, 'Standard', 'Edit.xba'),
    `${head}<!DOCTYPE script:module PUBLIC "-//OpenOffice.org//DTD OfficeDocument 1.0//EN" "module.dtd"><script:module xmlns:script="http://openoffice.org/2000/script" script:name="Edit" script:language="StarBasic">${escapedMacro}</script:module>`,
  )
  await run(OFFICE, [profile, '--headless', '--norestore', 'macro:///Standard.Edit.Run'], {
    timeout: PATIENCE_MS,
  })
}

async function planOf(path: string): Promise<ImportPlan> {
  const read = await readSource({ kind: 'file', path, sheet: '' }, IMPORT_LIMITS)
  if (!read.ok) throw new Error(read.error.message)
  const known = (headings: readonly string[]): number =>
    proposeColumns('customer', headings, PATHS, []).filter((column) => column.path !== null).length
  const table = withHeadings(read.value.rows, rowOfHeadings(read.value.rows, known))
  return planImport({
    target: { connectionId: 'c', endpointId: 'e', object: 'customer' },
    table,
    columns: proposeColumns('customer', table.headings, PATHS, []),
    records: RECORDS,
    isWholeList: true,
    supported: new Set(objectDefinition('customer')?.fields.map(({ name }) => name)),
    locked: new Map(),
    local: { separators: { decimal: '.', group: ',' }, dates: 'month-first' },
    formats: { separators: null, dates: null },
    matchBy: null,
    acceptedDamage: new Set(),
  })
}

test.runIf(hasOffice).each([
  ['CSV for spreadsheets, saved as CSV', 'guarded', CSV, CSV],
  ['CSV for spreadsheets, saved as a workbook', 'guarded', CSV, XLSX],
  ['CSV for programs, saved as CSV', 'raw', CSV, CSV],
  ['CSV for programs, saved as a workbook', 'raw', CSV, XLSX],
  ['a workbook, saved as a workbook', 'workbook', XLSX, XLSX],
  ['a workbook, saved as CSV', 'workbook', XLSX, CSV],
] as const)(
  '%s: three edits become three drafts',
  async (_, shape, open, save) => {
    const folder = mkdtempSync(join(tmpdir(), 'bookbridge-round-'))
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    })
    const made =
      shape === 'workbook'
        ? recordsWorkbook(LIST, { negatives: 'minus', madeAt: LIST.readAt })
        : recordsCsv(LIST, shape)
    const from = join(folder, open === XLSX ? 'list.xlsx' : 'list.csv')
    writeFileSync(from, await bytesOf(made))
    const to = join(folder, save === XLSX ? 'edited.xlsx' : 'edited.csv')
    await editInOffice(folder, from, open, to, save)
    const plan = await planOf(to)
    const edits = plan.outcomes.flatMap((outcome) =>
      outcome.kind === 'change' || outcome.kind === 'insert'
        ? Object.values(outcome.draft.edits).map(({ path, now }) => [outcome.draft.recordId, path, now])
        : [],
    )
    expect(edits).toEqual(EDITS.map(({ at, path, typed }) => [RECORDS[at]?.['ID'], path, typed]))
    // Without the guard, LibreOffice runs text that begins with an equals sign. Such a row is refused, never imported
    // changed.
    const formulas = RECORDS.filter((record) => String(record['Name']).startsWith('='))
    const refused = shape === 'raw' ? formulas.length : 0
    expect(plan.counts).toMatchObject({ refused, unchanged: RECORDS.length - EDITS.length - refused })
  },
  PATIENCE_MS,
)
