/**
 * Compares the records of one list across companies, and plans the drafts that give one field of them the same value.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type ComparedCompany,
  type ComparedRecord,
  type ComparisonOf,
  type LeftOut,
  MAX_CHANGED,
  type SharedItem,
} from '../../../shared/contract/across.ts'
import {
  type EditValue,
  type RecordData,
  type Reference,
  pathType,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { listName, referenceList } from '../../../shared/records/definition.ts'
import { isDeactivation, isInactive } from '../../../shared/records/activity.ts'
import { joinAlternatives, naturalOrder } from '../../../shared/format/text.ts'
import { editability } from '../../../shared/records/fields.ts'
import { looseKey, nameKey, typedNameKey } from '../../../shared/records/names.ts'
import { findQuery } from '../../../shared/records/search-text.ts'
import { valueKey } from '../../../shared/records/value-text.ts'
import { type AppError, type Result, err, ok } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { DraftState, DraftStore } from '../../store/drafts.ts'
import { companyRefusal, draftRefusal } from '../../writing/records/payload.ts'
import type { Companies } from '../companies/companies.ts'
import type { GetSupportedFields } from '../records/records.ts'
import { type KeptBook, type KeptBooks } from './kept-books.ts'

export interface CompareOptions {
  readonly books: Pick<KeptBooks, 'prepared' | 'withList'>
  /** The rows worker of the kept lists. */
  readonly rows: Pick<Rows, 'findInIndex' | 'namedInIndex'>
  readonly companies: Pick<Companies, 'find' | 'facts'>
  readonly store: { readonly companies: Pick<CompanyStore, 'list'>; readonly drafts: DraftStore }
  readonly support: GetSupportedFields
  readonly newId: () => string
  readonly timestamp: () => string
}

/** The new value of a field. */
export interface PlannedEdit {
  readonly path: string
  /** The value that the record must have now; `null` if any will do. */
  readonly was: EditValue | null
  readonly now: EditValue
  /** As in `FieldEdit`. */
  readonly keeps?: Reference | undefined
}

/** Records of a company, each with its edits. */
export interface CompanyPick {
  readonly company: CompanyRef
  readonly records: readonly { readonly recordId: string; readonly edits: readonly PlannedEdit[] }[]
}

/** The drafts of these records, and the records that can't be changed. */
export interface PlannedDrafts {
  readonly companies: readonly {
    readonly company: StoredCompany
    readonly item: SharedItem
    readonly drafts: readonly DraftState[]
  }[]
  readonly leftOut: readonly LeftOut[]
}

export interface Compare {
  compare(
    connectionId: string,
    object: string,
    of: ComparisonOf,
  ): Promise<Result<{ readonly companies: readonly ComparedCompany[]; readonly off: readonly CompanyRef[] }>>
  /** The paths of a list's fields, in all companies that keep it. */
  fields(connectionId: string, object: string): Promise<readonly string[]>
  /** The values in a field of a list in all companies. */
  values(connectionId: string, object: string, path: string): Promise<CallOutput<'sharedChanges.values'>>
  /** Plans a draft for each record. Saves nothing. */
  plan(object: string, picks: readonly CompanyPick[]): Promise<PlannedDrafts>
}

/** Names that are offered in place of one that a list lacks. */
const MAX_ALIKE = 3
/** Values that are offered. No one reads through more. */
const MAX_VALUES = 500

const SHARED_ID = 'Several records have this ID, so they can’t be told apart.'
export const HAS_DRAFT = 'It has changes that aren’t sent yet. Send or discard them first.'
const NOT_THERE = 'It isn’t in the list anymore.'
const NOT_KEPT = 'Its list isn’t kept on this computer. Read it first.'
const SAME = 'It already has this value.'
const CHANGED = 'It has changed since you compared it.'
const ONE_NAME = 'Only one record in a company can have this name.'

