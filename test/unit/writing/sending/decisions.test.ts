import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJsonText } from '../../../../electron/service/protocol/envelope.ts'
import type { EnvelopeItem } from '../../../../electron/service/protocol/wire.ts'
import { differencesFrom } from '../../../../electron/writing/records/compare.ts'
import { matchItems, type SentIdentity } from '../../../../electron/writing/records/item-outcomes.ts'
import { recordBody, requestBody } from '../../../../electron/writing/records/payload.ts'
import { guard } from '../../../../electron/writing/records/precheck.ts'
import { arraySize, writePolicyAfter } from '../../../../electron/writing/records/send.ts'
import { createMove, type OperationEvent } from '../../../../electron/writing/records/states.ts'
import { OPERATION_STATES } from '../../../../shared/contract/records.ts'
import { canonicalDecimal, parseDecimal } from '../../../../shared/format/money.ts'
import { type FieldEdit, type RecordData, valueAt } from '../../../../shared/records/changes.ts'
import { NEVER_SENT } from '../../../../shared/records/definition.ts'
import { value } from '../../../result.ts'
import { NOTHING_LEARNED } from '../service.ts'

const text = fc.string({ unit: 'binary', maxLength: 20 })
const path = fc.constantFrom(
  'Name',
  'Phone',
  'Email',
  'BillingAddress.City',
  'BillingAddress.Line1',
  'Contact.Name',
)
const textEdits = fc
  .uniqueArray(fc.record({ path, was: fc.constant(null), now: text }), {
    selector: (edit) => edit.path,
    minLength: 1,
  })
  .map((edits): readonly FieldEdit[] => edits)
const amount = fc
  .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 999_999_999_999n }), fc.integer({ min: 0, max: 99 }))
  .map(([minus, whole, cents]) => `${minus ? '-' : ''}${whole}.${String(cents).padStart(2, '0')}`)

