import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depthOf, isUnderParent, oneLine, plainText } from '../../../../renderer/records/grid/cell-text.ts'
import { createColumnReader } from '../../../../renderer/records/import/plan/values.ts'
import { compareDigits, compareText, digitsOf } from '../../../../renderer/records/list/order.ts'
import { readTyped } from '../../../../renderer/ui/fields/typed-values.ts'
import { Format } from '../../../../shared/format/format.ts'
import { compareDecimals, numberSeparators, parseDecimal } from '../../../../shared/format/money.ts'
import { readBlock, writeBlock } from '../../../../shared/import/clipboard-block.ts'
import type { RecordData } from '../../../../shared/records/changes.ts'
import { LONGEST_TEXT } from '../../../../shared/records/changes.ts'
import { valueText } from '../../../../shared/records/value-text.ts'

const amounts = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^\d{0,4}$/))
  .map(
    ([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`,
  )

function compareAmounts(left: string, right: string): number {
  return compareDigits(digitsOf(left), digitsOf(right))
}

test('an amount is read in the form of the region', () => {
  const [us, german] = [numberSeparators('en-US'), numberSeparators('de-DE')]
  for (const [text, separators, amount] of [
    ['1,234.50', us, '1234.50'],
    ['$1234.50', us, '1234.50'],
    ['(1,234.50)', us, '-1234.50'],
    ['1.234,50', german, '1234.50'],
    ['1.234', german, '1234'],
    ['1,234', us, '1234'],
    ['1.234.50', us, null],
    ['ten', us, null],
  ] as const) {
    const typed = readTyped('money', text, separators, false)
    expect(typed.ok ? typed.value : null, text).toBe(amount)
  }
})

test('a cell reads yes and no in every form that an import reads', () => {
  const typed = (text: string) => readTyped('boolean', text, numberSeparators('en-US'), false)
  for (const text of ['Yes', 'x', '✔', 'ON', ' Active ']) {
    expect(typed(text), text).toEqual({ ok: true, value: 'true' })
  }
  for (const text of ['no', '0', 'Off', 'inactive', 'Not-active']) {
    expect(typed(text), text).toEqual({ ok: true, value: 'false' })
  }
  expect(typed('perhaps').ok).toBe(false)
})

describe('the order of amounts', () => {
  test('is that of exact arithmetic, for any two amounts', () => {
    fc.assert(
      fc.property(amounts, amounts, (left, right) => {
        const [a, b] = [parseDecimal(left), parseDecimal(right)]
        if (a === null || b === null) throw new Error('not an amount')
        expect(Math.sign(compareAmounts(left, right))).toBe(compareDecimals(a, b))
      }),
    )
  })

  test('treats zeros as equal, and puts other values last', () => {
    expect(compareAmounts('-0.00', '0')).toBe(0)
    expect(compareAmounts('', '-5')).toBeGreaterThan(0)
    expect(compareAmounts('-5', 'n/a')).toBeLessThan(0)
  })
})

test('text is sorted naturally, with empty values last', () => {
  expect(['Item 10', '', 'item 9', 'Ábel'].toSorted(compareText)).toEqual(['Ábel', 'item 9', 'Item 10', ''])
})

describe('what is typed', () => {
  const american = numberSeparators('en-US')
  const german = numberSeparators('de-DE')

  test('is read with the computer’s separators', () => {
    expect(readTyped('money', '$1,234.50', american, false)).toEqual({ ok: true, value: '1234.50' })
    expect(readTyped('money', '1.234,50', german, false)).toEqual({ ok: true, value: '1234.50' })
    expect(readTyped('money', '(12.00)', american, false)).toEqual({ ok: true, value: '-12.00' })
  })

  test('is rejected with a message if it isn’t an amount', () => {
    const typed = readTyped('money', '12x', american, false)
    expect(typed).toMatchObject({ ok: false })
    expect(typed.ok ? '' : typed.reason).toContain('12x')
  })

  test('can clear an amount or a boolean only in a new record', () => {
    expect(readTyped('money', '', american, true)).toEqual({ ok: true, value: '' })
    expect(readTyped('money', '', american, false).ok).toBe(false)
    expect(readTyped('boolean', '', american, true)).toEqual({ ok: true, value: '' })
    expect(readTyped('boolean', '', american, false).ok).toBe(false)
  })

  test('is a boolean in the words that people use', () => {
    for (const word of ['Yes', 'y', 'TRUE', '1']) {
      expect(readTyped('boolean', word, american, false)).toEqual({ ok: true, value: 'true' })
    }
    expect(readTyped('boolean', 'no', american, false)).toEqual({ ok: true, value: 'false' })
    expect(readTyped('boolean', 'maybe', american, false).ok).toBe(false)
  })

  test('is a reference by its name, and none if it is cleared', () => {
    expect(readTyped('reference', ' Net 30 ', american, false)).toEqual({
      ok: true,
      value: { ID: '', FullName: 'Net 30' },
    })
    expect(readTyped('reference', '', american, false)).toEqual({ ok: true, value: { ID: '', FullName: '' } })
  })

  test('is kept exactly if it is text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readTyped('text', text, american, false)).toEqual({ ok: true, value: text })
      }),
    )
  })
})

test('an amount in the editor reads back as the same amount, with any separators', () => {
  fc.assert(
    fc.property(amounts, fc.constantFrom('en-US', 'de-DE', 'fr-FR'), (amount, locale) => {
      const separators = numberSeparators(locale)
      const typed = readTyped('money', plainText('money', amount, separators.decimal), separators, false)
      const [a, b] = [
        parseDecimal(amount),
        typed.ok && typeof typed.value === 'string' ? parseDecimal(typed.value) : null,
      ]
      expect(a !== null && b !== null && compareDecimals(a, b)).toBe(0)
    }),
  )
})

describe('a block of cells', () => {
  test('reads back as it was written', () => {
    const cells = fc.array(fc.string({ minLength: 1 }), { minLength: 2, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(cells, { minLength: 1, maxLength: 5 }), (rows) => {
        const plain = rows.map((row) => row.map((text) => text.replace(/\r\n?/g, '\n')))
        // A cell that begins with a quote but isn't quoted is ambiguous in every spreadsheet.
        fc.pre(plain.every((row) => row.every((text) => !text.startsWith('"'))))
        expect(readBlock(writeBlock(plain))).toEqual(plain)
      }),
    )
  })

  test('has the format of spreadsheets: quoted line breaks, and no row after the last one', () => {
    expect(readBlock('a\t"two\nlines"\r\n"say ""hi"""\tb\r\n')).toEqual([
      ['a', 'two\nlines'],
      ['say "hi"', 'b'],
    ])
    expect(readBlock('5" pipe\t6')).toEqual([['5" pipe', '6']])
    expect(readBlock('"unfinished\tb')).toEqual([['"unfinished', 'b']])
  })
})

describe('the text of a cell', () => {
  const format = new Format({ locale: 'en-US', negatives: 'minus', timeZone: 'UTC' })

  test('shows amounts exactly, however large', () => {
    expect(valueText('money', '90071992547409931234.567', format)).toBe('90,071,992,547,409,931,234.567')
    expect(valueText('money', 'n/a', format)).toBe('n/a')
  })

  test('shows a reference by its full name, else its ID', () => {
    expect(valueText('reference', { ID: '7', FullName: 'Net 30' }, format)).toBe('Net 30')
    expect(valueText('reference', { ID: '7', FullName: '' }, format)).toBe('7')
  })

  test('folds an address into a line as on an envelope', () => {
    const address: Record<string, string> = {
      Line1: '218 Alder Ct',
      City: 'Bayshore',
      State: 'CA',
      PostalCode: '94326',
    }
    const members = ['Line1', 'Line2', 'City', 'State', 'PostalCode', 'Country', 'Planet']
    expect(oneLine((member) => address[member] ?? '', members)).toBe('218 Alder Ct, Bayshore CA 94326')
    expect(oneLine((member) => ({ ...address, Planet: 'Mars' })[member] ?? '', members)).toContain('Mars')
  })

  test('shows a referenced record by name, or by ID if it has none', () => {
    const line = (value: Readonly<Record<string, string>>) =>
      oneLine((member) => value[member] ?? '', ['ID', 'FullName'])
    expect(line({ ID: '8000-12', FullName: 'Alder' })).toBe('Alder')
    expect(line({ ID: '8000-12' })).toBe('8000-12')
  })

  test('indents a record by its parents, and not by a colon in a name', () => {
    expect(depthOf({ Name: 'Kitchen', FullName: 'Abernathy, Louise:Kitchen' })).toBe(1)
    expect(depthOf({ Name: 'a:b', FullName: 'a:b' })).toBe(0)
    expect(depthOf({ Name: 'Kitchen' })).toBe(0)
  })

  test('is under its parent only if both are in one block of rows', () => {
    const record = (FullName: string): RecordData => ({ Name: FullName.split(':').at(-1) ?? '', FullName })
    const isShort = (...above: readonly string[]): boolean =>
      isUnderParent(record('Abe:Kitchen'), (rows) => {
        const fullName = above[rows - 1]
        return fullName === undefined ? undefined : record(fullName)
      })
    expect(isShort('Abe')).toBe(true)
    expect(isShort('Abe:Attic:Phase 2', 'Abe:Attic', 'Abe')).toBe(true)
    expect(isShort()).toBe(false)
    expect(isShort('Abel')).toBe(false)
    expect(isShort('Abe:Attic')).toBe(false)
    expect(isShort('Abe:Attic', 'Bo', 'Abe')).toBe(false)
  })
})

test('a value that is too long is rejected when typed and in a file', () => {
  const separators = numberSeparators('en-US')
  const long = 'x'.repeat(LONGEST_TEXT + 1)
  for (const type of ['text', 'reference'] as const) {
    expect(readTyped(type, long, separators, true)).toMatchObject({ ok: false })
    expect(readTyped(type, long.slice(1), separators, true)).toMatchObject({ ok: true })
    const local = { separators, dates: 'month-first' } as const
    const { read } = createColumnReader(type, [long], local, { separators: null, dates: null })
    expect([read(long).ok, read(long.slice(1)).ok]).toEqual([false, true])
  }
})
