/** **Find and replace**: what is looked for, where it was found, and replacing it, one cell or all as one step. */
import type { GridApi } from '../../ui/grid/grid.ts'
import type { GridBulk } from '../bulk/grid-bulk.svelte.ts'
import type { RecordsList } from '../records-list.svelte.ts'
import type { RecordRow } from '../rows.ts'
import type { GridSelection } from '../selection/grid-selection.svelte.ts'
import { inTurns } from '../turns.ts'
import { findCells, nextFound, replacements, type Found } from './find-cells.ts'
import type { FindTerms } from './find-text.ts'

interface Setting {
  readonly api: GridApi<RecordRow>
  readonly list: RecordsList
  readonly selection: GridSelection
  readonly bulk: GridBulk
  readonly say: (words: string) => void
}

/** A hand that is typing rests so long. */
const LOOK_AFTER = 200

export class Finder {
  readonly #setting: Setting
  find = $state('')
  replacement = $state('')
  matchesCase = $state(false)
  wholeCell = $state(false)
  /** The one column to look in; empty for all that are shown. */
  column = $state('')
  /** `null` while it is being looked for, and before. */
  found = $state.raw<readonly Found[] | null>(null)
  /** How many cells **Replace all** has just changed; `null` once something else is looked for or shown. */
  replaced = $state<number | null>(null)
  #at = $state.raw<Found | null>(null)
  #timer: ReturnType<typeof setTimeout> | undefined
  #stop: () => void = () => undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  get terms(): FindTerms {
    return { find: this.find, matchesCase: this.matchesCase, wholeCell: this.wholeCell }
  }

  /** Which of those found is shown, from 1; 0 for none. */
  get place(): number {
    const at = this.#at
    return at === null ? 0 : (this.found ?? []).findIndex((each) => same(each, at)) + 1
  }

  /** The columns that are shown, with their words, to choose one from. */
  get columns(): readonly { readonly path: string; readonly words: string }[] {
    const { selection, list } = this.#setting
    return selection.columns.map((path) => ({ path, words: list.words(path) }))
  }

  /** Looks anew, as soon as the hand rests; called in an effect of what is looked for. */
  lookSoon(): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.found = null
    this.replaced = null
    this.#at = null
    if (this.find !== '') this.#timer = setTimeout(() => this.#look(() => undefined), LOOK_AFTER)
  }

  /** Shows the next one; looks first where nothing was looked for yet. */
  next(backwards = false): void {
    const { found } = this
    this.replaced = null
    if (found === null) this.#look(() => this.#go(backwards))
    else this.#go(backwards)
  }

  /** Replaces the one that is shown, and shows the next. */
  replace(): void {
    const at = this.#at
    if (at === null) return this.next()
    this.replaced = null
    this.#replaceIn([at], () => this.#go(false))
  }

  /** Replaces all that were found, as one step. */
  replaceAll(): void {
    this.#look((found) => {
      this.#replaceIn(found, (changed) => (this.replaced = changed))
    })
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#stop()
    this.#setting.selection.endPointingOut()
  }

  /** Replaces, and looks anew. */
  #replaceIn(cells: readonly Found[], then: (changed: number) => void): void {
    const { bulk } = this.#setting
    this.#stop()
    const work = replacements(cells, this.terms, this.replacement, bulk.law())
    this.#stop = inTurns(work, ({ edits, refused }) => {
      void bulk.apply(edits, refused).then((changed) => this.#look(() => then(changed)))
    })
  }

  #look(done: (found: readonly Found[]) => void): void {
    const { api, selection, bulk } = this.#setting
    clearTimeout(this.#timer)
    this.#stop()
    const columns = selection.columns.flatMap((path, column) =>
      this.column === '' || this.column === path ? [{ path, column }] : [],
    )
    const ground = {
      rowCount: api.getDisplayedRowCount(),
      rowIdAt: (row: number) => api.getDisplayedRowAtIndex(row)?.data?.rowId,
      columns,
      text: (rowId: string, path: string) => bulk.text(rowId, path),
    }
    this.#stop = inTurns(findCells(ground, this.terms), (found) => {
      this.found = found
      done(found)
    })
  }

  #go(backwards: boolean): void {
    const { api, selection } = this.#setting
    const found = this.found ?? []
    const next = found[nextFound(found, this.#at ?? null, backwards)]
    if (!next) return this.#setting.say('Nothing found')
    this.#at = next
    api.ensureIndexVisible(next.row)
    api.ensureColumnVisible(next.path)
    selection.pointOut(next)
    this.#setting.say(`${String(this.place)} of ${String(found.length)}`)
  }

  /** The cell that is shown, to put the focus on. */
  get shown(): Pick<Found, 'rowId' | 'path'> | null {
    return this.#at
  }
}

function same(left: Found, right: Found): boolean {
  return left.rowId === right.rowId && left.path === right.path
}
