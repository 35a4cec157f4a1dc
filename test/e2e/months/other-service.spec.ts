/**
 * **Months** with a service that uses other names than the sample and has faults: rules whose data is incomplete or
 * unknown are *not checked*, with the reason. Nothing is skipped silently or invented.
 */
import type { Page } from '@playwright/test'
import { expect, test } from '../fixture.ts'
import {
  type ReportAnswer,
  type ReportObject,
  type ReportsCompany,
  ReportsService,
  row,
} from '../reports/service.ts'
import { seriousViolations } from '../support/access.ts'
import { call } from '../support/bridge.ts'

const KONTOR: ReportsCompany = { endpointId: 'k/1', companyName: 'Kontor Nord', endpoint: 'qbd' }
const PATCHY: ReportsCompany = { endpointId: 'p 2', companyName: 'Patchy & Sons', endpoint: 'qbo' }
const REFUSED: ReportsCompany = { endpointId: 'r-3', companyName: 'Refused Ltd', endpoint: 'qbd' }
const SHUT: ReportsCompany = { endpointId: 's-4', companyName: 'Shut Books', endpoint: 'qbd' }

/** Balances at the end of a month, debits positive. */
type Balances = readonly (readonly [section: string, name: string, amount: number])[]

/** The books of every company. */
const BALANCES: Balances = [
  ['Current assets', 'House bank', 9_200],
  ['Current assets', 'Trade customers', 1_500],
  ['Current assets', 'Suspense till', 42],
  ['Long-term liabilities', 'Barge loan', -4_000],
  ['Capital', 'Owner capital', -6_000],
]
const RESULT = 742

/** The same books after an amount of fifty was moved from the bank to an account that should be empty. */
const MOVED: Balances = BALANCES.map(([section, name, amount]) => {
  const moved = { 'House bank': -50, 'Suspense till': 50 }[name] ?? 0
  return [section, name, amount + moved]
})

function sheetOf(balances: Balances): readonly ReportObject[] {
  return [
    row('TextRow', 'Assets'),
    ...balances
      .filter(([, , amount]) => amount > 0)
      .map(([, name, amount]) => row('DataRow', name, [amount.toFixed(2)])),
    row('SubtotalRow', 'Total assets', ['10742.00']),
    row('TextRow', 'Liabilities and capital'),
    ...balances
      .filter(([, , amount]) => amount < 0)
      .map(([, name, amount]) => row('DataRow', name, [(-amount).toFixed(2)])),
    row('DataRow', 'Result of the year', [RESULT.toFixed(2)]),
    row('SubtotalRow', 'Total liabilities and capital', ['10742.00']),
  ]
}

function report(
  from: string,
  to: string,
  Columns: readonly string[],
  ReportLineData: readonly ReportObject[],
): { readonly report: ReportObject } {
  return { report: { ReportType: '', StartDate: from, EndDate: to, Columns, ReportLineData } }
}

/** The reports with their own names, without IDs, and with profit and loss in one column, whatever the months. */
function inOtherWords(name: string, from: string, to: string, balances = BALANCES): ReportAnswer {
  switch (name) {
    case 'TrialBalance':
      return report(
        from,
        to,
        ['', 'Debits', 'Credits'],
        [
          ...balances.map(([, account, amount]) =>
            row('DataRow', account, amount > 0 ? [amount.toFixed(2), ''] : ['', (-amount).toFixed(2)]),
          ),
          row('DataRow', 'Freight earned', ['', '2000.00']),
          row('DataRow', 'Crew', ['1258.00', '']),
          row('TotalRow', 'Total', ['12000.00', '12000.00']),
        ],
      )
    case 'BalanceSheet':
      return report(from, to, ['', to], sheetOf(balances))
    case 'ProfitAndLoss': {
      const [earned, spent] = to > `${lastMonth()}-27` ? ['2000.00', '1258.00'] : ['0.00', '0.00']
      return report(
        from,
        to,
        ['', 'Amount'],
        [
          row('TextRow', 'Turnover'),
          row('DataRow', 'Freight earned', [earned]),
          row('SubtotalRow', 'Total turnover', [earned]),
          row('TextRow', 'Outlay'),
          row('DataRow', 'Crew', [spent]),
          row('SubtotalRow', 'Total outlay', [spent]),
        ],
      )
    }
    case 'ARAgingDetail':
    case 'AgedReceivables':
      return report(
        from,
        to,
        ['', 'Not due', 'Late', 'Total'],
        [
          row('DataRow', 'Harbor office', ['1000.00', '500.00', '1500.00']),
          row('TotalRow', 'Total', ['1000.00', '500.00', '1500.00']),
        ],
      )
    case 'GeneralLedger':
      return report(
        from,
        to,
        ['', 'Amount'],
        [
          row('TextRow', 'House bank'),
          row('DataRow', 'Voucher 17', ['100.00']),
          row('SubtotalRow', 'Total House bank', ['100.00']),
        ],
      )
    default:
      return { error: `There is no report named ${name}.` }
  }
}

