// Customers and their jobs. Each is generated from its place in the list alone, so a list of 100,000 costs nothing until
// it is read.
import { type Profile } from '../profiles/profile.ts'
import { hashOf, type Random, randomOf } from '../random.ts'
import { type Application } from '../responses.ts'
import { type Day, momentOfDay } from '../time.ts'
import { type Address, type BaseList, type FieldValue, idOf, indexOfId, type SampleRecord } from './table.ts'

// Plausible names, streets, and towns that belong to no one. Domains end in .example, and telephone numbers are 555-01xx,
// which are reserved for this.

export const SURNAMES = (
  'Abernathy Achterberg Adeyemi Albright Allard Amador Anand Ansari Appleyard Arroyo Ashby Atwater Babineaux ' +
  'Baptiste Barlow Bastien Beaumont Belhaven Benitez Bergstrom Birch Blackwood Bohannon Bondarenko Bowditch ' +
  'Brannigan Bristow Broussard Buckley Burgos Cadwell Calloway Campos Cardenas Castellano Chaudhary Chisholm ' +
  'Coates Colquitt Conroy Craven Cruickshank Dandridge Danforth DeSoto Delacroix Devereux Dimitrov Dougherty ' +
  'Dunning Eastlake Eckhart Eddington Ellsworth Emerson Escobar Fairbanks Farouk Faulkner Fenwick Figueroa ' +
  'Fitzgerald Fomenko Forsythe Fujimoto Gallant Garrity Gianopoulos Gilchrist Goldfarb Granger Greaves ' +
  'Gutierrez Halloran Hamasaki Hargrove Hathaway Hendricks Holloway Huang Ibarra Ingersoll Iwasaki Jankowski ' +
  'Jessup Kaplan Kessler Khoury Kirkland Kowalski Lachance Langford Larsen Lindqvist Lombardi Mackenzie ' +
  'Madrigal Marchetti McAllister Mercado Mikkelsen Montague Nakamura Navarro Nguyen Novak O’Brien O’Leary ' +
  'Obuya Okafor Ortega Osterman Pacheco Papadakis Pemberton Petrov Pickering Quintero Radcliffe Ramaswamy ' +
  'Reinholt Rosales Rutherford Salazar Santangelo Schaefer Sokolov Stavros Sutherland Takahashi Talavera ' +
  'Thibodeaux Underhill Valdez Vandermeer Villanueva Wainwright Wexler Whitlock Yamada Yelverton Zamora Zielinski'
).split(' ')

const GIVEN_NAMES = (
  'Adaeze Alonzo Amelia Anders Anjali Annika Arkady Beatriz Bram Camille Carmen Cecily Clement Dalia Damian ' +
  'Deborah Desmond Dolores Edith Elena Elias Emeka Esther Ezra Farah Felix Fiona Gabriela Gideon Greta Harriet ' +
  'Hector Helena Hiroshi Ignacio Imogen Ines Isaac Jasper Joanna Josephine Juno Katarina Kenji Lachlan Leila ' +
  'Lorenzo Louise Lucinda Magnus Marguerite Marisol Mateo Maxine Mira Nadia Nathaniel Nell Noor Octavia Oscar ' +
  'Pearl Philippa Priya Quentin Rafael Ramona Renata Rosalind Rufus Sabine Samir Saskia Silas Sonia Stellan ' +
  'Tamsin Teodoro Thea Tobias Ursula Valentina Vikram Wendell Winifred Xavier Yolanda Zachary'
).split(' ')

/** Given names of employees. None is in {@link GIVEN_NAMES}, so no customer has an employee's name. */
export const STAFF_NAMES =
  'Bernadette Caleb Dana Eleanor Garrett Hana Ivan Judith Keisha Leon Monica Terrence'.split(' ')

/** The people who enter transactions, for the audit trail. */
export const BOOKKEEPERS = ['Dana Whitcomb', 'Admin', 'Judith Amari']

const TRADES = (
  'Millwork|Cycle Works|Dental|Property Management|Bakery|Cabinetry|Upholstery|Vineyards|Pottery Studio|Printing|' +
  'Orchards|Book Shop|Marine Repair|Framing|Roofing|Interiors|Elevator & Lift|Veterinary Realty LLC|Montessori|' +
  'Coffee Roasters|Theater|Textiles, Inc.|Physical Therapy, PLLC|Cheese Company|Glassworks|Storage|Stables|' +
  'Farm Stand|Tailoring|Hardware Co.|Realty Partners|Homeowners Association'
).split('|')

