/** Lengths and ticks of a chart. Only here do amounts become floats, for geometry; none of them is shown. Pure. */

export interface Scale {
  readonly min: number
  readonly max: number
  readonly ticks: readonly number[]
}

/** A scale that holds all values and zero, with at most about `count` round ticks. */
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

/** A tick in few signs: `150k`, `2.5M`, in the machine's digits. */
export function tickText(value: number, locale: string): string {
  const text = (): string =>
    new Intl.NumberFormat(locale || undefined, { notation: 'compact', maximumFractionDigits: 1 }).format(
      value,
    )
  return value < 0 ? text().replace('-', '\u2212') : text()
}
