/** Records of one list in all companies, side by side; and the drafts that give one field of them the same value. */
import { displayName } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import {
  type ComparedCompany,
  type ComparedRecord,
  type LeftOut,
  MAX_CHANGED,
  type SharedItem,
} from '../../../shared/contract/across.ts'
import {
  type EditValue,
  type RecordData,
  pathType,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { listName, referenceList } from '../../../shared/records/definition.ts'
import { editability } from '../../../shared/records/fields.ts'
import { nameKey } from '../../../shared/records/names.ts'
import { findQuery } from '../../../shared/records/search-text.ts'
import { type AppError, type Result, err, ok } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import type { CompanyStore, StoredCompany } from '../../store/companies.ts'
import type { DraftState, DraftStore } from '../../store/drafts.ts'
import { companyRefusal, draftRefusal } from '../../writing/records/payload.ts'
import type { Companies } from '../companies/companies.ts'
import type { GetSupportedFields } from '../records/records.ts'
import { type KeptBooks, bookKey } from './kept-books.ts'

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

/** What a record is to have in a field. */
export interface PlannedEdit {
  readonly path: string
  /** What it must have now; `null` if that doesn't matter. */
  readonly was: EditValue | null
  readonly now: EditValue
}

/** Records of a company, each with what changes in it. */
export interface CompanyPick {
  readonly company: CompanyRef
  readonly records: readonly { readonly recordId: string; readonly edits: readonly PlannedEdit[] }[]
}

/** The drafts of these records, and what can't be drafted. */
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
    by: 'name' | 'text',
    text: string,
  ): Promise<Result<{ readonly companies: readonly ComparedCompany[]; readonly off: readonly CompanyRef[] }>>
  /** Plans a draft for each record. Saves nothing. */
  plan(object: string, picks: readonly CompanyPick[]): Promise<PlannedDrafts>
}