const PLACES = (
  'Bayshore|Blue Heron|Calico|Cannery Row|Cedar Hollow|Coastal|Copperfield|Driftwood|Eagle Point|Elm Street|' +
  'Fernhill|Foxglove|Golden Gate|Granite Bay|Harbor View|Hawthorne|Ironwood|Juniper|Kestrel|Lakeside|Larkspur|' +
  'Lighthouse|Marigold|Meadowbrook|Mission|Northfield|Oak Knoll|Old Mill|Orchard Hill|Pine & Ember|Prairie Rose|' +
  'Quarry|Red Barn|Riverside|Saltwater|Silver Creek|Stonegate|Sunnyvale Road|Thornbury|Tidewater|Vista Grande|' +
  'Walnut Grove|Willow Bend|Windmill'
).split('|')

const STREETS = (
  'Alder Ct|Birch Way|Cannery Row|Cypress Ave|Dogwood Ln|Estuary Dr|Foundry St|Harbor Plaza|Industrial Way|' +
  'Jetty Rd|Kelp St|Larch Ln|Mission Terrace|Nutmeg Ct|Orchard Rd|Poplar St|Quay St|Ridgeline Dr|Sycamore Ave|' +
  'Tannery Ln|Union St|Vista Grande Pkwy|Wharf Rd|Yarrow Ct'
).split('|')

/** Town, state, first digits of the postal code, and area code. */
const TOWNS: readonly (readonly [string, string, string, string])[] = [
  ['Bayshore', 'CA', '943', '415'],
  ['Middlefield', 'CA', '944', '650'],
  ['Tidehaven', 'CA', '954', '707'],
  ['San Carlos', 'CA', '940', '408'],
  ['Salinas', 'CA', '939', '831'],
  ['Emery', 'CA', '946', '510'],
  ['Ashford', 'OR', '975', '541'],
  ['Northgate', 'WA', '981', '206'],
]

/** Where to start looking for the customers with planted faults: an original, its duplicate, and a malformed one. */
const FAULTY_CUSTOMERS = [12, 70, 90]

const MAIL_DOMAINS = ['fernmail.example', 'coastmail.example', 'postbox.example', 'bluepine.example']

/** What customers are generated from. */
export interface PeopleSource {
  readonly seed: string
  readonly application: Application
  readonly profile: Profile
  /** Whether the list has planted faults. */
  readonly hasFaults: boolean
  readonly count: number
  /** How many of the first customers get invoices. */
  readonly trading: number
  readonly start: Day
  readonly today: Day
  readonly termIds: readonly string[]
  readonly taxableId: string
  readonly exemptId: string
  readonly salesTaxIds: readonly string[]
  readonly classIds: readonly string[]
}

/** The customers of a company, which are generated when they are read. */
export function customersOf(source: PeopleSource): BaseList {
  return {
    count: source.count,
    make: (index) => makeCustomer(source, index),
    indexOf: (id) => indexOfId(source.application, 'customer', id),
  }
}

/** Whether a customer is active. Nothing is sold to the others. */
export function isActive(source: PeopleSource, index: number): boolean {
  return hashOf(source.seed, 'inactive', index) % 100 >= (index < source.trading ? 2 : 9)
}

/** The index of the first active person at or after `from` who was added before a day. Undefined if there is none. */
export function establishedCustomer(
  source: PeopleSource,
  from: number,
  day = source.start,
): number | undefined {
  for (let index = from; index < source.count; index++) {
    const isPerson = rootIndex(source, index) === index && !isBusiness(source, index)
    if (isPerson && isActive(source, index) && createdDay(source, index) < day) return index
  }
  return undefined
}

/** Whether invoices to a customer have sales tax. The books and the record must agree. */
export function isTaxable(source: PeopleSource, index: number): boolean {
  return hashOf(source.seed, 'tax', rootIndex(source, index)) % 100 < 70
}

/** The day a customer was added, which is before the first invoice. */
export function createdDay(source: PeopleSource, index: number): Day {
  const root = rootIndex(source, index)
  const share = hashOf(source.seed, 'created', root) / 4294967296
  const before = source.start - 30 - Math.floor(share * 1200)
  if (root < source.trading && hashOf(source.seed, 'late', root) % 10 < 8) return before
  return source.start + Math.floor(share * (source.today - source.start))
}

/** When a customer was added. Jobs follow their customer at intervals of about a minute. */
function createdMoment(source: PeopleSource, index: number): number {
  const root = rootIndex(source, index)
  return momentOf(createdDay(source, root), randomOf(source.seed, 'hour', root)) + (index - root) * 61_000
}

