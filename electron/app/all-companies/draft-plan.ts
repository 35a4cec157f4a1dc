/**
 * Plans drafts that set fields of records, in one company or several. Leaves out what can't be changed, with the
 * reason. Saves nothing.
 */
import { companyKey, displayName } from '../../../shared/companies/companies.ts'
import type { ChangeItem, ComparedRecord, LeftOut } from '../../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { compareNaturally, joinAlternatives, joinNames } from '../../../shared/format/text.ts'
import {
  type EditValue,
  isDeactivation,
  isSameBalance,
  pathType,
  type RecordData,
  type Reference,
  sameValue,
  textOf,
  topField,
  valueAt,
} from '../../../shared/records/changes.ts'
import { listName, referenceList } from '../../../shared/records/definition.ts'
import { editability } from '../../../shared/records/fields.ts'
import { looseKey, nameKey, parentOf, typedNameKey } from '../../../shared/records/names.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import type { Rows } from '../../rows/rows.ts'
import type { StoredCompany } from '../../store/companies.ts'
import type { DraftState, DraftStore } from '../../store/drafts.ts'
import { companyRefusal } from '../../writing/context.ts'
import { survivorIds } from '../../writing/records/precheck.ts'
import { draftRefusal } from '../../writing/records/records-writer.ts'
import type { Companies } from '../companies/companies.ts'
import type { GetSupportedFields } from '../records/field-support.ts'
import { comparedRecords, draftedRecords, referenceNamer } from './compare.ts'
import type { KeptBooks } from './kept-books.ts'

export interface DraftPlannerOptions {
  readonly books: Pick<KeptBooks, 'prepared' | 'withList'>
  /** The rows worker of the kept lists. */
  readonly rows: Pick<Rows, 'namedInIndex'>
  readonly companies: Pick<Companies, 'find' | 'facts'>
  readonly drafts: DraftStore
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
  /** As in `FieldEdit`. */
  readonly balance?: string | undefined
}

/** Records of a company, each with its edits. */
export interface CompanyPick {
  readonly company: CompanyRef
  readonly records: readonly { readonly recordId: string; readonly edits: readonly PlannedEdit[] }[]
}

type RecordPick = CompanyPick['records'][number]

/** The drafts of a company's records. */
interface PlannedCompany {
  readonly company: StoredCompany
  readonly item: ChangeItem
  readonly drafts: readonly DraftState[]
}

/** The drafts of these records, and the records that can't be changed. */
export interface PlannedDrafts {
  readonly companies: readonly PlannedCompany[]
  readonly leftOut: readonly LeftOut[]
}

/** How many records with the same name are considered. */
const MAX_NAMESAKES = 1_000
/** How many names to suggest in place of one that a list lacks. */
const MAX_ALIKE = 3

const NOT_THERE = 'It isn’t in the list anymore.'
const NOT_KEPT = 'Its list isn’t kept on this computer. Read it first.'
const NOT_COMPARED = 'Its list isn’t kept on this computer, so none of its records were compared.'
const SAME = 'It already has this value.'
const CHANGED = 'It has changed since you compared it.'
const ONE_NAME = 'Only one record in a company can have this name.'

export class DraftPlanner {
  readonly #options: DraftPlannerOptions

  constructor(options: DraftPlannerOptions) {
    this.#options = options
  }

