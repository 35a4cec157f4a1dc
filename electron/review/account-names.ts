/**
 * Finds the accounts of one report in another. Without IDs, one report may name an account with those above it
 * (*Office:Telephone*), and another by its own name below them.
 */
import type { ChangedAmount } from '../../shared/review/review.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import { type Line, nameWithoutNumber } from './evidence.ts'

export interface AccountNames {
  /** The key that the trial balance has for the account of a statement’s line; the line’s own key if it has none. */
  readonly keyOf: (line: Line) => string
  /** Keys of accounts that were found by a part of their name only. */
  readonly unsure: ReadonlySet<string>
}

/** @param lines all lines of the statements */
export function matchAccounts(trialBalance: readonly Line[], lines: readonly Line[]): AccountNames {
  const keys = new Set(trialBalance.map(({ key }) => key))
  const byPath = new Map<string, string | null>()
  for (const line of trialBalance) {
    const path = pathOf(line.name)
    byPath.set(path, byPath.has(path) && byPath.get(path) !== line.key ? null : line.key)
  }
  const found = new Map<Line, string>()
  const taken = new Set<string>()
  const left: Line[] = []
  for (const line of lines) {
    const key = keys.has(line.key)
      ? line.key
      : pathsOf(line)
          .map((path) => byPath.get(path))
          .find(isText)
    if (key === undefined) left.push(line)
    else {
      found.set(line, key)
      taken.add(key)
    }
  }
  const byLastName = Map.groupBy(
    [...byPath].filter(([, key]) => isText(key) && !taken.has(key)),
    ([path]) => lastName(path),
  )
  const unsure = new Set<string>()
  for (const line of left) {
    const [one, ...others] = byLastName.get(lastName(pathOf(line.name))) ?? []
    const key = one?.[1]
    if (!isText(key) || others.length > 0) continue
    found.set(line, key)
    unsure.add(key)
  }
  return { keyOf: (line) => found.get(line) ?? line.key, unsure }
}

function isText(key: string | null | undefined): key is string {
  return typeof key === 'string'
}

/** In lowercase, without account numbers: *office:telephone*. */
export function pathOf(name: string): string {
  return name.split(':').map(nameWithoutNumber).join(':')
}

/** The names of a line with all sections around it, with fewer, and with none. */
function pathsOf({ name, sections }: Line): readonly string[] {
  const own = pathOf(name)
  const around = sections.map(nameWithoutNumber)
  // An account’s own amounts stand in the section of that account.
  if (around.at(-1) === own) around.pop()
  return [...around.keys(), around.length].map((from) => [...around.slice(from), own].join(':'))
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf(':') + 1)
}

/** Each account is on one of them. */
const STATEMENTS = ['BalanceSheet', 'ProfitAndLoss'].map(reportTitle)

interface SharedAccount {
  readonly key: string
  readonly path: string
  readonly reports: Set<string>
}

/** Gives an account the same key and name in every report: the longest, because it is the most exact. */
export function withSharedKeys(amounts: readonly ChangedAmount[]): readonly ChangedAmount[] {
  const byKey = Map.groupBy(
    amounts.filter(({ key }) => key !== ''),
    ({ key }) => key,
  )
  const pathOfKey = (key: string): string => key.replaceAll(' › ', ':')
  const keys = [...byKey.keys()].toSorted((a, b) => pathOfKey(b).length - pathOfKey(a).length)
  const accounts: SharedAccount[] = []
  const found = new Map<string, SharedAccount>()
  for (const key of keys) {
    const path = pathOfKey(key)
    const reports = new Set(byKey.get(key)?.map(({ report }) => report))
    // Two names in one report are two accounts, and so are those of the balance sheet and of profit and loss.
    const [one, ...others] = accounts.filter(
      (each) =>
        `:${each.path}`.endsWith(`:${path}`) &&
        ![...reports].some((report) => each.reports.has(report)) &&
        !STATEMENTS.every((report) => reports.has(report) || each.reports.has(report)),
    )
    const account = others.length === 0 ? one : undefined
    if (account === undefined) {
      const added = { key, path, reports }
      accounts.push(added)
      found.set(key, added)
    } else {
      for (const report of reports) account.reports.add(report)
      found.set(key, account)
    }
  }
  const keyOf = ({ key }: ChangedAmount): string => found.get(key)?.key ?? key
  const names = new Map<string, string>()
  for (const each of amounts) {
    if (each.account.length > (names.get(keyOf(each))?.length ?? 0)) names.set(keyOf(each), each.account)
  }
  return amounts.map((each) =>
    each.key === '' ? each : { ...each, key: keyOf(each), account: names.get(keyOf(each)) ?? each.account },
  )
}
