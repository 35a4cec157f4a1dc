// The mistakes in the books of the sample's companies, for a review to find. docs/sample.md lists them, and
// test/contract/planted-faults.test.ts holds the two together.
import { type Cents } from '../cents.ts'
import { type Day, monthStart } from '../time.ts'

/** An entry that someone got wrong. It takes the day of the month and the accounts by their keys in the profile. */
export interface FaultyEntry {
  readonly monthsAgo: number
  readonly date: number
  readonly type:
    'Bill' | 'Check' | 'Credit Card Charge' | 'Deposit' | 'General Journal' | 'Invoice' | 'Payment'
  readonly number?: string
  readonly vendor?: string
  /** Gives the entry a customer: the first one from this index in the list. */
  readonly customer?: number
  readonly memo: string
  readonly hasClass?: true
  /** Pays the entry before it in the list. */
  readonly settlesLast?: true
  readonly lines: readonly (readonly [account: string, cents: Cents])[]
}

/** What is wrong in one company file. Months are counted back from the last full month, which is 0. */
export interface PlantedFaults {
  /** Monthly payments that were forgotten (`times` is 0) or entered too high. */
  readonly standing: readonly {
    readonly account: string
    readonly monthsAgo: number
    readonly times: number
  }[]
  /** The month whose loan payment was posted to the credit card. */
  readonly loanOnCard?: number
  readonly entries: readonly FaultyEntry[]
  /** Vendors that are in the list twice: the second name, by the first. */
  readonly sameVendors: Readonly<Record<string, string>>
  readonly vendorsWithoutAddress: readonly string[]
  readonly inactiveVendors: readonly string[]
  readonly inactiveAccounts: readonly string[]
  /** Whether the customer list has a person twice, and one with a malformed email and phone number. */
  readonly customers: boolean
}

/** The faults of a file where nothing is wrong. */
export const NO_FAULTS: PlantedFaults = {
  standing: [],
  entries: [],
  sameVendors: {},
  vendorsWithoutAddress: [],
  inactiveVendors: [],
  inactiveAccounts: [],
  customers: false,
}

const TRI_COUNTY_BILL: FaultyEntry = {
  monthsAgo: 0,
  date: 11,
  type: 'Bill',
  number: '48213',
  vendor: 'Tri-County Building Materials',
  memo: 'Materials',
  hasClass: true,
  lines: [
    ['payable', -248_640],
    ['jobMaterials', 248_640],
  ],
}

/** Alder & Finch Builders. */
export const BUILDER_FAULTS: PlantedFaults = {
  ...NO_FAULTS,
  standing: [{ account: 'power', monthsAgo: 0, times: 10 }],
  entries: [
    {
      monthsAgo: 6,
      date: 5,
      type: 'Invoice',
      number: 'R-1187',
      customer: 20,
      memo: 'Carpentry, labor',
      hasClass: true,
      lines: [
        ['receivable', 481_250],
        ['labor', -481_250],
      ],
    },
    {
      monthsAgo: 0,
      date: 8,
      type: 'Deposit',
      memo: 'Deposit',
      lines: [
        ['checking', 135_000],
        ['uncategorized', -135_000],
      ],
    },
    TRI_COUNTY_BILL,
    TRI_COUNTY_BILL,
    {
      monthsAgo: 0,
      date: 12,
      type: 'Credit Card Charge',
      vendor: 'Ironside Equipment Rental',
      memo: 'Container, month',
      lines: [
        ['storage', 38_500],
        ['card', -38_500],
      ],
    },
    {
      monthsAgo: 0,
      date: 14,
      type: 'Bill',
      number: '20771',
      vendor: 'Vance Heating & Air',
      memo: 'Subcontract, progress',
      lines: [
        ['payable', -114_000],
        ['subcontractors', 114_000],
      ],
    },
    {
      monthsAgo: 0,
      date: 17,
      type: 'Bill',
      number: '3309',
      vendor: 'Tamarack Tile',
      memo: 'Tile, shower',
      hasClass: true,
      lines: [
        ['payable', -91_825],
        ['subcontractors', 91_825],
      ],
    },
  ],
  sameVendors: { 'Marchetti Plumbing': 'Marchetti Plumbing Inc.' },
  vendorsWithoutAddress: ['Okonkwo Concrete'],
  inactiveVendors: ['Tamarack Tile'],
}