  /** Plans a draft for each record. */
  async plan(object: string, picks: readonly CompanyPick[]): Promise<PlannedDrafts> {
    const planned: PlannedCompany[] = []
    const leftOut: LeftOut[] = []
    for (const { company, records } of picks) {
      const { endpointId } = company
      const found = this.#options.companies.find(company)
      if (!found.ok) {
        leftOut.push({ endpointId, companyName: endpointId, recordName: '', reason: found.error.message })
        continue
      }
      const companyName = displayName(found.value)
      const made = await this.#planCompany(found.value, object, records, (reason, recordName = '') => {
        const count = recordName === '' ? { records: records.length } : {}
        leftOut.push({ endpointId, companyName, recordName, reason, ...count })
      })
      if (made !== null) planned.push(made)
    }
    const companies = planned.toSorted((one, other) =>
      compareNaturally(displayName(one.company), displayName(other.company)),
    )
    return { companies, leftOut }
  }

  /** Why these companies can’t get a value in a field. Omits those that can. */
  async refusals(
    object: string,
    path: string,
    companies: readonly { readonly company: CompanyRef; readonly records: number }[],
  ): Promise<readonly LeftOut[]> {
    const leftOut: LeftOut[] = []
    for (const { company, records } of companies) {
      const { endpointId } = company
      const found = this.#options.companies.find(company)
      const reason = found.ok ? await this.#refusal(found.value, object, path) : found.error.message
      const companyName = found.ok ? displayName(found.value) : endpointId
      if (reason !== '')
        leftOut.push({
          ...{ endpointId, companyName, recordName: '', reason },
          ...(records > 0 ? { records } : {}),
        })
    }
    return leftOut
  }

  async #refusal(company: StoredCompany, object: string, path: string): Promise<string> {
    const refusal = companyRefusal(this.#options.companies.facts(company.ref))
    if (refusal !== null) return refusal.message
    const read = await this.#readRecords(company.ref, object, [])
    if (read === null) return NOT_COMPARED
    const fields = await this.#supportedFields(company, object, read.supported)
    if (!fields.ok) return fields.error.message
    const right = editability(object, path, fields.value, 'existing')
    return right.editable ? '' : right.reason
  }

  /**
   * Returns `null` if none of the records can be changed.
   * @param leaveOut called for each record that can't be changed, or once without a name if none can
   */
  async #planCompany(
    company: StoredCompany,
    object: string,
    picks: readonly RecordPick[],
    leaveOut: (reason: string, recordName?: string) => void,
  ): Promise<PlannedCompany | null> {
    const { ref } = company
    const refusal = companyRefusal(this.#options.companies.facts(ref))
    if (refusal !== null) {
      leaveOut(refusal.message)
      return null
    }
    const read = await this.#readRecords(ref, object, picks)
    if (read === null) {
      leaveOut(NOT_KEPT)
      return null
    }
    const fields = await this.#supportedFields(company, object, read.supported)
    if (!fields.ok) {
      leaveOut(fields.error.message)
      return null
    }
    const waiting = this.#options.drafts.list(ref, object)
    const byId = new Map(
      comparedRecords(read.records, draftedRecords(waiting)).map((record) => [record.recordId, record]),
    )
    const refusalOf = pickRefusals({ object, picks, records: byId, fields: fields.value, waiting })
    // If none of its records can be edited, the company is listed once.
    const [first] = picks
    if (first && picks.every((pick) => refusalOf(pick) !== '')) {
      leaveOut(refusalOf(first))
      return null
    }
    const drafts: DraftState[] = []
    const records: ChangeItem['records'][number][] = []
    const nameOf = referenceNamer(this.#options.books, { company: ref, object })
    for (const pick of distinctByName(picks, byId)) {
      const found = byId.get(pick.recordId)
      const reason = found?.blockedReason || refusalOf(pick)
      if (found === undefined || reason !== '') {
        leaveOut(reason || NOT_THERE, found?.name ?? pick.recordId)
        continue
      }
      const draft = this.#draftOf(ref, object, found, pick)
      // Name references that have only an ID, so that a match with the new value is recognized.
      const current = await Promise.all(
        draft.edits.map(async ({ path, was }) => (was === null ? null : ((await nameOf(path, was)) ?? was))),
      )
      const refused = noChange(object, draft, pick, current) || refusedDraft(draft, fields.value)?.message
      if (refused) {
        leaveOut(refused, found.name)
        continue
      }
      drafts.push(draft)
      const { draftId, recordId, edits } = draft
      records.push({ draftId, recordId, recordName: found.name, was: edits[0]?.was ?? '', isTrimmed: false })
    }
    if (records.length === 0) return null
    const missing = await this.#missingNames(
      ref,
      object,
      drafts.flatMap(({ edits }) => edits),
    )
    if (missing.reason !== '') {
      leaveOut(missing.reason)
      return null
    }
    const item: ChangeItem = {
      itemId: this.#options.newId(),
      endpointId: ref.endpointId,
      state: 'waiting',
      error: null,
      warning: missing.warning,
      records,
    }
    return { company, item, drafts }
  }

  /** Reads the records to change, and those that stay in place of one that becomes inactive. */
  #readRecords(
    company: CompanyRef,
    object: string,
    picks: readonly RecordPick[],
  ): Promise<{
    readonly supported: readonly string[] | null
    readonly records: readonly RecordData[]
  } | null> {
    const ids = picks.flatMap((pick) => [pick.recordId, ...survivorIds(pick)])
    return this.#options.books.withList(company, object, async ({ meta, records }) => ({
      supported: meta.supported,
      records: await records([...new Set(ids)]),
    }))
  }

  /** Returns the supported fields, from the metadata saved when the list was read or from current metadata. */
  async #supportedFields(
    company: StoredCompany,
    object: string,
    kept: readonly string[] | null,
  ): Promise<Result<ReadonlySet<string>>> {
    if (kept !== null) return ok(new Set(kept))
    const asked = await this.#options.support(company, object)
    return asked.ok ? ok(new Set(asked.value.paths)) : asked
  }

  #draftOf(
    company: CompanyRef,
    object: string,
    { recordId, record }: ComparedRecord,
    { edits }: RecordPick,
  ): DraftState {
    return {
      draftId: this.#options.newId(),
      company,
      object,
      kind: 'change',
      recordId,
      before: record,
      edits: edits.map((edit) => ({ ...edit, was: valueAt(object, record, edit.path) })),
      changedAt: this.#options.timestamp(),
    }
  }

  /**
   * Looks up new reference names in the company's own lists. A kept list is complete, so a name that is missing,
   * belongs only to inactive records, or appears more than once would be refused or would mean another record
   * (`reason`). If the list isn't kept, nothing is known (`warning`).
   */
  async #missingNames(
    company: CompanyRef,
    object: string,
    edits: readonly Pick<PlannedEdit, 'path' | 'now'>[],
  ): Promise<{ readonly reason: string; readonly warning: string }> {
    const { books, rows } = this.#options
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
      const found = indexId === null ? null : await rows.namedInIndex(indexId, name, MAX_NAMESAKES)
      if (!found?.ok || (found.value.total === 0 && !(await this.#showsNames(company, list, name))))
        warnings.push(
          `Bookbridge doesn’t know whether the list ${listName(list)} has “${name}”. The change may be refused.`,
        )
      else if (found.value.total > 0) reasons.push(...unusableTarget(list, name, found.value.found))
      else {
        const alike = await this.#alikeNames(company, list, name)
        const has = alike.length === 0 ? '' : ` It has ${joinAlternatives(alike.map((each) => `“${each}”`))}.`
        reasons.push(
          `Its list ${listName(list)} has no “${name}”.${has} If it was added since, refresh that list.`,
        )
      }
    }
    return { reason: reasons.join(' '), warning: warnings.join(' ') }
  }

  /**
   * Whether a name missing from a kept list is really missing. The service may not provide a list that looks empty, and
   * a list without full names doesn't show which record is under which.
   */
  async #showsNames(company: CompanyRef, list: string, name: string): Promise<boolean> {
    const field = name.includes(':') ? 'FullName' : 'Name'
    const shows = await this.#options.books.withList(company, list, async ({ values }) => {
      for await (const slice of values(field))
        if (slice.some(({ value }) => textOf(value) !== '')) return true
      return false
    })
    return shows === true
  }

  /** Names in a kept list that the user may have meant: *Net 30 days* for *Net 30*. */
  async #alikeNames(company: CompanyRef, list: string, name: string): Promise<readonly string[]> {
    const wanted = looseKey(name)
    const alike = new Set<string>()
    await this.#options.books.withList(company, list, async ({ values }) => {
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
}

