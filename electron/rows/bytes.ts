/** Small work on UTF-8 bytes of JSON. */

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

/** Whether a byte outside strings belongs to a JSON number (`t`, `f`, `n` words have an `e` too, but begin otherwise). */
function beginsNumber(code: number | undefined): boolean {
  return code === 0x2d || (code !== undefined && code >= 0x30 && code <= 0x39)
}

function continuesNumber(code: number | undefined): boolean {
  return beginsNumber(code) || code === 0x2e || code === 0x2b || code === 0x65 || code === 0x45
}

/** Where numbers stand outside strings, as pairs of from and to; empty for the usual record. */
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

/** The piece of valid JSON from `from` to `to` with its numbers as strings of their source text. */
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
