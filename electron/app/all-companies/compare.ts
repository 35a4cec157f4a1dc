/** Compares records of one list across companies: those with a given name or value, or those that a search finds. */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import {
  type ComparedCompany,
  type ComparedRecord,
  type RecordCriteria,
} from '../../../shared/contract/all-companies.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { compareNaturally } from '../../../shared/format/text.ts'
import {
  type EditValue,
  isInactive,
  pathOf,
  pathType,
  type RecordData,
  textOf,
  topField,
  unnamedId,
} from '../../../shared/records/changes.ts'
import { referenceList } from '../../../shared/records/definition.ts'
import { editability } from '../../../shared/records/fields.ts'
import { typedNameKey } from '../../../shared/records/names.ts'
import { findQuery } from '../../../shared/records/search-text.ts'
import { valueKey } from '../../../shared/records/value-text.ts'
import { ok, type Result } from '../../../shared/result.ts'
import { MAX_CHANGED } from '../../../shared/runs.ts'
import type { Rows } from '../../rows/rows.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { DraftState, DraftStore } from '../../store/drafts.ts'
import { companyRefusal } from '../../writing/context.ts'
import type { Companies } from '../companies/companies.ts'
import type { KeptBook, KeptBooks } from './kept-books.ts'

export interface CompareOptions {
  readonly books: Pick<KeptBooks, 'prepared' | 'withList'>
  /** The rows worker of the kept lists. */
  readonly rows: Pick<Rows, 'findInIndex' | 'namedInIndex'>
  readonly companies: Pick<Companies, 'facts'>
  readonly store: {
    readonly companies: Pick<CompanyStore, 'list'>
    readonly drafts: Pick<DraftStore, 'list'>
  }
}

/** How many values to offer. No one reads through more. */
const MAX_VALUES = 500

const SHARED_ID = 'Several records have this ID, so they can’t be told apart.'
export const HAS_DRAFT = 'It has changes that aren’t sent yet. Send or discard them first.'

export class ListComparer {
  readonly #options: CompareOptions

  constructor(options: CompareOptions) {
    this.#options = options
  }

  /**
   * The matching records of a list, by company. Companies in which nothing can be changed use only the space that the
   * others leave. `notKept`: companies whose lists aren’t kept.
   * @param last as in `multiCompanyChanges.compare`
   */
  async compare(
    connectionId: string,
    object: string,
    criteria: RecordCriteria,
    last: readonly string[] = [],
  ): Promise<
    Result<{ readonly companies: readonly ComparedCompany[]; readonly notKept: readonly CompanyRef[] }>
  > {
    const { open, byList } = await this.#openCompanies(connectionId)
    const listed = open
      .filter(({ keepsLists }) => keepsLists)
      .map(({ ref }) => {
        const book = byList.get(companyKey(ref, object)) ?? null
        const blockedReason = companyRefusal(this.#options.companies.facts(ref))?.message ?? ''
        const isLast = blockedReason !== '' || last.includes(ref.endpointId) || lacksField(book, criteria)
        return { ref, book, blockedReason, isLast }
      })
    const compared = new Map<string, ComparedCompany>()
    let left = MAX_CHANGED
    for (const { ref, book, blockedReason } of listed.toSorted(
      (one, other) => Number(one.isLast) - Number(other.isLast),
    )) {
      const nothing = { company: ref, readAt: null, records: [], total: 0, isMore: false, supported: null }
      if (book === null) {
        compared.set(ref.endpointId, { ...nothing, blockedReason })
        continue
      }
      const { readAt, supported } = book
      const hasDraft = draftedRecords(this.#options.store.drafts.list(ref, book.object))
      const found = await this.#foundIn(book, criteria, left, hasDraft)
      if (!found.ok) return found
      const { ids, cut, isMore, matches } = found.value
      const read =
        ids.length === 0
          ? null
          : await this.#options.books.withList(ref, book.object, ({ records }) => records(ids))
      const named = await this.#withNames(book, read ?? [])
      const records = comparedRecords(named, hasDraft, matches)
      left = Math.max(0, left - records.length)
      const total = records.length + cut
      compared.set(ref.endpointId, { ...nothing, readAt, records, total, isMore, supported, blockedReason })
    }
    return ok({
      companies: listed.flatMap(({ ref }) => compared.get(ref.endpointId) ?? []),
      notKept: open.filter(({ keepsLists }) => !keepsLists).map(({ ref }) => ref),
    })
  }

  /** The paths of a list's fields, in all companies that keep it. */
  async fields(connectionId: string, object: string): Promise<readonly string[]> {
    const { open, byList } = await this.#openCompanies(connectionId)
    const supported = open.flatMap(({ ref }) => byList.get(companyKey(ref, object))?.supported ?? [])
    return [...new Set(supported)]
  }

  /** The values in a field of a list in all companies. */
  async values(
    connectionId: string,
    object: string,
    path: string,
  ): Promise<CallOutput<'multiCompanyChanges.values'>> {
    const { open, byList } = await this.#openCompanies(connectionId)
    const type = pathType(object, path)
    const found = new Map<string, { value: EditValue; count: number; companies: number }>()
    for (const { ref } of open) {
      const book = byList.get(companyKey(ref, object))
      if (book === undefined) continue
      const here = new Set<string>()
      const nameOf = referenceNamer(this.#options.books, book)
      await this.#options.books.withList(ref, book.object, async ({ values }) => {
        for await (const slice of values(path)) {
          for (const { value: given, recordIds } of slice) {
            const value = await nameOf(path, given)
            if (value === null) continue
            const key = valueKey(type, value)
            const known = found.get(key) ?? { value, count: 0, companies: 0 }
            known.count += recordIds.length
            if (!here.has(key)) known.companies += 1
            here.add(key)
            found.set(key, known)
          }
        }
      })
    }
    const all = [...found.values()].toSorted((left, right) => right.count - left.count)
    return { values: all.slice(0, MAX_VALUES), isMore: all.length > MAX_VALUES }
  }

  async #openCompanies(
    connectionId: string,
  ): Promise<{ readonly open: readonly StoredCompany[]; readonly byList: ReadonlyMap<string, KeptBook> }> {
    const kept = await this.#options.books.prepared(connectionId)
    const open = this.#options.store.companies
      .list(connectionId)
      .filter(({ isActive, isListed }) => isActive && isListed)
      .toSorted((left, right) => displayName(left).localeCompare(displayName(right)))
    return { open, byList: new Map(kept.map((book) => [companyKey(book.company, book.object), book])) }
  }

