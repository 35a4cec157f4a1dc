/**
 * How a list is shown: chip, search, filters, and the review with its selection. The content belongs to
 * `RecordsList`.
 */
import { untrack } from 'svelte'
import { findQuery } from '../../../shared/records/search-text.ts'
import { type Problem, stopsSending } from '../drafts/problems.ts'
import { hasEdits, isSendable, type RowDraft, rowIdOf } from '../drafts/row-draft.ts'
import { ColumnFilters } from '../filters/column-filters.svelte.ts'
import type { SortedBy } from '../list/order.ts'
import type { RecordsList } from '../list/records-list.svelte.ts'
import type { RecordRow } from '../list/rows.ts'
import { RowSearch } from '../list/search.ts'
import type { Interruptible } from '../list/time-slice.ts'
import type { RowOutcome } from '../outcome/outcome.ts'

/** The order and the position of a list. */
export interface ViewPosition {
  /** `null` until the user sorts. */
  readonly sortedBy: readonly SortedBy[] | null
  /** The row at the top, counted from 0. */
  readonly topRow: number
}

const INITIAL_POSITION: ViewPosition = { sortedBy: null, topRow: 0 }

/** Totals over all drafts. */
interface Summary {
  readonly counts: Readonly<Record<Chip, number>>
  readonly sendable: readonly RowDraft[]
  /** Rows that were not accepted and haven't been edited since. */
  readonly refused: ReadonlySet<string>
  /** Number of drafts whose problems keep them from being sent. */
  readonly heldBack: number
}

export class RecordsView {
  readonly list: RecordsList
  chip = $state<Chip>('all')
  search = $state('')
  readonly filters = new ColumnFilters()
  /** How the list was sorted and scrolled when it was shown last; for as long as the window is open. */
  position: ViewPosition = INITIAL_POSITION
  #isReviewing = $state(false)
  #isReviewForSending = $state(false)
  /** Rows that the user excluded from sending, or included although they were not accepted before. */
  #unchecked = $state.raw<ReadonlySet<string>>(new Set())
  #checkedAgain = $state.raw<ReadonlySet<string>>(new Set())

