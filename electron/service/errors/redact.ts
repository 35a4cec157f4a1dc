/**
 * Takes secrets out of words that come from elsewhere: a service may echo the key in an error, a system may put an
 * address with credentials into one.
 */
import type { AppError } from '../../../shared/result.ts'
import { CUT, cut, decodeUtf8 } from '../protocol/json.ts'
import { anySpelling, createSecretSearch, plainSpellings } from './secret-spellings.ts'
import type {
  Envelope,
  EnvelopeItem,
  LegacyEnvelope,
  RawAnswer,
  ServiceError,
  ServiceTarget,
} from '../protocol/wire.ts'

const MASK = '•••'
/** Shorter values would make holes in ordinary words. */
const SHORTEST_SECRET = 6
/** At a cut, the beginning of a secret is masked from so many characters on; fewer tell nothing of it. */
const SHORTEST_BEGINNING = 3
/** Longer texts are cut before they are searched: nobody reads so much, and a search takes time. */
const LONGEST_SEARCHED = 1_000_000

/** Replaces each secret, however it is spelled (`secret-spellings.ts`), and bounds the text to `most` characters. */
export function redact(text: string, secrets: readonly string[], most = 2_000): string {
  return cut(maskOf(secrets)(text), most)
}

type Mask = (text: string) => string

/** Made once for a secret, since that takes longer than most texts; the few that are in use are kept. */
const masks = new Map<string, Mask>()
const MOST_MASKS = 16

function maskOf(secrets: readonly string[]): Mask {
  const all = secrets
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .map((secret) => {
      const mask = masks.get(secret) ?? createMask(secret)
      masks.delete(secret)
      masks.set(secret, mask)
      return mask
    })
  for (const oldest of [...masks.keys()].slice(0, -MOST_MASKS)) masks.delete(oldest)
  return (text) => all.reduce((clean, mask) => mask(clean), maskTokens(cut(text, LONGEST_SEARCHED)))
}

function createMask(secret: string): Mask {
  const whole = anySpelling(secret)
  const spellings = plainSpellings(secret)
  const search = createSecretSearch(secret)
  return (text) => {
    const spelled = text.replace(whole, MASK)
    return spellings.reduce(withoutBeginning, withoutRanges(spelled, search(spelled)))
  }
}

function withoutRanges(text: string, ranges: ReturnType<ReturnType<typeof createSecretSearch>>): string {
  let clean = ''
  let done = 0
  for (const { from, to } of ranges.toSorted((left, right) => left.from - right.from)) {
    if (from >= done) clean += text.slice(done, from) + MASK
    done = Math.max(done, to)
  }
  return clean + text.slice(done)
}

/**
 * The value of a member that is named token: quoted once, quoted in a quoted text, bare, of an address, of XML, or encoded
 * as an address is.
 */
const TOKENS: readonly RegExp[] = [
  /("token"\s*:\s*")(?:\\[\s\S]|[^"\\])*("|$)/gi,
  /((\\{1,7}")token\2\s*:\s*\2)[\s\S]*?(\2|$)/gi,
  /('token'\s*:\s*')[^']*('|$)/gi,
  /("token"\s*:\s*)[^"\s,}\]]+/gi,
  /(\btoken=)[^\s&"'<>;,]+/gi,
  /(<token>)[^<]*/gi,
  /(%22token%22(?:%20)*%3A(?:%20)*%22)(?:(?!%22).)*/gi,
  // After a colon that is no member's only what looks like one: long, and with a digit.
  /(\btoken\s*:\s*)(?=\S*\d)[\w.~+/=-]{8,}/gi,
]

/**
 * Masks an agent's token: nobody knows its value beforehand, so it is known by its name. A value that was cut off is
 * masked to the end (decisions.md, "The token of a company record").
 */
export function maskTokens(text: string): string {
  return TOKENS.reduce((clean, pattern) => clean.replace(pattern, `$1${MASK}`), text)
}

/** Masks what is left of a secret where a text was cut in its middle. */
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

/** The longest words that an error carries; bounded already where they come from. */
const WHOLE = 100_000

/** An error whose words came from elsewhere, without the secrets. */
export function redactError(error: AppError, secrets: readonly string[]): AppError {
  const mask = maskOf(secrets)
  const clean = (text: string): string => cut(mask(text), WHOLE)
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

/** What a service may echo and nobody else may see. */
export function secretsOf(target: ServiceTarget): readonly string[] {
  return [target.key, target.legacyKey]
}

/** Error entries without the secrets. */
export function redactErrors(
  errors: readonly ServiceError[],
  secrets: readonly string[],
): readonly ServiceError[] {
  return cleanErrors(errors, maskOf(secrets))
}

function cleanErrors(
  errors: readonly ServiceError[],
  mask: (text: string) => string,
): readonly ServiceError[] {
  const clean = (text: string): string => cut(mask(text), WHOLE)
  return errors.map(({ code, message, severity, detail, raw }) => ({
    code: clean(code),
    message: clean(message),
    severity: clean(severity),
    detail: clean(detail),
    raw: clean(raw),
  }))
}

/**
 * An envelope whose RequestId, error entries and items that are no records are without the secrets; its records are
 * as they came.
 */
export function redactEnvelope(envelope: Envelope, secrets: readonly string[]): Envelope {
  const mask = maskOf(secrets)
  return {
    ...envelope,
    requestId: mask(envelope.requestId),
    errors: cleanErrors(envelope.errors, mask),
    items: envelope.items.map((item) => cleanItem(item, mask)),
  }
}

function cleanItem(item: EnvelopeItem, mask: (text: string) => string): EnvelopeItem {
  const { kind, object, errors } = item
  const isRecord = object === null || Object.hasOwn(object, 'ID')
  return {
    ...item,
    kind: mask(kind),
    object: isRecord ? object : (cleanValue(object, mask) as EnvelopeItem['object']),
    errors: errors.length === 0 ? errors : cleanErrors(errors, mask),
  }
}

/** JSON of any shape, with its texts and names masked. */
function cleanValue(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value)
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, mask))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [mask(name), cleanValue(each, mask)]))
}

/** The older service's envelope, whose words are without the secrets. */
export function redactLegacyEnvelope(envelope: LegacyEnvelope, secrets: readonly string[]): LegacyEnvelope {
  const mask = maskOf(secrets)
  return { ...envelope, statusCode: mask(envelope.statusCode), message: mask(envelope.message) }
}

/** An answer that is kept as it came, but for the secrets. */
export function redactAnswer(raw: RawAnswer, secrets: readonly string[]): RawAnswer {
  const text = decodeUtf8(raw.blocks)
  const clean = text.ok ? maskOf(secrets)(text.value) : ''
  if (!text.ok || clean === text.value) return raw
  const bytes = new TextEncoder().encode(clean)
  return { ...raw, blocks: [bytes], length: bytes.length }
}
