/** Helpers for JSON as UTF-8 bytes. */
import { isAscii } from 'node:buffer'

export function joinBlocks(blocks: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = blocks
  if (blocks.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const block of blocks) {
    whole.set(block, at)
    at += block.length
  }
  return whole
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether a byte outside strings can be part of a JSON number. (`true` and `false` have an `e`, too, but start differently.) */
function beginsNumber(code: number | undefined): boolean {
  return code === 0x2d || (code !== undefined && code >= 0x30 && code <= 0x39)
}

function continuesNumber(code: number | undefined): boolean {
  return beginsNumber(code) || code === 0x2e || code === 0x2b || code === 0x65 || code === 0x45
}

/** Finds the numbers outside strings, as pairs of start and end. Most records have none. */
function numbersIn(bytes: Uint8Array, from: number, to: number): number[] {
  const found: number[] = []
  for (let at = from; at < to; at += 1) {
    const code = bytes[at]
    if (code === QUOTE) {
      at += 1
      while (at < to && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
    } else if (beginsNumber(code)) {
      const start = at
      while (at < to && continuesNumber(bytes[at])) at += 1
      found.push(start, at)
      at -= 1
    }
  }
  return found
}

/** Copies valid JSON and turns its numbers into strings of their source text. */
export function quoteNumbersInBytes(bytes: Uint8Array, from: number, to: number): Uint8Array {
  const numbers = numbersIn(bytes, from, to)
  if (numbers.length === 0) return bytes.subarray(from, to)
  const quoted = new Uint8Array(to - from + numbers.length)
  let source = from
  let target = 0
  for (const border of numbers) {
    quoted.set(bytes.subarray(source, border), target)
    target += border - source
    quoted[target] = QUOTE
    target += 1
    source = border
  }
  quoted.set(bytes.subarray(source, to), target)
  return quoted
}

/*
 * Writes JSON with every character beyond ASCII as an escape (`\u00e9`). A single such character makes decoding the
 * whole chunk take the window five times as long.
 */

/** Up to this length, bytes are checked one by one. Longer pieces are halved until they are ASCII or short enough. */
const SHORT = 48
const HEX = new TextEncoder().encode('0123456789abcdef')
const BACKSLASH_CODE = 0x5c
const LETTER_U = 0x75

/** Reuses its memory. Allocating a buffer per chunk would be half the work of writing it. */
export class AsciiWriter {
  #bytes = new Uint8Array(0)
  #length = 0

  /** Drops what was written and starts over in the same memory. */
  begin(): void {
    this.#length = 0
  }

  /** @param json valid JSON in valid UTF-8, so characters beyond ASCII are always inside strings */
  write(json: Uint8Array): void {
    if (isAscii(json)) {
      this.#makeRoom(json.length)
      this.#bytes.set(json, this.#length)
      this.#length += json.length
    } else if (json.length <= SHORT) this.#escape(json)
    else {
      let middle = json.length >> 1
      while (isContinuation(json[middle])) middle += 1
      this.write(json.subarray(0, middle))
      this.write(json.subarray(middle))
    }
  }

  /** Writes one ASCII character. */
  put(byte: number): void {
    this.#makeRoom(1)
    this.#bytes[this.#length] = byte
    this.#length += 1
  }

  /** Bytes since the start. */
  get length(): number {
    return this.#length
  }

  /** Copies what was written since the start. */
  written(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length)
  }

  #escape(json: Uint8Array): void {
    const text = Buffer.from(json.buffer, json.byteOffset, json.length).toString('utf8')
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at)
      if (unit < 0x80) this.put(unit)
      else {
        this.put(BACKSLASH_CODE)
        this.put(LETTER_U)
        for (const shift of [12, 8, 4, 0]) this.put(HEX[(unit >> shift) & 15] ?? 0)
      }
    }
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return
    const grown = new Uint8Array((this.#length + bytes) * 2)
    grown.set(this.#bytes.subarray(0, this.#length))
    this.#bytes = grown
  }
}

/** Whether a byte continues a character that an earlier byte started. */
function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
