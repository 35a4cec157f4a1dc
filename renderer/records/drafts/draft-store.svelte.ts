/**
 * The drafts of one list: what was typed, kept on disk at once, with its problems and what became of it. Rows are
 * handed in where they are needed; the store knows no grid.
 */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Operation } from '../../../shared/contract/records.ts'
import { type EditValue, type FieldEdit, type RecordData, editAt } from '../../../shared/records/changes.ts'
import { type AppError, type Result, ok } from '../../../shared/result.ts'
import type { Api } from '../../api.ts'
import { ListNames } from '../list/names.ts'
import type { RecordRow } from '../list/rows.ts'
import { yieldToEventLoop } from '../list/time-slice.ts'
import type { CellStep } from '../list/undo-history.svelte.ts'
import { type RowOutcome, SavedMarks, rowOutcome } from '../outcome/outcome.ts'
import { type Problem, ProblemFinder, touchesName } from './problems.ts'
import {
  type ChangeUnderneath,
  type RowDraft,
  changesUnderneath,
  draftFor,
  fromStored,
  rowIdOf,
  savedRowIdOf,
  withValue,
  withoutValue,
} from './row-draft.ts'

const RETRY_AFTER = 5_000
const NONE: RowOutcome = { kind: 'none' }

/** One cell to be put; `null` takes the edit away. */
interface CellPut {
  readonly row: RecordRow
  readonly path: string
  readonly now: EditValue | null
}

interface StorePorts {
  readonly api: Api
  readonly company: CompanyRef
  readonly object: string
  /** The row as the list has it now. */
  readonly row: (rowId: string) => RecordRow | undefined
  readonly supported: () => ReadonlySet<string> | null
  /** Whether a record that is not in the list is certainly gone: the whole list was read. */
  readonly isWholeList: () => boolean
  /** Why the record of a row can't be told from others; empty when it can. */
  readonly ambiguity: (row: RecordRow) => string
}

export class DraftStore {
  readonly #ports: StorePorts
  readonly #drafts = new Map<string, RowDraft>()
  readonly #saved = new SavedMarks()
  /** Drafts that were emptied, by row: typing again goes on with the same one, so that its saves keep their order. */
  readonly #emptied = new Map<string, string>()
  /** What rows of the list are called, as they will be. */
  readonly names: ListNames
  readonly #problems = new ProblemFinder()
  /** What was found underneath a draft, and in which record: it is asked for again and again. */
  readonly #underneath = new WeakMap<
    RowDraft,
    { readonly record: RecordData; readonly found: readonly ChangeUnderneath[] }
  >()
  readonly #saver: DraftSaver
  #version = $state(0)
  /** Why drafts could not be kept on disk just now. */
  saveError = $state.raw<AppError | null>(null)

