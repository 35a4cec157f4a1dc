/**
 * Quick search over whole records. The grid's own search formats each of fifty columns per row, which takes
 * seconds for 100,000 records. Searching the record's own values, joined once, takes a fifth of a second.
 */
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import {
  type FindQuery,
  normalizeForSearch,
  otherSpellings,
  phoneNumbers,
} from '../../../shared/records/search-text.ts'
import { matchesQuery, SearchedValues, type ValueReader } from '../../../shared/records/searched-values.ts'
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
  #asked: FindQuery | null = null
  #hasAny = true

  constructor(text: string) {
    this.#text = text
  }

  /** Whether it may have matches. Caches the last result, because it is called repeatedly with the same query. */
  hasAny(query: FindQuery): boolean {
    if (query !== this.#asked) {
      this.#asked = query
      this.#hasAny = isIn(this.#text, query)
    }
    return this.#hasAny
  }
}

function isIn(text: string, query: FindQuery, more = ''): boolean {
  const has = (word: string): boolean => text.includes(word) || more.includes(word)
  return matchesQuery(query, has, (amount) => has(amountMark(amount)))
}

/** An amount in characters that no word has, so that it is only found as a whole. They take one byte each. */
function amountMark(amount: string): string {
  const shifted = [...amount].map((sign) => String.fromCharCode(sign.charCodeAt(0) + 0x60))
  return `\u0080${shifted.join('')}\u0080`
}

interface Entry {
  readonly text: string
  readonly block: Block
}

export class RowSearch {
  readonly #values: SearchedValues
  /** By record, so that a new record object is indexed again. */
  readonly #entries = new WeakMap<RecordData, Entry>()
  /** Number of rows at the last `prepare`. */
  #prepared = 0

  /** @param object the object's name, such as `customer` */
  constructor(object: string) {
    this.#values = new SearchedValues(object)
  }

  /**
   * Whether the record or the row's edits have what was typed.
   * @param query that of one search is one object
   */
  matches(record: RecordData, draft: RowDraft | undefined, query: FindQuery): boolean {
    const { text, block } = this.#entryOf(record)
    if (draft === undefined) return block.hasAny(query) && isIn(text, query)
    const typed = new SearchedText()
    for (const { path, now } of Object.values(draft.edits)) this.#values.readEdited(path, now, typed)
    return isIn(text, query, typed.take())
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
    const text = this.#textOf(record)
    const made = { text, block: new Block(text) }
    this.#entries.set(record, made)
    return made
  }

  #join(records: readonly RecordData[]): void {
    const texts = records.map((record) => this.#textOf(record))
    const whole = texts.join('')
    const block = new Block(whole)
    let from = 0
    for (const [index, record] of records.entries()) {
      const to = from + (texts[index]?.length ?? 0)
      this.#entries.set(record, { text: whole.slice(from, to), block })
      from = to
    }
  }

  #textOf(record: RecordData): string {
    const text = new SearchedText()
    this.#values.read(record, text)
    // The list shows these, too.
    text.text('ID', textOf(record['ID']))
    return text.take()
  }
}

/** The searchable text of values: one per line, so that no word spans two, and then in other spellings. */
class SearchedText implements ValueReader {
  #text = '\n'
  #amounts = ''

  text(_path: string, value: string): void {
    this.#text += `${value}\n`
    // Phone numbers also match by their digits alone.
    for (const digits of phoneNumbers(value)) this.#text += `${digits}\n`
  }

  amount(_path: string, _value: string, amount: string): void {
    this.#amounts += `${amountMark(amount)}\n`
  }

  /** The list shows the day. */
  moment(value: string): void {
    this.#text += `${value.slice(0, 10)}\n`
  }

  take(): string {
    const spelled = otherSpellings(this.#text)
    return [normalizeForSearch(this.#text), ...spelled, this.#amounts].join('\n')
  }
}
