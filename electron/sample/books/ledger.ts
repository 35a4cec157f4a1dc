/**
 * The ledger of a company: double-entry transactions in whole cents. All reports and balances are sums of these entries,
 * so they always agree.
 */
import { type Cents, partOf } from '../cents.ts'
import { type PlantedFaults } from '../profiles/faults.ts'
import { type Profile } from '../profiles/profile.ts'
import { type Random } from '../random.ts'
import { type ObjectName } from '../records/definition.ts'
import { type CompanyLists } from '../records/lists.ts'
import { type Day } from '../time.ts'

/** The type of a transaction, as in a report's Type column. */
type TransactionType =
  | 'Invoice'
  | 'Payment'
  | 'Credit Memo'
  | 'Bill'
  | 'Bill Payment'
  | 'Check'
  | 'Credit Card Charge'
  | 'Paycheck'
  | 'Liability Check'
  | 'Sales Tax Payment'
  | 'Transfer'
  | 'Deposit'
  | 'General Journal'

/** The customer, vendor, or employee of a transaction. */
export interface Party {
  readonly object: Extract<ObjectName, 'customer' | 'vendor' | 'employee'>
  readonly id: string
}

/** One line of an entry. Debits are positive, credits negative. */
export interface Posting {
  readonly transaction: Transaction
  readonly accountId: string
  readonly cents: Cents
  readonly memo: string
}

/** One payroll item of a paycheck. */
export interface PayItem {
  readonly item: string
  readonly base: Cents
  readonly cents: Cents
}

/** An entry whose postings add up to zero. It has one class, so that the books balance by class, too. */
export interface Transaction {
  readonly sequence: number
  readonly type: TransactionType
  readonly day: Day
  readonly number: string
  readonly party: Party | undefined
  readonly memo: string
  /** Empty if the entry has no class. */
  readonly classId: string
  readonly dueDay: Day | undefined
  readonly termsId: string
  /** The invoice or bill that this pays. */
  readonly settles: Transaction | undefined
  readonly payItems: readonly PayItem[]
  readonly enteredBy: string
  /** When it was entered, such as `2026-01-31T09:14:05`; empty for some time on the day of the entry itself. */
  readonly enteredAt: string
  readonly postings: readonly Posting[]
}

/** The input of {@link Ledger.post}. */
interface Entry {
  readonly type: TransactionType
  readonly day: Day
  readonly number?: string
  readonly party?: Party
  readonly memo?: string
  readonly classId?: string
  readonly dueDay?: Day
  readonly termsId?: string
  readonly settles?: Transaction
  readonly payItems?: readonly PayItem[]
  readonly enteredBy?: string
  readonly enteredAt?: string
  /** Account ID, cents (debits are positive), and optionally a memo. Lines of zero are left out. */
  readonly lines: readonly (readonly [accountId: string, cents: Cents, memo?: string])[]
}

/** The entries of a company. */
export interface Ledger {
  post(entry: Entry): Transaction
  /** Sorted by day. Entries of one day are in the order in which they were posted. */
  transactions(): readonly Transaction[]
  /** Grows with each entry, so that cached sums can be checked. */
  readonly version: number
}

/** Creates an empty ledger. `post` throws if an entry doesn't balance, which would be a defect of the sample. */
export function createLedger(): Ledger {
  let transactions: Transaction[] = []
  let sorted = true
  let version = 0
  return {
    post: (entry) => {
      const postings: Posting[] = []
      const transaction: Transaction = {
        sequence: ++version,
        type: entry.type,
        day: entry.day,
        number: entry.number ?? '',
        party: entry.party,
        memo: entry.memo ?? '',
        classId: entry.classId ?? '',
        dueDay: entry.dueDay,
        termsId: entry.termsId ?? '',
        settles: entry.settles,
        payItems: entry.payItems ?? [],
        enteredBy: entry.enteredBy ?? 'Admin',
        enteredAt: entry.enteredAt ?? '',
        postings,
      }
      let sum = 0
      for (const [accountId, cents, memo] of entry.lines) {
        if (!Number.isSafeInteger(cents)) throw new RangeError('An entry must be in whole cents')
        sum += cents
        if (cents !== 0) postings.push({ transaction, accountId, cents, memo: memo ?? entry.memo ?? '' })
      }
      if (sum !== 0)
        throw new RangeError(`An entry of type ${entry.type} is out of balance by ${String(sum)} cents`)
      transactions.push(transaction)
      sorted = false
      return transaction
    },
    transactions: () => {
      if (!sorted) {
        transactions = transactions.toSorted((a, b) => a.day - b.day || a.sequence - b.sequence)
        sorted = true
      }
      return transactions
    },
    get version() {
      return version
    },
  }
}

// Balances of accounts and customers, cached until the next entry.

/** Account types that usually have a debit balance. */
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
  /** The balance of an account. Debits are positive. */
  account(id: string): Cents
  /** What a customer owes. */
  customer(id: string): Cents
}

/** 1 if debits increase the account, -1 if credits do. */
export function naturalSign(accountType: string): 1 | -1 {
  return DEBIT_TYPES.has(accountType) ? 1 : -1
}

/** Whether accounts of a type start each fiscal year at zero. */
export function isProfitAndLoss(accountType: string): boolean {
  return PROFIT_AND_LOSS_TYPES.has(accountType)
}

/** Creates the balances of a ledger. `receivableId` is the account of what customers owe. */
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

// Shared by the generators of a company's books.

/** The ledger to post to, and the data that entries are generated from. */
export interface BooksSource {
  readonly seed: string
  readonly profile: Profile
  readonly lists: CompanyLists
  readonly ledger: Ledger
  readonly random: Random
  readonly faults: PlantedFaults
  /** The first and the last day of the books. */
  readonly start: Day
  readonly today: Day
  /** How many times the usual number of invoices, bills, and charges. */
  readonly volume: number
}

/** Something that is bought or sold: its price range, and how often it is chosen. */
interface Kind {
  readonly low: Cents
  readonly high: Cents
  readonly weight: number
}

/** How far a month's total of one kind may be from its usual amount. */
const MONTHLY_NOISE = 0.025

/**
 * Makes a month's lines of sales or purchases. Single amounts differ widely, but each kind occurs every month, and
 * its total stays close to the usual one, so that a review finds nothing unusual in the books.
 * @param count how many lines of all kinds a month has at the usual volume
 */
export function monthlyLines<K extends Kind>(
  { random, volume }: BooksSource,
  kinds: readonly K[],
  count: number,
  growth = 1,
): { readonly kind: K; readonly cents: Cents }[] {
  const weights = kinds.reduce((sum, { weight }) => sum + weight, 0)
  return kinds.flatMap((kind) => {
    const usual = Math.max((volume * count * kind.weight) / weights, 1)
    const prices = Array.from({ length: Math.max(1, Math.round(usual * (0.9 + 0.2 * random.unit()))) }, () =>
      random.whole(kind.low, kind.high),
    )
    const noise = 1 + MONTHLY_NOISE * (2 * random.unit() - 1)
    const total = usual * ((kind.low + kind.high) / 2) * growth * noise
    const scale = total / prices.reduce((sum, cents) => sum + cents, 0)
    // No amount occurs twice in a month: it would look like an entry made twice.
    const taken = new Set<Cents>()
    return prices.map((price) => {
      let cents = Math.max(partOf(price, scale), 1)
      while (taken.has(cents)) cents++
      taken.add(cents)
      return { kind, cents }
    })
  })
}

/** The items in random order. */
export function shuffled<T>(random: Random, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, place: random.unit() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
}
