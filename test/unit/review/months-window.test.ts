/** What the window decides about months and thresholds before anything is sent. */
import { describe, expect, it } from 'vitest'
import {
  byReviewUrgency,
  distinctNames,
  fits,
  formatNextStep,
  formatStatus,
  monthsBack,
  statusNote,
} from '../../../renderer/companies/months/month-messages.ts'
import { parseReviewSettings } from '../../../renderer/companies/review/review-settings.ts'
import {
  changedAccounts,
  changedEntries,
  formatNoEntries,
} from '../../../renderer/companies/review/what-changed.ts'
import type { MonthRow, MonthStatus } from '../../../shared/contract/review.ts'
import { Format } from '../../../shared/format/format.ts'
import {
  areReadEarly,
  balanceText,
  type ChangedAmount,
  type Finding,
  formatNever,
  subjectText,
  worstFirst,
} from '../../../shared/review/review.ts'

const format = new Format({ locale: 'en-US', negatives: 'minus' })

function monthRow(companyName: string, status: MonthStatus): MonthRow {
  return {
    company: { connectionId: 'c', endpointId: companyName },
    ...{ companyName, application: 'qbd', applicationName: 'Desktop', month: '2026-02', hasCents: true },
    ...{ status, strip: [], by: '', at: '', next: 'review', requests: 0 },
  }
}

describe('the list of months', () => {
  it('shows changed months first, then contradictions, then most findings, and closed months last', () => {
    const findings = (open: number, wrong = 0): MonthStatus => ({
      state: 'findings',
      open,
      wrong,
      notChecked: 0,
      notWhole: '',
      unreachableReason: '',
    })
    const rows = [
      monthRow('Closed', { state: 'closed', notCompared: 0, notRead: '', open: 0 }),
      monthRow('Not read again', { state: 'closed', notCompared: 0, notRead: 'Off.', open: 0 }),
      monthRow('Accepted', { state: 'closed', notCompared: 0, notRead: '', open: 2 }),
      monthRow('Few', findings(2)),
      monthRow('Many', findings(9)),
      monthRow('Wrong', findings(1, 1)),
      monthRow('New', { state: 'not-started' }),
      monthRow('Changed', {
        state: 'changed',
        ...{ accounts: 1, amount: '5', entries: 0, notCompared: 0, notRead: '' },
      }),
      monthRow('Ready', { state: 'reviewed', notChecked: 0, unreachableReason: '' }),
      monthRow('Silent', { state: 'partly-read', read: 3, of: 14, reason: 'It did not answer.' }),
    ]
    expect(rows.filter((row) => !fits(row, 'to-do')).map(({ companyName }) => companyName)).toEqual([
      'Closed',
    ])
    expect(rows.toSorted(byReviewUrgency).map(({ companyName }) => companyName)).toEqual([
      'Changed',
      'Wrong',
      'Many',
      'Few',
      'Accepted',
      'Not read again',
      'Silent',
      'Ready',
      'New',
      'Closed',
    ])
  })

  it('shows amounts and counts in the user’s format', () => {
    const size = { accounts: 2, amount: '1250', entries: 1 }
    const changed = { state: 'changed', ...size, notCompared: 1, notRead: '' } as const
    expect(formatStatus(changed, format)).toBe('Changed since it was closed (2 accounts, 1,250.00)')
    expect(statusNote(changed, format)).toBe('1 report could not be compared')
    expect(formatStatus({ ...changed, amount: '' }, format)).toBe('Changed since it was closed (2 accounts)')
    expect(formatStatus({ ...changed, accounts: 0, amount: '' }, format)).toBe(
      'Changed since it was closed (1 entry)',
    )
    const whole = format.forBooks({ hasCents: false })
    expect(formatStatus(changed, whole)).toBe('Changed since it was closed (2 accounts, 1,250)')
    expect(formatStatus({ ...changed, amount: '-1250.5' }, whole)).toMatch(/ −1,250\.5\)$/)
    const findings = {
      state: 'findings',
      open: 4,
      wrong: 1,
      notChecked: 1,
      notWhole: '',
      unreachableReason: '',
    } as const
    expect(statusNote(findings, format)).toBe('1 definitely wrong, 1 rule not checked')
    expect(statusNote({ ...findings, notWhole: 'Trial balance not read' }, format)).toBe(
      '1 definitely wrong, Trial balance not read, 1 rule not checked',
    )
    expect(statusNote({ state: 'reviewed', notChecked: 0, unreachableReason: 'Off.' }, format)).toBe(
      'not checked again',
    )
    expect(statusNote({ state: 'closed', notCompared: 0, notRead: 'Off.', open: 0 }, format)).toBe(
      'not read again. Off.',
    )
    expect(statusNote({ state: 'closed', notCompared: 1, notRead: '', open: 2 }, format)).toBe(
      '2 open findings, 1 report could not be compared',
    )
    expect(
      formatNextStep({ ...monthRow('A', { state: 'reading', read: 1, of: 2 }), next: 'wait' }),
    ).toBeNull()
  })

  it('shows dates and times in an entry’s name in the user’s format', () => {
    const name = '2026-02-14, Bill, 77, Ash, entered 2026-03-31T10:23:11, Latest'
    expect(subjectText(name, format)).toBe(
      'Feb 14, 2026, Bill, 77, Ash, entered Mar 31, 2026, 10:23 AM, Latest',
    )
    expect(subjectText('Fair 2026-02-14', format)).toBe('Fair 2026-02-14')
  })

  it('has IDs beside names that several companies have', () => {
    const rows = ['Kern', 'Kern', 'Ash'].map((name, at) => ({
      ...monthRow(name, { state: 'not-started' }),
      company: { connectionId: 'c', endpointId: `e${String(at)}` },
    }))
    expect(rows.map(distinctNames(rows))).toEqual(['Kern (e0)', 'Kern (e1)', 'Ash'])
  })

  it('says whether a month was over when its statements were read', () => {
    const read = (isEarly: boolean, source: 'trial-balance' | 'receivables' = 'trial-balance') => [
      { source, isEarly },
    ]
    expect(areReadEarly(read(true))).toBe(true)
    expect(areReadEarly(read(false))).toBe(false)
    expect(areReadEarly(read(true, 'receivables'))).toBe(false)
  })

  it('starts with the previous month, also in January', () => {
    expect(monthsBack(1, new Date(2026, 0, 31))).toBe('2025-12')
    expect(monthsBack(0, new Date(2026, 2, 1))).toBe('2026-03')
  })
})

