/** The balances of a trial balance. */
import {
  addDecimals,
  canonicalDecimal,
  type Decimal,
  isNegative,
  isZero,
  negateDecimal,
} from '../../../shared/format/money.ts'
import { NotChecked, type RuleFindings } from '../findings.ts'
import type { FullReport } from './evidence.ts'
import { amountAt, type Line, linesOf } from './lines.ts'
import { nameWithoutNumber } from './list-index.ts'
import type { ListedRecord } from './listed-record.ts'

/** Returns debits minus credits for every account of the trial balance. */
export function trialBalances(
  statement: FullReport,
  findings: RuleFindings,
): readonly (Line & { readonly debit: Decimal })[] {
  const [debit, credit] = [/\bdebits?\b/i, /\bcredits?\b/i].map((word) => {
    const all = statement.columns.flatMap((each, at) => (word.test(each) ? [at] : []))
    const atEnd = all.filter((at) => /\b(?:closing|ending|end|balance)\b/i.test(statement.columns[at] ?? ''))
    if (all.length > 1 && atEnd.length !== 1)
      throw new NotChecked('The trial balance has several debit and credit columns.')
    return all.length > 1 ? atEnd[0] : all[0]
  })
  if (debit === undefined || credit === undefined)
    throw new NotChecked('The trial balance has no debit and credit columns.')
  const isOfMovements = statement.columns.some(
    (each, at) =>
      at !== debit && at !== credit && /\b(?:opening|beginning|closing|ending) balance\b/i.test(each),
  )
  if (isOfMovements && !/\b(?:closing|ending|end|balance)\b/i.test(statement.columns[debit] ?? ''))
    throw new NotChecked('The debits and credits of the trial balance are movements, not balances.')
  const lines = linesOf(statement).map((line) => ({ line, credit: amountAt(line, credit, findings) }))
  // Some applications write all credits as negative amounts.
  const areNegative =
    lines.some((each) => isNegative(each.credit)) &&
    lines.every((each) => isZero(each.credit) || isNegative(each.credit))
  return lines.map(({ line, credit: amount }) => ({
    ...line,
    debit: addDecimals(amountAt(line, debit, findings), areNegative ? amount : negateDecimal(amount)),
  }))
}

/**
 * Creates a function that returns what distinguishes accounts with the same name on a trial balance without IDs: the
 * balance. A decision about one of them then never applies to another.
 */
export function apartBy(
  lines: readonly (Line & { readonly debit: Decimal })[],
  accounts: readonly ListedRecord[],
): (line: Line & { readonly debit: Decimal }) => string {
  const counts = Map.groupBy(lines, ({ key }) => key)
  const named = Map.groupBy(accounts, ({ name }) => nameWithoutNumber(name))
  return ({ key, name, row, debit }) => {
    const isShared =
      (counts.get(key)?.length ?? 0) > 1 || (named.get(nameWithoutNumber(name))?.length ?? 0) > 1
    return row.id === '' && isShared ? `|${canonicalDecimal(debit)}` : ''
  }
}
