/** Rules about the records of a company: inactive ones in use, duplicates, and missing or invalid details. */
import { capitalized, says } from '../../shared/format/format.ts'
import { addDecimals, type Decimal, isZero } from '../../shared/format/money.ts'
import { joinNames } from '../../shared/format/text.ts'
import { isEmail, isPhone } from '../../shared/records/contact-details.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import { emailKey, likelyDuplicates, phoneKey } from '../tidy/likeness.ts'
import type { Evidence, FullReport, ListedRecord, NamedEntry } from './evidence/evidence.ts'
import {
  amountAt,
  isProfitAndLoss,
  type Line,
  linesOf,
  positiveSide,
  recordFinder,
  totalColumn,
  trialBalances,
  ZERO,
} from './evidence/lines.ts'
import { monthlyLines } from './evidence/month-columns.ts'
import {
  NotCheckedError,
  noteIfNotChecked,
  readOrNote,
  requireRead,
  rowOf,
  type RuleFindings,
} from './findings.ts'
import { namesLikeNumbers } from './ledger-entries.ts'
import type { LedgerNames } from './ledger-reader.ts'
import { agingLines, createBalanceReader, createCustomerFinder } from './receivables.ts'

const OBJECTS = { accounts: 'account', customers: 'customer', vendors: 'vendor' } as const
type List = keyof typeof OBJECTS

/** Placeholder rows, such as *No vendor*. */
const NOBODY = /^(?:no|without)\b|^(?:not specified|unspecified|none|other)$/i

/** The record of a line; `null` if the list doesn’t have it. */
interface LineRecord {
  readonly record: ListedRecord | null
  readonly name: string
}

export function inactiveInUse(evidence: Evidence, findings: RuleFindings): void {
  /** An inactive record is found once: by its balance, or else by its entries. */
  const found = new Set<ListedRecord>()
  const check = (
    list: List,
    statement: FullReport,
    amountOf: (line: Line) => Decimal,
    ofLine?: (line: Line) => LineRecord,
    lines = linesOf(statement),
  ): void => {
    const records = readOrNote(evidence.list(list), findings)
    if (records === null) return
    if (records.length > 0 && records.every(({ hasStatus }) => !hasStatus)) {
      findings.unchecked.add(`The service doesn’t say which ${list} are inactive.`)
      return
    }
    const recordOf = recordFinder(evidence, records)
    const find = ofLine ?? ((line) => ({ record: recordOf(line) ?? null, name: line.name }))
    const inUse = new Map<ListedRecord, { readonly line: Line; readonly amount: Decimal }>()
    const [unknown, unreadable] = [new Set<string>(), new Set<ListedRecord>()]
    const addLine = (line: Line): void => {
      const amount = amountOf(line)
      const isUnreadable = findings.unreadable.has(line.key)
      // The owner of a zero line doesn’t matter.
      if (isZero(amount) && !isUnreadable) return
      const { record, name } = find(line)
      if (record !== null) {
        const known = inUse.get(record)
        inUse.set(record, {
          line: known?.line ?? line,
          amount: known ? addDecimals(known.amount, amount) : amount,
        })
        if (isUnreadable) unreadable.add(record)
      } else if (!isZero(amount) && !NOBODY.test(name.trim())) unknown.add(name)
    }
    for (const line of lines) {
      // The customer of one line may not be known.
      noteIfNotChecked(findings, () => {
        addLine(line)
      })
    }
    if (unknown.size > 0) {
      const names = joinNames([...unknown], 1)
      findings.unchecked.add(
        `${reportTitle(statement.name)} has ${names}, which the list of ${list} doesn’t have.`,
      )
    }
    for (const [record, { line, amount }] of inUse) {
      if (record.isActive || isZero(amount) || unreadable.has(record)) continue
      found.add(record)
      findings.add(
        { key: `${list}|${record.id}`, name: record.fullName },
        {
          severity: 'likely',
          amount,
          side: 'debit',
          detail:
            list === 'vendors'
              ? says`An inactive vendor with expenses.`
              : says`An inactive ${OBJECTS[list]} with a balance.`,
          row: rowOf(statement, line.row),
          records: { object: OBJECTS[list], ids: [record.id] },
          inMonth: list === 'vendors',
        },
      )
    }
  }
  const trialBalance = readOrNote(evidence.statement('trial-balance'), findings)
  if (trialBalance !== null) {
    const debits = new Map(trialBalances(trialBalance, findings).map(({ row, debit }) => [row, debit]))
    const list = evidence.list('accounts')
    const accountOf = recordFinder(evidence, list.ok ? list.value : [])
    // The balance of an income or cost account covers the year, even if the account is no longer used.
    check('accounts', trialBalance, (line) =>
      isProfitAndLoss(accountOf(line)?.type ?? '') ? ZERO : (debits.get(line.row) ?? ZERO),
    )
    if (list.ok)
      noteIfNotChecked(findings, () => {
        resultsOfInactive(evidence, list.value, found, findings)
      })
  }
  for (const [list, source] of [
    ['customers', 'receivables'],
    ['vendors', 'vendor-expenses'],
  ] as const) {
    const statement = readOrNote(evidence.statement(source), findings)
    if (statement === null) continue
    noteIfNotChecked(findings, () => {
      if (source === 'receivables') {
        const customerOf = createCustomerFinder(evidence, statement)
        check(list, statement, createBalanceReader(statement, findings), customerOf, agingLines(statement))
        return
      }
      const column = totalColumn(statement)
      check(list, statement, (line) => amountAt(line, column, findings))
    })
  }
  const ledger = readOrNote(evidence.ledger, findings)
  if (ledger === null) return
  const entryIn = (list: List, record: ListedRecord, entry: NamedEntry): void => {
    if (found.has(record)) return
    found.add(record)
    findings.add(
      { key: `${list}|${record.id}`, name: record.fullName },
      {
        severity: 'likely',
        amount: entry.amount,
        side: entry.side,
        detail: says`An inactive ${OBJECTS[list]} with entries in this month.`,
        row: entry.row,
        records: { object: OBJECTS[list], ids: [record.id] },
        inMonth: true,
      },
    )
  }
  const [accounts, customers, vendors] = (['accounts', 'customers', 'vendors'] as const).map((list) =>
    readOrNote(evidence.list(list), findings),
  )
  const accountOf = recordFinder(evidence, accounts ?? [])
  for (const entry of ledger.accounts) {
    const record = accountOf({ row: entry, name: entry.name })
    if (record?.isActive !== false || found.has(record)) continue
    if (entry.isDated) entryIn('accounts', record, entry)
    else
      findings.unchecked.add(
        `The general ledger has amounts without a date, or that can’t be read, in ${record.fullName}.`,
      )
  }
  const people = [...(customers ?? []), ...(vendors ?? [])]
  if (ledger.whole.rows > 0 && inactiveOf(people).length > 0) {
    findings.unchecked.add(
      `The general ledger doesn’t separate the names of its entries, such as “${ledger.whole.example}”, so they were not searched for inactive customers and vendors.`,
    )
  }
  const wanted = new Set(inactiveOf(people).map(({ fullName }) => fullName.toLowerCase()))
  const namesakes = Map.groupBy(
    people.filter(({ fullName }) => wanted.has(fullName.toLowerCase())),
    ({ fullName }) => fullName.toLowerCase(),
  )
  const ids = wanted.size === 0 ? new Set<string>() : new Set(people.map(({ id }) => id))
  for (const [list, records] of [
    ['customers', customers],
    ['vendors', vendors],
  ] as const) {
    for (const record of inactiveOf(records ?? [])) {
      const entry = ledger.named.get(record.fullName.toLowerCase())
      // The ID may belong to another record.
      if (entry === undefined || (entry.id !== record.id && ids.has(entry.id))) continue
      const isOnly = entry.id === record.id || namesakes.get(record.fullName.toLowerCase())?.length === 1
      if (isOnly) entryIn(list, record, entry)
      else
        findings.unchecked.add(
          `The general ledger has entries for ${record.fullName}, and several records have that name.`,
        )
    }
  }
}

