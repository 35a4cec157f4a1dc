/**
 * Finds the records in an envelope's bytes, and checks them, without parsing them. Answers `null` for any body that
 * is not laid out as the specification shows (2.1); such a body goes the slow way, through `JSON.parse` whole.
 */
import { JsonScan, NO_MORE, OPEN_BRACE, OPEN_BRACKET } from './json-scan.ts'
import { MemberNames } from './member-names.ts'

/** A content item; offsets into the body, each pair 0 and 0 where there is no such thing. */
export interface SplitItem {
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

export interface Split {
  /** Of the array of `Contents`: the byte after `[`, and that of `]`. */
  readonly contentsFrom: number
  readonly contentsTo: number
  readonly items: readonly SplitItem[]
  /** The members of all records. */
  readonly names: MemberNames
}

const ENVELOPE_DEPTH = 1
const CONTENTS_DEPTH = 2
const ITEM_DEPTH = 3
const RECORD_DEPTH = 4
const NESTED_DEPTH = 5
const BACKSLASH = 0x5c

const encoder = new TextEncoder()
const CONTENTS = encoder.encode('contents')
const OBJECT = encoder.encode('object')
const ERRORS = encoder.encode('errors')

/** @param body UTF-8, which is asked elsewhere */
export function splitEnvelope(body: Uint8Array): Split | null {
  return new EnvelopeScan(body).split()
}

/** After a byte-order mark. */
function startOf(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

/** What is there twice, in whatever casing, goes the slow way, and what is spelt with escapes: it could be any name. */
class EnvelopeScan {
  readonly #body: Uint8Array
  readonly #scan: JsonScan
  readonly #items: SplitItem[] = []
  readonly #names = new MemberNames()
  /** Of the record that was passed last. */
  #idFrom = 0
  #idTo = 0

  constructor(body: Uint8Array) {
    this.#body = body
    this.#scan = new JsonScan(body)
  }

  split(): Split | null {
    const scan = this.#scan
    const open = scan.blankEnd(startOf(this.#body))
    if (this.#body[open] !== OPEN_BRACE) return null
    let contentsFrom = 0
    let contentsTo = 0
    let at = scan.firstName(open)
    while (at >= 0) {
      const valueFrom = scan.valueAfter(at)
      if (this.#isNameEscaped()) return null
      const isContents = this.#isName(CONTENTS)
      const valueTo = isContents ? this.#contentsEnd(valueFrom) : scan.valueEnd(valueFrom, ENVELOPE_DEPTH + 1)
      if (isContents) {
        if (contentsTo > 0) return null
        contentsFrom = valueFrom + 1
        contentsTo = valueTo - 1
      }
      at = scan.nextName(valueTo)
    }
    const isWhole = at === NO_MORE && scan.blankEnd(scan.objectTo) === this.#body.length
    if (!isWhole || contentsTo === 0) return null
    return { contentsFrom, contentsTo, items: this.#items, names: this.#names }
  }

  #contentsEnd(open: number): number {
    if (this.#body[open] !== OPEN_BRACKET) return -1
    return this.#scan.arrayEnd(open, CONTENTS_DEPTH, (from) => this.#itemEnd(from))
  }

  /** After the content item that begins at `open`; without an `Object` it may be a bare record. */
  #itemEnd(open: number): number {
    if (this.#body[open] !== OPEN_BRACE) return -1
    const scan = this.#scan
    let [objectFrom, objectTo, errorsFrom, errorsTo] = [0, 0, 0, 0]
    let hasNumbers = false
    this.#idFrom = 0
    this.#idTo = 0
    let at = scan.firstName(open)
    while (at >= 0) {
      const valueFrom = scan.valueAfter(at)
      if (this.#isNameEscaped()) return -1
      const isErrors = this.#isName(ERRORS)
      let valueTo: number
      if (this.#isName(OBJECT)) {
        if (objectTo > 0) return -1
        scan.sawNumber = false
        valueTo = this.#objectEnd(valueFrom)
        objectFrom = valueFrom
        objectTo = valueTo
        hasNumbers = scan.sawNumber
      } else {
        valueTo = scan.valueEnd(valueFrom, ITEM_DEPTH + 1)
      }
      if (isErrors) {
        if (errorsTo > 0) return -1
        errorsFrom = valueFrom
        errorsTo = valueTo
      }
      at = scan.nextName(valueTo)
    }
    if (at !== NO_MORE || objectTo === 0) return -1
    const end = scan.objectTo
    const isRecord = this.#body[objectFrom] === OPEN_BRACE && scan.firstName(objectFrom) !== NO_MORE
    if (!isRecord) [objectFrom, objectTo] = [0, 0]
    const [idFrom, idTo] = [this.#idFrom, this.#idTo]
    this.#items.push({ objectFrom, objectTo, hasNumbers, idFrom, idTo, errorsFrom, errorsTo })
    return end
  }

  /** Notes the names of a record's members, and where its `ID` stands. */
  #objectEnd(open: number): number {
    const scan = this.#scan
    const body = this.#body
    if (body[open] !== OPEN_BRACE) return scan.valueEnd(open, RECORD_DEPTH)
    this.#names.begin()
    let at = scan.firstName(open)
    while (at >= 0) {
      const valueFrom = scan.valueAfter(at)
      if (valueFrom < 0) return -1
      const { isId, members } = this.#names.note(body, scan.nameFrom, scan.nameTo)
      const isNested = body[valueFrom] === OPEN_BRACE
      const valueTo = isNested ? this.#nestedEnd(valueFrom, members) : scan.valueEnd(valueFrom, NESTED_DEPTH)
      if (isId) {
        if (this.#idTo > 0) return -1
        this.#idFrom = valueFrom
        this.#idTo = valueTo
      }
      at = scan.nextName(valueTo)
    }
    return at === NO_MORE ? scan.objectTo : -1
  }

  /** Notes the names of the members of an object within a record. */
  #nestedEnd(open: number, names: MemberNames): number {
    const scan = this.#scan
    names.begin()
    let at = scan.firstName(open)
    while (at >= 0) {
      const valueFrom = scan.valueAfter(at)
      if (valueFrom < 0) return -1
      names.note(this.#body, scan.nameFrom, scan.nameTo)
      at = scan.nextName(scan.valueEnd(valueFrom, NESTED_DEPTH + 1))
    }
    return at === NO_MORE ? scan.objectTo : -1
  }

  #isNameEscaped(): boolean {
    const { nameFrom, nameTo } = this.#scan
    for (let at = nameFrom; at < nameTo; at += 1) if (this.#body[at] === BACKSLASH) return true
    return false
  }

  /** Whether the name that was passed last is this one, in any casing of plain letters. */
  #isName(name: Uint8Array): boolean {
    const { nameFrom, nameTo } = this.#scan
    if (nameTo - nameFrom !== name.length) return false
    for (let at = 0; at < name.length; at += 1) {
      if (((this.#body[nameFrom + at] ?? 0) | 0x20) !== name[at]) return false
    }
    return true
  }
}
