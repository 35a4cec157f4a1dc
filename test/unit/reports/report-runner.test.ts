/**
 * A run of reports from its first request to its last file: only what failed is made again, what the service said and
 * what could not be made is reported, and several companies are side by side to the cent.
 */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../electron/app/program/settings.ts'
import { createReportFiles } from '../../../electron/app/reports/report-files.ts'
import type { ReportRequest } from '../../../electron/app/reports/report-reader.ts'
import { planItems, ReportRunner } from '../../../electron/app/reports/report-runner.ts'
import { type RunSummary, summaryText } from '../../../electron/app/reports/run-summary.ts'
import { afterRestart, forRetry, silentCompanies, untested } from '../../../electron/app/runs/run-steps.ts'
import type { Clock } from '../../../electron/clock.ts'
import { letterheadOf } from '../../../electron/files/print/letterhead.ts'
import { checkReport } from '../../../electron/rows/reports/checks.ts'
import { StoreError } from '../../../electron/store/database.ts'
import { openStore, type Store } from '../../../electron/store/store.ts'
import { levelReport } from '../../../shared/reports/levels.ts'
import type { RawReportRow, ReportHead, ReportRow } from '../../../shared/reports/reports.ts'
import { type ReportRun, type RunCompany } from '../../../shared/reports/runs.ts'
import { appError, err, type ErrorKind, ok } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { partsOf } from '../files/workbook-fixture.ts'

const CLOCK: Clock = {
  now: () => 0,
  elapsed: () => 0,
  after: () => () => undefined,
  during: (work) => work,
}
const SUMMARY: RunSummary = {
  title: 'Month end',
  startedAt: '2026-04-01T08:00:00Z',
  endedAt: '2026-04-01T08:05:00Z',
  dueAt: '',
  outcome: 'made',
  message: '',
  hasFindings: false,
  folder: '',
  summaryFile: '',
}
const DAYS = { from: '2026-01-01', to: '2026-03-31' }

/** A statement with an account of its own and one that every company has. */
function statement(own: string, rent: string): RawReportRow[] {
  const raw = (rowType: string, name: string, ...values: string[]) => ({ rowType, name, id: '1', values })
  return [
    raw('TextRow', 'Expenses'),
    raw('DataRow', 'Rent', rent),
    raw('DataRow', own, '0.10'),
    raw('SubtotalRow', 'Total Expenses', rent === '' ? '0.10' : `${rent.slice(0, -2)}10`),
  ]
}

let folder = ''
/** The program's own folder. */
let home = ''
let store: Store
let runner: ReportRunner
let answer: (asked: ReportRequest) => { readonly rows: RawReportRow[]; readonly rowCount?: number } | string
/** Companies whose reports are refused although their tests are answered. */
let refusing: ReadonlyMap<string, ErrorKind>
let asked: string[]
let notes: readonly string[]
let printed: string[]
/** Called while a PDF is printed. */
let printing: () => void

function makeRunner(ended: (run: ReportRun) => void): ReportRunner {
  const held = new Map<string, readonly ReportRow[]>()
  const rows = {
    reportChunk: (reportId: string, from: number, count: number) =>
      Promise.resolve(
        ok(new TextEncoder().encode(JSON.stringify(held.get(reportId)?.slice(from, from + count) ?? []))),
      ),
    closeReport: () => Promise.resolve(),
  }
  const files = createReportFiles({
    rows,
    store: store.reportRuns,
    companies: { find: () => err(appError('not-found', 'Not known.', '')) },
    printer: {
      pdf: ({ html }) => {
        printed.push(html)
        printing()
        return Promise.resolve(ok(new Uint8Array([37, 80, 68, 70])))
      },
    },
    format: () => ({ locale: 'en-GB', negatives: 'minus' }),
    letterhead: () => letterheadOf(DEFAULT_SETTINGS),
    clock: CLOCK,
  })
  return new ReportRunner({
    store: store.reportRuns,
    files,
    rows,
    reader: {
      read: (request) => {
        asked.push(`${request.companyName} ${request.name}`)
        const kind = refusing.get(request.companyName)
        if (kind !== undefined) return Promise.resolve(err(appError(kind, 'Refused.', '')))
        const made = answer(request)
        if (typeof made === 'string') return Promise.resolve(err(appError('service-error', made, '')))
        const leveled = levelReport(made.rows)
        const reportId = `${request.companyName} ${request.name} ${asked.length}`
        held.set(reportId, leveled)
        const head: ReportHead = {
          reportId,
          name: request.name,
          reportType: request.name,
          ...DAYS,
          making: 'single',
          periods: [DAYS],
          startDate: '',
          endDate: '',
          nameColumn: '',
          columns: ['Total'],
          rowCount: made.rowCount ?? leveled.length,
          checks: checkReport(request.name, ['Total'], leveled),
          notes,
          madeAt: '2026-04-01T08:00:00Z',
          requestId: '',
        }
        return Promise.resolve(ok(head))
      },
    },
    test: () => Promise.resolve(ok({ outcome: 'answered', milliseconds: 1, at: DAYS.from })),
    stopEntry: () => undefined,
    changed: (run) => {
      if (run.state !== 'running') ended(run)
    },
    defect: (cause) => {
      throw cause as Error
    },
  })
}

