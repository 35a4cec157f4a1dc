/**
 * The drafts of one list, saved to disk immediately, with their problems and outcomes. The class doesn't
 * know the grid. It is given rows where it needs them.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import { editAt, type EditValue, type FieldEdit, type RecordData } from '../../../shared/records/changes.ts'
import { type AppError, ok, type Result } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { ListNames } from '../list/names.ts'
import type { ReferenceStatus } from '../list/references.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import type { CellStep } from '../list/undo-history.svelte.ts'
import { type RowOutcome, rowOutcome, SavedMarks } from '../outcome/outcome.ts'
import { DraftSaver, type UnsavedDraft } from './draft-saver.ts'
import { type Problem, ProblemFinder, touchesName } from './problems.ts'
import {
  changesUnderneath,
  type ChangeUnderneath,
  draftFor,
  fromStored,
  hasEdits,
  type RowDraft,
  rowIdOf,
  savedRowIdOf,
  withoutValue,
  withValue,
} from './row-draft.ts'

const RETRY_AFTER = 5_000
const NONE: RowOutcome = { kind: 'none' }

/** A new value for one cell; `null` reverts the cell. */
interface CellPut {
  readonly row: RecordRow
  readonly path: string
  readonly now: EditValue | null
}

interface DraftPorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** Returns the list's current row. */
  readonly row: (rowId: string) => RecordRow | undefined
  readonly supported: () => ReadonlySet<string> | null
  /** Whether the whole list is loaded, so that a record that isn't in it no longer exists. */
  readonly isWholeList: () => boolean
  /** Whether a reference with this name exists. */
  readonly referenceStatus: (path: string, fullName: string) => ReferenceStatus
  /** Why the record of a row can't be identified; empty if it can. */
  readonly ambiguity: (row: RecordRow) => string
}

export class ListDrafts {
  readonly #ports: DraftPorts
  readonly #drafts = new Map<string, RowDraft>()
  readonly #saved = new SavedMarks()
  /**
   * IDs of drafts that were cleared, by row. Typing again reuses the ID, so that the saves of a draft keep
   * their order.
   */
  readonly #emptied = new Map<string, string>()
  /** The names that rows will have once the drafts are sent. */
  readonly names: ListNames
  readonly #problems = new ProblemFinder()
  /** Cached changes underneath each draft, and the record they were found in. */
  readonly #underneath = new WeakMap<
    RowDraft,
    { readonly record: RecordData; readonly found: readonly ChangeUnderneath[] }
  >()
  readonly #saver: DraftSaver
  #version = $state(0)
  /** Why drafts can't be saved to disk at the moment. */
  saveError = $state.raw<AppError | null>(null)