  /** The IDs of a company's records that are compared. */
  async #foundIn(
    book: KeptBook,
    criteria: RecordCriteria,
    most: number,
    hasDraft: ReadonlySet<string>,
  ): Promise<Result<FoundIds>> {
    const { rows } = this.#options
    if (criteria.by === 'value') {
      const ids = await this.#withValue(book, criteria, hasDraft)
      return ok({ ...firstOf(ids, most), isMore: false })
    }
    const { indexId } = book
    if (indexId === null) {
      // The list is too large to search, but a name can still be looked up.
      const ids = criteria.by === 'name' ? await this.#withName(book, criteria.text) : []
      return ok({ ...firstOf(ids, most), isMore: criteria.by === 'text' })
    }
    const found =
      criteria.by === 'name'
        ? await rows.namedInIndex(indexId, criteria.text, most)
        : await rows.findInIndex(indexId, findQuery(criteria.text), most)
    if (!found.ok) return found
    return ok({
      ids: found.value.found.map(({ recordId }) => recordId).filter((id) => id !== ''),
      matches: new Map(
        found.value.found
          .filter(({ value, name }) => criteria.by === 'text' && value !== '' && value !== name)
          .map(({ recordId, path, value }) => [recordId, { path, value }]),
      ),
      cut: found.value.total - found.value.found.length,
      isMore: found.value.isMore,
    })
  }

  async #withName(book: KeptBook, name: string): Promise<readonly string[]> {
    const [ids, wanted] = [new Set<string>(), typedNameKey(name)]
    await this.#options.books.withList(book.company, book.object, async ({ values }) => {
      for (const path of ['FullName', 'Name']) {
        for await (const slice of values(path)) {
          for (const { value, recordIds } of slice)
            if (typedNameKey(textOf(value)) === wanted) for (const id of recordIds) if (id !== '') ids.add(id)
        }
      }
    })
    return [...ids]
  }

  /** Adds names to the records' references where the company's own lists have them. */
  async #withNames(book: KeptBook, records: readonly RecordData[]): Promise<readonly RecordData[]> {
    const nameOf = referenceNamer(this.#options.books, book)
    const named: RecordData[] = []
    for (const record of records) {
      let next = record
      for (const [field, held] of Object.entries(record)) {
        const id = unnamedId(held)
        if (id === null) continue
        const value = await nameOf(pathOf(field), { ID: id, FullName: '' })
        if (value !== null && typeof value !== 'string')
          next = { ...next, [field]: { ID: id, FullName: value.FullName } }
      }
      named.push(next)
    }
    return named
  }

  /** Leaves out records that have a draft. They can't be changed, and would use up the limit. */
  async #withValue(
    book: KeptBook,
    { path, value }: { readonly path: string; readonly value: EditValue },
    hasDraft: ReadonlySet<string>,
  ): Promise<readonly string[]> {
    const ids = new Set<string>()
    const type = pathType(book.object, path)
    const wanted = valueKey(type, value)
    const nameOf = referenceNamer(this.#options.books, book)
    await this.#options.books.withList(book.company, book.object, async ({ values }) => {
      for await (const slice of values(path)) {
        for (const each of slice) {
          const own = await nameOf(path, each.value)
          if (own === null || valueKey(type, own) !== wanted) continue
          for (const id of each.recordIds) if (id !== '' && !hasDraft.has(id)) ids.add(id)
        }
      }
    })
    return [...ids]
  }
}

