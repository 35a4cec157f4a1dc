/** The kept data of a closed month: in a backup, after damage on disk, in its pack, and until it is deleted. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { zstdDecompressSync } from 'node:zlib'
import { expect, it, vi } from 'vitest'
import { finishRestore } from '../../../electron/store/backup/restore.ts'
import { digestCopy, packPart } from '../../../electron/store/months.ts'
import type { MonthRow } from '../../../shared/contract/review.ts'
import { Format, formatSentence } from '../../../shared/format/format.ts'
import { ok } from '../../../shared/result.ts'
import { balanceText, subjectText } from '../../../shared/review/review.ts'
import { value } from '../../result.ts'
import { isDeep } from '../../seeds.ts'
import { partsOf } from '../../unit/files/workbook-fixture.ts'
import { type AtEnd, emptyFolder, usedFolder } from '../world/world.ts'
import { ALDER, DAYS, MONTH, MonthsDriver } from './driver.ts'

/** Starts a program that saves files in its own folder and restores the latest backup. */
async function startWithFiles(atEnd: AtEnd) {
  const [folder, userData] = [emptyFolder(atEnd), usedFolder(atEnd)]
  const questions: string[] = []
  const printed: string[] = []
  let backup: string | null = null
  const driver = await MonthsDriver.start(atEnd, {
    folder: userData,
    core: {
      printer: {
        pdf: ({ html }) => {
          printed.push(html)
          return Promise.resolve(ok(new Uint8Array()))
        },
      },
      dialogs: {
        save: {
          choose: (name) => {
            const path = join(folder, name)
            if (!/\.(?:xlsx|pdf)$/.test(name)) backup = path
            return Promise.resolve(path)
          },
        },
        open: {
          chooseCertificate: () => Promise.resolve(null),
          chooseTable: () => Promise.resolve(null),
          chooseLogo: () => Promise.resolve(null),
          chooseRunFile: () => Promise.resolve(null),
          chooseBackup: () => Promise.resolve(backup),
        },
        confirmation: {
          ask: ({ detail }) => {
            questions.push(detail)
            return Promise.resolve(true)
          },
        },
      },
    },
  })
  return { driver, userData, questions, printed }
}

/** The cells of each sheet in a review pack, by the sheet's name. */
async function packOf(driver: MonthsDriver, { company }: MonthRow): Promise<ReadonlyMap<string, string>> {
  const saved = value(
    await driver.world.person.call('months.savePack', { company, month: MONTH, format: 'xlsx' }),
  )
  if (!saved.saved) throw new Error('The pack was not saved.')
  const parts = await partsOf(readFileSync(saved.path))
  const names = [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]+)"/g)].map(
    ([, name]) => name,
  )
  return new Map(
    names.map((name, at) => [name ?? '', parts[`xl/worksheets/sheet${String(at + 1)}.xml`] ?? '']),
  )
}

/** Cells as they are shown in a row of a sheet, by the row's first cell. */
function cellsOf(sheet: string, name: string): readonly string[] {
  for (const [, row = ''] of sheet.matchAll(/<row [^>]*>(.*?)<\/row>/g)) {
    const cells = [...row.matchAll(/<c [^>]*?(?:\/>|>(.*?)<\/c>)/g)].map(([, cell = '']) =>
      cell.replace(/<f>.*?<\/f>/, '').replace(/<[^>]*>/g, ''),
    )
    if (cells[0] === name) return cells
  }
  return []
}

