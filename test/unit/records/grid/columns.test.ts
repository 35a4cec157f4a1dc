/** The columns of a list, and their saved settings. */
import { describe, expect, test } from 'vitest'
import { readLayout, withKept } from '../../../../renderer/records/grid/columns/column-state.ts'
import {
  allColumns,
  formatPath,
  planColumns,
  type PlannedGroup,
  sharedColumns,
} from '../../../../renderer/records/grid/columns/plan.ts'

const SUPPORT = { supported: ['Name', 'Phone', 'Terms', 'BillingAddress', 'Balance', 'Odd'], error: null }

function group(
  object: string,
  field: string,
  found: { name: string; members: string[] }[] = [],
): PlannedGroup {
  const entry = planColumns(object, found, SUPPORT).find(
    (each) => each.kind === 'group' && each.group.field === field,
  )
  if (entry?.kind !== 'group') throw new Error(`no group ${field}`)
  return entry.group
}

describe('the columns of a list', () => {
  test('are those in the definition, in the records, and only in metadata, and none is missing', () => {
    const found = [
      { name: 'Name', members: [] },
      { name: 'Loyalty', members: [] },
    ]
    const paths = allColumns(planColumns('customer', found, SUPPORT)).map((column) => column.path)
    for (const path of ['ID', 'ExternalID', 'Name', 'Loyalty', 'Odd', 'Class', 'Contact.Name']) {
      expect(paths).toContain(path)
    }
    expect(new Set(paths).size).toBe(paths.length)
    expect(paths[0]).toBe('Name')
  })

  test('of an object without a definition come from its records and metadata', () => {
    const plan = planColumns('item', [{ name: 'Sku', members: [] }], { supported: ['Cost'], error: null })
    expect(allColumns(plan).map((column) => column.path)).toEqual(['Sku', 'Cost'])
  })

  test('fold an address into one line, with members that only the records have', () => {
    const address = group('customer', 'BillingAddress', [
      { name: 'BillingAddress', members: ['Line1', 'Attention'] },
    ])
    expect(address.columns[0]).toMatchObject({ path: 'BillingAddress', type: 'line', shown: 'folded' })
    expect(address.columns.map((column) => column.path)).toContain('BillingAddress.Attention')
    expect(address.columns.slice(1).every((column) => column.shown === 'unfolded')).toBe(true)
  })

  test('show a reference under its field’s name, and its read-only ID when expanded', () => {
    const terms = group('customer', 'Terms')
    expect(terms.columns[0]).toMatchObject({ path: 'Terms', type: 'reference', shown: 'always' })
    expect(terms.columns[1]).toMatchObject({ path: 'Terms.ID', shown: 'unfolded' })
    expect(terms.columns[1]?.forExisting.editable).toBe(false)
  })

  test('have the members in metadata before any record was read, and lock others', () => {
    const supported = ['Rep', 'Rep.ID', 'Rep.FullName', 'Ship', 'Ship.City', 'Terms', 'BillingAddress']
    const plan = planColumns('invoice', [{ name: 'Ship', members: ['Zip'] }], { supported, error: null })
    const columns = new Map(allColumns(plan).map((column) => [column.path, column]))
    expect(columns.get('Rep')).toMatchObject({ type: 'reference', forNew: { editable: true } })
    expect(columns.get('Rep.ID')?.forNew.editable).toBe(false)
    expect(columns.get('Ship.City')?.forNew.editable).toBe(true)
    expect(columns.get('Ship.Zip')?.forExisting).toEqual({
      editable: false,
      reason: 'This application doesn’t support this part.',
    })
    const address = allColumns(
      planColumns('customer', [], { supported: ['BillingAddress', 'BillingAddress.City'], error: null }),
    )
    const takes = address.filter(({ path, forNew }) => path.startsWith('BillingAddress.') && forNew.editable)
    expect(takes.map(({ path }) => path)).toEqual(['BillingAddress.City'])
  })

  test('include the members of an object that has an ID among others', () => {
    const owner = group('customer', 'Odd', [{ name: 'Odd', members: ['ID', 'Title'] }])
    expect(owner.columns.map(({ path, forNew }) => [path, forNew.editable])).toEqual([
      ['Odd', false],
      ['Odd.ID', true],
      ['Odd.Title', true],
    ])
  })
})

