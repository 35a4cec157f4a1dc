/**
 * One list of one company: its rows, columns, and drafts, and the work in progress. Lives as long as the
 * window, so that a list that was opened before reappears immediately. The grid is updated through a port while
 * it is shown.
 */
import { untrack } from 'svelte'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, FieldSupport, OpenedSet, RecordsFilter } from '../../../shared/contract/records.ts'
import { editAt, type EditValue, isEmpty, shownValue, topField } from '../../../shared/records/changes.ts'
import type { Api } from '../../api.ts'
import { ListDrafts } from '../drafts/list-drafts.svelte.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import { Sending } from '../drafts/sending.svelte.ts'
import { NO_FILTER } from '../filters/records-filter.ts'
import {
  allColumns,
  formatPath,
  planColumns,
  type PlanEntry,
  type PlannedColumn,
  sharedColumns,
} from '../grid/columns/plan.ts'
import { type CellEdit, ListEditing } from './editing.svelte.ts'
import { ListOutcomes } from './list-outcomes.ts'
import { type InsertPosition, type ListMerge, ListRows } from './list-rows.svelte.ts'
import { ListReader, type RowConsumer } from './reader.svelte.ts'
import { ReferenceIndex } from './references.svelte.ts'
import { type RecordRow, rowName } from './rows.ts'
import { CommonFields, ListSupport } from './support.svelte.ts'
import { type Interruptible, runRemainingSlices } from './time-slice.ts'
import { ListUpdate } from './update.svelte.ts'

const NO_FIELDS: OpenedSet['fields'] = []

export class RecordsList {
  readonly company: CompanyRef
  readonly object: string
  readonly reader: ListReader
  readonly drafts: ListDrafts
  readonly sending: Sending
  readonly rows: ListRows
  readonly editing: ListEditing
  readonly outcomes: ListOutcomes
  readonly references: ReferenceIndex
  readonly commonFields: CommonFields
  readonly update: ListUpdate
  /** Whether a saved copy was looked for. Until then, nobody knows whether the list has to be read. */
  isOpened = $state(false)
  /** The filter of the next read. */
  filter = $state.raw<RecordsFilter>(NO_FILTER)
  /** Why these books can't be changed; empty if they can. */
  closedReason = $state('')
  /** Merges the rows of a read that repeats the last one. */
  #refreshMerge: ListMerge | null = null
  readonly #api: Api
  readonly #support: ListSupport
  #lastPlan: readonly PlanEntry[] = []
  readonly #fields = $derived.by(() => this.reader.set?.fields ?? NO_FIELDS)
  readonly #plan = $derived.by(() =>
    this.#planned(
      sharedColumns(
        planColumns(this.object, this.#fields, this.#support.current),
        this.commonFields.fields,
        (field) => untrack(() => this.#isDrafted(field)),
      ),
    ),
  )
  readonly #byPath = $derived(new Map(allColumns(this.#plan).map((column) => [column.path, column])))

