/**
 * Quick search over whole records. The grid's own search formats each of fifty columns per row, which takes
 * seconds for 100,000 records. Searching the record's own values, joined once, takes a fifth of a second.
 */
import { textOf, type EditValue, type RecordData } from '../../../shared/records/changes.ts'
import { withPlainPunctuation } from '../../../shared/records/names.ts'
import {
  MOMENT,
  normalizeForSearch,
  phoneNumbers,
  otherSpellings,
} from '../../../shared/records/search-text.ts'
import type { RowDraft } from '../drafts/row-draft.ts'
import type { RecordRow } from './rows.ts'
import type { Interruptible } from './time-slice.ts'

/** Records per step and per block. */
const STRIDE = 64

/**
 * The text of several records, joined. If a word isn't in it, none of the records matches, which saves
 * sixty-four lookups. The records' own texts are slices of it and take no extra memory.
 */
class Block {
  readonly #text: string
  #asked: readonly (readonly string[])[] = []
  #hasAny = true

  constructor(text: string) {
    this.#text = text
  }

  /**
   * Whether the block contains all words of a spelling. Caches the last result, because it is called repeatedly with
   * the same words.
   */
  hasAny(spellings: readonly (readonly string[])[]): boolean {
    if (spellings !== this.#asked) {
      this.#asked = spellings
      this.#hasAny = spellings.some((terms) => terms.every((word) => this.#text.includes(word)))
    }
    return this.#hasAny
  }
}

interface Entry {
  readonly text: string
  readonly block: Block
}

export class RowSearch {
  /** By record, so that a new record object is indexed again. */
  readonly #entries = new WeakMap<RecordData, Entry>()
  /** Number of rows at the last `prepare`. */
  #prepared = 0

  /**
   * Whether every word occurs in the record or in the row's edits.
   * @param spellings of `searchSpellings`; those of one search are one object
   */
  matches(
    record: RecordData,
    draft: RowDraft | undefined,
    spellings: readonly (readonly string[])[],
  ): boolean {
    const { text, block } = this.#entryOf(record)
    if (draft === undefined) {
      return block.hasAny(spellings) && spellings.some((terms) => terms.every((word) => text.includes(word)))
    }
    const typed = Object.values(draft.edits)
      .map((edit) => editText(edit.now))
      .join('\n')
    return spellings.some((terms) => terms.every((word) => text.includes(word) || typed.includes(word)))
  }

  /**
   * Joins the texts of these rows, so that they can then be searched within a frame or two.
   * @param count number of rows; the same number as last time counts as the same rows
   */
  *prepare(rows: Iterable<RecordRow>, count: number): Interruptible<void> {
    if (count === this.#prepared) return
    let records: RecordData[] = []
    for (const { record } of rows) {
      if (this.#entries.has(record)) continue
      records.push(record)
      if (records.length < STRIDE) continue
      this.#join(records)
      records = []
      yield
    }
    this.#join(records)
    this.#prepared = count
  }

  #entryOf(record: RecordData): Entry {
    const known = this.#entries.get(record)
    if (known !== undefined) return known
    const text = searchedText(record)
    const made = { text, block: new Block(text) }
    this.#entries.set(record, made)
    return made
  }

  #join(records: readonly RecordData[]): void {
    const texts = records.map(searchedText)
    const whole = texts.join('')
    const block = new Block(whole)
    let from = 0
    for (const [index, record] of records.entries()) {
      const to = from + (texts[index]?.length ?? 0)
      this.#entries.set(record, { text: whole.slice(from, to), block })
      from = to
    }
  }
}

function editText(value: EditValue): string {
  return searchedText(typeof value === 'string' ? value : value.FullName)
}

/** The searchable text of a record or value, also in other spellings. */
function searchedText(value: unknown): string {
  const values = valuesOf(value)
  return [normalizeForSearch(values), ...otherSpellings(values)].join('\n')
}

/** Joins all values of a record and its members, one per line, so that no word spans two values. */
function valuesOf(value: unknown): string {
  if (typeof value === 'string') {
    if (MOMENT.test(value)) return value.slice(0, 10)
    // Phone numbers also match by their digits alone.
    return [value, ...phoneNumbers(withPlainPunctuation(value))].join('\n')
  }
  if (typeof value !== 'object' || value === null) return textOf(value)
  let text = ''
  for (const member of Object.values(value)) {
    const values = valuesOf(member)
    if (values !== '') text += `${values}\n`
  }
  return text
}
