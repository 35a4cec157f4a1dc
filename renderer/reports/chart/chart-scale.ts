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

const SHORT = [
  { from: 1e9, sign: 'bn' },
  { from: 1e6, sign: 'M' },
  { from: 1e3, sign: 'K' },
]

/** A tick in few signs: `150K`, `2.5M`, in the machine's digits. Not every language has a short form of its own. */
export function tickText(value: number, locale: string): string {
  const short = SHORT.find(({ from }) => Math.abs(value) >= from)
  const digits = new Intl.NumberFormat(locale || undefined, { maximumFractionDigits: 1 })
  const text = `${digits.format(Math.abs(value) / (short?.from ?? 1))}${short?.sign ?? ''}`
  return value < 0 ? `\u2212${text}` : text
}
