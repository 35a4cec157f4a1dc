/**
 * One list of one company: its rows, columns and drafts, and what is being done with them. Lives as long as the
 * window, so that a list opened before stands there at once. The grid is told through a port while it is shown.
 */
import { untrack } from 'svelte'
import type { EventPayload } from '../../../shared/contract/contract.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  Batch,
  FieldSupport,
  Operation,
  RecordSet,
  RecordsFilter,
} from '../../../shared/contract/records.ts'
import {
  type EditValue,
  type RecordData,
  editAt,
  isEmpty,
  shownValue,
  topField,
} from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { Api } from '../../api.ts'
import { DraftStore } from '../drafts/draft-store.svelte.ts'
import { type RowDraft, rowIdOf, savedRecordIdOf, savedRowIdOf } from '../drafts/row-draft.ts'
import { type Decision, Sending } from '../drafts/sending.svelte.ts'
import {
  type PlanEntry,
  type PlannedColumn,
  allColumns,
  pathWords,
  planColumns,
  sharedColumns,
} from '../grid/columns/plan.ts'
import type { NewPlace } from '../grid/grid-port.ts'
import { type CellEdit, ListEditing } from './editing.svelte.ts'
import { NO_FILTER } from './filter.ts'
import { type ListMerge, ListRows } from './list-rows.svelte.ts'
import { ListReader, type RowsTaker } from './reader.svelte.ts'
import { ReferenceIndex } from './references.svelte.ts'
import { type RecordRow, recordName } from './rows.ts'
import { ListSupport, Overlap } from './support.svelte.ts'
import { runRemainingSlices } from './time-slice.ts'
import { ListUpdate } from './update.svelte.ts'

const NO_FIELDS: RecordSet['fields'] = []

