/**
 * The geometry of charts: columns, lengths, and ticks. Amounts become floating point only here, and these numbers are never
 * displayed as amounts.
 */
import type { Decimal } from '../../../shared/format/money.ts'
import type { ChartSeries, ColumnsChart } from './model.ts'

/** A part of a column: its series, its exact amount, and its start and end on the scale. */
export interface ColumnPart {
  readonly series: ChartSeries
  readonly value: Decimal
  readonly from: number
  readonly to: number
}

/**
 * Returns the columns of each group: one per series, or one per stack in a stacked chart. Negative amounts are
 * stacked downward from zero.
 */
export function stackColumns({
  groups,
  series,
  isStacked,
}: Pick<ColumnsChart, 'groups' | 'series' | 'isStacked'>): readonly (readonly (readonly ColumnPart[])[])[] {
  const stacks = isStacked
    ? [...new Set(series.map(({ stack }) => stack))].map((name) =>
        series.filter(({ stack }) => stack === name),
      )
    : series.map((each) => [each])
  return groups.map((_, group) =>
    stacks.map((stack) => {
      let [above, below] = [0, 0]
      return stack.map((each) => {
        const value = each.values[group] ?? ('0.00' as Decimal)
        const length = Number(value)
        const from = length < 0 ? below : above
        if (length < 0) below += length
        else above += length
        return { series: each, value, from, to: from + length }
      })
    }),
  )
}

export interface Scale {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
}

/** Returns a scale that includes all values and zero, with about `count` round ticks. */
export function scaleFor(values: readonly number[], count = 5): Scale {
  const low = Math.min(0, ...values)
  const high = Math.max(0, ...values)
  if (low === high) return { min: 0, max: 1, ticks: [0] }
  const rough = (high - low) / count
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  const first = Math.floor(low / step)
  const last = Math.ceil(high / step)
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step)
  return { min: first * step, max: last * step, ticks }
}

const SHORT = [
  { from: 1e9, sign: 'bn' },
  { from: 1e6, sign: 'M' },
  { from: 1e3, sign: 'K' },
]

/** Formats a tick briefly: `150K`, `2.5M`, with the locale's digits. Not every language has its own abbreviations. */
export function tickText(value: number, locale: string, leastDecimals: 0 | 1 = 0): string {
  const short = SHORT.find(({ from }) => Math.abs(value) >= from)
  const digits = new Intl.NumberFormat(locale || undefined, {
    minimumFractionDigits: short === undefined ? 0 : leastDecimals,
    maximumFractionDigits: 1,
  })
  const text = `${digits.format(Math.abs(value) / (short?.from ?? 1))}${short?.sign ?? ''}`
  return value < 0 ? `\u2212${text}` : text
}

/** Formats an amount in a chart as briefly, with the same decimals as the others: `213.0K` beside `786.6K`. */
export function amountText(value: string, locale: string): string {
  return tickText(Number(value), locale, 1)
}
