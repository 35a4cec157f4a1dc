/**
 * Finds a secret in words that come from elsewhere, however it is spelled. A list of spellings would never end, so two
 * small sets are combined instead. The secret is encoded (reversed, hex, decimal, base64, base32, as UTF-16 too), and
 * what comes of that is encoded once more. The text is freed of escapes (percent, JSON, HTML), layer by layer. Both are
 * then compared by their letters and digits alone, in one case: separators, blanks, and marks of no width count for
 * nothing. What was encrypted, compressed, or encoded three times is not found.
 */
import { CUT } from '../protocol/json.ts'

/** A part of a text, from the first character to the one after the last. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Letters and digits by which an encoded secret is recognized: fewer would be found in ordinary words. */
const ANCHOR = 10
/** Characters of a secret that are encoded together; a longer one is looked for piece by piece. */
const PIECE = 96
/** What lies beyond in a longer secret is looked for encoded once, and not twice. */
const MOST_TWICE = 3 * PIECE
/** Layers of escapes that are taken off. */
const LAYERS = 4

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Makes what finds a secret's encodings in a text. It costs some milliseconds, and each search little. */
export function createSecretSearch(secret: string): (text: string) => readonly Range[] {
  const byAnchor = new Map<string, string[]>()
  for (const spelling of spellingsOf(secret)) {
    const anchor = spelling.slice(0, ANCHOR)
    const known = byAnchor.get(anchor)
    if (known === undefined) byAnchor.set(anchor, [spelling])
    else known.push(spelling)
  }
  return (text) => {
    const found: Range[] = []
    for (const layer of layersOf(text)) {
      const { letters, at } = lettersOf(layer.text)
      for (let index = 0; index + ANCHOR <= letters.length; index += 1) {
        for (const spelling of byAnchor.get(letters.slice(index, index + ANCHOR)) ?? []) {
          const length = lengthInCommon(letters, index, spelling)
          const isCut = index + length === letters.length || letters[index + length] === CUT
          if (length < spelling.length && !isCut) continue
          const from = at[index] ?? 0
          const to = at[index + length - 1] ?? from
          found.push({ from: layer.from?.[from] ?? from, to: layer.to?.[to] ?? to + 1 })
        }
      }
    }
    return found
  }
}

function lengthInCommon(letters: string, index: number, spelling: string): number {
  let length = ANCHOR
  while (length < spelling.length && letters[index + length] === spelling[length]) length += 1
  return length
}

/** The secret and its encodings to the second depth, by their letters and digits alone. */
function spellingsOf(secret: string): ReadonlySet<string> {
  const spellings = new Set<string>()
  for (let at = 0; at < secret.length; at += PIECE) {
    const piece = secret.slice(at, at + PIECE)
    const digits = encoded(piece)
    const all = new Set([piece, ...written(piece), ...digits, ...digits.map(alternative)])
    for (const once of all) {
      for (const each of at < MOST_TWICE ? [once, ...encoded(once)] : [once]) {
        const { letters } = lettersOf(each)
        if (letters.length >= ANCHOR) spellings.add(letters)
      }
    }
  }
  return spellings
}

/** Other ways to write the same text. They matter inside of an encoding; elsewhere the text is freed of them. */
function written(text: string): readonly string[] {
  const bytes = [...Buffer.from(text)]
  const small = bytes.map((byte) => byte.toString(16).padStart(2, '0'))
  const hex = [small, small.map((each) => each.toUpperCase())]
  return [
    text.toUpperCase(),
    text.toLowerCase(),
    [...text].join(' '),
    encodeURIComponent(text),
    bytes.map((byte) => `&#${String(byte)};`).join(''),
    ...hex.flatMap((each) => [
      `%${each.join('%')}`,
      `\\u00${each.join('\\u00')}`,
      `&#x${each.join(';&#x')};`,
    ]),
  ]
}

/** Each in every form that it can have as a part of something longer. */
function encoded(text: string): readonly string[] {
  const utf8 = Buffer.from(text)
  // Without its last zero it is a part of both byte orders.
  const utf16 = Buffer.from(text, 'utf16le').subarray(0, -1)
  const bytes = [utf8, utf16].flatMap((each) => [
    each.toString('hex'),
    ...[0, 1, 2].map((before) => digitsWithin(each, BASE64, before)),
    ...[0, 1, 2, 3, 4].map((before) => digitsWithin(each, BASE32, before)),
  ])
  return [[...text].reverse().join(''), [...utf8].join(','), ...bytes]
}

