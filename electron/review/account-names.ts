/**
 * Finds the accounts of one report in another. Without IDs, one report may name an account with those above it
 * (*Office:Telephone*), and another by its own name below them.
 */
import { reportTitle } from '../../shared/reports/reports.ts'
import type { ChangedAmount } from '../../shared/review/review.ts'
import { type Line, nameWithoutNumber } from './evidence/lines.ts'

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
    const path = accountPath(line.name)
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
    const [one, ...others] = byLastName.get(lastName(accountPath(line.name))) ?? []
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
export function accountPath(name: string): string {
  return name.split(':').map(nameWithoutNumber).join(':')
}

/** The names of a line with all sections around it, with fewer, and with none. */
function pathsOf({ name, sections }: Line): readonly string[] {
  const own = accountPath(name)
  const around = sections.map(nameWithoutNumber)
  // An account’s own amounts are in the section of that account.
  if (around.at(-1) === own) around.pop()
  return [...around.keys(), around.length].map((from) => [...around.slice(from), own].join(':'))
}

export function lastName(path: string): string {
  return path.slice(path.lastIndexOf(':') + 1)
}

/** Each account is on one of them. */
const STATEMENTS = ['BalanceSheet', 'ProfitAndLoss'].map(reportTitle)

/** The key of an account without an ID: its name, below those of the sections and accounts around it. In lowercase. */
export function accountKey(place: readonly string[], name: string): string {
  return [...place, name].map((each) => each.trim().toLowerCase()).join(SEPARATOR)
}

const SEPARATOR = ' › '

/** An account in one or more reports. */
interface SharedAccount {
  readonly key: string
  /** Names without numbers, outermost first; empty if it has an ID. */
  readonly path: readonly string[]
  /** Empty if it has none. */
  readonly number: string
  /** The amounts by which it changed, without their signs. */
  readonly sizes: string
  readonly reports: Set<string>
}

/** Gives an account the same key and name in every report: the longest, because it is the most exact. */
export function withSharedKeys(amounts: readonly ChangedAmount[]): readonly ChangedAmount[] {
  const inReports = Map.groupBy(
    amounts.filter(({ key }) => key !== ''),
    ({ key, report }) => JSON.stringify([key, report]),
  )
  const longestFirst = [...inReports]
    .map(([inReport, those]) => ({ inReport, account: accountOf(those) }))
    .toSorted((one, other) => other.account.path.length - one.account.path.length)
  const found = new Map<string, SharedAccount>()
  for (const isSame of [isNamedAlike, isChangedAlike]) {
    for (const { inReport, account } of longestFirst) {
      const known = found.get(inReport)
      if (known !== undefined && known.reports.size > 1) continue
      const others = new Set([...found.values()].filter((each) => each !== known && isSame(each, account)))
      const [one = account, ...more] = others
      const shared = more.length > 0 ? account : one
      for (const report of account.reports) shared.reports.add(report)
      found.set(inReport, shared)
    }
  }
  const keyOf = ({ key, report }: ChangedAmount): string =>
    found.get(JSON.stringify([key, report]))?.key ?? key
  const names = new Map<string, string>()
  for (const each of amounts) {
    if (each.account.length > (names.get(keyOf(each))?.length ?? 0)) names.set(keyOf(each), each.account)
  }
  return amounts.map((each) =>
    each.key === '' ? each : { ...each, key: keyOf(each), account: names.get(keyOf(each)) ?? each.account },
  )
}

/** @param amounts of one account in one report */
function accountOf(amounts: readonly ChangedAmount[]): SharedAccount {
  const key = amounts[0]?.key ?? ''
  const own = lastName(amounts[0]?.account ?? '').trim()
  const bare = nameWithoutNumber(own)
  const path = key.split(SEPARATOR).map(nameWithoutNumber)
  return {
    key,
    path: path.at(-1) === bare ? path : [],
    number: own.slice(0, own.length - bare.length),
    sizes: amounts
      .map(({ difference }) => difference.replace('-', ''))
      .toSorted()
      .join(' '),
    reports: new Set(amounts.map(({ report }) => report)),
  }
}

/** Whether one of the names is the end of the other. */
function isNamedAlike(one: SharedAccount, other: SharedAccount): boolean {
  if (one.path.length === 0 || other.path.length === 0) return one.key === other.key
  return mayBeSame(one, other) && other.path.every((name, at) => one.path.at(at - other.path.length) === name)
}

/**
 * Whether two accounts with the same last name changed by the same amount. A report may leave out the accounts above.
 */
function isChangedAlike(one: SharedAccount, other: SharedAccount): boolean {
  return (
    mayBeSame(one, other) &&
    one.path.length > 0 &&
    one.path.at(-1) === other.path.at(-1) &&
    one.sizes === other.sizes
  )
}

/** Two names in one report are two accounts, and so are those of the balance sheet and of profit and loss. */
function mayBeSame(one: SharedAccount, other: SharedAccount): boolean {
  const isOnBoth = STATEMENTS.every((report) => one.reports.has(report) || other.reports.has(report))
  const isNumberedTwice = one.number !== '' && other.number !== '' && one.number !== other.number
  const isInOne = [...one.reports].some((report) => other.reports.has(report))
  return !isInOne && !isOnBoth && !isNumberedTwice
}
