/**
 * JSON's grammar on bytes: where a value ends, without making anything of it. As strict as `JSON.parse`, which the
 * tests hold it to; that the bytes are UTF-8 is asked elsewhere. It costs a fifth of parsing, because no string, list
 * or object is made of what is only handed on.
 */

/** Nested as deep as `parseJsonText` takes, which refuses what is deeper. */
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

/** `firstName` and `nextName` answer it when the object has no further member. */
export const NO_MORE = -2

/**
 * All answers are indexes into the bytes; −1 says that what stands there is not JSON, or nests too deep, and −1 in is
 * −1 out. An object is walked through by whoever wants something of its members:
 *
 *     let at = scan.firstName(open)
 *     while (at >= 0) at = scan.nextName(scan.valueEnd(scan.valueAfter(at), depth + 1))
 *     return at === NO_MORE ? scan.objectTo : -1
 *
 * Loops rather than callbacks, which cost twice as much here.
 */
export class JsonScan {
  /** Always of one class, so that what reads it can count on that. */
  readonly body: Buffer
  /** The name that `valueAfter` passed, between its quotes. */
  nameFrom = 0
  nameTo = 0
  /** After the object whose members have come to an end. */
  objectTo = 0
  /** Set when a number was passed; whoever wants to know clears it before. */
  sawNumber = false

  constructor(bytes: Uint8Array) {
    this.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  }

  /** The first byte from `from` on that is no white space. */
  blankEnd(from: number): number {
    const { body } = this
    let at = from
    while (at < body.length && isBlank(body[at] ?? 0)) at += 1
    return at
  }

  /** The quote that closes the string which opens at `open`. */
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
   * After the value that begins at `from`.
   * @param depth its own, if it is an object or an array: 1 for the outermost
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
    return isSame(this.body, from, word) ? from + word.length : -1
  }

  /** Where the name of the first member of the object that opens at `open` begins. */
  firstName(open: number): number {
    const at = this.blankEnd(open + 1)
    if (byteAt(this.body, at) !== CLOSE_BRACE) return at
    this.objectTo = at + 1
    return NO_MORE
  }

  /** Past the name that begins at `at`, where its value begins. */
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

  /** Where the name of the next member begins, after a value. */
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
   * After the array that opens at `open`.
   * @param elementEnd answers the index after the element that begins there, or −1
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

  /** After the escape whose letter stands at `at`. */
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
    // No zero before other digits.
    at = byteAt(body, at) === 0x30 ? at + 1 : this.#digitsEnd(at)
    if (at >= 0 && byteAt(body, at) === 0x2e) at = this.#digitsEnd(at + 1)
    if (at >= 0 && (byteAt(body, at) | 0x20) === 0x65) {
      const sign = byteAt(body, at + 1)
      at = this.#digitsEnd(sign === 0x2b || sign === 0x2d ? at + 2 : at + 1)
    }
    return at
  }

  /** After the digits from `from` on, of which there must be one. */
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

/** 0 beyond the end, which no JSON holds. One read out there would make each read of its loop several times as slow. */
export function byteAt(body: Uint8Array, at: number): number {
  return at < body.length ? (body[at] ?? 0) : 0
}

/** Whether these bytes stand there. */
export function isSame(body: Uint8Array, from: number, bytes: Uint8Array): boolean {
  const { length } = bytes
  if (from + length > body.length) return false
  for (let at = 0; at < length; at += 1) if (body[from + at] !== bytes[at]) return false
  return true
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
