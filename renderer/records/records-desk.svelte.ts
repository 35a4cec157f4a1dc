/** One list on the screen: its commands, the dialogs that can be open over it, and what the address asks for. */
import { untrack } from 'svelte'
import type { Api } from '../api.ts'
import { HistoryDesk } from '../history/history-desk.svelte.ts'
import type { Format } from '../ui/format.ts'
import type { Announcer, Toasts } from '../ui/announcer.svelte.ts'
import { FilesDesk } from './files-desk.svelte.ts'
import type { ListActions } from './list-actions.ts'
import { RecordsCommands } from './records-screen.svelte.ts'
import type { RecordsView } from './records-view.svelte.ts'

interface Ports {
  readonly api: Api
  /** BCP 47. */
  readonly locale: string
  readonly announcer: Announcer
  readonly toasts: Toasts
  readonly format: () => Format
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
