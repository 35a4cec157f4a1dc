/** How much an amount changed in percent of what it was, to one decimal: the one number of a comparison that is rounded. */
import { parseDecimal } from './format/money.ts'

/**
 * @returns `12.5`, `-100.0`; empty where there was nothing before, or where either is no amount
 */
export function changePercent(current: string, other: string): string {
  const before = parseDecimal(other)
  const now = parseDecimal(current === '' ? '0' : current)
  if (before === null || now === null) return ''
  const scale = Math.max(decimals(before), decimals(now))
  const [was, is] = [units(before, scale), units(now, scale)]
  if (was === 0n) return ''
  const size = was < 0n ? -was : was
  // Tenths of a percent, half of one rounded away from zero.
  const thousandfold = (is - was) * 1_000n
  const isDown = thousandfold < 0n
  const tenths = ((isDown ? -thousandfold : thousandfold) * 2n + size) / (size * 2n)
  const sign = isDown && tenths !== 0n ? '-' : ''
  return `${sign}${tenths / 10n}.${tenths % 10n}`
}

function decimals(value: string): number {
  const dot = value.indexOf('.')
  return dot < 0 ? 0 : value.length - dot - 1
}

/** A decimal as a whole number of 10^-scale. */
function units(value: string, scale: number): bigint {
  return BigInt(value.replace('.', '')) * 10n ** BigInt(scale - decimals(value))
}
