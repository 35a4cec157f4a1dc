/** One list on the screen: its commands, the dialogs that can be open over it, and what the address asks for. */
import { untrack } from 'svelte'
import type { RecordsFilter } from '../../../shared/contract/records.ts'
import type { Api } from '../../api.ts'
import { type ScreenCommand, keyName } from '../../frame/shortcuts.ts'
import { HistoryDesk } from '../../history/history.svelte.ts'
import type { Announcer, Toasts } from '../../ui/announcer.svelte.ts'
import type { Format } from '../../../shared/format/format.ts'
import type { MenuEntry } from '../../ui/overlays/top-layer.ts'
import { ExportDesk } from '../export/export.svelte.ts'
import type { GridColumns } from '../grid/columns/grid-columns.ts'
import { numberMarks } from '../grid/editor/typed-values.ts'
import { ImportModel } from '../import/import.svelte.ts'
import { localDateOrder } from '../import/plan/values.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import { RecordsCommands } from './records-screen.svelte.ts'
import type { RecordsView } from './records-view.svelte.ts'

interface Ports {
  readonly api: Api
  /** BCP 47. */
  readonly locale: string
  readonly announcer: Announcer
  readonly toasts: Toasts
  readonly format: () => Format
  readonly reviewsFirst: () => boolean
  /** The address says what is asked for no longer. */
  readonly ontaken: () => void
}

/** What can't be taken back, and is asked about first. */
export type Question = 'revert-all' | 'discard' | 'from-before'

export class RecordsDesk {
  readonly view: RecordsView
  readonly commands: RecordsCommands
  readonly history: HistoryDesk
  readonly files: FilesDesk
  /** Which of its own dialogs stands over the list, if any. */
  asks = $state<'question' | 'columns' | null>(null)
  /** What was asked last: the words stay while their dialog goes. */
  question = $state<Question>('revert-all')
  /** How many of the drafts that are to be sent are from before. */
  fromBefore = $state(0)
  readonly #ports: Ports

  constructor(view: RecordsView, ports: Ports) {
    this.view = view
    this.#ports = ports
    this.commands = new RecordsCommands(view, ports)
    this.history = new HistoryDesk(ports.api)
    this.files = new FilesDesk(ports.api, ports.locale)
  }

  readonly actions: ListActions = {
    get: () => void this.commands.get(),
    getAgain: () => void this.commands.getAgain(),
    update: () => void this.commands.update(),
    add: () => this.commands.add(),
    import: () => this.import(),
    export: () => this.export(),
    send: () => void this.send(),
    undo: () => this.commands.undo(),
    redo: () => this.commands.redo(),
    find: () => this.commands.grid?.openFind(true),
    revertRow: () => this.commands.revertRow(),
    askRevertAll: () => this.ask('revert-all'),
    history: () => this.showHistory(),
    chooseColumns: () => (this.asks = 'columns'),
  }

  /** Sends what is chosen, or asks first where some of it may be in the books already. */
  async send(): Promise<void> {
    this.fromBefore = await this.commands.send()
    if (this.fromBefore > 0) this.ask('from-before')
  }

  /** Asks before what can't be taken back. */
  ask(question: Question): void {
    this.question = question
    this.asks = 'question'
  }

  /** What was sent of the row that has the focus. */
  showHistory(): void {
    const { commands, view } = this
    const { list } = view
    const row = commands.cell ? list.row(commands.cell.rowId) : undefined
    const recordId = row?.recordId ?? ''
    const ambiguity = row ? list.ambiguity(row) : ''
    if (recordId === '' && ambiguity !== '') commands.refused(ambiguity)
    else if (recordId === '')
      commands.refused('Choose the row of a record first: what is new was not sent yet.')
    else this.history.showRecord(list.company, list.object, recordId)
  }

  /** Drafts that change something back stand in the grid at once, and in the review. */
  async review(): Promise<void> {
    await this.view.list.reload()
    this.view.startReview()
  }

  /** What changes something back is on its way. The button that asked for it is gone: the focus goes to the rows. */
  async changedBack(): Promise<void> {
    await this.view.list.reload()
    this.commands.grid?.refocus()
  }

  /** @param file one that was dropped on the list; else it is asked for */
  import(file?: File): void {
    const { list } = this.view
    if (list.closedBecause === '') this.files.import(list, file)
    else this.commands.refused(list.closedBecause)
  }

