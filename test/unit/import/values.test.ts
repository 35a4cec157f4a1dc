// Cells as people write them become exact values, column by column, with notes about ambiguous ones.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChosenFormats,
  createColumnReader,
  localDateOrder,
  type LocalFormats,
} from '../../../renderer/records/import/plan/values.ts'
import { readDate } from '../../../shared/format/written-dates.ts'
import { type ImportCell, LOCAL_CURRENCY, plainDigits } from '../../../shared/import/table.ts'
import type { FieldType } from '../../../shared/records/definition.ts'

const AMERICAN: LocalFormats = { separators: { decimal: '.', group: ',' }, dates: 'month-first' }
const GERMAN: LocalFormats = { separators: { decimal: ',', group: '.' }, dates: 'day-first' }

const UNSAID: ChosenFormats = { separators: null, dates: null }

function readAll(type: FieldType, cells: readonly ImportCell[], local = AMERICAN): readonly unknown[] {
  const reader = createColumnReader(type, cells, local, UNSAID)
  return cells.map((cell) => {
    const read = reader.read(cell)
    return read.ok ? read.value : `! ${read.reason}`
  })
}

function notes(type: FieldType, cells: readonly ImportCell[], local = AMERICAN): string {
  return createColumnReader(type, cells, local, UNSAID).notes.join(' ')
}

describe('amounts', () => {
  it('are read as people write them', () => {
    expect(
      readAll('money', [
        '$1,500.00',
        '(1,500.00)',
        '1500',
        '-3.5',
        '€ 2,000',
        'USD 10.00',
        '7.10 EUR',
        '5-',
        { number: '1.5E3' },
      ]),
    ).toEqual(['1500.00', '-1500.00', '1500', '-3.5', '2000', '10.00', '7.10', '-5', '1500'])
  })

  it('are read as the accounting format of a spreadsheet shows them', () => {
    expect(readAll('money', [' $ (1,500.00)', ' $ -   ', ' $ 20.00 ', 'USD (7.50)', 'EUR -'])).toEqual([
      '-1500.00',
      '0',
      '20.00',
      '-7.50',
      '0',
    ])
  })

  it('in several currencies are reported, and so is a currency that is omitted', () => {
    expect(notes('money', ['$10.00', '€ 2,000.00', 'GBP 5.00', '7'])).toContain(
      'in several currencies (“$”, “€”, “GBP”)',
    )
    expect(
      notes('money', [
        { number: '1', currency: '€' },
        { number: '2', currency: '$' },
      ]),
    ).toContain('in several currencies (“€”, “$”)')
    expect(notes('money', ['CA$10.00', '5'])).toContain('“CA$” is ignored')
    const local = { number: '1', currency: LOCAL_CURRENCY }
    expect(notes('money', [local, { number: '2' }])).toBe(
      'The amounts are formatted as currency. They are read in the company’s own currency.',
    )
    expect(notes('money', [local, { number: '2', currency: '€' }])).toContain(
      'in several currencies (this computer’s currency, “€”)',
    )
    expect(notes('text', [{ number: '2', currency: '€' }, '$5'])).toContain('“€” is ignored')
    expect(notes('money', [{ number: '0.05', shown: '5%' }])).toContain('5% is 0.05')
    expect(notes('money', ['10.00', '(5)'])).toBe('')
  })

  it('are read in another region’s format if the whole column is, with a note', () => {
    expect(readAll('money', ['1.500,00', '2,5', '10'])).toEqual(['1500.00', '2.5', '10'])
    expect(notes('money', ['1.500,00', '2,5', '10'])).toContain(
      '“,” as the decimal point: “1.500,00” is 1500.',
    )
    expect(readAll('money', ["1'500.00", '2.5'], GERMAN)).toEqual(['1500.00', '2.5'])
    expect(readAll('money', ['1 500,00'])).toEqual(['1500.00'])
  })

  it('that are ambiguous are read in this computer’s format, with a note', () => {
    expect(readAll('money', ['1.500'], GERMAN)).toEqual(['1500'])
    expect(readAll('money', ['1.500'])).toEqual(['1.500'])
    expect(notes('money', ['1.500'], GERMAN)).toContain('“1.500” is 1500')
    expect(notes('money', ['1,500.00'])).toBe('')
  })

  it('that are invalid are rejected one by one', () => {
    expect(readAll('money', ['n/a', '1', true, { error: '#REF!' }, { date: '2026-01-01' }, '1,2,3'])).toEqual(
      [
        '! “n/a” is not an amount.',
        '1',
        '! “TRUE” is not an amount.',
        '! its formula has an error (#REF!).',
        '! “2026-01-01” is not an amount.',
        '! “1,2,3” is not an amount.',
      ],
    )
  })

  it('any decimal in text reads back exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (cents) => {
        const digits = (cents < 0n ? -cents : cents).toString().padStart(3, '0')
        const plain = `${digits.slice(0, -2)}.${digits.slice(-2)}`
        const grouped = plain.replace(/\B(?=(\d{3})+(?!\d)(?=.*\.))/g, ',')
        const text = cents < 0n ? `($${grouped})` : `$${grouped}`
        expect(readAll('money', [text])).toEqual([`${cents < 0n ? '-' : ''}${plain}`])
      }),
    )
  })
})

