/**
 * Totals among rows that the service doesn’t mark as such: rows of an unknown type, and data rows. What the service states
 * after a row decides first, then what the row adds up, its place, and its words. If they don’t tell, both are possible.
 */
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  type Decimal,
  isZero,
  negateDecimal,
  parseDecimal,
  subtractDecimals,
} from '../../shared/format/money.ts'
import { levelReport, subjectOf } from '../../shared/reports/levels.ts'
import type { ReportRow } from '../../shared/reports/reports.ts'
import { isPlainTotal, isResult as mayBeResult, resultSigns } from '../../shared/reports/subjects.ts'
import type { CheckSums, FullReport } from './evidence/evidence.ts'
import { amountColumns, isNetIncome, sectionName, ZERO } from './evidence/lines.ts'

const RESULT =
  /^gross (?:profit|margin|loss)$|^net (?:operating|ordinary|other) (?:income|profit|earnings|loss)$/i
const OTHER_RESULT = /^other (?:income|profit|earnings|loss)$/i

/** Whether a name is that of a total, or may be: *Total Wine & More* is a customer. */
function meansTotal(report: string, name: string): boolean {
  if (name.trim() === '') return false
  // *Other income* may be an account.
  const isOfIncome = report.startsWith('ProfitAndLoss')
  return (
    isPlainTotal(name) ||
    (isOfIncome && (isResult(name) || mayBeResult(name) || OTHER_RESULT.test(name.trim())))
  )
}

function isResult(name: string): boolean {
  return RESULT.test(name.trim()) || isNetIncome(name)
}

/** Words that the names of totals consist of. */
const WORDS_OF_TOTALS = new Set(
  [
    'total totals subtotal subtotals grand report sub sum all net trial sheet',
    'and or of for as at on in by to the',
    'asset assets liability liabilities equity capital funds income revenue revenues sales turnover',
    'cost costs goods sold cogs expense expenses expenditure expenditures overhead overheads tax taxes',
    'a r p ar ap receivable receivables payable payables debtors creditors debit debits credit credits',
    'customer customers client clients vendor vendors supplier suppliers account accounts bank',
    'balance balances amount amounts open due past outstanding owed unpaid',
    'current noncurrent non fixed other operating direct indirect long short term',
    'owner owners shareholder shareholders stockholder stockholders member members partner partners fund s',
    'jan feb mar apr may jun jul aug sep sept oct nov dec',
    'january february march april june july august september october november december',
  ].flatMap((words) => words.split(' ')),
)
const CURRENCIES = new Set(Intl.supportedValuesOf('currency'))

/** Whether a name has only words of totals, days, and currencies: *Total A/R (USD)*, *Totals as of 03/31/2026*. */
function isOnlyTotal(name: string): boolean {
  const words = name.match(/[\p{L}\d]+/gu) ?? []
  return (
    isPlainTotal(name) &&
    words.every(
      (word) => WORDS_OF_TOTALS.has(word.toLowerCase()) || /^\d+$/.test(word) || CURRENCIES.has(word),
    )
  )
}

/** Whether a row has percentages of a total. */
function isPercentage(name: string): boolean {
  return /^(?:percent(?:age)?|%) of\b/i.test(name.trim())
}

/** Returns what a row totals by its name: *assets* of *Total Assets*, *ash bakery* of *Ash Bakery - Total*. Empty for nothing. */
function totaledBy(given: string): string {
  const name = given.replace(/\s*\([A-Z]{3}\)\s*$/, '')
  if (/^\s*(?:sub-?)?totals?\b/i.test(name)) return subjectOf(name)
  const words = sectionName(name)
  const before = words.replace(/[\s:\p{Pd}]+totals?$/u, '')
  return before === words ? '' : before
}

/** Whether a row is named after a section. A customer’s section may itself be *Total Wine & More*. */
function isNamedAfter(name: string, section: string): boolean {
  const subject = totaledBy(name)
  const isSame = sectionName(name) === sectionName(section)
  return subject !== '' && !isSame && [sectionName(section), subjectOf(section)].includes(subject)
}