describe('what may be changed', () => {
  const columns = new Map(
    allColumns(planColumns('customer', [], SUPPORT)).map((column) => [column.path, column]),
  )

  test('is what metadata supports', () => {
    expect(columns.get('Phone')?.forExisting.editable).toBe(true)
    expect(columns.get('BillingAddress.City')?.forExisting.editable).toBe(true)
    expect(columns.get('Email')?.forExisting).toMatchObject({ editable: false })
  })

  test('is a balance only while the record is new, and an ID never', () => {
    expect(columns.get('Balance')?.forNew.editable).toBe(true)
    expect(columns.get('Balance')?.forExisting.editable).toBe(false)
    expect(columns.get('ID')?.forNew.editable).toBe(false)
  })

  test('is nothing while metadata couldn’t be read', () => {
    const plan = allColumns(planColumns('customer', [], { supported: null, error: null }))
    expect(plan.every((column) => !column.forExisting.editable && !column.forNew.editable)).toBe(true)
  })
})

test('a path is shown in words', () => {
  const plan = planColumns('customer', [], SUPPORT)
  expect(formatPath(plan, 'BillingAddress.City')).toBe('Billing address, City')
  expect(formatPath(plan, 'Terms')).toBe('Terms')
  expect(formatPath(plan, 'Unknown')).toBe('Unknown')
})

test('saved columns are read tolerantly: anything foreign is left out', () => {
  const columns = [{ id: 'Phone', width: 120 }, { id: 7 }, null]
  const states = { customer: { columns, unfolded: ['a', 3] }, vendor: { columns: 'no' } }
  for (const object of ['account', 'vendor', 'constructor']) expect(readLayout(states, object)).toBeNull()
  expect(readLayout(states, 'customer')).toEqual({
    columns: [{ id: 'Phone', width: 120, hide: false }],
    unfolded: ['a'],
  })
})

test('columns of the most recently changed lists are saved, within the limit of settings', () => {
  const kept = { columns: [], unfolded: [] }
  const names = Array.from({ length: 300 }, (_, index) => `List${String(index)}`)
  const many = names.reduce((states, name) => withKept(states, name, kept), {})
  expect(Object.keys(many)).toEqual(names.slice(-100))
  expect(Object.keys(withKept(many, 'List250', kept)).at(-1)).toBe('List250')
  expect(withKept(many, 'x'.repeat(101), kept)).toEqual(many)
  const large = { columns: [{ id: 'x'.repeat(600_000), width: 100, hide: false }], unfolded: [] }
  expect(Object.keys(withKept({ a: large, b: kept, c: large }, 'd', kept))).toEqual(['b', 'c', 'd'])
  expect(withKept({ a: kept }, '__proto__', kept)).toHaveProperty(['__proto__'], kept)
})

describe('a list limited to the fields of several applications', () => {
  const plan = planColumns('vendor', [], { supported: ['Name', 'Phone', 'Address'], error: null })
  const fields = (shared: readonly string[] | null, drafted: readonly string[] = []) =>
    sharedColumns(plan, shared === null ? null : new Set(shared), (field) => drafted.includes(field))

  test('shows what all of them support and what the application maintains, and everything again later', () => {
    const names = fields(['Name']).map((entry) =>
      entry.kind === 'column' ? entry.column.path : entry.group.field,
    )
    expect(names).toContain('Name')
    expect(names).toContain('LastModifiedDate')
    expect(names).not.toContain('Phone')
    expect(names).not.toContain('Address')
    expect(fields(null)).toEqual(plan)
  })

  test('locks members that not all of them support', () => {
    const columns = allColumns(fields(['Address', 'Address.City']))
    const takes = columns.filter(({ path, forNew }) => path.startsWith('Address.') && forNew.editable)
    expect(takes.map(({ path }) => path)).toEqual(['Address.City'])
  })

  test('keeps a field visible that has edits, and says why it can’t be edited now', () => {
    const columns = allColumns(fields(['Name'], ['Address']))
    const city = columns.find((column) => column.path === 'Address.City')
    expect(city?.forExisting).toMatchObject({
      editable: false,
      reason: expect.stringContaining('prepare') as string,
    })
  })
})