/** Northgate Animal Hospital. */
export const VETERINARY_FAULTS: PlantedFaults = {
  ...NO_FAULTS,
  standing: [{ account: 'rent', monthsAgo: 1, times: 0 }],
  loanOnCard: 0,
  entries: [
    {
      monthsAgo: 8,
      date: 9,
      type: 'General Journal',
      number: 'ADJ-14',
      memo: 'Dental X-ray unit, opening balance',
      lines: [
        ['equipment', 215_000],
        ['openingEquity', -215_000],
      ],
    },
    {
      monthsAgo: 3,
      date: 6,
      type: 'Invoice',
      number: 'N-2204',
      customer: 30,
      memo: 'Dental cleaning under anesthesia',
      hasClass: true,
      lines: [
        ['receivable', 86_420],
        ['surgery', -86_420],
      ],
    },
    {
      monthsAgo: 3,
      date: 12,
      type: 'Payment',
      number: '5120',
      customer: 30,
      memo: 'Invoice N-2204',
      hasClass: true,
      settlesLast: true,
      lines: [
        ['undeposited', 86_420],
        ['receivable', -86_420],
      ],
    },
    {
      monthsAgo: 0,
      date: 3,
      type: 'Invoice',
      number: 'N-2391',
      customer: 370,
      memo: 'Blood panel',
      hasClass: true,
      lines: [
        ['receivable', 31_240],
        ['laboratory', -31_240],
      ],
    },
    ...[10, 21].map((date): FaultyEntry => ({
      monthsAgo: 0,
      date,
      type: 'Payment',
      number: String(6100 + date),
      customer: 370,
      memo: 'Invoice N-2391',
      hasClass: true,
      ...(date === 10 && { settlesLast: true }),
      lines: [
        ['checking', 31_240],
        ['receivable', -31_240],
      ],
    })),
    {
      monthsAgo: 0,
      date: 19,
      type: 'General Journal',
      number: 'ADJ-22',
      memo: 'Correction of last year',
      lines: [
        ['retained', 127_560],
        ['capital', -127_560],
      ],
    },
    {
      monthsAgo: 0,
      date: 24,
      type: 'Deposit',
      vendor: 'SafeHaul Medical Waste',
      memo: 'Refund',
      lines: [
        ['checking', 39_840],
        ['waste', -39_840],
      ],
    },
  ],
  customers: true,
}

/** Hollis & Vane Landscape Architects. */
export const LANDSCAPE_FAULTS: PlantedFaults = {
  ...NO_FAULTS,
  standing: [{ account: 'telephone', monthsAgo: 0, times: 0 }],
  entries: [
    {
      monthsAgo: 35,
      date: 1,
      type: 'General Journal',
      number: 'OPEN',
      memo: 'Opening balances',
      lines: [
        ['oldChecking', 21_208],
        ['capital', -21_208],
      ],
    },
    {
      monthsAgo: 6,
      date: 5,
      type: 'Invoice',
      number: 'R-318',
      customer: 20,
      memo: 'Construction documents',
      hasClass: true,
      lines: [
        ['receivable', 326_000],
        ['documents', -326_000],
      ],
    },
    {
      monthsAgo: 0,
      date: 8,
      type: 'Check',
      number: '4417',
      memo: 'Check',
      lines: [
        ['askAccountant', 41_575],
        ['checking', -41_575],
      ],
    },
    {
      monthsAgo: 0,
      date: 13,
      type: 'Credit Card Charge',
      vendor: 'Twin Oaks Tree Farm',
      memo: 'Lift rental, tree planting',
      lines: [
        ['software', 294_000],
        ['card', -294_000],
      ],
    },
    {
      monthsAgo: 0,
      date: 18,
      type: 'Invoice',
      number: 'R-402',
      customer: 40,
      memo: 'Schematic design, progress',
      lines: [
        ['receivable', 168_500],
        ['design', -168_500],
      ],
    },
  ],
  sameVendors: { 'Blueline Reprographics': 'Blueline Reprographics, LLC' },
  vendorsWithoutAddress: ['Peregrine Surveying'],
  inactiveAccounts: ['oldChecking'],
}

/** The first day of the month that is `monthsAgo` months before the last full one. */
export function faultyMonth(today: Day, monthsAgo: number): Day {
  return monthStart(today, -1 - monthsAgo)
}

/** The factor by which a monthly payment was entered too high in a month: 1 if it is right. */
export function keyedTimes(faults: PlantedFaults, account: string, today: Day, month: Day): number {
  const wrong = faults.standing.find(
    (fault) => fault.account === account && faultyMonth(today, fault.monthsAgo) === month,
  )
  return wrong?.times ?? 1
}