it('is restored from a backup with the same pack, and is watched as before', async ({ onTestFinished }) => {
  const { driver, userData } = await startWithFiles(onTestFinished)
  const { world } = driver
  const row = await driver.readAndClose(ALDER)
  const before = await packOf(driver, row)
  value(await world.person.call('backup.save', { passphrase: null }))
  // The year to date is that of the fiscal year when it was closed.
  const notes = { fiscalYearStart: 7 }
  value(await world.person.call('companies.annotate', { company: row.company, notes }))
  expect(await packOf(driver, row)).toEqual(before)
  value(await world.person.call('history.deleteCompany', { company: row.company }))

  const chosen = value(await world.person.call('backup.choose', {}))
  value(await world.person.call('backup.restore', { restoreId: chosen?.restoreId ?? '' }))
  await world.running.core.close()
  expect(finishRestore(userData)?.message).toBe('The backup was restored.')
  const again = driver.startAgain()
  expect((await again.row(ALDER)).status).toEqual({ state: 'closed', notCompared: 0, notRead: '', open: 0 })
  expect(await packOf(again, row)).toEqual(before)

  await again.runReport(row.company, 'TrialBalance', DAYS)
  expect((await again.row(ALDER)).status.state).toBe('closed')
  again.late(ALDER, true)
  await again.runReport(row.company, 'ProfitAndLoss', DAYS)
  expect((await again.row(ALDER)).status).toEqual({
    state: 'changed',
    accounts: 1,
    amount: '1250',
    entries: 0,
    notCompared: 0,
    notRead: '',
  })
})

/** A closed month whose kept trial balance is damaged. */
async function startWithDamage(atEnd: AtEnd): Promise<{ again: MonthsDriver; row: MonthRow }> {
  const { driver, userData } = await startWithFiles(atEnd)
  const row = await driver.readAndClose(ALDER)
  await driver.world.running.core.close()
  const database = new DatabaseSync(join(userData, 'bookbridge.sqlite'))
  database.exec(`UPDATE month_copy_parts SET rows = zeroblob(40) WHERE copy_id IN
    (SELECT copy_id FROM month_copies WHERE json_extract(head, '$.name') = 'TrialBalance')`)
  database.close()
  return { again: driver.startAgain(), row }
}

it('with a damaged copy can’t be closed again', async ({ onTestFinished }) => {
  const { again, row } = await startWithDamage(onTestFinished)
  const of = { company: row.company, month: MONTH, note: '' }
  value(await again.world.person.call('months.reopen', of))
  expect(await again.world.person.call('months.close', of)).toMatchObject({
    ok: false,
    error: { message: 'A kept copy of a report is damaged.' },
  })
})

it('with a damaged copy is not called unchanged and gets no pack', async ({ onTestFinished }) => {
  const { again, row } = await startWithDamage(onTestFinished)
  await again.runReport(row.company, 'TrialBalance', DAYS)
  expect((await again.row(ALDER)).status).toEqual({ state: 'closed', notCompared: 1, notRead: '', open: 0 })
  expect((await again.changes(row)).notCompared).toEqual([
    { report: 'Trial balance', reason: 'A kept copy of a report is damaged.' },
  ])
  // Undamaged copies are still compared.
  await again.runReport(row.company, 'BalanceSheet', DAYS)
  expect((await again.changes(row)).notCompared).toHaveLength(1)
  const input = { company: row.company, month: MONTH, format: 'xlsx' } as const
  expect(await again.world.person.call('months.savePack', input)).toMatchObject({
    ok: false,
    error: { message: 'A kept copy of a report is damaged.' },
  })
})

// A restored backup may hold anything.

/** How a kept trial balance is tampered with. The checksum is correct unless `digest` is set. */
interface Tampered {
  readonly head?: string
  readonly parts?: readonly Uint8Array[]
  readonly digest?: string
}

const MIB = 1024 * 1024

/** A report's row inside another one. */
const rowIn = (parent: number): object => ({
  ...{ name: 'Checking', id: '', rowType: 'DataRow', kind: 'data', level: 0, values: ['1.00', ''] },
  parent,
})

const json = (rows: unknown): Uint8Array => Buffer.from(JSON.stringify(rows))