/** Finds inactive accounts of income and costs that have an amount in the month. */
function resultsOfInactive(
  evidence: Evidence,
  accounts: readonly ListedRecord[],
  found: Set<ListedRecord>,
  findings: RuleFindings,
): void {
  const wanted = inactiveOf(accounts).filter(({ type }) => isProfitAndLoss(type))
  if (wanted.length === 0) return
  const statement = requireRead(evidence.statement('profit-and-loss'))
  const accountOf = recordFinder(evidence, accounts)
  for (const line of monthlyLines(statement, evidence.month, findings)) {
    const amount = line.amounts.at(-1) ?? ZERO
    const record = accountOf(line)
    if (record === undefined || !wanted.includes(record) || found.has(record) || isZero(amount)) continue
    if (findings.unreadable.has(line.key)) continue
    found.add(record)
    findings.add(
      { key: `accounts|${record.id}`, name: record.fullName },
      {
        severity: 'likely',
        amount,
        side: positiveSide(line),
        detail: says`An inactive account with an amount in this month.`,
        row: rowOf(statement, line.row),
        records: { object: OBJECTS.accounts, ids: [record.id] },
        inMonth: true,
      },
    )
  }
}

/** Returns the records that are known to be inactive. */
function inactiveOf(records: readonly ListedRecord[]): readonly ListedRecord[] {
  return records.filter(({ isActive }) => !isActive)
}

/**
 * Returns the names to look for in a ledger: those of inactive customers or vendors, and longer names that begin with
 * one of these and a comma, so that an entry of *Elm, Rosa* doesn't count as one of *Elm*.
 */
export function namesInLedger(records: readonly ListedRecord[]): LedgerNames {
  return {
    wanted: wantedNames(records),
    likeNumbers: namesLikeNumbers(records.map(({ fullName }) => fullName)),
  }
}

