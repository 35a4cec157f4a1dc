/** The detail reports: GeneralLedger and ProfitAndLossDetail. */
import { isProfitAndLoss, naturalSign, type Party, type Posting, type Transaction } from '../books/ledger.ts'
import { type Cents, formatCents } from '../cents.ts'
import { type Company } from '../company.ts'
import { fullNameOf } from '../records/table.ts'
import { type Day, dayOf, formatDay, partsOf, yearStart } from '../time.ts'
import {
  accountName,
  type AccountNode,
  accountTree,
  createRowWriter,
  flattened,
  inOne,
  type ReportBody,
  type ReportRequest,
  type RowWriter,
  sumUp,
} from './report.ts'
import { netIncome } from './statements.ts'

interface Line {
  readonly day: Day
  readonly name: string
  readonly id: string
  readonly cents: Cents
}

/**
 * GeneralLedger: each account from its opening balance through its postings to its closing balance. Credits increase the
 * balance of a liability. If a fiscal year starts within the period, closing entries are included, so that each account
 * ends at its balance in the trial balance.
 */
export function generalLedger(request: ReportRequest): ReportBody {
  const { company, start, end } = request
  const writer = createRowWriter()
  const tree = accountTree(company)
  const nodes = flattened(tree)
  const postings = postingsByAccount(company, start, end)
  const retainedId = company.lists().accountId('retained')
  const openings = openingBalances(request, tree, retainedId)
  const closings = closingEntries(request, tree, retainedId)
  let debits = 0
  let credits = 0
  for (const node of nodes) {
    const opening = openings.get(node.id) ?? 0
    const posted = (postings.get(node.id) ?? []).map((posting): Line => {
      const { transaction, cents, memo } = posting
      const { day, type, number, party } = transaction
      const words = [formatDay(day), type, number, rowName(company, transaction), memo]
      const name = entryName([...words, splitName(company, posting)])
      return { day, name, id: party?.id ?? '', cents }
    })
    // Closing entries come first on their day. The sort is stable.
    const lines = [...(closings.get(node.id) ?? []), ...posted].toSorted((a, b) => a.day - b.day)
    if (opening === 0 && lines.length === 0) continue
    const sign = naturalSign(node.type)
    const label = accountName(company, node.id)
    let balance = opening
    let debit = 0
    let credit = 0
    writer.open(label, node.id)
    writer.data('Opening balance', ['', '', shown(balance, sign)], node.id)
    for (const { name, id, cents } of lines) {
      balance += cents
      debit += Math.max(cents, 0)
      credit += Math.max(-cents, 0)
      const sides = [cents > 0 ? formatCents(cents) : '', cents < 0 ? formatCents(-cents) : '']
      writer.data(name, [...sides, shown(balance, sign)], id)
    }
    const sums = [formatCents(debit), formatCents(credit), shown(balance, sign)]
    writer.close(`Total ${label}`, sums, node.id)
    debits += debit
    credits += credit
  }
  writer.total('TOTAL', [formatCents(debits), formatCents(credits), ''])
  return { columns: ['Entry', 'Debit', 'Credit', 'Balance'], rows: writer.rows }
}

function shown(cents: Cents, sign: 1 | -1): string {
  return formatCents(cents === 0 ? 0 : cents * sign)
}

function openingBalances(
  { company, start }: ReportRequest,
  tree: readonly AccountNode[],
  retainedId: string,
): Map<string, Cents> {
  const whole = sumUp(company, inOne('', Number.NEGATIVE_INFINITY, start - 1))
  const thisYear = sumUp(company, inOne('', yearStart(start), start - 1))
  const before = (netIncome(tree, whole)[0] ?? 0) - (netIncome(tree, thisYear)[0] ?? 0)
  return new Map(
    flattened(tree).map((node) => {
      const sums = isProfitAndLoss(node.type) ? thisYear : whole
      return [node.id, (sums.of(node.id)[0] ?? 0) - (node.id === retainedId ? before : 0)]
    }),
  )
}

