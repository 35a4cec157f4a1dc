import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  canonicalValue,
  type Edits,
  EMPTY_REFERENCE,
  sameValue,
  shownValue,
  valueAt,
  withEdit,
  withoutEdit,
} from '../../../../shared/records/changes.ts'

const RECORD = {
  ID: '8',
  Phone: '(415) 555-0134',
  Balance: '12.50',
  IsActive: 'true',
  Terms: { ID: 't1', FullName: 'Net 30' },
  BillingAddress: { City: 'Bayshore' },
}

describe('the value at a path', () => {
  test('is in canonical form for the field’s type', () => {
    expect(valueAt('customer', RECORD, 'Phone')).toBe('(415) 555-0134')
    expect(valueAt('customer', RECORD, 'Terms')).toEqual({ ID: 't1', FullName: 'Net 30' })
    expect(valueAt('customer', RECORD, 'BillingAddress.City')).toBe('Bayshore')
    expect(valueAt('customer', RECORD, 'BillingAddress.Country')).toBe('')
    expect(valueAt('customer', RECORD, 'ShippingAddress.City')).toBe('')
    expect(valueAt('customer', {}, 'Terms')).toEqual(EMPTY_REFERENCE)
  })

  test('never comes from the prototype', () => {
    expect(valueAt('customer', RECORD, 'constructor')).toBe('')
    expect(valueAt('customer', RECORD, 'BillingAddress.toString')).toBe('')
  })

  test('reads booleans in any case and in JSON', () => {
    expect(canonicalValue('boolean', 'True')).toBe('true')
    expect(canonicalValue('boolean', false)).toBe('false')
    expect(canonicalValue('boolean', null)).toBe('')
  })
})

describe('two values', () => {
  test('of money are the same by value', () => {
    expect(sameValue('money', '12.5', '12.50')).toBe(true)
    expect(sameValue('money', '12.5', '12.51')).toBe(false)
    expect(sameValue('text', '12.5', '12.50')).toBe(false)
  })

  test('of references are the same by ID if both have one, else by name', () => {
    const net30 = { ID: 't1', FullName: 'Net 30' }
    expect(sameValue('reference', net30, { ID: 't1', FullName: 'Net thirty' })).toBe(true)
    expect(sameValue('reference', net30, { ID: '', FullName: 'Net 30' })).toBe(true)
    expect(sameValue('reference', net30, EMPTY_REFERENCE)).toBe(false)
    expect(sameValue('reference', EMPTY_REFERENCE, EMPTY_REFERENCE)).toBe(true)
  })
})

describe('edits', () => {
  test('are removed by typing the old value again', () => {
    const once = withEdit({}, 'customer', 'Phone', RECORD.Phone, '5')
    expect(withEdit(once, 'customer', 'Phone', '5', RECORD.Phone)).toEqual({})
    const amount = withEdit({}, 'customer', 'Balance', '12.50', '13')
    expect(withEdit(amount, 'customer', 'Balance', '12.50', '12.5')).toEqual({})
  })

  test('keep the first value, however often a cell is changed', () => {
    const twice = withEdit(withEdit({}, 'customer', 'Phone', 'a', 'b'), 'customer', 'Phone', 'ignored', 'c')
    expect(twice['Phone']).toEqual({ path: 'Phone', was: 'a', now: 'c' })
  })

  test('of a new record have only values that aren’t empty', () => {
    const named = withEdit({}, 'customer', 'Name', null, 'Dunning')
    expect(named['Name']).toEqual({ path: 'Name', was: null, now: 'Dunning' })
    expect(withEdit(named, 'customer', 'Name', null, '')).toEqual({})
    expect(withEdit({}, 'customer', 'Terms', null, EMPTY_REFERENCE)).toEqual({})
  })

  test('show the last value, or the record’s, after any sequence of edits', () => {
    const paths = fc.constantFrom('Phone', 'Email', 'BillingAddress.City')
    const steps = fc.array(fc.tuple(paths, fc.option(fc.string(), { nil: null })), { maxLength: 20 })
    fc.assert(
      fc.property(steps, (typed) => {
        let edits: Edits = {}
        const expected = new Map<string, string>()
        for (const [path, text] of typed) {
          if (text === null) {
            edits = withoutEdit(edits, path)
            expected.delete(path)
          } else {
            edits = withEdit(edits, 'customer', path, valueAt('customer', RECORD, path), text)
            expected.set(path, text)
          }
        }
        for (const path of ['Phone', 'Email', 'BillingAddress.City']) {
          const own = valueAt('customer', RECORD, path)
          expect(shownValue('customer', RECORD, edits, path)).toEqual(expected.get(path) ?? own)
          expect(path in edits).toBe(expected.has(path) && expected.get(path) !== own)
        }
      }),
    )
  })
})
