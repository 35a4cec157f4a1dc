/**
 * A connection to only an older service (v1), as the first screen creates it: its companies, and de-provisioning one.
 */
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'

test('an older service alone lists and de-provisions over v1, and says that it has no records', async ({
  onTestFinished,
}) => {
  const { person, startServer, running } = await startVirtualWorld(onTestFinished)
  const older = await startServer({ seed: 7, key: 'the-key-of-an-older-service' })
  const connectionId = 'older'
  const typed = { connectionId, name: '', address: '', legacyAddress: `${older.legacyUrl}/v1` }
  value(await person.call('connection.setKey', { connectionId, key: older.key, service: 'v1' }))
  const { connection, legacyCompanies } = value(await person.call('connection.connect', typed))
  expect(connection).toMatchObject({ address: '', key: 'not-needed', name: new URL(older.url).host })

  const before = value(await person.call('companies.refresh', { connectionId }))
  expect(before.companies).toHaveLength(legacyCompanies ?? 0)
  const company = before.companies.find(({ isActive }) => isActive)
  if (company === undefined) throw new Error('The older service lists no active company.')
  const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
  const read = await person.call('records.open', { company: company.ref, object: 'customer', filter })
  expect(read).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
  expect(read.ok ? '' : read.error.message).toMatch(/only an older service \(v1\)/)

  const ended = value(await person.call('companies.deprovision', { company: company.ref }))
  expect(ended.isDeprovisioned).toBe(true)
  expect(older.counters().requests.filter(({ path }) => !/\/v1\//i.test(path))).toEqual([])

  value(await person.call('connection.setKey', { connectionId: 'twin', key: older.key, service: 'v1' }))
  const twin = await person.call('connection.connect', { ...typed, connectionId: 'twin' })
  expect(twin).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
  expect(running.settings.connections()).toHaveLength(2)

  older.control({ faults: [{ match: { path: '/v1/' }, fault: { kind: 'status', status: 500 } }] })
  const unread = await person.call('companies.refresh', { connectionId })
  expect(unread).toMatchObject({ ok: false, error: { details: { service: 'v1' } } })
})