/** An amount of a row: `null` if it can’t be read, `undefined` if it is blank. */
type Cell = Decimal | null | undefined

/** The sums of the rows before a place, by column. */
interface Sums {
  readonly plain: readonly Decimal[]
  /** With costs as negative amounts. Only those of a statement of income and costs have a sign. */
  readonly signed: readonly Decimal[]
  /** Number of amounts that can’t be read. */
  readonly unreadable: readonly number[]
  /** Number of rows with an amount, and of those among them that are neither income nor a cost. */
  readonly filled: number
  readonly unsigned: number
}

/** Whether a row has no ID, or that of the account whose section it may total. */
function isIdOfTotal({ id }: ReportRow, section: ReportRow | undefined): boolean {
  return id === '' || id === section?.id
}

/** Whether a name is only *Total*, *Totals*, or *Subtotal*. */
function isBareTotal(name: string): boolean {
  return /^(?:sub-?)?totals?:?$/i.test(name.trim())
}

/**
 * Returns the rows with their levels. A row of an unknown type that is named after an open section (*Total Assets*)
 * closes it, as a subtotal does, and so does a data row if nothing else does. Otherwise, what follows would be inside. A
 * bare *Total* closes the innermost open section if it is the sum of its rows. Otherwise, it may.
 */
function closeSections(
  report: FullReport,
  unsureAs: TotalReading['unsureAs'],
): { readonly rows: readonly ReportRow[]; readonly unsure: readonly string[] } {
  const { rows } = report
  const closed = new Set<number>()
  const unsure: string[] = []
  const ending = new Set(rows.flatMap(({ kind, parent }) => (kind === 'subtotal' ? [parent] : [])))
  const closing: ReportRow[] = []
  rows.forEach((row, index) => {
    const next = rows.slice(index + 1, index + LOOK_AHEAD).find(({ kind }) => kind !== 'spacer')
    const around: number[] = []
    for (let at = row.parent; at >= 0; at = rows[at]?.parent ?? -1) if (!closed.has(at)) around.push(at)
    const addsUp = (section: number): boolean => isSumOf(report, row, closing.slice(section + 1))
    const at = isData(row) ? closedBy(row, around, rows, next, ending, addsUp) : undefined
    const isBare = at !== undefined && isBareTotal(row.name)
    const isSure = !isBare || addsUp(at)
    if (isBare && !isSure) unsure.push(row.name.trim())
    if (at === undefined || (!isSure && unsureAs === 'data')) closing.push(row)
    else {
      closed.add(at)
      closing.push({ ...row, rowType: 'SubtotalRow', kind: 'subtotal' })
    }
  })
  return { rows: closed.size === 0 ? rows : levelReport(closing), unsure }
}

/** Returns the section that a row closes or may close, out of the open ones around it. */
function closedBy(
  row: ReportRow,
  around: readonly number[],
  rows: readonly ReportRow[],
  next: ReportRow | undefined,
  ending: ReadonlySet<number>,
  addsUp: (section: number) => boolean,
): number | undefined {
  if (isBareTotal(row.name)) {
    const [at] = around
    if (at === undefined || !isIdOfTotal(row, rows[at]) || ending.has(at)) return undefined
    const isEnd =
      next !== undefined &&
      (next.kind === 'section' || [isBareTotal, isResult, mayBeResult].some((ends) => ends(next.name)))
    return isEnd || addsUp(at) ? at : undefined
  }
  if (totaledBy(row.name) === '') return undefined
  const at = around.find(
    (each) => isIdOfTotal(row, rows[each]) && isNamedAfter(row.name, rows[each]?.name ?? ''),
  )
  if (at === undefined) return undefined
  const isClosedNext =
    next?.kind === 'subtotal' && next.parent === at && isNamedAfter(next.name, rows[at]?.name ?? '')
  return isClosedNext || (row.kind === 'data' && ending.has(at)) ? undefined : at
}

