/** **Find anywhere**: searches the kept lists of a connection, and says which lists are kept. */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CoveredList, FoundList, ListPosition } from '../../../shared/contract/all-companies.ts'
import { OBJECT_DEFINITIONS } from '../../../shared/records/definition.ts'
import { findQuery } from '../../../shared/records/search-text.ts'
import { ok } from '../../../shared/result.ts'
import type { Clock } from '../../clock.ts'
import type { Rows } from '../../rows/rows.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { HandlersOf } from '../calls.ts'
import type { SettingsStore } from '../ports.ts'
import type { BackgroundReader } from './background-reading.ts'
import { type KeptBook, type KeptBooks } from './kept-books.ts'

export interface FindOptions {
  readonly books: KeptBooks
  /** The rows worker of the kept lists. */
  readonly rows: Pick<Rows, 'findInIndex'>
  readonly reader: BackgroundReader
  readonly companies: Pick<CompanyStore, 'list'>
  readonly settings: Pick<SettingsStore, 'get'>
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
}

/** Milliseconds after which a search returns what it has found so far. */
const MOMENT = 40
/** How many records of each list are shown. */
const MAX_HITS = 20
/** Milliseconds after a complete read until a list counts as old: a week. */
const OLD = 7 * 86_400_000

type FindHandlers = Pick<
  HandlersOf<'allCompanies'>,
  'allCompanies.find' | 'allCompanies.coverage' | 'allCompanies.read' | 'allCompanies.stopReading'
>

export function createFind(options: FindOptions): FindHandlers {
  const { books, rows, reader, companies, clock } = options

  return {
    'allCompanies.find': async ({ connectionId, text, after }) => {
      const prepared = await books.prepare(connectionId)
      const searched = inOrder(companies, connectionId, prepared.books).flatMap(({ book, position }) =>
        book.indexId === null ? [] : [{ ...book, indexId: book.indexId, position }],
      )
      const query = findQuery(text)
      const left = query.spellings.length === 0 ? [] : searched.filter((list) => isAfter(list, after))
      const lists: FoundList[] = []
      const startedAt = clock.elapsed()
      let { waiting } = prepared
      let next: ListPosition | null = null
      for (const [at, { indexId, company, object, position }] of left.entries()) {
        if (at > 0 && clock.elapsed() - startedAt > MOMENT) break
        next = at + 1 < left.length ? position : null
        for (let current: string | null = indexId; current !== null;) {
          const response = await rows.findInIndex(current, query, MAX_HITS)
          if (response.ok) {
            const { total, isMore, found: hits } = response.value
            if (total > 0) lists.push({ company, object, total, isMore, hits })
            break
          }
          // The list may have been read again or turned off during the search.
          const now = await books.prepare(connectionId)
          const key = companyKey(company, object)
          const replaced =
            now.books.find((book) => companyKey(book.company, book.object) === key)?.indexId ?? null
          // The worker crashed, so all indexes have to be built again.
          if (replaced === current) {
            books.forgetAll()
            return response
          }
          waiting = now.waiting
          current = replaced
        }
      }
      const records = searched.reduce((sum, { count }) => sum + count, 0)
      return ok({ lists, next, records, waiting })
    },

    'allCompanies.coverage': async ({ connectionId }) => {
      const { books: kept, waiting } = await books.prepare(connectionId)
      const known = companies.list(connectionId)
      const isKeeping = options.settings.get().keepLists
      const byList = new Map(kept.map((book) => [companyKey(book.company, book.object), book]))
      const open = known.filter((company) => company.isListed && company.isActive)
      const wanted = open.filter(({ keepsLists }) => keepsLists).flatMap(listsOf(open, kept))
      // While indexes are being built, it isn't known which lists are missing.
      const missing =
        waiting > 0 ? [] : wanted.filter((list) => !byList.has(companyKey(list.company, list.object)))
      return ok({
        lists: [
          ...inOrder(companies, connectionId, kept).map(({ book }): CoveredList => {
            const { company, object, readAt, wholeAt, count, indexId } = book
            // Only reading the whole list shows which records were deleted.
            const isOld = clock.now() - Date.parse(wholeAt) > OLD
            return {
              company,
              object,
              readAt,
              wholeAt,
              count,
              coverage: indexId === null ? 'too-large' : isOld ? 'old' : 'kept',
            }
          }),
          ...missing.map((list): CoveredList => ({
            ...list,
            coverage: 'not-kept',
            readAt: null,
            wholeAt: null,
            count: 0,
          })),
        ],
        notKept: open.filter(({ keepsLists }) => !keepsLists).map(({ ref }) => ref),
        isKeeping,
        reading: reader.state(connectionId),
      })
    },

    'allCompanies.read': ({ connectionId, lists }) => {
      reader.read(
        connectionId,
        lists.map(({ endpointId, object }) => ({ company: { connectionId, endpointId }, object })),
      )
      return ok({})
    },

    'allCompanies.stopReading': ({ connectionId }) => {
      reader.stop(connectionId)
      return ok({})
    },
  }
}

/** A kept list with its place in the order. */
interface OrderedBook {
  readonly book: KeptBook
  readonly position: ListPosition
}

/**
 * Sorts by company name, then by list, so that every search has the same order. Omits companies that are de-provisioned
 * or no longer listed: their lists can't be read again.
 */
export function inOrder(
  companies: Pick<CompanyStore, 'list'>,
  connectionId: string,
  books: readonly KeptBook[],
): readonly OrderedBook[] {
  const names = new Map(
    companies
      .list(connectionId)
      .filter(({ isActive, isListed }) => isActive && isListed)
      .map((company) => [company.ref.endpointId, displayName(company)]),
  )
  return books
    .flatMap((book) => {
      const { endpointId } = book.company
      const companyName = names.get(endpointId)
      return companyName === undefined
        ? []
        : [{ book, position: { companyName, endpointId, object: book.object } }]
    })
    .toSorted((left, right) => comparePositions(left.position, right.position))
}

/**
 * Whether a list comes after this position, or there is none. The list at that position may have been deleted since.
 */
export function isAfter({ position }: Pick<OrderedBook, 'position'>, after: ListPosition | null): boolean {
  return after === null || comparePositions(position, after) > 0
}

function comparePositions(left: ListPosition, right: ListPosition): number {
  return (
    left.companyName.localeCompare(right.companyName) ||
    left.endpointId.localeCompare(right.endpointId) ||
    placeOf(left.object) - placeOf(right.object) ||
    left.object.localeCompare(right.object)
  )
}

/**
 * The lists a company has: those that every company has, and those kept for another company with the same application.
 */
function listsOf(
  companies: readonly StoredCompany[],
  kept: readonly KeptBook[],
): (company: StoredCompany) => readonly Pick<CoveredList, 'company' | 'object'>[] {
  const applications = new Map(companies.map(({ ref, application }) => [companyKey(ref), application]))
  const byApplication = Map.groupBy(kept, ({ company }) => applications.get(companyKey(company)))
  return ({ ref, application }) => {
    const objects = [...OBJECT_DEFINITIONS, ...(byApplication.get(application) ?? [])]
    return [...new Set(objects.map(({ object }) => object))].map((object) => ({ company: ref, object }))
  }
}

/** Customers come first, as everywhere. Lists without a definition come last. */
function placeOf(object: string): number {
  const place = OBJECT_DEFINITIONS.findIndex((each) => each.object.toLowerCase() === object.toLowerCase())
  return place < 0 ? OBJECT_DEFINITIONS.length : place
}
