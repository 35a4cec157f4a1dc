// What existed before a provisioning was sent. Nothing false is said about a returned company or its billing.
import { describe, expect, test } from 'vitest'
import {
  activeSince,
  changeOnArrival,
  findProvisioned,
  listBefore,
} from '../../../electron/writing/companies/provision-verdicts.ts'
import { remarksAbout } from '../../../renderer/companies/wizard/verdict.ts'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { standIn } from '../records/list/stand-in.ts'
import { record, stored } from './company-records.ts'

describe('what a company was before', () => {
  const active = record('Active')
  const inactive = record('Inactive', { isActive: false })
  const stateBefore = (id: string, before: ReturnType<typeof listBefore>) =>
    changeOnArrival(standIn<Provisioning>({ connectionId: 'c' }), record(id), before).before

  test('a complete list distinguishes new, active, and inactive companies, ignoring the case of IDs', () => {
    const before = listBefore({ companies: [active, inactive], isWhole: true }, [stored('left')])
    const said = ['ACTIVE', 'INACTIVE', 'left', 'new'].map((id) => stateBefore(id, before))
    expect(said).toEqual(['active', 'inactive', 'inactive', 'not-there'])
  })

  test('an incomplete list can’t call anything new, and earlier lists are used instead', () => {
    const before = listBefore({ companies: [active], isWhole: false }, [stored('earlier')])
    expect(['active', 'earlier', 'new'].map((id) => stateBefore(id, before))).toEqual([
      'active',
      'active',
      'unknown',
    ])
  })

  test('after an incomplete list, the one with the same user is found, and may have existed before', () => {
    const before = listBefore({ companies: [active], isWhole: false }, [])
    const sought = { application: 'qbd', userId: 'U-1', expectedFile: '', before, taken: [] }
    expect(findProvisioned([active, record('x')], sought)).toBeNull()
    const mine = record('mine', { userId: 'u-1' })
    expect(findProvisioned([active, record('x'), mine], sought)?.endpointId).toBe('mine')
    expect(activeSince([active, record('x'), mine], before, ['MINE'])).toHaveLength(1)
  })
})

test('of several new ones, the named one is chosen: a desktop company by its file, an online company by its name', () => {
  const before = listBefore({ companies: [], isWhole: true }, [])
  const made = (id: string, more: Parameters<typeof record>[1]) =>
    record(id, { userId: 'u-1', dateTimeCreated: `2026-01-0${String(id.length)}`, ...more })
  const online = [
    made('a', { endpoint: 'qbo', companyName: 'Fernhill  Garden Design' }),
    made('newer', { endpoint: 'qbo', companyName: 'Somebody else' }),
  ]
  const sought = { userId: 'u-1', before, taken: [] }
  const named = { ...sought, application: 'qbo', expectedFile: 'fernhill garden design' }
  expect(findProvisioned(online, named)?.endpointId).toBe('a')
  expect(findProvisioned(online, { ...named, expectedFile: '' })?.endpointId).toBe('newer')
  const desktop = [made('b', { fullPath: 'D:\\Books\\Ridge.qbw' }), made('newer', { fullPath: 'D:\\x.qbw' })]
  const file = { ...sought, application: 'qbd', expectedFile: 'Ridge' }
  expect(findProvisioned(desktop, file)?.endpointId).toBe('b')
})

describe('step 5', () => {
  const company = { application: 'qbd', isActive: true }
  const titles = (...args: Parameters<typeof remarksAbout>): string =>
    remarksAbout(...args)
      .map(({ title }) => title)
      .join(' ')

  test('says nothing about a new company that matches the request', () => {
    expect(remarksAbout({ application: 'QBD', before: 'not-there' }, company)).toEqual([])
  })

  test('says that the service returned another application or an inactive company', () => {
    const asked = { application: 'qbd', before: 'not-there' } as const
    expect(titles(asked, { application: 'qbo', isActive: false })).toMatch(
      /a company in Online, not Desktop.*inactive/,
    )
  })

  test('says that nothing was created only if that is certain', () => {
    const said = (before: 'active' | 'inactive' | 'unknown') =>
      remarksAbout({ application: 'qbd', before }, company)
        .map(({ message }) => message)
        .join()
    expect(said('active')).toContain('so nothing was added')
    expect(said('unknown')).not.toContain('no second record')
    expect(titles({ application: 'qbd', before: 'inactive' }, company)).toContain('billed again')
  })
})
