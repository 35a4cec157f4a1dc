/** The controller of the Records page: its commands, its dialogs, and the requests in its address. */
import { untrack } from 'svelte'
import type { RecordsFilter } from '../../../shared/contract/records.ts'
import type { Format } from '../../../shared/format/format.ts'
import { numberSeparators } from '../../../shared/format/money.ts'
import { type Reference, shownValue } from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import type { Api } from '../../api.ts'
import { HistoryController } from '../../history/history.svelte.ts'
import type { LiveAnnouncer, Toasts } from '../../ui/notices/announcer.svelte.ts'
import { hasEdits, isLocked, type RowDraft, rowIdOf } from '../drafts/row-draft.ts'
import { uncheckedReferences, type Warning, warningsOf } from '../drafts/warnings.ts'
import { ExportModel, type ShownList } from '../export/export.svelte.ts'
import type { GridState } from '../grid/grid-state.svelte.ts'
import { ImportModel } from '../import/import.svelte.ts'
import { localDateOrder } from '../import/plan/values.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { UndoStep } from '../list/undo-history.svelte.ts'
import { formatRowCount, formatUpdate } from './progress.ts'
import type { RecordsView } from './records-view.svelte.ts'

interface Ports {
  readonly api: Api
  /** BCP 47. */
  readonly locale: string
  readonly announcer: LiveAnnouncer
  readonly toasts: Toasts
  readonly format: () => Format
  /** Whether large or risky batches are reviewed before they are sent. */
  readonly reviewsFirst: () => boolean
  /** Called when the request in the address has been handled, so that it can be cleared. */
  readonly ontaken: () => void
  /** Opens **Tidy up** for the list. */
  readonly ontidy: (endpointId: string, object: string) => void
}

/** Largest number of changes that are sent without a review. */
const FEW_CHANGES = 10

/** Actions that can't be undone and need confirmation. */
export type ConfirmedAction = 'revert-all' | 'discard' | 'stale'

export class RecordsController {
  readonly view: RecordsView
  readonly history: HistoryController
  readonly files: FileDialogs
  /** The open dialog, if any. */
  asks = $state<'question' | 'columns' | null>(null)
  /** The last question. It stays while the dialog closes. */
  question = $state<ConfirmedAction>('revert-all')
  /** Number of drafts to send that come from an older database. */
  staleCount = $state(0)
  grid = $state.raw<GridState | undefined>(undefined)
  /** The focused cell, or the last one. */
  cell = $state.raw<{ readonly rowId: string; readonly path: string } | null>(null)
  /** The record that the address names, until it has the focus; `path` is the field to focus. */
  #sought = $state.raw<{ readonly recordId: string; readonly path: string } | null>(null)
  /** The button that sends the selected changes, while it is shown. */
  sendButton = $state.raw<HTMLButtonElement>()
  readonly #ports: Ports
  readonly #warnings = $derived.by(() => this.#warn())
  /** Fields whose lists were read for this review. */
  readonly #checked = new Set<string>()

  constructor(view: RecordsView, ports: Ports) {
    this.view = view
    this.#ports = ports
    this.history = new HistoryController(ports.api)
    this.files = new FileDialogs(ports.api, ports.locale)
  }

  /** Asks for confirmation. */
  ask(question: ConfirmedAction): void {
    this.question = question
    this.asks = 'question'
  }

  chooseColumns(): void {
    this.asks = 'columns'
  }

  openFind(): void {
    this.grid?.openFind(true)
  }

  tidyUp(): void {
    const { company, object } = this.view.list
    this.#ports.ontidy(company.endpointId, object)
  }

  /** The focused row's history. */
  showHistory(): void {
    this.#ports.toasts.clear()
    const { view } = this
    const { list } = view
    const row = this.cell ? list.row(this.cell.rowId) : undefined
    const recordId = row?.recordId ?? ''
    const ambiguity = row ? list.ambiguity(row) : ''
    if (recordId === '' && ambiguity !== '') this.refused(ambiguity)
    else if (recordId === '') this.refused('Select a saved record first.')
    else this.history.showRecord(list.company, list.object, recordId)
  }

  /** Opens the review of drafts that were created elsewhere, such as by **Undo…**. */
  async review(): Promise<void> {
    await this.view.list.reload()
    this.view.startReview()
  }

