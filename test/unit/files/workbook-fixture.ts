/** Builds workbooks for tests, valid or hostile, and unpacks the ones that we write. */
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { ZipFile } from 'yazl'
import type { Result } from '../../../shared/result.ts'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A zipped file of these parts. */
export async function zipOf(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(parts)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  return buffer(zip.outputStream)
}

/** The minimal parts of a workbook with one sheet, as other programs write it. */
export function workbookParts(
  sheetData: string,
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return {
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': `<Relationships><Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="/xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${OFFICE}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/sharedStrings.xml': '<sst><si><t>shared</t></si></sst>',
    'xl/styles.xml': '<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>',
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${sheetData}</sheetData></worksheet>`,
    ...more,
  }
}

/** All parts of a zipped file, as text. */
export async function partsOf(bytes: Buffer): Promise<Record<string, string>> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true })
  const parts: Record<string, string> = {}
  for await (const entry of zip.eachEntry()) {
    const stream = await zip.openReadStreamPromise(entry)
    parts[entry.fileName] = (await buffer(stream)).toString('utf8')
  }
  return parts
}

/** The bytes of a file from its pieces. Throws an error that is among the pieces. */
export async function bytesOf(pieces: AsyncIterable<Result<Uint8Array>>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) {
    if (!piece.ok) throw new Error(piece.error.message)
    all.push(piece.value)
  }
  return Buffer.concat(all)
}