  constructor(api: Api, company: CompanyRef, object: string, onend: (batch: Batch) => void) {
    this.#api = api
    this.company = company
    this.object = object
    const ports = { api, company, object }
    this.#support = new ListSupport({
      ...ports,
      onchange: () => this.rows.grid?.refresh([...this.drafts.markedRows()]),
    })
    this.reader = new ListReader({
      ...ports,
      isShown: (filter) => this.#asks(filter),
      isEmpty: () => !this.rows.hasRead(),
      consumer: (isAgain) => this.#consumer(isAgain),
      onend: () => this.#end(),
      ondiscard: () => this.rows.removeMissing(this.rows.merge()),
    })
    this.drafts = new ListDrafts({
      ...ports,
      row: (rowId) => this.rows.get(rowId),
      supported: () => this.#support.names,
      isWholeList: () => this.isWholeList,
      referenceStatus: (path, fullName) => this.references.status(path, fullName),
      ambiguity: (row) => this.rows.ambiguity(row),
    })
    this.rows = new ListRows(this.drafts)
    this.sending = new Sending({
      ...ports,
      draftsSaved: () => this.drafts.settled(),
      ondecided: () => this.reload(),
      onend,
    })
    this.commonFields = new CommonFields(ports)
    this.references = new ReferenceIndex({
      ...ports,
      rows: () => this.rows,
      isWholeList: () => this.isWholeList,
      isDraftedName: (fullName) => this.drafts.names.has(fullName),
    })
    this.editing = new ListEditing(this)
    this.outcomes = new ListOutcomes(this)
    this.update = new ListUpdate(this, api)
  }

  get plan() {
    return this.#plan
  }

  /** Which fields the application supports; `null` while the metadata is loading. */
  get support(): FieldSupport | null {
    return this.#support.current
  }

  /** Number of rows, including new ones and those shown only for a draft. */
  get count(): number {
    return this.rows.count
  }

  /** Why the row's record can't be identified, and so can't be changed; empty if it can. */
  ambiguity(row: RecordRow): string {
    return this.rows.ambiguity(row)
  }

  row(rowId: string): RecordRow | undefined {
    return this.rows.get(rowId)
  }

  column(path: string): PlannedColumn | undefined {
    return this.#byPath.get(path)
  }

  fieldLabel = (path: string): string => formatPath(this.#plan, path)

  /** The name of a row, including unsent edits. */
  nameOf(rowId: string): string {
    const row = this.rows.get(rowId)
    const name = this.drafts.draft(rowId)?.edits['Name']?.now
    if (typeof name === 'string') return name
    return row ? rowName(row) : ''
  }

  /**
   * Saved records whose names have all words.
   * @param words normalized for search
   */
  findByName(
    terms: readonly string[],
    most: number,
  ): readonly { readonly recordId: string; readonly name: string }[] {
    const rowIds = this.drafts.names.find(terms, most)
    return rowIds.flatMap((rowId) => {
      const recordId = this.rows.get(rowId)?.recordId ?? ''
      return recordId === '' ? [] : [{ recordId, name: this.nameOf(rowId) }]
    })
  }

  /** The value that a cell shows. */
  value(rowId: string, path: string): EditValue {
    const row = this.rows.get(rowId)
    return shownValue(this.object, row?.record ?? {}, this.drafts.draft(rowId)?.edits, path)
  }

  // Reading

  /**
   * Loads what is saved on this computer (drafts, unfinished batches, and a copy of the list) and asks which
   * fields are supported.
   */
  async open(): Promise<void> {
    await this.reload()
    await Promise.all([this.sending.load(), this.#support.ask(), this.#openKept()])
  }

  /** Shows the saved copy of the list, updated with what was saved from here since. */
  async #openKept(): Promise<void> {
    const kept = await this.reader.openKept().finally(() => (this.isOpened = true))
    if (kept === null) return
    this.update.restore(kept.updated, kept.set.setId)
    if (kept.supported !== null) this.#support.restore(kept.supported)
    this.outcomes.replay(kept.savedSince)
  }

  /** Requests the metadata again after a failure. */
  askSupport(): Promise<void> {
    return this.#support.ask()
  }

  /** Loads the drafts from disk again. */
  async reload(): Promise<void> {
    const before = this.drafts.markedRows()
    const loaded = await this.drafts.load()
    if (!loaded.ok) this.reader.error = loaded.error
    this.editing.undoHistory.forgetRows(new Set([...before].filter((rowId) => !this.drafts.draft(rowId))))
    this.#keepDrafted(before)
    this.rows.grid?.refresh([...before, ...this.drafts.markedRows()])
  }

  async get(filter: RecordsFilter): Promise<void> {
    this.filter = filter
    await this.reader.read(filter)
    if (!this.reader.error) void this.#support.askAfterRead()
  }

  /** Whether nothing was read with the current filter yet. Then **Get records** is offered, otherwise **Refresh**. */
  get isToGet(): boolean {
    const { set } = this.reader
    if (!this.isOpened) return false
    return set === null || JSON.stringify(set.filter) !== JSON.stringify(this.filter)
  }

  /** Whether the whole list is loaded and current. A saved copy may lack records that were added since. */
  get isWholeList(): boolean {
    const { set, isFilling } = this.reader
    const all =
      set?.filter.modifiedFrom === null && set.filter.modifiedTo === null && set.filter.ids.length === 0
    return set !== null && set.isWhole && all && !isFilling && !this.update.isCopy
  }

  #isDrafted(field: string): boolean {
    return [...this.drafts.all].some(({ edits }) =>
      Object.keys(edits).some((path) => topField(path) === field),
    )
  }

  /** Keeps the identity of an unchanged plan, so that the grid doesn't rebuild its columns. */
  #planned(plan: readonly PlanEntry[]): readonly PlanEntry[] {
    if (JSON.stringify(plan) !== JSON.stringify(this.#lastPlan)) this.#lastPlan = plan
    return this.#lastPlan
  }

  /** Whether the rows on screen come from a read with this filter. */
  #asks(filter: RecordsFilter): boolean {
    const { set } = this.reader
    return set !== null && set.count > 0 && JSON.stringify(set.filter) === JSON.stringify(filter)
  }

  #consumer(isAgain: boolean): RowConsumer {
    this.#refreshMerge = isAgain ? this.rows.merge() : null
    const take = this.#refreshMerge
    if (take === null)
      return { onbegin: (rows) => this.#begin(rows), onrows: (rows) => this.rows.append(rows) }
    this.drafts.clearSavedAsSent()
    return { onbegin: (rows) => take.take(rows), onrows: (rows) => take.take(rows) }
  }

  #begin(rows: readonly RecordRow[]): void {
    this.rows.replaceAll(rows)
    this.drafts.clearSavedAsSent()
  }

  /** Updates drafts and references after changes were merged into the rows. */
  afterMerge(): void {
    this.#end()
  }

  #end(): void {
    if (this.#refreshMerge) this.rows.removeMissing(this.#refreshMerge)
    this.#refreshMerge = null
    this.references.clear()
    this.#keepDrafted(new Set())
    this.rows.grid?.refresh([...this.drafts.markedRows()])
    // In separate slices, apart from adding the last rows.
    void runRemainingSlices(this.#prepare())
  }

  *#prepare(): Interruptible<void> {
    yield* this.drafts.names.prepare()
    yield* this.rows.parseAll()
  }

  /** Shows rows for drafts without a record. Which ones those are is only known after all rows have arrived. */
  #keepDrafted(before: ReadonlySet<string>): void {
    if (!this.reader.isFilling) this.rows.keepDrafted(before)
  }

  // New records and reverting

  /**
   * Adds a new record.
   * @returns its row ID
   */
  addRecord(position: InsertPosition = 'top'): string {
    const rowId = crypto.randomUUID()
    this.rows.addNew([rowId], position)
    return rowId
  }

  /**
   * Adds a deleted record as a new one, with its values and unsent edits but without its balance, which would
   * be posted again.
   * @returns the new row ID
   */
  async addAsNew(rowId: string): Promise<string> {
    const newId = crypto.randomUUID()
    const edits = allColumns(this.plan).flatMap(({ path, type, forNew }): CellEdit[] => {
      const isTyped = editAt(this.drafts.draft(rowId)?.edits, path) !== undefined
      const isBalance = type === 'money' && /balance/i.test(path)
      if (type === 'line' || !forNew.editable || (isBalance && !isTyped)) return []
      const now = this.value(rowId, path)
      return isEmpty(now) ? [] : [{ rowId: newId, path, now }]
    })
    this.rows.addNew([newId], 'top')
    await this.editing.apply(edits, [newId])
    await this.outcomes.discardDeleted(rowId)
    return newId
  }

  /** Discards queued drafts. */
  async discard(drafts: readonly RowDraft[]): Promise<void> {
    const { company } = this
    const gone = await this.#api.call('records.discardDrafts', {
      company,
      draftIds: drafts.map((draft) => draft.draftId),
    })
    if (!gone.ok) this.sending.error = gone.error
    await this.reload()
    await this.sending.load()
  }

  /** Releases the list. It can't be used afterwards. */
  dispose(): void {
    this.drafts.stop()
    this.reader.close()
  }
}
