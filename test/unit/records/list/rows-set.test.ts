import { isAscii } from 'node:buffer'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordSet } from '../../../../electron/rows/records/record-set.ts'
import { EnvelopeSplit } from '../../../../electron/rows/records/split.ts'
import { decodeEnvelope, member } from '../../../../electron/service/protocol/envelope.ts'
import type { RawResponse } from '../../../../electron/service/protocol/wire.ts'
import { recordName } from '../../../../renderer/records/list/rows.ts'
import { isObject, textOf } from '../../../../shared/records/changes.ts'
import { isDeep } from '../../../seeds.ts'

const RUNS = isDeep ? 100_000 : 2_000

function raw(text: string, status = 200): RawResponse {
  const bytes = new TextEncoder().encode(text)
  const middle = Math.floor(bytes.length / 2)
  return {
    status,
    contentType: '',
    blocks: [bytes.slice(0, middle), bytes.slice(middle)],
    length: bytes.length,
  }
}

function envelope(records: readonly unknown[], more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    Page: 1,
    MoreData: false,
    RequestId: 'r',
    Contents: records.map((record) => ({ Object: record, Errors: null, Self: null, Kind: 'customer' })),
    Errors: null,
    ...more,
  })
}

function held(set: RecordSet): unknown[] {
  const { bytes, lengths, ids, names } = set.chunk(0, set.count)
  expect(isAscii(bytes), 'what the window decodes is ASCII').toBe(true)
  const text = new TextDecoder().decode(bytes)
  const records = JSON.parse(text) as Record<string, unknown>[]
  let from = 1
  for (const [index, record] of records.entries()) {
    const to = from + (lengths[index] ?? 0)
    expect(JSON.parse(text.slice(from, to)), 'a record by its length').toEqual(record)
    from = to + 1
    // `null` if the window has to parse the records.
    expect([textOf(record['ID']), null]).toContain(ids[index])
    expect([recordName(record), null]).toContain(names[index])
  }
  return records
}

/** Bodies to mutate. Each has a feature that the others lack. */
const MUTATED = [
  envelope([
    { ID: '1', Name: 'a "b" \\ c', Parent: { ID: '', FullName: 'Ä' } },
    { ID: '2', Balance: 12.5, List: [1, -2e3, true, null] },
  ]),
  '{"Contents":[{"Object":{"ID":"1"},"Errors":[{"Code":3180,"Message":"no"}]},{"Object":null}],"MoreData":"true"}',
  '{"Contents":[{"Object":{"ID":"1","Name":"A"},"Errors":[{"Code":3180,"Message":"no"}]},{"Object":{"ID":"2"}}]}',
]

const mutation = fc.record({
  at: fc.nat(1_000),
  cut: fc.nat(3),
  put: fc.oneof(
    fc.string({ maxLength: 3, unit: 'binary' }),
    fc.constantFrom(...'{}[]",:\\0-.eE \n'.split(''), ''),
  ),
})

/** Where bytes are split into blocks, and how many blocks arrive early. */
interface Blocks {
  readonly cuts: readonly number[]
  readonly early: number
}

const blocks = fc.record({ cuts: fc.array(fc.nat(400), { maxLength: 6 }), early: fc.nat(7) })

/** Adds a page block by block, the first ones while it is still arriving. */
function addInBlocks(
  set: RecordSet,
  text: string,
  { cuts, early }: Blocks,
): ReturnType<RecordSet['addPage']> {
  const bytes = new TextEncoder().encode(text)
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]
  const cut = borders.slice(1).map((to, index) => bytes.slice(borders[index], to))
  for (const block of cut.slice(0, early)) set.addBytes(block.slice())
  return set.addPage({ status: 200, contentType: '', blocks: cut, length: bytes.length })
}