const SHARED_ID = 'Several records have this ID, so they can’t be told apart.'
export const HAS_DRAFT = 'It has changes that aren’t sent yet. Send or discard them first.'
const NOT_THERE = 'It isn’t in the list anymore.'
const NOT_KEPT = 'Its list isn’t kept on this computer. Read it first.'
const SAME = 'It already has this value.'
const CHANGED = 'It has changed since it was looked at.'
const ONE_NAME = 'Only one record of a company can be given this name.'

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
    return [...byId].flatMap(([recordId, [record, ...twins]]): ComparedRecord[] => {
      if (record === undefined) return []
      const blockedReason = twins.length > 0 ? SHARED_ID : hasDraft.has(recordId) ? HAS_DRAFT : ''
      const isActive = textOf(record['IsActive']).toLowerCase() !== 'false'
      return [{ recordId, name: nameOf(record), isActive, record, blockedReason }]
    })
  }

  /** What to say where a reference gets a name that the company's own list lacks; empty if nobody can tell. */
  const missingNames = async (
    company: CompanyRef,
    object: string,
    edits: readonly Pick<PlannedEdit, 'path' | 'now'>[],
  ): Promise<string> => {
    const named = new Map<string, { readonly list: string; readonly name: string }>()
    for (const { path, now } of edits) {
      if (typeof now === 'string' || now.ID !== '' || now.FullName === '') continue
      const list = referenceList(object, topField(path))
      named.set(JSON.stringify([list, now.FullName]), { list, name: now.FullName })
    }
    if (named.size === 0) return ''
    const kept = await books.prepared(company.connectionId)
    const missing: string[] = []
    for (const { list, name } of named.values()) {
      const key = bookKey(company, list)
      const indexId = kept.find((book) => bookKey(book.company, book.object) === key)?.indexId ?? null
      const found = indexId === null ? null : await rows.namedInIndex(indexId, name, 1)
      if (found?.ok && found.value.total === 0) missing.push(`Its list ${listName(list)} has no “${name}”.`)
    }
    return missing.length === 0 ? '' : `${missing.join(' ')} It may be refused.`
  }

  return {
    async compare(connectionId, object, by, text) {
      const kept = await books.prepared(connectionId)
      const byList = new Map(kept.map((book) => [bookKey(book.company, book.object), book]))
      const open = store.companies
        .list(connectionId)
        .filter(({ isActive, isListed }) => isActive && isListed)
        .toSorted((left, right) => displayName(left).localeCompare(displayName(right)))
      const compared: ComparedCompany[] = []
      let left = MAX_CHANGED
      for (const company of open.filter(({ keepsLists }) => keepsLists)) {
        const book = byList.get(bookKey(company.ref, object))
        const blockedReason = refusalOf(company)
        const nothing = { company: company.ref, records: [], isMore: false, supported: null, blockedReason }
        const indexId = book?.indexId ?? null
        if (book === undefined || indexId === null) {
          compared.push({ ...nothing, readAt: book?.readAt ?? null })
          continue
        }
        const found =
          by === 'name'
            ? await rows.namedInIndex(indexId, text, left)
            : await rows.findInIndex(indexId, findQuery(text), left)
        if (!found.ok) return found
        const ids = found.value.found.map(({ recordId }) => recordId).filter((id) => id !== '')
        const read = await books.withList(company.ref, book.object, async ({ meta, records }) => ({
          supported: meta.supported,
          records: ids.length === 0 ? [] : await records(ids),
        }))
        const records = comparedRecords(read?.records ?? [], drafted(company.ref, book.object))
        left = Math.max(0, left - records.length)
        compared.push({
          company: company.ref,
          readAt: book.readAt,
          records,
          isMore: found.value.isMore || found.value.total > found.value.found.length,
          supported: read?.supported ?? null,
          blockedReason,
        })
      }
      return ok({
        companies: compared,
        off: open.filter(({ keepsLists }) => !keepsLists).map(({ ref }) => ref),
      })
    },

    async plan(object, picks) {
      const companiesPlanned: PlannedDrafts['companies'][number][] = []
      const leftOut: LeftOut[] = []
      for (const { company: ref, records: wanted } of picks) {
        const known = companies.find(ref)
        if (!known.ok) continue
        const company = known.value
        const leave = (reason: string, recordName = ''): void => {
          const companyName = displayName(company)
          leftOut.push({ endpointId: ref.endpointId, companyName, recordName, because: reason })
        }
        const refusal = refusalOf(company)
        if (refusal !== '') {
          leave(refusal)
          continue
        }
        const read = await books.withList(ref, object, async ({ meta, records }) => ({
          supported: meta.supported,
          records: await records(wanted.map(({ recordId }) => recordId)),
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
        const clashing = clashingNames(wanted, (recordId) => byId.get(recordId)?.name ?? '')
        const refusalOfPick = ({ recordId, edits }: CompanyPick['records'][number]): string =>
          edits.map(({ path }) => refusedFields.get(path) ?? '').find(Boolean) ??
          (clashing.has(recordId) ? ONE_NAME : '')
        // If no record can have its edits, the company is named once.
        const [first] = wanted
        if (first && wanted.every((each) => refusalOfPick(each) !== '')) {
          leave(refusalOfPick(first))
          continue
        }
        const drafts: DraftState[] = []
        const records: SharedItem['records'][number][] = []
        for (const pick of new Map(wanted.map((each) => [each.recordId, each])).values()) {
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
        const item: SharedItem = {
          itemId: options.newId(),
          endpointId: ref.endpointId,
          state: 'waiting',
          error: null,
          warning: await missingNames(
            ref,
            object,
            drafts.flatMap(({ edits }) => edits),
          ),
          records,
        }
        companiesPlanned.push({ company, item, drafts })
      }
      return { companies: companiesPlanned, leftOut }
    },
  }

  /** As metadata said when the list was read, or as it says now. */
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

/**
 * The IDs of records that would get the same name under the same parent.
 * @param fullName of a record as it is, with its parents before the last colon
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

/** Why a draft can't be sent, as far as is known without the service. */
function refusedDraft(draft: DraftState, paths: ReadonlySet<string>): AppError | null {
  const stored = { ...draft, operationId: null, undoes: false, isStale: false }
  return draftRefusal(stored, { paths, types: new Map() })
}

function nameOf(record: RecordData): string {
  return textOf(record['FullName']) || textOf(record['Name']) || textOf(record['ID'])
}
