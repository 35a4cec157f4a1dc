import type { Mutants } from './mutant.ts'

export const mutants: Mutants = {
  'electron/store/months.ts': [
    {
      breaks: 'reading a closed month again deletes the copies that it was closed with',
      text: 'json_each(month_versions.copies) AS each WHERE ${OF_MONTH})',
      instead: 'json_each(month_versions.copies) AS each WHERE ${OF_MONTH} AND 0)',
    },
    {
      breaks: 'a closed month never shows that it changed',
      text: "if (closed !== null) return change === null ? 'closed' : 'changed'",
      instead: "if (closed !== null) return 'closed'",
    },
  ],
  'electron/app/review/watch.ts': [
    {
      breaks: 'a month still counts as changed after the change was undone',
      text: 'amounts.length === 0 && entries === 0',
      instead: 'false',
    },
    {
      breaks: 'comparing one report drops what changed in another one',
      text: '(before?.amounts ?? []).filter((each) => !isCompared(each))',
      instead: '[]',
    },
    {
      breaks: 'a report of another month is compared with a closed one',
      text: '!isComparable(keptHead.value, head, month)',
      instead: 'false',
    },
  ],
  'electron/review/profit-and-loss.ts': [
    {
      breaks: 'a missing amount is found only in its first month',
      text: 'missing > MAX_MISSING',
      instead: 'missing > 1',
    },
    {
      breaks: 'an account without any classes is never found',
      text: 'those.filter(isClassed).length * 2 > those.length',
      instead: 'those.length < 0',
    },
  ],
  'electron/review/findings.ts': [
    {
      breaks: 'an amount that can’t be read counts as nothing',
      text: 'if (this.unreadable.has(subject.key)) return',
      instead: 'if (this.unreadable.size < 0) return',
    },
  ],
  'electron/review/headings.ts': [
    {
      breaks: 'a heading that is neither a total nor an account’s own amount is ignored',
      text: 'if (!isOwn && !areEqual(amounts, parts)) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'an account’s own amount in a heading is ignored',
      text: 'if (isOwn) {',
      instead: 'if (false) {',
    },
  ],
  'electron/review/account-names.ts': [
    {
      breaks: 'an account that is named with its parents is not matched with the one below them',
      text: '.map((path) => byPath.get(path))',
      instead: '.map(() => undefined)',
    },
  ],
  'electron/review/statements.ts': [
    {
      breaks: 'the first month of a fiscal year is treated like any other',
      text: 'const isNewYear = monthsIntoYear(evidence.month, evidence.fiscalYearStart) === 1',
      instead: 'const isNewYear = false',
    },
    {
      breaks: 'accounts that may only be named differently are called wrong',
      text: 'if (other.has(key)) continue',
      instead: '',
    },
  ],
  'electron/review/balances.ts': [
    {
      breaks: 'a loan that isn’t repaid every month is reported as unchanged',
      text: 'if (!accrues && !isStillFound && !isRepaidMonthly(amount, last, first)) {',
      instead: 'if (false) {',
    },
  ],
  'electron/review/compare.ts': [
    {
      breaks: 'a second account with the same name is compared with the first one',
      text: 'withOwnKeys(linesOf(statement), linesOf(other))',
      instead: 'withOwnKeys(linesOf(statement))',
    },
    {
      breaks: 'an account that moved to another section counts as unchanged',
      text: 'if (placeKey(before) === placeKey(after) ||',
      instead: "if (placeKey(before) !== '' ||",
    },
  ],
  'electron/app/review/closing.ts': [
    {
      breaks: 'accepting a change drops a decision that was undone in another month since then',
      text: 'kept(finding) ?? current(finding)',
      instead: 'current(finding)',
    },
    {
      breaks: 'a month that is reopened after a change is closed with outdated copies',
      text: 'change === null ? notCompared.length > 0 : !change.isComplete',
      instead: 'false',
    },
  ],
  'electron/review/receivables.ts': [
    {
      breaks: 'amounts of an unknown age are ignored',
      text: 'unknown.length > 0 && (total < 0 || !lines.every(isWhole))',
      instead: 'unknown.length < 0',
    },
    {
      breaks: 'one job’s credit is set off against the balance of another job with the same name',
      text: 'if (customer.isOneOfSeveral) {',
      instead: 'if (false) {',
    },
    {
      breaks: 'an entry of an aging report is mistaken for a customer',
      text: "line.name.trim() !== '' && !isEntry(line.name.split(', '))",
      instead: "line.name.trim() !== ''",
    },
  ],
  'electron/review/ledger-entries.ts': [
    {
      breaks: 'ambiguous dates are read with the month first',
      text: 'if (dayFirst === monthFirst) return null',
      instead: "if (dayFirst === monthFirst) return 'month-first'",
    },
  ],
  'electron/review/ledger-reader.ts': [
    {
      breaks: 'entries with an unreadable amount are ignored',
      text: 'if (isDated) this.#noteUnreadable(row, section)',
      instead: 'if (!isDated) this.#noteUnreadable(row, section)',
    },
    {
      breaks: 'an opening balance counts as a posting',
      text: 'if (this.#columns.isBalance(row, section)) return',
      instead: '',
    },
  ],
  'electron/review/doubled-entries.ts': [
    {
      breaks: 'entries with different numbers are never doubled',
      text: 'const alike = alikeEntries(left)',
      instead: 'const alike = alikeEntries([])',
    },
  ],
  'electron/review/ledger.ts': [
    {
      breaks: 'entries beyond the limit are dropped silently',
      text: 'if (more > 0) {',
      instead: 'if (more < 0) {',
    },
  ],
  'electron/app/review/decisions.ts': [
    {
      breaks: 'a missing amount that was accepted in one month is hidden in every month',
      text: 'isLasting(finding) && ',
      instead: '',
    },
    {
      breaks: 'a balance that comes back after it was cleared is still accepted',
      text: '!isOver(outcomes(each), problemKey(finding), finding.amount)',
      instead: "each !== ''",
    },
    {
      breaks: 'accepting a record’s problem hides its later problems',
      text: "if (amount !== '') return key",
      instead: "if (amount !== '0.01') return key",
    },
  ],
  'electron/app/review/month-rows.ts': [
    {
      breaks: 'a month with open findings can be closed',
      text: 'if (open === 0) return null',
      instead: 'if (open >= 0) return null',
    },
  ],
}
