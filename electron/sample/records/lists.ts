// The lists of a company: accounts, vendors, employees, classes, terms, tax codes, and items.
import { type PlantedFaults } from '../profiles/faults.ts'
import { type Profile } from '../profiles/profile.ts'
import { randomOf } from '../random.ts'
import { type Application } from '../responses.ts'
import { type Day } from '../time.ts'
import { type ObjectName } from './definition.ts'
import {
  addressOf,
  customersOf,
  momentOf,
  type PeopleSource,
  phoneOf,
  STAFF_NAMES,
  SURNAMES,
} from './people.ts'
import { createTable, type FieldValue, idOf, listOf, type RecordTable, type SampleRecord } from './table.ts'

/** The terms of every company: name and days until due. */
const TERMS: readonly (readonly [string, number])[] = [
  ['Net 30', 30],
  ['Net 15', 15],
  ['Due on receipt', 0],
  ['Net 45', 45],
  ['Net 60', 60],
]

/** The vendors that every business pays. */
export const TREASURY = 'United States Treasury'
export const STATE_TAX = 'State Tax Board'
export const BANK = 'First Harbor Bank'
export const CARD_ISSUER = 'Harbor Card Services'
export const INSURER = 'Granite State Mutual'

/** What a company's lists are generated from. */
export interface ListSource {
  readonly seed: string
  readonly application: Application
  readonly profile: Profile
  readonly faults: PlantedFaults
  readonly customers: number
  readonly start: Day
  readonly today: Day
}

/** The lists of a company, with what the books need to refer to them. */
export interface CompanyLists {
  readonly tables: Readonly<Record<ObjectName, RecordTable>>
  readonly people: PeopleSource
  /** The ID of an account by its key in the profile. */
  accountId(key: string): string
  vendorId(name: string): string
  readonly employeeIds: readonly string[]
  readonly classIds: readonly string[]
  /** Days until due, by the ID of the terms. */
  dueDays(termsId: string): number
}

/** Generates the lists of a company. Customers are generated when they are read. */
export function createLists(source: ListSource): CompanyLists {
  const { application, profile } = source
  const make = (
    object: ObjectName,
    values: readonly Readonly<Record<string, FieldValue>>[],
  ): SampleRecord[] =>
    values.map((fields, index) => {
      const random = randomOf(source.seed, object, index)
      const created = momentOf(source.start - 400 - random.whole(0, 500), random)
      const modified = random.chance(0.2)
        ? momentOf(source.today - random.whole(1, 90), random)
        : created + 60_000
      return {
        id: idOf(application, object, index, created),
        created,
        modified,
        values: { IsActive: true, ...fields },
      }
    })

  const classes = make(
    'class',
    profile.classes.map((Name) => ({ Name })),
  )
  const terms = make(
    'terms',
    TERMS.map(([Name, days]) => ({ Name, DueDays: String(days) })),
  )
  const taxCodes = make('taxcode', [
    { Name: 'Tax', Description: 'Taxable sales', IsTaxable: true },
    { Name: 'Non', Description: 'Nontaxable sales', IsTaxable: false },
  ])
  const salesTaxes = make(
    'itemsalestax',
    application === 'qbd'
      ? [
          { Name: 'Bayshore County', Description: 'County and state sales tax', TaxRate: '9.25' },
          { Name: 'Out of State', Description: 'No sales tax', TaxRate: '0.00' },
        ]
      : [],
  )
  const currencies = make('currency', [{ Name: 'United States Dollar', Code: 'USD' }])
  const accounts = accountsOf(source, make)
  const accountIds = new Map(profile.chart.map((account, index) => [account.key, accounts[index]?.id ?? '']))
  const vendorNames = vendorsOf(source)
  const vendors = make(
    'vendor',
    vendorNames.map((Name, index) => vendorValues(source, Name, index)),
  )
  if (application === 'qbo') setCurrency(vendors, currencies[0]?.id ?? '')
  const vendorIds = new Map(vendorNames.map((name, index) => [name, vendors[index]?.id ?? '']))
  const employees = make(
    'employee',
    profile.jobs.map((job, index) => employeeValues(source, job.title, index)),
  )
  const items = make(
    'item',
    profile.sales.map((sale) => ({
      Name: profile.chart.find((account) => account.key === sale.account)?.name ?? sale.memo,
      Type: 'Service',
      Description: sale.memo,
      IncomeAccount: accountIds.get(sale.account) ?? '',
    })),
  )
  const people: PeopleSource = {
    seed: source.seed,
    application,
    profile,
    hasFaults: source.faults.customers,
    count: source.customers,
    trading: Math.min(source.customers, 360),
    start: source.start,
    today: source.today,
    termIds: terms.map((record) => record.id),
    taxableId: taxCodes[0]?.id ?? '',
    exemptId: taxCodes[1]?.id ?? '',
    salesTaxIds: salesTaxes.map((record) => record.id),
    classIds: classes.map((record) => record.id),
  }
  const find = (ids: ReadonlyMap<string, string>, name: string): string => {
    const id = ids.get(name)
    if (id === undefined) throw new RangeError(`The sample's books name "${name}", which is in no list`)
    return id
  }
  return {
    tables: {
      customer: createTable(customersOf(people)),
      vendor: createTable(listOf(vendors)),
      account: createTable(listOf(accounts)),
      employee: createTable(listOf(employees)),
      class: createTable(listOf(classes)),
      terms: createTable(listOf(terms)),
      taxcode: createTable(listOf(taxCodes)),
      itemsalestax: createTable(listOf(salesTaxes)),
      item: createTable(listOf(items)),
      currency: createTable(listOf(application === 'qbo' ? currencies : [])),
    },
    people,
    accountId: (key) => find(accountIds, key),
    vendorId: (name) => find(vendorIds, name),
    employeeIds: employees.map((record) => record.id),
    classIds: classes.map((record) => record.id),
    dueDays: (termsId) => TERMS[terms.findIndex((record) => record.id === termsId)]?.[1] ?? 30,
  }
}