function tamperTrialBalance(userData: string, tamper: (head: string) => Tampered): void {
  const database = new DatabaseSync(join(userData, 'bookbridge.sqlite'))
  const found = database
    .prepare(`SELECT copy_id, head FROM month_copies WHERE json_extract(head, '$.name') = 'TrialBalance'`)
    .get()
  const [copyId, was] = [String(found?.['copy_id']), String(found?.['head'])]
  const kept = database.prepare('SELECT * FROM month_copy_parts WHERE copy_id = ? ORDER BY part').all(copyId)
  const { head = was, parts, digest } = tamper(was)
  const whole = parts ?? kept.map(({ rows }) => zstdDecompressSync(rows as Uint8Array))
  if (parts !== undefined) {
    database.prepare('DELETE FROM month_copy_parts WHERE copy_id = ?').run(copyId)
    const { connection_id: connectionId = '', endpoint_id: endpointId = '' } = kept[0] ?? {}
    const add = database.prepare('INSERT INTO month_copy_parts VALUES (?, ?, ?, ?, ?)')
    const packed = new Map<Uint8Array, Uint8Array>()
    for (const [at, part] of parts.entries()) {
      packed.set(part, packed.get(part) ?? packPart(part))
      add.run(copyId, at, connectionId, endpointId, packed.get(part) ?? null)
    }
  }
  database
    .prepare('UPDATE month_copies SET head = ?, digest = ? WHERE copy_id = ?')
    .run(head, digest ?? digestCopy(head, whole), copyId)
  database.close()
}

const TAMPERED: readonly [string, (head: string) => Tampered][] = [
  ['a checksum of something else', () => ({ digest: '0'.repeat(64) })],
  [
    'the head of another report',
    (head) => ({ head: head.replace('"name":"TrialBalance"', '"name":"Budget"') }),
  ],
  ['a row that is its own parent', () => ({ parts: [json([rowIn(-1), rowIn(1)])] })],
]

/** The same checks once more, or parts that take a long time to unpack. */
const TAMPERED_DEEP: typeof TAMPERED = [
  ['the head of a list', () => ({ head: '{}' })],
  ['text that isn’t JSON', () => ({ parts: [Buffer.from('[{"name":')] })],
  ['rows of the wrong type', () => ({ parts: [json([5, null])] })],
  [
    'more rows in a part than are kept in one',
    () => ({ parts: [json(Array.from({ length: 2_001 }, () => rowIn(-1)))] }),
  ],
  ['a part as large as a zip bomb', () => ({ parts: [Buffer.alloc(129 * MIB, ' ')] })],
  [
    'parts that are as large as one together',
    () => ({ parts: new Array<Uint8Array>(9).fill(Buffer.from(`[${' '.repeat(120 * MIB)}]`)) }),
  ],
]

it.each(isDeep ? [...TAMPERED, ...TAMPERED_DEEP] : TAMPERED)(
  'from a backup with %s is not called unchanged and gets neither a pack nor a close',
  async (_what, tamper) => {
    const ends: (() => Promise<void> | void)[] = []
    const { driver, userData } = await startWithFiles((end) => void ends.push(end))
    const row = await driver.readAndClose(ALDER)
    await driver.world.running.core.close()
    tamperTrialBalance(userData, tamper)

    const tampered = driver.startAgain()
    value(await tampered.world.person.call('backup.save', { passphrase: null }))
    const chosen = value(await tampered.world.person.call('backup.choose', {}))
    value(await tampered.world.person.call('backup.restore', { restoreId: chosen?.restoreId ?? '' }))
    await tampered.world.running.core.close()
    expect(finishRestore(userData)?.message).toBe('The backup was restored.')

    const again = tampered.startAgain()
    const { person } = again.world
    await again.runReport(row.company, 'TrialBalance', DAYS)
    expect((await again.row(ALDER)).status).toEqual({ state: 'closed', notCompared: 1, notRead: '', open: 0 })
    const of = { company: row.company, month: MONTH }
    const refused = { ok: false, error: { message: 'A kept copy of a report is damaged.' } }
    expect(await person.call('months.savePack', { ...of, format: 'xlsx' })).toMatchObject(refused)
    value(await person.call('months.reopen', { ...of, note: '' }))
    expect(await person.call('months.close', { ...of, note: '' })).toMatchObject({ ok: false })
    // Reading it again repairs it.
    await again.read([await again.row(ALDER)], true)
    await again.acceptAll(row)
    expect((await again.close(row)).status).toEqual({ state: 'closed', notCompared: 0, notRead: '', open: 0 })
    for (const end of ends.toReversed()) await end()
  },
)