/** How the same is written elsewhere: hex in capitals, base32 in small letters, base64 for addresses. */
function alternative(digits: string): string {
  if (/^[\da-f]+$/.test(digits)) return digits.toUpperCase()
  if (/^[A-Z2-7]+$/.test(digits)) return digits.toLowerCase()
  return digits.replaceAll('+', '-').replaceAll('/', '_')
}

/** The digits that these bytes alone decide, where `before` others precede them in their group. */
function digitsWithin(bytes: Uint8Array, alphabet: string, before: number): string {
  const width = Math.log2(alphabet.length)
  const last = Math.floor(((before + bytes.length) * 8) / width)
  let digits = ''
  for (let digit = Math.ceil((before * 8) / width); digit < last; digit += 1) {
    const bit = digit * width - before * 8
    const pair = ((bytes[bit >> 3] ?? 0) << 8) | (bytes[(bit >> 3) + 1] ?? 0)
    digits += alphabet.charAt((pair >> (16 - width - (bit & 7))) & (alphabet.length - 1))
  }
  return digits
}

/** A text that was freed of escapes, and where its characters were in the one that came. */
interface Layer {
  readonly text: string
  /** Index and index after of each character; left out where they are its own. */
  readonly from?: readonly number[]
  readonly to?: readonly number[]
}

const ESCAPES = new RegExp(
  [
    String.raw`%(?:25)*u([\da-f]{4})`,
    String.raw`%(?:25)*([\da-f]{2})`,
    String.raw`\\+u\{?([\da-f]{2,6})\}?`,
    String.raw`\\+x([\da-f]{2})`,
    String.raw`&(?:amp;)*#x([\da-f]{1,6});?`,
    String.raw`(?<!\w)0x([\da-f]{2})(?![\da-f])`,
    String.raw`&(?:amp;)*#(?<decimal>\d{1,7});?`,
    '&amp;',
    String.raw`&[a-z]{2,31};`,
  ].join('|'),
  'gi',
)

/** The text as it came, and each time that a layer of escapes was taken off. */
function* layersOf(text: string): Generator<Layer> {
  let layer: Layer = { text }
  for (let count = 0; ; count += 1) {
    yield layer
    const next = count < LAYERS ? unescaped(layer) : null
    if (next === null) return
    layer = next
  }
}

function unescaped(layer: Layer): Layer | null {
  let text = ''
  const from: number[] = []
  const to: number[] = []
  let done = 0
  const keep = (until: number): void => {
    text += layer.text.slice(done, until)
    for (let at = done; at < until; at += 1) {
      from.push(layer.from?.[at] ?? at)
      to.push(layer.to?.[at] ?? at + 1)
    }
  }
  for (const match of layer.text.matchAll(ESCAPES)) {
    keep(match.index)
    done = match.index + match[0].length
    const character = characterOf(match)
    text += character
    for (let unit = 0; unit < character.length; unit += 1) {
      from.push(layer.from?.[match.index] ?? match.index)
      to.push(layer.to?.[done - 1] ?? done)
    }
  }
  if (done === 0) return null
  keep(layer.text.length)
  return { text, from, to }
}

function characterOf(match: RegExpExecArray): string {
  if (match[0].toLowerCase() === '&amp;') return '&'
  const decimal = match.groups?.['decimal']
  const hex = match.slice(1, 7).join('') || '20'
  const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : ' '
}

/** A text's letters and digits in one case, wide ones too, and the signs of a cut; with their places in it. */
function lettersOf(text: string): { readonly letters: string; readonly at: readonly number[] } {
  const codes: number[] = []
  const at: number[] = []
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index)
    const code = unit >= 0xff01 && unit <= 0xff5e ? unit - 0xfee0 : unit
    const isUpper = code >= 65 && code <= 90
    const isOther = (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code === CUT.charCodeAt(0)
    if (!isUpper && !isOther) continue
    codes.push(isUpper ? code + 32 : code)
    at.push(index)
  }
  return { letters: Buffer.from(Uint16Array.from(codes).buffer).toString('utf16le'), at }
}

/**
 * Finds a secret that is spelled character by character, also one that is too short to be encoded or has few letters:
 * each in either case, as it is, behind backslashes, as `\u0041`, `%41`, `%2541`, or `&#65;`. A key has no characters
 * beyond ASCII.
 */
export function anySpelling(secret: string): RegExp {
  const each = [...secret].map((character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16).padStart(2, '0')
    return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&#(?:0*${String(code)}|x0*${hex});)`
  })
  return new RegExp(each.join(''), 'gi')
}

/** As it stands where a text was cut in its middle. */
export function plainSpellings(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
}