describe('the body', () => {
  test('reads back as what was typed, on any text', () => {
    fc.assert(
      fc.property(textEdits, (edits) => {
        const body = value(
          recordBody({
            object: 'customer',
            kind: 'insert',
            recordId: '',
            edits,
            externalId: '',
            current: {},
          }),
        )
        const parsed = JSON.parse(body) as RecordData
        expect(parsed['ID']).toBe('')
        for (const edit of edits) {
          const typed = typeof edit.now === 'string' ? edit.now.toWellFormed() : edit.now
          const read = valueAt('customer', parsed, edit.path)
          expect(typeof read === 'string' ? read.toWellFormed() : read).toEqual(typed)
        }
      }),
    )
  })

  test('amounts are JSON numbers that read back the same to the digit', () => {
    const body = (now: string) =>
      recordBody({
        object: 'customer',
        kind: 'insert',
        recordId: '',
        edits: [{ path: 'Balance', was: null, now }],
        externalId: '',
        current: {},
      })
    fc.assert(
      fc.property(amount, (typed) => {
        const json = /^\{"ID":"","Balance":(-?\d+(?:\.\d+)?)\}$/.exec(value(body(typed)))?.[1] ?? ''
        const decimal = parseDecimal(typed)
        const read = parseDecimal(String(JSON.parse(json)))
        expect(decimal && read && canonicalDecimal(read) === canonicalDecimal(decimal)).toBe(true)
      }),
    )
    for (const bad of ['0.1234567890123456789', '99999999999999999999', '1e5', '', 'abc', '0.00000001']) {
      expect(body(bad).ok, bad).toBe(false)
    }
  })

  test('never has a field that the application maintains, and has a balance only for a new record', () => {
    for (const name of [...NEVER_SENT, 'Balance']) {
      const edits = [{ path: name, was: '', now: '1' }]
      const change = {
        object: 'customer',
        kind: 'change',
        recordId: 'R1',
        edits,
        externalId: '',
        current: {},
      } as const
      expect(recordBody(change).ok, name).toBe(false)
    }
  })

  test('a member never replaces a single value', () => {
    const body = (now: unknown) =>
      recordBody({
        object: 'customer',
        kind: 'change',
        recordId: 'R1',
        edits: [{ path: 'BillingAddress.City', was: '', now: 'Bath' }],
        externalId: '',
        current: { BillingAddress: now },
      })
    for (const whole of ['1 High St', '5', true, ['1 High St']]) expect(body(whole).ok).toBe(false)
    for (const none of [undefined, null, '', {}])
      expect(value(body(none))).toBe('{"ID":"R1","BillingAddress":{"City":"Bath"}}')
  })

  test('a field without a definition is sent as the boolean or text that was read', () => {
    const body = (path: string, now: string, object = 'widget') =>
      recordBody({
        object,
        kind: 'change',
        recordId: 'R1',
        edits: [{ path, was: '', now }],
        externalId: '',
        current: { Taxable: true, Code: 'true', Box: { On: true, Of: null }, Phone: true },
      })
    expect(value(body('Taxable', 'false'))).toBe('{"ID":"R1","Taxable":false}')
    expect(value(body('Code', 'false'))).toBe('{"ID":"R1","Code":"false"}')
    expect(value(body('Box.On', 'false'))).toBe('{"ID":"R1","Box":{"On":false,"Of":null}}')
    expect(value(body('Phone', 'false', 'customer'))).toBe('{"ID":"R1","Phone":"false"}')
    for (const path of ['Taxable', 'Box.On'])
      for (const now of ['', 'No', '0']) expect(body(path, now).ok).toBe(false)
  })

  test('text never replaces an object or a list', () => {
    const parts: readonly unknown[] = [{ ID: '1', FullName: 'Net 30' }, {}, ['a'], []]
    const bodies = parts.flatMap((is) =>
      ['Ref', 'Box.Ref'].map((path) =>
        recordBody({
          object: 'widget',
          kind: 'change',
          recordId: 'R1',
          edits: [{ path, was: '', now: 'text' }],
          externalId: '',
          current: { Ref: is, Box: { Ref: is } },
        }),
      ),
    )
    expect(bodies.filter(({ ok }) => ok)).toEqual([])
  })

  test('a cleared reference is an empty pair, a cleared text is empty, a boolean can’t be cleared', () => {
    const body = (edits: readonly FieldEdit[]) =>
      recordBody({ object: 'customer', kind: 'change', recordId: 'R1', edits, externalId: '', current: {} })
    expect(
      value(
        body([
          { path: 'Terms', was: { ID: 'T', FullName: 'Net' }, now: { ID: '', FullName: '' } },
          { path: 'Phone', was: '1', now: '' },
        ]),
      ),
    ).toBe('{"ID":"R1","Terms":{"ID":"","FullName":""},"Phone":""}')
    expect(body([{ path: 'IsActive', was: 'true', now: '' }]).ok).toBe(false)
    expect(requestBody(['{"a":1}'])).toBe('{"a":1}')
    expect(requestBody(['{}', '{}'])).toBe('[{},{}]')
  })

  test('values count as sent, even if a service writes booleans and amounts as strings', () => {
    fc.assert(
      fc.property(textEdits, amount, fc.boolean(), (edits, balance, active) => {
        const all: readonly FieldEdit[] = [
          ...edits.map((edit) => ({
            ...edit,
            now: typeof edit.now === 'string' ? edit.now.toWellFormed() : '',
          })),
          { path: 'Balance', was: null, now: balance },
          { path: 'IsActive', was: null, now: String(active) },
        ]
        const body = value(
          recordBody({
            object: 'customer',
            kind: 'insert',
            recordId: '',
            edits: all,
            externalId: '',
            current: {},
          }),
        )
        const read = parseJsonText(body)
        expect(
          read.ok &&
            differencesFrom({ object: 'customer', edits: all, before: {} }, read.value as RecordData),
        ).toEqual([])
      }),
    )
  })
})

describe('matching', () => {
  const records = fc
    .uniqueArray(fc.integer({ min: 1, max: 99 }), { minLength: 1, maxLength: 8 })
    .map((numbers) =>
      numbers.map((number): SentIdentity & { item: object } => ({
        operationId: `op${number}`,
        kind: 'insert',
        object: 'customer',
        edits: [
          { path: 'Name', was: null, now: `Name ${number}` },
          { path: 'Phone', was: null, now: `555-${number}` },
        ],
        recordId: '',
        externalId: `op${number}`,
        names: [`name ${number}`],
        item: { ID: `R${number}`, Name: `Name ${number}`, Phone: `555-${number}` },
      })),
    )

  test('never assigns an item to the wrong record, even if items are shuffled, missing, doubled, or foreign', () => {
    fc.assert(
      fc.property(
        records,
        fc.infiniteStream(fc.nat()),
        fc.subarray(['drop', 'shuffle', 'double', 'foreign', 'marks', 'nameless']),
        (sent, numbers, harm) => {
          const next = (): number => Number(numbers.next().value)
          let items = sent.map(({ item, externalId }): EnvelopeItem => ({
            object: { ...item, ...(harm.includes('marks') ? { ExternalID: externalId } : {}) },
            errors: [],
            kind: 'customer',
          }))
          if (harm.includes('drop')) items.splice(next() % items.length, 1)
          if (harm.includes('shuffle'))
            items = items
              .map((item) => ({ item, at: next() }))
              .sort((a, b) => a.at - b.at)
              .map(({ item }) => item)
          if (harm.includes('double') && items[0]) items.push(items[0])
          if (harm.includes('foreign')) {
            items.push({ object: { ID: 'X', Name: 'Stranger', Phone: '999' }, errors: [], kind: 'customer' })
          }
          const matched = matchItems(sent, items)
          for (const [operationId, item] of matched) {
            expect(`op${String(item.object?.['ID']).slice(1)}`).toBe(operationId)
          }
          if (!harm.includes('drop') && !harm.includes('double')) expect(matched.size).toBe(sent.length)
        },
      ),
    )
  })

  test('items without ID and name are matched by position only if the counts agree', () => {
    const sent = ['a', 'b'].map((name): SentIdentity => ({
      operationId: name,
      kind: 'insert',
      object: 'customer',
      edits: [],
      recordId: '',
      externalId: '',
      names: [name],
    }))
    const silent = { object: null, errors: [], kind: '' }
    expect(matchItems(sent, [silent, silent]).size).toBe(2)
    expect(matchItems(sent, [silent]).size).toBe(0)
    expect(matchItems(sent, [silent, silent, silent]).size).toBe(0)
  })

  test('changes are never matched by position if their items have neither ID nor name', () => {
    const sent = ['a', 'b'].map((name): SentIdentity => ({
      operationId: name,
      kind: 'change',
      object: 'customer',
      edits: [{ path: 'Phone', was: '0', now: '1' }],
      recordId: name,
      externalId: '',
      names: [name],
    }))
    const item = { object: { Name: 'Somebody', Phone: '1' }, errors: [], kind: 'customer' }
    expect(matchItems(sent, [item, item]).size).toBe(0)
  })
})