it('has a pack with the month’s own profit and loss: the month and the year to date', async ({
  onTestFinished,
}) => {
  const { driver } = await startWithFiles(onTestFinished)
  const row = await driver.readAndClose(ALDER)
  const sheet = (await packOf(driver, row)).get('Profit and loss') ?? ''
  expect(cellsOf(sheet, 'Account')).toEqual(['Account', 'Feb 2026', 'Year to date'])
  const { company } = row
  const whole = async (from: string): Promise<string> => {
    const head = await driver.runReport(company, 'ProfitAndLoss', { from, to: DAYS.to })
    const bytes = value(
      await driver.world.person.call('reports.rows', { reportId: head.reportId, from: 0, count: 2_000 }),
    )
    const rows = JSON.parse(new TextDecoder().decode(bytes)) as { name: string; values: string[] }[]
    return rows.find(({ name }) => name === 'Net Income')?.values.at(-1) ?? ''
  }
  expect(cellsOf(sheet, 'Net Income').slice(1)).toEqual([
    String(Number(await whole(DAYS.from))),
    String(Number(await whole('2026-01-01'))),
  ])
})

/** The response to a review's profit and loss, with other words in place of the month headings. */
async function withoutMonths(driver: MonthsDriver, row: MonthRow): Promise<string> {
  const answer = await driver.answer(row.company, 'ProfitAndLoss', '2025-02-01', DAYS.to)
  const text = answer.replaceAll(/"(?:[A-Z][a-z]{2}) (20\d\d)"/g, '"Column $1"')
  expect(text).not.toBe(answer)
  return text
}
const PROFIT_AND_LOSS = { path: '/selectReport', query: 'ProfitAndLoss&' }

it('reads each month by itself if the application gives several months as one', async ({
  onTestFinished,
}) => {
  const { driver } = await startWithFiles(onTestFinished)
  const usual = await driver.readAndClose(ALDER)
  const sheet = (await packOf(driver, usual)).get('Profit and loss') ?? ''
  const found = async (): Promise<readonly (readonly unknown[])[]> =>
    (await driver.review(usual)).rules.map(({ rule, result, reasons, findings }) => [
      ...[rule, result, reasons],
      ...findings.map(({ key, amount }) => [key, amount]),
    ])
  const before = await found()
  value(await driver.world.person.call('months.reopen', { company: usual.company, month: MONTH, note: '' }))

  const text = await withoutMonths(driver, usual)
  driver.world.server.addFaults({ match: PROFIT_AND_LOSS, times: 1, fault: { kind: 'body', text } })
  const asked = (): number => driver.requests.filter(({ query }) => query.includes('ProfitAndLoss&')).length
  const earlier = asked()
  await driver.read([usual], true)
  expect(asked() - earlier).toBe(1 + 13)
  expect(await found()).toEqual(before)
  const own = (await packOf(driver, usual)).get('Profit and loss') ?? ''
  for (const line of ['Account', 'Total Income', 'Net Income']) {
    expect(cellsOf(own, line), line).toEqual(cellsOf(sheet, line))
  }
})