/** The ID of the customer at an index. */
export function customerId(source: PeopleSource, index: number): string {
  return idOf(source.application, 'customer', index, createdMoment(source, index))
}

function rootIndex(source: PeopleSource, index: number): number {
  const { pattern } = source.profile
  let root = index
  while (root > 0 && pattern[root % pattern.length] !== 'customer') root--
  return root
}

function parentIndex(source: PeopleSource, index: number): number | undefined {
  const { pattern } = source.profile
  const kind = pattern[index % pattern.length]
  if (kind === 'customer' || kind === undefined) return undefined
  const wanted = kind === 'job' ? 'customer' : 'job'
  let parent = index
  while (parent > 0 && pattern[parent % pattern.length] !== wanted) parent--
  return parent
}

const OPENINGS = [...PLACES, ...SURNAMES]

interface Party {
  readonly name: string
  readonly company: string
  readonly given: string
  readonly middle: string
  readonly surname: string
  readonly email: string
}

function ordinalOf(source: PeopleSource, root: number): number {
  const { pattern } = source.profile
  const position = root % pattern.length
  const before = (until: number): number =>
    pattern.slice(0, until).filter((kind) => kind === 'customer').length
  return Math.floor(root / pattern.length) * before(pattern.length) + before(position)
}

// The step is coprime to the number of combinations, so none repeats before all have occurred.
function combination(seed: string, ordinal: number, total: number): { position: number; round: number } {
  let step = (hashOf(seed, 'step') % total) | 1
  while (greatestCommonDivisor(step, total) !== 1) step += 2
  const offset = hashOf(seed, 'offset') % total
  return { position: (offset + ordinal * step) % total, round: Math.floor(ordinal / total) }
}

function greatestCommonDivisor(left: number, right: number): number {
  return right === 0 ? left : greatestCommonDivisor(right, left % right)
}

function isBusiness({ seed, profile }: PeopleSource, root: number): boolean {
  return hashOf(seed, 'kind', root) % 100 < profile.businesses * 100
}

function partyOf(source: PeopleSource, root: number): Party {
  const ordinal = ordinalOf(source, root)
  const { seed } = source
  if (isBusiness(source, root)) {
    const openings = OPENINGS
    const { position, round } = combination(`${seed} trade`, ordinal, openings.length * TRADES.length)
    const opening = openings[position % openings.length] ?? ''
    const trade = TRADES[Math.floor(position / openings.length)] ?? ''
    const town = round === 0 ? '' : ` of ${TOWNS[(round - 1) % TOWNS.length]?.[0] ?? ''}`
    const again = round > TOWNS.length ? ` ${String(Math.floor((round - 1) / TOWNS.length) + 1)}` : ''
    const company = `${opening} ${trade}${town}${again}`
    const random = randomOf(seed, 'contact', root)
    const given = random.pick(GIVEN_NAMES)
    return {
      name: company,
      company,
      given,
      middle: '',
      surname: random.pick(SURNAMES),
      email: `${mailName(given)}@${mailName(company)}.example`,
    }
  }
  const { position, round } = combination(`${seed} person`, ordinal, SURNAMES.length * GIVEN_NAMES.length)
  const surname = SURNAMES[position % SURNAMES.length] ?? ''
  const given = GIVEN_NAMES[Math.floor(position / SURNAMES.length)] ?? ''
  const middle = round === 0 ? '' : `${String.fromCharCode(64 + ((round - 1) % 26) + 1)}.`
  const again = round > 26 ? ` ${String(Math.floor((round - 1) / 26) + 1)}` : ''
  const first = [given, middle].filter((part) => part !== '').join(' ')
  const name = source.application === 'qbd' ? `${surname}, ${first}${again}` : `${first} ${surname}${again}`
  const mailbox = mailName(`${given}.${middle}${surname}${again}`)
  const domain = MAIL_DOMAINS[hashOf(seed, 'mail', root) % MAIL_DOMAINS.length] ?? ''
  return { name, company: '', given, middle, surname, email: `${mailbox}@${domain}` }
}

function mailName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9.]/g, '')
    .replaceAll('..', '.')
}

/** The planted faults: a person who is in the list twice, and one whose email and phone number are malformed. */
function faultyValues(source: PeopleSource, index: number): Record<string, FieldValue> {
  const [original, twin, malformed] = FAULTY_CUSTOMERS.map((from) => establishedCustomer(source, from))
  if (index === twin && original !== undefined) {
    const { values } = makeCustomer(source, original)
    const { given, surname } = partyOf(source, original)
    return { ...values, Name: `${given} ${surname}`, Number: '' }
  }
  return index === malformed
    ? { Phone: '(206) 555-01', Email: `${partyOf(source, index).given}.fernmail.example` }
    : {}
}

