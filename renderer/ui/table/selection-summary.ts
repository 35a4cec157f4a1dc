/** The line below a grid about several selected cells: their count, and the sum and average of their amounts. */
import type { Format } from '../../../shared/format/format.ts'
import { compareDecimals, type Decimal, sumDecimals } from '../../../shared/format/money.ts'

/** `Count 12 · Sum 1,234.50 · Average 102.88`. Sum and average are left out unless there are at least two amounts. */
export function formatSelection(cells: number, amounts: readonly Decimal[], format: Format): string {
  const count = `Count ${format.count(cells)}`
  if (amounts.length < 2) return count
  const sum = sumDecimals(amounts)
  return `${count} · Sum ${format.money(sum)} · Average ${format.money(average(sum, amounts.length))}`
}

/** To the cent, half away from zero; the sum stays exact. */
function average(sum: Decimal, count: number): Decimal {
  const isNegative = compareDecimals(sum, '0' as Decimal) < 0
  const [whole = '0', fraction = ''] = sum.replace('-', '').split('.')
  const scale = 10n ** BigInt(Math.max(0, fraction.length - 2))
  const units = BigInt(whole + fraction.padEnd(2, '0'))
  const divisor = BigInt(count) * scale
  const cents = String((2n * units + divisor) / (2n * divisor)).padStart(3, '0')
  return `${isNegative && !/^0+$/.test(cents) ? '-' : ''}${cents.slice(0, -2)}.${cents.slice(-2)}` as Decimal
}
