// A company: its lists, its ledger, and the edits made to them. Everything is generated at its first use.
import { booksStart, createBooks, postLateEntry } from './books/books.ts'
import { type Balances, createBalances, type Ledger } from './books/ledger.ts'
import { type Cents } from './cents.ts'
import { type CompanyFile } from './profiles/company-files.ts'
import { type ObjectName } from './records/definition.ts'
import { type CompanyLists, createLists } from './records/lists.ts'
import { createNameIndex, type NameIndex, type RecordTable, type SampleRecord } from './records/table.ts'
import { type Application } from './responses.ts'
import { type SampleStorage } from './storage.ts'
import { type Day, formatDay, formatLocalTime } from './time.ts'

/** The balance of an inserted record, which is posted as an entry. */
export interface OpeningBalance {
  readonly cents: Cents
  readonly day: Day
}

/** An accounting file with its records and ledger. */
export interface Company {
  readonly file: CompanyFile
  readonly application: Application
  readonly today: Day
  table(object: ObjectName): RecordTable
  /** The IDs of a list's records by full name. */
  names(object: ObjectName): NameIndex
  lists(): CompanyLists
  ledger(): Ledger
  balances(): Balances
  /** Whether the last full month has a bill that was entered later. */
  hasLateEntry(): boolean
  setLateEntry(has: boolean): void
  /** Saves a record and posts its opening balance, if any. */
  save(object: ObjectName, record: SampleRecord, opening?: OpeningBalance): void
}

interface StoredRecord {
  readonly record: SampleRecord
  readonly opening?: OpeningBalance
}

/** What a company is generated from. */
export interface CompanyOptions {
  readonly file: CompanyFile
  readonly seed: string
  readonly today: Day
  readonly customers: number
  readonly volume: number
  readonly storage: SampleStorage
  now(): number
}

/** Creates a company. Its lists and ledger are generated at their first use. */
export function createCompany(options: CompanyOptions): Company {
  const { file, storage, today, now } = options
  const seed = `${options.seed} ${file.key}`
  const prefix = `record/${file.key}/`
  let lists: CompanyLists | undefined
  let ledger: Ledger | undefined
  let balances: Balances | undefined
  const names = new Map<ObjectName, NameIndex>()
  const lateKey = `late/${file.key}`
  /** When the late entry was made; empty if there is none. Earlier versions stored only that there is one. */
  let lateEntryAt = [...storage.entries()]
    .filter(([key, value]) => key === lateKey && value !== 'false')
    .map(([, value]) => (value === 'true' ? `${formatDay(today)}T08:00:00` : value))
    .join('')
  const openings: { object: ObjectName; record: SampleRecord; opening: OpeningBalance }[] = []

  const company: Company = {
    file,
    application: file.application,
    today,
    table: (object) => company.lists().tables[object],
    names: (object) => {
      const index = names.get(object) ?? createNameIndex(company, object)
      names.set(object, index)
      return index
    },
    lists: () => (lists ??= restored()),
    ledger: () => {
      if (ledger === undefined) {
        ledger = createBooks({
          seed,
          profile: file.profile,
          faults: file.faults,
          lists: company.lists(),
          today,
          volume: options.volume,
        })
        for (const { object, record, opening } of openings)
          postOpeningBalance(company, object, record, opening)
        if (lateEntryAt !== '') postLateEntry(ledger, file.profile, company.lists(), today, lateEntryAt)
      }
      return ledger
    },
    balances: () => (balances ??= createBalances(company.ledger(), company.lists().accountId('receivable'))),
    hasLateEntry: () => lateEntryAt !== '',
    setLateEntry: (has) => {
      if (has === (lateEntryAt !== '')) return
      lateEntryAt = has ? formatLocalTime(now()) : ''
      storage.put(lateKey, has ? lateEntryAt : 'false')
      // The books are generated again when they are next read.
      ledger = undefined
      balances = undefined
    },
    save: (object, record, opening) => {
      // Generate the ledger first. Otherwise, it would post the new opening balance a second time.
      const entries = opening === undefined ? undefined : company.ledger()
      const before = company.table(object).get(record.id)
      company.table(object).put(record)
      company.names(object).update(record, before)
      const known = openings.find((candidate) => candidate.record.id === record.id)?.opening
      const stored: StoredRecord = opening === undefined ? { record } : { record, opening }
      storage.put(
        `${prefix}${object}/${record.id}`,
        JSON.stringify(known === undefined ? stored : { record, opening: known }),
      )
      if (entries === undefined || opening === undefined) return
      openings.push({ object, record, opening })
      postOpeningBalance(company, object, record, opening)
    },
  }
  return company

  function restored(): CompanyLists {
    const made = createLists({
      seed,
      application: file.application,
      profile: file.profile,
      faults: file.faults,
      customers: options.customers,
      start: booksStart(today),
      today,
    })
    for (const [key, value] of storage.entries()) {
      if (!key.startsWith(prefix)) continue
      const object = key.slice(prefix.length, key.indexOf('/', prefix.length)) as ObjectName
      const { record, opening } = JSON.parse(value) as StoredRecord
      made.tables[object].put(record)
      if (opening !== undefined) openings.push({ object, record, opening })
    }
    return made
  }
}

/** Posts the balance given on insert: an invoice for a customer, or a journal entry for an account. */
function postOpeningBalance(
  company: Company,
  object: ObjectName,
  record: SampleRecord,
  { cents, day }: OpeningBalance,
): void {
  const lists = company.lists()
  if (object === 'customer') {
    const against = company.application === 'qbd' ? 'uncategorized' : 'openingEquity'
    company.ledger().post({
      type: cents < 0 ? 'Credit Memo' : 'Invoice',
      day,
      number: 'OPEN',
      party: { object, id: record.id },
      memo: 'Opening balance',
      dueDay: day,
      lines: [
        [lists.accountId('receivable'), cents],
        [lists.accountId(against), -cents],
      ],
    })
    return
  }
  company.ledger().post({
    type: 'General Journal',
    day,
    number: 'OPEN',
    memo: 'Account opening balance',
    lines: [
      [record.id, cents],
      [lists.accountId('openingEquity'), -cents],
    ],
  })
}
