/**
 * Finds the records in an envelope's bytes without parsing them: strings and depth only. Answers `null` for any body
 * that is not laid out as the specification shows (2.1); such a body goes the slow way, through `JSON.parse` whole.
 */

/** Where the records are; offsets into the body. */
export interface Split {
  /** Of the array of `Contents`: the byte after `[`, and that of `]`. */
  readonly contentsFrom: number
  readonly contentsTo: number
  /** Per content item: its first byte, the byte after its last, and the same of its `Object` (0, 0 when it is null). */
  readonly itemFrom: Uint32Array
  readonly itemTo: Uint32Array
  readonly objectFrom: Uint32Array
  readonly objectTo: Uint32Array
  /** 1 where the `Object` has numbers outside strings. */
  readonly hasNumbers: Uint32Array
  readonly count: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const COLON = 0x3a
const DIGIT_0 = 0x30
const DIGIT_9 = 0x39
const DEEPEST = 64

const CONTENTS = asciiLower('contents')
const OBJECT = asciiLower('object')

/** Grows as items are found. */
class Offsets {
  #values = new Uint32Array(1_024)
  #length = 0

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(this.#values.length * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length] = value
    this.#length += 1
  }

  done(): Uint32Array {
    return this.#values.slice(0, this.#length)
  }
}

export function splitEnvelope(body: Uint8Array): Split | null {
  let at = skipBlank(body, startOf(body))
  if (body[at] !== OPEN_BRACE) return null
  let found: Split | null = null
  for (at = skipBlank(body, at + 1); body[at] === QUOTE; at = skipBlank(body, at + 1)) {
    const key = stringEnd(body, at)
    if (key < 0) return null
    const isContents = isName(body, at + 1, key, CONTENTS)
    at = skipBlank(body, key + 1)
    if (body[at] !== COLON) return null
    const from = skipBlank(body, at + 1)
    if (isContents) {
      if (found !== null || body[from] !== OPEN_BRACKET) return null
      found = scanContents(body, from)
      if (found === null) return null
      at = skipBlank(body, found.contentsTo + 1)
    } else {
      const to = endOf(scanValue(body, from))
      if (to < 0) return null
      at = skipBlank(body, to)
    }
    if (body[at] !== COMMA) break
  }
  return body[at] === CLOSE_BRACE ? found : null
}

/** The items of the array that opens at `open`. */
function scanContents(body: Uint8Array, open: number): Split | null {
  const itemFrom = new Offsets()
  const itemTo = new Offsets()
  const objectFrom = new Offsets()
  const objectTo = new Offsets()
  const hasNumbers = new Offsets()
  let count = 0
  let at = skipBlank(body, open + 1)
  while (body[at] !== CLOSE_BRACKET) {
    if (body[at] !== OPEN_BRACE) return null
    const item = scanItem(body, at)
    if (item === null) return null
    itemFrom.push(at)
    itemTo.push(item.to)
    objectFrom.push(item.objectFrom)
    objectTo.push(item.objectTo)
    hasNumbers.push(item.hasNumbers ? 1 : 0)
    count += 1
    at = skipBlank(body, item.to)
    if (body[at] === CLOSE_BRACKET) break
    if (body[at] !== COMMA) return null
    at = skipBlank(body, at + 1)
    if (body[at] === CLOSE_BRACKET) return null
  }
  return {
    contentsFrom: open + 1,
    contentsTo: at,
    itemFrom: itemFrom.done(),
    itemTo: itemTo.done(),
    objectFrom: objectFrom.done(),
    objectTo: objectTo.done(),
    hasNumbers: hasNumbers.done(),
    count,
  }
}

interface Item {
  readonly to: number
  readonly objectFrom: number
  readonly objectTo: number
  readonly hasNumbers: boolean
}

/** A content item that opens at `at`: its end, and where its `Object` lies. */
function scanItem(body: Uint8Array, at: number): Item | null {
  let objectFrom = 0
  let objectTo = 0
  let hasNumbers = false
  let seen = false
  let here = skipBlank(body, at + 1)
  for (; body[here] === QUOTE; here = skipBlank(body, here + 1)) {
    const key = stringEnd(body, here)
    if (key < 0) return null
    const isObject = isName(body, here + 1, key, OBJECT)
    here = skipBlank(body, key + 1)
    if (body[here] !== COLON) return null
    const from = skipBlank(body, here + 1)
    const scanned = scanValue(body, from)
    const to = endOf(scanned)
    if (to < 0) return null
    if (isObject) {
      if (seen) return null
      seen = true
      if (body[from] === OPEN_BRACE) {
        objectFrom = from
        objectTo = to
        hasNumbers = foundNumbers(scanned)
      }
    }
    here = skipBlank(body, to)
    if (body[here] !== COMMA) break
  }
  return seen && body[here] === CLOSE_BRACE ? { to: here + 1, objectFrom, objectTo, hasNumbers } : null
}

/** After a byte-order mark. */
function startOf(body: Uint8Array): number {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0
}

function skipBlank(body: Uint8Array, from: number): number {
  let at = from
  for (let code = body[at]; code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = body[at])
    at += 1
  return at
}

/** Index of the quote that closes the string which opens at `at`, or −1. */
function stringEnd(body: Uint8Array, at: number): number {
  let index = at + 1
  const end = body.length
  while (index < end) {
    const code = body[index]
    if (code === QUOTE) return index
    index += code === BACKSLASH ? 2 : 1
  }
  return -1
}

/** What `scanValue` answers is the index after the value, twice, plus one when numbers stand in it; or −1. */
function endOf(scanned: number): number {
  return scanned < 0 ? -1 : Math.floor(scanned / 2)
}

function foundNumbers(scanned: number): boolean {
  return scanned % 2 === 1
}

/** Finds where a value ends; −1 where it does not, or nests too deep. See `endOf`. */
function scanValue(body: Uint8Array, from: number): number {
  const first = body[from]
  if (first === QUOTE) {
    const end = stringEnd(body, from)
    return end < 0 ? -1 : (end + 1) * 2
  }
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) {
    let at = from
    while (at < body.length && !endsScalar(body[at])) at += 1
    return at === from ? -1 : at * 2
  }
  let depth = 0
  let numbers = 0
  for (let at = from; at < body.length; at += 1) {
    const code = body[at] ?? 0
    if (code === QUOTE) {
      at = stringEnd(body, at)
      if (at < 0) return -1
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1
      if (depth > DEEPEST) return -1
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1
      if (depth === 0) return (at + 1) * 2 + numbers
    } else if (code >= DIGIT_0 && code <= DIGIT_9) {
      numbers = 1
    }
  }
  return -1
}

function endsScalar(code: number | undefined): boolean {
  return (
    code === COMMA ||
    code === CLOSE_BRACE ||
    code === CLOSE_BRACKET ||
    code === 0x20 ||
    code === 0x0a ||
    code === 0x0d ||
    code === 0x09
  )
}

function asciiLower(name: string): Uint8Array {
  return new TextEncoder().encode(name)
}

/** Whether a key is this name, in any casing of plain letters. */
function isName(body: Uint8Array, from: number, to: number, name: Uint8Array): boolean {
  if (to - from !== name.length) return false
  for (let at = 0; at < name.length; at += 1) if (((body[from + at] ?? 0) | 0x20) !== name[at]) return false
  return true
}
