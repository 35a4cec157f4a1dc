// A typed name is the reference that it certainly means: with its ID where one is known, without where several are.
import { expect, it } from 'vitest'
import { ReferenceIndex } from '../../renderer/records/list/references.ts'
import type { RecordRow } from '../../renderer/records/list/rows.ts'

function rowOf(id: string, terms: { readonly ID: string; readonly FullName: string }): RecordRow {
  return { rowId: id, recordId: id, origin: 'read', record: { ID: id, Name: `Client ${id}`, Terms: terms } }
}

it('a name that has several IDs leaves the ID open when typed; chosen from the list it is the one chosen', () => {
  const rows = [
    rowOf('1', { ID: '7', FullName: 'Net 30' }),
    rowOf('2', { ID: '8', FullName: 'net 30' }),
    rowOf('3', { ID: '7', FullName: 'Net 30' }),
    rowOf('4', { ID: '', FullName: 'Net 60' }),
    rowOf('5', { ID: '9', FullName: 'Net 60' }),
  ]
  const references = new ReferenceIndex('customer', () => rows)
  expect(references.find('Terms', 'NET 30')).toEqual({ ID: '', FullName: 'Net 30' })
  expect(references.has('Terms', 'Net 30')).toBe(true)
  expect(references.find('Terms', 'net 60')).toEqual({ ID: '9', FullName: 'Net 60' })
  expect(references.suggest('Terms', 'net', 10)).toEqual([
    { reference: { ID: '7', FullName: 'Net 30' }, note: 'ID 7' },
    { reference: { ID: '8', FullName: 'net 30' }, note: 'ID 8' },
    { reference: { ID: '9', FullName: 'Net 60' }, note: '' },
  ])
})
