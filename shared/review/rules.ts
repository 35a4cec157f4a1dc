/** The rules of a month's review: the data that each needs, why it matters, and where to look in the application. */

/**
 * The reports and lists that a review reads, in this order. A number is how many months earlier than the reviewed one.
 */
export const SOURCES = [
  'trial-balance',
  'balance-sheet',
  'profit-and-loss',
  'receivables',
  'balance-sheet-1',
  'balance-sheet-2',
  'balance-sheet-12',
  'vendor-expenses',
  'by-class',
  'budget',
  'accounts',
  'customers',
  'vendors',
  'ledger',
  'audit-trail',
] as const
export type Source = (typeof SOURCES)[number]

export interface RuleText {
  readonly group: string
  readonly title: string
  readonly why: string
  /** Menus in the Desktop and in the Online application. */
  readonly where: readonly [desktop: string, online: string]
  readonly needs: readonly Source[]
  /** Data that it also uses if available. **Check again** reads only the lists among them that are missing. */
  readonly helps?: readonly Source[]
  /**
   * How long **Accept** applies: while the amount, or the problem of a record, stays the same, for a balance that recurs every month until it is
   * cleared; or only in this month, for something that happened in it or is missing.
   */
  readonly accepted: 'while-same' | 'this-month'
  /** What a finding is about, for **Never for this …**, unless it has records. */
  readonly about: 'account' | 'customer' | 'vendor' | 'entry' | 'figure'
  /** What the amount of a finding is, above the number. Without it, findings have none. */
  readonly amount?: string
}

const CHART = ['Lists › Chart of Accounts', 'Accounting › Chart of accounts'] as const
const STATEMENTS = ['Reports › Company & Financial', 'Reports › Business overview'] as const