function closingEntries(
  { company, start, end }: ReportRequest,
  tree: readonly AccountNode[],
  retainedId: string,
): Map<string, Line[]> {
  const entries = new Map<string, Line[]>()
  for (let year = partsOf(start).year + 1; dayOf(year, 1, 1) <= end; year++) {
    const day = dayOf(year, 1, 1)
    const sums = sumUp(company, inOne('', dayOf(year - 1, 1, 1), day - 1))
    const add = (id: string, cents: Cents): void => {
      if (cents === 0) return
      const name = entryName([formatDay(day), `Closing entry of ${String(year - 1)}`])
      entries.set(id, [...(entries.get(id) ?? []), { day, name, id: '', cents }])
    }
    for (const node of flattened(tree)) {
      if (isProfitAndLoss(node.type)) add(node.id, -(sums.of(node.id)[0] ?? 0))
    }
    add(retainedId, -(netIncome(tree, sums)[0] ?? 0))
  }
  return entries
}

// Shared by the detail reports.

/** The current full name of a customer, vendor, or employee. Empty if there is none. */
export function partyName(company: Company, party: Party | undefined): string {
  if (party === undefined) return ''
  const record = company.table(party.object).get(party.id)
  return record === undefined ? '' : fullNameOf(company, party.object, record)
}

/**
 * The name of a detail row. `Values` are decimal strings (section 2.7), so the name has to hold the day, type, memo, and so
 * on.
 */
export function entryName(words: readonly string[]): string {
  return words.filter((word) => word !== '').join(', ')
}

/** The customer, vendor, or employee of an entry, or else its memo. */
export function rowName(company: Company, transaction: Transaction): string {
  const name = partyName(company, transaction.party)
  return name === '' ? transaction.memo : name
}

/** The account on the other side of a posting, or `-SPLIT-` if there are several. */
export function splitName(company: Company, posting: Posting): string {
  const others = posting.transaction.postings.filter((other) => other.accountId !== posting.accountId)
  const [only, second] = others
  if (only === undefined) return ''
  return second === undefined ? accountName(company, only.accountId) : '-SPLIT-'
}

/** The postings of a period by account and day. */
function postingsByAccount(company: Company, start: Day, end: Day): Map<string, Posting[]> {
  const byAccount = new Map<string, Posting[]>()
  for (const transaction of company.ledger().transactions()) {
    if (transaction.day < start || transaction.day > end) continue
    for (const posting of transaction.postings) {
      const list = byAccount.get(posting.accountId)
      if (list === undefined) byAccount.set(posting.accountId, [posting])
      else list.push(posting)
    }
  }
  return byAccount
}

const SECTIONS: readonly (readonly [name: string, type: string])[] = [
  ['Income', 'Income'],
  ['Cost of Goods Sold', 'CostOfGoodsSold'],
  ['Expense', 'Expense'],
  ['Other Income', 'OtherIncome'],
  ['Other Expense', 'OtherExpense'],
]

/** ProfitAndLossDetail: the postings of income and expense accounts with a running balance. Ends with net income. */
export function profitAndLossDetail({ company, start, end }: ReportRequest): ReportBody {
  const writer = createRowWriter()
  const tree = accountTree(company)
  const postings = postingsByAccount(company, start, end)
  let net = 0
  for (const [name, type] of SECTIONS) {
    const nodes = tree.filter((node) => node.type === type && isUsed(node, postings))
    if (nodes.length === 0) continue
    writer.open(name)
    const sum = nodes.reduce((total, node) => total + writeAccount(writer, company, node, postings), 0)
    writer.close(`Total ${name}`, totals(sum))
    net -= sum * naturalSign(type)
  }
  writer.total('Net Income', totals(net))
  return { columns: ['Entry', 'Amount', 'Balance'], rows: writer.rows }
}

function writeAccount(
  writer: RowWriter,
  company: Company,
  node: AccountNode,
  postings: ReadonlyMap<string, readonly Posting[]>,
): Cents {
  const sign = naturalSign(node.type)
  writer.open(node.label, node.id)
  let balance = 0
  for (const { transaction, cents, memo } of postings.get(node.id) ?? []) {
    balance += cents * sign
    const { type, day, number } = transaction
    const name = entryName([formatDay(day), type, number, rowName(company, transaction), memo])
    writer.data(name, [formatCents(cents * sign), formatCents(balance)], transaction.party?.id ?? '')
  }
  for (const child of node.children) {
    if (isUsed(child, postings)) balance += writeAccount(writer, company, child, postings)
  }
  writer.close(`Total ${node.label}`, totals(balance), node.id)
  return balance
}

function totals(cents: Cents): string[] {
  return [formatCents(cents), formatCents(cents)]
}

function isUsed(node: AccountNode, postings: ReadonlyMap<string, readonly Posting[]>): boolean {
  return flattened([node]).some(({ id }) => postings.has(id))
}
