/**
 * How often **Tidy up** is right about duplicates: lists are generated with planted duplicates, and with near misses that a
 * careful person would not call duplicates. A wrong proposal costs more than a missing one. docs/measured.md has the figures.
 */
import { expect, test } from 'vitest'
import { TidyScan } from '../../../electron/tidy/scan.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import { isDeep, seeds } from '../../seeds.ts'
import { pick, seeded } from '../writing/random.ts'

const SEEDS = seeds(4, 200)

const words = (text: string): readonly string[] => text.split(' ')
const GIVEN = words(
  'Maria John Robert Linda James Patricia Michael Jennifer William Elizabeth David Susan Richard Jessica Thomas Sarah Karen Daniel Nancy Lisa Mario Marta Karin Jon Joan Daniela Christina Christine Andrea Andrew Frances Francis Louis Louise Brian Bryan Eric Erica Julia Julie Carlos Carla Jose Josef Philip Gabriel Gabriela Stephen Steven Alan Marianne Miguel Wei Ngoc Fatima Omar Priya Anil Sven Ingrid Zoe Chloe',
)
const FAMILY = words(
  'Smith Smyth Johnson Johnston Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Andersen Thomas Taylor Moore Jackson Martin Lee Perez Thompson Thomson White Harris Sanchez Clark Clarke Ramirez Lewis Robinson Walker Young Allen King Wright Scott Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Ōkawa Müller Hansen Hanson Larsen Larson Petersen Peterson Reid Reed Stewart Stuart Nielsen',
)
const PLACES = words(
  'Harbor Cedar Summit Valley Ridge Bayshore Golden Pacific Union Liberty Northern Central Riverside Lakeside Prairie Coastal Mission Granite Copper Silver Orchard Pioneer Heritage Beacon Anchor Evergreen Redwood Sierra Cascade Delta',
)
const TRADES = words(
  'Plumbing Bakery Electric Landscaping Dental Roofing Printing Catering Logistics Hardware Furniture Fitness Pharmacy Motors Textiles Consulting Insurance Realty Brewing Optical Veterinary Masonry Painting Carpentry Flooring Nursery Apparel Jewelers',
)
const FORMS = ['', '', 'Inc.', 'LLC', 'Co.', 'Corp.', 'Ltd.'] as const
const STREETS = words(
  'Alder Cannery Industrial Main Oak Second Ninth Market Valencia Mission Grant Hyde Polk Larkin',
)
const CITIES = words('Oakland Fremont Hayward Berkeley Alameda Richmond Concord Vallejo')

/** The words of a name, in any order and without a legal form. */
function keyOf(name: string): string {
  return words(
    name
      .toLowerCase()
      .replace(/ (?:inc|llc|co|corp|ltd)\.?$/, '')
      .replace(/[^\p{L}]+/gu, ' ')
      .trim(),
  )
    .toSorted()
    .join(' ')
}

interface Customer {
  readonly Name: string
  readonly FirstName: string
  readonly MiddleName: string
  readonly LastName: string
  readonly Suffix: string
  readonly CompanyName: string
  readonly Phone: string
  readonly Email: string
  readonly BillingAddress: Readonly<Record<string, string>>
  readonly ShippingAddress?: RecordData
  readonly Number?: string
  readonly Mobile?: string
  readonly AlternatePhone?: string
  readonly Currency?: RecordData
  /** Other fields. */
  readonly more?: RecordData
}

/** Changes one customer into another, or into several. `null` if this one doesn't allow the change. */
type Change = (from: Customer, random: () => number) => Customer | readonly Customer[] | null

class ListMaker {
  readonly records: RecordData[] = []
  /** IDs that are the same customer. */
  readonly planted = new Map<string, string>()
  nearMisses = 0
  /** The kind of each record that was planted, by ID. */
  readonly kinds = new Map<string, string>()
  readonly random: () => number
  readonly object: 'customer' | 'vendor'
  readonly #names = new Set<string>()

  constructor(seed: number, object: 'customer' | 'vendor' = 'customer') {
    this.random = seeded(seed)
    this.object = object
  }

