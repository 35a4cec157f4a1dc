// What the makers of a company's books share.
import { type Day } from '../time.ts'
import { type CompanyLists } from '../records/lists.ts'
import { type Profile } from '../profiles/profile.ts'
import { type Random } from '../random.ts'
import { type Ledger } from './ledger.ts'

/** Where entries go and what they are made from. */
export interface BooksSource {
  readonly seed: string
  readonly profile: Profile
  readonly lists: CompanyLists
  readonly ledger: Ledger
  readonly random: Random
  /** The first day of the books, and the last: nothing is dated after it. */
  readonly start: Day
  readonly today: Day
  /** How many times the usual number of invoices, bills and charges. */
  readonly volume: number
}

/** A choice among things that carry a weight. */
export function weighted<T extends { readonly weight: number }>(random: Random, choices: readonly T[]): T {
  let rest = random.unit() * choices.reduce((sum, choice) => sum + choice.weight, 0)
  for (const choice of choices) {
    rest -= choice.weight
    if (rest < 0) return choice
  }
  return random.pick(choices)
}