  /** Loads drafts that were sent immediately. Their button is gone, so the focus moves to the rows. */
  async changedBack(): Promise<void> {
    await this.view.list.reload()
    this.grid?.refocus()
  }

  /** @param file a file dropped on the list; without one, the user chooses it */
  import(file?: File): void {
    this.#ports.toasts.clear()
    const { list } = this.view
    if (list.closedReason === '') this.files.import(list, file)
    else this.refused(list.closedReason)
  }

  export(): void {
    this.#ports.toasts.clear()
    const { grid, view } = this
    const columns = grid?.columns
    if (!view.list.reader.set || !columns) {
      this.refused('There is nothing to export yet. Get the records first.')
      return
    }
    const look = (): ShownList => {
      // Runs again once the grid has applied a search.
      void grid.count
      return { rows: columns.shownRows(), paths: columns.shownPaths(), search: view.search }
    }
    this.files.export(view.list, look, this.#ports.format())
  }

  /**
   * Handles requests in the address: Activity links to `#/records/<list>/review` after it created drafts, and
   * the palette to `…/import` and `…/export`, and **Find anywhere** to `…/record/<id>/<field>`. Call it in an effect.
   */
  follow([part, ids = '', path = 'Name']: readonly string[]): void {
    if (part === 'only') {
      this.#ports.ontaken()
      untrack(() => this.view.showOnly(ids.split(',')))
      return
    }
    if (part === 'record') {
      this.#sought = { recordId: ids, path }
      this.#ports.ontaken()
      return
    }
    if (part !== 'review' && part !== 'import' && part !== 'export') return
    this.#ports.ontaken()
    if (part === 'review') void this.review()
    else untrack(() => (part === 'export' ? this.export() : this.import()))
  }

  /** Focuses the record that the address named, once the list and the grid are there. Called in an effect. */
  seek(): void {
    const [sought, { list }, grid] = [this.#sought, this.view, this.grid]
    if (sought === null || !grid?.parts || list.reader.isBusy || list.reader.set === null) return
    const { recordId, path } = sought
    untrack(() => {
      this.#sought = null
      if (this.view.isReviewing) this.view.leaveReview()
      this.view.chip = 'all'
      this.view.search = ''
      this.view.filters.clear()
      if (list.row(recordId) === undefined) return this.refused('This record isn’t in the list anymore.')
      // The grid shows what was filtered out first.
      setTimeout(() => grid.focusCell(recordId, list.column(path) ? path : 'Name'), 0)
    })
  }

  /** Shows the rows that were sent and not saved: those with problems, or else the unconfirmed ones. */
  showProblems(): void {
    this.view.search = ''
    this.view.chip = this.view.counts.problems > 0 ? 'problems' : 'not-confirmed'
  }

  /** Scrolls to a row and focuses the field that a warning is about, or else its first change. */
  show({ rowIds: [rowId = ''], path }: Warning): void {
    const [first] = Object.keys(this.view.list.drafts.draft(rowId)?.edits ?? {})
    this.grid?.focusCell(rowId, path ?? first ?? 'Name')
  }

  /** Warnings about the selected changes. */
  get warnings(): readonly Warning[] {
    return this.#warnings
  }

  /**
   * Reads the lists of references that were typed as names and that no loaded record has. Each list is read
   * once per review. Call it in an effect.
   */
  checkReferences(): void {
    const { list, isReviewing } = this.view
    void list.drafts.version
    if (!isReviewing) return this.#checked.clear()
    const referenceStatus = (path: string, fullName: string) => list.references.status(path, fullName)
    // Also those that are held back: the name may have been added in the application since.
    const open = [...list.drafts.all].filter((draft) => !isLocked(draft))
    for (const path of uncheckedReferences(open, { object: list.object, referenceStatus })) {
      if (this.#checked.has(path)) continue
      this.#checked.add(path)
      untrack(() => void this.checkReference(path))
    }
  }

  /** Reads the list of one field, after which the rows say whether it has the names. */
  async checkReference(path: string): Promise<void> {
    const { list } = this.view
    await list.references.readList(path)
    list.drafts.tell()
    list.rows.grid?.refresh([...list.drafts.markedRows()])
  }

  /** Replaces a missing reference in the rows of a warning. */
  useReference(rowIds: readonly string[], path: string, now: Reference): void {
    void this.view.list.editing.apply(rowIds.map((rowId) => ({ rowId, path, now })))
  }

  async get(): Promise<void> {
    await this.#get(this.view.list.filter)
  }

  /** Reads the list again with the same filter. */
  async getAgain(): Promise<void> {
    const { reader, filter } = this.view.list
    await this.#get(reader.set?.filter ?? filter)
  }

  /** Reads only what changed. */
  async update(): Promise<void> {
    this.#ports.toasts.clear()
    const { list } = this.view
    if (this.grid && !this.grid.commit()) return
    const came = await list.update.run()
    if (came && list.update.report)
      this.#ports.announcer.say(formatUpdate(list.update.report, list.object, this.#ports.format()))
  }

  async #get(filter: RecordsFilter): Promise<void> {
    this.#ports.toasts.clear()
    const { list } = this.view
    if (this.grid && !this.grid.commit()) return
    list.update.report = null
    await list.get(filter)
    const { set, error } = list.reader
    if (!error && set)
      this.#ports.announcer.say(`${formatRowCount(list.object, set.count, this.#ports.format())} read`)
  }

  add(): void {
    const { view } = this
    this.#ports.toasts.clear()
    if (view.isReviewing) view.leaveReview()
    view.chip = 'all'
    view.search = ''
    const rowId = view.list.addRecord()
    const first = objectDefinition(view.list.object)?.required[0] ?? view.list.plan[0]
    const path =
      typeof first === 'string'
        ? first
        : first?.kind === 'column'
          ? first.column.path
          : (first?.group.field ?? '')
    // The grid draws the row first.
    setTimeout(() => this.grid?.focusCell(rowId, path), 0)
    this.#ports.announcer.say('A new row at the top of the list')
  }

  /**
   * Sends the selected changes. Large or risky batches open the review first.
   * @param evenIfStale whether the user confirmed sending drafts from an older database
   */
  async send(evenIfStale = false): Promise<void> {
    this.#ports.toasts.clear()
    if (!(await this.#settleEdits())) return
    const { chosen } = this.view
    const staleCount = chosen.filter((draft) => draft.isStale).length
    if (staleCount > 0 && !evenIfStale) {
      this.staleCount = staleCount
      return this.ask('stale')
    }
    if (!this.view.isReviewing && this.#ports.reviewsFirst() && this.#needsReview(chosen)) {
      this.view.startReview(true)
      return
    }
    this.view.reviewed()
    await this.view.list.sending.send(
      chosen.map((draft) => draft.draftId),
      evenIfStale,
    )
  }

  /**
   * Takes the next step: reads the records, opens the review, or moves the focus to **Send**. Only Enter sends from
   * there, because the same key fills cells while one is being edited.
   */
  nextStep(): void {
    const { list, chosen, isReviewing } = this.view
    if (list.reader.isBusy || list.sending.isSending) return
    if (!list.reader.set && list.count === 0) void this.get()
    else if (chosen.length === 0) this.#ports.announcer.say('Nothing to send')
    else if (isReviewing) this.sendButton?.focus()
    else void this.#review()
  }

  async #review(): Promise<void> {
    if (await this.#settleEdits()) this.view.startReview(true)
  }

  /**
   * Commits the open editor and waits for running edits, so that they count.
   * @returns `false` if the editor's text is invalid
   */
  async #settleEdits(): Promise<boolean> {
    if (this.grid && !this.grid.commit()) return false
    await this.view.list.editing.settled()
    return true
  }

  undo(): void {
    this.#replay('undo')
  }

  redo(): void {
    this.#replay('redo')
  }

  /** Undoes or redoes a step and focuses the first of its cells. */
  #replay(way: 'undo' | 'redo'): void {
    const { editing } = this.view.list
    const focus = ({ cells }: UndoStep): void => {
      // Undo lists the cells in reverse.
      const cell = way === 'undo' ? cells.at(-1) : cells[0]
      if (cell) this.grid?.focusCell(cell.rowId, cell.path)
    }
    // Scrolling after the cells changed would lay out the grid once more. Rows that come or go have to do so first.
    const { step, reason } = editing[way]((next) => {
      if (next.begun.length === 0) focus(next)
    })
    const message = step ? (way === 'undo' ? 'Undone' : 'Redone') : `Nothing to ${way}`
    this.#ports.toasts.clear()
    if (reason === '') this.#ports.announcer.say(message)
    else this.refused(`${message}. Some cells can’t be changed now. ${reason}`)
    void editing.settled().then(() => this.view.leaveEmptyChip())
    if (step && step.begun.length > 0) focus(step)
  }

  revertRow(): void {
    const rowId = this.cell?.rowId
    this.revertRows(rowId === undefined ? [] : [rowId])
  }

  revertRows(rowIds: readonly string[]): void {
    const reverted = this.view.list.editing.revertRows(rowIds)
    const several = `${this.#ports.format().count(reverted)} rows reverted`
    this.#ports.announcer.say(
      reverted === 0 ? 'Nothing to revert in this row' : reverted === 1 ? 'Row reverted' : several,
    )
  }

  revertAll(): void {
    const { list } = this.view
    const rowIds = [...list.drafts.all].filter((draft) => !isLocked(draft)).map(rowIdOf)
    const reverted = list.editing.revertRows(rowIds)
    this.#ports.announcer.say(`${reverted} reverted`)
  }

  /** Discards queued changes, which were never sent. */
  async discardLeft(): Promise<void> {
    const { list } = this.view
    const left = [...list.drafts.all].filter((draft) => draft.operation?.state === 'queued')
    await list.discard(left)
    this.#ports.announcer.say(`${left.length} discarded`)
  }

  refused(reason: string): void {
    this.#ports.announcer.interrupt(reason)
    this.#ports.toasts.show(reason)
  }

  #warn(): readonly Warning[] {
    const { list, chosen, isReviewing } = this.view
    void list.drafts.version
    if (!isReviewing || list.sending.isSending) return []
    const chosenIds = new Set(chosen.map((draft) => draft.draftId))
    // Nothing is missing in a new row that is still empty.
    const heldBack = [...list.drafts.all].filter(
      (draft) =>
        !isLocked(draft) &&
        hasEdits(draft) &&
        !chosenIds.has(draft.draftId) &&
        !this.view.canCheck(rowIdOf(draft)),
    )
    return this.#warningsOf([...heldBack, ...chosen])
  }

