/** The sentence that stands for a chart where it can't be seen. Pure. */
import type { Format } from '../../ui/format.ts'
import type { ChartModel } from './chart-model.ts'

/** `Jan 2026: income 125,167.65, cost and expense 106,097.03, net 19,083.02. Feb …` */
export function chartSentence(model: ChartModel, format: Format): string {
  if (model.kind === 'bars') {
    const bars = model.bars.map(({ name, value }) => `${name} ${format.money(value)}`)
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
