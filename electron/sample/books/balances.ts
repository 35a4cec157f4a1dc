// What accounts and customers stand at, summed from the ledger and kept until the next entry.
import { type Cents } from '../cents.ts'
import { type Ledger } from './ledger.ts'

/** Account types whose balance is shown as a debit. */
const DEBIT_TYPES = new Set([
  'Bank',
  'AccountsReceivable',
  'OtherCurrentAsset',
  'FixedAsset',
  'OtherAsset',
  'CostOfGoodsSold',
  'Expense',
  'OtherExpense',
])
const PROFIT_AND_LOSS_TYPES = new Set(['Income', 'CostOfGoodsSold', 'Expense', 'OtherIncome', 'OtherExpense'])

/** Sums of the whole ledger. */
export interface Balances {
  /** Debit positive. */
  account(id: string): Cents
  /** What a customer owes: sums over the receivable account. */
  customer(id: string): Cents
}

/** 1 where a debit makes the account larger, -1 where a credit does. */
export function naturalSign(accountType: string): 1 | -1 {
  return DEBIT_TYPES.has(accountType) ? 1 : -1
}

/** True for accounts that start every fiscal year at nothing. */
export function isProfitAndLoss(accountType: string): boolean {
  return PROFIT_AND_LOSS_TYPES.has(accountType)
}

/** Balances over a ledger; `receivableId` names the account customers owe on. */
export function createBalances(ledger: Ledger, receivableId: string): Balances {
  let version = -1
  let accounts = new Map<string, Cents>()
  let customers = new Map<string, Cents>()
  const refresh = (): void => {
    if (version === ledger.version) return
    accounts = new Map()
    customers = new Map()
    for (const { party, postings } of ledger.transactions()) {
      for (const { accountId, cents } of postings) {
        accounts.set(accountId, (accounts.get(accountId) ?? 0) + cents)
        if (accountId === receivableId && party?.object === 'customer') {
          customers.set(party.id, (customers.get(party.id) ?? 0) + cents)
        }
      }
    }
    version = ledger.version
  }
  return {
    account: (id) => {
      refresh()
      return accounts.get(id) ?? 0
    },
    customer: (id) => {
      refresh()
      return customers.get(id) ?? 0
    },
  }
}