let tries = 0

/** Reports that are missing, refused, wrong, truncated, or busy at first. */
function patchy(name: string, from: string, to: string): ReportAnswer {
  switch (name) {
    case 'TrialBalance':
      return report(
        from,
        to,
        ['', 'Debit', 'Credit'],
        [row('DataRow', 'Suspense till', ['12,50', '']), row('DataRow', 'Owner capital', ['', 'n/a'])],
      )
    case 'BalanceSheet':
      return {
        ...report(from, to, ['', to], sheetOf(BALANCES)),
        errors: [{ Message: 'Some accounts were left out.' }],
      }
    case 'ProfitAndLoss':
      tries += 1
      return tries === 1 ? { status: 503 } : inOtherWords(name, from, to)
    case 'AgedReceivables':
      return { report: { ReportType: 'AgedReceivables', Columns: null, ReportLineData: 'none' } }
    default:
      return { error: 'This report needs another subscription.' }
  }
}

async function openMonths(window: Page, service: ReportsService): Promise<void> {
  await window.getByLabel('Address').fill(service.url)
  await window.getByLabel('API key').fill(service.key)
  await window.getByRole('button', { name: 'Connect', exact: true }).click()
  await window.getByRole('radio', { name: 'Months' }).click()
  await expect(window.getByRole('grid', { name: 'Months' })).toBeVisible()
}

test(
  'what is missing, refused, truncated, or worded differently is reported as not checked, and never passes',
  { tag: '@deep' },
  async ({ window }) => {
    const service = await ReportsService.start([KONTOR, PATCHY, REFUSED, SHUT], (company, name, from, to) => {
      if (company === REFUSED) return { error: 'The user may not see reports.' }
      return company === PATCHY ? patchy(name, from, to) : inOtherWords(name, from, to)
    })
    service.unavailable.add(SHUT.endpointId)
    service.list = (company, object) => {
      if (company === REFUSED) return { error: 'The user may not see lists.' }
      if (company === PATCHY) return { records: [{ ID: '1', Name: 'Ann Sailor' }], isCut: true }
      return object === 'account'
        ? { records: BALANCES.map(([, Name], at) => ({ ID: String(at), Name, Type: 'Konto' })) }
        : { records: [{ ID: '1', Name: 'Harbor office', Phone: '' }] }
    }
    try {
      await openMonths(window, service)
      await window.getByRole('button', { name: 'Get reports for 4 companies' }).click()
      const grid = window.getByRole('grid', { name: 'Months' })
      const rowOf = (company: ReportsCompany) =>
        grid.getByRole('row', { name: new RegExp(company.companyName) })
      await expect(rowOf(SHUT)).toContainText('0 of 15 reports')
      await expect(rowOf(KONTOR)).toContainText('1 finding, ')
      // Without its statements, a month isn't reviewed, however few findings there are.
      await expect(rowOf(REFUSED)).toContainText(
        '0 of 15 reports, Nothing was checked. Trial balance: not read.',
      )
      await expect(rowOf(PATCHY)).toContainText('Balance sheet may be incomplete.')
      await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()
      expect(service.mostAtOnce).toBe(1)

      const { connections } = await call(window, 'connection.list', {})
      const connectionId = connections[0]?.connectionId ?? ''
      const month =
        (await call(window, 'months.list', { connectionId, month: lastMonth() })).rows[0]?.month ?? ''
      for (const { endpointId } of [KONTOR, PATCHY, REFUSED]) {
        const { readings, rules } = await call(window, 'review.findings', {
          company: { connectionId, endpointId },
          month,
        })
        expect(rules.length).toBeGreaterThan(20)
        const isWhole = new Map(
          readings.map(({ source, state, reason }) => [source, state === 'read' && reason === '']),
        )
        for (const { rule, result, reasons, findings } of rules) {
          if (result === 'not-checked') expect(reasons.join(' ')).toMatch(/\w \w.*[.”]$/)
          // Only complete readings can contradict each other.
          if (endpointId === REFUSED.endpointId) {
            expect([rule, result]).toEqual([rule, rule === 'large-entry' ? 'off' : 'not-checked'])
          }
          for (const { severity, row: found } of findings) {
            if (severity === 'wrong') expect([rule, found?.report]).toEqual(['', ''])
          }
        }
        const rest = rules.filter(({ result }) => result === 'clean').map(({ rule }) => rule)
        if (!isWhole.get('trial-balance')) expect(rest).not.toContain('should-be-empty')
        if (!isWhole.get('customers')) expect(rest).not.toContain('malformed')
        if (!isWhole.get('receivables')) expect(rest).not.toContain('past-90-days')
        if (!isWhole.get('balance-sheet')) expect(rest).not.toContain('stands-still')
      }

      await window.getByRole('button', { name: 'Review, Kontor Nord' }).click()
      await expect(window.locator('[data-finding]').filter({ hasText: 'Suspense till' })).toContainText(
        '42.00',
      )
      const notChecked = window.getByRole('region', { name: 'Not checked' })
      for (const words of [
        'Bookbridge can’t tell whether Crew is income or a cost.',
        'no account that is known to hold receivables',
        'doesn’t say what is more than 90 days late',
        'The type of House bank is unknown',
        'The dates of the entries can’t be read',
        'doesn’t say which vendors get a 1099',
      ]) {
        await expect(notChecked).toContainText(words)
      }
      expect(await seriousViolations(window)).toEqual([])

      await window.getByRole('button', { name: 'Back to all months' }).click()
      await window.getByRole('button', { name: 'Review, Refused Ltd' }).click()
      await expect(window.getByText('Nothing was checked.', { exact: true })).toBeVisible()
      await expect(window.getByText('Nothing was found')).toBeHidden()

      await window.getByRole('button', { name: 'Back to all months' }).click()
      await window.getByRole('button', { name: 'Review, Patchy & Sons' }).click()
      for (const words of [
        '“12,50”',
        'Some accounts were left out.',
        'This report needs another subscription.',
      ]) {
        await expect(notChecked).toContainText(words)
      }
      await expect(window.getByRole('button', { name: 'Close the month…' })).toBeDisabled()
    } finally {
      await service.close()
    }
  },
)

