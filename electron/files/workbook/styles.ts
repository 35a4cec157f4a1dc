/** The looks of cells as `styles.xml`: each combination that a workbook uses, once, found by its number. */

/** What stands in a column's cells: `amount` shows two decimals and more where there are more, `integer` none. */
export type CellKind = 'text' | 'amount' | 'integer' | 'boolean' | 'moment'

/** How a row looks. Rows that look alike share one object, so that its styles are found by identity. */
export interface RowLook {
  readonly role: 'body' | 'heading' | 'title' | 'note' | 'caution'
  /** Steps by which the first cell stands in. */
  readonly indent: number
  readonly bold: boolean
  /** `subtotal`: a line above its numbers. `total`: a line above and a double line below. */
  readonly rule: 'none' | 'subtotal' | 'total'
}

export const PLAIN: RowLook = { role: 'body', indent: 0, bold: false, rule: 'none' }
export const HEADING: RowLook = { role: 'heading', indent: 0, bold: true, rule: 'none' }
export const TITLE: RowLook = { role: 'title', indent: 0, bold: true, rule: 'none' }
export const NOTE: RowLook = { role: 'note', indent: 0, bold: false, rule: 'none' }
export const CAUTION: RowLook = { role: 'caution', indent: 0, bold: false, rule: 'none' }

/** How the person wants negatives: −1,234.50 or (1,234.50). */
export type Negatives = 'minus' | 'brackets'

/** Excel refuses more. */
const MOST_INDENT = 15
const TEXT_FORMAT = 49

const FONTS = {
  plain: '<font><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  bold: '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font>',
  title: '<font><b/><sz val="14"/><name val="Calibri"/><family val="2"/></font>',
  note: '<font><sz val="10"/><color rgb="FF5F6368"/><name val="Calibri"/><family val="2"/></font>',
  caution: '<font><b/><sz val="10"/><color rgb="FF8A4A00"/><name val="Calibri"/><family val="2"/></font>',
}
const BORDERS = {
  none: '<border><left/><right/><top/><bottom/><diagonal/></border>',
  heading: '<border><left/><right/><top/><bottom style="thin"><color auto="1"/></bottom><diagonal/></border>',
  subtotal: '<border><left/><right/><top style="thin"><color auto="1"/></top><bottom/><diagonal/></border>',
  total:
    '<border><left/><right/><top style="thin"><color auto="1"/></top><bottom style="double"><color auto="1"/></bottom><diagonal/></border>',
}
const FONT_NAMES = Object.keys(FONTS)
const BORDER_NAMES = Object.keys(BORDERS)

/** Numbers of our own formats begin at 164. */
const FORMAT_IDS: Readonly<Record<CellKind, number>> = {
  text: TEXT_FORMAT,
  amount: 164,
  integer: 1,
  boolean: 0,
  moment: 165,
}
const AMOUNTS: Readonly<Record<Negatives, string>> = {
  minus: '#,##0.00######',
  brackets: '#,##0.00######_);(#,##0.00######)',
}

/** Collects the looks that are used while the sheets are written; `styles.xml` comes last. */
export class Styles {
  readonly #negatives: Negatives
  readonly #numbers = new Map<string, number>()
  readonly #rows = new Map<RowLook, Map<CellKind, readonly [first: number, others: number]>>()

  constructor(negatives: Negatives) {
    this.#negatives = negatives
    // The first look is every cell's that names none.
    this.#number('<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>')
  }

  /** The style's number for a cell of this kind in a row of this look. */
  of(look: RowLook, kind: CellKind, isFirst: boolean): number {
    const byKind = this.#rows.get(look) ?? new Map<CellKind, readonly [first: number, others: number]>()
    this.#rows.set(look, byKind)
    const known = byKind.get(kind)
    if (known !== undefined) return known[isFirst ? 0 : 1]
    const both = [this.#number(format(look, kind, true)), this.#number(format(look, kind, false))] as const
    byKind.set(kind, both)
    return both[isFirst ? 0 : 1]
  }

  xml(): string {
    const formats = [...this.#numbers.keys()]
    return [
      '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n',
      '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">',
      `<numFmts count="2"><numFmt numFmtId="164" formatCode="${AMOUNTS[this.#negatives]}"/>`,
      '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm"/></numFmts>',
      `<fonts count="${String(FONT_NAMES.length)}">${Object.values(FONTS).join('')}</fonts>`,
      '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>',
      '<fill><patternFill patternType="solid"><fgColor rgb="FFF1F3F4"/><bgColor indexed="64"/></patternFill></fill></fills>',
      `<borders count="${String(BORDER_NAMES.length)}">${Object.values(BORDERS).join('')}</borders>`,
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
      `<cellXfs count="${String(formats.length)}">${formats.join('')}</cellXfs>`,
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
      '</styleSheet>',
    ].join('')
  }

  #number(xml: string): number {
    const known = this.#numbers.get(xml)
    if (known !== undefined) return known
    const next = this.#numbers.size
    this.#numbers.set(xml, next)
    return next
  }
}

function isNumber(kind: CellKind): boolean {
  return kind === 'amount' || kind === 'integer'
}

function fontOf(look: RowLook): keyof typeof FONTS {
  if (look.role === 'title' || look.role === 'note' || look.role === 'caution') return look.role
  return look.bold ? 'bold' : 'plain'
}

/** One `xf`. Headings are text over their column's numbers; rules are drawn under and over numbers alone. */
function format(look: RowLook, kind: CellKind, isFirst: boolean): string {
  const isBody = look.role === 'body'
  const border = look.role === 'heading' ? 'heading' : isBody && isNumber(kind) ? look.rule : 'none'
  const numbers = {
    numFmtId: isBody ? FORMAT_IDS[kind] : TEXT_FORMAT,
    fontId: FONT_NAMES.indexOf(fontOf(look)),
    fillId: look.role === 'heading' ? 2 : 0,
    borderId: BORDER_NAMES.indexOf(border),
    xfId: 0,
  }
  const attributes = Object.entries(numbers).map(([name, value]) => `${name}="${String(value)}"`)
  const alignment = alignmentOf(look, kind, isFirst)
  const open = `<xf ${attributes.join(' ')} applyNumberFormat="1" applyFont="1" applyFill="1" applyBorder="1"`
  return alignment === '' ? `${open}/>` : `${open} applyAlignment="1"><alignment ${alignment}/></xf>`
}

function alignmentOf(look: RowLook, kind: CellKind, isFirst: boolean): string {
  if (look.role === 'heading') {
    if (isNumber(kind)) return 'horizontal="right" wrapText="1"'
    return `horizontal="left"${isFirst ? '' : ' indent="1"'} wrapText="1"`
  }
  if (look.role !== 'body' || isNumber(kind)) return ''
  // Text beside an amount stands clear of it.
  if (!isFirst) return kind === 'text' ? 'horizontal="left" indent="1"' : ''
  return look.indent > 0 ? `horizontal="left" indent="${String(Math.min(MOST_INDENT, look.indent))}"` : ''
}
