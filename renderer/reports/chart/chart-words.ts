/** The sentence that stands for a chart where it can't be seen. Pure. */
import type { Format } from '../../ui/format.ts'
import { negateDecimal, type Decimal } from '../../../shared/money.ts'
import type { BarsChart, ChartModel } from './chart-model.ts'

/** A bar's amount as the report says it: credits of a trial balance are no negative amounts. */
export function barText({ hasSides }: Pick<BarsChart, 'hasSides'>, value: Decimal, format: Format): string {
  if (!hasSides) return format.money(value)
  return value.startsWith('-') ? `${format.money(negateDecimal(value))} Cr` : `${format.money(value)} Dr`
}

/** `Jan 2026: income 125,167.65, cost and expense 106,097.03, net 19,083.02. Feb …` */
export function chartSentence(model: ChartModel, format: Format): string {
  if (model.kind === 'bars') {
    const bars = model.bars.map(({ name, value }) => `${name} ${barText(model, value, format)}`)
    return `${model.title}: ${bars.join(', ')}.`
  }
  const groups = model.groups.map((group, index) => {
    const values = model.series.map(
      ({ name, values: each }) => `${name.toLowerCase()} ${format.money(each[index] ?? '0')}`,
    )
    return `${group === '' ? 'In all' : group}: ${values.join(', ')}.`
  })
  return `${model.title}. ${groups.join(' ')}`
}