  /** Whether changes need a review before they are sent. A few renames don't. */
  #needsReview(chosen: readonly RowDraft[]): boolean {
    return chosen.length > FEW_CHANGES || this.#warningsOf(chosen).some(({ kind }) => kind !== 'rename')
  }

  #warningsOf(drafts: readonly RowDraft[]): readonly Warning[] {
    const { list } = this.view
    return warningsOf(drafts, {
      object: list.object,
      format: this.#ports.format(),
      nameOf: (draft) => list.nameOf(rowIdOf(draft)),
      fieldLabel: list.fieldLabel,
      problems: (draft) => list.drafts.problems(draft),
      referenceStatus: (path, fullName) => list.references.status(path, fullName),
      similarReference: (path, fullName) => list.references.similar(path, fullName),
      shownText: (draft, path) => {
        const record = list.row(rowIdOf(draft))?.record ?? draft.before
        const value = shownValue(list.object, record, draft.edits, path)
        return typeof value === 'string' ? value : ''
      },
    })
  }
}

// The import and export dialogs.

class FileDialogs {
  readonly #api: Api
  readonly #locale: string
  importing = $state.raw<ImportModel | null>(null)
  exporting = $state.raw<ExportModel | null>(null)

  /** @param locale BCP 47 tag for the format of amounts and dates */
  constructor(api: Api, locale: string) {
    this.#api = api
    this.#locale = locale
  }

  /** @param file a file dropped on the list; without one, the user chooses it */
  import(list: RecordsList, file?: File): void {
    const separators = numberSeparators(this.#locale)
    this.importing = new ImportModel(this.#api, list, { separators, dates: localDateOrder(this.#locale) })
    if (file) void this.importing.useFile(file)
  }

  export(list: RecordsList, look: () => ShownList, format: Format): void {
    this.exporting = new ExportModel(this.#api, list, look, format)
  }

  close(): void {
    this.importing?.close()
    this.importing = null
    this.exporting = null
  }
}