export class RecordsList {
  readonly company: CompanyRef
  readonly object: string
  readonly reader: ListReader
  readonly drafts: DraftStore
  readonly sending: Sending
  readonly rows: ListRows
  readonly editing = new ListEditing(this)
  readonly outcomes = new ListOutcomes(this)
  readonly references: ReferenceIndex
  readonly overlap: Overlap
  readonly update: ListUpdate
  /** What the next read asks for. */
  filter = $state.raw<RecordsFilter>(NO_FILTER)
  /** Why nothing may be changed in these books; empty when it may. */
  closedBecause = $state('')
  /** What takes the rows of a read that asks for the same again. */
  #again: ListMerge | null = null
  readonly #api: Api
  readonly #support: ListSupport
  #lastPlan: readonly PlanEntry[] = []
  readonly #fields = $derived.by(() => this.reader.set?.fields ?? NO_FIELDS)
  readonly #plan = $derived.by(() =>
    this.#planned(
      sharedColumns(
        planColumns(this.object, this.#fields, this.#support.current),
        this.overlap.fields,
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
      taker: (isAgain) => this.#taker(isAgain),
      onend: () => this.#end(),
      onvoid: () => this.rows.removeMissing(this.rows.merge()),
    })
    this.drafts = new DraftStore({
      ...ports,
      row: (rowId) => this.rows.get(rowId),
      supported: () => this.#support.names,
      isWholeList: () => this.isWholeList,
      ambiguity: (row) => this.rows.ambiguity(row),
    })
    this.rows = new ListRows(this.drafts)
    this.sending = new Sending({
      ...ports,
      draftsSaved: () => this.drafts.settled(),
      ondecided: () => this.reload(),
      onend,
    })
    this.overlap = new Overlap(ports)
    this.references = new ReferenceIndex({
      ...ports,
      rows: () => this.rows,
      isWholeList: () => this.isWholeList,
    })
    this.update = new ListUpdate(this, api)
  }

  get plan() {
    return this.#plan
  }

  /** Whether metadata was asked for and could be read; `null` while it is being asked for. */
  get support(): FieldSupport | null {
    return this.#support.current
  }

  /** How many rows there are, new ones and those of kept drafts included. */
  get count(): number {
    return this.rows.count
  }

  /** Why the row's record can't be told apart from others, and so can't be changed; empty if it can. */
  ambiguity(row: RecordRow): string {
    return this.rows.ambiguity(row)
  }

  row(rowId: string): RecordRow | undefined {
    return this.rows.get(rowId)
  }

  column(path: string): PlannedColumn | undefined {
    return this.#byPath.get(path)
  }

  words = (path: string): string => pathWords(this.#plan, path)

  /** What the row is called, with what was typed. */
  nameOf(rowId: string): string {
    const row = this.rows.get(rowId)
    const name = this.drafts.draft(rowId)?.edits['Name']?.now
    if (typeof name === 'string') return name
    return row ? recordName(row.record) : ''
  }

  /** The value that stands in a cell. */
  value(rowId: string, path: string): EditValue {
    const row = this.rows.get(rowId)
    return shownValue(this.object, row?.record ?? {}, this.drafts.draft(rowId)?.edits, path)
  }

  // ---- reading

  /** Reads what is kept on this computer: drafts and unfinished batches; and asks which fields are supported. */
  async open(): Promise<void> {
    await this.reload()
    await Promise.all([this.sending.load(), this.#support.ask(), this.#openKept()])
  }

  /** Shows the copy that is kept on this computer, with what was saved from here since it was made. */
  async #openKept(): Promise<void> {
    const kept = await this.reader.openKept()
    if (kept === null) return
    this.update.restore(kept.updated, kept.set.setId)
    if (kept.supported !== null) this.#support.restore(kept.supported)
    this.outcomes.replay(kept.savedSince)
  }

  /** Asks metadata again, when it could not be had. */
  askSupport(): Promise<void> {
    return this.#support.ask()
  }

  /** Drafts as they are on disk. */
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

  /** Whether the whole list stands here as it is now: a copy from before may lack what was added since. */
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

  /** A plan that says the same stays the same, so that the grid need not build its columns anew. */
  #planned(plan: readonly PlanEntry[]): readonly PlanEntry[] {
    if (JSON.stringify(plan) !== JSON.stringify(this.#lastPlan)) this.#lastPlan = plan
    return this.#lastPlan
  }

  /** Whether the rows that stand there are of the same question. */
  #asks(filter: RecordsFilter): boolean {
    const { set } = this.reader
    return set !== null && set.count > 0 && JSON.stringify(set.filter) === JSON.stringify(filter)
  }

  #taker(isAgain: boolean): RowsTaker {
    this.#again = isAgain ? this.rows.merge() : null
    const take = this.#again
    if (take === null)
      return { onbegin: (rows) => this.#begin(rows), onrows: (rows) => this.rows.append(rows) }
    this.drafts.clearSavedAsSent()
    return { onbegin: (rows) => take.take(rows), onrows: (rows) => take.take(rows) }
  }

  #begin(rows: readonly RecordRow[]): void {
    this.rows.showAnew(rows)
    this.drafts.clearSavedAsSent()
  }

  /** Rows have other records now than their drafts and references were worked out with. */
  afterMerge(): void {
    this.#end()
  }

  #end(): void {
    if (this.#again) this.rows.removeMissing(this.#again)
    this.#again = null
    this.references.clear()
    this.#keepDrafted(new Set())
    this.rows.grid?.refresh([...this.drafts.markedRows()])
    // Not in one go with the last rows.
    void runRemainingSlices(this.drafts.names.prepare())
  }

  /** While rows come it is not known yet which drafts stand alone. */
  #keepDrafted(before: ReadonlySet<string>): void {
    if (!this.reader.isFilling) this.rows.keepDrafted(before)
  }

  // ---- rows of one's own

  /** Begins a new record. @returns its row */
  addRecord(place: NewPlace = 'top'): string {
    const rowId = crypto.randomUUID()
    this.rows.addNew([rowId], place)
    return rowId
  }

  /** Takes back everything that was typed into these rows, as one step; new ones go. @returns how many they are */
  revertRows(rowIds: Iterable<string>): number {
    const reverted = this.rows.revert(rowIds)
    this.editing.undoHistory.add({ cells: [], begun: [], reverted })
    return reverted.length
  }

  /** Discards what was typed into a deleted record, and removes its row. */
  async discardDeleted(rowId: string): Promise<void> {
    const operation = this.drafts.draft(rowId)?.operation ?? null
    if (operation !== null) await this.outcomes.decide(rowId, operation, { what: 'discard' })
    else this.revertRows([rowId])
    if (!this.drafts.draft(rowId) && this.rows.removeDeleted(rowId)) this.reader.dropRecord()
  }

  /**
   * Adds a deleted record as a new one: its values with what was typed, but no balance, which would be posted again.
   * @returns the new row
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
    await this.discardDeleted(rowId)
    return newId
  }

  /** Throws away drafts that wait in the queue. */
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

  /** The list is left for good. */
  dispose(): void {
    this.drafts.stop()
    this.reader.close()
  }
}