describe('a finding', () => {
  it('names what it is about when it is excluded', () => {
    const records = (object: string, ...ids: readonly string[]) => ({ object, ids })
    expect(formatNever('account', null)).toBe('Never for this account')
    expect(formatNever('account', records('vendor', '1'))).toBe('Never for this vendor')
    expect(formatNever('account', records('customer', '1', '2'))).toBe('Never for these customers')
  })
})

describe('thresholds', () => {
  it('are read as people write them, and stay empty if nothing is typed', () => {
    const typed = { percent: '25', amount: '1.500,50', largeEntry: '', emptyAccounts: ' suspense \n\nwash ' }
    expect(parseReviewSettings(typed, { decimal: ',', group: '.' })).toEqual({
      ok: true,
      value: { percent: '25', amount: '1500.50', emptyAccounts: ['suspense', 'wash'] },
    })
    expect(
      parseReviewSettings({ ...typed, percent: 'a lot', amount: '-3' }, { decimal: ',', group: '.' }),
    ).toMatchObject({
      ok: false,
      error: { percent: 'This is not an amount.', amount: 'This is not an amount.' },
    })
  })
})

describe('balances', () => {
  it('have their side instead of a sign, whichever side is positive in their report', () => {
    expect(balanceText('-2150', 'debit', format)).toBe('2,150.00 Cr')
    expect(balanceText('2150', 'credit', format)).toBe('2,150.00 Cr')
    expect(balanceText('-1275.6', 'credit', format)).toBe('1,275.60 Dr')
    expect(balanceText('0', 'debit', format)).toBe('0.00 Dr')
    // A difference isn't a balance.
    expect(balanceText('-5', '', format)).toBe('−5.00')
    expect(balanceText('', 'debit', format)).toBe('')
  })
})