test(
  'an open month is read again after the books changed, and what was refused is tried again',
  { tag: '@deep' },
  async ({ window }) => {
    let books = BALANCES
    let isLedgerRefused = true
    const service = await ReportsService.start([KONTOR], (_company, name, from, to) =>
      name === 'GeneralLedger' && isLedgerRefused
        ? { error: 'The ledger is locked.' }
        : inOtherWords(name, from, to, books),
    )
    service.list = (_company, object) =>
      object === 'account'
        ? { records: BALANCES.map(([, Name], at) => ({ ID: String(at), Name, Type: 'Konto' })) }
        : { records: [] }
    try {
      await openMonths(window, service)
      await window.getByRole('button', { name: 'Get reports for 1 company' }).click()
      await window.getByRole('button', { name: 'Review, Kontor Nord' }).click()
      const finding = window.locator('[data-finding]').filter({ hasText: 'Suspense till' })
      await expect(finding).toContainText('42.00')
      const notChecked = window.getByRole('region', { name: 'Not checked' })
      await expect(notChecked).toContainText('The ledger is locked.')

      // Reads only what was refused.
      const retry = notChecked.getByRole('button', { name: /^Try the missing reports again/ })
      await expect(retry).toHaveText('Try the missing reports again (5)')
      expect(await seriousViolations(window)).toEqual([])
      isLedgerRefused = false
      let already = service.asked.length
      await retry.click()
      await expect(retry).toHaveText('Try the missing reports again (4)')
      await expect(notChecked).not.toContainText('The ledger is locked.')
      expect(service.asked).toHaveLength(already + 5)

      // Reads everything.
      books = MOVED
      already = service.asked.length
      const again = window.getByRole('button', { name: 'Check for changes' })
      await expect(again).toBeEnabled()
      await expect(again).toHaveAttribute('title', 'Check for changes: reads 28 reports and lists')
      await again.click()
      await expect(finding).toContainText('92.00')
      await expect(again).toBeEnabled()
      // Three of them are lists.
      expect(service.asked).toHaveLength(already + 25)
    } finally {
      await service.close()
    }
  },
)

/** Counts clicks and keys in the same way as the guide. */
class Hand {
  readonly #window: Page
  count = 0

  constructor(window: Page) {
    this.#window = window
  }

  async click(role: 'link' | 'radio' | 'button' | 'menuitem', name: string | RegExp): Promise<void> {
    this.count += 1
    await this.#window.getByRole(role, { name }).first().click()
  }

