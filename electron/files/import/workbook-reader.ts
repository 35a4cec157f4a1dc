/** Reads one sheet of a workbook (.xlsx): its list of parts, its shared strings and formats, then the sheet itself. */
import type { ImportRow, TextFormat } from '../../../shared/import/table.ts'
import { damaged, type ImportLimits, ImportRefusedError, tooLarge } from './limits.ts'
import {
  type FormatMeaning,
  formatMeaning,
  isTrue,
  type SheetContext,
  SheetReader,
  unescapedText,
} from './sheet-reader.ts'
import {
  type Attributes,
  type FileContent,
  openZip,
  readXml,
  type XmlListener,
  type ZipParts,
} from './workbook-parts.ts'

/** The result of a reader: nonempty rows, and notes about them. */
export interface ReadTable {
  readonly rows: readonly ImportRow[]
  readonly sheet: string
  readonly sheets: readonly string[]
  /** The format that a text file was read with; `null` for a workbook. */
  readonly text: TextFormat | null
  readonly notes: readonly string[]
}

interface Relation {
  readonly id: string
  /** The last segment of its type: `worksheet`, `sharedStrings`. */
  readonly type: string
  /** Path from the root of the file, without a leading slash. */
  readonly target: string
}

interface SheetEntry {
  readonly name: string
  readonly relation: string
  readonly isHidden: boolean
}

/**
 * Reads the named sheet, or else the first visible one with rows.
 * @param file a file that starts like a ZIP file
 * @throws ImportRefusedError
 */
export async function readWorkbook(
  file: FileContent,
  sheet: string,
  limits: ImportLimits,
): Promise<ReadTable> {
  const zip = await openZip(file, limits)
  try {
    return await new WorkbookReader(zip, limits).read(sheet)
  } finally {
    zip.close()
  }
}

class WorkbookReader {
  readonly #zip: ZipParts
  readonly #limits: ImportLimits

  constructor(zip: ZipParts, limits: ImportLimits) {
    this.#zip = zip
    this.#limits = limits
  }

  async read(wanted: string): Promise<ReadTable> {
    this.#mustBeWorkbook()
    const top = await this.#relations('')
    const workbookPath = top.find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml'
    const relations = await this.#relations(workbookPath)
    const { sheets, is1904 } = await this.#workbook(workbookPath)
    const visible = sheets.filter(({ isHidden }) => !isHidden)
    const listed = visible.length > 0 ? visible : sheets
    const chosen = listed.find(({ name }) => name === wanted)
    const part = (type: string): string | undefined => relations.find((each) => each.type === type)?.target
    const context: SheetContext = {
      sharedTexts: await this.#sharedTexts(part('sharedStrings')),
      meanings: await this.#meanings(part('styles')),
      is1904,
      isOurs: await this.#isOurs(top.find(({ type }) => type === 'core-properties')?.target),
    }
    let first: ReadTable | undefined
    // The first sheet may be empty or a chart. Unless the user chose one, use the first one with rows.
    for (const sheet of chosen === undefined ? listed : [chosen]) {
      const target = relations.find(({ id }) => id === sheet.relation)
      if (target === undefined) throw damaged(`The sheet ${sheet.name} is missing.`)
      if (target.type !== 'worksheet') continue
      const reader = new SheetReader(context, this.#limits)
      await this.#xml(target.target, reader)
      const table: ReadTable = {
        rows: reader.rows,
        sheet: sheet.name,
        sheets: listed.map(({ name }) => name),
        text: null,
        notes: reader.notes(),
      }
      first ??= table
      if (table.rows.length > 0) return table
    }
    if (chosen === undefined && listed.length < sheets.length)
      throw new ImportRefusedError(
        'The sheets of this workbook are empty, except for hidden ones.',
        'Unhide them in Excel, save the workbook, and import it again.',
      )
    if (first !== undefined) return first
    throw chosen === undefined
      ? new ImportRefusedError('This workbook has no sheet with cells.', 'Choose another file.')
      : new ImportRefusedError(`The sheet “${chosen.name}” has no cells.`, 'Choose another sheet.')
  }

  #mustBeWorkbook(): void {
    if (this.#zip.has('xl/workbook.bin')) {
      throw new ImportRefusedError(
        'This is a binary workbook (.xlsb).',
        'Save it in Excel as a regular workbook (.xlsx).',
      )
    }
    if (this.#zip.has('content.xml')) {
      throw new ImportRefusedError(
        'This is an OpenDocument file (.ods).',
        'Save it as a workbook (.xlsx) or CSV.',
      )
    }
    if (!this.#zip.has('[Content_Types].xml')) {
      throw new ImportRefusedError(
        'This is a zipped file, but not a workbook.',
        'Unzip it, and import what is in it.',
      )
    }
  }

