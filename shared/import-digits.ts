/** Numbers of a workbook as plain decimals: digits as written, exponents spelled out. */
import { parseDecimal, type Decimal } from './money.ts'

/** A spreadsheet keeps binary numbers and shows at most this many significant digits of them. */
const SHOWN_DIGITS = 15
/** Beyond this no books have amounts, and spelling an exponent out would only cost memory. */
const MOST_PLACES = 40

export interface PlainDigits {
  /** As a spreadsheet shows it: `0.30000000000000004` is what is stored for 0.3. */
  readonly shown: Decimal
  readonly isRounded: boolean
}

/** `1.5E3` is 1500; `null` for what is no number or has no end. */
export function plainDigits(written: string): PlainDigits | null {
  const parts = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,4}))?$/.exec(written)
  if (parts === null) return null
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts
  if (whole === '' && fraction === '') return null
  const scale = fraction.length - Number(power)
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '')
  const rounded = toSignificant(digits, scale)
  if (rounded.scale > MOST_PLACES || rounded.digits.length - rounded.scale > MOST_PLACES) return null
  const shown = parseDecimal((sign === '-' ? '-' : '') + placed(rounded.digits, rounded.scale))
  return shown === null ? null : { shown, isRounded: rounded.isRounded }
}

/** At most 15 significant digits, the last one rounded half away from zero as spreadsheets do. */
function toSignificant(
  digits: string,
  scale: number,
): { readonly digits: string; readonly scale: number; readonly isRounded: boolean } {
  const significant = digits.replace(/0+$/, '')
  if (significant.length <= SHOWN_DIGITS) return { digits, scale, isRounded: false }
  const dropped = digits.length - SHOWN_DIGITS
  const kept = BigInt(digits.slice(0, SHOWN_DIGITS))
  const up = (digits.codePointAt(SHOWN_DIGITS) ?? 0) >= 53 ? 1n : 0n
  const text = (kept + up).toString()
  // Zeros that rounding left behind the point say nothing.
  const tail = Math.min(/0*$/.exec(text)?.[0].length ?? 0, Math.max(0, scale - dropped))
  return { digits: text.slice(0, text.length - tail), scale: scale - dropped - tail, isRounded: true }
}

/** Digits with the point at its place. */
function placed(digits: string, scale: number): string {
  if (scale <= 0) return digits === '0' ? '0' : digits + '0'.repeat(Math.min(MOST_PLACES, -scale))
  const padded = digits.padStart(scale + 1, '0')
  return `${padded.slice(0, padded.length - scale)}.${padded.slice(padded.length - scale)}`
}
