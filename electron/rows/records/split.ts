/**
 * Finds the records in an envelope's bytes while they come, and checks them, without parsing them. A body that is not
 * laid out as the specification shows (2.1) ends as `null`; it goes the slow way, through `JSON.parse` whole.
 */
import { isUtf8 } from 'node:buffer'
import { joinBlocks } from './bytes.ts'
import { byteAt, CLOSE_BRACKET, COMMA, JsonScan, NO_MORE, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts'
import { type MemberName, MemberNames, typeBitAt } from './field-shapes.ts'

/** A content item; offsets into its `body`, each pair 0 and 0 where there is no such thing. */
export interface SplitItem {
  readonly body: Buffer
  /** Of its `Object`, where that has members. */
  readonly objectFrom: number
  readonly objectTo: number
  /** The `Object` has numbers outside strings. */
  readonly hasNumbers: boolean
  /** Of the value of the record's `ID`. */
  readonly idFrom: number
  readonly idTo: number
  /** Of the value of the item's `Errors`. */
  readonly errorsFrom: number
  readonly errorsTo: number
}

const ENVELOPE_DEPTH = 1
const ITEM_DEPTH = 3
const RECORD_DEPTH = 4
const NESTED_DEPTH = 5
const BACKSLASH = 0x5c
/** Above it, an item that is not whole yet is looked at again when as much again has come, not at each block. */
const LARGE_ITEM = 64 * 1024
/** So much of a block is copied for the item that was cut before it; all of it where that is not enough. */
const SEAM = 8 * 1024

const encoder = new TextEncoder()
const CONTENTS = encoder.encode('contents')
const OBJECT = encoder.encode('object')
const ERRORS = encoder.encode('errors')
const NOTHING = new Uint8Array(0)

/** What the bytes that come next belong to; `odd` is given up. */
type Within = 'head' | 'first-item' | 'item' | 'after-item' | 'tail' | 'odd'

/**
 * Takes an envelope apart block by block, cut wherever: what is whole is handed out, the rest waits for the next
 * block. Only bytes that an item was cut in are copied.
 */
export class EnvelopeSplit {
  /** The members of all records so far. */
  readonly names = new MemberNames()
  #within: Within = 'head'
  /** Not worked through yet. */
  #waiting: Uint8Array[] = []
  #waitingLength = 0
  /** So much must wait before it is looked at again. */
  #enough = 0
  #head: Uint8Array = NOTHING
  #tail: Uint8Array[] = []

  /** @returns the items that have come whole with this block; all of them void if `end` answers `null` */
  take(block: Uint8Array): readonly SplitItem[] {
    if (this.#within === 'tail') this.#tail.push(block)
    if (this.#within === 'tail' || this.#within === 'odd') return []
    this.#waiting.push(block)
    this.#waitingLength += block.length
    return this.#waitingLength < this.#enough ? [] : this.#workThrough()
  }

  /**
   * After the last block.
   * @returns the last items, and the envelope's text with its contents left out; `null` of an odd body
   */
  end(): { readonly items: readonly SplitItem[]; readonly shell: Uint8Array } | null {
    const items = this.#waitingLength > 0 ? this.#workThrough() : []
    if (this.#within !== 'tail') return null
    const parts = [this.#head, ...this.#tail]
    const shell = joinBlocks(
      parts,
      parts.reduce((sum, part) => sum + part.length, 0),
    )
    return isPlainShell(shell) ? { items, shell } : null
  }

  #workThrough(): readonly SplitItem[] {
    const items: SplitItem[] = []
    const [cut, block] = this.#waiting
    if (this.#within !== 'head' && cut !== undefined && block !== undefined && this.#waiting.length === 2) {
      const start = block.subarray(0, SEAM)
      const to = this.#passThrough(joinBlocks([cut, start], cut.length + start.length), items, cut.length)
      this.#wait(to < cut.length ? [cut.subarray(to), block] : [block.subarray(to - cut.length)])
    }
    if (this.#within !== 'tail' && this.#within !== 'odd') {
      const body = joinBlocks(this.#waiting, this.#waitingLength)
      this.#wait([body.subarray(this.#passThrough(body, items, body.length))])
      this.#enough = this.#waitingLength > LARGE_ITEM ? this.#waitingLength * 2 : 0
    }
    if (this.#within === 'tail') this.#tail = this.#waiting
    if (this.#within === 'tail' || this.#within === 'odd') this.#wait([])
    return this.#within === 'odd' ? [] : items
  }

  #wait(blocks: readonly Uint8Array[]): void {
    this.#waiting = blocks.filter(({ length }) => length > 0)
    this.#waitingLength = this.#waiting.reduce((sum, { length }) => sum + length, 0)
  }

  /** Gathers the items that begin before `enough` and are whole; answers after the last byte that is done with. */
  #passThrough(bytes: Uint8Array, items: SplitItem[], enough: number): number {
    const scan = new ItemScan(bytes, this.names)
    const { body } = scan
    let to = 0
    if (this.#within === 'head') {
      const open = contentsOpen(scan)
      if (open >= 0) {
        to = open + 1
        this.#head = Uint8Array.from(body.subarray(0, to))
        this.#within = 'first-item'
      }
    }
    if (this.#within !== 'head') to = this.#itemsEnd(scan, to, items, enough)
    // Cut where a character ends, so that the check of the parts is that of the whole.
    if (!isUtf8(body.subarray(0, to))) this.#within = 'odd'
    return to
  }

  #itemsEnd(scan: ItemScan, from: number, items: SplitItem[], enough: number): number {
    const { body } = scan
    let done = from
    while (done < enough) {
      const at = scan.blankEnd(done)
      const code = body[at]
      if (code === undefined) return done
      if (code === CLOSE_BRACKET && this.#within !== 'item') {
        this.#within = 'tail'
        return at
      }
      if (this.#within === 'after-item') {
        if (code !== COMMA) {
          this.#within = 'odd'
          return done
        }
        this.#within = 'item'
        done = at + 1
        continue
      }
      const item = scan.item(at)
      // Not whole yet, or no item: that is told when there are no more bytes.
      if (item === null) return done
      items.push(item)
      this.#within = 'after-item'
      done = scan.itemTo
    }
    return done
  }
}

/** Where the array of `Contents` opens; −1 when that is not there, or has not come yet. */
function contentsOpen(scan: ItemScan): number {
  const { body } = scan
  const open = scan.blankEnd(startOf(body))
  if (body[open] !== OPEN_BRACE) return -1
  let at = scan.firstName(open)
  while (at >= 0) {
    const valueFrom = scan.valueAfter(at)
    if (scan.isNameEscaped()) return -1
    if (scan.isName(CONTENTS)) return body[valueFrom] === OPEN_BRACKET ? valueFrom : -1
    at = scan.nextName(scan.valueEnd(valueFrom, ENVELOPE_DEPTH + 1))
  }
  return -1
}

/** Whether an envelope without its contents is one that nothing else could be meant by. */
function isPlainShell(shell: Uint8Array): boolean {
  const scan = new ItemScan(shell, new MemberNames())
  let found = 0
  let at = scan.firstName(scan.blankEnd(startOf(shell)))
  while (at >= 0) {
    const valueFrom = scan.valueAfter(at)
    if (scan.isNameEscaped()) return false
    if (scan.isName(CONTENTS)) found += 1
    at = scan.nextName(scan.valueEnd(valueFrom, ENVELOPE_DEPTH + 1))
  }
  return at === NO_MORE && found === 1 && scan.blankEnd(scan.objectTo) === shell.length
}

/** After a byte-order mark. */
function startOf(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

/** What is there twice, in whatever casing, goes the slow way, and what is spelt with escapes: it could be any name. */
class ItemScan extends JsonScan {
  /** After the item that was passed last. */
  itemTo = 0
  readonly #names: MemberNames
  /** Of the record that was passed last. */
  #idFrom = 0
  #idTo = 0
  /** Where the value of the member that was passed last begins. */
  #valueFrom = 0

  constructor(bytes: Uint8Array, names: MemberNames) {
    super(bytes)
    this.#names = names
  }

  /** The content item that begins at `open`; without an `Object` it may be a bare record, which goes the slow way. */
  item(open: number): SplitItem | null {
    const { body } = this
    if (byteAt(body, open) !== OPEN_BRACE) return null
    let [objectFrom, objectTo, errorsFrom, errorsTo] = [0, 0, 0, 0]
    let hasNumbers = false
    this.#idFrom = 0
    this.#idTo = 0
    let at = this.firstName(open)
    while (at >= 0) {
      const valueFrom = this.valueAfter(at)
      if (this.isNameEscaped()) return null
      const isErrors = this.isName(ERRORS)
      let valueTo: number
      if (this.isName(OBJECT)) {
        if (objectTo > 0) return null
        this.sawNumber = false
        valueTo = this.#recordEnd(valueFrom)
        objectFrom = valueFrom
        objectTo = valueTo
        hasNumbers = this.sawNumber
      } else {
        valueTo = this.valueEnd(valueFrom, ITEM_DEPTH + 1)
      }
      if (isErrors) {
        if (errorsTo > 0) return null
        errorsFrom = valueFrom
        errorsTo = valueTo
      }
      at = this.nextName(valueTo)
    }
    if (at !== NO_MORE || objectTo === 0) return null
    this.itemTo = this.objectTo
    const isRecord = body[objectFrom] === OPEN_BRACE && this.firstName(objectFrom) !== NO_MORE
    if (!isRecord) [objectFrom, objectTo] = [0, 0]
    const [idFrom, idTo] = [this.#idFrom, this.#idTo]
    return { body, objectFrom, objectTo, hasNumbers, idFrom, idTo, errorsFrom, errorsTo }
  }

  /** Notes the names of a record's members, and where its `ID` stands. */
  #recordEnd(open: number): number {
    const { body } = this
    if (byteAt(body, open) !== OPEN_BRACE) return this.valueEnd(open, RECORD_DEPTH)
    this.#names.begin()
    let at = this.firstName(open)
    while (at >= 0) {
      const member = this.#memberAt(at, this.#names)
      if (member === null) return -1
      const { isId, members } = member
      const valueFrom = this.#valueFrom
      member.types |= typeBitAt(body, valueFrom)
      const isNested = byteAt(body, valueFrom) === OPEN_BRACE
      const valueTo = isNested ? this.#nestedEnd(valueFrom, members) : this.valueEnd(valueFrom, NESTED_DEPTH)
      if (isId) {
        if (this.#idTo > 0) return -1
        this.#idFrom = valueFrom
        this.#idTo = valueTo
      }
      at = this.nextName(valueTo)
    }
    return at === NO_MORE ? this.objectTo : -1
  }

  /** Notes the names of the members of an object within a record. */
  #nestedEnd(open: number, names: MemberNames): number {
    names.begin()
    let at = this.firstName(open)
    while (at >= 0) {
      const member = this.#memberAt(at, names)
      if (member === null) return -1
      member.types |= typeBitAt(this.body, this.#valueFrom)
      at = this.nextName(this.valueEnd(this.#valueFrom, NESTED_DEPTH + 1))
    }
    return at === NO_MORE ? this.objectTo : -1
  }

  /** The member that begins at `at`, whose name is noted and its value's place kept; `null` where there is none. */
  #memberAt(at: number, names: MemberNames): MemberName | null {
    const expected = names.expectedAt(this.body, at)
    if (expected !== undefined) {
      this.#valueFrom = this.blankEnd(at + expected.length)
      return expected
    }
    this.#valueFrom = this.valueAfter(at)
    return this.#valueFrom < 0 ? null : names.note(this.body, this.nameFrom, this.nameTo)
  }

  isNameEscaped(): boolean {
    for (let at = this.nameFrom; at < this.nameTo; at += 1) if (this.body[at] === BACKSLASH) return true
    return false
  }

  /** Whether the name that was passed last is this one, in any casing of plain letters. */
  isName(name: Uint8Array): boolean {
    if (this.nameTo - this.nameFrom !== name.length) return false
    for (let at = 0; at < name.length; at += 1) {
      if (((this.body[this.nameFrom + at] ?? 0) | 0x20) !== name[at]) return false
    }
    return true
  }
}
