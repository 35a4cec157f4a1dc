/**
 * Decides by headings and the report's name which columns can be checked as sums. In doubt, a column is left out and
 * named, because a false alarm costs more trust than a missing check. Pure.
 */
import type { Format } from '../format/format.ts'
import { joinNames } from '../format/text.ts'
import type { ReportMaking } from './reports.ts'

/** The kinds of change in a comparison: an amount, or a percentage with one decimal. Both are shown with their sign. */
export type ChangeKind = 'change' | 'change-percent'

/** The kind of change in a column of a comparison; `null` for any other column. */
export function changeKind(making: ReportMaking | undefined, heading: string): ChangeKind | null {
  if (making !== 'compared') return null
  if (/(?:^|, )change %$/i.test(heading)) return 'change-percent'
  return /(?:^|, )change$/i.test(heading) ? 'change' : null
}

/**
 * Formats a change: *+2,125.08*, *−70.64*, *+5.5%*.
 * @param amount the change that a percentage is of; without a base, the percentage is a dash
 */
export function changeText(value: string, kind: ChangeKind, format: Format, amount = ''): string {
  const isSigned = value === '' || /^(?:-|[0.]*$)/.test(value)
  const sign = isSigned ? '' : '+'
  if (kind === 'change') return `${sign}${format.money(value)}`
  if (value === '') return amount === '' ? '' : '–'
  return `${sign}${format.decimal(value)}%`
}

/**
 * What a change does to the result: +1 if it raises it, −1 if it lowers it, 0 if neither or unknown.
 * @param sign how the row counts in the result, as `resultSigns`
 */
export function changeEffect(value: string, sign: 1 | -1 | 0): 1 | -1 | 0 {
  if (sign === 0 || /^-?[0.]*$/.test(value)) return 0
  return value.startsWith('-') === (sign === 1) ? -1 : 1
}

/** Says what a change does to the result: as accountants mark a variance, in a chart's key, and in a word. */
export const EFFECTS = {
  '1': { mark: 'F', text: 'F = favorable (raises net income)', word: 'favorable' },
  '-1': { mark: 'U', text: 'U = unfavorable (lowers net income)', word: 'unfavorable' },
} as const

/** Why a column doesn't add up the rows above; `null` if it may. */
export type NotASum = 'percent' | 'running-balance' | 'budget' | 'rate' | null

const DETAIL_REPORT = /detail|ledger|audit|journal|transaction|register/i

/** Whether a report lists single entries. Its rows can't be compared between companies. */
export function listsEntries(reportName: string): boolean {
  return DETAIL_REPORT.test(reportName)
}

/** Reports whose columns have user-defined names. There, only a whole heading rules out a sum. */
const BY_NAMES = /class|customer|vendor|job|location|department|segment/i
const PERIOD =
  /\b(?:actuals?|ytd|(?:19|20)?\d\d|q[1-4]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*)\b/
/** Headings of numbers that aren't added up. "1 - 30 days" is a bucket of amounts, so it doesn't match. */
const RATE =
  /^(?:(?:average|avg\.?)\b.*|(?:.* )?(?:rate|price|ratio|age|aging|ageing|unit cost|growth)|days(?: .*)?|.*\bdays (?:overdue|past due|late))$/
const RATE_ALONE =
  /^(?:rate|unit price|price|sales price|unit cost|average|avg\.?|age|aging|ageing|days(?: overdue)?)$/

/**
 * Decides whether a column is a sum.
 * @param headings the headings of all columns, because the others help to decide
 */
export function notASum(reportName: string, headings: readonly string[], column: number): NotASum {
  const words = headings.map((heading) => heading.trim().toLowerCase())
  const text = words[column] ?? ''
  if (/%|\bper ?cent(?:age)?\b|\bpct\b/.test(text)) return 'percent'
  if (isOfBudget(reportName, words, text)) return 'budget'
  if (/\brunning\b/.test(text)) return 'running-balance'
  // If each row has a date, a balance is the balance on that day.
  const isOfDays = listsEntries(reportName) || words.some((each) => /\bdate\b/.test(each))
  if (isOfDays && /\bbalance\b/.test(text) && !/\bopen\b|\bdue\b/.test(text)) return 'running-balance'
  return (BY_NAMES.test(reportName) ? RATE_ALONE : RATE).test(text) ? 'rate' : null
}

/** Whether a column is a budget, what is left of one, or, in a report of budgets, not clearly an actual amount. */
function isOfBudget(reportName: string, words: readonly string[], text: string): boolean {
  const isBudget = (each: string): boolean => /\bbudget|^(?:plan(?:ned)?|forecast|target)$/.test(each)
  if (isBudget(text)) return true
  if (/budget/i.test(reportName)) {
    // A budget overview has only budgets. A comparison also has actual amounts, which are sums.
    return /overview/i.test(reportName) || /\b(?:plan|forecast|target)/.test(text) || !PERIOD.test(text)
  }
  return words.some(isBudget) && /\bover\b|\bunder\b|variance|difference|remaining|available/.test(text)
}

const WHY: Readonly<Record<Exclude<NotASum, null>, string>> = {
  percent: 'Percentages don’t add up by column',
  'running-balance': 'Running balances don’t add up by column',
  budget: 'Budget totals can be set independently',
  rate: 'Rates and ages aren’t totaled',
}

/** One sentence per reason, naming the columns that were left out. */
export function leftOutColumns(reasons: readonly NotASum[], columns: readonly string[]): string[] {
  const names = new Map<Exclude<NotASum, null>, string[]>()
  reasons.forEach((reason, column) => {
    if (reason === null) return
    const list = names.get(reason) ?? []
    list.push(columnLabel(columns, column))
    names.set(reason, list)
  })
  return [...names].map(([reason, list]) => `${WHY[reason]}: ${listed([...new Set(list)])}.`)
}

/** A column's heading, or its number if it has none. */
export function columnLabel(columns: readonly string[], column: number): string {
  const heading = columns[column]?.trim() ?? ''
  return heading === '' ? `column ${String(column + 1)}` : heading
}

/** Joins at most four names, each shortened if it is too long. */
export function listed(names: readonly string[]): string {
  return joinNames(
    names.map((name) => (name.length > 80 ? `${name.slice(0, 79)}…` : name)),
    4,
  )
}