/*
 * What became of what was sent of a list, taken into its rows: saved records, refusals, and decisions on the others.
 */

type SentList = Pick<RecordsList, 'drafts' | 'editing' | 'reader' | 'references' | 'rows' | 'sending'>

export class ListOutcomes {
  readonly #list: SentList
  readonly #reported = new Set<string>()

  constructor(list: SentList) {
    this.#list = list
  }

  /** Takes up what the main process reports of this list. */
  report({ operations, batch }: Pick<EventPayload<'records.changed'>, 'operations' | 'batch'>): void {
    const { drafts, rows, editing, sending } = this.#list
    const saved: string[] = []
    for (const operation of operations) {
      this.#reported.add(operation.operationId)
      if (operation.state === 'acked') saved.push(this.#saved(operation))
      else drafts.report(operation)
    }
    if (!this.#list.reader.isFilling) rows.keepDrafted(new Set())
    // What is in the books is changed back from there; what was refused is a draft as before.
    editing.undoHistory.forgetRows(new Set(operations.filter(({ state }) => state === 'acked').map(rowIdOf)))
    rows.grid?.refresh(operations.map(rowIdOf))
    if (saved.length > 0) rows.grid?.flash(saved)
    if (batch) sending.report(batch)
  }

  /**
   * Takes what was saved before into the rows of a list that was kept on this computer, without a mark.
   * @param operations oldest first
   */
  replay(operations: readonly Operation[]): void {
    const { rows } = this.#list
    const merge = rows.merge()
    for (const operation of operations) {
      // It is in its row already.
      if (this.#reported.has(operation.operationId)) continue
      const before = rows.get(savedRowIdOf(operation))
      // A change of a record that the list doesn't have is of one that was deleted or merged away since.
      if (before === undefined && operation.kind === 'change') continue
      merge.take([savedRow(operation, before?.record ?? {})])
    }
    if (merge.added + merge.changed.size > 0) this.#list.references.clear()
  }

  /** Takes a decision on what became of a change, and what is known by it into the row. */
  async decide(rowId: string, operation: Operation, decision: Decision): Promise<void> {
    const list = this.#list
    if (!(await list.sending.decide(operation.operationId, decision))) return
    if (decision.what === 'choose') this.#learn(rowId, operation.conflicts)
    if (decision.what === 'seen') list.drafts.clearSaved(rowId)
    // What the draft is from now on was not typed.
    if (decision.what !== 'send-again') list.editing.undoHistory.forgetRows(new Set([rowId]))
    list.rows.grid?.refresh([rowId])
  }

  /** The record takes what the service answered; a new one gets its own id. */
  #saved(operation: Operation): string {
    const { drafts } = this.#list
    const oldId = rowIdOf(operation)
    const before = this.#list.rows.get(oldId)
    const row = savedRow(operation, before?.record ?? {})
    drafts.settle(operation, row.rowId)
    if (before) this.#list.rows.replace(oldId, row)
    this.#list.references.clear()
    return row.rowId
  }

  /** What was found in the books when a change was about to be sent stands in the row from now on. */
  #learn(rowId: string, found: Operation['conflicts']): void {
    const before = this.#list.rows.get(rowId)
    if (before?.origin !== 'read') return
    let { record } = before
    for (const { path, theirs } of found) {
      if (theirs !== null) record = withValueAt(record, path, theirs)
    }
    this.#list.rows.replace(rowId, { ...before, record })
    this.#list.references.clear()
  }
}

function savedRow(operation: Operation, before: RecordData): RecordRow {
  const recordId = savedRecordIdOf(operation)
  const merged = mergedRecord(before, operation)
  // An answer may leave the ID out, or empty.
  const record = recordId === '' ? merged : withValueAt(merged, 'ID', recordId)
  return { rowId: savedRowIdOf(operation), recordId, record, origin: 'read' }
}
