/**
 * One list of one company: its rows, columns and drafts, and what is being done with them. Lives as long as the
 * window, so that a list opened before stands there at once. The grid is told through a port while it is shown.
 */
import { untrack } from 'svelte'
import { shownValue, topField, type EditValue } from '../../shared/changes.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, FieldSupport, RecordSet, RecordsFilter } from '../../shared/contract/records.ts'
import type { Api } from '../api.ts'
import { allColumns, pathWords, planColumns, type PlanEntry, type PlannedColumn } from './columns.ts'
import type { GridPort } from './grid-port.ts'
import { DraftBook } from './draft-book.svelte.ts'
import { DraftedRows } from './drafted-rows.ts'
import { ListEditing } from './list-editing.ts'
import type { ListMerge } from './list-merge.ts'
import { ListOutcomes } from './list-outcomes.ts'
import { ListReader, type RowsTaker } from './list-reader.svelte.ts'
import { ListRows } from './list-rows.svelte.ts'
import { ListSupport } from './list-support.svelte.ts'
import { ListUpdate } from './list-update.svelte.ts'
import { NO_FILTER } from './list-filter.ts'
import { Overlap } from './overlap.svelte.ts'
import { ReferenceIndex } from './references.ts'
import type { RowDraft } from './row-draft.ts'
import { recordName, type RecordRow } from './rows.ts'
import { sharedColumns } from './shared-columns.ts'
import { Sending } from './sending.svelte.ts'
import { otherTurns } from './turns.ts'

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

  /** Begins a new record on top of the list. */
  addRecord(): string {
    const rowId = crypto.randomUUID()
    this.drafted.begin([rowId], 'top')
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