/** In the order in which findings are shown. What makes other amounts wrong comes first. */
export const RULES = {
  'statements-agree': {
    group: 'Statements',
    title: 'Statements that disagree',
    why: 'The statements come from the same entries, so they must agree to the cent.',
    where: STATEMENTS,
    needs: ['trial-balance', 'balance-sheet', 'profit-and-loss'],
    accepted: 'while-same',
    about: 'figure',
    amount: 'Difference',
  },
  'receivables-agree': {
    group: 'Statements',
    title: 'Receivables that don’t match the aging report',
    why: 'Usually a journal entry was posted to receivables without a customer.',
    where: [
      'Reports › Customers & Receivables › A/R Aging Detail',
      'Reports › Who owes you › Accounts receivable aging detail',
    ],
    needs: ['balance-sheet', 'receivables'],
    helps: ['accounts'],
    accepted: 'while-same',
    about: 'account',
    amount: 'Difference',
  },
  'earlier-years': {
    group: 'Statements',
    title: 'Prior years changed',
    why: 'Retained earnings should change only at year end. Someone posted to this account, or changed an entry in a closed year since the last review.',
    where: ['Reports › Accountant & Taxes › Audit Trail', 'Settings › Audit log'],
    needs: ['balance-sheet', 'balance-sheet-1'],
    helps: ['profit-and-loss'],
    accepted: 'this-month',
    about: 'account',
    amount: 'Change',
  },
  'should-be-empty': {
    group: 'Balances',
    title: 'Balances that should be zero',
    why: 'These accounts hold amounts only until someone decides where they belong.',
    where: CHART,
    needs: ['trial-balance'],
    helps: ['accounts'],
    accepted: 'while-same',
    about: 'account',
    amount: 'Balance',
  },
  'undeposited-funds': {
    group: 'Balances',
    title: 'Undeposited funds',
    why: 'Payments that were received but never deposited, or deposited a second time as income.',
    where: ['Banking › Make Deposits', '+ New › Bank deposit'],
    needs: ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2'],
    helps: ['accounts'],
    accepted: 'while-same',
    about: 'account',
    amount: 'Balance',
  },
  'wrong-side': {
    group: 'Balances',
    title: 'Balances on the wrong side',
    why: 'A negative bank balance or a liability with a debit balance usually means a doubled or misposted payment.',
    where: CHART,
    needs: ['trial-balance', 'accounts'],
    accepted: 'while-same',
    about: 'account',
    amount: 'Balance',
  },
  'stands-still': {
    group: 'Balances',
    title: 'Balances that didn’t change',
    why: 'This account changed in the 12 months before. A payment or an accrual may be missing.',
    where: CHART,
    needs: ['balance-sheet', 'balance-sheet-1', 'balance-sheet-2', 'balance-sheet-12', 'accounts'],
    accepted: 'this-month',
    about: 'account',
    amount: 'Balance',
  },
  'past-90-days': {
    group: 'Receivables',
    title: 'Receivables past 90 days',
    why: 'Old receivables may never be paid. Some were paid and the payment was posted elsewhere.',
    where: ['Customers › Collections Center', 'Sales › Invoices › Overdue'],
    needs: ['receivables'],
    // The keys of findings are their IDs.
    helps: ['customers'],
    accepted: 'while-same',
    about: 'customer',
    amount: 'Past 90 days',
  },
  'customer-credit': {
    group: 'Receivables',
    title: 'Customers with a credit balance',
    why: 'A payment may be doubled or not applied to an invoice.',
    where: ['Customers › Customer Center', 'Sales › Customers'],
    needs: ['receivables'],
    // The keys of findings are their IDs.
    helps: ['customers'],
    accepted: 'while-same',
    about: 'customer',
    amount: 'Balance',
  },
  unusual: {
    group: 'Profit and loss',
    title: 'Unusual amounts',
    why: 'Far from the average of earlier months and from the same month last year. There may be a reason.',
    where: STATEMENTS,
    needs: ['profit-and-loss'],
    accepted: 'this-month',
    about: 'account',
    amount: 'This month',
  },
  'missing-this-month': {
    group: 'Profit and loss',
    title: 'Recurring amounts missing this month',
    why: 'This account has an amount almost every month, but not this month. It is found for six months.',
    where: STATEMENTS,
    needs: ['profit-and-loss'],
    accepted: 'this-month',
    about: 'account',
    amount: 'Last amount',
  },
  'first-use': {
    group: 'Profit and loss',
    title: 'Accounts used for the first time',
    why: 'Nothing was posted to this account in the 12 months before. It may be the wrong account.',
    where: STATEMENTS,
    needs: ['profit-and-loss'],
    accepted: 'this-month',
    about: 'account',
    amount: 'This month',
  },
  'reversed-sign': {
    group: 'Profit and loss',
    title: 'Income or expense accounts with a balance on the wrong side',
    why: 'A refund, or an entry posted backward.',
    where: STATEMENTS,
    needs: ['profit-and-loss'],
    accepted: 'this-month',
    about: 'account',
    amount: 'This month',
  },
  'no-class': {
    group: 'Profit and loss',
    title: 'Amounts without a class',
    why: 'The rest of this account has classes, so reports by class are incomplete.',
    where: [
      'Reports › Company & Financial › Profit & Loss by Class',
      'Reports › Business overview › Profit and Loss by Class',
    ],
    needs: ['by-class'],
    accepted: 'this-month',
    about: 'account',
    amount: 'Without a class',
  },
  'over-budget': {
    group: 'Profit and loss',
    title: 'Budget exceeded',
    why: 'More was spent than planned.',
    where: ['Reports › Budgets & Forecasts', 'Settings › Budgeting'],
    needs: ['budget'],
    accepted: 'this-month',
    about: 'account',
    amount: 'Over budget',
  },
  'entered-twice': {
    group: 'Entries',
    title: 'Entries that look doubled',
    why: 'Same date, name, and amounts in the same accounts. If the numbers match, too, it is almost certainly a duplicate. If not, there may be two.',
    where: ['Reports › Accountant & Taxes › General Ledger', 'Reports › For my accountant › General Ledger'],
    needs: ['ledger'],
    // Some names look like numbers.
    helps: ['customers', 'vendors'],
    accepted: 'while-same',
    about: 'entry',
    amount: 'Amount',
  },
  'outside-period': {
    group: 'Entries',
    title: 'Entries dated outside the month',
    why: 'A month’s general ledger should only have entries dated in that month.',
    where: ['Reports › Accountant & Taxes › General Ledger', 'Reports › For my accountant › General Ledger'],
    needs: ['ledger'],
    accepted: 'while-same',
    about: 'entry',
    amount: 'Amount',
  },
  'large-entry': {
    group: 'Entries',
    title: 'Large or round entries',
    why: 'Above the amount you set for this company. Round amounts are often estimates.',
    where: ['Reports › Accountant & Taxes › General Ledger', 'Reports › For my accountant › General Ledger'],
    needs: ['ledger'],
    accepted: 'while-same',
    about: 'entry',
    amount: 'Amount',
  },
  'changed-after-close': {
    group: 'Entries',
    title: 'Entries changed after the month was closed',
    why: 'The statements you handed over no longer match the books.',
    where: ['Reports › Accountant & Taxes › Audit Trail', 'Settings › Audit log'],
    needs: ['audit-trail'],
    accepted: 'this-month',
    about: 'entry',
    amount: 'Amount',
  },
  inactive: {
    group: 'Lists',
    title: 'Inactive records in use',
    why: 'Someone made this inactive while it still had a balance or entries.',
    where: CHART,
    needs: ['trial-balance', 'receivables', 'vendor-expenses', 'ledger', 'accounts', 'customers', 'vendors'],
    helps: ['profit-and-loss'],
    accepted: 'while-same',
    about: 'account',
    amount: 'Amount',
  },
  duplicates: {
    group: 'Lists',
    title: 'Likely duplicates',
    why: 'Balances and history are split between them.',
    where: ['Customer, Vendor, or Chart of Accounts list', 'Customers, Vendors, or Chart of accounts'],
    needs: ['customers', 'vendors', 'accounts'],
    accepted: 'while-same',
    about: 'account',
  },
  'incomplete-1099': {
    group: 'Lists',
    title: '1099 vendors with missing details',
    why: 'A 1099 can’t be filed without an address (a street or box, and a city or ZIP code) and a tax ID.',
    where: ['Vendors › Vendor Center', 'Expenses › Vendors'],
    needs: ['vendors'],
    accepted: 'while-same',
    about: 'vendor',
  },
  malformed: {
    group: 'Lists',
    title: 'Invalid emails and phones',
    why: 'Statements and invoices won’t arrive.',
    where: ['Customers › Customer Center', 'Sales › Customers'],
    needs: ['customers', 'vendors'],
    accepted: 'while-same',
    about: 'customer',
  },
} as const satisfies Readonly<Record<string, RuleText>>

export type RuleId = keyof typeof RULES
export const RULE_IDS = Object.keys(RULES) as readonly RuleId[]
