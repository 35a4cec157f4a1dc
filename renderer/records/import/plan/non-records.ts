/**
 * Recognizes rows of a printed list that aren't records: totals, repeated headings, print stamps, and rules. They are
 * skipped unless the user selects them. Most are recognized by a label, in several languages. A row whose amounts are the
 * sums of those above is a total, whatever its label, and rows that stand alone below the list are footers.
 */
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  isZero,
  parseDecimal,
} from '../../../../shared/format/money.ts'
import { readDate } from '../../../../shared/format/written-dates.ts'
import {
  cellText,
  type HeadedTable,
  type ImportCell,
  type ImportRow,
  isBlank,
} from '../../../../shared/import/table.ts'
import { type Interruptible, ROWS_PER_STEP } from '../../list/time-slice.ts'
import { plainName } from '../columns/headings.ts'
import { type ChosenFormats, createColumnReader, type LocalFormats } from './values.ts'

/** Why rows don't look like records, by their numbers in the file. */
export type NonRecords = ReadonlyMap<number, string>

const TOTAL =
  /^(?:(?:grand|report|overall|final|page|net|running|company|list|group|section|column)\s+)*(?:sub[-\s]?)?totals?$/i
const TOTAL_OF = /^(?:(?:grand|net|sub-?)\s?)?totals?\s+(for\s+|of\s+|[-–:]\s*)?(\S.*)$/i
const OF_TOTAL = /^(\S.*?)[\s-–]+(?:sub-?)?totals?$/i
/** *Total* in other languages, as in the exports of accounting programs and Excel's pivot tables. */
const TOTAL_ELSEWHERE = new RegExp(
  `^(?:${[
    'total(?:e|es|i|t)? (?:general|général|generale|complessivo|geral|cumulé)',
    'gran total|suma total|sous-total|subtotal(?:e|es)?|subtotaal|eindtotaal|totaal(?:bedrag)?|totale|totales|totalt?|totali|totaux',
    'gesamt(?:summe|ergebnis|betrag)?|(?:zwischen|end|teil)?summe|insgesamt',
    'somme|suma(?: końcowa)?|somma|soma|summa|sum|razem|ogółem|łącznie|celkem|součet|spolu|skupaj|ukupno|összesen|végösszeg',
    'i alt|yhteensä|välisumma|delsumma|toplam|genel toplam|σύνολο|итого|всего|общий итог|разом|усього|общо',
    '合計|小計|総計|合计|小计|总计|總計|합계|총계|소계|סה"כ|المجموع|الإجمالي|รวม|tổng(?: cộng)?|jumlah',
    'averages?|count|mean|median|minimum|maximum|(?:balances? )?(?:carried|brought) forward|balances? forward',
  ].join('|')})$`,
  'iu',
)
const RECORDS = String.raw`(?:customers?|vendors?|suppliers?|accounts?|clients?|records?|rows?|entries|items?)`
/** What a total can sum up, besides a name in the file. */
const ALL_OF_THEM = new RegExp(
  String.raw`^(?:(?:all|active|inactive)\s+)?(?:${RECORDS}|count|amounts?|due|outstanding|owed|(?:open |outstanding )?balances?(?: due)?|a\/[rp]|accounts? (?:receivable|payable)|receivables?|payables?)$`,
  'i',
)
/** What may end the label of a total: its currency, its amount, or how many it counts. */
const CURRENCY_END = /^(.*?)[\s([]+(\p{Sc}|[A-Z]{3})[\])]?$/u
const AMOUNT_END = new RegExp(
  String.raw`^(.*?)\s*[\s:=|([]\s*(?:\p{Sc}\s?)?-?\d[\d.,]*\s*${RECORDS}?[\])]?$`,
  'iu',
)
const CURRENCY_CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'))

const RULE = /^[\s\-–—=_*.·]+$/
const PAGE =
  /(?:^|\s)(?:page|seite|página|pagina|pág\.?|sida|side|strona|blad|oldal)[\s:]+\d+(?:\s*(?:of|\/|de|sur|von|van|di|av|af|z)\s*\d+)?$/i
