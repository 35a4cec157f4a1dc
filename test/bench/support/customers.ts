// Creates bodies as the service sends them, deterministically: customers with 27 fields, about 1.3 KB each.
const ADDRESS_LINES = [
  '218 Alder Court',
  '77 Cannery Row, Unit 12B',
  '4410 Industrial Way',
  'c/o Keller Stone LLP',
]
const TERMS = ['Net 15', 'Net 30', 'Net 45', 'Due on receipt']

function address(index: number): Record<string, string> {
  return {
    Line1: ADDRESS_LINES[index % ADDRESS_LINES.length] ?? '',
    Line2: '',
    Line3: '',
    Line4: '',
    Line5: '',
    City: 'Bayshore',
    State: 'CA',
    PostalCode: String(94_000 + (index % 900)),
    Country: 'USA',
    Notes: '',
  }
}

function reference(index: number, name: string): Record<string, string> {
  return { ID: `8000${String(index % 40).padStart(4, '0')}-1234567890`, FullName: name }
}

/** One customer (specification 2.2), as a response contains it. */
function customer(index: number): Record<string, unknown> {
  const name = `Customer ${String(index).padStart(6, '0')}`
  return {
    ID: `80${String(index).padStart(6, '0')}-1234567890`,
    ExternalID: '',
    Name: name,
    FullName: name,
    Parent: { ID: '', FullName: '' },
    Terms: reference(index, TERMS[index % TERMS.length] ?? ''),
    CompanyName: `${name} & Sons “Ltd”`,
    Salutation: '',
    FirstName: 'Jean-Christophe',
    MiddleName: '',
    LastName: 'Baptiste',
    Suffix: '',
    TaxCode: reference(index, 'Tax'),
    ItemSalesTax: reference(index, 'Bayshore County'),
    BillingAddress: address(index),
    ShippingAddress: address(index + 1),
    Phone: `(415) 555-01${String(index % 100).padStart(2, '0')}`,
    Mobile: '',
    AlternatePhone: '',
    Email: `office${String(index)}@customers.example`,
    Contact: { Name: 'Jean-Christophe Baptiste' },
    AlternateContact: '',
    Number: String(10_000 + index),
    Balance: `${String(index % 20_000)}.${String(index % 100).padStart(2, '0')}`,
    IsActive: 'true',
    CreatedDate: '2024-03-05T14:22:00+00:00',
    LastModifiedDate: '2026-11-02T09:41:00+00:00',
    Class: { ID: '', FullName: '' },
  }
}

/** The body of a refresh: the first `count` customers with this phone number, changed just now. */
export function changedCustomersBody(count: number, phone: string): Uint8Array<ArrayBuffer> {
  const changed = { Phone: phone, LastModifiedDate: new Date().toISOString() }
  return envelopeBody(count, (index) => ({ ...customer(index), ...changed }))
}

/** The envelope with this many customers, in UTF-8. */
export function customersBody(count: number): Uint8Array<ArrayBuffer> {
  return envelopeBody(count, customer)
}

function envelopeBody(
  count: number,
  record: (index: number) => Record<string, unknown>,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const parts: Uint8Array[] = [
    encoder.encode(
      '{"Self":"https://service.example/v2/data/x/customer","Kind":"collection","Page":1,"MoreData":false,"HasErrors":false,"RequestId":"bench","Contents":[',
    ),
  ]
  for (let index = 0; index < count; index += 1) {
    const item = JSON.stringify({ Object: record(index), Errors: null, Self: null, Kind: 'customer' })
    parts.push(encoder.encode(index === 0 ? item : `,${item}`))
  }
  parts.push(encoder.encode('],"Errors":null}'))
  const body = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    body.set(part, at)
    at += part.length
  }
  return body
}
