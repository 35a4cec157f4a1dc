/** What the grid tells those who can't see it: how many cells are chosen, and why a cell can't be changed. */
import type { RecordsView } from './records-view.svelte.ts'
import { cellElement } from '../ui/grid/cell-elements.ts'

/** The choice is told once the hand rests. */
const SAY_AFTER = 400

interface Setting {
  readonly view: RecordsView
  readonly count: (value: number) => string
  readonly say: (words: string) => void
}

export class GridSpeech {
  readonly #setting: Setting
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(setting: Setting) {
    this.#setting = setting
  }

  chosen(cells: number): void {
    const { count, say } = this.#setting
    clearTimeout(this.#timer)
    this.#timer = setTimeout(
      () => say(cells < 2 ? 'One cell chosen' : `${count(cells)} cells chosen`),
      SAY_AFTER,
    )
  }

  /** On hover it is the tooltip; whoever hears the cell hears it as its description. */
  focused(rowId: string, path: string): void {
    const { list } = this.#setting.view
    const cell = cellElement(rowId, path)
    if (!cell || !list.column(path)) return
    const right = list.editing.editability(rowId, path)
    cell.setAttribute('aria-readonly', String(!right.editable))
    if (right.editable) cell.removeAttribute('aria-description')
    else cell.setAttribute('aria-description', `Read only. ${right.because}`)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}
