// What makes one kind of business different from another. The books are generated from these numbers.
import { type Cents } from '../cents.ts'

/** The account types, as in the field `Type`. */
type AccountType =
  | 'Bank'
  | 'AccountsReceivable'
  | 'OtherCurrentAsset'
  | 'FixedAsset'
  | 'AccountsPayable'
  | 'CreditCard'
  | 'OtherCurrentLiability'
  | 'LongTermLiability'
  | 'Equity'
  | 'Income'
  | 'CostOfGoodsSold'
  | 'Expense'
  | 'OtherIncome'
  | 'OtherExpense'

/** An account of the chart. The profile refers to it by its key, which is never on the wire. */
export interface ChartAccount {
  readonly key: string
  readonly number: string
  readonly name: string
  readonly type: AccountType
  readonly parent?: string
  readonly description?: string
}

/** Something that is sold: its income account, price range, and frequency. */
interface Sale {
  readonly account: string
  readonly memo: string
  readonly low: Cents
  readonly high: Cents
  readonly weight: number
  readonly taxable?: true
}

/** Something that is bought on a bill or card: its account, vendors, price range, and frequency. */
interface Purchase {
  readonly account: string
  readonly memo: string
  readonly vendors: readonly string[]
  readonly low: Cents
  readonly high: Cents
  readonly weight: number
}

/** Something that is paid by check on the same date each month. */
interface Standing {
  readonly account: string
  readonly vendor: string
  readonly memo: string
  readonly cents: Cents
  readonly date: number
  /** How much the amount varies from month to month, as a share of it. */
  readonly sway: number
}

/** Someone on the payroll. */
interface Job {
  readonly title: string
  readonly wages: string
  /** Gross pay of half a month. */
  readonly gross: Cents
  readonly hourly: boolean
}

/** A kind of business. */
export interface Profile {
  readonly chart: readonly ChartAccount[]
  readonly classes: readonly string[]
  readonly sales: readonly Sale[]
  readonly bills: readonly Purchase[]
  readonly card: readonly Purchase[]
  readonly standing: readonly Standing[]
  readonly jobs: readonly Job[]
  readonly otherVendors: readonly string[]
  /** Invoices, bills, and card charges of an average month. */
  readonly monthly: { readonly invoices: number; readonly bills: number; readonly charges: number }
  /** Seasonal factor of each month's invoices, January first; 1 is an average month. */
  readonly season: readonly number[]
  /** The share of customers that are businesses, and the order of customers and jobs in the list. */
  readonly businesses: number
  readonly pattern: readonly ('customer' | 'job' | 'phase')[]
  readonly jobNames: readonly string[]
  readonly opening: {
    readonly checking: Cents
    readonly savings: Cents
    readonly equipment: Cents
    readonly accumulated: Cents
    readonly loan: Cents
  }
  readonly depreciation: Cents
  readonly loanPayment: Cents
}

/** The accounts that every business has. Profiles add their own income, costs, and expenses. */
export const SHARED_CHART: readonly ChartAccount[] = [
  { key: 'checking', number: '1010', name: 'Checking', type: 'Bank', description: 'Operating account' },
  { key: 'savings', number: '1020', name: 'Savings', type: 'Bank', description: 'Reserve for taxes' },
  { key: 'receivable', number: '1200', name: 'Accounts Receivable', type: 'AccountsReceivable' },
  { key: 'prepaid', number: '1300', name: 'Prepaid Insurance', type: 'OtherCurrentAsset' },
  { key: 'fixed', number: '1500', name: 'Property and Equipment', type: 'FixedAsset' },
  { key: 'equipment', number: '1510', name: 'Equipment', type: 'FixedAsset', parent: 'fixed' },
  {
    key: 'accumulated',
    number: '1590',
    name: 'Accumulated Depreciation',
    type: 'FixedAsset',
    parent: 'fixed',
  },
  { key: 'payable', number: '2000', name: 'Accounts Payable', type: 'AccountsPayable' },
  { key: 'card', number: '2050', name: 'Company Credit Card', type: 'CreditCard' },
  {
    key: 'payrollLiabilities',
    number: '2100',
    name: 'Payroll Liabilities',
    type: 'OtherCurrentLiability',
  },
  {
    key: 'federalTax',
    number: '2110',
    name: 'Federal Payroll Taxes',
    type: 'OtherCurrentLiability',
    parent: 'payrollLiabilities',
  },
  {
    key: 'stateTax',
    number: '2120',
    name: 'State Payroll Taxes',
    type: 'OtherCurrentLiability',
    parent: 'payrollLiabilities',
  },
  { key: 'salesTax', number: '2200', name: 'Sales Tax Payable', type: 'OtherCurrentLiability' },
  { key: 'loan', number: '2500', name: 'Equipment Loan', type: 'LongTermLiability' },
  { key: 'openingEquity', number: '3000', name: 'Opening Balance Equity', type: 'Equity' },
  { key: 'capital', number: '3100', name: "Owner's Capital", type: 'Equity' },
  { key: 'draws', number: '3200', name: "Owner's Draws", type: 'Equity' },
  { key: 'retained', number: '3900', name: 'Retained Earnings', type: 'Equity' },
  { key: 'uncategorized', number: '4999', name: 'Uncategorized Income', type: 'Income' },
  { key: 'payroll', number: '6500', name: 'Payroll Expenses', type: 'Expense' },
  { key: 'payrollTaxes', number: '6590', name: 'Payroll Taxes', type: 'Expense', parent: 'payroll' },
  { key: 'insurance', number: '6200', name: 'Insurance', type: 'Expense' },
  {
    key: 'liabilityInsurance',
    number: '6210',
    name: 'General Liability',
    type: 'Expense',
    parent: 'insurance',
  },
  {
    key: 'workersInsurance',
    number: '6220',
    name: "Workers' Compensation",
    type: 'Expense',
    parent: 'insurance',
  },
  { key: 'depreciation', number: '6900', name: 'Depreciation', type: 'Expense' },
  { key: 'interestIncome', number: '7010', name: 'Interest Income', type: 'OtherIncome' },
  { key: 'interestExpense', number: '8010', name: 'Interest Expense', type: 'OtherExpense' },
  { key: 'undeposited', number: '1250', name: 'Undeposited Funds', type: 'OtherCurrentAsset' },
  { key: 'askAccountant', number: '6990', name: 'Ask My Accountant', type: 'Expense' },
]
