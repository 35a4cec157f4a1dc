// Names of lists: suggestions, and which ones are remembered.
import { expect, test } from 'vitest'
import { listOptions, similarList, withName } from '../../../../renderer/records/screen/list-names.ts'
import { recordNoun } from '../../../../shared/records/definition.ts'

test('suggests a known name that is similar, and otherwise nothing', () => {
  for (const typed of ['Vendros', 'vendor s', 'Vednor', 'vendorz'])
    expect(similarList(typed, []), typed).toBe('vendor')
  expect(similarList('Custmers', [])).toBe('customer')
  expect(similarList('shipmethd', ['shipmethod'])).toBe('shipmethod')
  for (const typed of ['vendor', 'terms', 'item', '', 'x']) expect(similarList(typed, []), typed).toBeNull()
  expect(similarList('vendorcredit', ['vendorcredit'])).toBeNull()
})

test('a list that was read is offered from then on. One with a definition isn’t remembered', () => {
  expect(withName('terms', [])).toEqual(['terms'])
  expect(withName('terms', ['terms', 'item'])).toEqual(['item', 'terms'])
  expect(withName('item', ['terms', 'item'])).toBeNull()
  expect(withName('customer', [])).toBeNull()
  const many = Array.from({ length: 30 }, (_, at) => `list${at}`)
  expect(withName('terms', many)).toHaveLength(30)
  const labels = listOptions('class', ['terms', 'item']).map(({ value }) => value)
  expect(labels.slice(-3)).toEqual(['item', 'terms', 'class'])
  expect(labels.filter((value) => value === 'customer')).toHaveLength(1)
})

test('records are counted by the list’s own word, if its name is a plural', () => {
  expect(recordNoun('terms')).toEqual({ singular: 'record', plural: 'terms' })
  expect(recordNoun('Customer').plural).toBe('customers')
  for (const object of ['class', 'item', 'PaymentMethod']) expect(recordNoun(object).plural).toBe('records')
})