  async press(key: string): Promise<void> {
    this.count += 1
    await this.#window.keyboard.press(key)
  }

  /** Returns the count since the last call. */
  taken(): number {
    const { count } = this
    this.count = 0
    return count
  }
}

test(
  'thirty clients take as many clicks and keys as the guide says',
  { tag: '@deep' },
  async ({ window, program }) => {
    const clients = Array.from({ length: 30 }, (_, at): ReportsCompany => {
      const number = String(at + 1).padStart(2, '0')
      return { endpointId: `k/${number}`, companyName: `Kontor ${number}`, endpoint: 'qbd' }
    })
    const books = new Map<string, Balances>()
    const service = await ReportsService.start(clients, ({ companyName }, name, from, to) =>
      inOtherWords(name, from, to, books.get(companyName)),
    )
    service.list = (_company, object) =>
      object === 'account'
        ? { records: BALANCES.map(([, Name], at) => ({ ID: String(at), Name, Type: 'Konto' })) }
        : { records: [{ ID: '1', Name: 'Harbor office', Phone: '' }] }
    const hand = new Hand(window)
    try {
      await window.getByLabel('Address').fill(service.url)
      await window.getByLabel('API key').fill(service.key)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
      await expect(window.getByRole('grid', { name: 'Companies' })).toBeVisible()

      // All findings of thirty clients.
      await hand.click('link', 'Companies')
      await hand.click('radio', 'Months')
      await hand.click('button', 'Get reports for 30 companies')
      const grid = window.getByRole('grid', { name: 'Months' })
      await expect(grid.getByText('1 finding, ')).toHaveCount(30)
      await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()
      expect(hand.taken()).toBe(3)
      expect(service.mostAtOnce).toBe(1)

      // One client's month: opened, accepted, closed, and its pack saved.
      await hand.click('button', 'Review, Kontor 01')
      await expect(window.locator('[data-finding]')).toBeFocused()
      expect(hand.taken()).toBe(1)
      await hand.press('a')
      await expect(window.getByText('The month can be closed.')).toBeVisible()
      expect(hand.taken()).toBe(1)
      await hand.click('button', 'Close the month…')
      await hand.press('Enter')
      await expect(window.getByRole('button', { name: 'Reopen…' })).toBeVisible()
      expect(hand.taken()).toBe(2)
      await hand.click('button', 'Save the review pack')
      await hand.click('menuitem', 'PDF')
      await expect.poll(() => program.savedFiles().filter((name) => name.endsWith('.pdf'))).toHaveLength(1)
      expect(hand.taken()).toBe(2)

      // Its books change, and are compared with the closed month.
      books.set('Kontor 01', MOVED)
      await hand.click('button', /^Check for changes/)
      const amounts = window.getByRole('region', { name: 'Changed amounts' })
      for (const [account, difference] of [
        ['House bank', '50.00 Cr'],
        ['Suspense till', '50.00 Dr'],
      ] as const) {
        const changed = amounts.getByRole('row', { name: new RegExp(`^${account} Trial balance`) })
        await expect(changed.getByRole('cell').last()).toHaveText(difference)
      }
      await expect(window.getByRole('button', { name: 'Stop reading' })).toBeHidden()
      await hand.click('button', 'Accept the change…')
      await hand.press('Enter')
      await expect(window.getByText(/Not checked since it was closed/)).toBeVisible()
      await expect(amounts).toBeHidden()
      expect(hand.taken()).toBe(3)

      // The next finding is excluded, and the one after it opens its report.
      await hand.click('button', 'Next company')
      await expect(window.getByRole('heading', { name: 'Kontor 02' })).toBeVisible()
      await expect(window.locator('[data-finding]')).toBeFocused()
      expect(hand.taken()).toBe(1)
      await hand.press('n')
      await hand.press('Enter')
      await expect(window.getByText('The month can be closed.')).toBeVisible()
      await hand.click('button', 'Next company')
      await expect(window.getByRole('heading', { name: 'Kontor 03' })).toBeVisible()
      await expect(window.locator('[data-finding]')).toBeFocused()
      hand.taken()
      await hand.press('o')
      await expect(window).toHaveURL(/#\/reports\/TrialBalance/)
      expect(hand.taken()).toBe(1)
    } finally {
      await service.close()
    }
  },
)

/** The month that is selected at first. */
function lastMonth(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getFullYear(), now.getMonth() - 1, 1)).toISOString().slice(0, 7)
}
