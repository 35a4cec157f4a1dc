/** The rules of a review: each finds what it is for, by name and to the cent, and clean books give nothing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { type Evidence, type Statement } from '../../electron/review/evidence.ts'
import { reviewMonth } from '../../electron/review/review.ts'
import { compareStatements } from '../../electron/review/compare.ts'
import { planReadings } from '../../electron/review/plan.ts'
import { RULE_IDS, type RuleId, type Source } from '../../shared/review/rules.ts'
import type { ListedRecord } from '../../electron/review/evidence.ts'
import { type Entry, type MadeBooks, entry, evidenceOfMade, findingsOf, makeBooks } from './review-books.ts'
import { rulesTable } from './rules-table.ts'

const CLEAN = makeBooks()

function found(evidence: Evidence): string[] {
  return findingsOf(reviewMonth(evidence, null)).map(({ rule, subject, amount }) =>
    `${rule}: ${subject} ${amount}`.trim(),
  )
}

/** What is found in books with these entries more. */
function foundWith(...entries: readonly Entry[]): string[] {
  return found(evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, ...entries] }))
}

function without(isOut: (entry: Entry) => boolean): MadeBooks {
  return { ...CLEAN, entries: CLEAN.entries.filter((each) => !isOut(each)) }
}

function withList(
  source: Source,
  change: (records: readonly ListedRecord[]) => readonly ListedRecord[],
): Evidence {
  return evidenceOfMade({
    ...CLEAN,
    lists: new Map([...CLEAN.lists, [source, change(CLEAN.lists.get(source) ?? [])]]),
  })
}

/** Evidence with one report changed. */
function withStatement(source: Source, change: (statement: Statement) => Statement | null): Evidence {
  const whole = evidenceOfMade(CLEAN)
  return {
    ...whole,
    statement: (asked) => {
      const read = whole.statement(asked)
      if (asked !== source || !read.ok) return read
      const value = change(read.value)
      return value === null ? { ok: false, because: 'The service says there is more.' } : { ok: true, value }
    },
  }
}

/** Replaces a value in the row of a name. */
function withValue(statement: Statement, name: string, column: number, value: string): Statement {
  return {
    ...statement,
    rows: statement.rows.map((row) =>
      row.name === name ? { ...row, values: row.values.with(column, value) } : row,
    ),
  }
}

const is =
  (name: string) =>
  ({ name: each, date }: Entry): boolean =>
    each === name && date.startsWith('2026-03')