  #phone(): string {
    const digits = (count: number): string =>
      Array.from({ length: count }, () => String(Math.floor(this.random() * 10))).join('')
    return `(${pick(this.random, ['415', '510', '925'])}) ${String(2 + Math.floor(this.random() * 8))}${digits(2)}-${digits(4)}`
  }

  #address(): Readonly<Record<string, string>> {
    const street = `${String(1 + Math.floor(this.random() * 9_000))} ${pick(this.random, STREETS)} Street`
    const zip = `94${String(100 + Math.floor(this.random() * 800))}`
    return { Line1: street, City: pick(this.random, CITIES), State: 'CA', PostalCode: zip }
  }

  /** Details as lists have them: some lack a phone, an email address, or both. */
  details(name: string): Pick<Customer, 'Phone' | 'Email' | 'BillingAddress'> {
    const mailbox = name.toLowerCase().replace(/[^a-z]+/g, '.')
    return {
      Phone: this.random() < 0.85 ? this.#phone() : '',
      Email: this.random() < 0.7 ? `${mailbox}${String(Math.floor(this.random() * 1_000))}@mail.example` : '',
      BillingAddress: this.random() < 0.85 ? this.#address() : {},
    }
  }

  /** A customer whose name no one else has, whatever the order of its words. */
  customer(): Customer {
    for (;;) {
      const isPerson = this.random() < 0.5
      const [first, last] = [pick(this.random, GIVEN), pick(this.random, FAMILY)]
      const form = pick(this.random, FORMS)
      const company = `${pick(this.random, PLACES)} ${pick(this.random, [...PLACES, ...FAMILY])} ${pick(this.random, TRADES)}`
      const name = isPerson ? `${first} ${last}` : `${company}${form === '' ? '' : ` ${form}`}`
      const key = keyOf(isPerson ? name : company)
      // Thomas Thomas is the same the other way around.
      if (this.#names.has(key) || first === last) continue
      this.#names.add(key)
      return {
        Name: name,
        FirstName: isPerson ? first : '',
        MiddleName: isPerson && this.random() < 0.3 ? 'A' : '',
        LastName: isPerson ? last : '',
        Suffix: '',
        CompanyName: isPerson ? '' : name,
        ...this.details(name),
      }
    }
  }

  put(customer: Customer): string {
    const ID = `c${String(this.records.length + 1)}`
    const all = { ID, IsActive: 'true', CreatedDate: '2025-01-01' }
    const { more = {}, ...known } = customer
    const { Name, CompanyName, Phone, BillingAddress, Currency } = customer
    this.records.push(
      this.object === 'customer'
        ? { ...all, FullName: Name, Balance: '0.00', ...known, ...more }
        : { ...all, Name, CompanyName, Phone, Currency, Address: BillingAddress, ...more },
    )
    return ID
  }

  plant(change: Change, isDuplicate: boolean, kind: string): void {
    for (let tries = 0; tries < 2_000; tries += 1) {
      const made = this.customer()
      const changed = change(made, this.random)
      if (changed === null) continue
      const all: readonly Customer[] = isSeveral(changed) ? changed : [made, changed]
      if (new Set(all.map(({ Name }) => Name)).size < all.length) continue
      const [key, other] = [keyOf(all[0]?.Name ?? ''), keyOf(all[1]?.Name ?? '')]
      if (key !== other && this.#names.has(other)) continue
      this.#names.add(other)
      const ids = all.map((each) => this.put(each))
      if (isDuplicate) this.planted.set(ids.join(' '), kind)
      else this.nearMisses += 1
      for (const id of ids) this.kinds.set(id, kind)
      return
    }
    throw new Error(`No ${kind} can be made.`)
  }
}

function isSeveral(changed: ReturnType<Change>): changed is readonly Customer[] {
  return Array.isArray(changed)
}

const isPerson = ({ FirstName }: Customer): boolean => FirstName !== ''

/** A name with two letters of a word swapped. */
function slipped(name: string, random: () => number): string | null {
  const long = words(name).filter((word) => /^[A-Za-z]{7,}$/.test(word))
  if (long.length === 0) return null
  const word = pick(random, long)
  const at = 2 + Math.floor(random() * (word.length - 5))
  if (word[at] === word[at + 1]) return null
  return name.replace(word, `${word.slice(0, at)}${word[at + 1] ?? ''}${word[at] ?? ''}${word.slice(at + 2)}`)
}

const FORM = / (?:Inc|LLC|Co|Corp|Ltd)\.?$/
const below = (ID: string): RecordData => ({ Parent: { ID, FullName: 'Plaza Management' } })

const customField = (Name: string, Value: string): RecordData => ({ CustomFields: [{ Name, Value }] })

const DUPLICATES: Readonly<Record<string, Change>> = {
  'last name first': (from) =>
    isPerson(from) ? { ...from, Name: `${from.LastName}, ${from.FirstName}`, Email: '' } : null,
  'in capitals': (from) => ({ ...from, Name: from.Name.toUpperCase(), BillingAddress: {} }),
  'without its legal form': (from) => {
    const Name = from.Name.replace(/ (?:Inc\.|LLC|Co\.|Corp\.|Ltd\.)$/, '')
    return isPerson(from) || Name === from.Name ? null : { ...from, Name, CompanyName: Name }
  },
  ...Object.fromEntries(
    (['Phone', 'Email', 'BillingAddress'] as const).map((shared) => [
      `without its legal form and company name, same ${shared}`,
      (from: Customer) => {
        const Name = from.Name.replace(FORM, '')
        const has = shared === 'BillingAddress' ? from.BillingAddress['Line1'] : from[shared]
        const both = { ...from, CompanyName: '', ...NOWHERE, [shared]: from[shared] }
        return isPerson(from) || Name === from.Name || !has ? null : [both, { ...both, Name }]
      },
    ]),
  ),
  'one word without its legal form': (from) =>
    from.Phone === '' || from.BillingAddress['Line1'] === undefined || isPerson(from)
      ? null
      : [
          { ...from, Name: words(from.Name).slice(0, 3).join(''), CompanyName: '' },
          { ...from, Name: `${words(from.Name).slice(0, 3).join('')}, Inc.`, CompanyName: '' },
        ],
  'legal form written out': (from) =>
    /Inc\.$|Corp\.$/.test(from.Name)
      ? {
          ...from,
          Name: from.Name.replace('Inc.', 'Incorporated').replace('Corp.', 'Corporation'),
          Phone: '',
        }
      : null,
  'other punctuation': (from) =>
    isPerson(from)
      ? null
      : { ...from, Name: from.Name.replace(' ', '-'), Phone: from.Phone.replace(/\D/g, '') },
  'without details': (from) => ({
    ...from,
    Name: from.Name.toLowerCase(),
    Phone: '',
    Email: '',
    BillingAddress: {},
  }),
  'a slip, same phone': (from, random) => {
    const Name = slipped(from.Name, random)
    return Name === null || from.Phone === ''
      ? null
      : { ...from, Name, CompanyName: '', Email: '', Phone: from.Phone.replace(/\D/g, '') }
  },
  'a slip, same email': (from, random) => {
    const Name = slipped(from.Name, random)
    return Name === null || from.Email === ''
      ? null
      : { ...from, Name, CompanyName: '', Email: from.Email.toUpperCase(), Phone: '', BillingAddress: {} }
  },
  'an initial more': (from) =>
    isPerson(from) && from.Phone !== '' && from.MiddleName === ''
      ? { ...from, Name: `${from.FirstName} Q. ${from.LastName}`, MiddleName: 'Q' }
      : null,
  'address in other words': (from) => {
    const street = from.BillingAddress['Line1']
    if (street === undefined || !isPerson(from)) return null
    const Line1 = street.replace('Street', 'St.')
    const Name = `${from.LastName}, ${from.FirstName}`
    return {
      ...from,
      Name,
      Phone: '',
      Email: '',
      BillingAddress: {
        ...from.BillingAddress,
        Line1,
        PostalCode: `${from.BillingAddress['PostalCode'] ?? ''}-1234`,
      },
    }
  },
  'three of one': (from) =>
    isPerson(from) || from.Phone === '' || FORM.test(from.Name)
      ? null
      : [
          { ...from, Email: '' },
          { ...from, Name: from.Name.toUpperCase(), ...NOWHERE },
          { ...from, Name: `The ${from.Name}`, BillingAddress: {} },
        ],
  'a job added twice': (from) =>
    isPerson(from) && from.Phone !== ''
      ? [
          { ...from, more: below('p1') },
          { ...from, Name: `${from.LastName}, ${from.FirstName}`, Email: '', more: below('p1') },
        ]
      : null,
  'a job added twice, without details': (from) =>
    isPerson(from)
      ? null
      : [
          { ...from, ...NOWHERE, more: below('p1') },
          { ...from, ...NOWHERE, Name: from.Name.toUpperCase(), more: below('p1') },
        ],
  'a slash in another form': (from, random) => {
    const [one, other] = pick(random, [
      ['A/C', 'A/C -'],
      ['Smith/Jones 2:', 'Smith / Jones 2'],
      ['Unit 4A/B', 'UNIT 4A / B'],
    ] as const)
    return isPerson(from)
      ? null
      : [
          { ...from, Name: `${one} ${from.Name}`, CompanyName: '' },
          { ...from, Name: `${other} ${from.Name}`, CompanyName: '' },
        ]
  },
  'fields that say nothing': (from, random) => {
    const [first, second] = pick(random, [
      [{ Metadata: { RevisionNumber: '4' } }, { Metadata: { RevisionNumber: '9' } }],
      [{ LastInvoice: { Number: 'A-1' } }, { LastInvoice: { Number: 'A-2' } }],
      [customField('Last contacted', '2024-01-02'), customField('Last contacted', '2025-03-09')],
      [customField('Cell', '(415) 555-0101'), customField('Cell', '+1 415 555 0101')],
    ] as const)
    return from.Phone === ''
      ? null
      : [
          { ...from, more: first },
          { ...from, Name: from.Name.toUpperCase(), more: second },
        ]
  },
  'fields of the service': (from) =>
    from.Phone === ''
      ? null
      : [
          {
            ...from,
            more: {
              AccountNumber: '12-345',
              Fax: '(415) 555-0101',
              SyncToken: '1',
              Terms: { FullName: 'Net 30' },
            },
          },
          {
            ...from,
            Name: from.Name.toUpperCase(),
            more: { AccountNumber: '12345', Fax: 'none', SyncToken: '7', ExternalID: '' },
          },
        ],
  'added here twice': (from) =>
    from.Phone === ''
      ? null
      : [
          { ...from, more: { ExternalID: '01936d4e-7a2b-7c11-8a52-3f5b6c7d8e9f' } },
          {
            ...from,
            Name: from.Name.toUpperCase(),
            more: { ExternalID: '01936d4f-11aa-7d22-9b63-4a6c7d8e9f01' },
          },
        ],
  'a town in lines': (from, random) => {
    const { Line1, City = '', PostalCode = '' } = from.BillingAddress
    if (Line1 === undefined || isPerson(from)) return null
    const Line2 = inLines(City, 'CA', PostalCode, random)
    return { ...from, Name: from.Name.toUpperCase(), Phone: '', Email: '', BillingAddress: { Line1, Line2 } }
  },
  'moved, same phone and email': (from) =>
    !isPerson(from) || from.Phone === '' || from.Email === ''
      ? null
      : {
          ...from,
          Name: from.Name.toUpperCase(),
          BillingAddress: { Line1: '9 Faraway Road', City: 'Reno', State: 'NV', PostalCode: '89501' },
        },
}

/** A town as people write it into a line of an address. */
function inLines(city: string, state: string, zip: string, random: () => number): string {
  const forms = [
    `${city}, ${state} ${zip}`,
    `${city} ${state} ${zip}-1234`,
    `${city}, ${state}. ${zip} - 1234`,
    `${city}, ${state}-${zip}`,
    `${city} (${state}) ${zip}`,
    `${city}, ${state}${zip}`,
    `${city}, ${zip} ${state}`,
    `${city}; ${state}; ${zip}`,
    `${city}, ${state} ${zip} (USA)`,
    `${city}, ${state}, US ${zip}`,
    `${city}, ${state} Zip ${zip}`,
    `${city.toUpperCase()}, ${state} ${zip}, U. S. A.`,
  ] as const
  return pick(random, forms)
}

/** Other details, in towns of which none has the other's. */
const NOWHERE = { Phone: '', Email: '', BillingAddress: {} }
const OAKLAND = { Line1: '100 Main St', City: 'Oakland', State: 'CA' }
const DENVER = { Line1: '100 Main St', City: 'Denver', State: 'CO' }

function nearMisses(list: ListMaker): Readonly<Record<string, Change>> {
  const other = (name: string): Pick<Customer, 'Phone' | 'Email' | 'BillingAddress'> => {
    for (;;) {
      const details = list.details(`${name}x`)
      if (details.Phone !== '' && details.Email !== '' && details.BillingAddress['Line1'] !== undefined)
        return details
    }
  }
  const whole = (from: Customer): boolean =>
    from.Phone !== '' && from.Email !== '' && from.BillingAddress['Line1'] !== undefined
  /** Two with the same name and no details in common. */
  const two =
    (first: Partial<Customer>, second: Partial<Customer>): Change =>
    (from) => {
      const same = { ...from, Phone: '', Email: '', BillingAddress: {} }
      return [
        { ...same, ...first },
        { ...same, Name: from.Name.toUpperCase(), ...second },
      ]
    }
  const otherGiven =
    (given: string): Change =>
    (from) =>
      isPerson(from) ? { ...from, Name: `${given} ${from.LastName}`, FirstName: given } : null
  return {
    'father and son, Jr.': (from) =>
      isPerson(from) ? { ...from, Name: `${from.Name} Jr.`, Email: '' } : null,
    'father and son, in Suffix': (from) =>
      isPerson(from) ? { ...from, Name: `${from.LastName}, ${from.FirstName}`, Suffix: 'III' } : null,
    'father and son, other initials': (from) =>
      from.MiddleName === 'A'
        ? { ...from, Name: `${from.LastName}, ${from.FirstName}`, MiddleName: 'B' }
        : null,
    'two at one address and phone': (from, random) => otherGiven(pick(random, GIVEN))(from, random),
    'Maria and Marta': (from) => {
      const twin = {
        Maria: 'Marta',
        Marta: 'Maria',
        Karen: 'Karin',
        Karin: 'Karen',
        Daniel: 'Daniela',
        Christina: 'Christine',
        Frances: 'Francis',
        Louis: 'Louise',
        Gabriel: 'Gabriela',
        Eric: 'Erica',
        Brian: 'Bryan',
        Julia: 'Julie',
      }[from.FirstName]
      return twin === undefined ? null : otherGiven(twin)(from, list.random)
    },
    'Kirsten and Kristen, one phone': (from) =>
      isPerson(from) && from.Phone !== ''
        ? [
            { ...from, Name: `Kirsten ${from.LastName}`, FirstName: 'Kirsten', Email: '' },
            { ...from, Name: `Kristen ${from.LastName}`, FirstName: 'Kristen' },
          ]
        : null,
    'father and son, one phone, other mobile phones': (from) =>
      isPerson(from) && from.Phone !== '' && from.MiddleName === ''
        ? [
            { ...from, Mobile: '(925) 555-0101' },
            { ...from, Name: `${from.FirstName} Q. ${from.LastName}`, Mobile: '(925) 555-0102' },
          ]
        : null,
    'branches, one phone, other numbers': (from) =>
      isPerson(from) || from.Phone === ''
        ? null
        : [
            { ...from, Number: 'C-1' },
            { ...from, Name: from.Name.toUpperCase(), Number: 'C-2' },
          ],
    'Smith and Smyth': (from) => {
      const twin = {
        Smith: 'Smyth',
        Smyth: 'Smith',
        Johnson: 'Johnston',
        Andersen: 'Anderson',
        Clark: 'Clarke',
        Hansen: 'Hanson',
        Reed: 'Reid',
        Stewart: 'Stuart',
        Petersen: 'Peterson',
        Thompson: 'Thomson',
      }[from.LastName]
      return twin === undefined
        ? null
        : { ...from, ...other(from.Name), Name: `${from.FirstName} ${twin}`, LastName: twin }
    },
    namesakes: (from) =>
      isPerson(from) && whole(from)
        ? { ...from, Name: `${from.LastName}, ${from.FirstName}`, ...other(from.Name) }
        : null,
    'branches with numbers': (from) =>
      isPerson(from)
        ? null
        : { ...from, Name: `${from.Name} #2`, BillingAddress: other(from.Name).BillingAddress },
    'branches with places': (from, random) =>
      isPerson(from) ? null : { ...from, Name: `${from.Name} ${pick(random, CITIES)}` },
    'branches, one mailbox': (from) =>
      !isPerson(from) && whole(from)
        ? {
            ...from,
            Name: from.Name.toUpperCase(),
            Phone: other(from.Name).Phone,
            BillingAddress: other(from.Name).BillingAddress,
          }
        : null,
    'Inc. and LLC': (from) =>
      /Inc\.$/.test(from.Name) ? { ...from, Name: from.Name.replace('Inc.', 'LLC'), CompanyName: '' } : null,
    'a person and their LLC, without first and last names': (from) =>
      isPerson(from)
        ? [
            { ...from, FirstName: '', LastName: '', MiddleName: '' },
            { ...from, Name: `${from.Name} LLC`, FirstName: '', LastName: '', MiddleName: '' },
          ]
        : null,
    'a family and its LLC, one phone': (from) =>
      isPerson(from) && from.Phone !== ''
        ? [
            {
              ...from,
              ...NOWHERE,
              Phone: from.Phone,
              Name: `${from.LastName}-${from.FirstName}`.replace('-', ''),
              FirstName: '',
            },
            {
              ...from,
              ...NOWHERE,
              Phone: from.Phone,
              Name: `${from.LastName}${from.FirstName} LLC`,
              FirstName: '',
            },
          ]
        : null,
    'a person and their LLC': (from) =>
      isPerson(from) ? { ...from, Name: `${from.Name} LLC`, FirstName: '', LastName: '', Email: '' } : null,
    'a person and the business': (from, random) =>
      isPerson(from) ? { ...from, Name: `${from.Name} ${pick(random, TRADES)}` } : null,
    'a family and its trust': (from) => (isPerson(from) ? { ...from, Name: `${from.Name} Trust` } : null),
    'names the other way around': (from) =>
      isPerson(from)
        ? {
            ...from,
            Name: `${from.LastName} ${from.FirstName}`,
            FirstName: from.LastName,
            LastName: from.FirstName,
            ...other(from.Name),
          }
        : null,
    'branches in two cities': two(
      { BillingAddress: { City: 'Oakland', State: 'CA' } },
      { BillingAddress: { City: 'Austin', State: 'TX' } },
    ),
    'branches in two plazas': two(
      { BillingAddress: { Line1: 'One Market Plaza', PostalCode: '94601' } },
      { BillingAddress: { Line1: 'Two Elm Plaza', PostalCode: '73301' } },
    ),
    'other shipping addresses': two(
      { ShippingAddress: { Line1: '1 Elm Street', PostalCode: '94601' } },
      { ShippingAddress: { Line1: '9 Oak Street', PostalCode: '94601' } },
    ),
    'other numbers': two({ Number: 'C-17' }, { Number: 'C-95' }),
    'other mobile phones': two({ Mobile: '(415) 555-0101' }, { Mobile: '(415) 555-0102' }),
    'other alternate phones': two({ AlternatePhone: '(415) 555-0101' }, { AlternatePhone: '(415) 555-0102' }),
    'other currencies': (from) => [
      { ...from, Currency: { FullName: 'USD' } },
      { ...from, Name: from.Name.toUpperCase(), Currency: { FullName: 'EUR' } },
    ],
    'father and son, an initial more': (from) =>
      isPerson(from) && from.Phone !== '' && from.MiddleName === ''
        ? { ...from, Name: `${from.FirstName} Q. ${from.LastName}`, Email: '' }
        : null,
    'entities of one owner, by letter': (from, random) =>
      isPerson(from) || from.Phone === ''
        ? null
        : { ...from, Name: `${from.CompanyName} ${pick(random, ['A', 'B', 'I', 'V'])}`, CompanyName: '' },
    'a couple, by initial': (from) =>
      isPerson(from) && from.MiddleName === ''
        ? [
            { ...from, Name: `J. ${from.LastName}-${from.FirstName}`, FirstName: 'John' },
            { ...from, Name: `J ${from.LastName}-${from.FirstName}`, FirstName: 'Jane' },
          ]
        : null,
    'decimal points': (from) =>
      isPerson(from)
        ? null
        : [
            { ...from, Name: `${from.CompanyName} Lot 1.5`, CompanyName: '' },
            { ...from, Name: `${from.CompanyName} Lot 15`, CompanyName: '' },
          ],
    signs: (from) => [
      { ...from, Name: `A+ ${from.Name}`, CompanyName: '' },
      { ...from, Name: `A- ${from.Name}`, CompanyName: '' },
    ],
    'other malls': two(
      { BillingAddress: { Line1: 'Stoneridge Mall' } },
      { BillingAddress: { Line1: 'Valley Fair Mall' } },
    ),
    'other suites': two(
      { BillingAddress: { Line1: '100 Main St', Line2: 'Suite 200', PostalCode: '94601' } },
      { BillingAddress: { Line1: '100 Main Street', Line2: '#900', PostalCode: '94601' } },
    ),
    'other countries': two({ BillingAddress: { Country: 'USA' } }, { BillingAddress: { Country: 'Canada' } }),
    'two names joined': (from) =>
      isPerson(from) ? { ...from, Name: `${from.FirstName} & ${from.LastName}`, CompanyName: '' } : null,
    'other accents': (from) => [
      { ...from, Name: `Côté ${from.Name}`, CompanyName: '' },
      { ...from, Name: `Côte ${from.Name}`, CompanyName: '' },
    ],
    'a comma in another place': (from) =>
      isPerson(from)
        ? [
            { ...from, Name: `${from.FirstName} José ${from.LastName}`, FirstName: '' },
            { ...from, Name: `${from.LastName} ${from.FirstName}, José`, FirstName: '' },
          ]
        : null,
    'namesakes beside a third without details': (from) => {
      if (!isPerson(from) || !whole(from)) return null
      list.put({ ...from, Name: from.Name.toLowerCase(), Phone: '', Email: '', BillingAddress: {} })
      return { ...from, Name: from.Name.toUpperCase(), ...other(from.Name) }
    },
    'three, two of which contradict each other': (from) =>
      isPerson(from) || FORM.test(from.Name)
        ? null
        : [
            { ...from, ...NOWHERE, more: { Balance: '500.00' } },
            { ...from, Name: from.Name.toUpperCase(), ...other(from.Name), more: { AccountNumber: '100' } },
            { ...from, Name: `The ${from.Name}`, ...other(from.Name), more: { AccountNumber: '200' } },
          ],
    'three people, one without details': (from) =>
      isPerson(from)
        ? [
            { ...from, ...NOWHERE },
            { ...from, Name: `${from.LastName}, ${from.FirstName}`, ...other(from.Name) },
            { ...from, Name: from.Name.toUpperCase(), ...other(from.Name) },
          ]
        : null,
    'namesakes below one customer': (from) =>
      isPerson(from)
        ? [
            { ...from, ...other(from.Name), more: below('p1') },
            {
              ...from,
              Name: `${from.LastName}, ${from.FirstName}`,
              ...other(from.Name),
              more: below('p1'),
            },
          ]
        : null,
    'jobs without details': (from) =>
      isPerson(from) && from.FirstName !== from.LastName
        ? [
            { ...from, ...NOWHERE, more: below(`p-${from.Name}`) },
            {
              ...from,
              ...NOWHERE,
              Name: `${from.LastName}, ${from.FirstName}`,
              more: below(`p-${from.Name}`),
            },
          ]
        : null,
    'jobs of one manager': (from, random) => {
      if (!isPerson(from)) return null
      const { Phone, Email } = other(from.Name)
      const job = (each: Customer): Customer => ({
        ...each,
        Phone,
        Email,
        BillingAddress: {},
        more: below(`p-${from.Name}`),
      })
      const two = [from, { ...from, Name: `${from.LastName}, ${from.FirstName}` }]
      const neighbors = Array.from({ length: 3 + Math.floor(random() * 12) }, () => list.customer())
      return [...two, ...neighbors].map(job)
    },
    ...Object.fromEntries(
      (
        [
          ['AccountNumber', '12345', '99999'],
          ['AcctNum', 12345, 99999],
          ['DealerNo', 'A-1', 'A-2'],
          ['ExternalID', 'A-1', 'A-2'],
          ['Fax', '(415) 555-0101', '(415) 555-0199'],
          ['Phone2', '(415) 555-0101', '(415) 555-0199'],
          ['Description', 'Health', 'Auto'],
          ['TaxID', '94-1234567', '20-7654321'],
          ['EligibleFor1099', 'true', 'false'],
          [
            'ExternalID',
            '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
            '{7A1B2C3D-8B86-4D01-B42D-00CF4FC964AA}',
            'an external ID that is a GUID',
          ],
          ['CustomField1', 'Lot 12', 'Lot 13'],
          ['Other', { MemberNo: 12 }, { MemberNo: 13 }, 'a number in a member'],
          [
            'CustomFields',
            [{ Name: 'Member No.', Value: 'A-12' }],
            [{ Name: 'Member No.', Value: 'A-13' }],
            'a number in a list of custom fields',
          ],
          [
            'DataExt',
            [{ DataExtName: 'Lot', DataExtValue: '12' }],
            [{ DataExtName: 'Lot', DataExtValue: '13' }],
            'a custom number of the desktop application',
          ],
          [
            'CustomFields',
            [{ Name: 'Date of birth', Value: '1950-01-02' }],
            [{ Name: 'Date of birth', Value: '1980-03-04' }],
            'a date of birth',
          ],
        ] as const
      ).map(([field, first, second, kind = field]) => [
        `other ${kind}`,
        (from: Customer) => [
          { ...from, more: { [field]: first } },
          { ...from, Name: `${from.Name}.`, more: { [field]: second } },
        ],
      ]),
    ),
    'other contacts or departments': (from, random) => {
      const field = pick(random, ['Contact', 'Class'])
      const of = (text: string): RecordData =>
        field === 'Contact' ? { Contact: { Name: text } } : { Class: { ID: text, FullName: text } }
      return [
        { ...from, ...NOWHERE, more: of('Parks') },
        { ...from, ...NOWHERE, Name: from.Name.toUpperCase(), more: of('Police') },
      ]
    },
    'a couple, by title': two({ more: { Salutation: 'Mr.' } }, { more: { Salutation: 'Ms.' } }),
    'households, by last name': (from) =>
      isPerson(from)
        ? [
            { ...from, ...NOWHERE, Name: `${from.LastName}-${from.FirstName} Household` },
            {
              ...from,
              ...NOWHERE,
              Name: `The ${from.LastName}-${from.FirstName} Household`,
              LastName: 'Abernathy',
            },
          ]
        : null,
    'one street in two cities': two({ BillingAddress: OAKLAND }, { BillingAddress: DENVER }),
    'one street in two cities, in lines': two(
      { BillingAddress: { Line1: '100 Main St', Line2: 'Oakland, CA 94601' } },
      { BillingAddress: { Line1: '100 Main St', Line2: 'Denver, CO 80014' } },
    ),
    'one street in two cities, in lines of many forms': (from, random) =>
      two(
        { BillingAddress: { Line1: '100 Main St', Line2: inLines('Miami', 'FL', '33101', random) } },
        { BillingAddress: { Line1: '100 Main St', Line2: inLines('Boise', 'ID', '83702', random) } },
      )(from, random),
    'units of one building': two(
      { BillingAddress: { ...OAKLAND, Line1: '100 Main St Unit 4A/B' } },
      { BillingAddress: { ...OAKLAND, Line1: '100 Main St Unit 4A B' } },
    ),
    'one street without a town, a slip': (from, random) => {
      const Name = slipped(from.Name, random)
      const street = { ...from, ...NOWHERE, CompanyName: '', BillingAddress: { Line1: '100 Main St' } }
      return Name === null || isPerson(from) ? null : [street, { ...street, Name }]
    },
    'branches, one head office': (from) =>
      !isPerson(from) && whole(from)
        ? { ...from, Name: `The ${from.Name}`, BillingAddress: other(from.Name).BillingAddress }
        : null,
    'tenants of one manager': (from, random) => {
      if (!isPerson(from)) return null
      const { Phone, Email } = other(from.Name)
      const tenant = (each: Customer): Customer => ({
        ...each,
        Phone,
        Email,
        BillingAddress: other(each.Name).BillingAddress,
      })
      const two = [from, { ...from, Name: `${from.LastName}, ${from.FirstName}` }]
      const neighbors = Array.from({ length: 3 + Math.floor(random() * 12) }, () => list.customer())
      return [...two, ...neighbors].map(tenant)
    },
    'placeholders for phone and email': (from, random) => {
      if (!isPerson(from)) return null
      const Phone = pick(random, ['000-000-0000', '(999) 999-9999', '555-5555', '123-456-7890'])
      const Email = pick(random, ['none@none.com', 'noemail@mail.example', 'n/a@mail.example', 'xxx@xxx.com'])
      const of = (): Customer => ({ ...from, ...other(from.Name), Phone, Email })
      return [of(), { ...of(), Name: `${from.LastName}, ${from.FirstName}` }]
    },
    'one switchboard, other extensions': (from) =>
      isPerson(from)
        ? [
            { ...from, ...NOWHERE, Phone: '(212) 555-0101 x23' },
            {
              ...from,
              ...NOWHERE,
              Name: `${from.LastName}, ${from.FirstName}`,
              Phone: '(312) 555-0101 x23',
            },
          ]
        : null,
    ...Object.fromEntries(
      (
        [
          ['Acme (€)', 'Acme ($)'],
          ['House 🟢', 'House 🔴'],
          ['Unit 1/2', 'Unit 1 2'],
          ['Unit 4A/B', 'Unit 4A B'],
          ['Lot 1,5', 'Lot 1 5'],
          ["Pipe 5'10", 'Pipe 510'],
          ['Studio 1²', 'Studio 12'],
          ['Acme *', 'Acme **'],
          ['Sales -', 'Sales'],
          ['राम शर्मा', 'रोम शर्मा'],
          ['มานี', 'มานุ'],
          ['バス', 'パス'],
          ['عَلَم', 'عِلم'],
          ['Thúy', 'Thủy'],
          ['Андрей', 'Андреи'],
        ] as const
      ).map(([one, second]) => [
        `${one} and ${second}`,
        (from: Customer) => [
          { ...from, Name: `${from.Name} ${one}`, CompanyName: '' },
          { ...from, Name: `${from.Name} ${second}`, CompanyName: '' },
        ],
      ]),
    ),
    'J. R. and Jr.': (from) =>
      isPerson(from)
        ? [
            { ...from, Name: `${from.FirstName}-${from.LastName}, J.R.` },
            { ...from, Name: `${from.FirstName}-${from.LastName} Jr` },
          ]
        : null,
    'neighbors of one trade': (from, random) =>
      isPerson(from) || from.Phone === ''
        ? null
        : {
            ...from,
            Name: `${pick(random, PLACES)} ${words(from.Name).slice(1).join(' ')}`,
            CompanyName: '',
            Email: '',
          },
  }
}

interface Found {
  readonly right: number
  readonly wrong: readonly string[]
  readonly missed: readonly string[]
}

/** The kinds that a list of vendors can’t have: it has no email addresses, initials, suffixes, or other such details. */
const NOT_OF_VENDORS: readonly string[] = [
  'father and son, one phone, other mobile phones',
  'branches, one phone, other numbers',
  'a slip, same email',
  'without its legal form and company name, same Email',
  'moved, same phone and email',
  'an initial more',
  'father and son, an initial more',
  'a couple, by initial',
  'father and son, in Suffix',
  'father and son, other initials',
  'other shipping addresses',
  'other numbers',
  'other mobile phones',
  'other alternate phones',
  'a couple, by title',
  'households, by last name',
  'placeholders for phone and email',
  'tenants of one manager',
]

/** Generates accounts. A near miss differs in a way that a bookkeeper would distinguish. */
class ChartMaker {
  readonly records: RecordData[] = []
  readonly planted = new Map<string, string>()
  nearMisses = 0
  readonly kinds = new Map<string, string>()
  readonly object = 'account'
  readonly #random: () => number
  readonly #names = new Set<string>()

  constructor(seed: number) {
    this.#random = seeded(seed)
    for (let index = 0; index < 100; index += 1) this.#put(this.#account())
    for (let times = 0; times < 4; times += 1) {
      for (const [kind, change] of Object.entries(SAME_ACCOUNTS)) this.#plant(change, true, kind)
      for (const [kind, change] of Object.entries(OTHER_ACCOUNTS)) this.#plant(change, false, kind)
    }
  }

  #account(): RecordData {
    for (;;) {
      const Name = [pick(this.#random, TOPICS), pick(this.#random, EXPENSES)].join(' ')
      if (this.#names.has(Name)) continue
      this.#names.add(Name)
      return { Name, Type: pick(this.#random, ['Expense', 'Income']), Number: '', BankNumber: '' }
    }
  }

  #put(account: RecordData): string {
    const ID = `c${String(this.records.length + 1)}`
    const { Name, Parent } = account
    const above = (Parent as RecordData | undefined)?.['FullName']
    const FullName = above === undefined ? Name : [above, Name].map(String).join(':')
    this.records.push({ ID, IsActive: 'true', Balance: '0.00', FullName, ...account })
    return ID
  }

  #plant(change: AccountChange, isDuplicate: boolean, kind: string): void {
    const from = this.#account()
    const [first, second] = change(from)
    const one = this.#put({ ...from, ...first })
    const below = second['Parent'] === 'one' ? { Parent: { ID: one, FullName: from['Name'] } } : {}
    const other = this.#put({ ...from, ...second, ...below })
    if (isDuplicate) this.planted.set(`${one} ${other}`, kind)
    else this.nearMisses += 1
    this.kinds.set(one, kind)
    this.kinds.set(other, kind)
  }
}

/** Changes an account into two. `Parent: 'one'` puts the second below the first. */
type AccountChange = (from: RecordData) => readonly [RecordData, RecordData]

const TOPICS = words(
  'Office Vehicle Travel Field Warehouse Legal Medical Kitchen Training Marketing Shipping Web Factory Garden Studio Yard',
)
const EXPENSES = words(
  'Supplies Repairs Rent Insurance Meals Fuel Postage Wages Licenses Utilities Cleaning Software Dues Permits Tools',
)
const nameOf = (account: RecordData): string => String(account['Name'])

const SAME_ACCOUNTS: Readonly<Record<string, AccountChange>> = {
  'in lowercase': (from) => [{}, { Name: nameOf(from).toLowerCase() }],
  'in capitals': (from) => [{ Number: '6010' }, { Name: nameOf(from).toUpperCase() }],
  'other punctuation': (from) => [{}, { Name: nameOf(from).replace(' ', '-') }],
  'two spaces': (from) => [{}, { Name: nameOf(from).replace(' ', '  ') }],
}
const OTHER_ACCOUNTS: Readonly<Record<string, AccountChange>> = {
  'an account below it': (from) => [{}, { Name: nameOf(from).toLowerCase(), Parent: 'one' }],
  'part of it': (from) => [{}, { Name: `${nameOf(from)} Paper` }],
  'numbers in the name': (from) => [{ Name: `6010 ${nameOf(from)}` }, { Name: `6011 ${nameOf(from)}` }],
  'numbers of their own': (from) => [
    { Number: '6010' },
    { Number: '6011', Name: nameOf(from).toLowerCase() },
  ],
  'rent and rent income': (from) => [{ Type: 'Expense' }, { Name: `${nameOf(from)} income`, Type: 'Income' }],
  'an expense and an income': (from) => [
    { Type: 'Expense' },
    { Name: nameOf(from).toLowerCase(), Type: 'Income' },
  ],
  'two bank accounts': (from) => [
    { Type: 'Bank', BankNumber: '1111' },
    { Type: 'Bank', BankNumber: '2222', Name: nameOf(from).toUpperCase() },
  ],
  'below and above a threshold': (from) => [
    { Name: `${nameOf(from)} < $2,500` },
    { Name: `${nameOf(from)} > $2,500` },
  ],
  'current and not': (from) => [{ Name: `${nameOf(from)} (< 1 yr)` }, { Name: `${nameOf(from)} (> 1 yr)` }],
  'decimal numbers': (from) => [{ Name: `5.10 ${nameOf(from)}` }, { Name: `51.0 ${nameOf(from)}` }],
  'currencies by sign': (from) => [{ Name: `${nameOf(from)} $` }, { Name: `${nameOf(from)} €` }],
  'a half and both': (from) => [{ Name: `${nameOf(from)} 1/2` }, { Name: `${nameOf(from)} 1 & 2` }],
  'in and out': (from) => [{ Name: `${nameOf(from)} →` }, { Name: `${nameOf(from)} ←` }],
  'plus and minus': (from) => [{ Name: `${nameOf(from)} (+)` }, { Name: `${nameOf(from)} (-)` }],
  'two currencies': (from) => [{ Name: `${nameOf(from)} €` }, { Name: `${nameOf(from)} $` }],
  'other descriptions': (from) => [
    { Description: 'Federal' },
    { Name: nameOf(from).replace(' ', ', '), Description: 'State' },
  ],
  'a sign at the end': (from) => [{ Name: `${nameOf(from)} -` }, {}],
  'the other way around': (from) => [{}, { Name: words(nameOf(from)).toReversed().join(' ') }],
}

function duplicatesIn(list: Pick<ListMaker | ChartMaker, 'records' | 'planted' | 'kinds' | 'object'>): Found {
  const scan = new TidyScan({
    object: list.object,
    supported: ['Name', 'IsActive'],
    now: '2026-11-26T12:00:00Z',
    dismissed: [],
    drafted: [],
  })
  for (const record of list.records) scan.add(record)
  const found = scan
    .finish((ids) => list.records.filter((record) => ids.includes(String(record['ID']))))
    .proposals.filter(({ kind }) => kind === 'duplicate')
    .map(({ records }) => records.map(({ recordId }) => recordId))
  const left = new Map(list.planted)
  const wrong: string[] = []
  let right = 0
  for (const ids of found) {
    const key = ids.toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1))).join(' ')
    if (left.delete(key)) right += 1
    else wrong.push(`${ids.map((id) => list.kinds.get(id) ?? 'neither').join(' and ')}: ${ids.join(' ')}`)
  }
  return { right, wrong, missed: [...left.values()] }
}

