/**
 * Recognizes rows of a printed list that aren't records: totals, repeated headings, print stamps, and rules.
 * They are skipped unless the user selects them.
 */
import {
  type HeadedTable,
  type ImportCell,
  type ImportRow,
  cellText,
  isBlank,
} from '../../../../shared/import/table.ts'
import { plainName } from '../columns/headings.ts'

/** Says why a row doesn't look like a record; empty if it may be one. */
export type NonRecordDetector = (row: ImportRow) => string

const TOTAL = /^(?:(?:grand|report|overall|final|page)\s+)?(?:sub-?\s?)?totals?\s*[:.]?$/i
const TOTAL_OF = /^(?:(?:grand|sub-?)\s?)?totals?\s+(for\s+|of\s+|[-–:]\s*)?(\S.*)$/i
const OF_TOTAL = /^(\S.*?)[\s-–]+(?:sub-?)?totals?\s*:?$/i
/** *Total* in other languages, as in the exports of accounting programs and Excel's pivot tables. */
const TOTAL_ELSEWHERE = new RegExp(
  `^(?:${[
    'total(?:e|es|i|t)? (?:general|général|generale|complessivo|geral|cumulé)',
    'gran total|suma total|sous-total|subtotal(?:e|es)?|subtotaal|eindtotaal|totaal(?:bedrag)?|totale|totales|totalt?|totali|totaux',
    'gesamt(?:summe|ergebnis|betrag)?|(?:zwischen|end|teil)?summe|insgesamt',
    'somme|suma(?: końcowa)?|somma|soma|summa|sum|razem|ogółem|łącznie|celkem|součet|spolu|skupaj|ukupno|összesen|végösszeg',
    'i alt|yhteensä|välisumma|delsumma|toplam|genel toplam|σύνολο|итого|всего|общий итог|разом|усього|общо',
    '合計|小計|総計|合计|小计|总计|總計|합계|총계|소계|סה"כ|المجموع|الإجمالي|รวม|tổng(?: cộng)?|jumlah',
  ].join('|')})\\s*[:.]?$`,
  'iu',
)
/** What a total can sum up, besides a name in the file. */
const ALL_OF_THEM =
  /^(?:all\s+)?(?:customers?|vendors?|suppliers?|accounts?|clients?|records?|rows?|balances?)$/i

const RULE = /^[\s\-–—=_*.·]+$/
const PAGE = /(?:^|\s)page\s+\d+(?:\s*(?:of|\/)\s*\d+)?$/i
/** Footers, alone in their row or next to a date. */
const FOOTERS = [
  /^(?:date\s+)?(?:printed|generated|exported|created|prepared|produced|downloaded)\b.*\d/i,
  /^(?:print|run|report|export)\s+(?:date|time|run|printed|generated)\b.*\d/i,
  /^as of\b.*\d/i,
  /\b(?:accrual|cash) basis$/i,
  /^[\W_]*end of (?:report|list|file|data)\b/i,
  /^(?:total\s+)?(?:number|count) of [\p{L} ]+:?\s*\d*$/iu,
  /^\d[\d,]*\s+(?:customers?|vendors?|suppliers?|accounts?|clients?|records?|rows?|entries|items?)\.?$/i,
  /^(?:records?|rows?|customers?|vendors?|accounts?)\s*:\s*\d[\d,]*$/i,
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b.*\b\d{4}\b/i,
]
const MOMENT = /^\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}(?:,?\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?)?$/i
const AMOUNT = /^[-+(]?\p{Sc}?\s?[-(]?\d[\d.,'’\s]*\)?\s?-?$/u

/**
 * Creates a detector for one table.
 * @param nameColumns indexes of the columns that name a record
 */
export function createNonRecordDetector(
  table: HeadedTable,
  nameColumns: readonly number[],
): NonRecordDetector {
  const headings = table.headings.map(plainName)
  const titles = new Set((table.titles ?? []).flatMap((row) => filledTexts(row.cells)))
  const names = new Set(
    table.rows.flatMap(({ cells }) =>
      nameColumns.flatMap((column) => {
        const name = cellText(cells[column] ?? '')
          .trim()
          .toLowerCase()
        // Printed lists show only the last part of a sub-record's name.
        return name === '' ? [] : [name, name.split(':').at(-1)?.trim() ?? name]
      }),
    ),
  )
  return ({ cells }) => {
    const filled = cells.filter((cell) => !isBlank(cell))
    const texts = filledTexts(cells)
    const [first = ''] = texts
    if (repeatsHeadings(cells, headings)) return 'Repeated headings'
    if (texts.length === filled.length && texts.every((text) => RULE.test(text))) return 'Ruled line'
    if (titles.size > 0 && texts.length === filled.length && texts.every((text) => titles.has(text)))
      return 'Repeated title'
    if (
      TOTAL.test(first) ||
      (TOTAL_ELSEWHERE.test(first) && filled.some(isAmount)) ||
      isTotalOf(first, names, filled.length - texts.length)
    )
      return 'Looks like a total'
    if (texts.some((text) => PAGE.test(text)) && texts.length === filled.length)
      return 'Looks like a page footer'
    const isSparse = filled.length <= 2 && headings.length > 2
    const others = texts.slice(1)
    if (
      isSparse &&
      FOOTERS.some((footer) => footer.test(first)) &&
      others.every((text) => MOMENT.test(text) || AMOUNT.test(text))
    )
      return 'Looks like a footer'
    if (isSparse && filled.length > 0 && filled.every(isMoment)) return 'Print date or time'
    const hasName = nameColumns.some((column) => !isBlank(cells[column] ?? ''))
    if (!hasName && nameColumns.length > 0 && filled.length > 0 && filled.every(isAmount))
      return 'Only amounts, like a total'
    return ''
  }
}

function filledTexts(cells: readonly ImportCell[]): readonly string[] {
  return cells.flatMap((cell) => (typeof cell === 'string' && cell.trim() !== '' ? [cell.trim()] : []))
}

function repeatsHeadings(cells: readonly ImportCell[], headings: readonly string[]): boolean {
  let same = 0
  for (const [column, cell] of cells.entries()) {
    if (isBlank(cell)) continue
    if (typeof cell !== 'string' || plainName(cell) !== headings[column]) return false
    same += 1
  }
  return same >= 2 || (same === 1 && headings.length === 1)
}

/** Recognizes `Total for Alder`, and `Total Alder` if the file contains Alder. `Total Fitness` is a name. */
function isTotalOf(label: string, names: ReadonlySet<string>, numbers: number): boolean {
  const [, of, after] = TOTAL_OF.exec(label) ?? []
  const name = (after ?? OF_TOTAL.exec(label)?.[1] ?? '').trim().toLowerCase()
  if (name === '') return false
  if (ALL_OF_THEM.test(name) || names.has(name)) return true
  return of !== undefined && numbers > 0
}

function isMoment(cell: ImportCell): boolean {
  return typeof cell === 'string' ? MOMENT.test(cell.trim()) : typeof cell === 'object' && 'date' in cell
}

function isAmount(cell: ImportCell): boolean {
  return typeof cell === 'string' ? AMOUNT.test(cell.trim()) : typeof cell === 'object' && 'number' in cell
}
