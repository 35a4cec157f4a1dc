import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  isZero,
  negateDecimal,
  parseDecimal,
  parseTypedDecimal,
  subtractDecimals,
  sumDecimals,
} from '../../../shared/format/money.ts'

function decimal(text: string): Decimal {
  const parsed = parseDecimal(text)
  if (parsed === null) throw new Error(`${text} is no decimal`)
  return parsed
}

/** Plain decimals with their value in units of 10^-6. */
const amount = fc
  .record({ units: fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), cut: fc.integer({ min: 0, max: 6 }) })
  .map(({ units, cut }) => {
    const scaled = (units / 10n ** BigInt(6 - cut)) * 10n ** BigInt(6 - cut)
    const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(7, '0')
    const fraction = digits.slice(-6).slice(0, cut)
    const sign = scaled < 0n ? '-' : ''
    return { units: scaled, text: `${sign}${digits.slice(0, -6)}${cut > 0 ? `.${fraction}` : ''}` }
  })

describe('exact money', () => {
  it('keeps the digits as the service wrote them', () => {
    for (const text of ['0', '-0.00', '1500.00', '00012.5', '123456789012345678901234567890.01']) {
      expect(parseDecimal(text)).toBe(text)
    }
    for (const text of [
      '',
      '-',
      '+1',
      '1.',
      '.5',
      '1e5',
      '1,000.00',
      ' 1',
      '1 ',
      '0x1',
      'NaN',
      '١',
      '1'.repeat(65),
    ]) {
      expect(parseDecimal(text)).toBeNull()
    }
  })

  it('adds, subtracts, compares, and negates exactly, whatever the size', () => {
    expect(addDecimals(decimal('0.1'), decimal('0.2'))).toBe('0.3')
    expect(addDecimals(decimal('90071992547409.93'), decimal('0.01'))).toBe('90071992547409.94')
    fc.assert(
      fc.property(amount, amount, (a, b) => {
        const unitsOf = (text: string): bigint => {
          const [whole = '', fraction = ''] = text.replace('-', '').split('.')
          const units = BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'))
          return text.startsWith('-') ? -units : units
        }
        const [left, right] = [decimal(a.text), decimal(b.text)]
        expect(unitsOf(addDecimals(left, right))).toBe(a.units + b.units)
        expect(unitsOf(subtractDecimals(left, right))).toBe(a.units - b.units)
        expect(unitsOf(negateDecimal(left))).toBe(-a.units)
        expect(compareDecimals(left, right)).toBe(a.units < b.units ? -1 : a.units > b.units ? 1 : 0)
        expect(isZero(left)).toBe(a.units === 0n)
      }),
    )
  })

  it('sums in any order are the same', () => {
    fc.assert(
      fc.property(fc.array(amount, { maxLength: 30 }), (amounts) => {
        const decimals = amounts.map(({ text }) => decimal(text))
        const there = sumDecimals(decimals)
        const back = sumDecimals(decimals.toReversed())
        expect(compareDecimals(there, back)).toBe(0)
        expect(subtractDecimals(there, back)).toMatch(/^0(\.0+)?$/)
      }),
    )
    expect(sumDecimals([])).toBe('0')
  })

  it('the canonical text is the shortest for its value', () => {
    expect(canonicalDecimal(decimal('-0.00'))).toBe('0')
    expect(canonicalDecimal(decimal('1500.00'))).toBe('1500')
    expect(canonicalDecimal(decimal('007.10'))).toBe('7.1')
    fc.assert(
      fc.property(amount, ({ text }) => {
        const short = canonicalDecimal(decimal(text))
        expect(compareDecimals(short, decimal(text))).toBe(0)
        expect(canonicalDecimal(short)).toBe(short)
        expect(short).not.toMatch(/\.\d*0$|^-?0\d|^-0$/)
      }),
    )
  })
})

describe('amounts as people write them', () => {
  const english = { decimal: '.', group: ',' }
  const german = { decimal: ',', group: '.' }
  const french = { decimal: ',', group: '\u202f' }
  it.each([
    ['$1,500.00', english, '1500.00'],
    ['(1,500.00)', english, '-1500.00'],
    ['\u22121,234.5', english, '-1234.5'],
    ['12-', english, '-12'],
    ['.5', english, '0.5'],
    ['1.500,25 €', german, '1500.25'],
    ['1 500,25', french, '1500.25'],
    ['+7', english, '7'],
    [' $ (1,500.00)', english, '-1500.00'],
    ['$(1,500.00)', english, '-1500.00'],
    ['(1.500,00) €', german, '-1500.00'],
    [' $ -   ', english, '0'],
    ['-   € ', german, '0'],
    ['-', english, '0'],
  ])('%j is read as %s', (text, marks, value) => {
    expect(parseTypedDecimal(text, marks)).toBe(value)
  })

  it.each([
    ['1,50', english],
    ['1.5.0', english],
    ['12,34,567', english],
    ['1.500,25', english],
    ['', english],
    ['$', english],
    ['()', english],
    ['(-)', english],
    ['--', english],
    ['(-5)', english],
    ['(5)-', english],
    ['five', english],
    ['1 2', english],
    ['1,000.00.00', english],
  ])('%j isn’t certainly one number', (text, marks) => {
    expect(parseTypedDecimal(text, marks)).toBeNull()
  })
})
