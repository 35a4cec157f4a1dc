/** Two clients without a name can be distinguished, because the path is shown instead of the name. */
import { expect, test } from 'vitest'
import { displayName, isWholePath } from '../../../shared/companies/companies.ts'
import { shownText } from '../../../shared/format/text.ts'
import { storedCompany, World } from '../writing/world.ts'

const REF = { connectionId: 'c1', endpointId: 'e1' }

test('a company is called by its label, or else its name, path, or ID. Spaces aren’t a name', () => {
  const named = { label: 'Cedar', companyName: 'Cedar Holm Ltd', fullPath: 'C:\\Cedar.qbw', ref: REF }
  expect(displayName(named)).toBe('Cedar')
  expect(displayName({ ...named, label: '' })).toBe('Cedar Holm Ltd')
  expect(displayName({ ...named, label: '', companyName: ' ' })).toBe('C:\\Cedar.qbw')
  expect(displayName({ ...named, label: '', companyName: '', fullPath: '' })).toBe('e1')
})

test('a name doesn’t change the direction of what follows: direction marks aren’t shown', () => {
  const named = { label: '', companyName: 'Cedar \u202E12\u2066', fullPath: '', ref: REF }
  expect(displayName(named)).toBe('Cedar 12')
  expect(displayName({ ...named, companyName: '\u202E' })).toBe('e1')
  expect(shownText('שלום Ltd')).toBe('שלום Ltd')
})

test('a path is distinguished from a name', () => {
  for (const path of ['C:\\Books\\a.qbw', 'd:/a.qbw', '\\\\server\\share\\a.qbw', '/Users/a.qbw']) {
    expect(isWholePath(path)).toBe(true)
  }
  for (const name of ['A/B Services', 'C: the company', 'Ltd\\Co', '']) expect(isWholePath(name)).toBe(false)
})

test('unfinished work of a company without a name says whose it is', () => {
  const world = new World()
  world.store.companies.put(storedCompany({ companyName: '', fullPath: 'C:\\Books\\Elm.qbw' }))
  world.draftInsert({ Name: 'A' })
  const names = world.store.unfinished.list('c1').map(({ companyName }) => companyName)
  expect(names).toEqual(['C:\\Books\\Elm.qbw'])
})
