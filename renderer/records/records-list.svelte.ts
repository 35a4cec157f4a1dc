/**
 * One list of one company: its rows, columns and drafts, and what is being done with them. Lives as long as the
 * window, so that a list opened before stands there at once. The grid is told through a port while it is shown.
 */
import { untrack } from 'svelte'
import { shownValue, topField, type EditValue } from '../../shared/changes.ts'
import type { EventPayload } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type {
  Batch,
  FieldSupport,
  Operation,
  RecordSet,
  RecordsFilter,
} from '../../shared/contract/records.ts'
import type { Api } from '../api.ts'
import { allColumns, pathWords, planColumns, type PlanEntry, type PlannedColumn } from './columns.ts'
import type { GridPort } from './grid-port.ts'
import { DraftBook } from './draft-book.svelte.ts'
import { ListEditing } from './list-editing.ts'
import { ListMerge } from './list-merge.ts'
import { ListReader, type RowsTaker } from './list-reader.svelte.ts'
import { ListUpdate } from './list-update.svelte.ts'
import { NO_FILTER } from './list-filter.ts'
import { mergedRecord, withValueAt } from '../../shared/merged-record.ts'
import { Overlap } from './overlap.svelte.ts'
import { ReferenceIndex } from './references.ts'
import { isLocked, rowIdOf, type RowDraft } from './row-draft.ts'
import { recordName, type RecordRow } from './rows.ts'
import { sharedColumns } from './shared-columns.ts'
import { Sending, type Decision } from './sending.svelte.ts'
import { inTurns } from './turns.ts'
import type { RevertedRow } from './undo.svelte.ts'

const NO_FIELDS: RecordSet['fields'] = []

export class RecordsList {
  readonly company: CompanyRef
  readonly object: string
  readonly reader: ListReader
  readonly book: DraftBook
  readonly sending: Sending
  readonly editing = new ListEditing(this)
  readonly references: ReferenceIndex
  readonly overlap: Overlap
  readonly update: ListUpdate
  grid: GridPort | null = null
  /** What the next read asks for. */
  filter = $state.raw<RecordsFilter>(NO_FILTER)
  /** Why nothing may be changed in these books; empty when it may. */
  closedBecause = $state('')
  #rows = new Map<string, RecordRow>()
  /** What takes the rows of a read that asks for the same again. */
  #again: ListMerge | null = null
  /** How many rows there are, new ones and those of kept drafts included. */
  count = $state(0)
  #support = $state.raw<FieldSupport | null>(null)
  readonly #api: Api
  #lastPlan: readonly PlanEntry[] = []
  readonly #fields = $derived.by(() => this.reader.set?.fields ?? NO_FIELDS)
  readonly #plan = $derived.by(() =>
    this.#planned(
      sharedColumns(planColumns(this.object, this.#fields, this.#support), this.overlap.fields, (field) =>
        untrack(() => this.#isDrafted(field)),
      ),
    ),
  )
  readonly #byPath = $derived(new Map(allColumns(this.#plan).map((column) => [column.path, column])))
  readonly #supported = $derived(this.#support?.supported ? new Set(this.#support.supported) : null)

