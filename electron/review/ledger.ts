/** Rules about the entries of the general ledger and the audit trail. */
import { says } from '../../shared/format/format.ts'
import { absoluteDecimal, isZero, parseDecimal } from '../../shared/format/money.ts'
import type { ReportRow } from '../../shared/reports/reports.ts'
import type { Evidence, FullReport, LedgerFacts } from './evidence/evidence.ts'
import { linesOf, ZERO } from './evidence/lines.ts'
import { NotCheckedError, requireRead, rowOf, type RuleFindings, RuleOffError } from './findings.ts'
import { columnsOfAmounts, MAX_ENTRIES } from './ledger-reader.ts'

/** Returns the facts about the ledger, if enough of it is readable. Says how many of its entries aren’t listed. */
function facts(evidence: Evidence, kind: keyof LedgerFacts['more'], findings: RuleFindings): LedgerFacts {
  const ledger = requireRead(evidence.ledger)
  const { unreadable } = ledger
  const example = `such as “${unreadable.example}”`
  if (ledger.rows === 0) {
    throw new NotCheckedError(
      unreadable.rows > 0
        ? `The amounts of the general ledger can’t be read, ${example}.`
        : 'The general ledger has no entries with an amount.',
    )
  }
  if (unreadable.rows > 0) {
    findings.unchecked.add(`${entriesHave(unreadable.rows)} an amount that can’t be read, ${example}.`)
  }
  if (ledger.rows > 0 && ledger.dated === 0) {
    throw new NotCheckedError('The dates of the entries can’t be read in this general ledger.')
  }
  if (ledger.dated < ledger.rows) {
    findings.unchecked.add(`${entriesHave(ledger.rows - ledger.dated)} no date that can be read.`)
  }
  const more = ledger.more[kind]
  if (more > 0) {
    findings.unchecked.add(
      `${String(more)} more ${more === 1 ? 'is' : 'are'} not listed. Only the first ${String(MAX_ENTRIES)} are.`,
    )
  }
  return ledger
}

function entriesHave(count: number): string {
  return count === 1 ? '1 entry has' : `${String(count)} entries have`
}

export function enteredTwice(evidence: Evidence, findings: RuleFindings): void {
  const { doubled, whole } = facts(evidence, 'doubled', findings)
  if (whole.rows > 0) {
    findings.unchecked.add(
      whole.rows === 1
        ? `1 entry doesn’t separate its number and name, “${whole.example}”. It was compared with entries of the same name only.`
        : `${String(whole.rows)} entries don’t separate their number and name, such as “${whole.example}”. They were compared with entries of the same name only.`,
    )
  }
  for (const { title, amount, row, key, severity, detail } of doubled) {
    findings.add({ key, name: title }, { severity, amount: absoluteDecimal(amount), detail, row })
  }
}

export function outsidePeriod(evidence: Evidence, findings: RuleFindings): void {
  const { ambiguous, dated, outside } = facts(evidence, 'outside', findings)
  if (ambiguous.rows > 0) {
    const example = `such as “${ambiguous.example}”`
    if (ambiguous.rows === dated) throw new NotCheckedError(`The dates can be read two ways, ${example}.`)
    findings.unchecked.add(`${entriesHave(ambiguous.rows)} a date that can be read two ways, ${example}.`)
  }
  for (const { key, title, amount, side, row } of outside) {
    findings.add(
      { key, name: title },
      {
        severity: 'likely',
        amount,
        side,
        detail: says`This month’s general ledger has an entry dated outside the month.`,
        row,
      },
    )
  }
}

export function largeEntries(evidence: Evidence, findings: RuleFindings): void {
  const { largeEntry } = evidence.settings
  if (parseDecimal(largeEntry) === null) throw new RuleOffError('No amount is set under Settings, Review.')
  for (const { key, title, amount, side, row } of facts(evidence, 'large', findings).large) {
    findings.add(
      { key, name: title },
      {
        severity: 'check',
        amount,
        side,
        detail: /^-?\d*000(?:\.0+)?$/.test(amount)
          ? says`A round amount.`
          : says`At least ${{ amount: largeEntry }}.`,
        row,
      },
    )
  }
}

/** Reports entries of the audit trail that weren't in the copy saved when the month was closed. */
export function changedAfterClose(evidence: Evidence, kept: FullReport | null, findings: RuleFindings): void {
  const now = requireRead(evidence.statement('audit-trail'))
  if (kept === null) throw new NotCheckedError('No audit trail was kept when the month was closed.')
  const text = ({ row }: { row: ReportRow }): string => JSON.stringify([row.name, row.values])
  const known = new Map<string, number>()
  for (const line of linesOf(kept)) known.set(text(line), (known.get(text(line)) ?? 0) + 1)
  for (const line of linesOf(now)) {
    const left = known.get(text(line)) ?? 0
    known.set(text(line), left - 1)
    if (left > 0) continue
    const amount = columnsOfAmounts(now)
      .map((at) => parseDecimal(line.row.values[at]?.trim() ?? ''))
      .find((each) => each !== null && !isZero(each))
    findings.add(
      { key: text(line), name: line.name },
      {
        severity: 'likely',
        amount: amount ?? ZERO,
        detail: says`Not in the audit trail when the month was closed.`,
        row: rowOf(now, line.row),
      },
    )
  }
  for (const line of linesOf(kept)) {
    if ((known.get(text(line)) ?? 0) <= 0) continue
    known.set(text(line), 0)
    findings.add(
      { key: `gone|${text(line)}`, name: line.name },
      {
        severity: 'likely',
        amount: ZERO,
        detail: says`No longer in the audit trail.`,
        row: rowOf(kept, line.row),
      },
    )
  }
}