function makeCustomer(source: PeopleSource, index: number): SampleRecord {
  const { seed, profile } = source
  const root = rootIndex(source, index)
  const parent = parentIndex(source, index)
  const party = partyOf(source, root)
  const shared = randomOf(seed, 'customer', root)
  const own = randomOf(seed, 'record', index)
  const created = createdMoment(source, index)
  const id = customerId(source, index)
  const { position } = combination(`${seed} phone`, ordinalOf(source, root), 100 * TOWNS.length)
  const { address, area } = addressOf(shared, TOWNS[position % TOWNS.length])
  const taxable = isTaxable(source, index)
  const values: Record<string, FieldValue> = {
    Name: parent === undefined ? party.name : jobName(source, index, parent),
    CompanyName: party.company,
    Salutation: shared.pick(['', '', '', 'Ms.', 'Mr.', 'Dr.']),
    FirstName: party.given,
    MiddleName: party.middle,
    LastName: party.surname,
    Terms: source.termIds[shared.whole(0, source.termIds.length - 1)] ?? '',
    TaxCode: taxable ? source.taxableId : source.exemptId,
    ItemSalesTax: taxable ? (source.salesTaxIds[0] ?? '') : (source.salesTaxIds[1] ?? ''),
    BillingAddress: address,
    ShippingAddress: parent === undefined && own.chance(0.6) ? address : addressOf(own).address,
    // No two of the first 800 customers share a phone number. Jobs have the number of their customer.
    Phone: `(${area}) 555-01${String(Math.floor(position / TOWNS.length)).padStart(2, '0')}`,
    Mobile: own.chance(0.4) ? phoneOf(own, area) : '',
    AlternatePhone: own.chance(0.12) ? `+1 ${area} 555 01${String(own.whole(0, 99)).padStart(2, '0')}` : '',
    Email: shared.chance(0.88) ? party.email : '',
    Contact: { Name: `${party.given} ${party.surname}` },
    AlternateContact: own.chance(0.15) ? `${own.pick(GIVEN_NAMES)} ${party.surname}` : '',
    Number: own.chance(0.7) ? String(index + 1).padStart(5, '0') : '',
    IsActive: isActive(source, index),
    ExternalID: '',
    Class: own.chance(0.5) ? (source.classIds[own.whole(0, source.classIds.length - 1)] ?? '') : '',
    ...(source.hasFaults && faultyValues(source, index)),
  }
  if (parent !== undefined) values['Parent'] = customerId(source, parent)
  if (profile.businesses > 0.5) values['Suffix'] = own.pick(['', '', '', '', 'Jr.', 'PE'])
  const age = source.today - createdDay(source, index)
  const days = own.chance(0.14) ? Math.min(age, own.whole(0, 60)) : own.whole(0, Math.max(age, 0))
  const modified = Math.max(created, momentOf(source.today - days, own))
  return { id, created, modified, values }
}

function jobName(source: PeopleSource, index: number, parent: number): string {
  if (source.profile.pattern[index % source.profile.pattern.length] === 'phase') return 'Phase 2'
  const names = source.profile.jobNames
  return names[(hashOf(source.seed, 'job', parent) + index - parent) % names.length] ?? 'Job'
}

/** Generates a street address in one of the towns. */
export function addressOf(random: Random, town = random.pick(TOWNS)): { address: Address; area: string } {
  const [city, state, zip, area] = town
  const address: Record<string, string> = {
    Line1: `${String(random.whole(1, 5400))} ${random.pick(STREETS)}`,
    City: city,
    State: state,
    PostalCode: `${zip}${String(random.whole(1, 99)).padStart(2, '0')}`,
  }
  if (random.chance(0.15)) address['Line2'] = `Suite ${String(random.whole(1, 9) * 100)}`
  if (random.chance(0.05)) address['Notes'] = 'Gate code at the office'
  return { address, area }
}

/** Generates a telephone number that no one has. */
export function phoneOf(random: Random, area: string): string {
  return `(${area}) 555-01${String(random.whole(0, 99)).padStart(2, '0')}`
}

/** Generates a moment in the office hours of a day. */
export function momentOf(day: Day, random: Random): number {
  return momentOfDay(day) + random.whole(8 * 3600, 18 * 3600) * 1000
}
