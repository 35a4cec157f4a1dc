/** There is only one connection per service and key. A second one would bypass blocks on the same books. */
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'

test('a second connection with the same service and key is refused, and the message names the first one', async ({
  onTestFinished,
}) => {
  const { person, server, running } = await startVirtualWorld(onTestFinished)
  const before = server.counters().received
  value(await person.call('connection.setKey', { connectionId: 'second', key: server.key }))
  const again = await person.call('connection.connect', {
    connectionId: 'second',
    name: 'Second',
    address: `${server.url}/`,
  })
  expect(again).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
  if (!again.ok) {
    expect(again.error.message).toContain(running.settings.connections()[0]?.name ?? 'no connection')
    expect(JSON.stringify(again.error)).not.toContain(server.key)
  }
  expect(server.counters().received).toBe(before)
  expect(running.settings.connections()).toHaveLength(1)
})

test('another key, another service, and the same connection again don’t count as a second one', async ({
  onTestFinished,
}) => {
  const { person, server, running, startServer } = await startVirtualWorld(onTestFinished)
  const other = await startServer({ key: 'another-service-key-1' })
  value(await person.call('connection.setKey', { connectionId: 'second', key: other.key }))
  const second = { connectionId: 'second', name: 'Second', address: other.url }
  value(await person.call('connection.connect', second))
  value(await person.call('connection.connect', second))
  expect(running.settings.connections()).toHaveLength(2)
  // The same address with another key is tested, and the service refuses the key.
  value(await person.call('connection.setKey', { connectionId: 'third', key: 'not-its-key' }))
  const third = { connectionId: 'third', name: 'Third', address: server.url }
  expect(await person.call('connection.connect', third)).toMatchObject({
    ok: false,
    error: { kind: 'unauthorized' },
  })
})