function wantedNames(records: readonly ListedRecord[]): readonly string[] {
  const names = new Set(inactiveOf(records).map(({ fullName }) => fullName.toLowerCase()))
  if (names.size === 0) return []
  const isLonger = (name: string): boolean => {
    for (let end = name.indexOf(', '); end >= 0; end = name.indexOf(', ', end + 1)) {
      if (names.has(name.slice(0, end))) return true
    }
    return false
  }
  const longer = records.map(({ fullName }) => fullName.toLowerCase()).filter(isLonger)
  return [...names, ...longer]
}

/** The number of a branch, in its name: *Home Depot #4501*. Branches may share the phone number of their head office. */
const BRANCH = /#\s*\d+|(?<![\p{L}\d])\d{2,}(?![\p{L}\d])/u

/** Splits vendors by the numbers in their names, and customers, such as the stores of a chain, if they have several. */
function byBranch(
  list: 'customers' | 'vendors' | 'accounts',
  records: readonly ListedRecord[],
): readonly (readonly ListedRecord[])[] {
  const groups = Map.groupBy(records, ({ name }) => BRANCH.exec(name)?.[0].replace(/\D/g, '') ?? '')
  // One number may be that of the customer.
  const branches = [...groups.keys()].filter((number) => number !== '')
  if (list === 'accounts' || (list === 'customers' && branches.length < 2)) return [records]
  return [...groups.values()].filter(({ length }) => length > 1)
}

export function duplicates(evidence: Evidence, findings: RuleFindings): void {
  for (const list of ['customers', 'vendors', 'accounts'] as const) {
    const records = readOrNote(evidence.list(list), findings)
    if (records === null) continue
    const found = new Set<string>()
    const contactKeys = [
      ({ phone }: ListedRecord) => phoneKey(phone),
      ({ email }: ListedRecord) => emailKey(email),
    ]
    const alike = likelyDuplicates(records, list === 'accounts', contactKeys).flatMap((group) =>
      group.by === 'name' ? [group] : byBranch(list, group.records).map((records) => ({ ...group, records })),
    )
    for (const { records: group, by } of alike) {
      const ids = group.map(({ id }) => id).toSorted()
      const key = `${list}|${ids.join(',')}`
      if (found.has(key)) continue
      found.add(key)
      findings.add(
        { key, name: group.map(({ fullName }) => fullName).join(' and ') },
        {
          severity: 'check',
          amount: '',
          detail:
            by === 'name'
              ? says`Their names differ only in spelling, order, or legal form.`
              : says`Similar names with the same phone number or email address.`,
          records: { object: OBJECTS[list], ids },
        },
      )
    }
  }
}

export function incomplete1099(evidence: Evidence, findings: RuleFindings): void {
  const vendors = requireRead(evidence.list('vendors'))
  if (vendors.length > 0 && vendors.every(({ is1099 }) => is1099 === null)) {
    throw new NotCheckedError('The service doesn’t say which vendors get a 1099.')
  }
  const those = vendors.filter(({ is1099, isActive }) => is1099 === true && isActive)
  if (those.length === 0) return
  const noAddresses = vendors.every(({ hasAddress }) => hasAddress === null)
  if (noAddresses) findings.unchecked.add('The service’s vendors have no address, so that was not checked.')
  // The specification's vendors have none, so a note about it would appear every month.
  const noTaxIds = vendors.every(({ hasTaxId }) => hasTaxId === null)
  for (const { id, name, fullName, hasAddress, hasTaxId } of those) {
    const missing = [
      ...(name === '' ? ['no name'] : []),
      ...(noAddresses || hasAddress === true ? [] : ['no complete address']),
      ...(noTaxIds || hasTaxId === true ? [] : ['no tax ID']),
    ]
    if (missing.length === 0) continue
    findings.add(
      { key: id, name: fullName },
      {
        severity: 'check',
        amount: '',
        detail: says`${capitalized(missing.join(' and '))}.`,
        records: { object: 'vendor', ids: [id] },
      },
    )
  }
}

export function malformed(evidence: Evidence, findings: RuleFindings): void {
  for (const list of ['customers', 'vendors'] as const) {
    const records = readOrNote(evidence.list(list), findings)
    if (records === null) continue
    for (const { id, fullName, email, phone, isActive } of records) {
      if (!isActive) continue
      const wrong = [
        ...(isEmail(email) ? [] : [`the email address “${email.slice(0, 80)}”`]),
        ...(isPhone(phone) ? [] : [`the phone number “${phone.slice(0, 40)}”`]),
      ]
      if (wrong.length === 0) continue
      findings.add(
        { key: `${list}|${id}`, name: fullName },
        {
          severity: 'check',
          amount: '',
          detail: says`${capitalized(wrong.join(' and '))} can’t be right.`,
          records: { object: OBJECTS[list], ids: [id] },
        },
      )
    }
  }
}
