/** The rules over the sample's companies, Desktop and Online, as their applications write reports. */
import { describe, expect, it } from 'vitest'
import { reviewMonth } from '../../../electron/review/review.ts'
import { createSampleService } from '../../../electron/sample/service.ts'
import { booksOf } from '../../contract/books-agreement.ts'
import { evidenceOf, findingsOf } from './books.ts'

describe('the sample', () => {
  it('has statements that agree in every month, even at the start of a year', async () => {
    const service = createSampleService({ key: 'k', today: '2026-03-31', seed: '1' })
    for (const books of await booksOf(service, 'k')) {
      for (const month of ['2025-06', '2025-12', '2026-01', '2026-02']) {
        const outcomes = reviewMonth(await evidenceOf(books, month), null)
        for (const rule of ['statements-agree', 'receivables-agree', 'outside-period'] as const) {
          const isOnline = books.application === 'qbo' && rule === 'outside-period'
          expect(outcomes.find((each) => each.rule === rule)?.result).toBe(isOnline ? 'not-checked' : 'clean')
        }
        const wrong = findingsOf(outcomes).filter(({ severity }) => severity === 'wrong')
        expect(wrong.filter(({ rule }) => rule !== 'earlier-years')).toEqual([])
      }
    }
  })
})
