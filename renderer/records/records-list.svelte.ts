/**
 * One list of one company: its rows, columns and drafts, and what is being done with them. Lives as long as the
 * window, so that a list opened before stands there at once. The grid is told through a port while it is shown.
 */
import {
  EMPTY_REFERENCE,
  isEmpty,
  memberOf,
  shownValue,
  topField,
  type EditValue,
  type RecordData,
} from '../../shared/changes.ts'
import type {
  Batch,
  CompanyRef,
  EventPayload,
  FieldSupport,
  Operation,
  RecordsFilter,
} from '../../shared/contract.ts'
import type { Editability } from '../../shared/records.ts'
import type { Api } from '../api.ts'
import { allColumns, pathWords, planColumns, type PlannedColumn } from './columns.ts'
import { DraftBook } from './draft-book.svelte.ts'
import { ListReader } from './list-reader.svelte.ts'
import { NO_FILTER } from './list-filter.ts'
import { mergedRecord } from './merged-record.ts'
import { ReferenceIndex } from './references.ts'
import { isLocked, rebased, rowIdOf, type RowDraft } from './row-draft.ts'
import type { RecordRow } from './rows.ts'
import { Sending } from './sending.svelte.ts'
import { UndoHistory, type CellStep, type Step } from './undo.svelte.ts'
import { recordName } from './rows.ts'

/** What the list tells the grid, while one is shown. */
export interface GridPort {
  setRows(rows: readonly RecordRow[]): void
  addRows(rows: readonly RecordRow[], place: 'top' | 'end'): void
  /** The row stands there with another content, perhaps under another id. */
  replaceRow(rowId: string, row: RecordRow): void
  removeRow(rowId: string): void
  /** These rows have other values or states; all others may have other signs. */
  refresh(rowIds: readonly string[]): void
  /** Saved just now: their cells flash. */
  flash(rowIds: readonly string[]): void
}

/** One cell to be put; `null` takes the edit away. */
export interface CellEdit {
  readonly rowId: string
  readonly path: string
  readonly now: EditValue | null
}

export interface Refusal {
  readonly rowId: string
  readonly path: string
  readonly because: string
}

export class RecordsList {
  readonly company: CompanyRef
  readonly object: string
  readonly reader: ListReader
  readonly book: DraftBook
  readonly sending: Sending
  readonly undoHistory = new UndoHistory()
  readonly references: ReferenceIndex
  grid: GridPort | null = null
  /** What the next read asks for. */
  filter = $state.raw<RecordsFilter>(NO_FILTER)
  /** Why nothing may be changed in these books; empty when it may. */
  closedBecause = $state('')
  #rows = new Map<string, RecordRow>()
  /** How many rows there are, new ones and those of kept drafts included. */
  count = $state(0)
  #support = $state.raw<FieldSupport | null>(null)
  readonly #api: Api
  readonly #plan = $derived.by(() => planColumns(this.object, this.reader.set?.fields ?? [], this.#support))
  readonly #byPath = $derived(new Map(allColumns(this.#plan).map((column) => [column.path, column])))
  readonly #supported = $derived(this.#support?.supported ? new Set(this.#support.supported) : null)