/** Why records can't be set to a name: it is inactive, or doesn't say which record of its list is meant. */
function unusableTarget(
  list: string,
  name: string,
  found: readonly { readonly name: string; readonly isActive: boolean }[],
): readonly string[] {
  const exact = found.filter((each) => typedNameKey(each.name) === typedNameKey(name))
  const meant = exact.length > 0 ? exact : found
  const active = meant.filter(({ isActive }) => isActive)
  if (active.length === 0)
    return [
      `In its list ${listName(list)}, “${name}” is inactive. If it was made active since, refresh that list.`,
    ]
  if (active.length === 1) return []
  const names = [...new Set(active.map((each) => `“${each.name}”`))]
  const called = `Its list ${listName(list)} has more than one “${name}”`
  return [names.length === 1 ? `${called}.` : `${called}: ${joinNames(names, MAX_ALIKE)}. Set one of them.`]
}

/** What decides whether records of a company can be changed. */
interface PickFacts {
  readonly object: string
  readonly picks: readonly RecordPick[]
  /** By ID: the records to change, and those that stay. */
  readonly records: ReadonlyMap<string, ComparedRecord>
  /** Paths of the supported fields. */
  readonly fields: ReadonlySet<string>
  /** Existing drafts of the list. */
  readonly waiting: readonly Pick<DraftState, 'recordId' | 'edits'>[]
}