/** Whether a row has the sum of others in each column of amounts. */
function isSumOf(report: FullReport, { values }: ReportRow, parts: readonly ReportRow[]): boolean {
  return amountColumns(report).every((column) => {
    const text = values[column]?.trim() ?? ''
    const amounts = parts.map((part) => (isData(part) ? (part.values[column]?.trim() ?? '') : ''))
    const read = amounts.filter((each) => each !== '').map(parseDecimal)
    const stated = parseDecimal(text)
    if (stated === null || read.includes(null)) return text === '' && read.length === 0
    const sum = read.reduce<Decimal>((one, other) => addDecimals(one, other ?? ZERO), ZERO)
    return compareDecimals(sum, stated) === 0
  })
}

/** How far to look for the next stated sum, and the most places where a total’s rows may begin. */
const LOOK_AHEAD = 20
const MAX_STARTS = 60

/** How to read rows that may be totals. */
export interface TotalReading {
  /** What a row is if nothing tells. */
  readonly unsureAs: 'total' | 'data'
  /** Whether an account or a customer has a name; `null` if their list doesn’t tell. */
  readonly isRecord: (name: string) => boolean | null
  /** Checks the sums of a statement again, without its marked totals. `null` keeps its checks. */
  readonly checkSums: CheckSums | null
}

export interface MarkedTotals {
  readonly statement: FullReport
  /** Names of rows that may be totals or not. */
  readonly unsure: readonly string[]
}

