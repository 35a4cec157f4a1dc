/**
 * Removes secrets from text that comes from outside. A service may echo the key in an error, and a system error may
 * contain an address with credentials. Masks come first, then a search for each secret in all of its spellings.
 */
import type { AppError } from '../../../shared/result.ts'
import { CUT, cut, decodeUtf8 } from '../protocol/envelope.ts'
import type {
  Envelope,
  EnvelopeItem,
  LegacyEnvelope,
  Mask,
  RawResponse,
  ServiceError,
} from '../protocol/wire.ts'

const MASK = '•••'
/** Shorter values occur in ordinary words. */
const SHORTEST_SECRET = 6
/** Where a text was cut, the beginning of a secret is masked if it has at least this many characters. */
const SHORTEST_BEGINNING = 3
/** Longer texts are cut before the search, which takes time. No one reads that much. */
const LONGEST_SEARCHED = 1_000_000

/** Masks each secret and agents' tokens, and cuts the text to `most` characters. */
export function redact(text: string, mask: Mask, most = 2_000): string {
  return cut(mask(text), most)
}

/** Returns a mask for these secrets. Its first use takes milliseconds, so keep it as long as the secrets. */
export function createMask(secrets: readonly string[]): Mask {
  let masks: readonly Mask[] | null = null
  return (text) => {
    masks ??= secrets.filter((secret) => secret.length >= SHORTEST_SECRET).map(createSecretMask)
    return masks.reduce((clean, mask) => mask(clean), maskTokens(cut(text, LONGEST_SEARCHED)))
  }
}

function createSecretMask(secret: string): Mask {
  const whole = anySpelling(secret)
  const spellings = plainSpellings(secret)
  const search = createSecretSearch(secret)
  return (text) => {
    const spelled = text.replace(whole, MASK)
    return spellings.reduce(withoutBeginning, withoutRanges(spelled, search(spelled)))
  }
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let clean = ''
  let done = 0
  for (const { from, to } of ranges.toSorted((left, right) => left.from - right.from)) {
    if (from >= done) clean += text.slice(done, from) + MASK
    done = Math.max(done, to)
  }
  return clean + text.slice(done)
}