  constructor(api: Api, company: CompanyRef, object: string, onend: (batch: Batch) => void) {
    this.#api = api
    this.company = company
    this.object = object
    const ports = { api, company, object }
    this.reader = new ListReader({
      ...ports,
      onbegin: (_set, rows) => this.#begin(rows),
      onrows: (rows) => this.#add(rows),
      onend: () => this.#end(),
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
    this.references = new ReferenceIndex(object, () => this.#rows.values())
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
    this.references.clear()
    this.#keepDraftedRows(new Set())
    this.grid?.refresh([...this.book.markedRows()])
  }

  /** Drafts whose records are not in the list stand there all the same; rows that were only kept for one go with it. */
  #keepDraftedRows(before: ReadonlySet<string>): void {
    if (this.reader.isFilling) return
    for (const rowId of before) {
      const row = this.#rows.get(rowId)
      if (row && row.origin !== 'read' && !this.book.draft(rowId)) this.#remove(rowId)
    }
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

  #remove(rowId: string): void {
    this.#rows.delete(rowId)
    this.count = this.#rows.size
    this.grid?.removeRow(rowId)
  }

  // ---- editing

  /** Whether a cell may be changed now, and why not. */
  editability(rowId: string, path: string): Editability {
    const no = (because: string): Editability => ({ editable: false, because })
    const row = this.#rows.get(rowId)
    const column = this.#byPath.get(path)
    if (!row || !column) return no('There is nothing to change here.')
    if (this.closedBecause !== '') return no(this.closedBecause)
    const right = row.origin === 'new' ? column.forNew : column.forExisting
    if (!right.editable) return right
    if (row.origin !== 'new' && row.recordId === '') {
      return no('The service gave this record no ID of its own, so it can’t be changed from here.')
    }
    if (isLocked(this.book.draft(rowId))) return no(this.#lockedBecause(rowId))
    if (this.#hasParts(row, path)) return no('This value has parts that can’t be changed here.')
    return right
  }

  #lockedBecause(rowId: string): string {
    const kind = this.book.outcome(rowId).kind
    if (kind === 'held' || kind === 'meanwhile') return 'Decide first on what became of the last change.'
    if (kind === 'unconfirmed') return 'It is not known yet whether the last change was saved.'
    return 'This row is being sent.'
  }

  /** Text fields that hold an object or a list as they came: typing would replace it by text. */
  #hasParts(row: RecordRow, path: string): boolean {
    if (this.#byPath.get(path)?.type !== 'text') return false
    const member = memberOf(path)
    const top = row.record[topField(path)]
    const parts = typeof top === 'object' && top !== null ? (top as RecordData) : {}
    const value = member === null ? top : parts[member]
    return typeof value === 'object' && value !== null
  }

  /** Puts values into cells as one step that can be undone. Cells that can't take theirs are answered, with why. */
  edit(edits: readonly CellEdit[]): readonly Refusal[] {
    const refused: Refusal[] = []
    const step: CellStep[] = []
    for (const { rowId, path, now } of edits) {
      const right = this.editability(rowId, path)
      if (right.editable) step.push(...this.#put(rowId, path, this.#withKnownId(path, now)))
      else refused.push({ rowId, path, because: right.because })
    }
    this.undoHistory.add(step)
    this.grid?.refresh(step.map((cell) => cell.rowId))
    return refused
  }

  #put(rowId: string, path: string, now: EditValue | null): CellStep[] {
    const row = this.#rows.get(rowId)
    const before = row ? this.book.put(row, path, now) : undefined
    if (before === undefined) return []
    return [{ rowId, path, before, after: this.book.draft(rowId)?.edits[path]?.now ?? null }]
  }

  /** A name typed that some record has already is that very reference. */
  #withKnownId(path: string, now: EditValue | null): EditValue | null {
    if (now === null || typeof now === 'string' || isEmpty(now) || now.ID !== '') return now
    return this.references.find(path, now.FullName) ?? now
  }

  /** Empties cells as Delete does: text and references; a boolean or an amount can't be emptied. */
  clear(cells: readonly Omit<CellEdit, 'now'>[]): readonly Refusal[] {
    const refused: Refusal[] = []
    const edits = cells.flatMap((cell): CellEdit[] => {
      const type = this.#byPath.get(cell.path)?.type
      const isNew = this.#rows.get(cell.rowId)?.origin === 'new'
      if (!isNew && (type === 'boolean' || type === 'money')) {
        refused.push({ ...cell, because: `${this.words(cell.path)} can’t be emptied.` })
        return []
      }
      return [{ ...cell, now: type === 'reference' ? EMPTY_REFERENCE : '' }]
    })
    return [...refused, ...this.edit(edits)]
  }

  /** Begins a new record on top of the list. */
  addRecord(): string {
    const rowId = crypto.randomUUID()
    const row: RecordRow = { rowId, recordId: '', record: {}, origin: 'new' }
    this.#rows = new Map([[rowId, row], ...this.#rows])
    this.count = this.#rows.size
    this.book.begin(row)
    this.grid?.addRows([row], 'top')
    return rowId
  }

  revertCell(rowId: string, path: string): void {
    this.edit([{ rowId, path, now: null }])
  }

  /** Takes back everything that was typed into these rows; new ones go. */
  revertRows(rowIds: Iterable<string>): number {
    const gone: string[] = []
    for (const rowId of [...rowIds]) {
      const draft = this.book.draft(rowId)
      if (!draft || isLocked(draft)) continue
      gone.push(rowId)
      this.book.remove(rowId)
      if (this.#rows.get(rowId)?.origin !== 'read') this.#remove(rowId)
    }
    this.undoHistory.forgetRows(new Set(gone))
    this.grid?.refresh(gone)
    return gone.length
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

  /** Decides on what somebody changed in the application while the draft was here: `theirs` drops those edits. */
  resolveUnderneath(rowId: string, theirs: ReadonlySet<string>): void {
    const draft = this.book.draft(rowId)
    const row = this.#rows.get(rowId)
    if (!draft || row?.origin !== 'read') return
    this.book.change(rebased(this.object, draft, row.record, theirs))
    this.undoHistory.forgetRows(new Set([rowId]))
    this.grid?.refresh([rowId])
  }

  undo(): Step | null {
    return this.#replay(this.undoHistory.undo())
  }

  redo(): Step | null {
    return this.#replay(this.undoHistory.redo())
  }

  #replay(step: Step | null): Step | null {
    for (const { rowId, path, after } of step ?? []) {
      if (this.editability(rowId, path).editable) this.#put(rowId, path, after)
    }
    if (step) this.grid?.refresh(step.map((cell) => cell.rowId))
    return step
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
    this.undoHistory.forgetRows(new Set(operations.map(rowIdOf)))
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
