/** What the records screen does with a list: the commands behind its buttons and keys. */
import type { Company } from '../../../shared/contract/companies.ts'
import type { RecordsFilter } from '../../../shared/contract/records.ts'
import { shownValue } from '../../../shared/records/changes.ts'
import { objectDefinition } from '../../../shared/records/definition.ts'
import type { Announcer, Toasts } from '../../ui/announcer.svelte.ts'
import type { Format } from '../../../shared/format/format.ts'
import { type RowDraft, isLocked, rowIdOf } from '../drafts/row-draft.ts'
import { type Warning, warningsOf } from '../drafts/warnings.ts'
import type { GridState } from '../grid/grid-state.svelte.ts'
import { countWords, updateWords } from './progress.ts'
import type { RecordsView } from './records-view.svelte.ts'

/** The object's name as the specification writes it, whatever was typed: *Customers* and *CUSTOMER* are `customer`. */
export function objectName(typed: string): string {
  return objectDefinition(typed)?.object ?? typed.trim()
}

/** Why nothing may be changed in a company's books here; empty when it may. */
export function closedBecause(company: Pick<Company, 'readOnly' | 'isActive'>): string {
  if (!company.isActive) return 'This company is inactive: it can no longer be written to.'
  if (company.readOnly) return 'These books are locked: Read only is on for this company.'
  return ''
}

interface Ports {
  readonly announcer: Announcer
  readonly toasts: Toasts
  readonly format: () => Format
  /** Whether many changes, or ones with warnings, are reviewed before they are sent. */
  readonly reviewsFirst: () => boolean
}

/** Changes that are sent without a review, at most. */
const FEW_CHANGES = 10

export class RecordsCommands {
  readonly view: RecordsView
  readonly #ports: Ports
  grid = $state.raw<GridState | undefined>(undefined)
  /** The cell that has the focus, or had it last. */
  cell = $state.raw<{ readonly rowId: string; readonly path: string } | null>(null)
  readonly #warnings = $derived.by(() => this.#warn())

  constructor(view: RecordsView, ports: Ports) {
    this.view = view
    this.#ports = ports
  }

  /** What to look at before sending what is ticked. */
  get warnings(): readonly Warning[] {
    return this.#warnings
  }

  async get(): Promise<void> {
    await this.#get(this.view.list.filter)
  }

  /** The same question again. */
  async getAgain(): Promise<void> {
    const { reader, filter } = this.view.list
    await this.#get(reader.set?.filter ?? filter)
  }

  /** Only what changed since. */
  async update(): Promise<void> {
    const { list } = this.view
    if (this.grid && !this.grid.commit()) return
    const came = await list.update.run()
    if (came && list.update.report)
      this.#ports.announcer.say(updateWords(list.update.report, list.object, this.#ports.format()))
  }

