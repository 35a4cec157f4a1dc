/** Phone numbers as people write them. */
import { describe, expect, it } from 'vitest'
import { isPhone } from '../../../shared/records/contact-details.ts'

describe('a phone number', () => {
  it.each([
    '',
    '555-0101',
    '(503) 555-0101',
    '+49 (0)89 1234567',
    '1-800-FLOWERS',
    '1 (800) Flowers',
    '503-555-CALL',
    '503-555-0101 x12',
    '555-0101 ext. 4411',
    '1-503-555-0101 / 1-503-555-0102',
    '1 503 555 0101 or 1 503 555 0102, evenings',
    '503-555-0101/02',
    'Office +1 503 555 0101; cell +1 503 555 0102',
  ])('may be right as “%s”', (text) => {
    expect(isPhone(text)).toBe(true)
  })

  it.each([
    '12',
    'x204',
    '(503) 555',
    'ext. 12 or 14',
    'n/a',
    'FLOWERS',
    '1-800',
    '503-555-MY',
    '1'.repeat(30),
  ])('can’t be right as “%s”', (text) => {
    expect(isPhone(text)).toBe(false)
  })
})
