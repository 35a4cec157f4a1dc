// A typed name is a reference with its ID if exactly one is known, and without an ID if there are several.
// The field's own list tells which names exist, if the service gives it.
import '../../runes.ts'
import { expect, it } from 'vitest'
import type { Api } from '../../../../renderer/api.ts'
import { ReferenceIndex } from '../../../../renderer/records/list/references.svelte.ts'
import type { RecordRow } from '../../../../renderer/records/list/rows.ts'
import { appError, err, ok } from '../../../../shared/result.ts'
import { chunkOf } from './record-chunk.ts'
import { standIn } from './stand-in.ts'

function rowOf(id: string, terms: { readonly ID: string; readonly FullName: string }): RecordRow {
  return { rowId: id, recordId: id, origin: 'read', record: { ID: id, Name: `Client ${id}`, Terms: terms } }
}

/** @param answers the service's only lists: their records, and whether those are all */
function indexOf(
  rows: readonly RecordRow[],
  answers: Readonly<Record<string, { readonly records: readonly object[]; readonly isWhole: boolean }>> = {},
  isWholeList = true,
): ReferenceIndex {
  const call = (name: string, input: { object?: string; setId?: string; from?: number; count?: number }) => {
    if (name === 'records.open') {
      const answer = answers[input.object ?? '']
      if (answer === undefined) return Promise.resolve(err(appError('service-error', 'No such list.')))
      const { records, isWhole } = answer
      return Promise.resolve(ok({ setId: input.object, count: records.length, isWhole }))
    }
    if (name !== 'records.rows') return Promise.resolve(ok({}))
    const { from = 0, count = 0, setId = '' } = input
    const piece = answers[setId]?.records.slice(from, from + count)
    return Promise.resolve(ok(chunkOf(piece ?? [])))
  }
  return new ReferenceIndex({
    api: standIn<Api>({ call }),
    company: { connectionId: 'c', endpointId: 'e' },
    object: 'customer',
    rows: () => rows,
    isWholeList: () => isWholeList,
    isDraftedName: (fullName) => fullName === 'Drafted',
  })
}

it('a typed name with several IDs has no ID; a name chosen from the list has the chosen one', () => {
  const rows = [
    rowOf('1', { ID: '7', FullName: 'Net 30' }),
    rowOf('2', { ID: '8', FullName: 'net 30' }),
    rowOf('3', { ID: '7', FullName: 'Net 30' }),
    rowOf('4', { ID: '', FullName: 'Net 60' }),
    rowOf('5', { ID: '9', FullName: 'Net 60' }),
  ]
  const references = indexOf(rows)
  expect(references.find('Terms', 'NET 30')).toEqual({ ID: '', FullName: 'Net 30' })
  expect(references.status('Terms', 'Net 30')).toBe('known')
  expect(references.find('Terms', 'net 60')).toEqual({ ID: '9', FullName: 'Net 60' })
  expect(references.suggest('Terms', 'net', 10)).toEqual([
    { reference: { ID: '7', FullName: 'Net 30' }, note: 'ID 7' },
    { reference: { ID: '8', FullName: 'net 30' }, note: 'ID 8' },
    { reference: { ID: '9', FullName: 'Net 60' }, note: '' },
  ])
})

it('a name is missing if neither a record nor the field’s own list has it', async () => {
  const terms = Array.from({ length: 2_500 }, (_, at) => ({ ID: String(at), Name: `Net ${at}` }))
  const references = indexOf([], { terms: { records: terms, isWhole: true } })
  expect(references.status('Terms', 'Net 2499')).toBe('unknown')
  const read = references.readList('Terms')
  expect(references.reading).toEqual(['Terms'])
  await read
  expect(references.reading).toEqual([])
  expect(references.status('Terms', 'net 2499')).toBe('known')
  expect(references.find('Terms', 'Net 7')).toEqual({ ID: '7', FullName: 'Net 7' })
  expect(references.status('Terms', 'Net 2500')).toBe('missing')
})

it('without the complete list, no name is called missing', async () => {
  const answers = {
    terms: { records: [{ ID: '1', Name: 'Net 1' }], isWhole: false },
    class: { records: [], isWhole: true },
  }
  const references = indexOf([], answers, false)
  for (const field of ['Terms', 'Class', 'TaxCode', 'Parent']) {
    await references.readList(field)
    expect(references.status(field, 'Net 1')).toBe('unknown')
  }
  // A parent is a record of the list itself, if that was read to its end.
  expect(indexOf([]).status('Parent', 'Alder')).toBe('missing')
  // A parent that is added in the same batch is sent first.
  expect(indexOf([]).status('Parent', 'Drafted')).toBe('known')
})

it('a list without most of the names in use is another list, so it says nothing about a name', async () => {
  const rows = ['Net 15', 'Net 30', 'Net 60'].map((FullName, at) =>
    rowOf(String(at), { ID: String(at), FullName }),
  )
  const listOf = async (...names: readonly string[]) => {
    const records = names.map((Name) => ({ ID: Name, Name }))
    const references = indexOf(rows, { terms: { records, isWhole: true } })
    await references.readList('Terms')
    return references.status('Terms', 'Net 33')
  }
  expect(await listOf('Net 15', 'Net 30', 'Net 45')).toBe('missing')
  expect(await listOf('N15', 'N30', 'Net 60')).toBe('unknown')
})

it('suggests the one reference that a mistyped name was meant to be', async () => {
  const records = ['Net 15', 'Net 30', 'Net 60', 'Due on receipt'].map((Name) => ({ ID: Name, Name }))
  const references = indexOf([], { terms: { records, isWhole: true } })
  await references.readList('Terms')
  const meant = (typed: string) => references.similar('Terms', typed)?.FullName ?? null
  expect(meant('Net 33')).toBe('Net 30')
  expect(meant('due on reciept')).toBe('Due on receipt')
  // One letter from several, and from none.
  expect(meant('Net 10')).toBeNull()
  expect(meant('Net 99')).toBeNull()
})
