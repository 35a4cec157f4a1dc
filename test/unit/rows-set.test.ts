import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RecordSet } from '../../electron/rows/record-set.ts'
import { splitEnvelope } from '../../electron/rows/split.ts'
import type { RawAnswer } from '../../electron/service/wire.ts'

const RUNS = process.env['BOOKBRIDGE_DEEP'] === '1' ? 100_000 : 2_000

function raw(text: string, status = 200): RawAnswer {
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
  return JSON.parse(new TextDecoder().decode(set.chunk(0, set.count))) as unknown[]
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

/** Numbers are handed out as the text that stood in the source. */
function numbersAsText(value: unknown): unknown {
  if (typeof value === 'number') return JSON.stringify(value)
  if (Array.isArray(value)) return value.map(numbersAsText)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, numbersAsText(each)]))
  }
  return value
}

describe('a set of records', () => {
  it('hands out every record as it came, whatever its text', () => {
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
          expect(splitEnvelope(new TextEncoder().encode(text))?.count).toBe(records.length)
          expect(set.addPage(raw(text))).toMatchObject({ ok: true, value: { count: records.length } })
          expect(held(set)).toEqual(numbersAsText(JSON.parse(JSON.stringify(records))))
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('agrees with a parse of the whole on any body, also a broken one', () => {
    const text = envelope([
      { ID: '1', Name: 'a "b" \\ c' },
      { ID: '2', Balance: 12.5 },
    ])
    fc.assert(
      fc.property(
        fc.nat(text.length - 1),
        fc.nat(3),
        fc.string({ maxLength: 3, unit: 'binary' }),
        (at, cut, put) => {
          const mutated = text.slice(0, at) + put + text.slice(at + cut)
          const answer = new RecordSet().addPage(raw(mutated))
          let isJson = true
          try {
            JSON.parse(mutated)
          } catch {
            isJson = false
          }
          expect(answer.ok && !isJson).toBe(false)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('never holds a record twice', () => {
    const set = new RecordSet()
    set.addPage(raw(envelope([{ ID: '1' }, { ID: '2' }])))
    const again = set.addPage(raw(envelope([{ ID: '2' }, { ID: '3' }], { Page: 2 })))
    expect(again).toMatchObject({ ok: true, value: { count: 2, added: 1 } })
    expect(set.count).toBe(3)
  })

  it('keeps digits that a float would lose', () => {
    const set = new RecordSet()
    set.addPage(raw('{"Contents":[{"Object":{"ID":"1","Balance":12345678901234567.10}}]}'))
    expect(held(set)).toEqual([{ ID: '1', Balance: '12345678901234567.10' }])
  })

  it('takes envelopes of another layout the slow way, with nothing lost', () => {
    const set = new RecordSet()
    const answer = set.addPage(raw('{"CONTENTS":[{"ID":"1","Name":"bare"}],"moredata":"true"}'))
    expect(answer).toMatchObject({ ok: true, value: { count: 1, moreData: true } })
    expect(held(set)).toEqual([{ ID: '1', Name: 'bare' }])
  })

  it('says what came when it is no envelope, and stays as it was', () => {
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

  it('finds records by id, by mark and by name without case', () => {
    const set = new RecordSet()
    set.addPage(
      raw(
        envelope([
          { ID: '1', FullName: 'Smith:Kitchen' },
          { ID: '2', Name: 'Jones', ExternalID: 'mark' },
        ]),
      ),
    )
    expect(set.byIds(['2', '9'])).toMatchObject([{ ID: '2' }])
    expect(set.find(new Set(['mark']), new Set(['smith:kitchen']))).toHaveLength(2)
  })
})