it('does not take a statement of other days for its own', async ({ onTestFinished }) => {
  const { driver } = await startWithFiles(onTestFinished)
  const row = await driver.row(ALDER)
  const text = await driver.answer(row.company, 'TrialBalance', '2025-12-01', '2025-12-31')
  const match = { path: '/selectReport', query: 'TrialBalance&' }
  driver.world.server.addFaults({ match, times: 1, fault: { kind: 'body', text } })
  await driver.read([row])
  const { readings, rules } = await driver.review(row)
  const reason = expect.stringMatching(
    /The report covers Dec 1.*31, 2025, not the period you asked for\.$/,
  ) as unknown
  expect(readings.find(({ source }) => source === 'trial-balance')).toMatchObject({ reason })
  expect(rules.find(({ rule }) => rule === 'should-be-empty')).toMatchObject({
    result: 'not-checked',
    reasons: [reason],
  })
  await driver.acceptAll(row)
  const closed = await driver.world.person.call('months.close', {
    company: row.company,
    month: MONTH,
    note: '',
  })
  expect(closed).toMatchObject({ ok: false })
  // Tried again, the right one comes.
  await driver.read([await driver.row(ALDER)])
  await driver.acceptAll(row)
  expect((await driver.close(row)).status.state).toBe('closed')
})

it('has a pack without profit and loss if the application gives no months at all, and says so', async ({
  onTestFinished,
}) => {
  const { driver, printed } = await startWithFiles(onTestFinished)
  const row = await driver.row(ALDER)
  const { server, person } = driver.world
  // Two columns a month, and neither is a total.
  const text = (await withoutMonths(driver, row))
    .replaceAll('"Total"', '"More"')
    .replace(/"(Start|End)Date":"[^"]*"/g, '"$1Date":""')
  server.addFaults({ match: PROFIT_AND_LOSS, times: 0, fault: { kind: 'body', text } })
  await driver.read([row])
  value(await person.call('months.savePack', { company: row.company, month: MONTH, format: 'pdf' }))
  const texts = textsOf(printed.at(-1) ?? '')
  expect(texts).toContain('Not in this pack. The application combined several months.')
  expect(texts.filter((each) => each.startsWith('Column 20'))).toEqual([])
})

it('has a pack that says that the month was not over, wherever it is made later', async ({
  onTestFinished,
}) => {
  const { driver, printed } = await startWithFiles(onTestFinished)
  const { clock, person } = driver.world
  const packed = async ({ company, month }: MonthRow): Promise<string> => {
    value(await person.call('months.savePack', { company, month, format: 'pdf' }))
    return textsOf(printed.at(-1) ?? '').find((text) => text.startsWith('Closed')) ?? ''
  }
  const signatureOf = async (month: string): Promise<string> => {
    driver.month = month
    return packed(await driver.readAndClose(ALDER))
  }
  const early = 'The month was not over when its reports were read.'
  expect(await signatureOf('2026-03')).toContain(early)
  expect(await signatureOf(MONTH)).not.toContain(early)

  // In Auckland, March is over while the west still has its last day.
  vi.stubEnv('TZ', 'Pacific/Auckland')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  await clock.advance(Date.parse('2026-03-31T12:00:00Z') - clock.now())
  driver.month = '2026-03'
  const row = await driver.row(ALDER)
  value(await person.call('months.reopen', { company: row.company, month: row.month, note: '' }))
  await driver.read([row], true)
  await driver.acceptAll(row)
  const closed = await driver.close(row)
  expect(await packed(closed)).not.toContain(early)
  vi.stubEnv('TZ', 'America/Los_Angeles')
  expect(await packed(closed)).not.toContain(early)
})

