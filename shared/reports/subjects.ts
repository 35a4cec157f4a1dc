/**
 * The meaning of a section's or total's name in accounting: income or cost, a result, or a plain total. A *subject* is a
 * name in lowercase without *Total*. Pure.
 */
import { subjectOf } from './levels.ts'
import type { ReportRow } from './reports.ts'

const COST =
  /\b(?:costs?|cogs|expenses?|expenditures?|overheads?|purchases|deductions?|depreciation|amortis?z?ation|tax|taxes|loss|losses|payroll|wages|salaries|liabilit(?:y|ies)|creditors)\b/
const INCOME =
  /\b(?:income|revenues?|sales|turnover|gains?|receipts|earnings|profit|grants|donations|assets?|debtors)\b/

const EARNED = String.raw`(?:income|revenues?|receipts|gains?|profits?|earnings)`
const SPENT = String.raw`(?:expenses?|expenditures?|costs?|payments|loss(?:es)?)`
const BOTH = [
  `${EARNED}\\b\\W+(?:and |or |less |over )?(?:other )?${SPENT}`,
  `${SPENT}\\b\\W+(?:and )?${EARNED}`,
].map((words) => new RegExp(`\\b${words}\\b`))

/** Whether a section contains income and cost, so that its sum is the difference: *Ordinary income/expense*. */
export function hasIncomeAndCost(subject: string): boolean {
  return BOTH.some((words) => words.test(subject))
}

/** How a section counts in a result: +1 for income, −1 for cost, `null` if its name doesn't tell. */
export function signOf(subject: string): 1 | -1 | null {
  const cost = COST.test(subject)
  const income = INCOME.test(subject)
  if (hasIncomeAndCost(subject)) return 1
  if (cost && income) {
    // "Cost of sales", "income tax", and "sales expenses" are costs. Others may be either.
    const isCost = /\bcosts? of\b|\btax(?:es)?\b/.test(subject) || COST.test(subject.split(' ').at(-1) ?? '')
    return isCost ? -1 : null
  }
  if (cost) return -1
  return income || /^net\b/.test(subject) ? 1 : null
}

/** Whether a name is a result: of income and cost (*Gross profit*, *Net income*) or of assets and debts (*Net assets*). */
export function isResult(name: string): boolean {
  const text = name.toLowerCase()
  return (
    /\b(?:gross|net|operating|ordinary|pre-?tax)\b.*\b(?:profit|income|earnings|loss|surplus|deficit|margin|result|assets|worth)\b/.test(
      text,
    ) || /^(?:profit|loss|surplus|deficit|earnings)\b|^total\b.*\bless\b/.test(text)
  )
}

/** Whether a name promises a plain sum: *Total …*, *TOTAL*, *Grand total*, or an empty name. */
export function isPlainTotal(name: string): boolean {
  return (
    /^\s*(?:(?:grand|report|sub)[ -]?)?totals?\b|\btotals?\s*$|^\s*sum\b|^\s*$/i.test(name) && !isResult(name)
  )
}

/** Whether a row is the total of all assets of a balance sheet: a grand total, like the last one. */
export function isTotalAssets(
  reportName: string,
  { kind, level, name }: Pick<ReportRow, 'kind' | 'level' | 'name'>,
): boolean {
  const isSum = kind === 'subtotal' || kind === 'total'
  return isSum && level === 0 && subjectOf(name) === 'assets' && /balance ?sheet/i.test(reportName)
}

/**
 * How each row of a statement of income and cost counts in its result: +1 if more of it raises the result, −1 if more of
 * it lowers it, 0 if its sections don't tell, or if the report isn't such a statement.
 */
export function resultSigns(
  reportName: string,
  rows: readonly Pick<ReportRow, 'name' | 'kind' | 'parent'>[],
): readonly (1 | -1 | 0)[] {
  const signs: (1 | -1 | 0)[] = []
  const isStatement =
    /profit ?(?:and|&) ?loss|income ?statement/i.test(reportName) && !/balance/i.test(reportName)
  if (!isStatement) return rows.map(() => 0)
  // A row comes after its section. The outermost section that tells decides, whatever an account is called.
  for (const { name, kind, parent } of rows) {
    const outer = signs[parent] ?? 0
    const subject = subjectOf(name)
    if (outer !== 0) signs.push(outer)
    else if (kind === 'section') signs.push(hasIncomeAndCost(subject) ? 0 : (signOf(subject) ?? 0))
    else signs.push(kind !== 'data' && isResult(name) ? 1 : 0)
  }
  return signs
}