/** Marks the totals of a statement as such. */
export function markTotals(
  leveled: FullReport,
  { unsureAs, isRecord, checkSums }: TotalReading,
): MarkedTotals {
  const { rows, unsure: mayClose } = closeSections(leveled, unsureAs)
  const { name, columns: headings } = leveled
  const isStatementOfIncome = name.startsWith('ProfitAndLoss')
  const mayBeTotal = (row: ReportRow): boolean =>
    isData(row) &&
    isIdOfTotal(row, rows[row.parent]) &&
    row.values.some((value) => value.trim() !== '') &&
    meansTotal(name, row.name)
  const withChecks = (checked: readonly ReportRow[]): FullReport['checks'] =>
    checkSums?.(name, headings, checked) ?? leveled.checks
  if (!rows.some(mayBeTotal)) {
    const statement = rows === leveled.rows ? leveled : { ...leveled, rows, checks: withChecks(rows) }
    return { statement, unsure: mayClose }
  }
  const columns = amountColumns({ ...leveled, rows })
  const signs = resultSigns(name, rows)
  const sections = new Set(
    rows.flatMap(({ kind, name: words }) =>
      kind === 'section' ? [subjectOf(words), sectionName(words)] : [],
    ),
  )
  /** Whether it is named like a result, such as *Gross profit*. */
  const isResultRow = ({ name: words }: ReportRow): boolean => isStatementOfIncome && isResult(words)
  /** Whether its words mean a total: *Total*, or *Total Tools* beside the section *Tools*. */
  const isNamed = (row: ReportRow): boolean => {
    const { name: words } = row
    const subject = totaledBy(words)
    const isOfSection = subject !== '' && sections.has(subject) && !sections.has(sectionName(words))
    return isOnlyTotal(words) || isResultRow(row) || isOfSection
  }
  /** The last row directly in each section that is data by its words. */
  const lastIn = new Map(
    rows.flatMap((row, at) =>
      isData(row) && !(mayBeTotal(row) && isNamed(row)) ? [[row.parent, at] as const] : [],
    ),
  )
  const lastRow = rows.findLastIndex((row) => row.kind === 'section' || (isData(row) && !mayBeTotal(row)))
  const cellsOf = ({ values }: ReportRow): readonly Cell[] =>
    columns.map((column): Cell => {
      const text = values[column]?.trim() ?? ''
      return text === '' ? undefined : parseDecimal(text)
    })
  /** The amounts that the service states for the rows up to a place. */
  const statedAfter = (at: number, parent: number): readonly Cell[] | null => {
    const next = rows.slice(at + 1, at + LOOK_AHEAD).find((row) => row.kind !== 'spacer' && !mayBeTotal(row))
    const isSum = next?.kind === 'subtotal' || next?.kind === 'total'
    return isSum && next.parent === parent ? cellsOf(next) : null
  }
  const nothing = columns.map(() => ZERO)
  let sums: Sums = {
    plain: nothing,
    signed: nothing,
    unreadable: columns.map(() => 0),
    filled: 0,
    unsigned: 0,
  }
  /** By the section that a total is in: where its rows may begin. */
  const starts = new Map<number, Sums[]>([[-1, [sums]]])
  const unsure = [...mayClose]
  /** The same rows with totals that can be checked. Those that add up need no check. */
  const checked: ReportRow[] = []
  const marked = rows.map((row, at): ReportRow => {
    const begun = starts.get(row.parent) ?? []
    const cells = cellsOf(row)
    const sign = signs[at] ?? 0
    let shown = row
    const isEnd = row.parent < 0 && at > lastRow
    let count: number | null = 0
    if (mayBeTotal(row)) {
      count = addedUp(cells, begun, sums)
      // A result, or the total of all, may be in the last section, which nothing closes.
      const isOfAll = isBareTotal(row.name) && at === rows.length - 1
      const isOuter =
        count === 0 && row.parent >= 0 && (isOfAll || (isStatementOfIncome && !isPlainTotal(row.name)))
      if (isOuter) count = addedUp(cells, outerStarts(rows, row.parent, starts), sums)
      const stated = statedAfter(at, row.parent)
      const meaning = isPercentage(row.name)
        ? 'total'
        : meaningOf({
            count,
            cells,
            isNamed: isNamed(row),
            isLast: (lastIn.get(row.parent) ?? -1) < at,
            isEnd,
            isResult: isResultRow(row),
            isUnknownType: row.kind === 'other',
            isRecord: isRecord(row.name),
            isInStated: stated !== null && isSum(stated, begun.slice(0, 1), withRow(sums, cells, sign)),
            isBesideStated: stated !== null && isSum(stated, begun, sums),
          })
      if (meaning === 'unsure') unsure.push(row.name.trim())
      if (meaning === 'total' || (meaning === 'unsure' && unsureAs === 'total')) {
        shown = { ...row, kind: 'total', ...(isOuter && count !== 0 ? { level: 0, parent: -1 } : {}) }
      }
    }
    const { kind } = shown
    if (kind === 'section') starts.set(at, [sums])
    if (isData(shown)) sums = withRow(sums, cells, sign)
    else if (kind !== 'spacer') {
      begun.push(sums)
      if (begun.length > MAX_STARTS) begun.splice(1, 1)
    }
    const isWrong = count === 0 && isEnd
    // What follows a result is summed from there.
    const isBoundary =
      shown.parent < 0 && (isResultRow(row) || (isStatementOfIncome && mayBeResult(row.name)))
    checked.push(shown === row || isWrong || isBoundary ? shown : { ...row, kind: 'spacer' })
    return shown
  })
  return { statement: { ...leveled, rows: marked, checks: withChecks(checked) }, unsure }
}

function isData({ kind }: Pick<ReportRow, 'kind'>): boolean {
  return kind === 'data' || kind === 'other'
}

/** What is known of a row that may be a total. */
interface Signs {
  /** How many rows before it it adds up; `null` if unreadable amounts hide that. */
  readonly count: number | null
  readonly cells: readonly Cell[]
  readonly isNamed: boolean
  /** Whether no data follows in its section. */
  readonly isLast: boolean
  /** Whether it ends the statement. */
  readonly isEnd: boolean
  readonly isResult: boolean
  readonly isUnknownType: boolean
  readonly isRecord: boolean | null
  /** Whether the service’s own sum after it contains it, or is the sum without it. */
  readonly isInStated: boolean
  readonly isBesideStated: boolean
}

