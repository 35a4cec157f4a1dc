/**
 * Quick search over whole records. The grid's own asks each of fifty columns of each row for its words, which for
 * 100,000 records is seconds; a record's own values, put together once, are a fifth of a second.
 */
import { textOf, type EditValue, type RecordData } from '../../../shared/records/changes.ts'
import { asTyped } from '../../../shared/records/names.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import type { RecordRow } from './rows.ts'
import type { Interruptible } from './time-slice.ts'

/** What was typed into the search, as words that must all be found. Thousands marks in figures don't matter. */
export function searchWords(typed: string): readonly string[] {
  return asTyped(typed)
    .toLocaleLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => (/^[-−(]?[\d.,' ]+\)?$/.test(word) ? word.replace(/(?<=\d)[,'](?=\d{3})/g, '') : word))
}

/** A timestamp: of its hour and zone nobody sees what stands there, and a search for `01` would find every record. */
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/

const PHONE = /^\+?[\d\s().-]{9,20}$/

/** Records between two looks at the clock, whose words lie together. */
const STRIDE = 64

/**
 * The words of some records, as one text. A word that it lacks is in none of them, which is told in one look instead
 * of sixty-four; the texts of the records are parts of it, so that it costs no memory of its own.
 */
class Block {
  readonly #text: string
  #asked: readonly string[] = []
  #hasAll = true

  constructor(text: string) {
    this.#text = text
  }

  /** Whether each word stands somewhere in it; asked again and again for the same words. */
  hasAll(words: readonly string[]): boolean {
    if (words !== this.#asked) {
      this.#asked = words
      this.#hasAll = words.every((word) => this.#text.includes(word))
    }
    return this.#hasAll
  }
}

interface Searched {
  readonly text: string
  readonly block: Block
}

export class RowSearch {
  /** By record, so that a row that was saved or read anew is put together anew. */
  readonly #searched = new WeakMap<RecordData, Searched>()
  /** Rows that were last put together. */
  #prepared = 0

  /** Whether every word stands somewhere in the record, or in what was typed into its row. */
  matches(record: RecordData, draft: RowDraft | undefined, words: readonly string[]): boolean {
    const { text, block } = this.#searchedOf(record)
    if (draft === undefined) return block.hasAll(words) && words.every((word) => text.includes(word))
    const typed = Object.values(draft.edits)
      .map((edit) => editText(edit.now))
      .join('\n')
    return words.every((word) => text.includes(word) || typed.includes(word))
  }

  /**
   * Puts the texts of these rows together, so that all of them can then be searched within a frame or two.
   * @param count how many there are; as many as the last time are taken for the same
   */
  *prepare(rows: Iterable<RecordRow>, count: number): Interruptible<void> {
    if (count === this.#prepared) return
    let records: RecordData[] = []
    for (const { record } of rows) {
      if (this.#searched.has(record)) continue
      records.push(record)
      if (records.length < STRIDE) continue
      this.#join(records)
      records = []
      yield
    }
    this.#join(records)
    this.#prepared = count
  }

  #searchedOf(record: RecordData): Searched {
    const known = this.#searched.get(record)
    if (known !== undefined) return known
    const text = searchedText(record)
    const made = { text, block: new Block(text) }
    this.#searched.set(record, made)
    return made
  }

  #join(records: readonly RecordData[]): void {
    const texts = records.map(searchedText)
    const whole = texts.join('')
    const block = new Block(whole)
    let from = 0
    for (const [index, record] of records.entries()) {
      const to = from + (texts[index]?.length ?? 0)
      this.#searched.set(record, { text: whole.slice(from, to), block })
      from = to
    }
  }
}

function editText(value: EditValue): string {
  return searchedText(typeof value === 'string' ? value : value.FullName)
}

/** The words of a record or of a value as they are searched: in lowercase, with quotes and dashes as a keyboard types them. */
function searchedText(value: unknown): string {
  return asTyped(valuesOf(value)).toLocaleLowerCase()
}

/** All values of a record and of what it holds, a line each, so that no word is found across two. */
function valuesOf(value: unknown): string {
  if (typeof value === 'string') {
    if (MOMENT.test(value)) return value.slice(0, 10)
    // A phone number is also found by its digits alone.
    return PHONE.test(value) ? `${value}\n${value.replace(/\D/g, '')}` : value
  }
  if (typeof value !== 'object' || value === null) return textOf(value)
  let text = ''
  for (const member of Object.values(value)) {
    const words = valuesOf(member)
    if (words !== '') text += `${words}\n`
  }
  return text
}