  constructor(api: Api, company: CompanyRef, object: string, onend: (batch: Batch) => void) {
    this.#api = api
    this.company = company
    this.object = object
    const ports = { api, company, object }
    this.reader = new ListReader({
      ...ports,
      isShown: (filter) => this.#asks(filter),
      isEmpty: () => !this.#hasRead(),
      taker: (isAgain) => this.#taker(isAgain),
      onend: () => this.#end(),
      onvoid: () => this.#removeMissing(this.merge()),
    })
    this.book = new DraftBook({
      ...ports,
      row: (rowId) => this.#rows.get(rowId),
      supported: () => this.#supported,
      isWholeList: () => this.#isWholeList(),
    })
    this.sending = new Sending({
      ...ports,
      draftsSaved: () => this.book.settled(),
      ondecided: () => this.reload(),
      onend,
    })
    this.overlap = new Overlap(ports)
    this.references = new ReferenceIndex(object, () => this.#rows.values())
    this.update = new ListUpdate(this, api)
  }

  get plan() {
    return this.#plan
  }

  /** Whether metadata was asked for and could be read; `null` while it is being asked for. */
  get support(): FieldSupport | null {
    return this.#support
  }

  get rows(): Iterable<RecordRow> {
    return this.#rows.values()
  }

  row(rowId: string): RecordRow | undefined {
    return this.#rows.get(rowId)
  }

  column(path: string): PlannedColumn | undefined {
    return this.#byPath.get(path)
  }

  words = (path: string): string => pathWords(this.#plan, path)

  /** What the row is called, with what was typed. */
  nameOf(rowId: string): string {
    const row = this.#rows.get(rowId)
    const name = this.book.draft(rowId)?.edits['Name']?.now
    if (typeof name === 'string') return name
    return row ? recordName(row.record) : ''
  }

  /** The value that stands in a cell. */
  value(rowId: string, path: string): EditValue {
    const row = this.#rows.get(rowId)
    return shownValue(this.object, row?.record ?? {}, this.book.draft(rowId)?.edits, path)
  }

  // ---- reading

  /** Reads what is kept on this computer: drafts and unfinished batches; and asks which fields are supported. */
  async open(): Promise<void> {
    await this.reload()
    await Promise.all([this.sending.load(), this.#support?.supported ? undefined : this.askSupport()])
  }

  /** Asks metadata of this company's application. Until it answers, nothing can be changed. */
  async askSupport(): Promise<void> {
    const { company, object } = this
    const asked = await this.#api.call('records.support', { company, object })
    this.#support = asked.ok ? asked.value : { supported: null, error: asked.error }
    this.grid?.refresh([...this.book.markedRows()])
  }

  /** Drafts as they are on disk. */
  async reload(): Promise<void> {
    const before = this.book.markedRows()
    const loaded = await this.book.load()
    if (!loaded.ok) this.reader.error = loaded.error
    this.#keepDraftedRows(before)
    this.grid?.refresh([...before, ...this.book.markedRows()])
  }

  async get(filter: RecordsFilter): Promise<void> {
    this.filter = filter
    await this.reader.read(filter)
  }

  #isWholeList(): boolean {
    const { set, isFilling } = this.reader
    const all =
      set?.filter.modifiedFrom === null && set.filter.modifiedTo === null && set.filter.ids.length === 0
    return set !== null && set.isWhole && all && !isFilling
  }

  #isDrafted(field: string): boolean {
    return [...this.book.drafts].some(({ edits }) =>
      Object.keys(edits).some((path) => topField(path) === field),
    )
  }

  #hasRead(): boolean {
    for (const { origin } of this.#rows.values()) if (origin === 'read') return true
    return false
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
    this.#again = isAgain ? this.merge() : null
    const take = this.#again
    if (take === null) return { onbegin: (rows) => this.#begin(rows), onrows: (rows) => this.#add(rows) }
    this.book.clearSaved('as-sent')
    return { onbegin: (rows) => take.take(rows), onrows: (rows) => take.take(rows) }
  }

  /** Takes records that were read anew into the rows that stand there. */
  merge(): ListMerge {
    return new ListMerge({
      row: (rowId) => this.#rows.get(rowId),
      put: (changed, added) => {
        for (const row of changed) {
          const before = this.#rows.get(row.rowId)
          if (before?.origin === 'read') this.book.forgetRecord(before)
        }
        for (const row of [...changed, ...added]) this.#rows.set(row.rowId, row)
        this.book.addNames([...changed, ...added])
        this.count = this.#rows.size
        this.grid?.mergeRows(changed, added)
      },
    })
  }

  /** Rows have other records now than their drafts and references were worked out with. */
  afterMerge(): void {
    this.#end()
  }

  #removeMissing(merge: ListMerge): void {
    const missing = merge.missing(this.#rows.values())
    if (missing.length === 0) return
    for (const rowId of missing) {
      const row = this.#rows.get(rowId)
      if (row) this.book.forgetRecord(row)
    }
    this.#remove(missing)
  }

  #begin(rows: readonly RecordRow[]): void {
    const fresh = [...this.#rows.values()].filter((row) => row.origin === 'new')
    this.book.forgetNames()
    this.#rows = new Map([...fresh, ...rows].map((row) => [row.rowId, row]))
    this.book.addNames(rows)
    this.book.clearSaved('as-sent')
    this.count = this.#rows.size
    this.grid?.setRows([...this.#rows.values()])
  }

  #add(rows: readonly RecordRow[]): void {
    for (const row of rows) this.#rows.set(row.rowId, row)
    this.book.addNames(rows)
    this.count = this.#rows.size
    this.grid?.addRows(rows, 'end')
  }

  #end(): void {
    if (this.#again) this.#removeMissing(this.#again)
    this.#again = null
    this.references.clear()
    this.#keepDraftedRows(new Set())
    this.grid?.refresh([...this.book.markedRows()])
    inTurns(this.book.names.prepare(), () => undefined)
  }

  /** Drafts whose records are not in the list stand there all the same; rows that were only kept for one go with it. */
  #keepDraftedRows(before: ReadonlySet<string>): void {
    if (this.reader.isFilling) return
    this.#remove(
      [...before].filter((rowId) => {
        const row = this.#rows.get(rowId)
        return row !== undefined && row.origin !== 'read' && !this.book.draft(rowId)
      }),
    )
    const kept: RecordRow[] = []
    for (const draft of this.book.drafts) {
      const rowId = rowIdOf(draft)
      if (this.#rows.has(rowId)) continue
      const origin = draft.kind === 'insert' ? 'new' : 'kept'
      kept.push({ rowId, recordId: draft.recordId, record: draft.before, origin })
    }
    for (const row of kept) this.#rows.set(row.rowId, row)
    this.count = this.#rows.size
    if (kept.length > 0) this.grid?.addRows(kept, 'top')
  }

  #remove(rowIds: readonly string[]): void {
    for (const rowId of rowIds) this.#rows.delete(rowId)
    this.count = this.#rows.size
    this.grid?.removeRows(rowIds)
  }

  // ---- rows of one's own

  /** Begins a new record on top of the list. */
  addRecord(): string {
    const rowId = crypto.randomUUID()
    this.begin([rowId])
    return rowId
  }

  /** Begins new records on top of the list, in this order; their row ids are made by the caller. */
  begin(rowIds: readonly string[]): void {
    if (rowIds.length === 0) return
    const rows = rowIds.map((rowId): RecordRow => ({ rowId, recordId: '', record: {}, origin: 'new' }))
    this.#rows = new Map([...rows.map((row) => [row.rowId, row] as const), ...this.#rows])
    this.count = this.#rows.size
    this.book.begin(rows)
    this.grid?.addRows(rows, 'top')
  }

  /** Takes new records away again, with all that was typed into them. */
  forgetBegun(rowIds: readonly string[]): void {
    const gone = rowIds.filter(
      (rowId) => this.book.draft(rowId)?.kind === 'insert' && !isLocked(this.book.draft(rowId)),
    )
    for (const rowId of gone) this.book.remove(rowId)
    this.#remove(gone)
  }

  /** Takes back everything that was typed into these rows, as one step; new ones go. @returns how many they are */
  revertRows(rowIds: Iterable<string>): number {
    const reverted = this.takeBack(rowIds)
    this.editing.undoHistory.add({ cells: [], begun: [], reverted })
    return reverted.length
  }

  /** Takes drafts away, and the rows that stand there only for them. @returns what `putBack` puts back */
  takeBack(rowIds: Iterable<string>): readonly RevertedRow[] {
    const reverted: RevertedRow[] = []
    for (const rowId of rowIds) {
      const [row, draft] = [this.#rows.get(rowId), this.book.draft(rowId)]
      if (row && draft && !isLocked(draft)) reverted.push({ row, draft })
    }
    for (const { row } of reverted) this.book.remove(row.rowId)
    this.#remove(reverted.flatMap(({ row }) => (row.origin === 'read' ? [] : [row.rowId])))
    this.grid?.refresh(reverted.map(({ row }) => row.rowId))
    return reverted
  }

  /** Puts drafts back as they were; what was read again meanwhile stays as it was read. */
  putBack(reverted: readonly RevertedRow[]): void {
    const missing = reverted.flatMap(({ row }) => (this.#rows.has(row.rowId) ? [] : [row]))
    for (const row of missing) this.#rows.set(row.rowId, row)
    this.count = this.#rows.size
    for (const { row, draft } of reverted) {
      if (!this.book.draft(row.rowId)) this.book.change(draft)
    }
    if (missing.length > 0) this.grid?.addRows(missing, 'top')
    this.grid?.refresh(reverted.map(({ row }) => row.rowId))
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

  // ---- what became of what was sent

  /** Takes up what the main process reports of this list. */
  report({ operations, batch }: Pick<EventPayload<'records.changed'>, 'operations' | 'batch'>): void {
    const saved: string[] = []
    for (const operation of operations) {
      if (operation.state === 'acked') saved.push(this.#saved(operation))
      else this.book.report(operation)
    }
    this.#keepDraftedRows(new Set())
    this.editing.undoHistory.forgetRows(new Set(operations.map(rowIdOf)))
    this.grid?.refresh(operations.map(rowIdOf))
    if (saved.length > 0) this.grid?.flash(saved)
    if (batch) this.sending.report(batch)
  }

  /** The record takes what the service answered; a new one gets its own id. */
  #saved(operation: Operation): string {
    const oldId = rowIdOf(operation)
    const before = this.#rows.get(oldId)
    const record = mergedRecord(before?.record ?? {}, operation)
    const recordId = typeof record['ID'] === 'string' ? record['ID'] : operation.recordId
    const row: RecordRow = { rowId: recordId || oldId, recordId, record, origin: 'read' }
    this.book.settle(operation, row.rowId)
    if (before) {
      this.book.renameRecord(row, before.origin === 'read' ? before : undefined)
      this.#replace(oldId, row)
    }
    this.references.clear()
    return row.rowId
  }

  /** Takes a decision on what became of a change, and what is known by it into the row. */
  async decide(rowId: string, operation: Operation, decision: Decision): Promise<void> {
    if (!(await this.sending.decide(operation.operationId, decision))) return
    if (decision.what === 'choose') this.#learn(rowId, operation.conflicts)
    if (decision.what === 'seen') this.book.clearSaved(rowId)
    this.grid?.refresh([rowId])
  }

  /** What was found in the books when a change was about to be sent stands in the row from now on. */
  #learn(rowId: string, found: Operation['conflicts']): void {
    const before = this.#rows.get(rowId)
    if (before?.origin !== 'read') return
    let { record } = before
    for (const { path, theirs } of found) {
      if (theirs !== null) record = withValueAt(record, path, theirs)
    }
    const row = { ...before, record }
    this.book.renameRecord(row, before)
    this.#replace(rowId, row)
    this.references.clear()
  }

  #replace(oldId: string, row: RecordRow): void {
    if (oldId !== row.rowId) this.#rows.delete(oldId)
    this.#rows.set(row.rowId, row)
    this.count = this.#rows.size
    this.grid?.replaceRow(oldId, row)
  }

  /** The list is left for good. */
  dispose(): void {
    this.book.stop()
    this.reader.close()
  }
}
