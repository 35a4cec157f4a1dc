/**
 * Finds where JSON values end, without creating them. It is as strict as `JSON.parse`, which the tests compare it
 * with. The caller checks that the bytes are UTF-8. Scanning takes less time than parsing, because no strings,
 * arrays, or objects are created (docs/measured.md).
 */

/** The nesting limit of `parseJsonText`. */
const DEEPEST = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
export const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d
export const COMMA = 0x2c
const COLON = 0x3a
const LETTER_U = 0x75
const FIRST_PRINTABLE = 0x20

const ESCAPES: ReadonlySet<number> = new Set(bytesOf('"\\/bfnrt'))
const WORDS: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), bytesOf(word)]),
)

/** `firstName` and `nextName` return it after the last member of an object. */
export const NO_MORE = -2

/**
 * All methods take and return indexes into the bytes. −1 means that the bytes are not JSON or nest too deep; an
 * argument of −1 returns −1. To visit the members of an object:
 *
 *     let at = scan.firstName(open)
 *     while (at >= 0) at = scan.nextName(scan.valueEnd(scan.valueAfter(at), depth + 1))
 *     return at === NO_MORE ? scan.objectTo : -1
 *
 * Callbacks instead of this loop would take twice as long.
 */
export class JsonScan {
  /** Always the same class, which keeps reading it fast. */
  readonly body: Buffer
  /** The name that `valueAfter` passed, without its quotes. */
  nameFrom = 0
  nameTo = 0
  /** The index after the object whose last member was passed. */
  objectTo = 0
  /** Set when a number was passed. The caller clears it. */
  sawNumber = false

  constructor(bytes: Uint8Array) {
    this.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** Skips white space. */
  blankEnd(from: number): number {
    const { body } = this
    let at = from
    while (at < body.length && isBlank(body[at] ?? 0)) at += 1
    return at
  }

  /** The index of the closing quote of the string that opens at `open`. */
  stringEnd(open: number): number {
    const { body } = this
    let at = open + 1
    while (at < body.length) {
      const code = body[at] ?? 0
      if (code === QUOTE) return at
      if (code < FIRST_PRINTABLE) return -1
      if (code !== BACKSLASH) at += 1
      else {
        at = this.#escapeEnd(at + 1)
        if (at < 0) return -1
      }
    }
    return -1
  }

  /**
   * The index after the value that starts at `from`.
   * @param depth its depth if it is an object or an array, 1 for the outermost
   */
  valueEnd(from: number, depth: number): number {
    const code = byteAt(this.body, from)
    if (code === QUOTE) {
      const end = this.stringEnd(from)
      return end < 0 ? -1 : end + 1
    }
    if (code === OPEN_BRACE) return this.#objectEnd(from, depth)
    if (code === OPEN_BRACKET) return this.arrayEnd(from, depth, (at) => this.valueEnd(at, depth + 1))
    const word = WORDS.get(code)
    if (word === undefined) return this.#numberEnd(from)
    return hasBytesAt(this.body, from, word) ? from + word.length : -1
  }

  /** The index of the first member's name in the object that opens at `open`. */
  firstName(open: number): number {
    const at = this.blankEnd(open + 1)
    if (byteAt(this.body, at) !== CLOSE_BRACE) return at
    this.objectTo = at + 1
    return NO_MORE
  }

  /** The index of the value that belongs to the name at `at`. */
  valueAfter(at: number): number {
    const { body } = this
    if (byteAt(body, at) !== QUOTE) return -1
    const nameTo = this.stringEnd(at)
    if (nameTo < 0) return -1
    this.nameFrom = at + 1
    this.nameTo = nameTo
    const colon = this.blankEnd(nameTo + 1)
    return byteAt(body, colon) === COLON ? this.blankEnd(colon + 1) : -1
  }

  /** The index of the next member's name, after a value. */
  nextName(valueTo: number): number {
    if (valueTo < 0) return -1
    const at = this.blankEnd(valueTo)
    const code = byteAt(this.body, at)
    if (code === COMMA) return this.blankEnd(at + 1)
    if (code !== CLOSE_BRACE) return -1
    this.objectTo = at + 1
    return NO_MORE
  }

  #objectEnd(open: number, depth: number): number {
    if (depth > DEEPEST) return -1
    let at = this.firstName(open)
    while (at >= 0) at = this.nextName(this.valueEnd(this.valueAfter(at), depth + 1))
    return at === NO_MORE ? this.objectTo : -1
  }

  /**
   * The index after the array that opens at `open`.
   * @param elementEnd returns the index after the element that starts there, or −1
   */
  arrayEnd(open: number, depth: number, elementEnd: (from: number) => number): number {
    if (depth > DEEPEST) return -1
    const { body } = this
    let at = this.blankEnd(open + 1)
    if (byteAt(body, at) === CLOSE_BRACKET) return at + 1
    for (;;) {
      const end = elementEnd(at)
      if (end < 0) return -1
      at = this.blankEnd(end)
      const code = byteAt(body, at)
      if (code === CLOSE_BRACKET) return at + 1
      if (code !== COMMA) return -1
      at = this.blankEnd(at + 1)
    }
  }

  /** The index after the escape whose letter is at `at`. */
  #escapeEnd(at: number): number {
    const letter = byteAt(this.body, at)
    if (letter !== LETTER_U) return ESCAPES.has(letter) ? at + 1 : -1
    for (let digit = at + 1; digit <= at + 4; digit += 1) if (!isHexDigit(byteAt(this.body, digit))) return -1
    return at + 5
  }

  #numberEnd(from: number): number {
    const { body } = this
    this.sawNumber = true
    let at = byteAt(body, from) === 0x2d ? from + 1 : from
    // No leading zeros.
    at = byteAt(body, at) === 0x30 ? at + 1 : this.#digitsEnd(at)
    if (at >= 0 && byteAt(body, at) === 0x2e) at = this.#digitsEnd(at + 1)
    if (at >= 0 && (byteAt(body, at) | 0x20) === 0x65) {
      const sign = byteAt(body, at + 1)
      at = this.#digitsEnd(sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
    }
    return at
  }

  /** The index after the digits from `from` on. At least one is required. */
  #digitsEnd(from: number): number {
    let at = from
    while (isDigit(byteAt(this.body, at))) at += 1
    return at === from ? -1 : at
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66)
}

/** The byte at an index, or 0 beyond the end. Reading out of bounds would slow down every read of the loop. */
export function byteAt(body: Uint8Array, at: number): number {
  return at < body.length ? (body[at] ?? 0) : 0
}

/** Whether these bytes are at this place. */
export function hasBytesAt(body: Uint8Array, from: number, bytes: Uint8Array): boolean {
  const { length } = bytes
  if (from + length > body.length) return false
  for (let at = 0; at < length; at += 1) if (body[from + at] !== bytes[at]) return false
  return true
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