/** Returns why a record can't be changed as requested, apart from its own state; empty if it can. */
function pickRefusals({ object, picks, records, fields, waiting }: PickFacts): (pick: RecordPick) => string {
  const paths = new Set(picks.flatMap(({ edits }) => edits.map(({ path }) => path)))
  const refusedFields = new Map(
    [...paths].flatMap((path) => {
      const right = editability(object, path, fields, 'existing')
      return right.editable ? [] : [[path, right.reason] as const]
    }),
  )
  const clashing = clashingNames(picks, (recordId) => records.get(recordId)?.record ?? {})
  // A record that stays must not become inactive itself, here or by another draft.
  const deactivated = new Set(
    [...picks, ...waiting].filter(({ edits }) => edits.some(isDeactivation)).map(({ recordId }) => recordId),
  )
  const staysIn = ({ ID, FullName }: Reference): boolean => {
    const kept = records.get(ID)
    const names = ['FullName', 'Name'].map((name) => typedNameKey(textOf(kept?.record[name])))
    return kept?.isActive === true && names.includes(typedNameKey(FullName)) && !deactivated.has(ID)
  }
  return ({ recordId, edits }) => {
    const refusedField = edits.map(({ path }) => refusedFields.get(path) ?? '').find(Boolean)
    if (refusedField !== undefined) return refusedField
    if (clashing.has(recordId)) return ONE_NAME
    const lost = edits.flatMap(({ keeps }) => keeps ?? []).find((kept) => !staysIn(kept))
    return lost === undefined ? '' : survivorIsGone(lost.FullName)
  }
}

/** Each record once, by name. */
function distinctByName(
  picks: readonly RecordPick[],
  records: ReadonlyMap<string, ComparedRecord>,
): readonly RecordPick[] {
  const nameIn = ({ recordId }: RecordPick): string => records.get(recordId)?.name ?? ''
  const distinct = new Map(picks.map((pick) => [pick.recordId, pick]))
  return [...distinct.values()].toSorted((one, other) => compareNaturally(nameIn(one), nameIn(other)))
}

/**
 * Why a draft would change nothing, or something other than what was compared; empty if it is fine.
 * @param current the values that its edits replace, by name
 */
function noChange(
  object: string,
  { before, edits }: Pick<DraftState, 'before' | 'edits'>,
  { edits: planned }: RecordPick,
  current: readonly (EditValue | null)[],
): string {
  const hasChanged = planned.some(
    ({ path, was, balance }, at) =>
      (was !== null && !sameValue(pathType(object, path), was, edits[at]?.was ?? null)) ||
      (balance !== undefined && !isSameBalance(balance, textOf(before['Balance']).trim())),
  )
  if (hasChanged) return CHANGED
  return edits.every(({ path, was, now }, at) =>
    [was, current[at] ?? null].some((value) => sameValue(pathType(object, path), value, now)),
  )
    ? SAME
    : ''
}

function survivorIsGone(name: string): string {
  return `“${name}” should stay instead, but it isn’t in the list under this name anymore, or it is or becomes inactive.`
}

/** Returns the IDs of records that would end up with the same name under the same parent. */
function clashingNames(
  records: CompanyPick['records'],
  recordOf: (recordId: string) => RecordData,
): ReadonlySet<string> {
  const renamed = records.flatMap(({ recordId, edits }) => {
    const now = edits.find(({ path }) => path === 'Name')?.now
    if (now === undefined) return []
    return [{ recordId, name: JSON.stringify([parentOf(recordOf(recordId)), nameKey(textOf(now))]) }]
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