function customersOrVendors(object: 'customer' | 'vendor', seed: number): ListMaker {
  const list = new ListMaker(seed, object)
  const isOf = ([kind]: readonly [string, Change]): boolean =>
    object === 'customer' || !NOT_OF_VENDORS.includes(kind)
  for (let index = 0; index < 1_200; index += 1) list.put(list.customer())
  for (let times = 0; times < 6; times += 1) {
    for (const [kind, change] of Object.entries(DUPLICATES).filter(isOf)) list.plant(change, true, kind)
    for (const [kind, change] of Object.entries(nearMisses(list)).filter(isOf))
      list.plant(change, false, kind)
  }
  return list
}

test.for([
  ['customers', (seed: number) => customersOrVendors('customer', seed)],
  ['vendors', (seed: number) => customersOrVendors('vendor', seed)],
  ['accounts', (seed: number) => new ChartMaker(seed)],
] as const)('the right duplicates are proposed in lists of %s with near misses', ([what, make]) => {
  const lists = SEEDS.map((seed) => make(seed))
  const all = lists.map((list) => duplicatesIn(list))
  const planted = lists.reduce((sum, list) => sum + list.planted.size, 0)
  const near = lists.reduce((sum, list) => sum + list.nearMisses, 0)
  const right = all.reduce((sum, each) => sum + each.right, 0)
  const wrong = all.flatMap((each) => each.wrong)
  const missed = all.flatMap((each) => each.missed)
  const [precision, recall] = [right / (right + wrong.length), right / (right + missed.length)]
  const counted = (names: readonly string[]): string =>
    [...Map.groupBy(names, (name) => name.replace(/:.*/, ''))]
      .map(([name, { length }]) => `${name} ${String(length)}`)
      .join(', ')
  const told = `${what}: ${String(planted)} planted, ${String(near)} near misses, ${String(right)} right, precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}; wrong: ${counted(wrong)}; missed: ${counted(missed)}`
  if (isDeep) console.log(told)
  expect(precision, told).toBeGreaterThanOrEqual(0.995)
  expect(recall, told).toBeGreaterThanOrEqual(0.9)
})
