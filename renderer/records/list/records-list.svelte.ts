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
import { type EditValue, shownValue, topField } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import type { Api } from '../../api.ts'
import { DraftBook } from '../drafts/draft-store.svelte.ts'
import { draftFullName, touchesName } from '../drafts/problems.ts'
import { type RowDraft, isLocked, rowIdOf, savedRecordIdOf, savedRowIdOf } from '../drafts/row-draft.ts'
import { type Decision, Sending } from '../drafts/sending.svelte.ts'
import {
  type PlanEntry,
  type PlannedColumn,
  allColumns,
  pathWords,
  planColumns,
  sharedColumns,
} from '../grid/columns/plan.ts'
import type { GridPort, NewPlace } from '../grid/grid-port.ts'
import { ListEditing, type RevertedRow } from './editing.svelte.ts'
import { NO_FILTER } from './filter.ts'
import { NameIndex } from './names.ts'
import { ListReader, type RowsTaker } from './reader.svelte.ts'
import { ReferenceIndex } from './references.ts'
import { type RecordRow, SharedIds, recordName } from './rows.ts'
import { ListSupport, Overlap } from './support.svelte.ts'
import { type Interruptible, otherTurns } from './turns.ts'
import { ListMerge, ListUpdate } from './update.svelte.ts'

const NO_FIELDS: RecordSet['fields'] = []