function meaningOf({
  count,
  cells,
  isNamed,
  isLast,
  isEnd,
  isResult,
  isUnknownType,
  isRecord,
  ...stated
}: Signs): 'total' | 'data' | 'unsure' {
  if (stated.isInStated && !stated.isBesideStated) return isNamed && count !== 0 ? 'unsure' : 'data'
  if (stated.isBesideStated && !stated.isInStated) return 'total'
  if (isNamed) {
    if (count !== null && count > 0) return 'total'
    // The last one may be wrong, and is checked. Any other may be an account.
    return (isLast && count === null) || (isUnknownType && isLast && (isEnd || isResult)) ? 'total' : 'unsure'
  }
  if (isRecord === true || count === 0 || (count === null && !isLast)) return 'data'
  if (isRecord === false && count !== null) return 'total'
  // This many amounts aren’t sums by chance.
  const amounts = cells.filter((cell) => cell !== undefined && cell !== null && !isZero(cell))
  const different = new Set(amounts.map((cell) => canonicalDecimal(cell ?? ZERO)))
  return count !== null && count > 1 && different.size > 2 ? 'total' : 'unsure'
}

function outerStarts(
  rows: readonly ReportRow[],
  section: number,
  starts: ReadonlyMap<number, readonly Sums[]>,
): readonly Sums[] {
  const outer: Sums[] = [...(starts.get(-1) ?? [])]
  for (let at = rows[section]?.parent ?? -1; at >= 0; at = rows[at]?.parent ?? -1)
    outer.push(...(starts.get(at) ?? []))
  return outer
}

function withRow(sums: Sums, cells: readonly Cell[], sign: 1 | -1 | 0): Sums {
  if (cells.every((cell) => cell === undefined || (cell !== null && isZero(cell)))) return sums
  const amounts = cells.map((cell) => cell ?? ZERO)
  return {
    plain: amounts.map((amount, at) => addDecimals(sums.plain[at] ?? ZERO, amount)),
    signed: amounts.map((amount, at) =>
      addDecimals(sums.signed[at] ?? ZERO, sign < 0 ? negateDecimal(amount) : amount),
    ),
    unreadable: cells.map((cell, at) => (sums.unreadable[at] ?? 0) + (cell === null ? 1 : 0)),
    filled: sums.filled + 1,
    unsigned: sums.unsigned + (sign === 0 ? 1 : 0),
  }
}

function isSum(cells: readonly Cell[], starts: readonly Sums[], end: Sums): boolean {
  return (addedUp(cells, starts, end) ?? 0) > 0
}

/**
 * Returns how many rows with an amount a row adds up: 0 if it isn’t the sum of rows before it, and `null` if unreadable
 * amounts leave that open.
 */
function addedUp(cells: readonly Cell[], starts: readonly Sums[], end: Sums): number | null {
  if (cells.every((cell) => cell === undefined || (cell !== null && isZero(cell)))) return 0
  let [most, isHidden] = [0, false]
  for (const start of starts) {
    const count = end.filled - start.filled
    if (count <= most) continue
    for (const signs of ['plain', 'signed'] as const) {
      if (signs === 'signed' && end.unsigned !== start.unsigned) continue
      const isUnreadable = (cell: Cell, at: number): boolean =>
        cell === null || (cell !== undefined && end.unreadable[at] !== start.unreadable[at])
      const holds = cells.every((cell, at) => {
        if (cell === undefined || cell === null || isUnreadable(cell, at)) return true
        const sum = subtractDecimals(end[signs][at] ?? ZERO, start[signs][at] ?? ZERO)
        return compareDecimals(sum, cell) === 0
      })
      if (!holds) continue
      if (cells.some(isUnreadable)) isHidden = true
      else most = count
    }
  }
  return most === 0 && isHidden ? null : most
}
