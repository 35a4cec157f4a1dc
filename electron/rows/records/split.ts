/**
 * Finds and checks the records of an envelope as its bytes arrive, without parsing them. A body that is laid out
 * differently from the specification (2.1) results in `null` and takes the slow path, `JSON.parse` of the whole.
 */
import { isUtf8 } from 'node:buffer'
import { joinBlocks } from './bytes.ts'
import { type MemberName, MemberNames, typeBitAt } from './field-shapes.ts'
import { byteAt, CLOSE_BRACKET, COMMA, JsonScan, NO_MORE, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts'

/** A content item as offsets into its `body`. A pair is 0 and 0 if the part is missing. */
export interface SplitItem {
  readonly body: Buffer
  /** Its `Object`, if that has members. */
  readonly objectFrom: number
  readonly objectTo: number
  /** Whether the `Object` has numbers outside strings. */
  readonly hasNumbers: boolean
  /** The value of the record's `ID`. */
  readonly idFrom: number
  readonly idTo: number
  /** Whether the member is spelled `ID`. */
  readonly isPlainId: boolean
  /** The values of the record's `FullName` and `Name`. */
  readonly fullNameFrom: number
  readonly fullNameTo: number
  readonly nameFrom: number
  readonly nameTo: number
  /** The value of the item's `Errors`. */
  readonly errorsFrom: number
  readonly errorsTo: number
}

const ENVELOPE_DEPTH = 1
const ITEM_DEPTH = 3
const RECORD_DEPTH = 4
const NESTED_DEPTH = 5
const BACKSLASH = 0x5c
/** An incomplete item larger than this is scanned again only when its size has doubled, not for each block. */
const LARGE_ITEM = 64 * 1024
/** How much of a block to copy to complete an item that was cut. If that isn't enough, the whole block is copied. */
const SEAM = 8 * 1024

const encoder = new TextEncoder()
const CONTENTS = encoder.encode('contents')
const OBJECT = encoder.encode('object')
const ERRORS = encoder.encode('errors')
const NOTHING = new Uint8Array(0)
const NOWHERE = [0, 0] as const

/** Which part the next bytes belong to. `odd` takes the slow path. */
type Within = 'head' | 'first-item' | 'item' | 'after-item' | 'tail' | 'odd'

/**
 * Splits an envelope block by block. Blocks may end anywhere: complete items are returned, and the rest waits for the
 * next block. Only the bytes of items that were cut are copied.
 */
export class EnvelopeSplit {
  /** The member names of all records so far. */
  readonly names = new MemberNames()
  #within: Within = 'head'
  /** Blocks that still have to be scanned. */
  #waiting: Uint8Array[] = []
  #waitingLength = 0
  /** How many bytes must wait before the next scan. */
  #enough = 0
  #head: Uint8Array = NOTHING
  #tail: Uint8Array[] = []

  /** @returns the items that this block completes. If `end` returns `null`, all of them are void. */
  take(block: Uint8Array): readonly SplitItem[] {
    if (this.#within === 'tail') this.#tail.push(block)
    if (this.#within === 'tail' || this.#within === 'odd') return []
    this.#waiting.push(block)
    this.#waitingLength += block.length
    return this.#waitingLength < this.#enough ? [] : this.#workThrough()
  }

  /**
   * Finishes after the last block.
   * @returns the last items, and the envelope's text without its contents; `null` for an unusual body
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

  /** Collects the complete items that start before `enough`. Returns the index after the last byte that is done. */
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
    // The cut is between characters, so checking the parts is as good as checking the whole.
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
      // Incomplete, or not an item. The end of the bytes will tell.
      if (item === null) return done
      items.push(item)
      this.#within = 'after-item'
      done = scan.itemTo
    }
    return done
  }
}

/** The index where the array of `Contents` opens, or −1 if it is missing or hasn't arrived. */
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

/** Whether the envelope, without its contents, has an unambiguous layout. */
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

/** Skips a byte-order mark. */
function startOf(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

/** Scans content items. Names that occur twice, ignoring case, or that contain escapes take the slow path. */
class ItemScan extends JsonScan {
  /** The index after the last item. */
  itemTo = 0
  readonly #names: MemberNames
  /** The value of the last record's `ID`. */
  #idFrom = 0
  #idTo = 0
  #isPlainId = true
  /** The values of its `FullName` and `Name`. */
  #fullName: readonly [number, number] = NOWHERE
  #name: readonly [number, number] = NOWHERE
  /** The start of the last member's value. */
  #valueFrom = 0

  constructor(bytes: Uint8Array, names: MemberNames) {
    super(bytes)
    this.#names = names
  }

  /** Scans the content item at `open`. Without an `Object`, it may be a bare record, which takes the slow path. */
  item(open: number): SplitItem | null {
    const { body } = this
    if (byteAt(body, open) !== OPEN_BRACE) return null
    let [objectFrom, objectTo, errorsFrom, errorsTo] = [0, 0, 0, 0]
    let hasNumbers = false
    this.#idFrom = 0
    this.#idTo = 0
    this.#isPlainId = true
    this.#fullName = NOWHERE
    this.#name = NOWHERE
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
    return {
      body,
      objectFrom,
      objectTo,
      hasNumbers,
      idFrom: this.#idFrom,
      idTo: this.#idTo,
      isPlainId: this.#isPlainId,
      fullNameFrom: this.#fullName[0],
      fullNameTo: this.#fullName[1],
      nameFrom: this.#name[0],
      nameTo: this.#name[1],
      errorsFrom,
      errorsTo,
    }
  }

  /** Collects the names of a record's members and finds its `ID`. */
  #recordEnd(open: number): number {
    const { body } = this
    if (byteAt(body, open) !== OPEN_BRACE) return this.valueEnd(open, RECORD_DEPTH)
    this.#names.begin()
    let at = this.firstName(open)
    while (at >= 0) {
      const member = this.#memberAt(at, this.#names)
      if (member === null) return -1
      const { role, members } = member
      const valueFrom = this.#valueFrom
      member.types |= typeBitAt(body, valueFrom)
      const isNested = byteAt(body, valueFrom) === OPEN_BRACE
      const valueTo = isNested ? this.#nestedEnd(valueFrom, members) : this.valueEnd(valueFrom, NESTED_DEPTH)
      if (role === 'id' || role === 'other-id') {
        if (this.#idTo > 0) return -1
        this.#idFrom = valueFrom
        this.#idTo = valueTo
        this.#isPlainId = role === 'id'
      } else if (role === 'full-name') this.#fullName = [valueFrom, valueTo]
      else if (role === 'name') this.#name = [valueFrom, valueTo]
      at = this.nextName(valueTo)
    }
    return at === NO_MORE ? this.objectTo : -1
  }

  /** Collects the names of the members of an object in a record. */
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

  /** Collects the name of the member at `at` and keeps the place of its value. `null` if there is none. */
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

  /** Whether the last name is this one, ignoring the case of plain letters. */
  isName(name: Uint8Array): boolean {
    if (this.nameTo - this.nameFrom !== name.length) return false
    for (let at = 0; at < name.length; at += 1) {
      if (((this.body[this.nameFrom + at] ?? 0) | 0x20) !== name[at]) return false
    }
    return true
  }
}
