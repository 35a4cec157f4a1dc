/**
 * Writes a workbook (.xlsx) as a stream with yazl: sheets as their rows are pulled, then styles and the list of
 * sheets. Holds only the current piece. For `writeFileAtomically`.
 */
import { PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { ZipFile } from 'yazl'
import { type AppError, err, ok, type Result } from '../../../shared/result.ts'
import { once } from '../write-file.ts'
import { MAX_ROWS, type Negatives, NOTE, PLAIN, Styles, xmlAttribute, xmlText } from './cells.ts'
import {
  FidelityNotes,
  printTitles,
  RowSource,
  type SheetRow,
  sheetXml,
  type WorkbookSheet,
} from './sheet.ts'

export interface WorkbookOptions {
  readonly properties: WorkbookProperties
  readonly negatives: Negatives
  /**
   * Content of the last sheet, *About*, as pairs of label and text. Without pairs and notes, there is no such
   * sheet.
   */
  readonly about: readonly (readonly [word: string, text: string])[]
  /** Lines per sheet. Excel's limit, except in tests. */
  readonly mostRows?: number
}

/**
 * Returns the workbook's bytes in pieces. A full sheet continues on another one. What can't be written exactly
 * (too many digits, too long texts) is listed on the sheet *About*.
 * @returns pieces; an error among the rows is the last piece, so that the file isn't saved
 */
export async function* workbookPieces(
  sheets: readonly WorkbookSheet[],
  options: WorkbookOptions,
): AsyncGenerator<Result<Uint8Array>, void, undefined> {
  const writing = new Writing(options)
  const written = writing.run(sheets)
  try {
    for await (const piece of writing.output()) yield ok(piece)
  } catch (cause) {
    // An error among the rows ends the output early and is returned below.
    if (writing.failure === null) throw cause
  } finally {
    await writing.stop()
    await written
  }
  if (writing.failure !== null) yield err(writing.failure)
}

class Writing {
  readonly #zip = new ZipFile()
  readonly #styles: Styles
  readonly #notes = new FidelityNotes()
  readonly #names = new SheetNames()
  readonly #written: WrittenSheet[] = []
  readonly #options: WorkbookOptions
  readonly #output = new PassThrough()
  #part: Readable | null = null
  #source: RowSource | null = null
  #isStopped = false
  failure: AppError | null = null

  constructor(options: WorkbookOptions) {
    this.#options = options
    this.#styles = new Styles(options.negatives)
    this.#zip.outputStream.pipe(this.#output)
    this.#zip.on('error', (cause: Error) => this.#output.destroy(cause))
  }

  output(): AsyncIterable<Uint8Array> {
    return this.#output
  }

  /** Writes all parts in order. A defect ends the output with it. Never rejects. */
  async run(sheets: readonly WorkbookSheet[]): Promise<void> {
    try {
      for (const sheet of sheets) await this.#addSheet(sheet)
      const about = aboutSheet(this.#options, this.#notes.sentences())
      if (about !== null) await this.#addSheet(about)
      await this.#addSmallParts()
      if (!this.#isOver()) this.#zip.end()
    } catch (cause) {
      this.#output.destroy(cause instanceof Error ? cause : new Error(String(cause)))
    }
  }

  /** Releases rows and buffers when the reader stops. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#part?.destroy()
    this.#output.destroy()
    await this.#source?.close()
  }

  /** Whether writing is over, because the reader stopped or a row was an error. */
  #isOver(): boolean {
    return this.#isStopped || this.failure !== null
  }

  async #addSheet(sheet: WorkbookSheet): Promise<void> {
    if (this.#isOver()) return
    const source = new RowSource(sheet.rows())
    this.#source = source
    for (let before = ''; ;) {
      const name = this.#names.next(sheet.name)
      if (before !== '') this.#notes.continued(before, name)
      await this.#addRows(sheet, name, source)
      if (this.#isOver() || !(await hasMore(source))) break
      before = name
    }
    this.#source = null
  }

  /** Writes as many rows as fit on one sheet. An error among them ends the output. */
  async #addRows(sheet: WorkbookSheet, name: string, source: RowSource): Promise<void> {
    const isFirst = this.#written.length === 0
    const path = sheetPath(this.#written.length)
    this.#written.push({ name, printTitles: printTitles(sheet, name) })
    await this.#add(
      path,
      sheetXml(sheet, name, source, {
        styles: this.#styles,
        notes: this.#notes,
        isFirst,
        mostRows: this.#options.mostRows ?? MAX_ROWS,
      }),
    )
    if (source.failure === null) return
    this.failure = source.failure
    this.#output.destroy()
  }

  async #addSmallParts(): Promise<void> {
    const { properties } = this.#options
    const parts: readonly (readonly [string, string])[] = [
      ['[Content_Types].xml', contentTypesXml(this.#written)],
      ['_rels/.rels', packageRelationsXml()],
      ['docProps/core.xml', corePropertiesXml(properties)],
      ['docProps/app.xml', appPropertiesXml(properties)],
      ['xl/workbook.xml', workbookXml(this.#written)],
      ['xl/_rels/workbook.xml.rels', workbookRelationsXml(this.#written)],
      ['xl/styles.xml', this.#styles.xml()],
    ]
    for (const [path, xml] of parts) await this.#add(path, [xml])
  }

  /** Adds one part and waits until the ZIP file has read it. */
  async #add(path: string, xml: AsyncIterable<string> | Iterable<string>): Promise<void> {
    if (this.#isOver()) return
    const part = Readable.from(encoded(xml))
    this.#part = part
    this.#zip.addReadStream(part, path, { mtime: new Date(this.#options.properties.madeAt) })
    try {
      await finished(part)
    } catch (cause) {
      // Aborted by `stop`, so nothing waits for the rest.
      if (!this.#isStopped) throw cause
    }
  }
}

async function hasMore(source: RowSource): Promise<boolean> {
  const rows = await source.next()
  if (rows === null) return false
  source.putBack(rows)
  return true
}

/** Encodes as UTF-8 and lets the event loop run after each piece. */
async function* encoded(xml: AsyncIterable<string> | Iterable<string>): AsyncGenerator<Buffer> {
  for await (const piece of xml) {
    yield Buffer.from(piece, 'utf8')
    await turn()
  }
}

function aboutSheet({ about, properties }: WorkbookOptions, notes: readonly string[]): WorkbookSheet | null {
  if (about.length === 0 && notes.length === 0) return null
  const rows: SheetRow[] = [
    ...about.map(([word, text]) => ({ cells: [word, text], look: PLAIN })),
    ...notes.map((note) => ({ cells: ['Note', note], look: NOTE })),
  ]
  return {
    name: 'About',
    above: [],
    columns: [
      { heading: 'About this file', kind: 'text', width: 22 },
      { heading: '', kind: 'text', width: 80 },
    ],
    rows: () => once(rows),
    frozenColumns: 0,
    hasFilter: false,
    print: { orientation: 'portrait', header: properties.company, footer: properties.title },
  }
}

// The small parts of the package: content types, relationships, properties, and the list of sheets.

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

export interface WorkbookProperties {
  /** Title in the file's properties: the report or list. */
  readonly title: string
  /** The company. */
  readonly company: string
  /** When it was created, in ISO 8601. */
  readonly madeAt: string
}

/** A written sheet. */
export interface WrittenSheet {
  readonly name: string
  /** Value of `_xlnm.Print_Titles`; empty if there is none. */
  readonly printTitles: string
}

function sheetPath(index: number): string {
  return `xl/worksheets/sheet${String(index + 1)}.xml`
}

function contentTypesXml(sheets: readonly WrittenSheet[]): string {
  const parts = [
    ['/xl/workbook.xml', `${SPREADSHEET}.sheet.main+xml`],
    ['/xl/styles.xml', `${SPREADSHEET}.styles+xml`],
    ['/docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml'],
    ['/docProps/app.xml', 'application/vnd.openxmlformats-officedocument.extended-properties+xml'],
    ...sheets.map((_, index) => [`/${sheetPath(index)}`, `${SPREADSHEET}.worksheet+xml`]),
  ]
  return [
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">`,
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>',
    '<Default Extension="xml" ContentType="application/xml"/>',
    ...parts.map(([path = '', type = '']) => `<Override PartName="${path}" ContentType="${type}"/>`),
    '</Types>',
  ].join('')
}

function packageRelationsXml(): string {
  return [
    `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">`,
    `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>`,
    `<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>`,
    `<Relationship Id="rId3" Type="${OFFICE}/extended-properties" Target="docProps/app.xml"/>`,
    '</Relationships>',
  ].join('')
}

function workbookRelationsXml(sheets: readonly WrittenSheet[]): string {
  const styles = String(sheets.length + 1)
  return [
    `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">`,
    ...sheets.map(
      (_, index) =>
        `<Relationship Id="rId${String(index + 1)}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${String(index + 1)}.xml"/>`,
    ),
    `<Relationship Id="rId${styles}" Type="${OFFICE}/styles" Target="styles.xml"/>`,
    '</Relationships>',
  ].join('')
}

function workbookXml(sheets: readonly WrittenSheet[]): string {
  const titles = sheets.flatMap(({ printTitles }, index) =>
    printTitles === ''
      ? []
      : [
          `<definedName name="_xlnm.Print_Titles" localSheetId="${String(index)}">${xmlText(printTitles)}</definedName>`,
        ],
  )
  return [
    `${DECLARATION}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr/>`,
    '<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="24000" windowHeight="12000"/></bookViews><sheets>',
    ...sheets.map(
      ({ name }, index) =>
        `<sheet name="${xmlAttribute(name)}" sheetId="${String(index + 1)}" r:id="rId${String(index + 1)}"/>`,
    ),
    '</sheets>',
    titles.length === 0 ? '' : `<definedNames>${titles.join('')}</definedNames>`,
    '</workbook>',
  ].join('')
}

function corePropertiesXml({ title, company, madeAt }: WorkbookProperties): string {
  const moment = new Date(madeAt).toISOString().replace(/\.\d+Z$/, 'Z')
  return [
    `${DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties"`,
    ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"',
    ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">',
    `<dc:title>${xmlText(title)}</dc:title><dc:subject>${xmlText(company)}</dc:subject>`,
    '<dc:creator>Bookbridge</dc:creator>',
    `<dcterms:created xsi:type="dcterms:W3CDTF">${moment}</dcterms:created>`,
    `<dcterms:modified xsi:type="dcterms:W3CDTF">${moment}</dcterms:modified>`,
    '</cp:coreProperties>',
  ].join('')
}

function appPropertiesXml({ company }: WorkbookProperties): string {
  return [
    `${DECLARATION}<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">`,
    `<Application>Bookbridge</Application><Company>${xmlText(company)}</Company></Properties>`,
  ].join('')
}

// Sheet names that Excel allows: at most 31 characters, some forbidden, all different.

const MAX_SHEET_NAME = 31
/** Characters that Excel forbids, control characters, and invisible ones that make names look alike. */
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/gu

/** Reserved by Excel. */
const RESERVED = 'history'

/** Assigns unique names to sheets. */
class SheetNames {
  readonly #taken = new Set<string>([RESERVED])

  /** Returns a valid name for `wanted`, with ` (2)` and so on if it is taken, ignoring case. */
  next(wanted: string): string {
    const safe = wanted
      .toWellFormed()
      .replace(FORBIDDEN, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      // Names can't start or end with an apostrophe.
      .replace(/^['\s]+|['\s]+$/g, '')
    const stem = safe === '' ? 'Sheet' : safe
    for (let count = 1; ; count += 1) {
      const ending = count === 1 ? '' : ` (${String(count)})`
      const name = `${cut(stem, MAX_SHEET_NAME - ending.length)}${ending}`
      if (this.#taken.has(name.toLowerCase())) continue
      this.#taken.add(name.toLowerCase())
      return name
    }
  }
}

/**
 * Shortens a name to a number of UTF-16 units, without splitting characters and without invalid characters at
 * the end.
 */
function cut(text: string, most: number): string {
  const characters = [...text]
  let length = text.length
  while (length > most) length -= characters.pop()?.length ?? 0
  return characters.join('').replace(/['\s]+$/g, '')
}
