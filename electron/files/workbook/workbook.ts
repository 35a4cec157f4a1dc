/**
 * Writes a workbook (.xlsx) as a stream: sheets as their rows are pulled, styles and the list of sheets at the end,
 * zipped by yazl. Nothing is held but the piece at hand. For `writeWholeFile`.
 */
import { finished } from 'node:stream/promises'
import { PassThrough, Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { ZipFile } from 'yazl'
import { err, ok, type AppError, type Result } from '../../../shared/result.ts'
import { MOST_ROWS, NOTE, type Negatives, PLAIN, Styles, xmlAttribute, xmlText } from './cells.ts'
import { KeptNotes, RowSource, type SheetRow, type WorkbookSheet, printTitles, sheetXml } from './sheet.ts'

export interface WorkbookOptions {
  readonly properties: WorkbookProperties
  readonly negatives: Negatives
  /** What the last sheet, *About*, says: pairs of a word and what it is. No pairs and nothing to note: no such sheet. */
  readonly about: readonly (readonly [word: string, text: string])[]
  /** Lines to a sheet; Excel's own limit but in tests. */
  readonly mostRows?: number
}

/**
 * The workbook's bytes, piece by piece. A sheet that is full goes on in a further one. What could not be written as
 * it was (digits beyond what a spreadsheet keeps, texts beyond what a cell holds) is said on the sheet *About*.
 * @returns pieces; an error among the rows is the last piece, so that the file is not kept
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
    // An error among the rows ends the output early, and is told below.
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
  readonly #notes = new KeptNotes()
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

  /** Writes all parts in turn. A defect ends the output with it; never rejects. */
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

  /** Lets go of rows and buffers when the reader has gone. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.#part?.destroy()
    this.#output.destroy()
    await this.#source?.close()
  }

  /** Whether nothing more will be taken: the reader has gone, or a row was an error. */
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

  /** As many of the rows as one sheet holds; an error among them ends the output. */
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
        mostRows: this.#options.mostRows ?? MOST_ROWS,
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

  /** Adds one part and waits until the zip has taken it. */
  async #add(path: string, xml: AsyncIterable<string> | Iterable<string>): Promise<void> {
    if (this.#isOver()) return
    const part = Readable.from(encoded(xml))
    this.#part = part
    this.#zip.addReadStream(part, path, { mtime: new Date(this.#options.properties.madeAt) })
    try {
      await finished(part)
    } catch (cause) {
      // Taken away by `stop`: nobody waits for the rest.
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

/** UTF-8, with a turn of the main loop after each piece. */
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
    rows: async function* () {
      yield await Promise.resolve(ok(rows))
    },
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
  /** For the file's properties: the report or the list. */
  readonly title: string
  /** Whose books. */
  readonly company: string
  /** When it was made, ISO 8601. */
  readonly madeAt: string
}

/** A sheet as it was written. */
export interface WrittenSheet {
  readonly name: string
  /** What `_xlnm.Print_Titles` says; empty for none. */
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

// Names of sheets as Excel allows them: at most 31 characters, some forbidden, no two alike.

const MOST = 31
/** Excel's own list, control characters, and marks that make a name look like another. */
const FORBIDDEN = /[[\]:*?/\\\p{Cc}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufffe\uffff]/gu

/** Excel keeps this one for itself. */
const RESERVED = 'history'

/** Gives names to sheets one by one, and remembers which are taken. */
export class SheetNames {
  readonly #taken = new Set<string>([RESERVED])

  /** A fit name for `wanted`; ` (2)` and so on where it is taken in any casing. */
  next(wanted: string): string {
    const safe = wanted
      .toWellFormed()
      .replace(FORBIDDEN, ' ')
      .replace(/\s+/g, ' ')
      .trim()
      // An apostrophe may not begin or end a name.
      .replace(/^['\s]+|['\s]+$/g, '')
    const stem = safe === '' ? 'Sheet' : safe
    for (let count = 1; ; count += 1) {
      const ending = count === 1 ? '' : ` (${String(count)})`
      const name = `${cut(stem, MOST - ending.length)}${ending}`
      if (this.#taken.has(name.toLowerCase())) continue
      this.#taken.add(name.toLowerCase())
      return name
    }
  }
}

/** At most so many UTF-16 units, by whole characters, and without what may not stand at an end. */
function cut(text: string, most: number): string {
  const characters = [...text]
  let length = text.length
  while (length > most) length -= characters.pop()?.length ?? 0
  return characters.join('').replace(/['\s]+$/g, '')
}