  constructor(ports: DraftPorts) {
    this.#ports = ports
    this.names = new ListNames(ports)
    this.#saver = new DraftSaver({
      save: (drafts) => this.#save(drafts),
      onfailure: (error) => (this.saveError = error),
      retryAfter: RETRY_AFTER,
    })
  }

  /** Changes with every edit. Read it to recompute after changes. */
  get version(): number {
    return this.#version
  }

  get all(): IterableIterator<RowDraft> {
    return this.#drafts.values()
  }

  draft(rowId: string): RowDraft | undefined {
    return this.#drafts.get(rowId)
  }

  /** All edits, and what was saved since the list was opened, by field. */
  changes(): readonly FieldEdit[] {
    const typed = [...this.#drafts.values()].flatMap(({ edits }) => Object.values(edits))
    return this.#saved.changes().concat(typed)
  }

  /** Rows with a draft, or saved since the list was opened. */
  markedRows(): ReadonlySet<string> {
    const marked = new Set(this.#drafts.keys())
    for (const rowId of this.#saved.rowIds) marked.add(rowId)
    return marked
  }

  isMarked(rowId: string): boolean {
    return this.#drafts.has(rowId) || this.#saved.of(rowId) !== undefined
  }

  outcome(rowId: string): RowOutcome {
    const draft = this.#drafts.get(rowId)
    const saved = this.#saved.of(rowId)
    if (!draft && !saved) return NONE
    return rowOutcome(draft, saved, draft ? this.problems(draft) : [], draft ? this.underneath(draft) : [])
  }

  problems(draft: RowDraft): readonly Problem[] {
    const rowId = rowIdOf(draft)
    const { object } = this.#ports
    const row = this.#ports.row(rowId)
    const vanished = draft.kind === 'change' && row?.origin !== 'read' && this.#ports.isWholeList()
    const sharesId = row !== undefined && this.#ports.ambiguity(row) !== ''
    return this.#problems.of(draft, {
      object,
      rowId,
      names: this.names,
      supported: this.#ports.supported(),
      vanished,
      sharesId,
      referenceStatus: this.#ports.referenceStatus,
    })
  }

  underneath(draft: RowDraft): readonly ChangeUnderneath[] {
    const row = this.#ports.row(rowIdOf(draft))
    if (row?.origin !== 'read') return []
    const known = this.#underneath.get(draft)
    if (known?.record === row.record) return known.found
    const found = changesUnderneath(this.#ports.object, draft, row.record)
    this.#underneath.set(draft, { record: row.record, found })
    return found
  }

  /**
   * Edits cells, or reverts them (`null`). Each row's draft is created and saved once. Call `tell` after the
   * last of several calls.
   * @returns the cells whose value changed
   */
  putAll(puts: readonly CellPut[]): readonly CellStep[] {
    const { object } = this.#ports
    const made = new Map<string, RowDraft>()
    const steps: CellStep[] = []
    for (const { row, path, now } of puts) {
      const { rowId } = row
      const present = made.get(rowId) ?? this.#drafts.get(rowId) ?? this.#first(row)
      const next = now === null ? withoutValue(present, path) : withValue(present, object, path, now)
      const before = editAt(present.edits, path)?.now ?? null
      const after = editAt(next.edits, path)?.now ?? null
      if (before === after || JSON.stringify(before) === JSON.stringify(after)) continue
      made.set(rowId, next)
      steps.push({ rowId, path, before, after })
    }
    for (const draft of made.values()) this.#keep(draft)
    return steps
  }

  /** Announces that drafts changed, so that what depends on all of them is recomputed. */
  tell(): void {
    this.#version += 1
  }

  #first(row: RecordRow): RowDraft {
    return draftFor(row, this.#emptied.get(row.rowId) ?? crypto.randomUUID())
  }

  /** Saves a draft. A draft without edits is removed, unless it is a new row. */
  change(draft: RowDraft): void {
    this.#keep(draft)
    this.#version += 1
  }

  #keep(draft: RowDraft): void {
    const rowId = rowIdOf(draft)
    if (draft.kind === 'change' && !hasEdits(draft)) {
      this.#drafts.delete(rowId)
      this.#emptied.set(rowId, draft.draftId)
    } else this.#drafts.set(rowId, draft)
    // Most edits don't change the name.
    if (touchesName(draft) || this.names.isDrafted(rowId)) this.#rename(rowId)
    this.#saver.save(draft)
  }

  /** Creates drafts for new records. Each is saved to disk with its first value. */
  begin(rows: readonly RecordRow[]): void {
    for (const row of rows) this.#drafts.set(row.rowId, draftFor(row, row.rowId))
    this.#version += 1
  }

  /** Removes a draft with all its edits. */
  remove(rowId: string): void {
    const draft = this.#drafts.get(rowId)
    if (!draft) return
    this.#drop(rowId)
    this.#emptied.set(rowId, draft.draftId)
    this.#saver.save({ ...draft, edits: {} })
  }

  /** Applies an outcome that the main process reports. Creates the draft if it isn't known. */
  report(operation: Operation): void {
    const rowId = rowIdOf(operation)
    const known = this.#drafts.get(rowId)
    if (known?.operation && known.operation.queuedAt > operation.queuedAt) return
    const edits = Object.fromEntries(operation.edits.map((edit) => [edit.path, edit]))
    const before = this.#ports.row(rowId)?.record ?? {}
    this.#saver.forget(operation.draftId)
    this.#drafts.set(rowId, {
      before,
      undoes: false,
      isStale: false,
      ...known,
      ...operation,
      edits: known?.edits ?? edits,
      operation,
    })
    this.#rename(rowId)
    this.#version += 1
  }

  /** Removes the draft of a record that was saved. `rowId` is the row ID of the saved record. */
  settle(operation: Operation, rowId: string): void {
    this.#saver.forget(operation.draftId)
    const before = this.#ports.row(rowIdOf(operation))?.record ?? {}
    this.#drop(rowIdOf(operation))
    this.#emptied.delete(rowId)
    this.#saved.add(rowId, operation, before)
    this.#version += 1
  }

  /** Clears the marks of records that were saved as sent. The others stay until they have been seen. */
  clearSavedAsSent(): void {
    this.#saved.clearAsSent()
    this.#version += 1
  }

  /** Clears the mark of a row that was saved differently and has been seen. */
  clearSaved(rowId: string): void {
    this.#saved.clear(rowId)
    this.#version += 1
  }

  /** Loads the drafts from disk. Drafts with unsaved edits stay as they are. */
  async load(): Promise<Result<void>> {
    const { api, company, object } = this.#ports
    const loaded = await api.call('records.drafts', { company, object })
    if (!loaded.ok) return loaded
    const stored = loaded.value.map(fromStored)
    const ids = new Set(stored.map((draft) => draft.draftId))
    for (const [rowId, draft] of this.#drafts) {
      const isUnsaved = this.#saver.isPending(draft.draftId) || !hasEdits(draft)
      if (!ids.has(draft.draftId) && !isUnsaved) this.#drop(rowId)
    }
    for (const draft of stored) {
      if (this.#saver.isPending(draft.draftId)) continue
      if (draft.operation?.state === 'acked')
        this.#saved.add(savedRowIdOf(draft.operation), draft.operation, draft.before)
      else this.#drafts.set(rowIdOf(draft), draft)
      this.#rename(rowIdOf(draft))
    }
    this.#version += 1
    return ok(undefined)
  }

  /**
   * Saves drafts.
   * @returns the drafts that were rejected; the others are on disk
   */
  async #save(drafts: readonly RowDraft[]): Promise<Result<readonly UnsavedDraft[]>> {
    const { api, company, object } = this.#ports
    const saved = await api.call('records.saveDrafts', {
      company,
      object,
      drafts: drafts.map(({ draftId, kind, recordId, before, edits }) => ({
        draftId,
        kind,
        recordId,
        before,
        edits: Object.values(edits),
      })),
    })
    return saved.ok ? ok(saved.value.refused) : saved
  }

  /** Whether any edit isn't on disk yet. */
  get hasUnsaved(): boolean {
    return this.#saver.hasPending
  }

  /**
   * Waits until all edits are saved.
   * @returns whether that succeeded
   */
  settled(): Promise<boolean> {
    return this.#saver.settled()
  }

  retryNow(): void {
    this.#saver.retryNow()
  }

  stop(): void {
    this.#saver.stop()
  }

  #drop(rowId: string): void {
    this.#drafts.delete(rowId)
    this.#rename(rowId)
    this.#version += 1
  }

  #rename(rowId: string): void {
    this.names.follow(rowId, this.#drafts.get(rowId))
  }
}