describe('clean books', () => {
  it('give nothing, and only the rule without a threshold is not checked', () => {
    const outcomes = reviewMonth(evidenceOfMade(CLEAN), null)
    expect(outcomes.filter(({ result }) => result !== 'clean')).toEqual([
      { rule: 'large-entry', result: 'not-checked', because: 'No amount is set for large entries.' },
    ])
    expect(outcomes.map(({ rule }) => rule)).toEqual(
      RULE_IDS.filter((rule) => rule !== 'changed-after-close'),
    )
  })

  it('give nothing whatever their amounts, within 15 percent of the usual', () => {
    fc.assert(
      fc.property(fc.infiniteStream(fc.integer({ min: -150, max: 150 })), (stream) => {
        const factors = new Map<string, number>()
        const books = makeBooks((account, month) => {
          const key = `${account} ${String(month)}`
          const factor = factors.get(key) ?? 1 + Number(stream.next().value) / 1_000
          factors.set(key, factor)
          return factor
        })
        expect(found(evidenceOfMade(books))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('each rule', () => {
  it('finds a balance in an account that should be empty, and says nothing else about it', () => {
    expect(
      foundWith(
        entry('2026-03-09', 'Check', '901', 'Unknown', [
          ['6900', 4_200],
          ['1000', -4_200],
        ]),
      ),
    ).toEqual(['should-be-empty: Uncategorized Expense 42'])
    expect(
      foundWith(
        entry('2025-11-09', 'Journal', 'J9', 'Setup', [
          ['1000', 215_000],
          ['3000', -215_000],
        ]),
      ),
    ).toEqual(['should-be-empty: Opening Balance Equity -2150'])
  })

  it('finds undeposited funds, and since when', () => {
    const evidence = evidenceOfMade({
      ...CLEAN,
      entries: [
        ...CLEAN.entries,
        entry('2025-12-09', 'Payment', '7', 'Ash Bakery', [
          ['1200', 86_420],
          ['1000', -86_420],
        ]),
      ],
    })
    expect(findingsOf(reviewMonth(evidence, null))).toEqual([
      expect.objectContaining({
        rule: 'undeposited-funds',
        amount: '864.2',
        detail: 'It has had a balance since at least 2026-01-31.',
      }),
    ])
  })

  it('finds balances on the wrong side', () => {
    expect(
      foundWith(
        entry('2026-03-30', 'Check', '902', 'Card Services', [
          ['2100', 5_000_000],
          ['1000', -5_000_000],
        ]),
      ),
    ).toContain('wrong-side: Company Card 46998.95')
    expect(
      foundWith(
        entry('2026-03-30', 'Journal', 'J3', 'Draw', [
          ['3200', 90_000_000],
          ['1000', -90_000_000],
        ]),
      )[0],
    ).toMatch(/^wrong-side: Checking -/)
  })

  it('finds a loan that stands still, and the interest that is missing with it', () => {
    expect(found(evidenceOfMade(without(is('Fir Bank'))))).toEqual([
      expect.stringMatching(/^stands-still: Truck Loan/),
      'missing-this-month: Interest Expense 90.13',
    ])
  })

  it('finds what recurs and is missing', () => {
    expect(found(evidenceOfMade(without(is('Dogwood Realty'))))).toEqual(['missing-this-month: Rent 2500.13'])
  })

  it('finds old receivables and customers with a credit balance', () => {
    const invoice: Entry = {
      ...entry('2025-09-01', 'Invoice', '88', 'Ash Bakery', [
        ['1100', 481_250],
        ['4000', -481_250],
      ]),
      customer: 'c1',
      due: '2025-09-01',
      className: 'North',
    }
    expect(foundWith(invoice)).toEqual(['past-90-days: Ash Bakery 4812.5'])
    const twice: Entry = {
      ...entry('2026-03-28', 'Payment', '89', 'Beech & Co.', [
        ['1000', 31_240],
        ['1100', -31_240],
      ]),
      customer: 'c2',
      due: '2026-03-28',
    }
    expect(foundWith(twice)).toContain('customer-credit: Beech & Co. -312.4')
  })

  it('finds receivables that the aging report does not have', () => {
    expect(
      foundWith(
        entry('2026-03-28', 'Journal', 'J4', 'Reclass', [
          ['1100', 10_001],
          ['1000', -10_001],
        ]),
      ),
    ).toEqual(['receivables-agree: Accounts Receivable 100.01'])
  })

  it('finds retained earnings that moved within a year, and not what a year leaves', () => {
    expect(
      foundWith(
        entry('2026-03-28', 'Journal', 'J5', 'Adjust', [
          ['3100', 127_560],
          ['1000', -127_560],
        ]),
      ),
    ).toEqual(['earlier-years: Retained Earnings -1275.6'])
    const january = evidenceOfMade(CLEAN)
    expect(found({ ...january, fiscalYearStart: 1 })).toEqual([])
  })

  it('finds unusual amounts, a first use, a reversed cost, and a budget exceeded', () => {
    const bill = (account: string, amount: number): Entry =>
      entry('2026-03-29', 'Bill', 'B7', 'Juniper', [
        [account, amount],
        ['2000', -amount],
      ])
    expect(foundWith(bill('6400', 294_000))).toEqual([
      'unusual: Software 3320.14',
      'over-budget: Software 2820.14',
    ])
    expect(foundWith(bill('6600', 12_300))).toEqual(['first-use: Travel 123'])
    expect(foundWith(bill('6300', -60_000))).toEqual(['reversed-sign: Telephone -179.86'])
  })

  it('finds the part of an account that has no class', () => {
    const invoice: Entry = {
      ...entry('2026-03-29', 'Invoice', '90', 'Ash Bakery', [
        ['1100', 168_500],
        ['4000', -168_500],
      ]),
      customer: 'c1',
      due: '2026-03-29',
    }
    expect(foundWith(invoice)).toEqual(['no-class: Sales 1685'])
  })

  it('finds a doubled bill once, and not an invoice with two equal lines', () => {
    const bill: Entry = {
      ...entry('2026-03-11', 'Bill', 'T-1', 'Cedar Supply', [
        ['5000', 4_640],
        ['2000', -4_640],
      ]),
      className: 'North',
    }
    expect(foundWith(bill, bill)).toEqual(['entered-twice: 2026-03-11, Bill, T-1, Cedar Supply 46.4'])
    expect(
      foundWith({
        ...bill,
        lines: [
          ['5000', 2_000],
          ['5000', 2_000],
          ['2000', -4_000],
        ],
      }),
    ).toEqual([])
  })

  it('finds entries dated outside the month, and large ones where an amount is set', () => {
    const late = evidenceOfMade({
      ...CLEAN,
      entries: [
        ...CLEAN.entries,
        entry('2026-04-02', 'Check', '77', 'Late', [
          ['6400', 1],
          ['1000', -1],
        ]),
      ],
    })
    expect(found(late)).toEqual(['outside-period: 2026-04-02, Check, 77, Late 0.01'])
    expect(found(evidenceOfMade(CLEAN, { largeEntry: '12000' }))[0]).toMatch(
      /^large-entry: 2026-03-20, Payment/,
    )
  })

  it('finds inactive records in use, duplicates, 1099 vendors without details, and malformed details', () => {
    expect(
      found(
        withList('accounts', (all) =>
          all.map((each) => (each.name === 'Software' ? { ...each, isActive: false } : each)),
        ),
      ),
    ).toEqual([expect.stringMatching(/^inactive: Software/)])
    const [cedar] = CLEAN.lists.get('vendors') ?? []
    const [ash] = CLEAN.lists.get('customers') ?? []
    if (!cedar || !ash) throw new Error('The books have no vendors.')
    expect(
      found(
        withList('vendors', (all) => [
          ...all,
          { ...cedar, id: 'v9', name: 'Supply Cedar, Inc.', fullName: 'Supply Cedar, Inc.' },
        ]),
      ),
    ).toEqual(['duplicates: Cedar Supply and Supply Cedar, Inc.'])
    expect(
      found(
        withList('customers', (all) => [
          ...all,
          { ...ash, id: 'c9', name: 'Ash Bakery Downtown', fullName: 'Ash Bakery Downtown', email: '' },
        ]),
      ),
    ).toEqual(['duplicates: Ash Bakery and Ash Bakery Downtown'])
    // A job has its customer's phone number.
    expect(
      found(withList('customers', (all) => [...all, { ...ash, id: 'c9', name: 'Oven', parentId: 'c1' }])),
    ).toEqual([])
    expect(
      found(
        withList('vendors', (all) =>
          all.map((each) => (each.is1099 ? { ...each, hasAddress: false, companyName: '' } : each)),
        ),
      ),
    ).toEqual(['incomplete-1099: Cedar Supply'])
    expect(
      found(withList('customers', (all) => all.map((each) => ({ ...each, email: 'owner.ash.example' })))),
    ).toEqual(['malformed: Ash Bakery', 'malformed: Beech & Co.'])
  })

  it('finds statements that disagree, by account', () => {
    const rules = (evidence: Evidence): string[] =>
      found(evidence).filter((text) => text.startsWith('statements-agree'))
    expect(rules(withStatement('trial-balance', (each) => withValue(each, 'Rent', 0, '7500.38')))).toEqual([
      'statements-agree: Trial balance -0.01',
      'statements-agree: Rent -0.01',
    ])
    expect(
      rules(withStatement('balance-sheet', (each) => withValue(each, 'Net Income', 0, '1.00'))),
    ).toHaveLength(2)
  })
})

describe('what was not read whole', () => {
  it('leaves every rule that needs it not checked', () => {
    const sources = planReadings('qbd', '2026-03').map(({ source }) => source)
    for (const source of sources) {
      const whole = evidenceOfMade(CLEAN)
      const because = 'The service says there is more of this than it sent.'
      const cut: Evidence = {
        ...whole,
        statement: (asked) => (asked === source ? { ok: false, because } : whole.statement(asked)),
        list: (asked) => (asked === source ? { ok: false, because } : whole.list(asked)),
        ledger: source === 'ledger' ? { ok: false, because } : whole.ledger,
      }
      const outcomes = reviewMonth(cut, null)
      const needing: Partial<Record<Source, RuleId>> = {
        'trial-balance': 'should-be-empty',
        'balance-sheet': 'stands-still',
        'profit-and-loss': 'unusual',
        ledger: 'entered-twice',
        vendors: 'duplicates',
        customers: 'malformed',
        accounts: 'wrong-side',
      }
      const rule = needing[source]
      if (rule !== undefined) {
        expect(outcomes.find((each) => each.rule === rule)).toEqual({ rule, result: 'not-checked', because })
      }
      expect(findingsOf(outcomes)).toEqual([])
    }
  })

  it('leaves a figure that can’t be read not checked', () => {
    const evidence = withStatement('trial-balance', (each) =>
      withValue(each, 'Opening Balance Equity', 0, '12,50'),
    )
    expect(reviewMonth(evidence, null).find(({ rule }) => rule === 'should-be-empty')).toEqual({
      rule: 'should-be-empty',
      result: 'not-checked',
      because: 'The amount of Opening Balance Equity can’t be read: “12,50”.',
    })
  })
})

describe('a fault planted anywhere', () => {
  it('is found and named', () => {
    const accounts = fc.constantFrom('4000', '5000', '6000', '6100', '6300', '6400')
    fc.assert(
      fc.property(accounts, fc.integer({ min: 1, max: 1_000_000 }), (account, cents) => {
        const doubled: Entry = {
          ...entry('2026-03-13', 'Bill', 'X1', 'Planted', [
            [account, cents],
            ['2000', -cents],
          ]),
          className: 'North',
        }
        expect(foundWith(doubled, doubled)).toContain(
          `entered-twice: 2026-03-13, Bill, X1, Planted ${String(cents / 100)}`,
        )
        const suspense = entry('2026-03-13', 'Journal', 'X2', 'Planted', [
          ['3000', cents],
          ['1000', -cents],
        ])
        expect(foundWith(suspense)).toContain(
          `should-be-empty: Opening Balance Equity ${String(cents / 100)}`,
        )
      }),
      { numRuns: 40 },
    )
  })
})

describe('a closed month', () => {
  it('is compared with what was kept, account by account', () => {
    const before = evidenceOfMade(CLEAN)
    const bill = entry('2026-03-28', 'Bill', 'L1', 'Late', [
      ['6600', 125_000],
      ['2000', -125_000],
    ])
    const after = evidenceOfMade({ ...CLEAN, entries: [...CLEAN.entries, bill] })
    const compare = (source: Source): unknown => {
      const [kept, now] = [before.statement(source), after.statement(source)]
      if (!kept.ok || !now.ok) throw new Error('It was not read.')
      return compareStatements(kept.value, now.value, '2026-03')
    }
    expect(compare('trial-balance')).toMatchObject({
      value: [
        { account: 'Accounts Payable', difference: '-1250' },
        { account: 'Travel', difference: '1250', now: '1250.00' },
      ],
    })
    expect(compare('profit-and-loss')).toMatchObject({ value: [{ account: 'Travel', difference: '1250' }] })
  })
})

test('the table in docs/review.md has the rules’ own texts (with -u, it is rewritten)', async () => {
  const path = join(import.meta.dirname, '../../docs/review.md')
  const { format } = await import('prettier')
  const written = readFileSync(path, 'utf8')
  const table = /^\| Group .*\n(?:\|.*\n)+/m
  expect(written).toMatch(table)
  const made = await format(rulesTable(), { parser: 'markdown' })
  await expect(written.replace(table, () => made)).toMatchFileSnapshot(path)
})
