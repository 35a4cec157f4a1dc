/** ***Tidy up**: the kinds of proposals for the records of a list, most serious first. */
import type { Sentence } from '../format/format.ts'
import type { EditValue } from './changes.ts'

interface KindText {
  /** The heading of its proposals. */
  readonly title: string
  /** Why it matters, or how it is detected. */
  readonly why: string
  /** `wrong`: something gets lost or can't work. `check`: the user has to decide. `form`: only the form differs. */
  readonly weight: 'wrong' | 'check' | 'form'
}

export const TIDY_KINDS = {
  'inactive-balance': {
    title: 'Inactive with a balance',
    why: 'Inactive records are left out of lists and statements, and so is what they owe.',
    weight: 'wrong',
  },
  duplicate: {
    title: 'Likely duplicates',
    why: 'Balances and history are split between them. One stays. The others become inactive, with “(duplicate)” after their names.',
    weight: 'wrong',
  },
  malformed: {
    title: 'Invalid emails, phones, and ZIP codes',
    why: 'Statements and invoices won’t arrive. In a US list, a phone number or ZIP code with a digit missing or too many is invalid. Where only one correction is possible, it is proposed.',
    weight: 'wrong',
  },
  'incomplete-1099': {
    title: '1099 vendors with missing details',
    why: 'A 1099 can’t be filed without an address: a street or box, and a city or ZIP code. Tax IDs are checked if the list has them.',
    weight: 'wrong',
  },
  'no-invoice-address': {
    title: 'No address for an invoice',
    why: 'They owe something, and have neither a billing address nor an email address.',
    weight: 'wrong',
  },
  phone: {
    title: 'Phone number format',
    why: 'Ten-digit numbers get the format that most of the list has.',
    weight: 'form',
  },
  zip: {
    title: 'ZIP code format',
    why: 'Five digits, or nine with a hyphen.',
    weight: 'form',
  },
  state: {
    title: 'State format',
    why: 'Two letters or the full name, as most of the list has it.',
    weight: 'form',
  },
  blanks: {
    title: 'Extra spaces',
    why: 'Spaces at the beginning or end, and double spaces. Searches and matches miss these records.',
    weight: 'form',
  },
  casing: {
    title: 'Capitalization',
    why: 'Names in capitals or lowercase letters only, where most of the list is mixed.',
    weight: 'form',
  },
  unused: {
    title: 'Possibly unused',
    why: 'They owe nothing, and no one has changed them for three years. Invoices and payments are not in a list, so look before you make one inactive.',
    weight: 'check',
  },
} as const satisfies Readonly<Record<string, KindText>>

export type TidyKind = keyof typeof TIDY_KINDS
export const TIDY_KIND_IDS = Object.keys(TIDY_KINDS) as readonly TidyKind[]

/** What a proposal changes in a field. */
export interface ProposedEdit {
  readonly path: string
  readonly was: EditValue
  readonly now: EditValue
  /** As in `FieldEdit`: of an edit that is right only while the record has this balance. */
  readonly balance?: string | undefined
}

/** A record of a proposal. */
export interface ProposedRecord {
  readonly recordId: string
  readonly name: string
  /** The edits that checking it drafts; empty if only the user can know them. */
  readonly edits: readonly ProposedEdit[]
  /** Why it can't be checked; empty if it can. */
  readonly blockedReason: Sentence
  /** How duplicates differ. Empty for other kinds. */
  readonly facts: readonly { readonly path: string; readonly value: string }[]
}

export interface Proposal {
  readonly kind: TidyKind
  /**
   * Identifies the problem across readings, with hashes of the values it is about: *malformed|customers|c1#0f…*. Without
   * them, some are the key of a finding in a month's review.
   */
  readonly key: string
  readonly reason: Sentence
  /** The record; for duplicates, all of them, with the one to keep first. */
  readonly records: readonly ProposedRecord[]
}

/** The proposals for one list. */
export interface TidiedList {
  readonly proposals: readonly Proposal[]
  /** How many more there are of each kind. They follow once others are done. */
  readonly more: readonly { readonly kind: TidyKind; readonly count: number }[]
  /** Kinds that could not be checked because the list lacks the fields, or has them under other names. */
  readonly notChecked: readonly TidyKind[]
}

/** The hash of the values that a proposal is about, or of a duplicate's. */
const FACTS = /#[\da-f]{16}(?=,|$)/g

export function keyWithoutFacts(key: string): string {
  return key.replace(FACTS, '')
}

/**
 * Whether the user dismissed a proposal, here while its values were the same, or with **Never for this** in the review of a
 * month. Dismissing a group of duplicates covers each smaller group in it; a new record makes it a new group.
 */
export function dismissedBy(keys: readonly string[]): (proposal: Pick<Proposal, 'kind' | 'key'>) => boolean {
  const exact = new Set(keys)
  const groups = keys
    .filter((key) => key.startsWith('duplicates|'))
    .map((key) => ({ list: listOfKey(key), ids: new Set(idsOfKey(key)) }))
  return ({ kind, key }) => {
    if (exact.has(key) || exact.has(keyWithoutFacts(key))) return true
    if (kind !== 'duplicate' || groups.length === 0) return false
    const [list, ids] = [listOfKey(key), idsOfKey(key)]
    return groups.some(
      (group) =>
        group.list === list && ids.every((id) => group.ids.has(id) || group.ids.has(keyWithoutFacts(id))),
    )
  }
}

function listOfKey(key: string): string {
  return key.split('|', 2).join('|')
}

/** The record IDs in a group's key: *duplicates|customers|c1,c2*. */
function idsOfKey(key: string): readonly string[] {
  return key.split('|').slice(2).join('|').split(',')
}
