/**
 * Quick search over whole records. The grid's own asks each of fifty columns of each row for its words, which for
 * 100,000 records is seconds; a record's own values, put together once, are a fifth of a second.
 */
import { textOf, type EditValue, type RecordData } from '../../shared/changes.ts'
import type { RowDraft } from './row-draft.ts'
import type { RecordRow } from './rows.ts'
import type { Interruptible } from './turns.ts'

/** What was typed into the search, as words that must all be found. Thousands marks in figures don't matter. */
export function searchWords(typed: string): readonly string[] {
  return typed
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => (/^[-−(]?[\d.,' ]+\)?$/.test(word) ? word.replace(/(?<=\d)[,'](?=\d{3})/g, '') : word))
}

/** Records between two looks at the clock. */
const STRIDE = 64

export class RowSearch {
  /** By record, so that a row that was saved or read anew is put together anew. */
  readonly #texts = new WeakMap<RecordData, string>()

  /** Whether every word stands somewhere in the record, or in what was typed into its row. */
  matches(record: RecordData, draft: RowDraft | undefined, words: readonly string[]): boolean {
    const text = this.#textOf(record)
    const typed = draft
      ? Object.values(draft.edits)
          .map((edit) => editText(edit.now))
          .join('\n')
      : ''
    return words.every((word) => text.includes(word) || (typed !== '' && typed.includes(word)))
  }

  /** Puts the texts of these rows together, so that all of them can then be searched within a frame or two. */
  *prepare(rows: Iterable<RecordRow>): Interruptible<void> {
    let made = 0
    for (const { record } of rows) {
      if (this.#texts.has(record)) continue
      this.#textOf(record)
      made += 1
      if (made % STRIDE === 0) yield
    }
  }

  #textOf(record: RecordData): string {
    const known = this.#texts.get(record)
    if (known !== undefined) return known
    const made = valuesOf(record).toLocaleLowerCase()
    this.#texts.set(record, made)
    return made
  }
}

function editText(value: EditValue): string {
  return (typeof value === 'string' ? value : value.FullName).toLocaleLowerCase()
}

/** All values of a record and of what it holds, a line each, so that no word is found across two. */
function valuesOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return textOf(value)
  let text = ''
  for (const member of Object.values(value)) {
    const words = valuesOf(member)
    if (words !== '') text += `${words}\n`
  }
  return text
}
