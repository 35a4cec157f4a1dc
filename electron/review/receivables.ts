/** Rules about what customers owe, by how late it is. */
import { type Decimal, addDecimals, isNegative, isZero } from '../../shared/format/money.ts'
import {
  type Evidence,
  type Line,
  type Report,
  type Statement,
  NOTHING,
  NotChecked,
  amountAt,
  linesOf,
  need,
  rowOf,
  totalColumn,
} from './evidence.ts'

/** "> 90", "91 and over", "90+", "Over 90 days". */
const PAST_90 = /(?:>|\bover|\bmore than)\s*90\b|\b9[01]\s*(?:\+|days?\b|and (?:over|more)|or (?:over|more))/i

interface Owed {
  readonly line: Line
  readonly name: string
  readonly amount: Decimal
}

/** What each customer owes, added up over some lines. */
function byCustomer(
  evidence: Evidence,
  lines: readonly Line[],
  amountOf: (line: Line) => Decimal,
): readonly Owed[] {
  const customers = evidence.list('customers')
  const names = new Map(customers.ok ? customers.value.map(({ id, fullName }) => [id, fullName]) : [])
  const owed = new Map<string, Owed>()
  for (const line of lines) {
    const before = owed.get(line.key)
    owed.set(line.key, {
      line: before?.line ?? line,
      name: names.get(line.row.id) ?? line.name,
      amount: addDecimals(before?.amount ?? NOTHING, amountOf(line)),
    })
  }
  return [...owed.values()]
}

export function past90Days(evidence: Evidence, report: Report): void {
  const statement = need(evidence.statement('receivables'))
  const column = statement.columns.findIndex((heading) => PAST_90.test(heading))
  const lines = linesOf(statement)
  const late =
    column >= 0 ? lines : lines.filter(({ sections }) => sections.some((section) => PAST_90.test(section)))
  if (column < 0 && !hasBuckets(statement)) {
    throw new NotChecked('The aging report doesn’t say how late its amounts are.')
  }
  const at = column >= 0 ? column : totalColumn(statement)
  for (const { line, name, amount } of byCustomer(evidence, late, (each) => amountAt(each, at, report))) {
    if (isZero(amount) || isNegative(amount)) continue
    report.find(
      { key: line.key, name },
      { severity: 'likely', amount, detail: 'More than 90 days past due.', row: rowOf(statement, line.row) },
    )
  }
}

/** Whether the report's sections are spans of days; one with nothing open has none. */
function hasBuckets({ rows }: Statement): boolean {
  const sections = rows.filter(({ kind }) => kind === 'section')
  return (
    rows.every(({ kind }) => kind !== 'data') ||
    sections.some(({ name }) => /\bcurrent\b|\d+\s*-\s*\d+|9[01]/i.test(name))
  )
}

export function customerCredits(evidence: Evidence, report: Report): void {
  const statement = need(evidence.statement('receivables'))
  const column = totalColumn(statement)
  const owed = byCustomer(evidence, linesOf(statement), (line) => amountAt(line, column, report))
  for (const { line, name, amount } of owed) {
    if (!isNegative(amount)) continue
    report.find(
      { key: line.key, name },
      {
        severity: 'likely',
        amount,
        detail: 'Possible overpayment.',
        row: rowOf(statement, line.row),
      },
    )
  }
}