/** The set and its summary match a complete parse of the body. */
function agreesWithParse(text: string, asBlocks: Blocks = { cuts: [40], early: 0 }): void {
  const set = new RecordSet()
  const answer = addInBlocks(set, text, asBlocks)
  const parsed = decodeEnvelope(raw(text))
  expect(answer.ok).toBe(parsed.ok)
  if (!answer.ok || !parsed.ok) return
  const { items, page, moreData, requestId, errors } = parsed.value
  expect(answer.value).toMatchObject({ page, moreData, requestId, errors })
  const records = items.flatMap(({ object }) => (object === null ? [] : [object]))
  expect(answer.value.count).toBe(records.length)
  const withErrors = items.filter((item) => item.errors.length > 0)
  expect(answer.value.recordErrors.map((each) => each.errors)).toEqual(
    withErrors.filter(({ object }) => object !== null).map((item) => item.errors),
  )
  expect(answer.value.refusals).toEqual(
    withErrors.filter(({ object }) => object === null).map((item) => item.errors),
  )
  // An ID with only an error beside it isn't a record of the list.
  const full = items.flatMap(({ object, errors: own }) =>
    object === null || (own.length > 0 && isBare(object)) ? [] : [object],
  )
  expect(answer.value.bare).toBe(records.length - full.length)
  const once = full.filter((object, index) => {
    const id = textOf(member(object, 'ID'))
    const isHeld = (other: unknown): boolean => isDeepStrictEqual(other, object)
    return id === '' || !full.slice(0, index).some(isHeld)
  })
  expect(held(set)).toEqual(once)
  const names = new Map<string, Set<string>>()
  for (const object of records) {
    for (const [name, value] of Object.entries(object)) {
      const members = names.get(name) ?? new Set()
      names.set(name, members)
      for (const each of isObject(value) ? Object.keys(value) : []) members.add(each)
    }
  }
  const shape = set.shape().map(({ name, members }) => [name, members.toSorted()])
  expect(shape.toSorted()).toEqual([...names].map(([name, all]) => [name, [...all].toSorted()]).toSorted())
}

function isBare(object: object): boolean {
  return Object.entries(object).every(([name, value]) => name.toLowerCase() === 'id' || textOf(value) === '')
}

/** JSON's values as a service sends records: nested objects, any text, numbers. */
const record = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.dictionary(fc.string({ maxLength: 5 }), fc.string({ unit: 'binary', maxLength: 10 }), { maxKeys: 3 }),
  ),
  { maxKeys: 6 },
)

/** Numbers are returned as their source text. */
function numbersAsText(value: unknown): unknown {
  if (typeof value === 'number') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(numbersAsText)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, numbersAsText(each)]))
  }
  return value
}