  #xml(path: string, listener: XmlListener): Promise<void> {
    return readXml(this.#zip.read(path), this.#limits, listener)
  }

  /** Reads the relations of a part; `''` for the whole file. */
  async #relations(path: string): Promise<readonly Relation[]> {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, slash + 1)
    const list = `${folder}_rels/${path.slice(slash + 1)}.rels`
    if (!this.#zip.has(list)) return []
    const relations: Relation[] = []
    await this.#xml(list, {
      open: (name, attributes) => {
        if (name !== 'Relationship' || attributes['TargetMode'] === 'External') return
        if (relations.length > this.#limits.parts) throw tooLarge('more parts')
        relations.push({
          id: attributes['Id'] ?? '',
          type: (attributes['Type'] ?? '').split('/').at(-1) ?? '',
          target: resolved(folder, attributes['Target'] ?? ''),
        })
      },
    })
    return relations
  }

  async #workbook(
    path: string,
  ): Promise<{ readonly sheets: readonly SheetEntry[]; readonly is1904: boolean }> {
    const sheets: SheetEntry[] = []
    let is1904 = false
    await this.#xml(path, {
      open: (name, attributes) => {
        if (name === 'workbookPr') is1904 = isTrue(attributes['date1904'])
        if (name !== 'sheet') return
        if (sheets.length >= this.#limits.sheets) throw tooLarge('more sheets')
        sheets.push({
          name: unescapedText(attributes['name'] ?? ''),
          relation: relationOf(attributes),
          isHidden: ['hidden', 'veryHidden'].includes(attributes['state'] ?? ''),
        })
      },
    })
    return { sheets, is1904 }
  }

  async #sharedTexts(path: string | undefined): Promise<readonly string[]> {
    const texts: string[] = []
    if (path === undefined) return texts
    let text = ''
    let isText = false
    let isPhonetic = false
    let characters = 0
    await this.#xml(path, {
      open: (name) => {
        if (name === 'si') text = ''
        else if (name === 'rPh') isPhonetic = true
        else if (name === 't') isText = !isPhonetic
      },
      close: (name) => {
        if (name === 't') isText = false
        else if (name === 'rPh') isPhonetic = false
        else if (name === 'si') {
          if (texts.length >= this.#limits.cells) throw tooLarge('more texts')
          texts.push(unescapedText(text))
        }
      },
      text: (piece) => {
        if (!isText) return
        characters += piece.length
        if (characters > this.#limits.characters) throw tooLarge('more text')
        text += piece
      },
    })
    return texts
  }

  /** The creator stays when another program saves the file. */
  async #isOurs(path: string | undefined): Promise<boolean> {
    if (path === undefined || !this.#zip.has(path)) return false
    let text = ''
    for await (const piece of this.#zip.read(path)) {
      text += Buffer.from(piece).toString('latin1')
      if (text.length > 100_000) break
    }
    return /<dc:creator>Bookbridge</.test(text)
  }

  /** Reads the meaning of numbers for each cell style. */
  async #meanings(path: string | undefined): Promise<readonly FormatMeaning[]> {
    const meanings: FormatMeaning[] = []
    if (path === undefined) return meanings
    const codes = new Map<number, string>()
    let isInCells = false
    await this.#xml(path, {
      open: (name, attributes) => {
        if (name === 'numFmt')
          codes.set(Number(attributes['numFmtId']), (attributes['formatCode'] ?? '').slice(0, 500))
        else if (name === 'cellXfs') isInCells = true
        else if (name === 'xf' && isInCells) {
          if (meanings.length > 100_000) throw tooLarge('more formats')
          const id = Number(attributes['numFmtId'] ?? 0)
          meanings.push(formatMeaning(id, codes.get(id)))
        }
      },
      close: (name) => {
        if (name === 'cellXfs') isInCells = false
      },
    })
    return meanings
  }
}

/** The value of `r:id` with any prefix. */
function relationOf(attributes: Attributes): string {
  return Object.entries(attributes).find(([name]) => name.endsWith(':id'))?.[1] ?? ''
}

/** Resolves the target of a relation to a path from the root of the file. */
function resolved(folder: string, target: string): string {
  const path = target.startsWith('/') ? target.slice(1) : folder + target
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.' && step !== '') steps.push(step)
  }
  return steps.join('/')
}