/** The value of a member named token: in JSON, in JSON within JSON, unquoted, in a URL, in XML, or URL-encoded. */
const TOKENS: readonly RegExp[] = [
  /("token"\s*:\s*")(?:\\[\s\S]|[^"\\])*("|$)/gi,
  /((\\{1,7}")token\2\s*:\s*\2)[\s\S]*?(\2|$)/gi,
  /('token'\s*:\s*')[^']*('|$)/gi,
  /("token"\s*:\s*)[^"\s,}\]]+/gi,
  /(\btoken=)[^\s&"'<>;,]+/gi,
  /(<token>)[^<]*/gi,
  /(%22token%22(?:%20)*%3A(?:%20)*%22)(?:(?!%22).)*/gi,
  // In prose, after a colon. Matches only long values with a digit.
  /(\btoken\s*:\s*)(?=\S*\d)[\w.~+/=-]{8,}/gi,
]

/**
 * Masks agents' tokens. Their values aren't known, so they are found by name. A value that was cut is masked to the
 * end.
 */
export function maskTokens(text: string): string {
  // Every pattern contains the word, and most texts don't.
  if (!/token/i.test(text)) return text
  return TOKENS.reduce((clean, pattern) => clean.replace(pattern, `$1${MASK}`), text)
}

/** Masks the beginning of a secret before each place where the text was cut. */
function withoutBeginning(text: string, secret: string): string {
  let clean = text
  for (let at = clean.indexOf(CUT); at >= 0; at = clean.indexOf(CUT, at + 1)) {
    let length = Math.min(secret.length - 1, at)
    while (length >= SHORTEST_BEGINNING && !clean.endsWith(secret.slice(0, length), at)) length -= 1
    if (length < SHORTEST_BEGINNING) continue
    clean = clean.slice(0, at - length) + MASK + clean.slice(at)
    at += MASK.length - length
  }
  return clean
}

/** The longest text of an error. Its source has limited it already. */
const WHOLE = 100_000

/** An error without the secrets. */
export function redactError(error: AppError, mask: Mask): AppError {
  const clean = (text: string): string => redact(text, mask, WHOLE)
  const { code, raw, requestId, more } = error.details
  return {
    ...error,
    message: clean(error.message),
    details: {
      ...error.details,
      ...(code === undefined ? {} : { code: clean(code) }),
      ...(raw === undefined ? {} : { raw: clean(raw) }),
      ...(requestId === undefined ? {} : { requestId: clean(requestId) }),
      ...(more === undefined ? {} : { more: more.map(clean) }),
    },
  }
}

/** Errors without the secrets. */
export function redactErrors(errors: readonly ServiceError[], mask: Mask): readonly ServiceError[] {
  const clean = (text: string): string => redact(text, mask, WHOLE)
  return errors.map(({ code, message, severity, detail, raw }) => ({
    code: clean(code),
    message: clean(message),
    severity: clean(severity),
    detail: clean(detail),
    raw: clean(raw),
  }))
}

/** An envelope without the secrets in its RequestId, its errors, and items that aren't records. Records stay as they are. */
export function redactEnvelope(envelope: Envelope, mask: Mask): Envelope {
  return {
    ...envelope,
    requestId: mask(envelope.requestId),
    errors: redactErrors(envelope.errors, mask),
    items: envelope.items.map((item) => cleanItem(item, mask)),
  }
}

function cleanItem(item: EnvelopeItem, mask: Mask): EnvelopeItem {
  const { kind, object, errors } = item
  const isRecord = object === null || Object.hasOwn(object, 'ID')
  return {
    ...item,
    kind: mask(kind),
    object: isRecord ? object : (cleanValue(object, mask) as EnvelopeItem['object']),
    errors: errors.length === 0 ? errors : redactErrors(errors, mask),
  }
}

/** Any JSON value, with its strings and names masked. */
function cleanValue(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), cleanValue(each, mask)]))
}

/** The older service's envelope without the secrets in its `Meta`. */
export function redactLegacyEnvelope(envelope: LegacyEnvelope, mask: Mask): LegacyEnvelope {
  return { ...envelope, statusCode: mask(envelope.statusCode), message: mask(envelope.message) }
}

/** The text of an undecoded answer without the secrets, cut to what can be searched; `null` if it is not UTF-8. */
export function redactedText(raw: RawResponse, mask: Mask): string | null {
  const text = decodeUtf8(raw.blocks)
  return text.ok ? mask(text.value) : null
}

/*
 * Finds a secret in any spelling. A list of all spellings would be endless, so two small sets are combined: the secret
 * is encoded (reversed, hex, decimal, base64, base32, UTF-16) and the results are encoded once more, while the text is
 * unescaped (percent, JSON, HTML) layer by layer. Then the letters and digits of both are compared, ignoring case.
 * Separators, whitespace, and zero-width characters don't count. A secret that was encrypted, compressed, or encoded
 * three times is not found.
 */

/** A part of a text: the index of its first character, and the one after its last. */
interface Range {
  readonly from: number
  readonly to: number
}

/** How many letters and digits identify an encoded secret. Fewer would match ordinary words. */
const ANCHOR = 10
/** How many characters of a secret are encoded together. A longer one is searched for in pieces. */
const PIECE = 96
/** Beyond this length, a secret's pieces are encoded once, not twice. */
const MAX_ENCODED_TWICE = 3 * PIECE
/** How many layers of escapes are removed. */
const LAYERS = 4
const CUT_CODE = CUT.charCodeAt(0)

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Creates a search for a secret's encodings. Creating it takes milliseconds; searching is fast. */
function createSecretSearch(secret: string): (text: string) => readonly Range[] {
  const byAnchor = new Map<string, Spelling[]>()
  for (const spelling of spellingsOf(secret)) {
    const anchor = spelling.letters.slice(0, ANCHOR)
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
          const length = commonLength(letters, index, spelling.letters)
          const isCut = index + length === letters.length || letters[index + length] === CUT
          if (length < spelling.letters.length && !isCut) continue
          const first = at[index] ?? 0
          const from = outermost(layer.text, first, spelling.before)
          const to = outermost(layer.text, at[index + length - 1] ?? first, spelling.after)
          found.push({ from: layer.from?.[from] ?? from, to: layer.to?.[to] ?? to + 1 })
        }
      }
    }
    return found
  }
}

function commonLength(letters: string, index: number, spelling: string): number {
  let length = ANCHOR
  while (length < spelling.length && letters[index + length] === spelling[length]) length += 1
  return length
}

