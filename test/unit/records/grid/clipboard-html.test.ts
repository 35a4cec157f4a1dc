// Cells that are copied from the grid arrive in a spreadsheet unchanged: text that looks like a number stays text.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { copiedAs } from '../../../../renderer/records/bulk/paste-plan.ts'
import { copiedBlock, type CopiedCell, pastedBlock } from '../../../../renderer/ui/clipboard.ts'
import { copiedTable } from '../../../../renderer/ui/table/data-table.svelte.ts'

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

/** The block as an HTML reader sees it. */
function read(html: string): CopiedCell[][] {
  return [...html.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td([^>]*)>([^<]*(?:<(?:br|span|\/span)[^>]*>[^<]*)*)<\/td>/gs)].map(
      ([, attributes = '', words = '']) => {
        // Collapses spaces like an HTML reader.
        const kept = attributes.includes('white-space:pre') ? words : words.trim().replace(/[ \t]+/g, ' ')
        const text = unescaped(kept.replace(/<br[^>]*>/g, '\n').replace(/<\/?span[^>]*>/g, ''))
        const isText = attributes.includes(String.raw`mso-number-format:"\@"`)
        const [, sheets] = /data-sheets-value="([^"]*)"/.exec(attributes) ?? []
        expect(attributes.includes('sdnum="1033;0;@"')).toBe(isText)
        if (isText)
          expect((JSON.parse(unescaped(sheets ?? '')) as { 2: string })[2].replaceAll('\0', '\ufffd')).toBe(
            text,
          )
        return { text, isText }
      },
    ),
  )
}

describe('a block that is copied', () => {
  test('is read from its markup unchanged, whatever it contains, and marks cells with text', () => {
    const text = fc.string({
      unit: fc.constantFrom(
        '0',
        '1',
        '-',
        '=',
        '<',
        '>',
        '&',
        '"',
        "'",
        'é',
        ' ',
        '\t',
        '\n',
        ';',
        'b',
        '\u0001',
      ),
    })
    const cell = fc.record({ text, isText: fc.boolean() })
    const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(rows, (block) => {
        const cells = read(copiedBlock(block).html ?? '').flat()
        expect(cells.map((each) => each.text)).toEqual(block.flat().map((each) => each.text))
        for (const [at, each] of cells.entries()) {
          // An empty cell can't be mistaken for a number; what would run as a formula is text in any column.
          const mustBeText = block.flat()[at]?.isText === true && each.text !== ''
          if (mustBeText || /^[ ']*[=@]/.test(each.text.replaceAll('\u0001', ' ')))
            expect(each.isText).toBe(true)
        }
      }),
    )
  })

  const table = (evil: string): CopiedCell[][] => [
    [
      { text: evil, isText: true },
      { text: '-12,50', isText: false },
    ],
  ]

  test.each([' a', 'a ', 'a  b', 'a\tb', 'a \nb', 'a\u0000'])(
    'keeps its guard beside a cell of %j',
    (beside) => {
      const block = [...table('=1+1'), [{ text: beside, isText: true }]]
      const cells = read(copiedBlock(block).html ?? '')
      expect(cells[0]).toEqual([
        { text: '=1+1', isText: true },
        { text: '-12,50', isText: false },
      ])
    },
  )

  test('has no formula in a column of amounts', () => {
    const cells = read(copiedBlock([[{ text: '=HYPERLINK("x")', isText: false }]]).html ?? '')
    expect(cells).toEqual([[{ text: '=HYPERLINK("x")', isText: true }]])
  })

  test('that is too large for markup has its formulas guarded by apostrophes, which are removed when it is pasted here', () => {
    const many = Array.from({ length: 60_000 }, () => table('=1+1')).flat()
    const { text, html } = copiedBlock(many)
    expect(html).toBeNull()
    expect(text.startsWith("'=1+1\t-12,50\r\n")).toBe(true)
    expect(pastedBlock(text)).toEqual(many.map((row) => row.map((cell) => cell.text)))
  })

  test('from one of our tables is guarded in both forms', () => {
    const column = { id: 'name', header: 'Name', text: (row: string) => row }
    const { text, html } = copiedTable([column], ['\u200b=1+1', 'Alder  Sons'])
    expect(text).toBe("Name\r\n'\u200b=1+1\r\nAlder  Sons\r\n")
    expect(read(html ?? '')[1]).toEqual([{ text: '\u200b=1+1', isText: true }])
  })
})

test('a check number, a phone number, or a record stays text; an amount and a number in an unknown field are numbers', () => {
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