const PAGE_NUMBER = /^(?:[-–—]\s*\d+\s*[-–—]|\d+\s+of\s+\d+|\d+\s*\/\s*\d+)$/i
const MONTH = String.raw`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?`
/** A date or a time in a text. */
const DATED = new RegExp(
  String.raw`\d{1,4}[/.-]\d{1,2}[/.-]\d{1,4}|\b\d{1,2}:\d{2}\b|\b${MONTH}\s+\d{1,2},?\s+\d{4}|\b\d{1,2}\.?\s+${MONTH}\s+\d{4}`,
  'i',
)
/** Footers, alone in their row or next to a date. */
const FOOTERS = [
  /^(?:filter(?:ed by)?|sort(?:ed by)?|(?:print(?:ed)?|run|prepared|exported|generated) (?:by|for)|user|date|time|basis)\s*:(?:\s|$)/i,
  /^(?:report\s+)?(?:generated|exported|created|printed|produced|downloaded) (?:by|from|in|with|using) (?:quickbooks|xero|sage|freshbooks|zoho|wave|myob|netsuite|excel|bookbridge)\b/i,
  /^(?:accrual|cash) basis$/i,
  /^[\W_]*end(?: of (?:report|list|file|data)\b.*|[\W_]+)$/i,
  /^\(?continued(?: on (?:the )?next page)?[).…]*$/i,
  /^(?:©|\(c\)|copyright)\s.*\b\d{4}\b/i,
  new RegExp(
    String.raw`^(?:total\s+)?(?:${RECORDS}|(?:record|row|customer|vendor|account)\s+count|count|(?:number|count) of [\p{L} ]+)\s*:\s*\d[\d,]*$`,
    'iu',
  ),
  /^(?:total\s+)?(?:number|count) of [\p{L} ]+\d*$/iu,
  new RegExp(String.raw`^\d[\d,]*\s+(?:of\s+\d[\d,]*\s+)?${RECORDS}\.?$`, 'i'),
  new RegExp(String.raw`^(?:all|active|inactive) ${RECORDS}$`, 'i'),
]
/** Footers that a date or a time follows. */
const DATED_FOOTERS = [
  /^(?:date\s+)?(?:printed|generated|exported|created|prepared|produced|downloaded)\b/i,
  /^(?:print|run|report|export)\s+(?:date|time|run|printed|generated)\b/i,
  /^as of\b/i,
  /\b(?:accrual|cash) basis\b/i,
  /^(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i,
  /^(?:gedruckt|erstellt|imprimé|édité|impreso|stampato|afgedrukt)\s/i,
]
const TIME = /^\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?$/i
const TIME_END = /,?\s+\d{1,2}:\d{2}(?::\d{2})?(?:\s*[ap]\.?m\.?)?$/i
const AMOUNT = /^[-+(]?\p{Sc}?\s?[-(]?\d[\d.,'’\s]*\)?\s?-?$/u

/** How many amounts have to add up before their sum alone identifies a total. */
const ADDENDS = 3

interface Formats {
  readonly local: LocalFormats
  readonly chosen: ChosenFormats
}

/**
 * Looks at every row.
 * @param nameColumns columns that name a record, by index
 */
export function* findNonRecords(
  table: HeadedTable,
  nameColumns: readonly number[],
  formats: Formats,
): Interruptible<NonRecords> {
  const labels = new Labels(table, nameColumns)
  const sums = new Sums(table, formats)
  const reasons = new Map<number, string>()
  for (const [at, row] of table.rows.entries()) {
    const reason = labels.reason(row)
    const isSum = sums.take(row, reason)
    if (reason !== '' || isSum) reasons.set(row.number, reason || 'The sum of the rows above')
    if (at % ROWS_PER_STEP === 0) yield
  }
  for (const row of rowsBelow(table, reasons)) reasons.set(row.number, 'Below the list, like a footer')
  return reasons
}

/** Judges a row by what its cells say. */
class Labels {
  readonly #headings: readonly string[]
  readonly #titles: ReadonlySet<string>
  readonly #names: ReadonlySet<string>
  readonly #nameColumns: readonly number[]

  constructor(table: HeadedTable, nameColumns: readonly number[]) {
    this.#nameColumns = nameColumns
    this.#headings = table.headings.map(plainName)
    this.#titles = new Set((table.titles ?? []).flatMap((row) => filledTexts(row.cells)))
    this.#names = new Set(
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
  }

  /** Empty for a row that may be a record. */
  reason({ cells }: ImportRow): string {
    const filled = cells.filter((cell) => !isBlank(cell))
    const texts = filledTexts(cells)
    const [first = '', ...others] = texts
    if (repeatsHeadings(cells, this.#headings)) return 'Repeated headings'
    const isText = texts.length === filled.length
    if (isText && texts.every((text) => RULE.test(text))) return 'Ruled line'
    if (isText && this.#titles.size > 0 && texts.every((text) => this.#titles.has(text)))
      return 'Repeated title'
    if (this.#isTotal(first, filled)) return 'Looks like a total'
    if (isText && texts.some((text) => PAGE.test(text))) return 'Looks like a page footer'
    if (filled.length <= 2 && this.#headings.length > 2) {
      const isFooter =
        FOOTERS.some((footer) => footer.test(first)) ||
        (DATED.test(first) && DATED_FOOTERS.some((footer) => footer.test(first)))
      if (isFooter && others.every((text) => isMoment(text) || AMOUNT.test(text)))
        return 'Looks like a footer'
      if (filled.length === 1 && PAGE_NUMBER.test(first)) return 'Looks like a page footer'
      if (filled.length > 0 && filled.every(isMoment)) return 'Print date or time'
    }
    const hasName = this.#nameColumns.some((column) => !isBlank(cells[column] ?? ''))
    if (!hasName && this.#nameColumns.length > 0 && filled.length > 0 && filled.every(isAmount))
      return 'Only amounts, like a total'
    return ''
  }

  #isTotal(first: string, filled: readonly ImportCell[]): boolean {
    const label = first.replace(/(?:[\s:=]|\.{2,})+$/, '')
    if (TOTAL_ELSEWHERE.test(label) && filled.some(isAmount)) return true
    if (!/total/i.test(label)) return false
    if (TOTAL.test(label)) return true
    if (this.#isTotalOf(label, filled)) return true
    const ended = withoutEnd(label)
    return ended !== label && (TOTAL.test(ended) || ALL_OF_THEM.test(TOTAL_OF.exec(ended)?.[2] ?? ''))
  }

  /** Recognizes `Total for Alder`, and `Total Alder` if the file contains Alder. `Total Fitness` is a name. */
  #isTotalOf(label: string, filled: readonly ImportCell[]): boolean {
    const [, of, after] = TOTAL_OF.exec(label) ?? []
    const name = (after ?? OF_TOTAL.exec(label)?.[1] ?? '').trim().toLowerCase()
    if (name === '') return false
    if (ALL_OF_THEM.test(name) || this.#names.has(name)) return true
    return of !== undefined && filled.some(isAmount)
  }
}

/** `Total (USD)`, `Total: $30.00`, and `Total customers (3)` without their ends. */
function withoutEnd(label: string): string {
  const [, before = '', currency = ''] = CURRENCY_END.exec(label) ?? []
  const isCurrency = currency.length < 3 || CURRENCY_CODES.has(currency)
  const rest = currency !== '' && isCurrency ? before : (AMOUNT_END.exec(label)?.[1] ?? label)
  return rest.replace(/[\s:=|([-]+$/, '')
}

/**
 * Finds totals by adding up. A row whose amounts are the sums of the rows above, since the last total or since the first
 * row, and that says nothing else but a label, is one.
 */
class Sums {
  readonly #columns: readonly { readonly at: number; readonly amount: (cell: ImportCell) => Decimal | null }[]
  /** Whether rows say more than a name and amounts, so that a row which doesn't stands out. */
  readonly #isWide: boolean
  readonly #last: ImportRow | undefined
  #all: readonly Running[]
  /** Since the last total; `null` before the first one. */
  #part: readonly Running[] | null = null

  constructor({ rows }: HeadedTable, { local, chosen }: Formats) {
    const bare = rows.filter(isBareAmounts)
    this.#isWide = bare.length * 2 < rows.length
    this.#last = rows.at(-1)
    const columns = new Set(
      bare.flatMap(({ cells }) => cells.flatMap((cell, column) => (isAmount(cell) ? [column] : []))),
    )
    this.#columns = [...columns].map((at) => {
      const cells = rows.map((row) => row.cells[at] ?? '').filter(isAmount)
      const { read } = createColumnReader('money', cells, local, chosen)
      return {
        at,
        amount: (cell: ImportCell) => {
          const value = isAmount(cell) ? read(cell) : null
          return value?.ok && typeof value.value === 'string' ? parseDecimal(value.value) : null
        },
      }
    })
    this.#all = this.#columns.map(() => NOTHING)
  }

  /**
   * Adds a row, unless it is no record.
   * @param reason why it is none
   * @returns whether it is the sum of the rows above
   */
  take(row: ImportRow, reason: string): boolean {
    if (this.#columns.length === 0) return false
    const amounts = this.#columns.map(({ at, amount }) => amount(row.cells[at] ?? ''))
    const canBeTotal = this.#isWide || row === this.#last
    const isSum =
      reason === '' &&
      canBeTotal &&
      isBareAmounts(row) &&
      (adds(amounts, this.#all) || (this.#part !== null && adds(amounts, this.#part)))
    if (isSum || reason !== '') {
      this.#part = this.#columns.map(() => NOTHING)
    } else {
      const add = (running: Running, index: number): Running => added(running, amounts[index] ?? null)
      this.#all = this.#all.map(add)
      this.#part = this.#part?.map(add) ?? null
    }
    return isSum
  }
}

interface Running {
  readonly sum: Decimal
  /** Amounts other than 0. */
  readonly count: number
}

const NOTHING: Running = { sum: parseDecimal('0') as Decimal, count: 0 }

function added(running: Running, amount: Decimal | null): Running {
  if (amount === null || isZero(amount)) return running
  return { sum: addDecimals(running.sum, amount), count: running.count + 1 }
}

function adds(amounts: readonly (Decimal | null)[], sums: readonly Running[]): boolean {
  const given = amounts.flatMap((amount, index) => {
    const running = sums[index]
    return amount === null || running === undefined ? [] : [{ amount, running }]
  })
  return (
    given.some(({ amount, running }) => !isZero(amount) && running.count >= ADDENDS) &&
    given.every(({ amount, running }) => compareDecimals(amount, running.sum) === 0)
  )
}

/** At most a label, and amounts. */
function isBareAmounts({ cells }: ImportRow): boolean {
  let texts = 0
  let amounts = 0
  for (const cell of cells) {
    if (isBlank(cell)) continue
    if (isAmount(cell)) amounts += 1
    else if (typeof cell === 'string') texts += 1
    else return false
  }
  return amounts > 0 && texts <= 1
}

/** The rows at the end that stand alone, after a total or blank rows, where records have more cells. */
function rowsBelow({ headings, rows }: HeadedTable, reasons: NonRecords): readonly ImportRow[] {
  const isAlone = ({ cells }: ImportRow): boolean => cells.filter((cell) => !isBlank(cell)).length <= 1
  if (headings.length <= 2) return []
  let end = rows.length
  while (end > 0 && (reasons.has(rows[end - 1]?.number ?? 0) || isAlone(rows[end - 1] as ImportRow))) end -= 1
  if (end === 0 || rows.slice(0, end).filter(isAlone).length * 2 > end) return []
  const below: ImportRow[] = []
  let isApart = false
  for (const [at, row] of rows.entries()) {
    if (at < end) continue
    const before = rows[at - 1]
    isApart ||= before !== undefined && (reasons.has(before.number) || row.number > before.number + 1)
    if (isApart && !reasons.has(row.number)) below.push(row)
  }
  return below
}

function filledTexts(cells: readonly ImportCell[]): readonly string[] {
  return cells.flatMap((cell) => (typeof cell === 'string' && cell.trim() !== '' ? [cell.trim()] : []))
}

/** At most one cell may say something else, such as *Customer (continued)*. */
function repeatsHeadings(cells: readonly ImportCell[], headings: readonly string[]): boolean {
  let same = 0
  let others = 0
  for (const [column, cell] of cells.entries()) {
    if (isBlank(cell)) continue
    if (typeof cell === 'string' && plainName(cell) === headings[column]) same += 1
    else if ((others += 1) > 1) return false
  }
  return others === 0 ? same >= 2 || (same === 1 && headings.length === 1) : same >= 3
}

function isMoment(cell: ImportCell): boolean {
  if (typeof cell !== 'string') return typeof cell === 'object' && 'date' in cell
  const text = cell.trim()
  if (!/^[\dA-Z]/i.test(text) || text.length > 40) return false
  const day = text.replace(TIME_END, '')
  return TIME.test(text) || readDate(day, 'month-first') !== null || readDate(day, 'day-first') !== null
}

function isAmount(cell: ImportCell): boolean {
  return typeof cell === 'string' ? AMOUNT.test(cell.trim()) : typeof cell === 'object' && 'number' in cell
}