export class RecordsList {
  readonly company: CompanyRef
  readonly object: string
  readonly reader: ListReader
  readonly book: DraftBook
  readonly sending: Sending
  readonly drafted: DraftedRows
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
  readonly #rows: ListRows
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
      onchange: () => this.grid?.refresh([...this.book.markedRows()]),
    })
    this.reader = new ListReader({
      ...ports,
      isShown: (filter) => this.#asks(filter),
      isEmpty: () => !this.#rows.hasRead(),
      taker: (isAgain) => this.#taker(isAgain),
      onend: () => this.#end(),
      onvoid: () => this.#rows.removeMissing(this.merge()),
    })
    this.book = new DraftBook({
      ...ports,
      row: (rowId) => this.#rows.get(rowId),
      supported: () => this.#support.names,
      isWholeList: () => this.#isWholeList(),
      ambiguity: (row) => this.#rows.ambiguity(row),
    })
    this.#rows = new ListRows(this.book.names)
    this.drafted = new DraftedRows(this.#rows, this.book)
    this.sending = new Sending({
      ...ports,
      draftsSaved: () => this.book.settled(),
      ondecided: () => this.reload(),
      onend,
    })
    this.overlap = new Overlap(ports)
    this.references = new ReferenceIndex(object, () => this.#rows.all)
    this.update = new ListUpdate(this, api)
  }

  get plan() {
    return this.#plan
  }

  /** Whether metadata was asked for and could be read; `null` while it is being asked for. */
  get support(): FieldSupport | null {
    return this.#support.current
  }

  get rows(): Iterable<RecordRow> {
    return this.#rows.all
  }

  /** How many rows there are, new ones and those of kept drafts included. */
  get count(): number {
    return this.#rows.count
  }

  get grid(): GridPort | null {
    return this.#rows.grid
  }

  set grid(grid: GridPort | null) {
    this.#rows.grid = grid
  }

  /** Whether any records share an ID. */
  get sharesIds(): boolean {
    return this.#rows.sharesIds
  }

  /** Why the record of a row can't be told from others, and so can't be changed; empty when it can. */
  ambiguity(row: RecordRow): string {
    return this.#rows.ambiguity(row)
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
    await Promise.all([this.sending.load(), this.#support.ask()])
  }

  /** Asks metadata again, when it could not be had. */
  askSupport(): Promise<void> {
    return this.#support.ask()
  }

  /** Drafts as they are on disk. */
  async reload(): Promise<void> {
    const before = this.book.markedRows()
    const loaded = await this.book.load()
    if (!loaded.ok) this.reader.error = loaded.error
    this.editing.undoHistory.forgetRows(new Set([...before].filter((rowId) => !this.book.draft(rowId))))
    this.#keepDrafted(before)
    this.grid?.refresh([...before, ...this.book.markedRows()])
  }

  async get(filter: RecordsFilter): Promise<void> {
    this.filter = filter
    await this.reader.read(filter)
    if (!this.reader.error) void this.#support.askAfterRead()
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
    if (take === null)
      return { onbegin: (rows) => this.#begin(rows), onrows: (rows) => this.#rows.append(rows) }
    this.book.clearSavedAsSent()
    return { onbegin: (rows) => take.take(rows), onrows: (rows) => take.take(rows) }
  }

  #begin(rows: readonly RecordRow[]): void {
    this.#rows.showAnew(rows)
    this.book.clearSavedAsSent()
  }

  /** Takes records that were read anew into the rows that stand there. */
  merge(): ListMerge {
    return this.#rows.merge()
  }

  /** A record has other content now, perhaps under another row id. */
  replace(oldId: string, row: RecordRow): void {
    this.#rows.replace(oldId, row)
  }

  /** Rows have other records now than their drafts and references were worked out with. */
  afterMerge(): void {
    this.#end()
  }

  #end(): void {
    if (this.#again) this.#rows.removeMissing(this.#again)
    this.#again = null
    this.references.clear()
    this.#keepDrafted(new Set())
    this.grid?.refresh([...this.book.markedRows()])
    // Not in one go with the last rows.
    void otherTurns(this.book.names.prepare())
  }

  /** While rows come it is not known yet which drafts stand alone. */
  #keepDrafted(before: ReadonlySet<string>): void {
    if (!this.reader.isFilling) this.drafted.keep(before)
  }

  // ---- rows of one's own

  /** Begins a new record. @returns its row */
  addRecord(place: NewPlace = 'top'): string {
    const rowId = crypto.randomUUID()
    this.drafted.begin([rowId], place)
    return rowId
  }

  /** Takes back everything that was typed into these rows, as one step; new ones go. @returns how many they are */
  revertRows(rowIds: Iterable<string>): number {
    const reverted = this.drafted.takeBack(rowIds)
    this.editing.undoHistory.add({ cells: [], begun: [], reverted })
    return reverted.length
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
    this.book.stop()
    this.reader.close()
  }
}

/*
 * The rows of a list: what was read, what is new and what stands there for a draft alone. Keeps the names in use in
 * step with them, and tells the grid, while one is shown.
 */

/** Hears what rows of the list are called. */
interface Names {
  readonly addNames: (rows: readonly RecordRow[]) => void
  readonly forgetNames: () => void
  readonly forgetRecord: (row: RecordRow) => void
  readonly renameRecord: (row: RecordRow, before: RecordRow | undefined) => void
}

export class ListRows {
  readonly #names: Names
  #rows = new Map<string, RecordRow>()
  readonly #sharedIds = new SharedIds()
  grid: GridPort | null = null
  /** How many there are, new ones and those of kept drafts included. */
  count = $state(0)

  constructor(names: Names) {
    this.#names = names
  }

  get all(): Iterable<RecordRow> {
    return this.#rows.values()
  }

  get(rowId: string): RecordRow | undefined {
    return this.#rows.get(rowId)
  }

  /** Whether any came with a read. */
  hasRead(): boolean {
    for (const { origin } of this.#rows.values()) if (origin === 'read') return true
    return false
  }

  get sharesIds(): boolean {
    return this.#sharedIds.isAny
  }

  /** Why the record of a row can't be told from others; empty when it can. */
  ambiguity(row: RecordRow): string {
    return this.#sharedIds.because(row)
  }

  /** Rows of a read in the place of all that stood there but new ones. */
  showAnew(rows: readonly RecordRow[]): void {
    const fresh = [...this.#rows.values()].filter((row) => row.origin === 'new')
    this.#names.forgetNames()
    this.#rows = new Map(fresh.map((row) => [row.rowId, row]))
    this.#sharedIds.clear()
    this.#put(rows)
    this.#names.addNames(rows)
    this.grid?.setRows([...this.#rows.values()])
  }

  /** More rows of the same read. */
  append(rows: readonly RecordRow[]): void {
    this.#put(rows)
    this.#names.addNames(rows)
    this.grid?.addRows(rows, 'end')
  }

  /** New records, above all that are not new. */
  addNew(rows: readonly RecordRow[], place: NewPlace): void {
    const all = [...this.#rows.values()]
    const above = place === 'below-new' ? all.filter(({ origin }) => origin === 'new') : []
    this.#rows = new Map([...above, ...rows, ...all].map((row) => [row.rowId, row]))
    this.count = this.#rows.size
    this.grid?.addRows(rows, place)
  }

  /** Rows that were not read stand there for what was typed into them. */
  keep(rows: readonly RecordRow[]): void {
    if (rows.length === 0) return
    this.#put(rows)
    this.grid?.addRows(rows, 'top')
  }

  /** Takes records that were read anew into the rows that stand there. */
  merge(): ListMerge {
    return new ListMerge({
      row: (rowId) => this.#rows.get(rowId),
      put: (changed, added) => {
        for (const row of changed) {
          const before = this.#rows.get(row.rowId)
          if (before?.origin === 'read') this.#names.forgetRecord(before)
        }
        this.#put([...changed, ...added])
        this.#names.addNames([...changed, ...added])
        this.grid?.mergeRows(changed, added)
      },
    })
  }

  /** Records that did not come again are gone from the list. */
  removeMissing(merge: ListMerge): void {
    const missing = merge.missing(this.#rows.values())
    for (const rowId of missing) {
      const row = this.#rows.get(rowId)
      if (row) this.#names.forgetRecord(row)
    }
    if (missing.length > 0) this.remove(missing)
  }

  /** A record has other content, perhaps under another row id: what was new has an ID now. */
  replace(oldId: string, row: RecordRow): void {
    const before = this.#rows.get(oldId)
    this.#names.renameRecord(row, before?.origin === 'read' ? before : undefined)
    if (oldId !== row.rowId) this.#forget(oldId)
    this.#put([row])
    this.grid?.replaceRow(oldId, row)
  }

  remove(rowIds: readonly string[]): void {
    for (const rowId of rowIds) this.#forget(rowId)
    this.count = this.#rows.size
    this.grid?.removeRows(rowIds)
  }

  #put(rows: readonly RecordRow[]): void {
    for (const row of rows) {
      this.#forgetTwin(row.rowId)
      this.#rows.set(row.rowId, row)
      this.#sharedIds.note(row)
    }
    this.count = this.#rows.size
  }

  #forget(rowId: string): void {
    this.#forgetTwin(rowId)
    this.#rows.delete(rowId)
  }

  #forgetTwin(rowId: string): void {
    const before = this.#rows.get(rowId)
    if (before) this.#sharedIds.forget(before)
  }
}

/*
 * What became of what was sent of a list, taken into its rows: saved records, refusals, and decisions on the others.
 */

export class ListOutcomes {
  readonly #list: RecordsList

  constructor(list: RecordsList) {
    this.#list = list
  }

  /** Takes up what the main process reports of this list. */
  report({ operations, batch }: Pick<EventPayload<'records.changed'>, 'operations' | 'batch'>): void {
    const { book, drafted, editing, sending, grid } = this.#list
    const saved: string[] = []
    for (const operation of operations) {
      if (operation.state === 'acked') saved.push(this.#saved(operation))
      else book.report(operation)
    }
    if (!this.#list.reader.isFilling) drafted.keep(new Set())
    // What is in the books is changed back from there; what was refused is a draft as before.
    editing.undoHistory.forgetRows(new Set(operations.filter(({ state }) => state === 'acked').map(rowIdOf)))
    grid?.refresh(operations.map(rowIdOf))
    if (saved.length > 0) grid?.flash(saved)
    if (batch) sending.report(batch)
  }

  /** Takes a decision on what became of a change, and what is known by it into the row. */
  async decide(rowId: string, operation: Operation, decision: Decision): Promise<void> {
    const list = this.#list
    if (!(await list.sending.decide(operation.operationId, decision))) return
    if (decision.what === 'choose') this.#learn(rowId, operation.conflicts)
    if (decision.what === 'seen') list.book.clearSaved(rowId)
    // What the draft is from now on was not typed.
    if (decision.what !== 'send-again') list.editing.undoHistory.forgetRows(new Set([rowId]))
    list.grid?.refresh([rowId])
  }

  /** The record takes what the service answered; a new one gets its own id. */
  #saved(operation: Operation): string {
    const { book } = this.#list
    const oldId = rowIdOf(operation)
    const before = this.#list.row(oldId)
    const recordId = savedRecordIdOf(operation)
    const merged = mergedRecord(before?.record ?? {}, operation)
    // An answer may leave the ID out, or empty.
    const record = recordId === '' ? merged : withValueAt(merged, 'ID', recordId)
    const row: RecordRow = { rowId: savedRowIdOf(operation), recordId, record, origin: 'read' }
    book.settle(operation, row.rowId)
    if (before) this.#list.replace(oldId, row)
    this.#list.references.clear()
    return row.rowId
  }

  /** What was found in the books when a change was about to be sent stands in the row from now on. */
  #learn(rowId: string, found: Operation['conflicts']): void {
    const before = this.#list.row(rowId)
    if (before?.origin !== 'read') return
    let { record } = before
    for (const { path, theirs } of found) {
      if (theirs !== null) record = withValueAt(record, path, theirs)
    }
    this.#list.replace(rowId, { ...before, record })
    this.#list.references.clear()
  }
}

/*
 * Rows of a list that stand there for their drafts: new records are begun and taken away, drafts reverted and put back.
 */

export class DraftedRows {
  readonly #rows: ListRows
  readonly #book: DraftBook

  constructor(rows: ListRows, book: DraftBook) {
    this.#rows = rows
    this.#book = book
  }

  /**
   * Begins new records, in this order; their row ids are made by the caller.
   * @param place on top of the list, or below those that are new already, where a block that goes on beyond one goes on
   */
  begin(rowIds: readonly string[], place: NewPlace): void {
    if (rowIds.length === 0) return
    const rows = rowIds.map((rowId): RecordRow => ({ rowId, recordId: '', record: {}, origin: 'new' }))
    this.#rows.addNew(rows, place)
    this.#book.begin(rows)
  }

  /** Takes new records away again, with all that was typed into them. */
  forgetBegun(rowIds: readonly string[]): void {
    const gone = rowIds.filter((rowId) => {
      const draft = this.#book.draft(rowId)
      return draft?.kind === 'insert' && !isLocked(draft)
    })
    for (const rowId of gone) this.#book.remove(rowId)
    this.#rows.remove(gone)
  }

  /** Takes drafts away, and the rows that stand there only for them. @returns what `putBack` puts back */
  takeBack(rowIds: Iterable<string>): readonly RevertedRow[] {
    const reverted: RevertedRow[] = []
    for (const rowId of rowIds) {
      const [row, draft] = [this.#rows.get(rowId), this.#book.draft(rowId)]
      if (row && draft && !isLocked(draft)) reverted.push({ row, draft })
    }
    for (const { row } of reverted) this.#book.remove(row.rowId)
    this.#rows.remove(reverted.flatMap(({ row }) => (row.origin === 'read' ? [] : [row.rowId])))
    this.#refresh(reverted)
    return reverted
  }

  /** Puts drafts back as they were; what was read again meanwhile stays as it was read. */
  putBack(reverted: readonly RevertedRow[]): void {
    const missing = reverted.flatMap(({ row }): RecordRow[] => {
      if (this.#rows.get(row.rowId)) return []
      return [row.origin === 'read' ? { ...row, origin: 'kept' } : row]
    })
    for (const { row, draft } of reverted) {
      if (!this.#book.draft(row.rowId)) this.#book.change(draft)
    }
    this.#rows.keep(missing)
    this.#refresh(reverted)
  }

  /**
   * Drafts whose records are not in the list stand there all the same; rows that were only kept for one go with it.
   * @param before rows that had something to say before
   */
  keep(before: ReadonlySet<string>): void {
    this.#rows.remove(
      [...before].filter((rowId) => {
        const row = this.#rows.get(rowId)
        return row !== undefined && row.origin !== 'read' && !this.#book.draft(rowId)
      }),
    )
    const kept: RecordRow[] = []
    for (const draft of this.#book.drafts) {
      const rowId = rowIdOf(draft)
      if (this.#rows.get(rowId)) continue
      const origin = draft.kind === 'insert' ? 'new' : 'kept'
      kept.push({ rowId, recordId: draft.recordId, record: draft.before, origin })
    }
    this.#rows.keep(kept)
  }

  #refresh(reverted: readonly RevertedRow[]): void {
    this.#rows.grid?.refresh(reverted.map(({ row }) => row.rowId))
  }
}

/*
 * What the rows of a list are called, as they will be: records by their own full names, drafted ones as was typed.
 */

interface Ports {
  readonly object: string
  /** The row as the list has it now. */
  readonly row: (rowId: string) => RecordRow | undefined
}

export class ListNames {
  readonly #ports: Ports
  readonly index = new NameIndex()
  /** The full name that a drafted row has in the index, where it is not its record's. */
  readonly #drafted = new Map<string, string>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** Looks into the names of a long list, so that the next question costs nothing. */
  prepare(): Interruptible<void> {
    return this.index.prepare()
  }

  /** Whether a row is in the index by what was typed. */
  isDrafted(rowId: string): boolean {
    return this.#drafted.has(rowId)
  }

  /** The names that rows of the list have by themselves. */
  addNames(rows: readonly RecordRow[]): void {
    this.index.addLater(rows.filter((row) => row.origin === 'read' && !this.#drafted.has(row.rowId)))
  }

  /** Other rows are coming: only what drafts are called is still in use. */
  forgetNames(): void {
    this.index.clear()
    for (const [rowId, name] of this.#drafted) this.index.add(name, rowId)
  }

  /** A record has other content now. */
  renameRecord(row: RecordRow, before: RecordRow | undefined): void {
    if (before) this.index.remove(recordName(before.record), before.rowId)
    this.index.add(recordName(row.record), row.rowId)
  }

  /** A record is gone from the list; what a draft of it is called stays. */
  forgetRecord(row: RecordRow): void {
    if (!this.#drafted.has(row.rowId)) this.index.remove(recordName(row.record), row.rowId)
  }

  /** A row will be called as its draft says; without one, or where that leaves the name alone, as its record. */
  follow(rowId: string, draft: RowDraft | undefined): void {
    const row = this.#ports.row(rowId)
    const own = row?.origin === 'read' ? recordName(row.record) : ''
    const before = this.#drafted.get(rowId) ?? own
    const drafted = draft && touchesName(draft) ? draftFullName(this.#ports.object, draft) : null
    if (drafted === null) this.#drafted.delete(rowId)
    else this.#drafted.set(rowId, drafted)
    this.index.remove(before, rowId)
    this.index.add(drafted ?? own, rowId)
  }
}