  async #get(filter: RecordsFilter): Promise<void> {
    const { list } = this.view
    if (this.grid && !this.grid.commit()) return
    list.update.report = null
    await list.get(filter)
    const { set, error } = list.reader
    if (!error && set)
      this.#ports.announcer.say(`${countWords(list.object, set.count, this.#ports.format())} read`)
  }

  add(): void {
    const { view } = this
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
    this.#ports.announcer.say('A new row on top of the list')
  }

  /**
   * Sends what is chosen.
   * @param evenFromBefore the person has confirmed that drafts from before are sent
   * @returns how many of them are from before, where that is to be confirmed first; nothing was sent then
   */
  async send(evenFromBefore = false): Promise<number> {
    if (this.grid && !this.grid.commit()) return 0
    // What was in an editor becomes a draft first, and counts; so does all of a paste that is still being put.
    await this.view.list.editing.settled()
    const { chosen } = this.view
    const fromBefore = chosen.filter((draft) => draft.isFromBefore).length
    if (fromBefore > 0 && !evenFromBefore) return fromBefore
    if (!this.view.isReviewing && this.#ports.reviewsFirst() && this.#standsOut(chosen)) {
      this.view.startReview(true)
      return 0
    }
    await this.view.list.sending.send(
      chosen.map((draft) => draft.draftId),
      evenFromBefore,
    )
    return 0
  }

  undo(): void {
    const { step, because } = this.view.list.editing.undo()
    // The first of many cells, as they were changed; taking back goes the other way.
    this.#after(step?.cells.at(-1), step ? 'Undone' : 'Nothing to undo', because)
  }

  redo(): void {
    const { step, because } = this.view.list.editing.redo()
    this.#after(step?.cells[0], step ? 'Done again' : 'Nothing to do again', because)
  }

  #after(
    cell: { readonly rowId: string; readonly path: string } | undefined,
    words: string,
    because: string,
  ): void {
    if (because === '') this.#ports.announcer.say(words)
    else this.refused(`${words}, but for what can’t be changed now. ${because}`)
    void this.view.list.editing.settled().then(() => this.view.leaveEmptyChip())
    if (cell) this.grid?.focusCell(cell.rowId, cell.path)
  }

  revertRow(): void {
    const rowId = this.cell?.rowId
    this.revertRows(rowId === undefined ? [] : [rowId])
  }

  revertRows(rowIds: readonly string[]): void {
    const reverted = this.view.list.revertRows(rowIds)
    const several = `${this.#ports.format().count(reverted)} rows reverted`
    this.#ports.announcer.say(
      reverted === 0 ? 'Nothing to revert in this row' : reverted === 1 ? 'Row reverted' : several,
    )
  }

  revertAll(): void {
    const { list } = this.view
    const rowIds = [...list.book.drafts].filter((draft) => !isLocked(draft)).map(rowIdOf)
    const reverted = list.revertRows(rowIds)
    this.#ports.announcer.say(`${reverted} reverted`)
  }

  /** Takes what waits in the queue out of it; nothing of it was sent. */
  async discardLeft(): Promise<void> {
    const { list } = this.view
    const left = [...list.book.drafts].filter((draft) => draft.operation?.state === 'queued')
    await list.discard(left)
    this.#ports.announcer.say(`${left.length} discarded`)
  }

  refused(because: string): void {
    this.#ports.announcer.interrupt(because)
    this.#ports.toasts.show(because)
  }

  #warn(): readonly Warning[] {
    const { list, chosen, isReviewing } = this.view
    void list.book.version
    if (!isReviewing || list.sending.isAtWork) return []
    const chosenIds = new Set(chosen.map((draft) => draft.draftId))
    const heldBack = [...list.book.drafts].filter(
      (draft) => !isLocked(draft) && !chosenIds.has(draft.draftId) && !this.view.canTick(rowIdOf(draft)),
    )
    return this.#warningsOf([...heldBack, ...chosen])
  }

  /** Whether changes are reviewed before they are sent. A few new names are changes like any other. */
  #standsOut(chosen: readonly RowDraft[]): boolean {
    return chosen.length > FEW_CHANGES || this.#warningsOf(chosen).some(({ kind }) => kind !== 'rename')
  }

  #warningsOf(drafts: readonly RowDraft[]): readonly Warning[] {
    const { list } = this.view
    return warningsOf(drafts, {
      object: list.object,
      format: this.#ports.format(),
      nameOf: (draft) => list.nameOf(rowIdOf(draft)),
      words: list.words,
      problems: (draft) => list.book.problems(draft),
      isKnownReference: (path, fullName) => list.references.has(path, fullName),
      balanceOf: (draft) => {
        const record = list.row(rowIdOf(draft))?.record ?? draft.before
        const balance = shownValue(list.object, record, draft.edits, 'Balance')
        return typeof balance === 'string' ? balance : ''
      },
    })
  }
}

// Keys of the whole screen: undo, redo, find and the history of the row.

export type ScreenKey = 'undo' | 'redo' | 'history' | 'find' | 'replace'

/** What a key means to the screen; `null` where it is nothing to it, or belongs to a field that is being typed in. */
export function screenKey(event: KeyboardEvent): ScreenKey | null {
  if (event.altKey || !(event.ctrlKey || event.metaKey)) return null
  const target = event.target instanceof Element ? event.target : null
  if (target?.closest('[role="dialog"], [role="alertdialog"]')) return null
  const key = event.key.toLowerCase()
  if (key === 'f' && !event.shiftKey) return 'find'
  if (key === 'h' && !event.shiftKey) return 'replace'
  if (target?.closest('input:not([type="checkbox"], [type="radio"]), textarea')) return null
  if (key === 'h') return 'history'
  if (key === 'z') return event.shiftKey ? 'redo' : 'undo'
  return key === 'y' ? 'redo' : null
}