it('is closed without a report that was refused, and its pack says what was not checked and why', async ({
  onTestFinished,
}) => {
  const { driver } = await startWithFiles(onTestFinished)
  const match = { path: '/selectReport', query: 'GeneralLedger' }
  const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
  const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
  driver.world.server.addFaults({ match, times: 0, fault })
  const row = await driver.readAndClose(ALDER)
  expect((await driver.row(ALDER)).status.state).toBe('closed')
  const reason = expect.stringMatching(/^General ledger: not read\. .*Not for this user\./) as unknown
  const { rules } = await driver.review(row)
  expect(rules.find(({ rule }) => rule === 'entered-twice')).toMatchObject({ reasons: [reason] })
  const sheet = (await packOf(driver, row)).get('Review') ?? ''
  const lines = [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/g)].map(([, each = '']) =>
    each.replace(/<[^>]*>/g, ' '),
  )
  expect(lines.filter((line) => line.includes('General ledger: not read.'))).toEqual([
    expect.stringMatching(/Not checked .*Entries that look doubled .*Not for this user\./),
    expect.stringMatching(/Not checked .*Entries dated outside the month/),
    expect.stringMatching(/Not checked .*Inactive records in use/),
  ])
})

it('has a pack that says that nothing was checked where everything was refused', async ({
  onTestFinished,
}) => {
  const { driver, printed } = await startWithFiles(onTestFinished)
  const refusal = { HasErrors: true, Contents: [], Errors: [{ Message: 'Not for this user.' }] }
  const fault = { kind: 'body', text: JSON.stringify(refusal) } as const
  driver.world.server.addFaults({ match: { path: '/Data/' }, times: 0, fault })
  const row = await driver.row(ALDER)
  await driver.read([row])
  expect((await driver.row(ALDER)).status).toMatchObject({
    state: 'partly-read',
    reason: expect.stringMatching(/^Nothing was checked\. Trial balance: not read\. ./) as unknown,
  })
  const { person } = driver.world
  value(await person.call('months.savePack', { company: row.company, month: MONTH, format: 'pdf' }))
  const texts = textsOf(printed.at(-1) ?? '')
  expect(texts).toContain('Nothing was checked.')
  expect(texts.join(' ')).toMatch(/Switched off Large or round entries\. No amount is set/)
  expect(texts.join(' ')).not.toContain('Nothing was found')
})

