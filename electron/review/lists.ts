/** Rules about the records of a company: inactive ones in use, duplicates, and missing or invalid details. */
import { type Decimal, addDecimals, isZero } from '../../shared/format/money.ts'
import { isEmail, isPhone } from '../../shared/records/contact-details.ts'
import { reportTitle } from '../../shared/reports/reports.ts'
import { type Sentence, says } from '../../shared/review/review.ts'
import {
  type Evidence,
  type Line,
  type ListedRecord,
  type Report,
  type Statement,
  NOTHING,
  NotChecked,
  amountAt,
  linesOf,
  need,
  readOrNote,
  recordFinder,
  rowOf,
  totalColumn,
  trialBalances,
} from './evidence.ts'

const OBJECTS = { accounts: 'account', customers: 'customer', vendors: 'vendor' } as const
type List = keyof typeof OBJECTS

/** Placeholder rows, such as *No vendor*. */
const NOBODY = /^(?:no|without)\b|^(?:not specified|unspecified|none|other)$/i

export function inactiveInUse(evidence: Evidence, report: Report): void {
  const check = (list: List, statement: Statement, amountOf: (line: Line) => Decimal): void => {
    const records = readOrNote(evidence.list(list), report)
    if (records === null) return
    if (records.length > 0 && records.every(({ hasStatus }) => !hasStatus)) {
      report.unchecked.add(`The service doesn’t say which ${list} are inactive.`)
      return
    }
    const recordOf = recordFinder(records)
    const inUse = new Map<ListedRecord, { readonly line: Line; readonly amount: Decimal }>()
    const unknown = new Set<string>()
    for (const line of linesOf(statement)) {
      const amount = amountOf(line)
      const record = recordOf(line)
      if (record !== undefined) {
        const known = inUse.get(record)
        inUse.set(record, {
          line: known?.line ?? line,
          amount: known ? addDecimals(known.amount, amount) : amount,
        })
      } else if (!isZero(amount) && !NOBODY.test(line.name.trim())) unknown.add(line.name)
    }
    if (unknown.size > 0) {
      const [first = ''] = unknown
      const names = unknown.size === 1 ? first : `${first} and ${String(unknown.size - 1)} more`
      report.unchecked.add(
        `${reportTitle(statement.name)} has ${names}, which the list of ${list} doesn’t have.`,
      )
    }
    for (const [record, { line, amount }] of inUse) {
      if (record.isActive || isZero(amount)) continue
      report.find(
        { key: `${list}|${record.id}`, name: record.fullName },
        {
          severity: 'likely',
          amount,
          detail:
            list === 'vendors'
              ? says`An inactive vendor with expenses.`
              : says`An inactive ${OBJECTS[list]} with a balance.`,
          row: rowOf(statement, line.row),
          records: { object: OBJECTS[list], ids: [record.id] },
        },
      )
    }
  }
  const trialBalance = readOrNote(evidence.statement('trial-balance'), report)
  if (trialBalance !== null) {
    const debits = new Map(trialBalances(trialBalance, report).map(({ row, debit }) => [row, debit]))
    check('accounts', trialBalance, ({ row }) => debits.get(row) ?? NOTHING)
  }
  for (const [list, source] of [
    ['customers', 'receivables'],
    ['vendors', 'vendor-expenses'],
  ] as const) {
    const statement = readOrNote(evidence.statement(source), report)
    if (statement === null) continue
    const column = totalColumn(statement)
    check(list, statement, (line) => amountAt(line, column, report))
  }
}

/** Legal forms and filler words, which are often omitted. */
const FILLERS = new Set(
  'the inc incorporated llc llp lp ltd limited co corp corporation company pllc pc plc gmbh and'.split(' '),
)