describe('digits of a workbook', () => {
  it.each([
    ['1234.50', '1234.50'],
    ['1E3', '1000'],
    ['1.25e-2', '0.0125'],
    ['4.155551234E9', '4155551234'],
    ['0.30000000000000004', '0.3'],
    ['1234.5600000000001', '1234.56'],
    ['-2.9999999999999998E-1', '-0.3'],
    ['999999999999999.96', '1000000000000000'],
    ['.5', '0.5'],
    ['0', '0'],
    ['-0.00', '-0.00'],
  ])('%s is %s', (written, shown) => {
    expect(plainDigits(written)?.shown).toBe(shown)
  })

  it('that are endless or invalid aren’t a number', () => {
    for (const text of ['1E999', '1E-999', '', '.', 'x', '1e', '--1']) expect(plainDigits(text)).toBeNull()
  })

  it('any number that a spreadsheet can hold is read as it shows it', () => {
    fc.assert(
      fc.property(fc.double({ min: -1e12, max: 1e12, noNaN: true }), (number) => {
        const shown = plainDigits(String(number))?.shown
        if (Math.abs(number) < 1e-20 && number !== 0) return
        // A binary number can't represent a half at the sixteenth digit exactly, so the fifteenth may differ.
        const lastDigit = 10 ** (Math.floor(Math.log10(Math.abs(number))) - 14)
        const off = Math.abs(Number(shown) - Number(number.toPrecision(15)))
        expect(off).toBeLessThanOrEqual(lastDigit * 1.5)
      }),
    )
  })
})

describe('a user’s choice for a file', () => {
  it('takes precedence over the column and the computer, and removes the note', () => {
    const said = (type: FieldType, cell: string, chosen: ChosenFormats): unknown => {
      const reader = createColumnReader(type, [cell], AMERICAN, chosen)
      const read = reader.read(cell)
      return [read.ok && read.value, reader.isAmbiguous]
    }
    expect(said('money', '1.500', UNSAID)).toEqual(['1.500', true])
    expect(said('money', '1.500', { separators: GERMAN.separators, dates: null })).toEqual(['1500', false])
    expect(said('timestamp', '03/04/2026', UNSAID)).toEqual(['2026-03-04', true])
    expect(said('timestamp', '03/04/2026', { separators: null, dates: 'day-first' })).toEqual([
      '2026-04-03',
      false,
    ])
  })
})

