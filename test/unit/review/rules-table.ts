/** Creates the table of rules in docs/review.md from the rules' texts. */
import { sourceTitle } from '../../../electron/review/plan.ts'
import { RULE_IDS, RULES, type RuleText } from '../../../shared/review/rules.ts'

const EARLIER: Readonly<Record<string, string>> = {
  'balance-sheet-1': 'Balance sheet of the month before',
  'balance-sheet-2': 'Balance sheet of two months before',
  'balance-sheet-12': 'Balance sheet of a year before',
  accounts: 'Chart of accounts',
  customers: 'Customers',
  vendors: 'Vendors',
}

const ACCEPTED = {
  'while-same': 'while its amount stays the same',
  'this-month': 'in this month only',
} as const

export function rulesTable(): string {
  const rows = RULE_IDS.map((rule) => {
    const { group, title, why, needs, accepted, amount }: RuleText = RULES[rule]
    const from = needs.map((need) => EARLIER[need] ?? sourceTitle(need)).join(', ')
    const until = amount === undefined ? 'while the same is wrong' : ACCEPTED[accepted]
    return [group, title, why, from, until]
  })
  const head = ['Group', 'Rule', 'Why it matters', 'From', 'Accepted']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
