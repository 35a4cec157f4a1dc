/**
 * The searchable text of one list, so that a word is found in a hundred thousand records within milliseconds.
 *
 * Records follow one another in blocks of text, with one line per normalized value. A byte search in a block finds the
 * next occurrence of a word; the record is a hit if it also has the other words. Amounts have separate lines, because
 * they are compared as a whole. The text to show (the name, the original value) is stored compressed with each block,
 * because only the few hits on screen need it.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { shortened } from '../../../shared/format/text.ts'
import { isInactive, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { typedNameKey } from '../../../shared/records/names.ts'
import {
  type FindQuery,
  normalizeForSearch,
  otherSpellings,
  phoneNumbers,
} from '../../../shared/records/search-text.ts'
import { SearchedValues, type ValueReader } from '../../../shared/records/searched-values.ts'
import type { FoundRecord, FoundRecords } from '../rows.ts'

/** Characters of a block. */
const BLOCK = 64_000
/** How many matches of one list are ranked. No one reads further. */
const MAX_MATCHES = 2_000
/** Matches of a whole line or of an amount that come first. */
const MAX_WHOLE = 100
/** Characters of a value that are shown. */
const LONGEST_SHOWN = 500
/** The fields that tell records with the same name apart, the best first. */
const CONTACTS = ['Phone', 'Email', 'BillingAddress.Line1', 'Address.Line1', 'Number']
/** How many characters to show before the match in a longer value. */
const BEFORE_FOUND = 60

const NEW_LINE = 0x0a
const FAST = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

/**
 * The lines of several records, and the offset of each record. Every line, and so every record, begins with a line
 * break.
 */
interface Lines {
  readonly bytes: Buffer
  readonly starts: readonly number[]
}

interface Block {
  readonly text: Lines
  readonly amounts: Lines
  /** The compressed `Shown` of each record, as one line of JSON each. */
  readonly shown: Uint8Array
}

/** A value as written, and the index of its path in the index's paths. */
type ShownValue = readonly [path: number, value: string]

interface Shown {
  readonly id: string
  /** The full name, if there is one. */
  readonly name: string
  /** The name alone. */
  readonly ownName: string
  readonly isActive: boolean
  /** For each line of text, and for each amount. */
  readonly text: readonly ShownValue[]
  readonly amounts: readonly ShownValue[]
}

interface Match {
  readonly block: Block
  readonly record: number
  readonly from: 'text' | 'amounts'
  readonly line: number
  /** Lower is better. */
  readonly rank: number
}

export class SearchIndex {
  readonly #values: SearchedValues
  readonly #blocks: Block[] = []
  readonly #paths: string[] = []
  readonly #places = new Map<string, number>()
  #text = new LineBuilder()
  #amounts = new LineBuilder()
  #shown: string[] = []
  #count = 0
  #bytes = 0

  /** @param object the object's name, such as `customer` */
  constructor(object: string) {
    this.#values = new SearchedValues(object)
  }

  get count(): number {
    return this.#count
  }