/** Returns the words of a name, normalized. */
function wordsOf(name: string): readonly string[] {
  // Most names need nothing of it, and it costs as much as the rest.
  const plain = PLAIN.test(name) ? name : name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '')
  return plain
    .toLowerCase()
    .replace(/['’.]/g, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

const PLAIN = /^[ -~]*$/

/** Returns the words of a name without legal forms and filler words. */
function tellingWords(name: string): readonly string[] {
  return wordsOf(name).filter((word) => !FILLERS.has(word))
}

/** Sorts the words alphabetically, so that "Last, First" equals "First Last". */
function nameKey(words: readonly string[]): string {
  return words.toSorted().join(' ')
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
    const tell = (group: readonly ListedRecord[], detail: Sentence): void => {
      const ids = group.map(({ id }) => id).toSorted()
      const key = `${list}|${ids.join(',')}`
      if (found.has(key)) return
      found.add(key)
      report.find(
        { key, name: group.map(({ fullName }) => fullName).join(' and ') },
        { severity: 'check', amount: '', detail, records: { object: OBJECTS[list], ids } },
      )
    }
    // The same name under different parents is common: a job, or a kind of expense.
    const split = list === 'accounts' ? wordsOf : tellingWords
    const words = new Map(records.map((record) => [record, split(record.name)]))
    const wordsIn = (record: ListedRecord): readonly string[] => words.get(record) ?? []
    for (const group of groups((record) => join(nameKey(wordsIn(record)), record.parentId, record.type))) {
      tell(group, says`Their names differ only in spelling, order, or legal form.`)
    }
    if (list === 'accounts') continue
    for (const keyOf of [
      ({ phone }: ListedRecord) => phoneKey(phone),
      ({ email }: ListedRecord) => email.trim().toLowerCase(),
    ]) {
      for (const group of groups((record) => (record.parentId === '' ? keyOf(record) : ''))) {
        // Offices and families share phone numbers. Similar names make a duplicate likely.
        const [first] = similarPair(group, wordsIn) ?? []
        if (first === undefined) continue
        const similar = group.filter((one) => one === first || isSimilar(wordsIn(one), wordsIn(first)))
        tell(similar, says`Similar names with the same phone number or email address.`)
      }
    }
  }
}

/**
 * Up to this many records with the same phone number are all compared with each other. Beyond it, only those
 * that share a word are.
 */
const FEW = 30

function similarPair(
  group: readonly ListedRecord[],
  wordsIn: (record: ListedRecord) => readonly string[],
): readonly [ListedRecord, ListedRecord] | null {
  for (const some of group.length <= FEW ? [group] : byWord(group, wordsIn)) {
    for (const [at, one] of some.entries()) {
      const other = some.slice(at + 1).find((each) => isSimilar(wordsIn(one), wordsIn(each)))
      if (other !== undefined) return [one, other]
    }
  }
  return null
}

/** Groups the records that share a rare word. */
function byWord(
  group: readonly ListedRecord[],
  wordsIn: (record: ListedRecord) => readonly string[],
): readonly (readonly ListedRecord[])[] {
  const found = new Map<string, ListedRecord[]>()
  for (const record of group) {
    for (const word of new Set(wordsIn(record))) {
      const those = found.get(word)
      if (those) those.push(record)
      else found.set(word, [record])
    }
  }
  return [...found.values()].filter(({ length }) => length > 1 && length <= FEW)
}

function join(key: string, ...others: readonly string[]): string {
  return key === '' ? '' : [key, ...others].join('|')
}

/** Words that distinguish relatives with the same name. */
const RELATIVES = new Set('jr junior sr senior ii iii iv'.split(' '))

/**
 * Whether one name is the other with more words, or with one word misspelled. If both have words that the other
 * lacks, they are two branches or two relatives.
 */
function isSimilar(left: readonly string[], right: readonly string[]): boolean {
  const [onlyLeft, onlyRight] = [lacking(left, right), lacking(right, left)]
  if ([...onlyLeft, ...onlyRight].some((word) => RELATIVES.has(word))) return false
  const shared = left.length - onlyLeft.length
  if (shared === 0) return false
  if (onlyLeft.length === 0 || onlyRight.length === 0) {
    return shared * 2 >= Math.max(left.length, right.length)
  }
  const [first = '', second = ''] = [onlyLeft[0], onlyRight[0]]
  return onlyLeft.length === 1 && onlyRight.length === 1 && isMisspelled(first, second)
}

function lacking(words: readonly string[], others: readonly string[]): readonly string[] {
  return words.filter((word) => !others.includes(word))
}

/** Whether two long words differ by one letter: a replaced one, an extra one, or two swapped ones. */
function isMisspelled(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short.length < 5 || long.length - short.length > 1 || /\d/.test(one + other)) return false
  let at = 0
  while (at < short.length && short[at] === long[at]) at += 1
  if (short.length < long.length) return short.slice(at) === long.slice(at + 1)
  const isSwapped =
    short[at] === long[at + 1] && short[at + 1] === long[at] && short.slice(at + 2) === long.slice(at + 2)
  return isSwapped || short.slice(at + 1) === long.slice(at + 1)
}

export function incomplete1099(evidence: Evidence, report: Report): void {
  const vendors = need(evidence.list('vendors'))
  if (vendors.length > 0 && vendors.every(({ is1099 }) => is1099 === null)) {
    throw new NotChecked('The service doesn’t say which vendors get a 1099.')
  }
  for (const vendor of vendors) {
    if (vendor.is1099 !== true || !vendor.isActive) continue
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
        detail: says`No ${lacks.join(' and no ')}.`,
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
          detail: says`${wrong.join(' and ')} can’t be right.`,
          records: { object: OBJECTS[list], ids: [id] },
        },
      )
    }
  }
}