/**
 * Returns a function that names references with only an ID, from the company's own list: by the full name, if there is
 * one. An ID means nothing in another company, so a reference that can't be named becomes `null`.
 */
export function referenceNamer(
  books: Pick<KeptBooks, 'withList'>,
  { company, object }: Pick<KeptBook, 'company' | 'object'>,
): (path: string, value: EditValue) => Promise<EditValue | null> {
  const names = new Map<string, Promise<ReadonlyMap<string, string>>>()
  const read = async (list: string): Promise<ReadonlyMap<string, string>> => {
    const found = new Map<string, string>()
    await books.withList(company, list, async ({ values }) => {
      for (const field of ['Name', 'FullName']) {
        for await (const slice of values(field)) {
          for (const { value, recordIds } of slice)
            if (textOf(value) !== '') for (const id of recordIds) found.set(id, textOf(value))
        }
      }
    })
    return found
  }
  return async (path, value) => {
    if (typeof value === 'string' || value.FullName !== '' || value.ID === '') return value
    const list = referenceList(object, topField(path))
    const ofList = names.get(list) ?? read(list)
    names.set(list, ofList)
    const name = (await ofList).get(value.ID) ?? ''
    return name === '' ? null : { ID: '', FullName: name }
  }
}

/** The records that are compared. */
interface FoundIds {
  readonly ids: readonly string[]
  /** How many more records match but don't fit. */
  readonly cut: number
  /** As in `ComparedCompany`. */
  readonly isMore: boolean
  /** What a search found, by record ID, unless it is the name. */
  readonly matches?: ReadonlyMap<string, NonNullable<ComparedRecord['matched']>>
}

function firstOf(ids: readonly string[], most: number): Pick<FoundIds, 'ids' | 'cut'> {
  return { ids: ids.slice(0, most), cut: Math.max(0, ids.length - most) }
}

/** Whether records are compared by a field that the application doesn't support. */
function lacksField(book: KeptBook | null, criteria: RecordCriteria): boolean {
  if (criteria.by !== 'value' || !book?.supported) return false
  return !editability(book.object, criteria.path, new Set(book.supported), 'existing').editable
}

/** The IDs of records that have a draft. */
export function draftedRecords(drafts: readonly Pick<DraftState, 'recordId'>[]): ReadonlySet<string> {
  return new Set(drafts.map(({ recordId }) => recordId))
}

/** The compared records, sorted by name, each with why it was found and why it can't be changed. */
export function comparedRecords(
  found: readonly RecordData[],
  hasDraft: ReadonlySet<string>,
  matches?: FoundIds['matches'],
): readonly ComparedRecord[] {
  const byId = Map.groupBy(found, (record) => textOf(record['ID']))
  const compared = [...byId].flatMap(([recordId, [record, ...twins]]): ComparedRecord[] => {
    if (record === undefined) return []
    const blockedReason = twins.length > 0 ? SHARED_ID : hasDraft.has(recordId) ? HAS_DRAFT : ''
    const isActive = !isInactive(record)
    const matched = matches?.get(recordId) ?? null
    return [{ recordId, name: nameOf(record), isActive, record, matched, blockedReason }]
  })
  return compared.toSorted((one, other) => compareNaturally(one.name, other.name))
}

function nameOf(record: RecordData): string {
  return textOf(record['FullName']) || textOf(record['Name']) || textOf(record['ID'])
}