/** Continues a saved run to its end, or until it needs the user. */
function runToEnd(runId: string): Promise<ReportRun> {
  return new Promise((ended) => {
    runner = makeRunner(ended)
    void runner.continue(runId)
  })
}

function putRun(
  names: readonly string[],
  more: Partial<ReportRun> = {},
  companyNames: readonly string[] = ['Alder', 'Birch'],
): ReportRun {
  const companies = companyNames.map((companyName): RunCompany => ({
    company: { connectionId: 'c', endpointId: companyName },
    companyName,
    application: 'qbd',
    applicationName: 'Desktop',
    ...DAYS,
    contact: 'untested',
    contactError: null,
  }))
  let ids = 0
  const run: ReportRun = {
    runId: 'j',
    connectionId: 'c',
    title: 'Month end',
    createdAt: '2026-04-01T08:00:00Z',
    folder,
    state: 'stopped',
    error: null,
    companies,
    items: planItems(companies, names, () => `i${(ids += 1)}`),
    fileKinds: ['xlsx'],
    combined: true,
    pack: false,
    hideZeroRows: false,
    files: [],
    ...more,
  }
  store.reportRuns.add(run)
  return run
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-run-'))
  home = mkdtempSync(join(tmpdir(), 'bookbridge-home-'))
  store = value(openStore(join(home, 'bookbridge.sqlite'), { now: () => 0 }))
  asked = []
  printed = []
  printing = () => undefined
  notes = []
  refusing = new Map()
  answer = ({ companyName }) => ({
    rows: statement(companyName, companyName === 'Alder' ? '0.00' : '2000000000000.00'),
  })
})
afterEach(() => {
  runner.close()
  store.close()
  for (const each of [folder, home]) rmSync(each, { recursive: true, force: true })
})

/** The names of the sheets in the workbook of all. */
async function sheetsOf({ files }: ReportRun): Promise<(string | undefined)[]> {
  const parts = await partsOf(readFileSync(join(folder, files[0]?.name ?? '')))
  return [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g)].map(([, name]) => name)
}

/** All files, with their company's folder. */
const filesIn = (): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
const workbooks = (): string[] => filesIn().filter((name) => name.endsWith('.xlsx'))