describe('yes and no', () => {
  it('are read from many words', () => {
    expect(readAll('boolean', ['yes', 'TRUE', 'x', '1', 'Active', true, { number: '1' }])).toEqual(
      Array(7).fill('true'),
    )
    expect(readAll('boolean', ['No', 'false', '0', 'inactive', false, { number: '0' }])).toEqual(
      Array(6).fill('false'),
    )
    expect(readAll('boolean', ['Not-active', 'Not Active', 'not_active'])).toEqual(Array(3).fill('false'))
    expect(readAll('boolean', ['perhaps', '-1'])).toEqual([
      '! “perhaps” is neither yes nor no.',
      '! “-1” is neither yes nor no.',
    ])
  })
})

describe('dates', () => {
  it('are read in any unambiguous format', () => {
    const texts = [
      '2026-03-31',
      '31/3/2026',
      '31 Mar 2026',
      'March 31, 2026',
      '31-mar-26',
      'Tue 31 March 2026',
      '2026/3/31',
    ]
    expect(readAll('timestamp', texts)).toEqual(Array(7).fill('2026-03-31'))
    expect(readAll('timestamp', [{ date: '2026-03-31T14:05:00' }, '2026-03-31T14:05:00Z'])).toEqual([
      '2026-03-31T14:05:00',
      '2026-03-31T14:05:00',
    ])
  })

  it('that are ambiguous follow the others in their column', () => {
    expect(readAll('timestamp', ['03/04/2026', '25/04/2026'])).toEqual(['2026-04-03', '2026-04-25'])
    expect(readAll('timestamp', ['03/04/2026', '04/25/2026'], GERMAN)).toEqual(['2026-03-04', '2026-04-25'])
    expect(notes('timestamp', ['03/04/2026', '04/25/2026'], GERMAN)).toBe('')
  })

  it('or else this computer, with a note', () => {
    expect(readAll('timestamp', ['03/04/2026'])).toEqual(['2026-03-04'])
    expect(notes('timestamp', ['03/04/2026'])).toBe(
      'Dates such as “03/04/2026” are read with the month first.',
    )
    expect(notes('timestamp', ['03/04/2026', '25/04/2026', '04/25/2026'])).toContain('month first')
    expect(notes('timestamp', ['05/05/2026'])).toBe('')
  })

  it('that don’t exist are rejected', () => {
    expect(readAll('timestamp', ['31/02/2026', '2026-13-01', '13/13/2026', 'soon', '12'])).toEqual(
      ['31/02/2026', '2026-13-01', '13/13/2026', 'soon', '12'].map((text) => `! “${text}” is not a date.`),
    )
  })

  it('are read in the order of day and month that the locale uses', () => {
    expect(localDateOrder('en-US')).toBe('month-first')
    expect(localDateOrder('en-GB')).toBe('day-first')
    expect(localDateOrder('de-DE')).toBe('day-first')
  })

  it('any day reads back from every format', () => {
    const day = fc.date({ min: new Date('1970-01-01'), max: new Date('2069-12-31'), noInvalidDate: true })
    fc.assert(
      fc.property(day, (date) => {
        const iso = date.toISOString().slice(0, 10)
        const [year = '', month = '', dayOfMonth = ''] = iso.split('-')
        expect(readDate(iso, 'day-first')).toBe(iso)
        expect(readDate(`${dayOfMonth}.${month}.${year}`, 'day-first')).toBe(iso)
        expect(readDate(`${month}/${dayOfMonth}/${year.slice(2)}`, 'month-first')).toBe(iso)
      }),
    )
  })
})

describe('text', () => {
  it('keeps numbers with all their digits and zeros', () => {
    expect(
      readAll('text', [{ number: '2134', shown: '02134' }, { number: '4155551234' }, ' 007 ', true]),
    ).toEqual(['02134', '4155551234', '007', 'TRUE'])
  })

  it('loses invisible spaces around it, and line breaks that only some programs understand', () => {
    expect(readAll('text', ['\u200bAlder\u00a0\u2060', 'a\vb\u2028c', 'می\u200cخواهم'])).toEqual([
      'Alder',
      'a\nb\nc',
      'می\u200cخواهم',
    ])
  })
})
