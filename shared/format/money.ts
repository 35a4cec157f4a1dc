/**
 * Exact decimal money. An amount is a decimal string from the wire to the screen and back. Arithmetic uses scaled BigInts.
 * No amount ever becomes a binary float, so nothing is rounded.
 */

/** A plain decimal: an optional minus sign, digits, and an optional fraction. No exponent, separators, or plus sign. */
export type Decimal = string & { readonly __decimal: unique symbol }

const PLAIN = /^-?\d+(?:\.\d+)?$/
/** Longer than any real amount. Keeps hostile input from taking long. */
const MAX_LENGTH = 64

/** Parses a decimal as the service writes it (`"-1234.50"`), and keeps its digits. `null` for anything else. */
export function parseDecimal(text: string): Decimal | null {
  if (text.length === 0 || text.length > MAX_LENGTH || !PLAIN.test(text)) return null
  return text as Decimal
}

/** A decimal as a scaled integer: value = `units` / 10^`scale`. */
interface Scaled {
  readonly units: bigint
  readonly scale: number
}

function toScaled(decimal: Decimal): Scaled {
  const dot = decimal.indexOf('.')
  if (dot < 0) return { units: BigInt(decimal), scale: 0 }
  return { units: BigInt(decimal.slice(0, dot) + decimal.slice(dot + 1)), scale: decimal.length - dot - 1 }
}

function fromScaled({ units, scale }: Scaled): Decimal {
  const negative = units < 0n
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0')
  const whole = digits.slice(0, digits.length - scale)
  const fraction = scale === 0 ? '' : `.${digits.slice(digits.length - scale)}`
  return `${negative ? '-' : ''}${whole}${fraction}` as Decimal
}

function align(a: Scaled, b: Scaled): { a: bigint; b: bigint; scale: number } {
  const scale = Math.max(a.scale, b.scale)
  return { a: a.units * 10n ** BigInt(scale - a.scale), b: b.units * 10n ** BigInt(scale - b.scale), scale }
}

/** Exact sum, with the larger scale of both. */
export function addDecimals(left: Decimal, right: Decimal): Decimal {
  const { a, b, scale } = align(toScaled(left), toScaled(right))
  return fromScaled({ units: a + b, scale })
}

/** Exact difference `left − right`. */
export function subtractDecimals(left: Decimal, right: Decimal): Decimal {
  const { a, b, scale } = align(toScaled(left), toScaled(right))
  return fromScaled({ units: a - b, scale })
}

/** Exact product, in its shortest form. */
export function multiplyDecimals(left: Decimal, right: Decimal): Decimal {
  const [a, b] = [toScaled(left), toScaled(right)]
  return canonicalDecimal(fromScaled({ units: a.units * b.units, scale: a.scale + b.scale }))
}

/** `sum` divided by `count`, cut to cents, or to a whole number if the sum has no decimals. Only for display. */
export function roughMean(sum: Decimal, count: number): Decimal {
  const { units, scale } = toScaled(sum)
  const kept = scale === 0 ? 0 : 2
  return fromScaled({
    units: (units * 10n ** BigInt(kept)) / (10n ** BigInt(scale) * BigInt(count)),
    scale: kept,
  })
}

/** Exact sum of any number of decimals; `"0"` for none. */
export function sumDecimals(values: Iterable<Decimal>): Decimal {
  let total: Scaled = { units: 0n, scale: 0 }
  for (const value of values) {
    const { a, b, scale } = align(total, toScaled(value))
    total = { units: a + b, scale }
  }
  return fromScaled(total)
}

/** −1, 0, or 1, by value: `"1.50"` equals `"1.5"`. */
export function compareDecimals(left: Decimal, right: Decimal): -1 | 0 | 1 {
  const { a, b } = align(toScaled(left), toScaled(right))
  return a < b ? -1 : a > b ? 1 : 0
}

export function isZero(decimal: Decimal): boolean {
  return !/[1-9]/.test(decimal)
}

export function isNegative(decimal: Decimal): boolean {
  return decimal.startsWith('-') && !isZero(decimal)
}