describe('a run of reports', () => {
  it('repeats only what failed, and updates the joint files', async () => {
    putRun(['ProfitAndLoss', 'BalanceSheet'])
    const whole = answer
    answer = (request) =>
      request.companyName === 'Birch' && request.name === 'BalanceSheet' ? 'No access' : whole(request)
    const first = await runToEnd('j')
    expect(first.state).toBe('finished')
    expect(first.files.map(({ name }) => name)).toEqual([expect.stringMatching(/^2 companies - /)])
    expect(first.items.map(({ state, error }) => error?.message ?? state)).toEqual([
      'done',
      'done',
      'done',
      'No access',
    ])
    answer = whole
    asked = []
    store.reportRuns.put(forRetry(first))
    const again = await runToEnd('j')
    expect(asked).toEqual(['Birch BalanceSheet'])
    expect(again.items.every(({ state }) => state === 'done')).toBe(true)
    // The workbook of all reports is complete now.
    expect(workbooks()).toHaveLength(5)
    expect(again.files[0]?.name).toBe(first.files[0]?.name)
    expect(await sheetsOf(again)).toEqual(expect.arrayContaining(['Balance sheet Birch']))
  })

  it('doesn’t change the pack of a company without new reports, or a joint file that someone has changed', async () => {
    putRun(['ProfitAndLoss'], { pack: true })
    const whole = answer
    answer = (request) => (request.companyName === 'Birch' ? 'No access' : whole(request))
    const first = await runToEnd('j')
    const [ofAll, ofAlder] = first.files
    expect(first.files.map(({ name }) => name)).toEqual([
      '2 companies - Month end - 2026-01-01 to 2026-03-31.xlsx',
      'Alder/Alder - Month end - 2026-01-01 to 2026-03-31.pdf',
    ])
    appendFileSync(join(folder, ofAll?.name ?? ''), 'a note')
    answer = whole
    printed = []
    store.reportRuns.put(forRetry(first))
    const again = await runToEnd('j')
    expect(again.files.map(({ name }) => name)).toEqual([
      '2 companies - Month end - 2026-01-01 to 2026-03-31 (2).xlsx',
      ofAlder?.name,
      'Birch/Birch - Month end - 2026-01-01 to 2026-03-31.pdf',
    ])
    expect(printed).toHaveLength(1)
    expect(readFileSync(join(folder, ofAll?.name ?? ''), 'latin1').endsWith('a note')).toBe(true)
  })

  it('after an exit between writing and saving a file, writes the same file, and no second one', async () => {
    const { companies, items, ...both } = putRun(['ProfitAndLoss'])
    const run: ReportRun = { ...both, companies: companies.slice(0, 1), items: items.slice(0, 1) }
    const put = store.reportRuns.put.bind(store.reportRuns)
    const names: string[][] = []
    // The program ends before each state is saved, in turn, and the run is resumed.
    for (let kept = 0, isDone = false; !isDone; kept += 1) {
      put(run)
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
      let left = kept
      store.reportRuns.put = (each) => {
        if ((left -= 1) < 0) throw new StoreError(appError('store', 'Ended.', ''))
        put(each)
      }
      const ended = await runToEnd('j')
      isDone = ended.state === 'finished'
      store.reportRuns.put = put
      put(afterRestart(store.reportRuns.get('j') ?? run))
      await runToEnd('j')
      names.push(workbooks().toSorted())
    }
    expect(names.length).toBeGreaterThan(6)
    expect(new Set(names.map(String)).size).toBe(1)
    expect(names[0]).toHaveLength(2)
  })

  it('doesn’t overwrite another file with the name that it has reserved', async () => {
    putRun(['ProfitAndLoss'], { fileKinds: ['csv'] })
    const first = await runToEnd('j')
    // As after a crash: the names are saved, but not whether the files were written.
    store.reportRuns.put({
      ...first,
      state: 'stopped',
      items: first.items.map((item) => ({ ...item, state: 'waiting' })),
      files: first.files.map((file) => ({ ...file, itemIds: [] })),
    })
    const kept = [...first.items.flatMap((item) => item.files), ...first.files.map(({ name }) => name)]
    for (const name of kept) writeFileSync(join(folder, name), 'Typed by somebody')
    const again = await runToEnd('j')
    expect(again.state).toBe('finished')
    for (const name of kept) expect(readFileSync(join(folder, name), 'utf8')).toBe('Typed by somebody')
    expect(filesIn()).toHaveLength(2 * kept.length)
  })

  it('doesn’t overwrite a file that appears in its place in the meantime', async () => {
    const { companies, items, ...both } = putRun(['ProfitAndLoss'], { fileKinds: ['pdf'], combined: false })
    store.reportRuns.put({ ...both, companies: companies.slice(0, 1), items: items.slice(0, 1) })
    printing = () => {
      const [name = ''] = store.reportRuns.get('j')?.items[0]?.files ?? []
      writeFileSync(join(folder, name), 'Typed by somebody')
    }
    const first = await runToEnd('j')
    expect(first.items[0]).toMatchObject({ state: 'failed', error: { kind: 'file' } })
    expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
      'Typed by somebody',
    ])
    printing = () => undefined
    store.reportRuns.put(forRetry(first))
    expect((await runToEnd('j')).items[0]?.files).toEqual([expect.stringMatching(/ \(2\)\.pdf$/)])
  })

  it('shows the service’s messages about a report, in the list and in the pack', async () => {
    notes = ['The service says: Three accounts could not be read.']
    putRun(['ProfitAndLoss'], { pack: true })
    const { items } = await runToEnd('j')
    expect(items.map((item) => item.notes)).toEqual([notes, notes])
    expect(printed.at(-1)).toContain('<td>The service says: Three accounts could not be read.</td>')
  })

  it('doesn’t say that totals agree if none was checked', async () => {
    answer = ({ companyName, name }) => ({
      rows: statement(companyName, '1.00').slice(
        0,
        name === 'BalanceSheet' || companyName === 'Birch' ? 3 : 4,
      ),
    })
    putRun(['ProfitAndLoss', 'BalanceSheet'])
    const run = await runToEnd('j')
    expect(run.items.map(({ totals }) => totals)).toEqual(['agree', 'unchecked', 'unchecked', 'unchecked'])
    const text = summaryText(SUMMARY, { reportRun: run, reviews: [], notReviewed: [], leftOut: [] }, 'en-GB')
    expect(text).toMatch(
      /Alder .*: 2 of 2 reports ready\. Totals agree in 1 of 2\.\r\n {2}Balance sheet: No total was checked\./,
    )
    expect(text).toMatch(/Birch .*: 2 of 2 reports ready\. No total was checked\./)
    const parts = await partsOf(readFileSync(join(folder, run.files[0]?.name ?? '')))
    expect(Object.values(parts).join('')).toContain('Balance sheet: no total was checked')
    notes = ['The service says: Three accounts could not be read.']
    store.reportRuns.put(forRetry({ ...run, items: run.items.map((each) => ({ ...each, state: 'failed' })) }))
    const incomplete = { reportRun: await runToEnd('j'), reviews: [], notReviewed: [], leftOut: [] }
    expect(summaryText(SUMMARY, incomplete, 'en-GB')).toMatch(/Alder .*: .* 2 reports may be incomplete\./)
  })

  it('a ledger that is too long for paper still becomes a workbook. The missing PDF is reported, and the pack is made without it', async () => {
    answer = (request) => ({
      rows: statement('Own', '1.00'),
      rowCount: request.name === 'GeneralLedger' ? 25_001 : 4,
    })
    putRun(['ProfitAndLoss', 'GeneralLedger'], { pack: true, combined: false, fileKinds: ['xlsx', 'pdf'] })
    const { state, items } = await runToEnd('j')
    expect(state).toBe('finished')
    expect(items.map((item) => [item.state, item.notes.join()])).toEqual([
      ['done', ''],
      ['done', 'it has too many rows for a PDF'],
      ['done', ''],
      ['done', 'it has too many rows for a PDF'],
    ])
    expect(filesIn().filter((name) => name.endsWith('.pdf'))).toHaveLength(4)
    expect(printed.at(-1)).toContain('Skipped: it has too many rows for a PDF')
  })

  it('puts a report of several companies side by side, with a column each and their exact sum', async () => {
    putRun(['ProfitAndLoss'])
    const run = await runToEnd('j')
    const parts = await partsOf(readFileSync(join(folder, run.files[0]?.name ?? '')))
    expect(await sheetsOf(run)).toEqual(['Side by side', 'Alder', 'Birch', 'About'])
    const sheet = parts['xl/worksheets/sheet1.xml'] ?? ''
    const lines = [...sheet.matchAll(/<row .*?<\/row>/g)].map(([line]) =>
      [...line.matchAll(/<c r="([A-Z]+)\d+"[^>]*>(?:<f>[^<]*<\/f>)?(?:<v>|<is><t [^>]*>)([^<]*)/g)]
        .map(([, column, text]) => `${column ?? ''} ${text ?? ''}`)
        .join(', '),
    )
    expect(lines.slice(-6)).toEqual([
      'B Alder, C Birch, D Total',
      'A Expenses',
      'A Rent, B 0.00, C 2000000000000.00, D 2000000000000.00',
      // Accounts that only one company has stay separate, although both books gave them the same ID.
      'A Alder, B 0.10, D 0.10',
      'A Birch, C 0.10, D 0.10',
      'A Total Expenses, B 0.10, C 2000000000000.10, D 2000000000000.20',
    ])
  })

  it('stops at the second company in a row that refuses the key for reports, and Continue goes past both', async () => {
    refusing = new Map([
      ['Alder', 'unauthorized'],
      ['Birch', 'unauthorized'],
    ])
    putRun(['ProfitAndLoss'], { combined: false }, ['Alder', 'Birch', 'Cedar', 'Dogwood'])
    const first = await runToEnd('j')
    expect([first.state, first.error?.kind]).toEqual(['stopped', 'unauthorized'])
    expect(asked).toEqual(['Alder ProfitAndLoss', 'Birch ProfitAndLoss'])

    asked = []
    store.reportRuns.put(untested(first))
    const again = await runToEnd('j')
    expect([again.state, again.error]).toEqual(['needs-you', null])
    expect(asked).toEqual(['Cedar', 'Dogwood', 'Alder', 'Birch'].map((name) => `${name} ProfitAndLoss`))
    expect(again.items.map(({ state }) => state)).toEqual(['waiting', 'waiting', 'done', 'done'])
    expect(silentCompanies(again).map(({ companyName }) => companyName)).toEqual(['Alder', 'Birch'])
  })

  it('continues if a company between two that refuse the key accepts it, even for a report that fails', async () => {
    refusing = new Map([
      ['Alder', 'unauthorized'],
      ['Birch', 'service-error'],
      ['Cedar', 'unauthorized'],
    ])
    putRun(['ProfitAndLoss'], { combined: false }, ['Alder', 'Birch', 'Cedar', 'Dogwood'])
    const ended = await runToEnd('j')
    expect(ended.state).toBe('needs-you')
    expect(ended.items.map(({ state }) => state)).toEqual(['waiting', 'failed', 'waiting', 'done'])
  })
})
