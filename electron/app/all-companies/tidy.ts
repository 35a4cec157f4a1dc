/**
 * **Tidy up**: the proposals for the kept lists of a connection, the drafts of checked proposals, and dismissed ones.
 */
import type { ListToTidy } from '../../../shared/contract/tidy.ts'
import { dismissedBy, keyWithoutFacts, type Proposal, type TidiedList } from '../../../shared/records/tidy.ts'
import { ok } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import type { StoredDecision } from '../../store/months.ts'
import type { Store } from '../../store/store.ts'
import { companyRefusal } from '../../writing/context.ts'
import type { HandlersOf } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import { HAS_DRAFT } from './compare.ts'
import { inOrder, isAfter } from './find.ts'
import type { KeptBook, KeptBooks } from './kept-books.ts'
import type { MultiCompanyChanges } from './multi-company-changes.ts'

export interface TidyOptions {
  readonly books: Pick<KeptBooks, 'prepare' | 'withList'>
  /** The rows worker of the kept lists. */
  readonly rows: Pick<Rows, 'tidy'>
  readonly companies: Pick<Companies, 'facts'>
  readonly store: Pick<Store, 'companies' | 'drafts' | 'months'>
  /** The name of the user who decides. */
  readonly signedAs: () => string
  readonly draftEdits: MultiCompanyChanges['draftEdits']
  readonly timestamp: () => string
}

/** The lists that are checked. */
const TIDY_LISTS = ['customer', 'vendor', 'account']
/** How many records are checked before the worker handles other requests. */
const SLICE = 1_000

export function createTidy(options: TidyOptions): HandlersOf<'tidy'> {
  const { books, rows, companies, store } = options
  /** Valid until the list is read again or one of its records is saved, which creates another book. */
  const known = new WeakMap<KeptBook, { readonly found: TidiedList; readonly done: string }>()

  const proposalsOf = async (book: KeptBook): Promise<TidiedList | null> => {
    const dismissed = neverKeys(store.months.decisions(book.company))
    const drafted = store.drafts.list(book.company, book.object).map(({ recordId }) => recordId)
    const done = JSON.stringify([dismissed, drafted])
    const before = known.get(book)
    // Proposals that were dismissed or drafted meanwhile make room for others.
    if (before !== undefined && (before.found.more.length === 0 || before.done === done)) return before.found
    const found = await books.withList(book.company, book.object, async ({ meta, setId }) => {
      const how = {
        object: book.object,
        supported: meta.supported,
        now: options.timestamp(),
        dismissed,
        drafted,
      }
      for (;;) {
        const response = await rows.tidy(setId, how, SLICE)
        if (!response.ok) return null
        if (response.value !== null) return response.value
      }
    })
    if (found !== null) known.set(book, { found, done })
    return found
  }

  const listed = (book: KeptBook, { proposals, more, notChecked }: TidiedList): ListToTidy => {
    const { company, object, readAt, count } = book
    const isOff = dismissedBy(neverKeys(store.months.decisions(company)))
    const drafted = new Set(store.drafts.list(company, object).map(({ recordId }) => recordId))
    return {
      company,
      object,
      readAt,
      count,
      blockedReason: companyRefusal(companies.facts(company))?.message ?? '',
      proposals: proposals.map((proposal) => ({
        ...withDrafts(proposal, drafted),
        isDismissed: isOff(proposal),
      })),
      more,
      notChecked,
    }
  }

  return {
    'tidy.proposals': async ({ connectionId, after }) => {
      const prepared = await books.prepare(connectionId)
      const [first, ...others] = inOrder(store.companies, connectionId, prepared.books).filter(
        (list) => TIDY_LISTS.includes(list.book.object.toLowerCase()) && isAfter(list, after),
      )
      if (first === undefined) return ok({ lists: [], next: null, waiting: prepared.waiting })
      const { book, position } = first
      const found = await proposalsOf(book)
      const next = others.length > 0 ? position : null
      return ok({ lists: found === null ? [] : [listed(book, found)], next, waiting: prepared.waiting })
    },

    'tidy.draft': ({ connectionId, object, picks }) =>
      options.draftEdits(
        connectionId,
        object,
        picks.map(({ endpointId, records }) => ({ company: { connectionId, endpointId }, records })),
      ),

    'tidy.dismiss': ({ company, key, isDismissed: isOff }) => {
      const decided = {
        key,
        amount: '',
        kind: 'never',
        note: '',
        by: options.signedAs(),
        at: options.timestamp(),
        endedIn: [],
      } as const
      // The review of a month dismisses it whatever its values are.
      const undone = [decided, { ...decided, key: keyWithoutFacts(key) }]
      store.months.decide(company, isOff ? { decided: [decided] } : { undone })
      return ok({})
    },
  }
}

/** A record has at most one draft, so a record that has one gets no other. */
function withDrafts(proposal: Proposal, drafted: ReadonlySet<string>): Proposal {
  if (!proposal.records.some(({ recordId }) => drafted.has(recordId))) return proposal
  const records = proposal.records.map((record) =>
    drafted.has(record.recordId) ? { ...record, edits: [], blockedReason: [HAS_DRAFT] } : record,
  )
  return { ...proposal, records }
}

/** Keys of proposals that the user dismissed, in any list of a company. */
function neverKeys(decisions: readonly StoredDecision[]): readonly string[] {
  return decisions.filter(({ kind }) => kind === 'never').map(({ key }) => key)
}
