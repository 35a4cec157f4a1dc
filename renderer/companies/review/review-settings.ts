/** The thresholds of a review as typed. An empty field means the value of the connection or the program. */
import type { OwnReviewSettings } from '../../../shared/contract/review.ts'
import { type NumberSeparators, parseTypedDecimal } from '../../../shared/format/money.ts'
import { err, ok, type Result } from '../../../shared/result.ts'

export interface TypedReviewSettings {
  percent: string
  amount: string
  largeEntry: string
  /** One per line. */
  emptyAccounts: string
}

export function typedSettings(own: OwnReviewSettings): TypedReviewSettings {
  return {
    percent: own.percent ?? '',
    amount: own.amount ?? '',
    largeEntry: own.largeEntry ?? '',
    emptyAccounts: (own.emptyAccounts ?? []).join('\n'),
  }
}

type Problems = Partial<Record<'percent' | 'amount' | 'largeEntry', string>>

/** Returns the settings, or what is wrong with each field. */
export function parseReviewSettings(
  typed: TypedReviewSettings,
  separators: NumberSeparators,
): Result<OwnReviewSettings, Problems> {
  const own: { -readonly [Name in keyof OwnReviewSettings]: OwnReviewSettings[Name] } = {}
  const problems: Problems = {}
  for (const name of ['percent', 'amount', 'largeEntry'] as const) {
    const text = typed[name].trim()
    if (text === '') continue
    const read = parseTypedDecimal(text, separators)
    if (read === null || !/^\d{1,15}(\.\d{1,4})?$/.test(read)) problems[name] = 'This is not an amount.'
    else own[name] = read
  }
  const words = typed.emptyAccounts
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  if (words.length > 0) own.emptyAccounts = words
  return Object.keys(problems).length > 0 ? err(problems) : ok(own)
}