describe('what changed in a closed month', () => {
  const changed = (report: string, side: Finding['side'], kept: string, now: string): ChangedAmount => ({
    ...{ report, key: '2000', account: 'Accounts Payable', column: 'Balance', side, kept, now },
    ...{ difference: String(Number(now) - Number(kept)), says: '' },
  })

  it('is one row for reports that say the same of an account', () => {
    expect(
      changedAccounts(
        [
          changed('Trial balance', 'debit', '-100', '-150'),
          changed('Balance sheet', 'credit', '100', '150'),
          { ...changed('Trial balance', 'debit', '10', '60'), key: '5010', account: 'Drugs' },
          {
            ...changed('Profit and loss', 'debit', '1', '51'),
            key: '5010',
            account: 'Drugs',
            column: '2026-03',
          },
        ],
        format,
      ),
    ).toEqual([
      {
        ...{ key: '2000', account: 'Accounts Payable' },
        changed: [
          {
            report: 'Trial balance, balance sheet',
            ...{ kept: '100.00 Cr', now: '150.00 Cr', difference: '50.00 Cr', says: '' },
          },
        ],
      },
      {
        ...{ key: '5010', account: 'Drugs' },
        changed: [
          {
            ...{ report: 'Trial balance', kept: '10.00 Dr', now: '60.00 Dr' },
            ...{ difference: '50.00 Dr', says: '' },
          },
          {
            ...{ report: 'Profit and loss, Mar 2026', kept: '1.00 Dr', now: '51.00 Dr' },
            ...{ difference: '50.00 Dr', says: '' },
          },
        ],
      },
    ])
  })

  it('lists each transaction once, in columns', () => {
    const entry = (account: string, amount: string, gone = ''): Finding => ({
      ...{ key: `changed-after-close|${gone}${account}`, rule: 'changed-after-close', severity: 'likely' },
      ...{ side: '', amount, detail: [], row: null, records: null },
      subject: `2026-03-15, Bill, LATE-1, Meridian Supply, ${account}, entered 2026-04-09T09:38:00, Latest`,
    })
    const entries = [entry('Accounts Payable', '-1250'), entry('Drugs', '800'), entry('Travel', '450')]
    const amounts = [changed('Trial balance', 'debit', '-100', '-150')]
    const [bill, ...others] = changedEntries(entries, amounts, format)
    expect(others).toEqual([])
    expect(bill).toMatchObject({
      ...{ date: 'Mar 15, 2026', type: 'Bill', number: 'LATE-1', name: 'Meridian Supply' },
      ...{ amount: '1,250.00', says: 'New' },
    })
    expect(bill).toMatchObject({ memo: 'Drugs, Travel', accounts: ['Accounts Payable'] })
    expect(bill?.entered).toMatch(/^entered Apr 9, 2026/)
    const alike = ['1', '2'].map((key) => ({ ...entry(key, '5'), subject: '2026-03-15, Check, Taxi' }))
    expect(changedEntries(alike, amounts, format)).toHaveLength(2)
    expect(changedEntries([entry('Drugs', '0', 'gone|')], amounts, format)).toMatchObject([{ says: 'Gone' }])
  })

  it('says that no entry explains it, if everything was read again and the audit trail is the same', () => {
    const change = { noticedAt: '', isComplete: true, amounts: [], entries: 0 }
    const of = { change, notCompared: [], entriesNotChecked: '', isComplete: true }
    expect(formatNoEntries(of)).toMatch(
      /^No entry .* explains this change\. It may come from .* another period/,
    )
    expect(formatNoEntries({ ...of, isComplete: false })).toBe('')
    expect(formatNoEntries({ ...of, change: null })).toBe('')
    expect(formatNoEntries({ ...of, entriesNotChecked: 'Not read.' })).toBe(
      'Entries were not checked: Not read.',
    )
    const notCompared = [{ report: 'Audit trail', reason: 'It wasn’t read again.' }]
    expect(formatNoEntries({ ...of, notCompared, entriesNotChecked: 'Not read.' })).toBe('')
  })
})

it('shows and packs the worst findings first, then the largest', () => {
  const finding = (severity: Finding['severity'], amount: string) => ({ severity, amount })
  const rules = [
    { rule: 'unusual', findings: [finding('check', '900')] },
    { rule: 'doubled', findings: [finding('check', '5'), finding('likely', '10'), finding('likely', '-20')] },
  ]
  const [first, second] = worstFirst<ReturnType<typeof finding>, (typeof rules)[number]>(rules)
  expect(first?.rule).toBe('doubled')
  expect(first?.findings.map(({ amount }) => amount)).toEqual(['-20', '10', '5'])
  expect(second?.rule).toBe('unusual')
})