describe('the table of moves', () => {
  const EVENTS: readonly OperationEvent[] = [
    'send',
    'not-sent',
    'answer-saved',
    'answer-refused',
    'uncertain',
    'found-as-sent',
    'found-undone',
    'found-possible',
    'found-otherwise',
    'claimed',
    'guard-differs',
    'unsendable',
    'send-again',
  ]

  const stateAfter = (state: (typeof OPERATION_STATES)[number], event: OperationEvent): string => {
    try {
      return createMove({ operationId: 'o1', state }, event, {}).to
    } catch {
      return 'refused'
    }
  }

  test('allows only these moves', () => {
    const moves = OPERATION_STATES.flatMap((from) =>
      EVENTS.map((event) => `${from}>${stateAfter(from, event)}`).filter(
        (move) => !move.endsWith('>refused'),
      ),
    )
    expect(new Set(moves)).toEqual(
      new Set([
        'queued>sending',
        'queued>conflict',
        'queued>rejected',
        'sending>queued',
        'sending>acked',
        'sending>rejected',
        'sending>unknown',
        'unknown>acked',
        'unknown>rejected',
        'unknown>held',
        'unknown>conflict',
        'held>acked',
        'held>rejected',
        'held>conflict',
        'held>queued',
      ]),
    )
  })

  test('nothing is sent twice without the user: after an unknown outcome, only they can queue it again', () => {
    for (const from of ['unknown', 'acked', 'rejected', 'conflict'] as const) {
      for (const event of EVENTS) expect(['queued', 'sending']).not.toContain(stateAfter(from, event))
    }
    expect(EVENTS.filter((event) => stateAfter('held', event) === 'queued')).toEqual(['send-again'])
  })
})

describe('batching and the guard', () => {
  test('sends 1, then 10, then as many as the setting says, and 1 again after an answer that doesn’t account for all', () => {
    const start = { stage: 0, isProven: true, isStopped: false, learned: NOTHING_LEARNED }
    const once = writePolicyAfter(start, true)
    const twice = writePolicyAfter(once, true)
    expect(
      [start, once, twice, writePolicyAfter(twice, true), writePolicyAfter(twice, false)].map((policy) =>
        arraySize(policy, 50),
      ),
    ).toEqual([1, 10, 50, 50, 1])
    expect(arraySize({ ...twice, isProven: false }, 50)).toBe(1)
    expect(arraySize(twice, 3)).toBe(3)
  })

  test('if someone else changed another line of an address, it is a conflict, but not if the change is the same', () => {
    const before = { BillingAddress: { Line1: '1', City: 'Bath' } }
    const edits = [{ path: 'BillingAddress.City', was: 'Bath', now: 'York' }]
    const moved = { BillingAddress: { Line1: '2', City: 'Bath' } }
    expect(guard('customer', before, moved, edits)).toMatchObject({
      verdict: 'conflict',
      differences: [
        { path: 'BillingAddress.City' },
        { path: 'BillingAddress.Line1', theirs: '2', yours: '1' },
      ],
    })
    const same = { BillingAddress: { Line1: '1', City: 'York' } }
    expect(guard('customer', before, same, edits).verdict).toBe('proceed')
    expect(guard('customer', before, before, edits).verdict).toBe('proceed')
  })
})