export function absoluteDecimal(decimal: Decimal): Decimal {
  return decimal.startsWith('-') ? negateDecimal(decimal) : decimal
}

export function negateDecimal(decimal: Decimal): Decimal {
  const { units, scale } = toScaled(decimal)
  return fromScaled({ units: -units, scale })
}

/**
 * The shortest text with the same value: no trailing zeros, no `-0`. For comparing, and for the JSON numbers of request
 * bodies (specification 2.1), which come from this text and never from a float.
 */
export function canonicalDecimal(decimal: Decimal): Decimal {
  let { units, scale } = toScaled(decimal)
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale -= 1
  }
  return fromScaled({ units, scale })
}

/** Whether it keeps its value even if a JSON reader parses it as a binary float. */
export function isExactInJson(decimal: Decimal): boolean {
  const written = canonicalDecimal(decimal)
  const readBack = parseDecimal(String(Number(written)))
  return readBack !== null && canonicalDecimal(readBack) === written
}

/** The separators of a locale's numbers. */
export interface NumberSeparators {
  /** Decimal separator, such as `.` or `,`. */
  readonly decimal: string
  /** Thousands separator, such as `,`, `.`, or a no-break space. */
  readonly group: string
}

/** The separators of a locale (BCP 47; empty for the computer's). */
export function numberSeparators(locale: string): NumberSeparators {
  const parts = new Intl.NumberFormat(locale === '' ? undefined : locale, {
    minimumFractionDigits: 1,
    useGrouping: 'always',
    numberingSystem: 'latn',
  }).formatToParts(1_234_567.5)
  const mark = (type: Intl.NumberFormatPartTypes, otherwise: string): string =>
    parts.find((part) => part.type === type)?.value ?? otherwise
  return { decimal: mark('decimal', '.'), group: mark('group', ',') }
}

/**
 * Parses an amount as people and the accounting formats of spreadsheets write it: with a currency sign anywhere,
 * thousands separators, parentheses or a minus sign (also U+2212) before or after it, and a single dash for zero.
 * `null` for anything that isn't certainly one number.
 */
export function parseTypedDecimal(text: string, separators: NumberSeparators): Decimal | null {
  if (text.trim().length > MAX_LENGTH) return null
  let body = text
    .replace(/[\u2212\u2013]/g, '-')
    .replace(/\p{Sc}/gu, '')
    .trim()
  if (body === '-') return parseDecimal('0')
  let negative = false
  if (body.startsWith('(') && body.endsWith(')')) {
    negative = true
    body = body.slice(1, -1).trim()
  }
  if (body.startsWith('-') || body.endsWith('-')) {
    if (negative) return null
    negative = true
    body = (body.startsWith('-') ? body.slice(1) : body.slice(0, -1)).trim()
  } else if (body.startsWith('+')) {
    body = body.slice(1).trim()
  }
  const parts = body.split(separators.decimal)
  if (parts.length > 2) return null
  const [wholeText = '', fraction] = parts
  const whole = ungroup(wholeText, separators.group)
  if (whole === null || (fraction !== undefined && !/^\d+$/.test(fraction))) return null
  if (whole === '' && fraction === undefined) return null
  const digits = (whole === '' ? '0' : whole).replace(/^0+(?=\d)/, '')
  return parseDecimal(`${negative ? '-' : ''}${digits}${fraction === undefined ? '' : `.${fraction}`}`)
}

/** Removes thousands separators if they are in the right places. */
function ungroup(text: string, group: string): string | null {
  const normal = text.replace(/[\u00a0\u202f ]/g, ' ')
  const mark = /[\u00a0\u202f ]/.test(group) ? ' ' : group
  if (/^\d*$/.test(normal)) return normal
  const pieces = normal.split(mark)
  const [first = '', ...rest] = pieces
  if (!/^\d{1,3}$/.test(first) || rest.length === 0 || rest.some((piece) => !/^\d{3}$/.test(piece)))
    return null
  return pieces.join('')
}
