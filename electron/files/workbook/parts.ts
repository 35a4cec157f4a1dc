/** The small parts of a workbook: what it is made of, its properties, its list of sheets. */
import { xmlAttribute, xmlText } from './cells.ts'

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

export function sheetPath(index: number): string {
  return `xl/worksheets/sheet${String(index + 1)}.xml`
}

export function contentTypesXml(sheets: readonly WrittenSheet[]): string {
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

export function packageRelationsXml(): string {
  return [
    `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">`,
    `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/>`,
    `<Relationship Id="rId2" Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"/>`,
    `<Relationship Id="rId3" Type="${OFFICE}/extended-properties" Target="docProps/app.xml"/>`,
    '</Relationships>',
  ].join('')
}

export function workbookRelationsXml(sheets: readonly WrittenSheet[]): string {
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

export function workbookXml(sheets: readonly WrittenSheet[]): string {
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

export function corePropertiesXml({ title, company, madeAt }: WorkbookProperties): string {
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

export function appPropertiesXml({ company }: WorkbookProperties): string {
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
