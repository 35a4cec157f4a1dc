/** Compares records of several companies, and drafts a change that gives one field of them the same value. */
import type {
  ComparedCompany,
  ComparedRecord,
  RecordCriteria,
  ShownChange,
} from '../../../shared/contract/all-companies.ts'
import type { CallInput, CallOutput } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Format } from '../../../shared/format/format.ts'
import { type NumberSeparators, numberSeparators } from '../../../shared/format/money.ts'
import {
  type EditValue,
  EMPTY_REFERENCE,
  isEmpty,
  memberOf,
  pathType,
  type RecordData,
  topField,
  unnamedId,
  valueAt,
} from '../../../shared/records/changes.ts'
import { objectDefinition, referenceList } from '../../../shared/records/definition.ts'
import {
  editability,
  fieldsOf,
  type FoundField,
  importPaths,
  pathHeading,
} from '../../../shared/records/fields.ts'
import { plainValue, valueKey } from '../../../shared/records/value-text.ts'
import type { AppError } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { readTyped } from '../../ui/fields/typed-values.ts'
import { formatComparison } from './change-messages.ts'

/** How records are chosen: all of one name, all with a value in a field, or those that a search finds. */
export type ChosenBy = RecordCriteria['by']

/** What the chosen field of a record contains, which decides what a new value does to it. */
export type CurrentValue = 'empty' | 'same' | 'other'

/** How many fields are shown beside the chosen one because records differ in them. */
const MAX_SHOWN = 4

interface Option {
  readonly value: string
  readonly label: string
}

/** A record with its company. */
interface ComparedRow {
  readonly company: ComparedCompany
  readonly record: ComparedRecord
}

/** A value that records have in a field. */
interface ComparedValue {
  /** Unique among the values of the field. */
  readonly key: string
  readonly value: EditValue
  /** Whether only the ID of the referenced record is known. */
  readonly isUnnamed: boolean
  readonly rows: readonly ComparedRow[]
}

/** How the records of a change were found. */
export interface RecordChoice {
  /** *Customers matching “har”*. */
  readonly text: string
  /** What was searched for; empty without a search. */
  readonly typed: string
  /** The values that the search found in other fields than the name, by `recordKey`. */
  readonly matches: ReadonlyMap<string, NonNullable<ComparedRecord['matched']>>
}

export class MultiCompanyChangeModel {
  // What to compare.
  object = $state('customer')
  chosenBy = $state<ChosenBy>('name')
  text = $state('')
  /** The field to choose records by its value, and the fields to choose it from. */
  wherePath = $state('')
  whereFields = $state.raw<readonly Option[]>([])
  /** The values of that field in all companies; `null` while they are being counted. */
  whereValues = $state.raw<CallOutput<'multiCompanyChanges.values'>['values'] | null>([])
  /** The chosen value. */
  whereValue = $state.raw<EditValue | null>(null)

  // What was found.
  companies = $state.raw<readonly ComparedCompany[]>([])
  notKept = $state.raw<readonly CompanyRef[]>([])
  /** What was compared last; `null` before the first time. */
  compared = $state.raw<{ readonly object: string; readonly criteria: RecordCriteria } | null>(null)
  /** Checked records, by `recordKey`. */
  checked = $state.raw<ReadonlySet<string>>(new Set())

  // What to change.
  path = $state('')
  typed = $state('')
  /** Whether records that have another value get the new one, too. */
  replaces = $state(false)
  /** **Clear the value** empties the field. An empty text box never does. */
  isClearing = $state(false)
  /** The names that a reference can have, as far as its lists are kept; `null` if that isn't known. */
  names = $state.raw<readonly string[] | null>(null)