describe('a set of records', () => {
  it('returns every record exactly, whatever its text', () => {
    fc.assert(
      fc.property(
        fc.array(
          record.filter(
            (each) =>
              Object.keys(each).length > 0 && !Object.keys(each).some((name) => name.toLowerCase() === 'id'),
          ),
          { maxLength: 8 },
        ),
        (records) => {
          const set = new RecordSet()
          const text = envelope(records)
          const split = new EnvelopeSplit()
          const items = split.take(new TextEncoder().encode(text))
          expect([...items, ...(split.end()?.items ?? [])]).toHaveLength(records.length)
          expect(set.addPage(raw(text))).toMatchObject({ ok: true, value: { count: records.length } })
          expect(held(set)).toEqual(numbersAsText(JSON.parse(JSON.stringify(records))))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('agrees with a complete parse on any body, even a broken one', () => {
    fc.assert(
      fc.property(
        fc.array(mutation, { minLength: 1, maxLength: 3 }),
        fc.constantFrom(...MUTATED),
        blocks,
        (mutations, start, asBlocks) => {
          let text = start
          for (const { at, cut, put } of mutations) {
            const from = at % text.length
            text = text.slice(0, from) + put + text.slice(from + cut)
          }
          agreesWithParse(text, asBlocks)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('agrees with a complete parse wherever a body with long records is split', () => {
    const records = [0, 9_000, 20, 20_000, 70_000, 3].map((length, index) => ({
      ID: `${index}`,
      Notes: 'ü'.repeat(length),
    }))
    const text = envelope(records)
    const { length } = new TextEncoder().encode(text)
    for (let cut = 1; cut < length; cut += 12_007)
      agreesWithParse(text, { cuts: [cut, cut + 50, cut + 70_000], early: 2 })
  })

  it.each([
    ['a number with a leading zero', '{"Contents":[{"Object":{"ID":"1","Balance":01}}]}'],
    ['a number without a digit after the point', '{"Contents":[{"Object":{"ID":"1","Balance":1.}}]}'],
    ['a number without a digit in its exponent', '{"Contents":[{"Object":{"ID":"1","Balance":1e+}}]}'],
    ['a lone minus', '{"Contents":[{"Object":{"ID":"1","Balance":-}}]}'],
    ['an escape that there is not', '{"Contents":[{"Object":{"ID":"1","Name":"\\x41"}}]}'],
    ['half an escaped character', '{"Contents":[{"Object":{"ID":"1","Name":"\\u12"}}]}'],
    ['a line end within a string', '{"Contents":[{"Object":{"ID":"1","Name":"a\nb"}}]}'],
    ['a word that JSON has not', '{"Contents":[{"Object":{"ID":"1","Name":nul}}]}'],
    ['a comma before the end', '{"Contents":[{"Object":{"ID":"1",}}]}'],
    ['two items without a comma', '{"Contents":[{"Object":{"ID":"1"}}{"Object":{"ID":"2"}}]}'],
    ['something after its end', '{"Contents":[{"Object":{"ID":"1"}}]} {}'],
    [
      'records nested too deep',
      `{"Contents":[{"Object":{"ID":"1","A":${'['.repeat(61)}${']'.repeat(61)}}}]}`,
    ],
  ])('refuses %s', (_what, text) => {
    expect(new RecordSet().addPage(raw(text)).ok).toBe(false)
  })

  it.each([
    ['an ID in another casing', '{"Contents":[{"Object":{"Id":"1"}},{"Object":{"Id":"1"}}]}'],
    ['an ID as a number', '{"Contents":[{"Object":{"ID":1.50}},{"Object":{"ID":"1.50"}}]}'],
    ['an ID that is an object', '{"Contents":[{"Object":{"ID":{"V":1}}},{"Object":{"ID":{"V":1}}}]}'],
    ['an escaped ID', '{"Contents":[{"Object":{"ID":"\\u0031"}},{"Object":{"ID":"1"}}]}'],
    ['an escaped name', '{"Contents":[{"Object":{"\\u0049D":"1"}},{"Object":{"ID":"1"}}]}'],
    ['a name that is there twice', '{"Contents":[{"Object":{"ID":"1","ID":"2"}},{"Object":{"ID":"2"}}]}'],
    ['an empty record', '{"Contents":[{"Object":{}},{"Object":null,"Errors":[{"Code":3180}]}]}'],
    ['contents that come twice', '{"Contents":[{"Object":{"ID":"1"}}],"C\\u006fntents":[]}'],
    ['an object that comes twice', '{"Contents":[{"Object":{"ID":"1"},"object":{"ID":"2"}}]}'],
    ['an error on a record', '{"Contents":[{"Object":{"ID":"1","Name":"A"},"Errors":{"Code":1.10}}]}'],
    [
      'records nested as deep as is taken',
      `{"Contents":[{"Object":{"A":${'['.repeat(60)}${']'.repeat(60)}}}]}`,
    ],
    ['white space everywhere', ' { "Contents" : [ { "Object" : { "ID" : "1" , "A" : [ 1 , 2 ] } } ] } '],
  ])('reads %s like a complete parse', (_what, text) => {
    expect(new RecordSet().addPage(raw(text)).ok).toBe(true)
    agreesWithParse(text)
  })

  it('an answer that nests too deep is refused with that reason', () => {
    const answer = new RecordSet().addPage(raw(`{"Contents":${'['.repeat(80)}${']'.repeat(80)}}`))
    expect(answer.ok ? '' : answer.error.message).toContain('It is nested too deeply')
  })

  it('refuses text that is not UTF-8, wherever it is broken', () => {
    const bytes = new TextEncoder().encode(envelope([{ ID: '1', Name: 'Müller' }]))
    const broken = bytes.map((code) => (code === 0xbc ? 0x20 : code))
    const answer = new RecordSet().addPage({ ...raw(''), blocks: [broken], length: broken.length })
    expect(answer).toMatchObject({ ok: false, error: { kind: 'malformed-response' } })
  })

  it('has the records of a page that is still arriving, and removes them if the page turns out to be invalid', () => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1' }])))
    const page = envelope([{ ID: '1' }, { ID: '2', Name: 'Müller' }, { ID: '3' }], { Page: 2 })
    const bytes = new TextEncoder().encode(page)
    const upToThird = new TextEncoder().encode(page.slice(0, page.indexOf('"3"'))).length
    set.addBytes(bytes.slice(0, upToThird - 40))
    set.addBytes(bytes.slice(upToThird - 40, upToThird))
    expect(held(set)).toEqual([{ ID: '1' }, { ID: '2', Name: 'Müller' }])
    expect(set.shape().map(({ name }) => name)).toEqual(['ID', 'Name'])
    const broken = new Uint8Array([...bytes.slice(0, upToThird), 0x7b])
    expect(set.addPage({ ...raw(''), blocks: [broken], length: broken.length }).ok).toBe(false)
    expect(held(set)).toEqual([{ ID: '1' }])
    expect(set.byIds(['2'])).toEqual([])
  })

  it('keeps what arrived of a stopped page', () => {
    const set = new RecordSet()
    const page = envelope([{ ID: '1' }, { ID: '2' }])
    set.addBytes(new TextEncoder().encode(page.slice(0, page.indexOf('"2"'))))
    set.keepBegun()
    expect(set.addPage(raw(envelope([{ ID: '2' }]))).ok).toBe(true)
    expect(held(set)).toEqual([{ ID: '1' }, { ID: '2' }])
  })

  it('merges changes, and appends new records', () => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1', Name: 'a' }, { ID: '2' }, { Name: 'no id' }])))
    const newer = new RecordSet()
    newer.addPage(raw(envelope([{ ID: '3' }, { ID: '1', Name: 'b', Phone: 'p' }])))
    set.merge(newer)
    expect(held(set)).toEqual([
      { ID: '1', Name: 'b', Phone: 'p' },
      { ID: '2' },
      { Name: 'no id' },
      { ID: '3' },
    ])
    expect(set.shape().map(({ name }) => name)).toEqual(['ID', 'Name', 'Phone'])
  })

  it('never has a record twice', () => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1' }, { ID: '2' }])))
    const again = set.addPage(raw(envelope([{ ID: '2' }, { ID: '3' }], { Page: 2 })))
    expect(again).toMatchObject({ ok: true, value: { count: 2, added: 1 } })
    expect(set.count).toBe(3)
  })

  it('has all records that share an ID, and names the ID', () => {
    const set = new RecordSet()
    const alder = { ID: '1', Name: 'Alder', Balance: '1.00' }
    const page = envelope([alder, { ID: '1', Name: 'Birch' }, { Balance: '1.00', Name: 'Alder', ID: '1' }])
    const answer = set.addPage(raw(page))
    expect(answer).toMatchObject({ ok: true, value: { count: 3, added: 1, twins: 1, sharedIds: ['1'] } })
    expect(held(set)).toEqual([alder, { ID: '1', Name: 'Birch' }])
    expect(set.byIds(['1']).map((text) => JSON.parse(text) as unknown)).toEqual(held(set))
    // The same page again, with changes: the earlier records stay.
    const again = set.addPage(raw(envelope([{ ID: '1', Name: 'Alder', Balance: '2.00' }], { Page: 2 })))
    expect(again).toMatchObject({ ok: true, value: { count: 1, added: 0, twins: 0 } })
    expect(set.count).toBe(2)
    const newer = new RecordSet()
    newer.addPage(
      raw(
        envelope([
          { ID: '2', Name: 'a' },
          { ID: '2', Name: 'b' },
        ]),
      ),
    )
    set.merge(newer)
    expect(set.byIds(['2'])).toEqual(['{"ID":"2","Name":"a"}', '{"ID":"2","Name":"b"}'])
  })

  it('keeps digits that a float would lose', () => {
    const set = new RecordSet()
    set.addPage(raw('{"Contents":[{"Object":{"ID":"1","Balance":12345678901234567.10}}]}'))
    expect(held(set)).toEqual([{ ID: '1', Balance: '12345678901234567.10' }])
  })

  it('reads envelopes with another layout in a slower way, without losing anything', () => {
    const set = new RecordSet()
    const answer = set.addPage(raw('{"CONTENTS":[{"ID":"1","Name":"bare"}],"moredata":"true"}'))
    expect(answer).toMatchObject({ ok: true, value: { count: 1, moreData: true } })
    expect(held(set)).toEqual([{ ID: '1', Name: 'bare' }])
  })

  it('reports what arrived if it isn’t an envelope, and stays as it was', () => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1' }])))
    expect(set.addPage(raw('<html>Sign in</html>'))).toMatchObject({
      ok: false,
      error: { kind: 'malformed-response' },
    })
    expect(set.count).toBe(1)
  })

  it('knows every member that any record has', () => {
    const set = new RecordSet()
    set.addPage(
      raw(
        envelope([
          { ID: '1', Address: { City: 'x' } },
          { ID: '2', Extra: 'y', Address: { Zip: '1' } },
        ]),
      ),
    )
    expect(set.shape()).toEqual([
      { name: 'ID', members: [] },
      { name: 'Address', members: ['City', 'Zip'] },
      { name: 'Extra', members: [] },
    ])
  })

  it.for([
    ['as the specification lays it out', (text: string) => text],
    ['in any other way', (text: string) => text.replace('"Object"', '"obj\\u0065ct"')],
  ] as const)('keeps the types of values, of an envelope %s', ([, laid]) => {
    const set = new RecordSet()
    const records = [
      { ID: '1', Total: 5, Paid: false, Memo: '', Code: '5', Lines: [{ Qty: 1 }], Ship: { Floor: 2 } },
      { ID: '2', Total: '', Paid: null, Memo: 'x', Code: 6, Lines: [], Ship: { Floor: null } },
    ]
    set.addPage(raw(laid(envelope(records))))
    expect(Object.fromEntries(set.types())).toEqual({
      ID: 'text',
      Total: 'number',
      Paid: 'boolean',
      Memo: 'text',
      Lines: 'list',
      Ship: 'object',
      'Ship.Floor': 'number',
    })
    expect(set.byIds(['1'])).toEqual([JSON.stringify(records[0])])
    expect(held(set)[0]).toMatchObject({ Total: '5', Ship: { Floor: '2' } })
  })

  it('finds records by ID, by external ID, and by name, ignoring case', () => {
    const set = new RecordSet()
    set.addPage(
      raw(
        envelope([
          { ID: '1', FullName: 'Smith:Kitchen' },
          { ID: '2', Name: 'Jones', ExternalID: 'mark' },
        ]),
      ),
    )
    expect(set.byIds(['2', '9'])).toEqual(['{"ID":"2","Name":"Jones","ExternalID":"mark"}'])
    expect(set.find(new Set(['mark']), new Set(['smith:kitchen']))).toHaveLength(2)
  })

  it.each([
    ['its accents are written otherwise', 'Cafe\u0301', 'Caf\u00e9'],
    ['with blanks around its colon', 'Smith : Kitchen ', 'smith:kitchen'],
  ])('finds a name that means the same: %s', (_what, asked, listed) => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1', FullName: listed }, { ID: '2' }])))
    expect(set.find(new Set(), new Set([asked]))).toMatchObject([{ ID: '1' }])
    expect(set.find(new Set(), new Set([' ']))).toEqual([])
  })
})

describe('a record with too many fields', () => {
  const fields = (count: number, value: unknown = 'x'): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`F${String(index)}`, value]))
  const small = envelope([{ ID: '1', Name: 'a' }])

  it.each([
    ['at once', envelope([{ ID: '2', ...fields(60_000) }])],
    ['in an object', envelope([{ ID: '2', Address: fields(60_000) }])],
    [
      'record by record',
      envelope(
        Array.from({ length: 60 }, (_, index) => ({
          ID: `r${String(index)}`,
          [`A${String(index)}`]: fields(20),
        })),
      ),
    ],
    // A duplicate name is read in the slower way.
    ['read slowly', envelope([{ ID: '2', ...fields(60_000) }]).replace('"Contents"', '"Page":1,"Contents"')],
  ])('%s is refused in words; what was held before stays', (_how, body) => {
    const set = new RecordSet()
    expect(set.addPage(raw(small)).ok).toBe(true)
    expect(set.addPage(raw(body))).toMatchObject({
      ok: false,
      error: {
        kind: 'too-large',
        message: 'This list has more than 1,000 fields, too many to show.',
      },
    })
    expect(held(set)).toEqual([{ ID: '1', Name: 'a' }])
    const shape = set.shape()
    expect(shape.reduce((sum, { members }) => sum + 1 + members.length, 0)).toBe(1_000)
  })

  it('is rejected, and so is one that is too large', () => {
    const set = new RecordSet()
    const body = envelope([{ ID: '1' }, { ID: '2', Notes: 'x'.repeat(8_000_000) }])
    expect(set.addPage(raw(body))).toMatchObject({ ok: false, error: { kind: 'too-large' } })
    expect(set.count).toBe(0)
  })

  it('is shown at the limit', () => {
    const set = new RecordSet()
    expect(set.addPage(raw(envelope([{ ID: '1', ...fields(999) }]))).ok).toBe(true)
    expect(set.shape()).toHaveLength(1_000)
  })
})
