/** Rules about the records of a company: inactive ones in use, duplicates, and missing or invalid details. */
import { type Decimal, isZero } from '../../shared/format/money.ts'
import {
  type Evidence,
  type ListedRecord,
  type Report,
  type Statement,
  NOTHING,
  amountAt,
  linesOf,
  need,
  readOrNote,
  rowOf,
  sumsByKey,
  totalColumn,
  trialBalances,
} from './evidence.ts'

const OBJECTS = { accounts: 'account', customers: 'customer', vendors: 'vendor' } as const
type List = keyof typeof OBJECTS

export function inactiveInUse(evidence: Evidence, report: Report): void {
  const check = (list: List, statement: Statement, amounts: ReadonlyMap<string, Decimal>): void => {
    const records = readOrNote(evidence.list(list), report)
    if (records === null) return
    const lines = new Map(linesOf(statement).map((line) => [line.row.id, line]))
    for (const record of records) {
      const amount = amounts.get(record.id) ?? NOTHING
      if (record.isActive || isZero(amount)) continue
      const line = lines.get(record.id)
      report.find(
        { key: `${list}|${record.id}`, name: record.fullName },
        {
          severity: 'likely',
          amount,
          detail:
            list === 'vendors'
              ? 'An inactive vendor with expenses.'
              : `An inactive ${OBJECTS[list]} with a balance.`,
          row: line ? rowOf(statement, line.row) : null,
          records: { object: OBJECTS[list], ids: [record.id] },
        },
      )
    }
  }
  const trialBalance = readOrNote(evidence.statement('trial-balance'), report)
  if (trialBalance !== null) {
    const sums = sumsByKey(trialBalances(trialBalance, report), ({ debit }) => debit)
    check('accounts', trialBalance, sums)
  }
  for (const [list, source] of [
    ['customers', 'receivables'],
    ['vendors', 'vendor-expenses'],
  ] as const) {
    const statement = readOrNote(evidence.statement(source), report)
    if (statement === null) continue
    const column = totalColumn(statement)
    check(
      list,
      statement,
      sumsByKey(linesOf(statement), (line) => amountAt(line, column, report)),
    )
  }
}

/** Legal forms and fillers, which people write or leave out. */
const FILLERS = new Set(
  'the inc incorporated llc llp lp ltd limited co corp corporation company pllc pc plc gmbh and'.split(' '),
)

/** The words of a name in order of the alphabet, so that "Last, First" is "First Last". */
function nameKey(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !FILLERS.has(word))
    .toSorted()
    .join(' ')
}

function phoneKey(phone: string): string {
  const digits = phone.replace(/\D/g, '')
  return digits.length >= 7 ? digits.slice(-10) : ''
}

export function duplicates(evidence: Evidence, report: Report): void {
  for (const list of ['customers', 'vendors', 'accounts'] as const) {
    const records = readOrNote(evidence.list(list), report)
    if (records === null) continue
    const found = new Set<string>()
    const groups = (keyOf: (record: ListedRecord) => string): readonly (readonly ListedRecord[])[] => {
      const map = new Map<string, ListedRecord[]>()
      for (const record of records) {
        const key = keyOf(record)
        if (key === '' || !record.isActive) continue
        const group = map.get(key)
        if (group) group.push(record)
        else map.set(key, [record])
      }
      return [...map.values()].filter(({ length }) => length > 1)
    }
    const tell = (group: readonly ListedRecord[], detail: string): void => {
      const ids = group.map(({ id }) => id).toSorted()
      const key = `${list}|${ids.join(',')}`
      if (found.has(key)) return
      found.add(key)
      report.find(
        { key, name: group.map(({ fullName }) => fullName).join(' and ') },
        { severity: 'check', amount: '', detail, records: { object: OBJECTS[list], ids } },
      )
    }
    // Under different parents the same name is usual: a job, or a kind of expense.
    for (const group of groups(({ name, parentId, type }) => join(nameKey(name), parentId, type))) {
      tell(group, 'Their names differ only in spelling, order, or legal form.')
    }
    if (list === 'accounts') continue
    for (const keyOf of [
      ({ phone }: ListedRecord) => phoneKey(phone),
      ({ email }: ListedRecord) => email.trim().toLowerCase(),
    ]) {
      for (const group of groups((record) => (record.parentId === '' ? keyOf(record) : ''))) {
        // Offices and families share a phone number; similar names make it likely.
        const pair = group.find((one, at) =>
          group.slice(at + 1).some((other) => isSimilar(one.name, other.name)),
        )
        if (pair === undefined) continue
        const similar = group.filter((one) => isSimilar(one.name, pair.name))
        tell(similar, 'Similar names with the same phone number or email address.')
      }
    }
  }
}

function join(key: string, ...others: readonly string[]): string {
  return key === '' ? '' : [key, ...others].join('|')
}

/** Whether two names have at least half of their words in common. */
function isSimilar(one: string, other: string): boolean {
  const [left, right] = [one, other].map((name) => new Set(nameKey(name).split(' ')))
  if (left === undefined || right === undefined) return false
  const shared = [...left].filter((word) => right.has(word)).length
  return shared * 2 >= left.size + right.size - shared
}

export function incomplete1099(evidence: Evidence, report: Report): void {
  for (const vendor of need(evidence.list('vendors'))) {
    if (!vendor.is1099 || !vendor.isActive) continue
    const lacks = [
      ...(vendor.hasAddress ? [] : ['address']),
      ...(vendor.companyName === '' ? ['company name'] : []),
    ]
    if (lacks.length === 0) continue
    report.find(
      { key: vendor.id, name: vendor.fullName },
      {
        severity: 'check',
        amount: '',
        detail: `No ${lacks.join(' and no ')}.`,
        records: { object: 'vendor', ids: [vendor.id] },
      },
    )
  }
}

export function malformed(evidence: Evidence, report: Report): void {
  for (const list of ['customers', 'vendors'] as const) {
    const records = readOrNote(evidence.list(list), report)
    if (records === null) continue
    for (const { id, fullName, email, phone, isActive } of records) {
      if (!isActive) continue
      const wrong = [
        ...(isEmail(email) ? [] : [`The email address “${email.slice(0, 80)}”`]),
        ...(isPhone(phone) ? [] : [`The phone number “${phone.slice(0, 40)}”`]),
      ]
      if (wrong.length === 0) continue
      report.find(
        { key: `${list}|${id}`, name: fullName },
        {
          severity: 'check',
          amount: '',
          detail: `${wrong.join(' and ')} can’t be right.`,
          records: { object: OBJECTS[list], ids: [id] },
        },
      )
    }
  }
}

/** Empty, or one or more addresses. */
function isEmail(text: string): boolean {
  const addresses = text.split(/[,;]/).map((each) => each.trim())
  return text.trim() === '' || addresses.every((each) => /^[^\s@]+@[^\s@]+\.[^\s@.]{2,}$/.test(each))
}

/** Empty, or at least the seven digits of a local number. */
function isPhone(text: string): boolean {
  const digits = text.replace(/\D/g, '').length
  return text.trim() === '' || (digits >= 7 && digits <= 20)
}
