/** Compares records of several companies, sets one field of them, and follows the changes that result. */
import type {
  ComparedCompany,
  ComparedRecord,
  ComparisonOf,
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
import { listName, objectDefinition, referenceList } from '../../../shared/records/definition.ts'
import {
  editability,
  fieldsOf,
  type FoundField,
  importPaths,
  pathHeading,
} from '../../../shared/records/fields.ts'
import { fieldValueText, plainValue, valueKey } from '../../../shared/records/value-text.ts'
import type { AppError, Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { readTyped } from '../../ui/fields/typed-values.ts'

/** How records are chosen: all of one name, all with a value in a field, or those that a search finds. */
export type ChosenBy = ComparisonOf['by']

/** What the chosen field of a record contains now, which decides what a new value does to it. */
export type CurrentValue = 'empty' | 'same' | 'other'

/** How many fields are shown beside the chosen one because records differ in them. */
const MAX_SHOWN = 4

/** A value that records have in a field. */
interface ComparedValue {
  /** Unique among the values of the field. */
  readonly key: string
  readonly value: EditValue
  /** Whether only the ID of the referenced record is known. */
  readonly isUnnamed: boolean
  readonly rows: MultiCompanyChangeModel['rows']
}

export class MultiCompanyChangeModel {
  object = $state('customer')
  by = $state<ChosenBy>('name')
  text = $state('')
  companies = $state.raw<readonly ComparedCompany[]>([])
  notKept = $state.raw<readonly CompanyRef[]>([])
  /** The field whose values are offered with `by` *value*, and the fields to choose it from. */
  wherePath = $state('')
  whereFields = $state.raw<readonly { readonly value: string; readonly label: string }[]>([])
  /** The values of that field in all companies; `null` while they are being counted. */
  whereValues = $state.raw<CallOutput<'multiCompanyChanges.values'>['values'] | null>([])
  /** The chosen one of them. */
  whereValue = $state.raw<EditValue | null>(null)
  /** What was compared last; `null` before the first time. */
  compared = $state.raw<{ readonly object: string; readonly of: ComparisonOf } | null>(null)
  isComparing = $state(false)
  isDrafting = $state(false)
  /** Checked records, by `recordKey`. */
  checked = $state.raw<ReadonlySet<string>>(new Set())
  path = $state('')
  typed = $state('')
  /** Whether records that have another value get the new one, too. */
  replaces = $state(false)
  /** **Clear the value** empties the field. An empty text box never does. */
  isClearing = $state(false)
  /** The names that a reference can have, as far as its lists are kept; `null` if that isn't known. */
  names = $state.raw<readonly string[] | null>(null)
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  /** Whether a comparison was asked for while another one was running. */
  #isAskedAgain = false
  /** The list that has `whereFields`. */
  #fieldsOf = ''
  /** Whether the comparison only says that no list is kept. */
  #isNothingKept = false
  readonly #fields = $derived.by(() => this.#offered())
  /** The last change that some companies could not get, and these companies. */
  #refused: { readonly change: string; readonly ids: readonly string[] } = { change: '', ids: [] }
  /** The results of `values` for these companies, by path. Every cell needs them. */
  #counted: {
    of: MultiCompanyChangeModel['companies']
    values: Map<string, ReturnType<MultiCompanyChangeModel['values']>>
  } | null = null

  readonly #separators: NumberSeparators

  /** @param locale how the user's amounts are written */
  constructor(api: Api, connectionId: string, locale: string) {
    this.#api = api
    this.#connectionId = connectionId
    this.#separators = numberSeparators(locale)
  }

  /** All records that are shown, with their companies. */
  get rows(): readonly { readonly company: ComparedCompany; readonly record: ComparedRecord }[] {
    return this.companies.flatMap((company) => company.records.map((record) => ({ company, record })))
  }

  get chosen(): readonly { readonly company: ComparedCompany; readonly record: ComparedRecord }[] {
    return this.rows.filter(({ company, record }) => this.checked.has(recordKey(company, record)))
  }

  /** How the records that are shown were found. */
  choice(format: Format): RecordChoice | null {
    const { compared } = this
    if (compared === null) return null
    return {
      text: formatComparison(compared.object, compared.of, format),
      typed: compared.of.by === 'text' ? compared.of.text : '',
      matches: new Map(
        this.rows.flatMap(({ company, record }) =>
          record.matched === null ? [] : [[recordKey(company, record), record.matched] as const],
        ),
      ),
    }
  }

  /** Checked records that can get a value in the chosen field. */
  get settable(): MultiCompanyChangeModel['rows'] {
    return this.chosen.filter(({ company }) => this.blockedReasonOf(company) === '')
  }

  /** What a new value does to a record: fills a field, changes nothing, or replaces another value. */
  nowIn(record: ComparedRecord): CurrentValue {
    const { now, path } = this
    const value = this.valueOf(record, path)
    const isSame = now !== null && this.#keyOf(path, value) === this.#keyOf(path, now)
    if (isSame && !this.isUnnamed(record, path)) return 'same'
    return isEmpty(value) ? 'empty' : 'other'
  }

  /** Whether another value has to be replaced on purpose. A yes/no field is never empty, so setting it is the purpose. */
  get asksToReplace(): boolean {
    return this.path !== '' && !this.isClearing && pathType(this.comparedObject, this.path) !== 'boolean'
  }

  /** The records that get the new value. */
  get changed(): MultiCompanyChangeModel['rows'] {
    const keeps = this.asksToReplace && !this.replaces
    return this.settable.filter(({ record }) => {
      const now = this.nowIn(record)
      return now === 'empty' || (now === 'other' && !keeps)
    })
  }

  /** Fields that can be set in at least one of the companies. */
  get fields(): readonly { readonly value: string; readonly label: string }[] {
    return this.#fields
  }

  /** The chosen field, and others in which the records differ. */
  get shownPaths(): readonly string[] {
    const others = this.#fields
      .map(({ value }) => value)
      .filter((path) => path !== this.path && path !== 'Name' && this.differs(path))
    return [...(this.path === '' ? [] : [this.path]), ...others.slice(0, MAX_SHOWN)]
  }

  /**
   * Returns the values of a field, the most frequent first. A reference without a name counts for itself in each company,
   * because its ID means something else in another one.
   */
  values(path: string): readonly ComparedValue[] {
    const { companies } = this
    if (this.#counted?.of !== companies) this.#counted = { of: companies, values: new Map() }
    const known = this.#counted.values.get(path)
    if (known !== undefined) return known
    const values = [...Map.groupBy(this.rows, (row) => this.#keyIn(row, path))]
      .map(([key, rows]) => {
        const [{ record }] = rows as [MultiCompanyChangeModel['rows'][number]]
        return { key, value: this.valueOf(record, path), isUnnamed: this.isUnnamed(record, path), rows }
      })
      .toSorted((left, right) => right.rows.length - left.rows.length)
    this.#counted.values.set(path, values)
    return values
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

  #keyIn({ company, record }: MultiCompanyChangeModel['rows'][number], path: string): string {
    const key = this.#keyOf(path, this.valueOf(record, path))
    return this.isUnnamed(record, path) ? JSON.stringify([company.company.endpointId, key]) : key
  }

  /** The list of the records that are shown. The form may name another one by now. */
  get comparedObject(): string {
    return this.compared?.object ?? this.object
  }

  /** The records that have a value in a field, of companies where something can be changed. */
  rowsWith(path: string, { key }: Pick<ComparedValue, 'key'>): MultiCompanyChangeModel['rows'] {
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

  chooseField(path: string): void {
    this.path = path
    this.typed = ''
    this.isClearing = false
    // A user who looks for everyone on Net 60 wants to replace that value.
    const of = this.compared?.of
    this.replaces = of?.by === 'value' && of.path === path
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
    const isWhole = lists.length === answers.length && !lists.some(({ isMore }) => isMore)
    this.names = isWhole && names.length > 0 ? [...new Set(names)] : null
  }

  /** Whether the new value names a record that no kept list has, so that the change may be refused. */
  get isUnknownName(): boolean {
    const { now, names, path } = this
    if (names === null || now === null || typeof now === 'string' || now.FullName === '') return false
    const used = this.values(path).map(({ value }) => plainValue(value))
    const name = now.FullName.toLocaleLowerCase()
    return ![...names, ...used].some((each) => each.toLocaleLowerCase() === name)
  }

  clear(isClearing: boolean): void {
    this.isClearing = isClearing
    if (isClearing) this.typed = ''
  }

  /** Whether the field may be empty. Amounts and yes/no fields can't be cleared (decisions.md, "Clearing a field"). */
  get canClear(): boolean {
    if (this.path === '' || objectDefinition(this.comparedObject)?.required.includes(this.path)) return false
    const type = pathType(this.comparedObject, this.path)
    return type === 'text' || type === 'reference'
  }

  /** The chosen or typed value; `null` if the field can't have it. */
  get now(): EditValue | null {
    if (this.isClearing && this.canClear)
      return pathType(this.comparedObject, this.path) === 'reference' ? EMPTY_REFERENCE : ''
    const text = this.typed.trim()
    if (text === '' || this.path === '') return null
    const typed = readTyped(pathType(this.comparedObject, this.path), text, this.#separators, false)
    return typed.ok ? typed.value : null
  }

  /** Names the companies that can't get the value; empty if all can. */
  blockedReasonOf(company: ComparedCompany): string {
    if (company.blockedReason !== '') return company.blockedReason
    if (this.path === '' || company.supported === null) return ''
    const right = editability(this.comparedObject, this.path, new Set(company.supported), 'existing')
    return right.editable ? '' : right.reason
  }

  setChecked(
    rows: readonly { readonly company: ComparedCompany; readonly record: ComparedRecord }[],
    on: boolean,
  ): void {
    const next = new Set(this.checked)
    for (const { company, record } of rows) {
      if (on && record.blockedReason === '') next.add(recordKey(company, record))
      else next.delete(recordKey(company, record))
    }
    this.checked = next
  }

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
  get asked(): ComparisonOf | null {
    const { by, text, wherePath: path, whereValue: value } = this
    if (by === 'value') return path === '' || value === null ? null : { by, path, value }
    return text.trim() === '' ? null : { by, text: text.trim() }
  }

  /** Looks for the records in all companies. */
  async compare(): Promise<void> {
    const object = this.object.trim()
    const of = this.asked
    if (object === '' || of === null) return
    // Requests that arrive meanwhile, such as when a change has finished, must not get lost.
    this.#isAskedAgain = this.isComparing
    if (this.isComparing) return
    const asked = { object, of }
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
      this.chooseField(this.fields.find(({ value }) => of.by === 'value' && value === of.path)?.value ?? '')
      this.checked = new Set()
    }
    // Records that have drafts by now can't get other ones.
    this.setChecked(
      this.rows.filter(({ record }) => record.blockedReason !== ''),
      false,
    )
    // With a name or a value, all records are meant, including those of lists that were just read. With a search, the
    // user chooses. Inactive records are left out, because no one maintains their values anymore.
    if (of.by !== 'text')
      this.setChecked(
        this.rows.filter(
          ({ company, record }) =>
            company.blockedReason === '' &&
            (of.by === 'name' || record.isActive) &&
            !before.has(recordKey(company, record)),
        ),
        true,
      )
  }

  /** Creates the drafts. Returns the change, or `null` if there is none. */
  async draft(): Promise<ShownChange | null> {
    const { now } = this
    if (now === null || this.isDrafting) return null
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
      now,
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
    return JSON.stringify([this.compared, this.path, this.now])
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

  #offered(): readonly { readonly value: string; readonly label: string }[] {
    const object = this.comparedObject
    const supported = this.companies.flatMap((company) =>
      company.supported === null ? [] : [company.supported],
    )
    const known = supported.length === 0 ? null : new Set(supported.flat())
    const found = foundFields(this.rows.map(({ record }) => record.record))
    return importPaths(object, found)
      .filter((path) => {
        const fields = known ?? new Set(found.flatMap(({ name }) => [name]))
        return editability(object, path, fields, 'existing').editable
      })
      .map((path) => ({ value: path, label: pathHeading(object, path) }))
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

/** How the records of a change were found. */
interface RecordChoice {
  /** *Customers matching “har”*. */
  readonly text: string
  /** What was searched for; empty without a search. */
  readonly typed: string
  /** The values that the search found in other fields than the name, by `recordKey`. */
  readonly matches: ReadonlyMap<string, NonNullable<ComparedRecord['matched']>>
}

/** The changes of one connection, as the main process reports them, and what can be done with each. */
export class ChangesList {
  changes = $state.raw<readonly ShownChange[]>([])
  /** How the records of the changes that were prepared here were found, by change ID. */
  choices = $state.raw<ReadonlyMap<string, RecordChoice>>(new Map())
  error = $state.raw<AppError | null>(null)
  readonly #api: Api
  readonly #connectionId: string
  /** For each call that is running, the progress that has arrived since it began. */
  readonly #missed = new Set<ShownChange[]>()

  constructor(api: Api, connectionId: string) {
    this.#api = api
    this.#connectionId = connectionId
  }

  /** Loads the changes and follows their progress until the returned function is called. */
  listen(): () => void {
    void this.load()
    return this.#api.on('multiCompanyChanges.changed', (change) => {
      if (change.connectionId !== this.#connectionId) return
      for (const missed of this.#missed) missed.push(change)
      this.#merge(change)
    })
  }

  /** @param progress the change, with only those of its records that have a new state */
  #merge(progress: ShownChange): void {
    this.changes = this.changes.map((each) =>
      each.changeId === progress.changeId ? withProgress(each, progress) : each,
    )
  }

  /** Progress that arrives during a call may be newer than its response, so it is applied again afterward. */
  async #read<T>(call: Promise<Result<T>>, show: (read: T) => void): Promise<Result<T>> {
    const missed: ShownChange[] = []
    this.#missed.add(missed)
    const answer = await call
    this.#missed.delete(missed)
    if (answer.ok) show(answer.value)
    for (const progress of missed) this.#merge(progress)
    return answer
  }

  put(change: ShownChange): void {
    const isKnown = this.changes.some(({ changeId }) => changeId === change.changeId)
    this.changes = isKnown
      ? this.changes.map((each) =>
          each.changeId === change.changeId ? withKnownRecords(change, each) : each,
        )
      : [change, ...this.changes]
  }

  /** Adds a change that was just prepared. */
  add(change: ShownChange, choice: RecordChoice): void {
    this.choices = new Map([...this.choices, [change.changeId, choice]])
    this.put(change)
  }

  async load(): Promise<void> {
    const call = this.#api.call('multiCompanyChanges.list', { connectionId: this.#connectionId })
    this.#showError(await this.#read(call, (changes) => (this.changes = changes)))
  }

  async send({ changeId }: ShownChange, draftIds: readonly string[]): Promise<void> {
    const call = this.#api.call('multiCompanyChanges.send', { changeId, draftIds: [...draftIds] })
    const sent = await this.#read(call, (change) => {
      this.put(change)
    })
    this.error = sent.ok || sent.error.kind === 'declined' ? null : sent.error
  }

  async stop({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.stop', { changeId }))
  }

  async resume({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.resume', { changeId }))
  }

  async answer({ changeId }: ShownChange, endpointId: string, answer: 'again' | 'skip'): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.answer', { changeId, endpointId, answer }))
  }

  async discard({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.discard', { changeId }))
    await this.load()
  }

  async remove({ changeId }: ShownChange): Promise<void> {
    this.#showError(await this.#api.call('multiCompanyChanges.remove', { changeId }))
    await this.load()
  }

  saveReceipt({ changeId }: ShownChange) {
    return this.#api.call('multiCompanyChanges.saveReceipt', { changeId })
  }

  #showError(result: Result<unknown>): void {
    this.error = result.ok ? null : result.error
  }
}

/** Applies progress to a change. Unchanged records keep their identity, so that their rows aren't drawn again. */
function withProgress(before: ShownChange, progress: ShownChange): ShownChange {
  const known = new Map(before.items.map((item) => [item.itemId, item]))
  return {
    ...progress,
    items: progress.items.map((item) => {
      const changed = new Map(item.records.map((record) => [record.draftId, record]))
      const records = known.get(item.itemId)?.records ?? []
      return {
        ...item,
        records: changed.size === 0 ? records : records.map((each) => changed.get(each.draftId) ?? each),
      }
    }),
  }
}

/** Keeps the identity of records that are as before, so that their rows aren't drawn again. */
function withKnownRecords(change: ShownChange, before: ShownChange): ShownChange {
  const known = new Map(before.items.flatMap(({ records }) => records.map((each) => [each.draftId, each])))
  return {
    ...change,
    items: change.items.map((item) => ({
      ...item,
      records: item.records.map((record) => {
        const same = known.get(record.draftId)
        return same !== undefined && JSON.stringify(same) === JSON.stringify(record) ? same : record
      }),
    })),
  }
}

/**
 * The records of a table by company. Of a long table, the first of each company are shown, and more when the user asks
 * for them.
 */
export class CompanyRows {
  static readonly #LONG = 1_000
  static readonly #FIRST = 20
  static readonly STEP = 500
  #limits = $state.raw<ReadonlyMap<string, number>>(new Map())

  /**
   * The rows of a company that are shown.
   * @param all how many rows the table has
   */
  shown<Row>(endpointId: string, rows: readonly Row[], all: number): readonly Row[] {
    if (all <= CompanyRows.#LONG) return rows
    return rows.slice(0, this.#limits.get(endpointId) ?? CompanyRows.#FIRST)
  }

  showMore(endpointId: string): void {
    const limit = (this.#limits.get(endpointId) ?? CompanyRows.#FIRST) + CompanyRows.STEP
    this.#limits = new Map([...this.#limits, [endpointId, limit]])
  }
}

// Formats changes. Pure functions.

/** Formats what was compared, such as *Customers matching “har”*. */
function formatComparison(object: string, of: ComparisonOf, format: Format): string {
  const list = listName(object)
  switch (of.by) {
    case 'name':
      return `${list} named “${of.text}”`
    case 'text':
      return `${list} matching “${of.text}”`
    case 'value':
      return `${list} with ${pathHeading(object, of.path)} ${fieldValueText(object, of.path, of.value, format)}`
  }
}

/** Formats the new value: *Net 30*. */
export function formatNewValue({ now }: Pick<ShownChange, 'now'>): string {
  return isEmpty(now) ? '(empty)' : plainValue(now)
}

function formatChangeState(state: Exclude<ShownChange['state'], 'finished'>): string {
  switch (state) {
    case 'draft':
      return 'Not sent yet'
    case 'running':
      return 'Sending'
    case 'needs-you':
      return 'Waiting for you'
    case 'stopped':
      return 'Stopped'
  }
}

const STATE_WORDS = [
  ['saved', 'saved'],
  ['not-accepted', 'not accepted'],
  ['not-confirmed', 'not confirmed'],
  ['decision', 'for your decision'],
  ['changed-meanwhile', 'changed meanwhile'],
  ['discarded', 'discarded'],
  ['not-sent', 'not sent'],
  ['draft', 'not sent'],
  ['gone', 'discarded'],
  ['trimmed', 'no longer in the history'],
] as const

/** Summarizes a change: *Sending: 3 of 34 saved, 31 not sent*; once it is finished, only its result. */
export function formatChange(change: Pick<ShownChange, 'state' | 'items'>): string {
  const summary = changeSummary(change)
  return change.state === 'finished' ? summary : `${formatChangeState(change.state)}: ${summary}`
}

/** Formats the progress: *31 of 34 saved, 1 not accepted, 2 not sent*. */
function changeSummary({ items }: Pick<ShownChange, 'items'>): string {
  const records = items.flatMap((item) => item.records)
  const counts = new Map<string, number>()
  for (const { state } of records) {
    const [, message] = STATE_WORDS.find(([each]) => each === state) ?? ['', '']
    counts.set(message, (counts.get(message) ?? 0) + 1)
  }
  const saved = counts.get('saved') ?? 0
  counts.delete('saved')
  return [
    `${saved} of ${records.length} saved`,
    ...[...counts].map(([message, count]) => `${count} ${message}`),
  ].join(', ')
}

/** Says how many records of a company aren't confirmed yet; empty if there are none. */
export function unconfirmedNote(
  { items }: Pick<ShownChange, 'items'>,
  endpointId: string,
  format: Format,
): string {
  const records = items.filter((item) => item.endpointId === endpointId).flatMap((item) => item.records)
  const { length } = records.filter(({ state }) => state === 'not-confirmed')
  if (length === 0) return ''
  return `${format.count(length)} ${length === 1 ? 'record there isn’t' : 'records there aren’t'} confirmed yet. Bookbridge keeps checking.`
}
