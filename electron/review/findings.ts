/** Runs a rule, and collects what it found and what it couldn't check. */
import { canonicalDecimal, parseDecimal } from '../../shared/format/money.ts'
import { joinNames } from '../../shared/format/text.ts'
import { type ReportRow, reportTitle } from '../../shared/reports/reports.ts'
import type { Finding, FindingRow, RuleOutcome } from '../../shared/review/review.ts'
import type { RuleId } from '../../shared/review/rules.ts'
import type { FullReport, ReadResult } from './evidence/evidence.ts'

/** Thrown when something that a rule needs wasn't read. */
export class NotCheckedError extends Error {}

/** Thrown if the user's own settings leave a rule nothing to look for. */
export class RuleOffError extends Error {}

export function requireRead<T>(read: ReadResult<T>): T {
  if (!read.ok) throw new NotCheckedError(read.reason)
  return read.value
}

/** Returns what was read, or records why it wasn't and returns `null`. */
export function readOrNote<T>(read: ReadResult<T>, findings: RuleFindings): T | null {
  if (read.ok) return read.value
  findings.unchecked.add(read.reason)
  return null
}

/**
 * Runs a part of a rule, and returns its result. What keeps it from being checked is recorded, and the other parts continue
 * with `null`.
 */
export function noteIfNotChecked<T>(findings: RuleFindings, run: () => T): T | null {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof NotCheckedError)) throw error
    findings.unchecked.add(error.message)
    return null
  }
}

/** Collects the findings of a rule, and what it couldn't check. */
export class RuleFindings {
  readonly findings: Finding[] = []
  readonly unchecked = new Set<string>()
  /** Keys of lines with an unreadable amount. Results computed from them are unknown. */
  readonly unreadable = new Set<string>()
  readonly #keys = new Set<string>()

  readonly rule: RuleId

  constructor(rule: RuleId) {
    this.rule = rule
  }

  /** @param subject `apart` distinguishes subjects of one key that nothing else tells apart */
  add(
    subject: { readonly key: string; readonly name: string; readonly apart?: string },
    found: Omit<Finding, 'key' | 'rule' | 'subject' | 'side' | 'row' | 'records'> &
      Partial<Pick<Finding, 'side' | 'row' | 'records'>>,
  ): void {
    if (this.unreadable.has(subject.key)) return
    const amount = parseDecimal(found.amount)
    this.findings.push({
      side: '',
      row: null,
      records: null,
      ...found,
      amount: amount === null ? '' : canonicalDecimal(amount),
      key: this.#uniqueKey(`${this.keyOf(subject.key)}${subject.apart ?? ''}`),
      rule: this.rule,
      subject: subject.name,
    })
  }

  /** The key of a finding about a subject. */
  keyOf(subject: string): string {
    return `${this.rule}|${subject}`
  }

  /** Several accounts without IDs may have the same name. */
  #uniqueKey(wanted: string): string {
    let key = wanted
    for (let count = 2; this.#keys.has(key); count += 1) key = `${wanted}|${String(count)}`
    this.#keys.add(key)
    return key
  }

  outcome(): RuleOutcome {
    const { rule, findings } = this
    const unchecked = [...this.unchecked]
    if (findings.length > 0) return { rule, result: 'found', findings, unchecked }
    return unchecked.length > 0
      ? { rule, result: 'not-checked', reason: unchecked.join(' ') }
      : { rule, result: 'clean' }
  }
}

/** Runs a rule. If something it needs is missing, its outcome is *not checked*; if its settings are empty, *off*. */
export function runRule(rule: RuleId, run: (findings: RuleFindings) => void): RuleOutcome {
  const findings = new RuleFindings(rule)
  try {
    run(findings)
  } catch (error) {
    if (error instanceof RuleOffError) return { rule, result: 'off', reason: error.message }
    if (!(error instanceof NotCheckedError)) throw error
    findings.unchecked.add(error.message)
  }
  return findings.outcome()
}

/** *Not compared: Rent, Travel, and 3 more. …* */
export function notCompared(names: readonly string[], reason: string): string {
  return `Not compared: ${joinNames(names, 5)}. ${reason}`
}

/** Returns the row of a finding, as the service sent it. */
export function rowOf(statement: FullReport, row: ReportRow): FindingRow {
  const { from, to, columns, name } = statement
  return {
    report: reportTitle(name),
    reportName: name,
    from,
    to,
    columns,
    name: row.name,
    values: row.values,
  }
}
