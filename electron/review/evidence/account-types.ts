/** What the type of an account says about its amounts. */

const TYPES = {
  debit: ['bank', 'accountsreceivable', 'othercurrentasset', 'fixedasset', 'otherasset'],
  credit: ['accountspayable', 'creditcard', 'othercurrentliability', 'longtermliability'],
  profitAndLoss: [
    ...['income', 'costofgoodssold', 'expense', 'otherincome', 'otherexpense'],
    // Other terms that services use for these.
    ...['revenue', 'cogs', 'depreciation', 'overhead', 'directcosts'],
  ],
  other: ['equity', 'nonposting'],
} as const

/** Compares an account's type, which services write with and without spaces. */
export function isType(type: string, ...names: readonly string[]): boolean {
  // *Accounts payable (A/P)*
  return names.includes(type.toLowerCase().replace(/\(.*\)|[^a-z]/g, ''))
}

/** Whether an account type is one of income or costs. */
export function isProfitAndLoss(type: string): boolean {
  return isType(type, ...TYPES.profitAndLoss)
}

/** Returns the normal side of an account type; `null` for types that may be on either side. */
export function sideOfType(type: string): 'debit' | 'credit' | null {
  if (isType(type, ...TYPES.debit)) return 'debit'
  return isType(type, ...TYPES.credit) ? 'credit' : null
}

export function isKnownType(type: string): boolean {
  return sideOfType(type) !== null || isProfitAndLoss(type) || isType(type, ...TYPES.other)
}