/** The visible text of markup, part by part. */
function textsOf(html: string): readonly string[] {
  return html
    .split(/<[^>]*>/)
    .map((text) => text.replace(/&#?\w+;/g, (entity) => ENTITIES[entity] ?? entity).trim())
    .filter((text) => text !== '')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}

it('has a printed pack with every finding and its decision, what was not checked, and the statements', async ({
  onTestFinished,
}) => {
  const { driver, printed } = await startWithFiles(onTestFinished)
  const { person } = driver.world
  const row = await driver.row(ALDER)
  await driver.read([row])
  const of = { company: row.company, month: MONTH }
  const savePdf = async (): Promise<readonly string[]> => {
    value(await person.call('months.savePack', { ...of, format: 'pdf' }))
    return textsOf(printed.at(-1) ?? '')
  }
  const before = await savePdf()
  expect(before).toContain('Not closed yet.')
  expect(before.filter((text) => text === 'Open')).toHaveLength((await driver.open(row)).length)

  const [first] = await driver.open(row)
  if (first === undefined) throw new Error('Nothing was found.')
  const { key, amount } = first
  value(await person.call('review.never', { ...of, key, amount, note: 'Kept <by> the owner & us' }))
  await driver.acceptAll(row)
  await driver.close(row, 'Sent to the client')
  const texts = await savePdf()
  const { rules } = await driver.review(row)
  const format = new Format({ locale: 'en-US', negatives: 'minus' })
  for (const { title, findings, reasons, result } of rules) {
    if (result === 'clean') {
      expect(texts[texts.indexOf('Checked, nothing found') + 1]?.split(' · ')).toContain(title)
      continue
    }
    for (const each of findings) {
      const subject = subjectText(each.subject, format)
      const at = texts.findIndex(
        (text, place) => text === subject && texts[place + 1] === formatSentence(each.detail, format),
      )
      const shown = each.amount === '' ? [] : [balanceText(each.amount, each.side, format)]
      const never = each.key === key
      expect(texts.slice(at, at + 4 + shown.length)).toEqual([
        subject,
        formatSentence(each.detail, format),
        ...shown,
        expect.stringContaining(
          `${never ? 'Never for this account' : 'Accepted'} by ${each.decision?.by ?? '?'}, `,
        ) as unknown,
        never ? 'Kept <by> the owner & us' : 'As agreed with the client',
      ])
    }
    for (const why of reasons) expect(texts).toContain(why)
  }
  expect(texts.join(' ')).toMatch(/Closed by \S+, .*Sent to the client/)
  for (const title of ['Profit and loss', 'Balance sheet', 'Trial balance']) expect(texts).toContain(title)
  for (const account of ['Feb 2026', 'Year to date', 'Net Income', 'TOTAL ASSETS']) {
    expect(texts.map((text) => text.toLowerCase())).toContain(account.toLowerCase())
  }
})

it('has amounts without decimals everywhere if its books have none', async ({ onTestFinished }) => {
  const { driver, printed } = await startWithFiles(onTestFinished)
  const { server, person } = driver.world
  const row = await driver.row(ALDER)
  const { company } = row
  await driver.read([row])
  expect((await driver.row(ALDER)).hasCents).toBe(true)
  const { readings } = await driver.review(row)
  const faults: Extract<Parameters<typeof server.control>[0]['faults'], readonly unknown[]>[number][] = []
  for (const { name, from, to } of readings.filter(({ kind }) => kind === 'report')) {
    const text = (await driver.answer(company, name, from, to)).replaceAll(/"(-?\d+)\.\d\d"/g, '"$1"')
    const match = { query: `name=${name}&modTimeStart=${from}` }
    faults.push({ match, times: 1, fault: { kind: 'body', text } })
  }
  server.control({ faults })
  await driver.read([row], true)
  expect((await driver.row(ALDER)).hasCents).toBe(false)
  await driver.acceptAll(row)
  value(await person.call('months.savePack', { company, month: MONTH, format: 'pdf' }))
  const figures = (texts: readonly string[]): readonly string[] =>
    texts.filter((text) => /\d/.test(text) && /\d\.\d\d(?!\d)/.test(text))
  expect(figures(textsOf(printed.at(-1) ?? ''))).toEqual([])
  const pack = await packOf(driver, row)
  // The amounts of the findings have the format of the statements, and the year to date has no decimals.
  const styleOf = (sheet: string, name: string): string | undefined =>
    new RegExp(`>${name}<(?:(?!</row>).)*?<c [^>]*s="(\\d+)"[^>]*><v>`).exec(pack.get(sheet) ?? '')?.[1]
  const account = '4999 · Uncategorized Income'
  expect(styleOf('Review', account)).toMatch(/\d/)
  expect(styleOf('Trial balance', account)).toMatch(/\d/)
  for (const sheet of ['Review', 'Profit and loss', 'Balance sheet', 'Trial balance']) {
    const amounts = [...(pack.get(sheet) ?? '').matchAll(/<v>([^<]*)/g)].map(([, amount = '']) => amount)
    expect(amounts.length).toBeGreaterThan(5)
    expect(figures(amounts)).toEqual([])
  }
})

it('is counted before its company’s data is deleted', async ({ onTestFinished }) => {
  const { driver, questions, userData } = await startWithFiles(onTestFinished)
  const row = await driver.readAndClose(ALDER)
  value(await driver.world.person.call('history.deleteCompany', { company: row.company }))
  expect(questions.at(-1)).toContain('1 closed month, with the copies of the reports')
  await driver.world.running.core.close()
  const database = new DatabaseSync(join(userData, 'bookbridge.sqlite'), { readOnly: true })
  for (const table of ['months', 'month_copies', 'month_copy_parts', 'month_versions', 'month_events']) {
    expect(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()).toEqual({ count: 0 })
  }
  database.close()
})