export function createCompare(options: CompareOptions): Compare {
  const { books, rows, companies, store } = options

  const refusalOf = ({ ref }: StoredCompany): string => companyRefusal(companies.facts(ref))?.message ?? ''

  const drafted = (company: CompanyRef, object: string): ReadonlySet<string> =>
    new Set(store.drafts.list(company, object).map(({ recordId }) => recordId))

  const comparedRecords = (
    found: readonly RecordData[],
    hasDraft: ReadonlySet<string>,
  ): readonly ComparedRecord[] => {
    const byId = Map.groupBy(found, (record) => textOf(record['ID']))
    const compared = [...byId].flatMap(([recordId, [record, ...twins]]): ComparedRecord[] => {
      if (record === undefined) return []
      const blockedReason = twins.length > 0 ? SHARED_ID : hasDraft.has(recordId) ? HAS_DRAFT : ''
      const isActive = !isInactive(record)
      return [{ recordId, name: nameOf(record), isActive, record, blockedReason }]
    })
    return compared.toSorted((one, other) => naturalOrder.compare(one.name, other.name))
  }

  const openCompanies = async (
    connectionId: string,
  ): Promise<{ readonly open: readonly StoredCompany[]; readonly byList: ReadonlyMap<string, KeptBook> }> => {
    const kept = await books.prepared(connectionId)
    const open = store.companies
      .list(connectionId)
      .filter(({ isActive, isListed }) => isActive && isListed)
      .toSorted((left, right) => displayName(left).localeCompare(displayName(right)))
    return { open, byList: new Map(kept.map((book) => [companyKey(book.company, book.object), book])) }
  }

  /** The IDs of a company's records that are compared. */
  const foundIn = async (
    book: KeptBook,
    of: ComparisonOf,
    most: number,
    hasDraft: ReadonlySet<string>,
  ): Promise<Result<{ readonly ids: readonly string[]; readonly isMore: boolean }>> => {
    if (of.by === 'value') {
      const ids = await withValue(book, of, hasDraft)
      return ok({ ids: ids.slice(0, most), isMore: ids.length > most })
    }
    const { indexId } = book
    if (indexId === null) {
      // Its list is too large to search. A name can be looked up in it all the same.
      const ids = of.by === 'name' ? await withName(book, of.text) : []
      return ok({ ids: ids.slice(0, most), isMore: of.by === 'text' || ids.length > most })
    }
    const found =
      of.by === 'name'
        ? await rows.namedInIndex(indexId, of.text, most)
        : await rows.findInIndex(indexId, findQuery(of.text), most)
    if (!found.ok) return found
    return ok({
      ids: found.value.found.map(({ recordId }) => recordId).filter((id) => id !== ''),
      isMore: found.value.isMore || found.value.total > found.value.found.length,
    })
  }

  const withName = async (book: KeptBook, name: string): Promise<readonly string[]> => {
    const [ids, wanted] = [new Set<string>(), typedNameKey(name)]
    await books.withList(book.company, book.object, async ({ values }) => {
      for (const path of ['FullName', 'Name']) {
        for await (const slice of values(path)) {
          for (const { value, recordIds } of slice)
            if (typedNameKey(textOf(value)) === wanted) for (const id of recordIds) if (id !== '') ids.add(id)
        }
      }
    })
    return [...ids]
  }

  /**
   * Names references that have an ID only, from the company's own list. Such an ID means nothing in another company, so
   * one that can't be named is `null`.
   */
  const namer = (
    { company, object }: KeptBook,
    path: string,
  ): ((value: EditValue) => Promise<EditValue | null>) => {
    let names: Promise<ReadonlyMap<string, string>> | null = null
    const read = async (): Promise<ReadonlyMap<string, string>> => {
      const found = new Map<string, string>()
      const list = referenceList(object, topField(path))
      await books.withList(company, list, async ({ values }) => {
        for await (const slice of values('Name'))
          for (const { value, recordIds } of slice) for (const id of recordIds) found.set(id, textOf(value))
      })
      return found
    }
    return async (value) => {
      if (typeof value === 'string' || value.FullName !== '' || value.ID === '') return value
      names ??= read()
      const name = (await names).get(value.ID) ?? ''
      return name === '' ? null : { ID: '', FullName: name }
    }
  }

  /** Those without a draft, so that drafted ones make room for the others. */
  const withValue = async (
    book: KeptBook,
    { path, value }: { readonly path: string; readonly value: EditValue },
    hasDraft: ReadonlySet<string>,
  ): Promise<readonly string[]> => {
    const ids = new Set<string>()
    const type = pathType(book.object, path)
    const wanted = valueKey(type, value)
    const named = namer(book, path)
    await books.withList(book.company, book.object, async ({ values }) => {
      for await (const slice of values(path)) {
        for (const each of slice) {
          const own = await named(each.value)
          if (own === null || valueKey(type, own) !== wanted) continue
          for (const id of each.recordIds) if (id !== '' && !hasDraft.has(id)) ids.add(id)
        }
      }
    })
    return [...ids]
  }

  /**
   * Looks up the names that references get in the company's own lists. A kept list is whole, so a name that it lacks would
   * be refused (`reason`). Where the list isn't kept, nobody knows (`warning`).
   */
  const missingNames = async (
    company: CompanyRef,
    object: string,
    edits: readonly Pick<PlannedEdit, 'path' | 'now'>[],
  ): Promise<{ readonly reason: string; readonly warning: string }> => {
    const named = new Map<string, { readonly list: string; readonly name: string }>()
    for (const { path, now } of edits) {
      if (typeof now === 'string' || now.ID !== '' || now.FullName === '') continue
      const list = referenceList(object, topField(path))
      named.set(JSON.stringify([list, now.FullName]), { list, name: now.FullName })
    }
    if (named.size === 0) return { reason: '', warning: '' }
    const kept = await books.prepared(company.connectionId)
    const reasons: string[] = []
    const warnings: string[] = []
    for (const { list, name } of named.values()) {
      const key = companyKey(company, list)
      const indexId = kept.find((book) => companyKey(book.company, book.object) === key)?.indexId ?? null
      const found = indexId === null ? null : await rows.namedInIndex(indexId, name, 1)
      if (!found?.ok)
        warnings.push(
          `Bookbridge doesn’t know whether its list ${listName(list)} has “${name}”. The change may be refused.`,
        )
      else if (found.value.total === 0) {
        const alike = await alikeNames(company, list, name)
        const has = alike.length === 0 ? '' : ` It has ${joinAlternatives(alike.map((each) => `“${each}”`))}.`
        reasons.push(
          `Its list ${listName(list)} has no “${name}”.${has} If it was added since, refresh that list.`,
        )
      }
    }
    return { reason: reasons.join(' '), warning: warnings.join(' ') }
  }

  /** Names in a kept list that may be what is meant: *Net 30 days* for *Net 30*. */
  const alikeNames = async (company: CompanyRef, list: string, name: string): Promise<readonly string[]> => {
    const wanted = looseKey(name)
    const alike = new Set<string>()
    await books.withList(company, list, async ({ values }) => {
      for await (const slice of values('Name')) {
        for (const { value } of slice) {
          const text = textOf(value)
          const other = looseKey(text)
          const isAlike = other !== '' && (other.includes(wanted) || wanted.includes(other))
          if (isAlike && digitsOf(other) === digitsOf(wanted)) alike.add(text)
        }
      }
    })
    return [...alike].slice(0, MAX_ALIKE)
  }

  return {
    async compare(connectionId, object, of) {
      const { open, byList } = await openCompanies(connectionId)
      const compared: ComparedCompany[] = []
      let left = MAX_CHANGED
      for (const company of open.filter(({ keepsLists }) => keepsLists)) {
        const book = byList.get(companyKey(company.ref, object))
        const blockedReason = refusalOf(company)
        const nothing = { company: company.ref, records: [], isMore: false, supported: null, blockedReason }
        if (book === undefined) {
          compared.push({ ...nothing, readAt: null })
          continue
        }
        const { readAt } = book
        const hasDraft = drafted(company.ref, book.object)
        const found = await foundIn(book, of, left, hasDraft)
        if (!found.ok) return found
        const { ids, isMore } = found.value
        const read =
          ids.length === 0
            ? null
            : await books.withList(company.ref, book.object, ({ records }) => records(ids))
        const records = comparedRecords(read ?? [], hasDraft)
        left = Math.max(0, left - records.length)
        compared.push({ ...nothing, readAt, records, isMore, supported: book.supported })
      }
      return ok({
        companies: compared,
        off: open.filter(({ keepsLists }) => !keepsLists).map(({ ref }) => ref),
      })
    },

    async fields(connectionId, object) {
      const { open, byList } = await openCompanies(connectionId)
      const supported = open.flatMap(({ ref }) => byList.get(companyKey(ref, object))?.supported ?? [])
      return [...new Set(supported)]
    },

    async values(connectionId, object, path) {
      const { open, byList } = await openCompanies(connectionId)
      const type = pathType(object, path)
      const found = new Map<string, { value: EditValue; count: number; companies: number }>()
      for (const { ref } of open) {
        const book = byList.get(companyKey(ref, object))
        if (book === undefined) continue
        const here = new Set<string>()
        const named = namer(book, path)
        await books.withList(ref, book.object, async ({ values }) => {
          for await (const slice of values(path)) {
            for (const { value: given, recordIds } of slice) {
              const value = await named(given)
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
    },

    async plan(object, picks) {
      const companiesPlanned: PlannedDrafts['companies'][number][] = []
      const leftOut: LeftOut[] = []
      for (const { company: ref, records: wanted } of picks) {
        const known = companies.find(ref)
        if (!known.ok) {
          const [companyName, reason] = [ref.endpointId, known.error.message]
          leftOut.push({ endpointId: ref.endpointId, companyName, recordName: '', reason })
          continue
        }
        const company = known.value
        const leave = (reason: string, recordName = ''): void => {
          const companyName = displayName(company)
          leftOut.push({ endpointId: ref.endpointId, companyName, recordName, reason })
        }
        const refusal = refusalOf(company)
        if (refusal !== '') {
          leave(refusal)
          continue
        }
        const read = await books.withList(ref, object, async ({ meta, records }) => ({
          supported: meta.supported,
          records: await records([
            ...new Set(wanted.flatMap(({ recordId, edits }) => [recordId, ...keptIds(edits)])),
          ]),
        }))
        if (read === null) {
          leave(NOT_KEPT)
          continue
        }
        const fields = await supportedFields(company, object, read.supported)
        if (!fields.ok) {
          leave(fields.error.message)
          continue
        }
        const refusedFields = new Map(
          [...new Set(wanted.flatMap(({ edits }) => edits.map(({ path }) => path)))].flatMap((path) => {
            const right = editability(object, path, fields.value, 'existing')
            return right.editable ? [] : [[path, right.reason] as const]
          }),
        )
        const compared = comparedRecords(read.records, drafted(ref, object))
        const byId = new Map(compared.map((each) => [each.recordId, each]))
        const nameIn = ({ recordId }: CompanyPick['records'][number]): string =>
          byId.get(recordId)?.name ?? ''
        const byName = (all: Iterable<CompanyPick['records'][number]>): CompanyPick['records'] =>
          [...all].toSorted((one, other) => naturalOrder.compare(nameIn(one), nameIn(other)))
        // A record that stays must not become inactive itself, here or by another draft.
        const retired = new Set([
          ...wanted.filter(({ edits }) => edits.some(isDeactivation)).map(({ recordId }) => recordId),
          ...store.drafts
            .list(ref, object)
            .filter(({ edits }) => edits.some(isDeactivation))
            .map(({ recordId }) => recordId),
        ])
        const lostKept = ({ edits }: CompanyPick['records'][number]): string => {
          const lost = edits
            .flatMap(({ keeps }) => keeps ?? [])
            .find(({ ID }) => {
              const kept = byId.get(ID)
              return kept?.isActive !== true || retired.has(ID)
            })
          return lost === undefined ? '' : keptIsLost(lost.FullName)
        }
        const clashing = clashingNames(wanted, (recordId) => byId.get(recordId)?.name ?? '')
        const refusalOfPick = ({ recordId, edits }: CompanyPick['records'][number]): string =>
          edits.map(({ path }) => refusedFields.get(path) ?? '').find(Boolean) ??
          (clashing.has(recordId) ? ONE_NAME : lostKept({ recordId, edits }))
        // If none of its records can be edited, the company is listed once.
        const [first] = wanted
        if (first && wanted.every((each) => refusalOfPick(each) !== '')) {
          leave(refusalOfPick(first))
          continue
        }
        const drafts: DraftState[] = []
        const records: SharedItem['records'][number][] = []
        for (const pick of byName(new Map(wanted.map((each) => [each.recordId, each])).values())) {
          const { recordId, edits: planned } = pick
          const found = byId.get(recordId)
          const reason = found?.blockedReason || refusalOfPick(pick)
          if (found === undefined || reason !== '') {
            leave(reason || NOT_THERE, found?.name ?? recordId)
            continue
          }
          const edits = planned.map((edit) => ({ ...edit, was: valueAt(object, found.record, edit.path) }))
          const isOther = planned.some(
            ({ path, was }, at) =>
              was !== null && !sameValue(pathType(object, path), was, edits[at]?.was ?? null),
          )
          const isSame = edits.every(({ path, was, now }) => sameValue(pathType(object, path), was, now))
          if (isOther || isSame) {
            leave(isOther ? CHANGED : SAME, found.name)
            continue
          }
          const draft: DraftState = {
            draftId: options.newId(),
            company: ref,
            object,
            kind: 'change',
            recordId,
            before: found.record,
            edits,
            changedAt: options.timestamp(),
          }
          const refused = refusedDraft(draft, fields.value)
          if (refused !== null) leave(refused.message, found.name)
          else {
            drafts.push(draft)
            const was = edits[0]?.was ?? ''
            records.push({ draftId: draft.draftId, recordId, recordName: found.name, was, isTrimmed: false })
          }
        }
        if (records.length === 0) continue
        const missing = await missingNames(
          ref,
          object,
          drafts.flatMap(({ edits }) => edits),
        )
        if (missing.reason !== '') {
          leave(missing.reason)
          continue
        }
        const item: SharedItem = {
          itemId: options.newId(),
          endpointId: ref.endpointId,
          state: 'waiting',
          error: null,
          warning: missing.warning,
          records,
        }
        companiesPlanned.push({ company, item, drafts })
      }
      const companiesByName = companiesPlanned.toSorted((one, other) =>
        naturalOrder.compare(displayName(one.company), displayName(other.company)),
      )
      return { companies: companiesByName, leftOut }
    },
  }

  /** Returns the supported fields, from the metadata of the time when the list was read, or from current metadata. */
  async function supportedFields(
    company: StoredCompany,
    object: string,
    kept: readonly string[] | null,
  ): Promise<Result<ReadonlySet<string>>> {
    if (kept !== null) return ok(new Set(kept))
    const asked = await options.support(company, object)
    return asked.ok ? ok(new Set(asked.value.paths)) : err(asked.error)
  }
}

function keptIds(edits: readonly PlannedEdit[]): readonly string[] {
  return edits.flatMap(({ keeps }) => keeps?.ID ?? [])
}

function keptIsLost(name: string): string {
  return `“${name}” should stay instead, but it isn’t in the list anymore, or it is or becomes inactive.`
}

/**
 * Returns the IDs of records that would end up with the same name under the same parent.
 * @param fullName the current name of a record, with its parents before the last colon
 */
function clashingNames(
  records: CompanyPick['records'],
  fullName: (recordId: string) => string,
): ReadonlySet<string> {
  const renamed = records.flatMap(({ recordId, edits }) => {
    const now = edits.find(({ path }) => path === 'Name')?.now
    const before = fullName(recordId)
    const parent = before.slice(0, before.lastIndexOf(':') + 1)
    return now === undefined ? [] : [{ recordId, name: nameKey(parent + textOf(now)) }]
  })
  const alike = [...Map.groupBy(renamed, ({ name }) => name).values()].filter(({ length }) => length > 1)
  return new Set(alike.flat().map(({ recordId }) => recordId))
}

/** Returns why a draft can't be sent, as far as that can be known without the service. */
function refusedDraft(draft: DraftState, paths: ReadonlySet<string>): AppError | null {
  const stored = { ...draft, operationId: null, undoes: false, isStale: false }
  return draftRefusal(stored, { paths, types: new Map() })
}

function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

function nameOf(record: RecordData): string {
  return textOf(record['FullName']) || textOf(record['Name']) || textOf(record['ID'])
}