  readonly #searched: RowSearch
  readonly #query = $derived(findQuery(this.search))
  readonly #summary = $derived.by(() => this.#summed())
  readonly #chosen = $derived(
    this.#unchecked.size + this.refused.size === 0
      ? this.sendable
      : this.sendable.filter((draft) => this.isChecked(rowIdOf(draft))),
  )

  constructor(list: RecordsList) {
    this.list = list
    this.#searched = new RowSearch(list.object)
  }

  get isReviewing(): boolean {
    return this.#isReviewing
  }

  /** Number of rows per chip. */
  get counts(): Readonly<Record<Chip, number>> {
    return this.#summary.counts
  }

  /** Whether there are unsent edits. */
  get hasDrafts(): boolean {
    return this.counts.changes > 0
  }

  /** Number of drafts whose problems keep them from being sent. */
  get heldBack(): number {
    return this.#summary.heldBack
  }

  /** Drafts that can be sent. */
  get sendable(): readonly RowDraft[] {
    return this.#summary.sendable
  }

  /** The selected drafts, which **Send** sends. */
  get chosen(): readonly RowDraft[] {
    return this.#chosen
  }

  /** Rows that were not accepted and haven't been edited since. They aren't selected until the user says so. */
  get refused(): ReadonlySet<string> {
    return this.#summary.refused
  }

  /** Whether **Send** opened the review and has to be pressed again. */
  get isReviewForSending(): boolean {
    return this.#isReviewForSending
  }

  /** Shows only the records with these IDs. */
  showOnly(ids: readonly string[]): void {
    this.leaveReview()
    this.search = ''
    this.filters.clear()
    this.filters.set('ID', { kind: 'values', values: ids })
  }

  startReview(isForSending = false): void {
    this.#isReviewing = true
    this.#isReviewForSending = isForSending
    this.chip = 'changes'
    this.search = ''
  }

  /** What was reviewed is being sent. */
  reviewed(): void {
    this.#isReviewForSending = false
    this.#checkedAgain = new Set()
  }

  leaveReview(): void {
    this.#showList()
    this.list.drafts.clearSavedAsSent()
  }

  /** Leaves a review of which nothing is left to send or decide. What was saved still says so. */
  leaveFinishedReview(): void {
    const { drafts, sending } = this.list
    void drafts.version
    if (!this.#isReviewing || sending.isSending || sending.batch?.phase !== 'done') return
    if (![...drafts.all].some(hasEdits)) untrack(() => this.#showList())
  }

  #showList(): void {
    this.#isReviewing = false
    this.#isReviewForSending = false
    this.#unchecked = new Set()
    this.#checkedAgain = new Set()
    this.chip = 'all'
  }

  /** Switches to the whole list if the current chip has no more rows. */
  leaveEmptyChip(): void {
    if (!this.#isReviewing && this.counts[this.chip] === 0) this.chip = 'all'
  }

  isChecked(rowId: string): boolean {
    // Sent again unchanged, it would be refused again.
    if (this.refused.has(rowId)) return this.#checkedAgain.has(rowId)
    return !this.#unchecked.has(rowId)
  }

  canCheck(rowId: string): boolean {
    const draft = this.list.drafts.draft(rowId)
    return draft !== undefined && this.#canSend(draft, this.list.drafts.outcome(rowId))
  }

  setChecked(rowIds: readonly string[], checked: boolean): void {
    const unchecked = new Set(this.#unchecked)
    const checkedAgain = new Set(this.#checkedAgain)
    for (const rowId of rowIds) {
      if (checked) unchecked.delete(rowId)
      else unchecked.add(rowId)
      if (checked && this.refused.has(rowId)) checkedAgain.add(rowId)
      else checkedAgain.delete(rowId)
    }
    this.#unchecked = unchecked
    this.#checkedAgain = checkedAgain
  }

  /** Includes every row that can be sent in sending, or excludes it. */
  checkAll(checked: boolean): void {
    this.setChecked(this.sendable.map(rowIdOf), checked)
  }

  /** Whether column filters apply. They don't in the review, so that nothing to be sent is hidden. */
  get isColumnFiltered(): boolean {
    return this.filters.all.size > 0 && !this.#isReviewing
  }

  /** Whether any rows may be hidden. */
  get isFiltered(): boolean {
    return this.chip !== 'all' || this.#query.spellings.length > 0 || this.isColumnFiltered
  }

  /** Prepares the search, so that it can then be applied without a pause. */
  *prepareSearch(): Interruptible<void> {
    if (this.#query.spellings.length > 0) yield* this.#searched.prepare(this.list.rows, this.list.count)
  }

  /** Whether a row passes chip and search. `RowFilter` applies the column filters. */
  passes(row: RecordRow): boolean {
    const { drafts } = this.list
    const draft = drafts.draft(row.rowId)
    if (this.#query.spellings.length > 0 && !this.#searched.matches(row.record, draft, this.#query))
      return false
    return this.chip === 'all' || isUnder(this.chip, draft, drafts.outcome(row.rowId), this.#isReviewing)
  }

  #canSend(draft: RowDraft, outcome: RowOutcome): boolean {
    return isSendable(draft) && !this.#problemsOf(draft, outcome).some(stopsSending)
  }

  /** If the outcome doesn't list the problems, they are looked up. */
  #problemsOf(draft: RowDraft, outcome: RowOutcome): readonly Problem[] {
    switch (outcome.kind) {
      case 'problem':
        return outcome.problems
      case 'draft':
      case 'new':
      case 'changes-back':
        return []
      default:
        return this.list.drafts.problems(draft)
    }
  }

  /**
   * Visits each row with a draft or an outcome once, because this runs after every edit and there may be
   * 100,000 of them.
   */
  #summed(): Summary {
    const { drafts, count } = this.list
    void drafts.version
    void this.list.support
    const counts = { all: count, changes: 0, new: 0, problems: 0, 'not-confirmed': 0 }
    const sendable: RowDraft[] = []
    const refused = new Set<string>()
    let heldBack = 0
    for (const rowId of drafts.markedRows()) {
      const draft = drafts.draft(rowId)
      // A new row counts once something is typed into it.
      if (draft?.kind === 'insert' && !hasEdits(draft)) continue
      const outcome = drafts.outcome(rowId)
      // What was saved isn't counted, even while the review still shows it.
      for (const chip of CHIPS) if (chip !== 'all' && isUnder(chip, draft, outcome, false)) counts[chip] += 1
      if (draft && this.#canSend(draft, outcome)) sendable.push(draft)
      if (outcome.kind === 'not-accepted') refused.add(rowId)
      if (outcome.kind === 'problem' && outcome.problems.some(stopsSending)) heldBack += 1
    }
    return { counts, sendable, refused, heldBack }
  }
}

// The chips above the grid.

const CHIPS = ['all', 'changes', 'new', 'problems', 'not-confirmed'] as const
export type Chip = (typeof CHIPS)[number]

const PROBLEMS: ReadonlySet<RowOutcome['kind']> = new Set([
  'problem',
  'not-accepted',
  'underneath',
  'changed-meanwhile',
  'deleted',
  'saved-otherwise',
  'decision',
])

/**
 * Whether a row belongs to a chip. During the review, *Changes* includes what was saved.
 * @internal
 */
export function isUnder(
  chip: Chip,
  draft: RowDraft | undefined,
  outcome: RowOutcome,
  reviewing: boolean,
): boolean {
  switch (chip) {
    case 'all':
      return true
    case 'changes':
      if (draft !== undefined) return true
      return reviewing && (outcome.kind === 'saved' || outcome.kind === 'saved-otherwise')
    case 'new':
      return draft?.kind === 'insert'
    case 'problems':
      return PROBLEMS.has(outcome.kind)
    case 'not-confirmed':
      return outcome.kind === 'not-confirmed'
  }
}