  isComparing = $state(false)
  isDrafting = $state(false)
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  readonly #separators: NumberSeparators
  /** The list that has `whereFields`. */
  #fieldsOf = ''
  /** Whether a comparison was asked for while another one was running. */
  #isAskedAgain = false
  /** Whether the comparison only says that no list is kept. */
  #isNothingKept = false
  readonly #fields = $derived.by(() => this.#offered())
  /** The last change that some companies could not get, and the endpoint IDs of these companies. */
  #refused: { readonly change: string; readonly ids: readonly string[] } = { change: '', ids: [] }
  /** The results of `values` for the companies that are shown, by path. Every cell needs them. */
  #counted: {
    readonly companies: readonly ComparedCompany[]
    readonly values: Map<string, readonly ComparedValue[]>
  } | null = null

  /** @param locale how the user's amounts are written */
  constructor(api: Api, connectionId: string, locale: string) {
    this.#api = api
    this.#connectionId = connectionId
    this.#separators = numberSeparators(locale)
  }

  // The form: what to compare.

  /** Fields to choose a value in, and the values of the one that was chosen. */
  async loadFields(object: string): Promise<void> {
    if (object !== this.#fieldsOf) void this.chooseWhere('')
    this.#fieldsOf = object
    if (this.wherePath !== '') void this.#countValues()
    const answer = await this.#api.call('multiCompanyChanges.fields', {
      connectionId: this.#connectionId,
      object,
    })
    if (object !== this.#fieldsOf) return
    this.error = answer.ok ? null : answer.error
    const paths = answer.ok ? answer.value.paths : []
    const found = [...fieldsOf(paths)].map(([name, members]) => ({ name, members }))
    const supported = paths.length === 0 ? null : new Set(paths)
    this.whereFields = importPaths(object, found)
      .filter((path) => path !== 'ID')
      .filter((path) => supported === null || editability(object, path, supported, 'new').editable)
      .map((path) => ({ value: path, label: pathHeading(object, path) }))
  }

  async chooseWhere(path: string): Promise<void> {
    this.wherePath = path
    this.whereValue = null
    this.whereValues = path === '' ? [] : null
    if (path !== '') await this.#countValues()
  }

  /** Counts the values of a field in all companies. */
  async #countValues(): Promise<void> {
    const [object, path] = [this.#fieldsOf, this.wherePath]
    const asked = { connectionId: this.#connectionId, object, path }
    const answer = await this.#api.call('multiCompanyChanges.values', asked)
    if (path !== this.wherePath || object !== this.#fieldsOf) return
    this.error = answer.ok ? null : answer.error
    this.whereValues = answer.ok ? answer.value.values : []
    const isKept = this.whereValues.length > 0
    if (isKept && this.#isNothingKept) this.compared = null
    else if (!isKept) {
      // The comparison says so, and offers to read the lists.
      this.whereValue = ''
      await this.compare()
      this.whereValue = null
    }
    this.#isNothingKept = !isKept
  }

  /** What the form asks for; `null` if it isn't complete. */
  get asked(): RecordCriteria | null {
    const { chosenBy, text, wherePath: path, whereValue: value } = this
    if (chosenBy === 'value') return path === '' || value === null ? null : { by: chosenBy, path, value }
    return text.trim() === '' ? null : { by: chosenBy, text: text.trim() }
  }

  /** Looks for the records in all companies. */
  async compare(): Promise<void> {
    const object = this.object.trim()
    const criteria = this.asked
    if (object === '' || criteria === null) return
    // Requests that arrive meanwhile, such as when a change has finished, must not get lost.
    this.#isAskedAgain = this.isComparing
    if (this.isComparing) return
    const asked = { object, criteria }
    const isSame = JSON.stringify(asked) === JSON.stringify(this.compared)
    const last = isSame ? this.#unsettable() : []
    this.isComparing = true
    this.error = null
    const answer = await this.#api.call('multiCompanyChanges.compare', {
      connectionId: this.#connectionId,
      ...asked,
      ...(last.length === 0 ? {} : { last }),
    })
    this.isComparing = false
    if (this.#isAskedAgain) return this.compare()
    if (!answer.ok) {
      this.error = answer.error
      return
    }
    const before = new Set(isSame ? this.rows.map(({ company, record }) => recordKey(company, record)) : [])
    this.companies = answer.value.companies
    this.notKept = answer.value.notKept
    this.compared = asked
    if (!isSame) {
      this.chooseField(
        this.fields.find(({ value }) => criteria.by === 'value' && value === criteria.path)?.value ?? '',
      )
      this.checked = new Set()
    }
    // Records that have drafts by now can't get other ones.
    this.setChecked(
      this.rows.filter(({ record }) => record.blockedReason !== ''),
      false,
    )
    // With a name or a value, all records are meant, including those of lists that were just read. With a search, the
    // user chooses. Inactive records are left out, because no one maintains their values anymore.
    if (criteria.by !== 'text')
      this.setChecked(
        this.rows.filter(
          ({ company, record }) =>
            company.blockedReason === '' &&
            (criteria.by === 'name' || record.isActive) &&
            !before.has(recordKey(company, record)),
        ),
        true,
      )
  }

  // The records that were found, and their values.

  /** The list of the records that are shown. The form may name another one by now. */
  get comparedObject(): string {
    return this.compared?.object ?? this.object
  }

  /** All records that are shown, with their companies. */
  get rows(): readonly ComparedRow[] {
    return this.companies.flatMap((company) => company.records.map((record) => ({ company, record })))
  }

  /** How the records that are shown were found. */
  choice(format: Format): RecordChoice | null {
    const { compared } = this
    if (compared === null) return null
    return {
      text: formatComparison(compared.object, compared.criteria, format),
      typed: compared.criteria.by === 'text' ? compared.criteria.text : '',
      matches: new Map(
        this.rows.flatMap(({ company, record }) =>
          record.matched === null ? [] : [[recordKey(company, record), record.matched] as const],
        ),
      ),
    }
  }

  valueOf({ record }: ComparedRecord, path: string): EditValue {
    return valueAt(this.comparedObject, record, path)
  }

  /** Whether a record has a reference of which only the ID is known, so that it can't be compared. */
  isUnnamed({ record }: ComparedRecord, path: string): boolean {
    return memberOf(path) === null && unnamedId(record[topField(path)]) !== null
  }

  #keyOf(path: string, value: EditValue): string {
    return valueKey(pathType(this.comparedObject, path), value)
  }

  #keyIn({ company, record }: ComparedRow, path: string): string {
    const key = this.#keyOf(path, this.valueOf(record, path))
    return this.isUnnamed(record, path) ? JSON.stringify([company.company.endpointId, key]) : key
  }

  /**
   * Returns the values of a field, the most frequent first. A reference without a name counts for itself in each company,
   * because its ID means something else in another one.
   */
  values(path: string): readonly ComparedValue[] {
    const { companies } = this
    if (this.#counted?.companies !== companies) this.#counted = { companies, values: new Map() }
    const known = this.#counted.values.get(path)
    if (known !== undefined) return known
    const values = [...Map.groupBy(this.rows, (row) => this.#keyIn(row, path))]
      .map(([key, rows]) => {
        const [{ record }] = rows as [ComparedRow]
        return { key, value: this.valueOf(record, path), isUnnamed: this.isUnnamed(record, path), rows }
      })
      .toSorted((left, right) => right.rows.length - left.rows.length)
    this.#counted.values.set(path, values)
    return values
  }

  /** The records that have a value in a field, of companies where something can be changed. */
  rowsWith(path: string, { key }: Pick<ComparedValue, 'key'>): readonly ComparedRow[] {
    const found = this.values(path).find((each) => each.key === key)?.rows ?? []
    return found.filter(({ company, record }) => company.blockedReason === '' && record.blockedReason === '')
  }

  differs(path: string): boolean {
    return this.values(path).length > 1
  }

  /** Whether a record has another value than most. */
  isOdd(record: ComparedRecord, path: string): boolean {
    const [most, ...others] = this.values(path)
    if (most === undefined || others.length === 0) return false
    // No one knows whether it is the same.
    if (most.isUnnamed || this.isUnnamed(record, path)) return false
    // Where no value is more frequent than all others, as with phones, none stands out.
    if (others.length > 1 && others[0]?.rows.length === most.rows.length) return false
    return this.#keyOf(path, this.valueOf(record, path)) !== most.key
  }

  /** Lists that aren't kept or are old. */
  toRead(isOld: (readAt: string) => boolean): readonly ComparedCompany[] {
    return this.companies.filter(({ readAt }) => readAt === null || isOld(readAt))
  }

  async readNow(companies: readonly ComparedCompany[]): Promise<void> {
    const object = this.comparedObject
    const lists = companies.map(({ company }) => ({ endpointId: company.endpointId, object }))
    const begun = await this.#api.call('allCompanies.read', { connectionId: this.#connectionId, lists })
    this.error = begun.ok ? null : begun.error
  }

  // The field to change, and its new value.

  /** Fields that can be set in at least one of the companies. */
  get fields(): readonly Option[] {
    return this.#fields
  }

  #offered(): readonly Option[] {
    const object = this.comparedObject
    const supported = this.companies.flatMap((company) =>
      company.supported === null ? [] : [company.supported],
    )
    const found = foundFields(this.rows.map(({ record }) => record.record))
    const fields = new Set(supported.length === 0 ? found.map(({ name }) => name) : supported.flat())
    return importPaths(object, found)
      .filter((path) => editability(object, path, fields, 'existing').editable)
      .map((path) => ({ value: path, label: pathHeading(object, path) }))
  }

  /** The chosen field, and others in which the records differ. */
  get shownPaths(): readonly string[] {
    const others = this.#fields
      .map(({ value }) => value)
      .filter((path) => path !== this.path && path !== 'Name' && this.differs(path))
    return [...(this.path === '' ? [] : [this.path]), ...others.slice(0, MAX_SHOWN)]
  }

  chooseField(path: string): void {
    this.path = path
    this.typed = ''
    this.isClearing = false
    // A user who looks for everyone on Net 60 wants to replace that value.
    const criteria = this.compared?.criteria
    this.replaces = criteria?.by === 'value' && criteria.path === path
    void this.#loadNames()
    // Companies where the field can't be set leave their space to the others.
    const isFull = this.companies.some(({ records, total }) => total > records.length)
    const hasBlocked = this.companies.some(
      (company) => company.records.length > 0 && this.blockedReasonOf(company) !== '',
    )
    if (isFull && hasBlocked) void this.compare()
  }

  /** Reads the names in the kept lists that the chosen field refers to. */
  async #loadNames(): Promise<void> {
    this.names = null
    const { path, comparedObject } = this
    if (path === '' || memberOf(path) !== null || pathType(comparedObject, path) !== 'reference') return
    const object = referenceList(comparedObject, topField(path))
    const asked = { connectionId: this.#connectionId, object }
    const answers = await Promise.all(
      ['Name', 'FullName'].map((field) =>
        this.#api.call('multiCompanyChanges.values', { ...asked, path: field }),
      ),
    )
    if (path !== this.path || comparedObject !== this.comparedObject) return
    const lists = answers.flatMap((answer) => (answer.ok ? [answer.value] : []))
    const names = lists.flatMap(({ values }) => values.map(({ value }) => plainValue(value))).filter(Boolean)
    const isComplete = lists.length === answers.length && !lists.some(({ isMore }) => isMore)
    this.names = isComplete ? [...new Set(names)] : null
  }

  /** The chosen or typed value; `null` if the field can't have it. */
  get newValue(): EditValue | null {
    if (this.isClearing && this.canClear)
      return pathType(this.comparedObject, this.path) === 'reference' ? EMPTY_REFERENCE : ''
    const text = this.typed.trim()
    if (text === '' || this.path === '') return null
    const typed = readTyped(pathType(this.comparedObject, this.path), text, this.#separators, false)
    return typed.ok ? typed.value : null
  }

  /** Whether the field may be empty. Amounts and yes/no fields can't be cleared (decisions.md, "Clearing a field"). */
  get canClear(): boolean {
    if (this.path === '' || objectDefinition(this.comparedObject)?.required.includes(this.path)) return false
    const type = pathType(this.comparedObject, this.path)
    return type === 'text' || type === 'reference'
  }

  clear(isClearing: boolean): void {
    this.isClearing = isClearing
    if (isClearing) this.typed = ''
  }

  /** Whether the new value names a record that no kept list has, so that the change may be refused. */
  get isUnknownName(): boolean {
    const { newValue, names, path } = this
    if (names === null || newValue === null || typeof newValue === 'string') return false
    if (newValue.FullName === '') return false
    const used = this.values(path).map(({ value }) => plainValue(value))
    const name = newValue.FullName.toLocaleLowerCase()
    return ![...names, ...used].some((each) => each.toLocaleLowerCase() === name)
  }

  /** Whether another value has to be replaced on purpose. A yes/no field is never empty, so setting it is the purpose. */
  get asksToReplace(): boolean {
    return this.path !== '' && !this.isClearing && pathType(this.comparedObject, this.path) !== 'boolean'
  }

  /** What a new value does to a record: fills a field, changes nothing, or replaces another value. */
  currentValueIn(record: ComparedRecord): CurrentValue {
    const { newValue, path } = this
    const value = this.valueOf(record, path)
    const isSame = newValue !== null && this.#keyOf(path, value) === this.#keyOf(path, newValue)
    if (isSame && !this.isUnnamed(record, path)) return 'same'
    return isEmpty(value) ? 'empty' : 'other'
  }

  // The records that get the new value.

  setChecked(rows: readonly ComparedRow[], on: boolean): void {
    const next = new Set(this.checked)
    for (const { company, record } of rows) {
      if (on && record.blockedReason === '') next.add(recordKey(company, record))
      else next.delete(recordKey(company, record))
    }
    this.checked = next
  }

  get chosen(): readonly ComparedRow[] {
    return this.rows.filter(({ company, record }) => this.checked.has(recordKey(company, record)))
  }

  /** Names the companies that can't get the value; empty if all can. */
  blockedReasonOf(company: ComparedCompany): string {
    if (company.blockedReason !== '') return company.blockedReason
    if (this.path === '' || company.supported === null) return ''
    const right = editability(this.comparedObject, this.path, new Set(company.supported), 'existing')
    return right.editable ? '' : right.reason
  }

  /** Checked records that can get a value in the chosen field. */
  get settable(): readonly ComparedRow[] {
    return this.chosen.filter(({ company }) => this.blockedReasonOf(company) === '')
  }

  /** The records that get the new value. */
  get changed(): readonly ComparedRow[] {
    const keeps = this.asksToReplace && !this.replaces
    return this.settable.filter(({ record }) => {
      const value = this.currentValueIn(record)
      return value === 'empty' || (value === 'other' && !keeps)
    })
  }

  /** Creates the drafts. Returns the change, or `null` if there is none. */
  async draft(): Promise<ShownChange | null> {
    const { newValue } = this
    if (newValue === null || this.isDrafting) return null
    const byCompany = Map.groupBy(this.changed, ({ company }) => company.company.endpointId)
    const picks = [...byCompany].map(([endpointId, rows]) => ({
      endpointId,
      recordIds: rows.map(({ record }) => record.recordId),
    }))
    if (picks.length === 0) return null
    this.isDrafting = true
    const answer = await this.#api.call('multiCompanyChanges.draft', {
      connectionId: this.#connectionId,
      object: this.comparedObject,
      path: this.path,
      now: newValue,
      picks,
      others: this.#others(),
    })
    this.isDrafting = false
    const drafted = new Set(answer.ok ? answer.value.items.map(({ endpointId }) => endpointId) : [])
    const ids = picks.map(({ endpointId }) => endpointId).filter((endpointId) => !drafted.has(endpointId))
    this.#refused = { change: this.#change, ids: [...this.#refusedBefore, ...ids] }
    // The companies' records may have changed.
    if (!answer.ok) await this.compare()
    this.error = answer.ok ? null : answer.error
    return answer.ok ? answer.value : null
  }

  /** What is set, and where. */
  get #change(): string {
    return JSON.stringify([this.compared, this.path, this.newValue])
  }

  get #refusedBefore(): readonly string[] {
    return this.#refused.change === this.#change ? this.#refused.ids : []
  }

  /** Endpoint IDs of companies whose records can't get the value, as far as is known. */
  #unsettable(): readonly string[] {
    const blocked = this.companies.filter((company) => this.blockedReasonOf(company) !== '')
    return [...new Set([...blocked.map(({ company }) => company.endpointId), ...this.#refusedBefore])]
  }

  /** Companies that get nothing: their records can't be changed, or their list wasn't compared. */
  #others(): NonNullable<CallInput<'multiCompanyChanges.draft'>['others']> {
    const refused = this.companies.filter(
      (company) => company.readAt === null || (company.total > 0 && this.blockedReasonOf(company) !== ''),
    )
    return [
      ...refused.map(({ company, total }) => ({ endpointId: company.endpointId, records: total })),
      ...this.notKept.map(({ endpointId }) => ({ endpointId, records: 0 })),
    ]
  }
}

export function recordKey(
  { company }: Pick<ComparedCompany, 'company'>,
  { recordId }: Pick<ComparedRecord, 'recordId'>,
): string {
  return JSON.stringify([company.endpointId, recordId])
}

/** The fields of records, with the members of nested ones. */
function foundFields(records: readonly RecordData[]): readonly FoundField[] {
  const fields = new Map<string, Set<string>>()
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      const members = fields.get(name) ?? new Set()
      fields.set(name, members)
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue
      for (const member of Object.keys(value)) members.add(member)
    }
  }
  return [...fields].map(([name, members]) => ({ name, members: [...members] }))
}