  export(): void {
    const columns = this.commands.grid?.columns
    if (this.view.list.reader.set && columns) this.files.export(this.view, columns, this.#ports.format())
    else this.commands.refused('There is nothing to export yet: get the records first.')
  }

  /**
   * Does what the address asks for: `#/records/<list>/review` comes from Activity, when drafts were made there;
   * `…/import` and `…/export` come from the palette. Called in an effect.
   */
  follow(part: string | undefined): void {
    if (part !== 'review' && part !== 'import' && part !== 'export') return
    this.#ports.ontaken()
    if (part === 'review') void this.review()
    else untrack(() => (part === 'export' ? this.export() : this.import()))
  }

  /** Brings a row into sight, with the focus on what was changed in it. */
  show(rowId: string): void {
    const [path] = Object.keys(this.view.list.book.draft(rowId)?.edits ?? {})
    this.commands.grid?.focusCell(rowId, path ?? 'Name')
  }
}

// What comes into a list from a file, and what leaves it as one: which of the two dialogs is open, if any.

export class FilesDesk {
  readonly #api: Api
  readonly #locale: string
  importing = $state.raw<ImportModel | null>(null)
  exporting = $state.raw<ExportDesk | null>(null)

  /** @param locale BCP 47: how this machine writes amounts and dates */
  constructor(api: Api, locale: string) {
    this.#api = api
    this.#locale = locale
  }

  /** @param file one that was dropped on the list; else the person chooses one */
  import(list: RecordsList, file?: File): void {
    const marks = numberMarks(this.#locale)
    this.importing = new ImportModel(this.#api, list, { marks, dates: localDateOrder(this.#locale) })
    if (file) void this.importing.takeFile(file)
  }

  /** @param columns of the grid; it knows what is shown, and in which order */
  export({ list, search }: RecordsView, columns: GridColumns, format: Format): void {
    const look = () => ({ rows: columns.shownRows(), paths: columns.shownPaths(), search })
    this.exporting = new ExportDesk(this.#api, list, look, format)
  }

  close(): void {
    this.importing?.close()
    this.importing = null
    this.exporting = null
  }
}

// What can be done with a list, by name: the menu *More* and the palette offer the same.

export interface ListActions {
  readonly get: (filter: RecordsFilter) => void
  /** The same question again. */
  readonly getAgain: () => void
  /** Only what changed since. */
  readonly update: () => void
  readonly add: () => void
  readonly import: () => void
  readonly export: () => void
  readonly send: () => void
  readonly undo: () => void
  readonly redo: () => void
  readonly find: () => void
  readonly revertRow: () => void
  readonly askRevertAll: () => void
  /** What was sent of the row that has the focus. */
  readonly history: () => void
  readonly chooseColumns: () => void
}

/** The menu *More*. */
export function moreEntries(view: RecordsView, actions: ListActions, isMac: boolean): readonly MenuEntry[] {
  const { undoHistory } = view.list.editing
  const hasNone = !view.hasDrafts
  return [
    { label: 'Undo', keys: 'Ctrl Z', disabled: !undoHistory.canUndo, onselect: actions.undo },
    { label: 'Redo', keys: 'Ctrl Y', disabled: !undoHistory.canRedo, onselect: actions.redo },
    { label: 'Find and replace…', keys: 'Ctrl F', onselect: actions.find },
    { label: 'Revert row', apart: true, disabled: hasNone, onselect: actions.revertRow },
    { label: 'Revert all…', disabled: hasNone, danger: true, onselect: actions.askRevertAll },
    { label: 'History…', keys: 'Ctrl Shift H', apart: true, onselect: actions.history },
    { label: 'Columns…', apart: true, onselect: actions.chooseColumns },
  ].map(({ keys, ...entry }) => (keys === undefined ? entry : { ...entry, keys: keyName(keys, isMac) }))
}

/** What the palette offers of the list: all that can be done at the moment. *Import…* and *Export…* it has itself. */
export function paletteCommands(view: RecordsView, actions: ListActions): readonly ScreenCommand[] {
  const { list } = view
  const isFree = !list.reader.isBusy
  const offered: readonly (ScreenCommand & { readonly when: boolean })[] = [
    { label: 'Get records', when: isFree, run: () => actions.get(list.filter) },
    { label: 'Changed since', when: isFree && list.update.isOffered, run: actions.update },
    { label: 'Get again', when: isFree && list.reader.set !== null, run: actions.getAgain },
    { label: 'Add record', when: list.closedBecause === '', run: actions.add },
    { label: 'Review changes', when: view.hasDrafts && !view.isReviewing, run: () => view.startReview() },
    { label: 'Leave review', when: view.isReviewing, run: () => view.leaveReview() },
  ]
  const more = moreEntries(view, actions, false).filter(({ disabled }) => disabled !== true)
  return [
    ...offered.filter(({ when }) => when).map(({ label, run }) => ({ label, run })),
    ...more.map(({ label, keys, onselect }) => ({
      label,
      ...(keys === undefined ? {} : { keys }),
      run: onselect,
    })),
  ]
}
