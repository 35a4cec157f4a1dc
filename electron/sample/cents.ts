// Amounts in the sample are whole cents, so sums are exact. They become text only in responses.

/** Whole cents. */
export type Cents = number

/** Two decimals, as section 2.1 of the specification shows amounts: -1250 becomes "-12.50". */
export function formatCents(cents: Cents): string {
  const size = Math.abs(cents)
  const units = Math.floor(size / 100)
  return `${cents < 0 ? '-' : ''}${String(units)}.${String(size % 100).padStart(2, '0')}`
}

/** Reads a JSON number as cents. Undefined if it has more than two decimals or is too large to be exact. */
export function centsOfNumber(value: number): Cents | undefined {
  const match = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(String(value))
  if (match === null) return undefined
  const cents = Number(match[2]) * 100 + Number((match[3] ?? '').padEnd(2, '0'))
  if (!Number.isSafeInteger(cents)) return undefined
  return match[1] === '-' && cents !== 0 ? -cents : cents
}

/** Multiplies an amount by a ratio and rounds to the nearest cent. */
export function partOf(cents: Cents, ratio: number): Cents {
  return Math.round(cents * ratio)
}