  constructor(ports: StorePorts) {
    this.#ports = ports
    this.names = new ListNames(ports)
    this.#saver = new DraftSaver({
      save: (drafts) => this.#save(drafts),
      onfailure: (error) => (this.saveError = error),
      retryAfter: RETRY_AFTER,
    })
  }

  /** Read it where something must be worked out again at each change. */
  get version(): number {
    return this.#version
  }

  get all(): IterableIterator<RowDraft> {
    return this.#drafts.values()
  }

  draft(rowId: string): RowDraft | undefined {
    return this.#drafts.get(rowId)
  }

  /** What was typed, and what was saved in this visit, field by field. */
  changes(): readonly FieldEdit[] {
    const typed = [...this.#drafts.values()].flatMap(({ edits }) => Object.values(edits))
    return this.#saved.changes().concat(typed)
  }

  /** Rows that have something to say: drafts, and what was saved in this visit. */
  markedRows(): ReadonlySet<string> {
    return new Set([...this.#drafts.keys(), ...this.#saved.rowIds])
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
      names: this.names.index,
      supported: this.#ports.supported(),
      vanished,
      sharesId,
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
   * Puts values into cells, or takes their edits away (`null`); saved at once. Each row's draft is made and kept once.
   * Of many cells some at a time: `tell` follows when all are put.
   * @returns the cells that have another value now
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

  /** Drafts are others now: what is worked out of all of them is worked out anew. */
  tell(): void {
    this.#version += 1
  }

  #first(row: RecordRow): RowDraft {
    return draftFor(row, this.#emptied.get(row.rowId) ?? crypto.randomUUID())
  }

  /** Keeps a draft in its new state; one without edits is taken away, unless it is a new row that is still empty. */
  change(draft: RowDraft): void {
    this.#keep(draft)
    this.#version += 1
  }

  #keep(draft: RowDraft): void {
    const rowId = rowIdOf(draft)
    const isEmpty = Object.keys(draft.edits).length === 0
    if (isEmpty && draft.kind === 'change') {
      this.#drafts.delete(rowId)
      this.#emptied.set(rowId, draft.draftId)
    } else this.#drafts.set(rowId, draft)
    // Nearly all edits leave the name alone.
    if (touchesName(draft) || this.names.isDrafted(rowId)) this.#rename(rowId)
    this.#saver.save(draft)
  }

  /** Begins new records; each reaches the disk with its first value. */
  begin(rows: readonly RecordRow[]): void {
    for (const row of rows) this.#drafts.set(row.rowId, draftFor(row, row.rowId))
    this.#version += 1
  }

  /** Takes a draft away, with everything that was typed into it. */
  remove(rowId: string): void {
    const draft = this.#drafts.get(rowId)
    if (!draft) return
    this.#drop(rowId)
    this.#emptied.set(rowId, draft.draftId)
    this.#saver.save({ ...draft, edits: {} })
  }

  /** Takes up an outcome that the main process reports; a draft that we did not know yet is made from it. */
  report(operation: Operation): void {
    const rowId = rowIdOf(operation)
    const known = this.#drafts.get(rowId)
    if (known?.operation && known.operation.queuedAt > operation.queuedAt) return
    const edits = Object.fromEntries(operation.edits.map((edit) => [edit.path, edit]))
    const before = this.#ports.row(rowId)?.record ?? {}
    this.#saver.forget(operation.draftId)
    this.#drafts.set(rowId, {
      before,
      changesBack: false,
      isFromBefore: false,
      ...known,
      ...operation,
      edits: known?.edits ?? edits,
      operation,
    })
    this.#rename(rowId)
    this.#version += 1
  }

  /** A record was saved: its draft is done. `rowId` is the record's own from now on. */
  settle(operation: Operation, rowId: string): void {
    this.#saver.forget(operation.draftId)
    const before = this.#ports.row(rowIdOf(operation))?.record ?? {}
    this.#drop(rowIdOf(operation))
    this.#emptied.delete(rowId)
    this.#saved.add(rowId, operation, before)
    this.#version += 1
  }

  /** Clears the marks of what was saved as it was sent; the others stay until they have been seen. */
  clearSavedAsSent(): void {
    this.#saved.clearAsSent()
    this.#version += 1
  }

  /** Clears the mark of a row that was saved otherwise, and has been seen. */
  clearSaved(rowId: string): void {
    this.#saved.clear(rowId)
    this.#version += 1
  }

  /** Reads the drafts from disk; what is not on disk yet stays as it is here. */
  async load(): Promise<Result<void>> {
    const { api, company, object } = this.#ports
    const loaded = await api.call('records.drafts', { company, object })
    if (!loaded.ok) return loaded
    const stored = loaded.value.map(fromStored)
    const ids = new Set(stored.map((draft) => draft.draftId))
    for (const [rowId, draft] of this.#drafts) {
      const isUnsaved = this.#saver.isPending(draft.draftId) || Object.keys(draft.edits).length === 0
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

  /** @returns the drafts that were refused; the others are on disk */
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

  /** Whether anything typed is not on disk yet. */
  get hasUnsaved(): boolean {
    return this.#saver.hasPending
  }

  /** Waits until everything typed is on disk; answers whether it is. */
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

/*
 * Saves drafts at once, many in a call where many changed together, the last state of each winning. What could not
 * be saved is kept and tried again: no typing is lost while the window lives.
 */

/**
 * Drafts a call: a fill of 100,000 rows must not be 100,000 transactions, and the crossing of a call is a turn of the
 * window's, in which nothing else is done.
 */
const MOST_IN_A_CALL = 100

/** A draft that could not be kept, and why; the others of its call are. */
export interface UnsavedDraft {
  readonly draftId: string
  readonly error: AppError
}

interface SaverPorts {
  /** Puts the drafts' present states on disk; a draft without edits is taken away there. Answers those refused. */
  readonly save: (drafts: readonly RowDraft[]) => Promise<Result<readonly UnsavedDraft[]>>
  /** Called with what stands in the way, `null` once everything is on disk again. */
  readonly onfailure: (error: AppError | null) => void
  /** Milliseconds until a failed save is tried again. */
  readonly retryAfter: number
}

export class DraftSaver {
  readonly #ports: SaverPorts
  /** What is not on disk yet, by draft; the newest state of each. */
  readonly #waiting = new Map<string, RowDraft>()
  /** Those of them that were tried in vain; left alone until they are tried again. */
  readonly #failed = new Map<string, AppError>()
  #run: Promise<void> | null = null
  #said: AppError | null = null
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor(ports: SaverPorts) {
    this.#ports = ports
  }

  /** Whether a draft has a state that is not on disk yet. */
  isPending(draftId: string): boolean {
    return this.#waiting.has(draftId)
  }

  /** Whether any has. */
  get hasPending(): boolean {
    return this.#waiting.size > 0
  }

  save(draft: RowDraft): void {
    // Last in the queue, so that a large fill that is still being saved does not run ahead of a new one for ever.
    this.#waiting.delete(draft.draftId)
    this.#waiting.set(draft.draftId, draft)
    this.#failed.delete(draft.draftId)
    this.#start()
  }

  /** Forgets what waits: the draft is gone for good, saved or thrown away. */
  forget(draftId: string): void {
    this.#waiting.delete(draftId)
    this.#failed.delete(draftId)
  }

  /** Waits until everything was tried; answers whether all of it is on disk. */
  async settled(): Promise<boolean> {
    this.#failed.clear()
    this.#start()
    while (this.#run !== null) await this.#run
    return this.#waiting.size === 0
  }

  /** Tries again at once what failed. */
  retryNow(): void {
    clearTimeout(this.#retry)
    this.#failed.clear()
    this.#start()
  }

  stop(): void {
    clearTimeout(this.#retry)
  }

  #start(): void {
    if (this.#run !== null || this.#waiting.size === 0) return
    this.#run = this.#drain().finally(() => {
      this.#run = null
    })
  }

  /** One call after the other, so that a draft's older state never lands on its newer one. */
  async #drain(): Promise<void> {
    // What changes together, as in a paste, is put in before the first call leaves; many leave in a turn of their own.
    await Promise.resolve()
    if (this.#waiting.size > MOST_IN_A_CALL) await yieldToEventLoop()
    for (;;) {
      const drafts = this.#next()
      if (drafts.length === 0) return this.#say()
      const result = await this.#ports.save(drafts)
      const refused = result.ok
        ? result.value
        : drafts.map(({ draftId }) => ({ draftId, error: result.error }))
      const errors = new Map(refused.map(({ draftId, error }) => [draftId, error]))
      for (const draft of drafts) this.#after(draft, errors.get(draft.draftId))
    }
  }

  #next(): readonly RowDraft[] {
    const drafts: RowDraft[] = []
    for (const draft of this.#waiting.values()) {
      if (drafts.length === MOST_IN_A_CALL) break
      if (!this.#failed.has(draft.draftId)) drafts.push(draft)
    }
    return drafts
  }

  #after(draft: RowDraft, error: AppError | undefined): void {
    // Typed into or forgotten meanwhile: what was answered is about a state that nobody asks for any more.
    if (this.#waiting.get(draft.draftId) !== draft) return
    if (error) this.#failed.set(draft.draftId, error)
    else this.#waiting.delete(draft.draftId)
  }

  #say(): void {
    const [error = null] = this.#failed.values()
    if (error !== this.#said) this.#ports.onfailure(error)
    this.#said = error
    clearTimeout(this.#retry)
    if (error) this.#retry = setTimeout(() => this.retryNow(), this.#ports.retryAfter)
  }
}
