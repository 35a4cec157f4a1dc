/** Opens and saves workbooks in specs, as a spreadsheet program does. */
import { readFileSync } from 'node:fs'
import { partsOf, workbookParts, zipOf } from '../../unit/files/workbook-fixture.ts'

const ENTITIES: readonly (readonly [string, string])[] = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&amp;', '&'],
]

/** Returns the rows of each sheet of a workbook that the program wrote, by the sheet's name, with cells as text. */
export async function sheetRows(path: string): Promise<Readonly<Record<string, string[][]>>> {
  const parts = await partsOf(readFileSync(path))
  const names = [...(parts['xl/workbook.xml'] ?? '').matchAll(/<sheet name="([^"]*)"/g)]
  return Object.fromEntries(
    names.map(([, name = ''], index) => [
      name,
      rowsIn(parts[`xl/worksheets/sheet${String(index + 1)}.xml`] ?? ''),
    ]),
  )
}

function rowsIn(sheet: string): string[][] {
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, cells = '']) => {
    const row: string[] = []
    for (const [, letters = '', content = ''] of cells.matchAll(
      /<c r="([A-Z]+)\d+"[^>]*?(?:\/>|>(.*?)<\/c>)/gs,
    )) {
      const value = /<(t|v)\b[^>]*>(.*?)<\/\1>/s.exec(content)?.[2] ?? ''
      row[columnOf(letters)] = ENTITIES.reduce((text, [entity, mark]) => text.replaceAll(entity, mark), value)
    }
    return Array.from(row, (text) => (text as string | undefined) ?? '')
  })
}

/** 0 for A, 26 for AA. */
function columnOf(letters: string): number {
  return [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/**
 * Creates a workbook as a spreadsheet program saves it: with shared strings and without empty cells.
 * @param hidden numbers of the rows that a filter hides
 */
export function workbookOf(
  rows: readonly (readonly string[])[],
  hidden: readonly number[] = [],
): Promise<Buffer> {
  const texts = [...new Set(rows.flat())]
  const places = new Map(texts.map((text, index) => [text, index]))
  const sheet = rows.map((cells, row) => {
    const written = cells.map((text, column) => {
      if (text === '') return ''
      return `<c r="${lettersOf(column)}${String(row + 1)}" t="s"><v>${String(places.get(text))}</v></c>`
    })
    const attribute = hidden.includes(row + 1) ? ' hidden="1"' : ''
    return `<row r="${String(row + 1)}"${attribute}>${written.join('')}</row>`
  })
  const escaped = texts.map((text) =>
    ENTITIES.toReversed().reduce((all, [entity, mark]) => all.replaceAll(mark, entity), text),
  )
  const strings = escaped.map((text) => `<si><t xml:space="preserve">${text}</t></si>`)
  return zipOf(workbookParts(sheet.join(''), { 'xl/sharedStrings.xml': `<sst>${strings.join('')}</sst>` }))
}

function lettersOf(column: number): string {
  const letter = String.fromCharCode(65 + (column % 26))
  return column < 26 ? letter : lettersOf(Math.floor(column / 26) - 1) + letter
}
