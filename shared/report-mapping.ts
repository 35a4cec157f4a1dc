/** The same report under another application's name, for reports of several companies. Pure. */
import { reportNames } from './reports.ts'

/**
 * *Assumption* (decisions.md, "the same report under two names"): these names mean the same in different applications.
 */
const SAME: readonly (readonly string[])[] = [
  ['ARAgingDetail', 'AgedReceivables'],
  ['VendorExpenseSummary', 'VendorExpenses'],
  ['PandLBalanceSheet', 'PLandBalanceSheet'],
]

/** What an application has for a report: itself, the same under another name, or nothing. */
export type Offered =
  | { readonly offer: 'same'; readonly name: string }
  | { readonly offer: 'mapped'; readonly name: string }
  | { readonly offer: 'none' }

const LISTED = new Set([...reportNames('qbd'), ...reportNames('qbo')])

/** A name that no list has may still be one that the service knows: it is asked for as it is. */
export function offeredReport(application: string, name: string): Offered {
  const names = reportNames(application)
  if (names.includes(name) || !LISTED.has(name)) return { offer: 'same', name }
  const same = SAME.find((each) => each.includes(name))?.find((each) => names.includes(each))
  return same === undefined ? { offer: 'none' } : { offer: 'mapped', name: same }
}