/** The index of the last character of an edge that continues a match at `index`; `index` if none does. */
function outermost(text: string, index: number, { characters, step }: Edge): number {
  let reached = index
  for (const character of characters) {
    let next = reached + step
    while (/[\s\u200b-\u200d\ufeff]/.test(text.charAt(next))) next += step
    if (narrow(text.charCodeAt(next)) !== character.charCodeAt(0)) break
    reached = next
  }
  return reached
}

/** The characters beside the letters of a spelling, from the inside out, and the direction in which they lie. */
interface Edge {
  readonly characters: string
  readonly step: 1 | -1
}

interface Spelling {
  /** Its letters and digits. */
  readonly letters: string
  readonly before: Edge
  readonly after: Edge
}

/** A secret and its encodings, two deep. */
function spellingsOf(secret: string): Iterable<Spelling> {
  const spellings = new Map<string, Spelling>()
  for (let at = 0; at < secret.length; at += PIECE) {
    const piece = secret.slice(at, at + PIECE)
    const digits = encoded(piece)
    const all = new Set([piece, ...written(piece), ...digits, ...digits.map(alternative)])
    for (const once of all) {
      for (const each of at < MAX_ENCODED_TWICE ? [once, ...encoded(once)] : [once]) {
        const { letters, at: places } = lettersOf(each)
        if (letters.length < ANCHOR || spellings.has(letters)) continue
        const before = [...each.slice(0, places[0])].reverse().join('')
        const after = each.slice((places.at(-1) ?? 0) + 1)
        spellings.set(letters, {
          letters,
          before: { characters: before, step: -1 },
          after: { characters: after, step: 1 },
        })
      }
    }
  }
  return spellings.values()
}

/** Other ways to write a text. They matter only within an encoding, since the searched text is unescaped. */
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

/** A text's encodings, in each form that they take inside a longer text. */
function encoded(text: string): readonly string[] {
  const utf8 = Buffer.from(text)
  // Without its last zero, it occurs in both byte orders.
  const utf16 = Buffer.from(text, 'utf16le').subarray(0, -1)
  const bytes = [utf8, utf16].flatMap((each) => [
    each.toString('hex'),
    ...[0, 1, 2].map((before) => digitsWithin(each, BASE64, before)),
    ...[0, 1, 2, 3, 4].map((before) => digitsWithin(each, BASE32, before)),
  ])
  return [[...text].reverse().join(''), [...utf8].join(','), ...bytes]
}

/** The other common form: uppercase hex, lowercase base32, URL-safe base64. */
function alternative(digits: string): string {
  if (/^[\da-f]+$/.test(digits)) return digits.toUpperCase()
  if (/^[A-Z2-7]+$/.test(digits)) return digits.toLowerCase()
  return digits.replaceAll('+', '-').replaceAll('/', '_')
}

/** The digits that depend only on these bytes, after `before` other bytes in their group. */
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

/** An unescaped text, and where its characters were in the original. */
interface Layer {
  readonly text: string
  /** By character: the index of its first original character, and the one after its last. Absent in the original. */
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

/** The original text, then the text without one more layer of escapes each time. */
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

/** The ASCII character of a full-width one. */
function narrow(code: number): number {
  return code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : code
}

/** A text's letters and digits in lowercase, full-width ones included, and its cut marks, with their indexes. */
function lettersOf(text: string): { readonly letters: string; readonly at: Uint32Array } {
  const codes = new Uint16Array(text.length)
  const at = new Uint32Array(text.length)
  let count = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = narrow(text.charCodeAt(index))
    const isUpper = code >= 65 && code <= 90
    const isOther = (code >= 48 && code <= 57) || (code >= 97 && code <= 122) || code === CUT_CODE
    if (!isUpper && !isOther) continue
    codes[count] = isUpper ? code + 32 : code
    at[count] = index
    count += 1
  }
  return { letters: Buffer.from(codes.buffer, 0, 2 * count).toString('utf16le'), at: at.subarray(0, count) }
}

/**
 * Finds a secret character by character, even one that is short or has few letters: in either case, plain, after
 * backslashes, as `\u0041`, `%41`, `%2541`, or `&#65;`. Keys are ASCII.
 */
function anySpelling(secret: string): RegExp {
  const each = [...secret].map((character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16).padStart(2, '0')
    return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&#(?:0*${String(code)}|x0*${hex});)`
  })
  return new RegExp(each.join(''), 'gi')
}

/** The spellings of which a beginning is recognized before a cut. */
function plainSpellings(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
}