  /** The approximate size in memory, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  add(record: RecordData): void {
    const lines = new RecordLines((path) => this.#placeOf(path))
    this.#values.read(record, lines)
    this.#text.add(lines.textLines)
    this.#amounts.add(lines.amountLines)
    this.#shown.push(JSON.stringify(shownOf(record, lines)))
    this.#count += 1
    if (this.#text.length > BLOCK) this.seal()
  }

  /** Makes the added records searchable. */
  seal(): void {
    if (this.#shown.length === 0) return
    const block: Block = {
      text: this.#text.lines(),
      amounts: this.#amounts.lines(),
      shown: zstdCompressSync(Buffer.from(this.#shown.join('\n'), 'utf8'), FAST),
    }
    this.#blocks.push(block)
    this.#bytes +=
      block.text.bytes.length + block.amounts.bytes.length + block.shown.length + this.#shown.length * 16
    this.#text = new LineBuilder()
    this.#amounts = new LineBuilder()
    this.#shown = []
  }

  /**
   * Finds records, the best first.
   * @param most the most matches to return
   */
  find(query: FindQuery, most: number): FoundRecords {
    const { matches, isMore } = this.#matches(query)
    const shown = this.#reader()
    return {
      total: matches.length,
      isMore,
      found: matches.slice(0, most).map((match) => this.#told(match, shown(match), query)),
    }
  }

  /** Finds the records whose name or full name is this one, by `typedNameKey`. */
  named(name: string, most: number): FoundRecords {
    const key = typedNameKey(name)
    // A list may have *Region : East* for *Region:East*.
    const words = normalizeForSearch(name)
      .split(/[\s:]+/)
      .filter(Boolean)
    const query = { spellings: [words], digits: [], amounts: [] }
    const wanted = lineKey(normalizeForSearch(name))
    const shown = this.#reader()
    const found: { readonly match: Match; readonly own: Shown }[] = []
    // In a large list, a short name is part of many others. All are checked, because callers report a name that isn't found
    // as missing.
    for (const block of this.#blocks) {
      const matches: Match[] = []
      matchesIn(block, query, [{ words, needles: words.map(toBytes) }], matches, Infinity)
      for (const match of matches) {
        const names = linesOf(block.text, match.record).slice(0, NAME_LINES)
        if (!names.some((line) => lineKey(line.split('\t', 1)[0] ?? '') === wanted)) continue
        const own = shown(match)
        if ([own.name, own.ownName].some((each) => each !== '' && typedNameKey(each) === key))
          found.push({ match, own })
      }
    }
    return {
      total: found.length,
      isMore: false,
      found: found.slice(0, most).map(({ match, own }) => this.#told(match, own, query)),
    }
  }

  #matches(query: FindQuery): { readonly matches: readonly Match[]; readonly isMore: boolean } {
    const matches: Match[] = []
    const spellings = query.spellings.map((words) => ({
      words,
      needles: this.#rarestFirst(words).map(toBytes),
    }))
    let at = 0
    for (; at < this.#blocks.length && matches.length <= MAX_MATCHES; at += 1)
      matchesIn(this.#blocks[at], query, spellings, matches, MAX_MATCHES)
    const isMore = matches.length > MAX_MATCHES
    const whole: Match[] = []
    // Exact matches come first, wherever they are in a large list.
    if (isMore) for (const block of this.#blocks.slice(at - 1)) wholeLinesIn(block, query, whole)
    const isKnown = ({ block, record }: Match): boolean =>
      whole.some((match) => match.block === block && match.record === record)
    const ranked = [...whole, ...matches.filter((match) => whole.length === 0 || !isKnown(match))]
      .map((match) => ({ match, name: nameOf(match) }))
      .toSorted((left, right) => left.match.rank - right.match.rank || compareText(left.name, right.name))
      .slice(0, MAX_MATCHES)
    return { matches: ranked.map(({ match }) => match), isMore }
  }

  /** Orders words so that the rarest is searched first, judging by the first block. */
  #rarestFirst(words: readonly string[]): readonly string[] {
    const sample = this.#blocks[0]?.text.bytes
    if (sample === undefined || words.length < 2) return words
    const counts = new Map(words.map((word) => [word, countOf(sample, word)]))
    return words.toSorted((left, right) => (counts.get(left) ?? 0) - (counts.get(right) ?? 0))
  }

  /** Unpacks each block once. */
  #reader(): (match: Match) => Shown {
    const unpacked = new Map<Block, readonly string[]>()
    return ({ block, record }) => {
      const lines = unpacked.get(block) ?? zstdDecompressSync(block.shown).toString('utf8').split('\n')
      unpacked.set(block, lines)
      return JSON.parse(lines[record] ?? '') as Shown
    }
  }

  #told({ from, line }: Match, shown: Shown, query: FindQuery): FoundRecord {
    const [path, value] = shown[from][line] ?? [0, '']
    const { id, name, isActive } = shown
    const contact = value === name ? this.#contactOf(shown) : ''
    return {
      recordId: id,
      name,
      isActive,
      path: this.#paths[path] ?? '',
      value: excerpt(value, query),
      contact,
    }
  }

  #contactOf({ text }: Shown): string {
    for (const contact of CONTACTS) {
      const [, value] = text.find(([path]) => this.#paths[path] === contact) ?? []
      if (value !== undefined) return shortened(value, LONGEST_SHOWN)
    }
    return ''
  }

  #placeOf(path: string): number {
    const known = this.#places.get(path) ?? this.#paths.push(path) - 1
    this.#places.set(path, known)
    return known
  }
}

/** The part of a long value that has what was found. */
function excerpt(value: string, { spellings }: FindQuery): string {
  if (value.length <= LONGEST_SHOWN) return value
  const text = normalizeForSearch(value)
  const at = Math.max(0, ...spellings.flat().map((word) => text.indexOf(word)))
  const from = at < LONGEST_SHOWN - BEFORE_FOUND ? 0 : at - BEFORE_FOUND
  return `${from === 0 ? '' : '…'}${shortened(value.slice(from).toWellFormed(), LONGEST_SHOWN)}…`
}

function shownOf(record: RecordData, { texts, amounts }: RecordLines): Shown {
  const name = textOf(record['Name'])
  return {
    id: textOf(record['ID']),
    name: textOf(record['FullName']) || name,
    ownName: name,
    isActive: !isInactive(record),
    text: texts,
    amounts,
  }
}

/** The values of a record, as lines. */
class RecordLines implements ValueReader {
  readonly textLines: string[] = []
  readonly amountLines: string[] = []
  readonly texts: ShownValue[] = []
  readonly amounts: ShownValue[] = []
  readonly #placeOf: (path: string) => number

  constructor(placeOf: (path: string) => number) {
    this.#placeOf = placeOf
  }

  text(path: string, value: string): void {
    const line = lineOf(value)
    // A phone number is also found by its digits alone, and *Müller* by *mueller*. No word has a tab, so none is found
    // across it.
    const digits = phoneNumbers(value).filter((number) => number !== line)
    const spelled = otherSpellings(value).map((spelling) => spelling.replace(/\s+/g, ' '))
    this.textLines.push(
      digits.length + spelled.length === 0 ? line : [line, ...digits, ...spelled].join('\t'),
    )
    this.texts.push([this.#placeOf(path), value])
  }

  amount(path: string, value: string, amount: string): void {
    this.amountLines.push(amount)
    this.amounts.push([this.#placeOf(path), value])
  }
}

function lineOf(text: string): string {
  return normalizeForSearch(text).replace(/\s+/g, ' ')
}

function toBytes(word: string): Buffer {
  return Buffer.from(word, 'utf8')
}

/** Words that were typed, in one spelling. */
interface Spelling {
  readonly words: readonly string[]
  /** The words as bytes, in search order. */
  readonly needles: readonly Buffer[]
}

class LineBuilder {
  readonly #records: string[] = []
  length = 0

  add(lines: readonly string[]): void {
    const text = lines.length === 0 ? '' : `\n${lines.join('\n')}`
    this.#records.push(text)
    this.length += text.length
  }

  lines(): Lines {
    const starts: number[] = []
    let at = 0
    for (const text of this.#records) {
      starts.push(at)
      at += Buffer.byteLength(text, 'utf8')
    }
    // Ends the last line like the others, so that whole lines can be searched.
    return { bytes: Buffer.from(`${this.#records.join('')}\n`, 'utf8'), starts }
  }
}

/** Lines at the beginning of a record that hold its full name and its name. */
const NAME_LINES = 2

/** A line of a name, without the spaces in which two forms of it may differ. */
function lineKey(line: string): string {
  return line
    .replace(/\s*:\s*/g, ':')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Finds records with a line that is exactly what was typed, or with that amount. */
function wholeLinesIn(block: Block, query: FindQuery, matches: Match[]): void {
  const taken = new Set<number>()
  for (const words of query.spellings) {
    const line = words.join(' ')
    // Other spellings of a line follow a tab.
    for (const end of ['\n', '\t']) {
      for (const record of recordsWith(block.text, [toBytes(`\n${line}${end}`)])) {
        if (taken.has(record) || matches.length >= MAX_WHOLE) continue
        taken.add(record)
        const at = linesOf(block.text, record).findIndex((each) => each.split('\t', 1)[0] === line)
        matches.push({ block, record, from: 'text', line: Math.max(0, at), rank: at === 0 ? 0 : 1 })
      }
    }
  }
  amountsIn(block, query, taken, matches, 2 * MAX_WHOLE)
}

/** Finds records with an amount that was typed. It counts like a whole line. */
function amountsIn(
  block: Block,
  { amounts }: FindQuery,
  taken: Set<number>,
  matches: Match[],
  most: number,
): void {
  for (const amount of amounts) {
    for (const record of recordsWith(block.amounts, [toBytes(`\n${amount}\n`)])) {
      if (taken.has(record)) continue
      if (matches.length > most) return
      taken.add(record)
      const line = linesOf(block.amounts, record).indexOf(amount)
      matches.push({ block, record, from: 'amounts', line, rank: 1 })
    }
  }
}

/** @param most where to stop */
function matchesIn(
  block: Block | undefined,
  query: FindQuery,
  spellings: readonly Spelling[],
  matches: Match[],
  most: number,
): void {
  if (block === undefined) return
  const taken = new Set<number>()
  amountsIn(block, query, taken, matches, most)
  for (const { words, needles } of spellings) {
    for (const record of recordsWith(block.text, needles)) {
      if (taken.has(record)) continue
      if (matches.length > most) return
      taken.add(record)
      matches.push({ block, record, from: 'text', ...bestLine(linesOf(block.text, record), words) })
    }
  }
  for (const digits of query.digits) {
    for (const record of recordsWith(block.text, [toBytes(digits)])) {
      if (taken.has(record)) continue
      if (matches.length > most) return
      taken.add(record)
      const line = linesOf(block.text, record).findIndex((each) => each.includes(digits))
      matches.push({ block, record, from: 'text', line, rank: 4 })
    }
  }
}

function countOf(bytes: Buffer, word: string): number {
  let count = 0
  for (let at = bytes.indexOf(word); at >= 0; at = bytes.indexOf(word, at + 1)) count += 1
  return count
}

/**
 * Returns the records that have every word. Searches for the first word, and for the others in the records that have
 * it.
 */
function* recordsWith({ bytes, starts }: Lines, words: readonly Buffer[]): Generator<number> {
  const [first, ...others] = words
  if (first === undefined) return
  // A search may begin with the line break that ends the previous line.
  for (let at = bytes.indexOf(first); at >= 0;) {
    const record = recordAt(starts, at + 1)
    const [from, to] = [starts[record] ?? 0, starts[record + 1] ?? bytes.length]
    const own = others.length === 0 ? null : bytes.subarray(from, to)
    if (own === null || others.every((word) => own.includes(word))) yield record
    at = bytes.indexOf(first, Math.max(at + 1, to))
  }
}

/** Returns the record at an offset in the text. */
function recordAt(starts: readonly number[], at: number): number {
  let [from, to] = [0, starts.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((starts[middle] ?? 0) < at) from = middle + 1
    else to = middle
  }
  return from - 1
}

/** The normalized full name, for the order of equal matches. */
function nameOf({ block: { text }, record }: Match): string {
  const from = (text.starts[record] ?? 0) + 1
  return text.bytes.toString('utf8', from, text.bytes.indexOf(NEW_LINE, from))
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function linesOf({ bytes, starts }: Lines, record: number): readonly string[] {
  const from = (starts[record] ?? 0) + 1
  let to = starts[record + 1] ?? bytes.length
  if (bytes[to - 1] === NEW_LINE) to -= 1
  return bytes.toString('utf8', from, to).split('\n')
}

/** The line to show: the name if it has all words, or else the first line with the longest word that the name lacks. */
function bestLine(lines: readonly string[], words: readonly string[]): { line: number; rank: number } {
  const name = lines[0] ?? ''
  if (words.every((word) => name.includes(word))) {
    if (name.split('\t', 1)[0] === words.join(' ')) return { line: 0, rank: 0 }
    return { line: 0, rank: name.startsWith(words[0] ?? '') ? 1 : 2 }
  }
  const whole = lines.findIndex((line) => words.every((word) => line.includes(word)))
  if (whole >= 0) return { line: whole, rank: lines[whole] === words.join(' ') ? 1 : 3 }
  const [longest = ''] = words
    .filter((word) => !name.includes(word))
    .toSorted((left, right) => right.length - left.length)
  return {
    line: Math.max(
      0,
      lines.findIndex((line) => line.includes(longest)),
    ),
    rank: 4,
  }
}
