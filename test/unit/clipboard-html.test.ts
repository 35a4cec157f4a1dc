// What is copied out of the grid arrives in a spreadsheet as it stands: text that looks like a number stays text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copiedAs } from '../../renderer/records/bulk/copied-cells.ts'
import { htmlBlock, type CopiedCell } from '../../shared/clipboard-html.ts'

const NAMED: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&amp;', '&'],
])

function unescaped(markup: string): string {
  return markup.replace(/&(lt|gt|quot|#39|amp);/g, (entity) => NAMED.get(entity) ?? entity)
}

/** The block as one who reads markup finds it. */
function read(html: string): CopiedCell[][] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td(.*?)>([^<]*(?:<br[^>]*>[^<]*)*)<\/td>/gs)].map(
      ([, attributes = '', words = '']) => {
        const text = unescaped(words.replace(/<br[^>]*>/g, '\n'))
        const isText = attributes.includes(String.raw`mso-number-format:"\@"`)
        const [, sheets] = /data-sheets-value="([^"]*)"/.exec(attributes) ?? []
        expect(attributes.includes('sdnum="1033;0;@"')).toBe(isText)
        if (isText) expect((JSON.parse(unescaped(sheets ?? '')) as { 2: string })[2]).toBe(text)
        return { text, isText }
      },
    ),
  )
}

describe('a block that is copied', () => {
  test('is read from its markup as it was, whatever is in it, and says which cells are text', () => {
    const text = fc.string({
      unit: fc.constantFrom('0', '1', '-', '=', '<', '>', '&', '"', "'", 'é', ' ', '\n', ';', 'b'),
    })
    const cell = fc.record({ text, isText: fc.boolean() })
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(rows, (block) => {
        const html = htmlBlock(block)
        if (html === null) return
        // An empty cell is nothing to take for a number.
        const expected = block.map((row) =>
          row.map((each) => ({ text: each.text, isText: each.isText && each.text !== '' })),
        )
        expect(read(html)).toEqual(expected)
      }),
    )
  })

  test('has no markup where that could not say it to the letter, or where it is very large', () => {
    const one = (text: string): string | null => htmlBlock([[{ text, isText: true }]])
    for (const lost of [' a', 'a ', 'a  b', 'a\tb', 'a \nb', 'a\u0000']) expect(one(lost)).toBeNull()
    for (const kept of ['', 'a b', 'a\nb', 'a\r\nb', '<td>', '00123', '=HYPERLINK("x")']) {
      expect(one(kept)).not.toBeNull()
    }
    const many = Array.from({ length: 100_001 }, () => [{ text: '1', isText: false }])
    expect(htmlBlock(many)).toBeNull()
  })
})

test('a number of a check, a telephone or a record stays text; an amount, and a number in a field nobody knows, is one', () => {
  for (const looks of ['00123', '1-2', '=A1', '1E5', '12345678901234567890', '1200', 'TRUE']) {
    expect(copiedAs('customer', 'Phone', 'text')(looks)).toBe(true)
    expect(copiedAs('customer', 'BillingAddress.PostalCode', 'text')(looks)).toBe(true)
    expect(copiedAs('customer', 'Terms', 'reference')(looks)).toBe(true)
    expect(copiedAs('customer', 'Balance', 'money')(looks)).toBe(false)
  }
  const unknown = copiedAs('widget', 'Quantity', 'text')
  expect(['12', '-3', '12.50', '0'].map(unknown)).toEqual([false, false, false, false])
  expect(['00123', '1E5', '1-2', '1234567890123456', '=1'].map(unknown)).toEqual([
    true,
    true,
    true,
    true,
    true,
  ])
})
