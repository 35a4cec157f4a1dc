// The line under the grid adds up the selected amounts exactly, and rounds only the average.
import { expect, test } from 'vitest'
import { formatSelection } from '../../../../renderer/ui/table/selection-summary.ts'
import { Format } from '../../../../shared/format/format.ts'
import type { Decimal } from '../../../../shared/format/money.ts'

const format = new Format({ locale: 'en-US', negatives: 'minus' })
const amounts = (...texts: string[]): Decimal[] => texts as Decimal[]

test('several amounts have a count, a sum, and an average', () => {
  expect(formatSelection(5, amounts('0.10', '0.20', '1234.50'), format)).toBe(
    'Count 5 · Sum 1,234.80 · Average 411.60',
  )
  expect(formatSelection(1_200, [], format)).toBe('Count 1,200')
  expect(formatSelection(2, amounts('5.00'), format)).toBe('Count 2')
})

test.each([
  [['1.00', '0', '0'], '0.33'],
  [['1.00', '1.00', '0'], '0.67'],
  [['-1.00', '-1.00', '0'], '−0.67'],
  [['0.01', '0'], '0.01'],
  [['-0.01', '0', '0'], '0.00'],
  [['0.005', '0.005'], '0.01'],
  [['9007199254740993.00', '9007199254740993.00'], '9,007,199,254,740,993.00'],
])('the average of %j is %s', (texts, expected) => {
  expect(formatSelection(texts.length, amounts(...texts), format).split('Average ')[1]).toBe(expected)
})