type Make = (object: ObjectName, values: readonly Readonly<Record<string, FieldValue>>[]) => SampleRecord[]

function accountsOf(source: ListSource, make: Make): SampleRecord[] {
  const { chart } = source.profile
  const accounts = make(
    'account',
    chart.map((account) => ({
      Name: account.name,
      Number: account.number,
      Type: account.type,
      Description: account.description ?? '',
      IsActive: !source.faults.inactiveAccounts.includes(account.key),
      BankNumber: account.type === 'Bank' ? `0${account.number}4417${account.number}` : '',
    })),
  )
  return accounts.map((record, index) => {
    const parentKey = chart[index]?.parent
    const parent = accounts[chart.findIndex((account) => account.key === parentKey)]
    return parent === undefined ? record : { ...record, values: { ...record.values, Parent: parent.id } }
  })
}

function vendorsOf({ profile, faults }: ListSource): string[] {
  const names = [
    TREASURY,
    STATE_TAX,
    BANK,
    CARD_ISSUER,
    INSURER,
    ...profile.bills.flatMap((purchase) => purchase.vendors),
    ...profile.card.flatMap((purchase) => purchase.vendors),
    ...profile.standing.map((standing) => standing.vendor),
    ...profile.otherVendors,
    ...Object.values(faults.sameVendors),
  ]
  return [...new Set(names)]
}

function vendorValues(source: ListSource, name: string, index: number): Record<string, FieldValue> {
  const { seed, profile, faults } = source
  const random = randomOf(seed, 'vendor', name)
  const { address, area } = addressOf(random)
  const gets1099 = index >= 5 && random.chance(0.4)
  // No one buys from the others, so an inactive vendor has no activity.
  const isUnused = profile.otherVendors.includes(name) && random.chance(0.3)
  const [first] = Object.entries(faults.sameVendors).find(([, second]) => second === name) ?? []
  const values = {
    Name: name,
    CompanyName: name,
    Address: address,
    // No two vendors share a phone number.
    Phone: `(${area}) 555-01${String(index).padStart(2, '0')}`,
    EligibleFor1099: gets1099,
    IsActive: !isUnused && !faults.inactiveVendors.includes(name),
  }
  if (first !== undefined)
    return { ...vendorValues(source, first, vendorsOf(source).indexOf(first)), Name: name }
  if (faults.vendorsWithoutAddress.includes(name))
    return { ...values, Address: {}, CompanyName: '', EligibleFor1099: true }
  return values
}

function setCurrency(vendors: SampleRecord[], currencyId: string): void {
  for (const [index, vendor] of vendors.entries()) {
    vendors[index] = { ...vendor, values: { ...vendor.values, Currency: currencyId } }
  }
}

function employeeValues(source: ListSource, title: string, index: number): Record<string, FieldValue> {
  const random = randomOf(source.seed, 'employee', index)
  const given = STAFF_NAMES[index % STAFF_NAMES.length] ?? 'Dana'
  const surname = random.pick(SURNAMES)
  const { address, area } = addressOf(random)
  return {
    Name: `${given} ${surname}`,
    FirstName: given,
    LastName: surname,
    JobTitle: title,
    Address: address,
    Phone: phoneOf(random, area),
    Email: `${given.toLowerCase()}@fernmail.example`,
  }
}
