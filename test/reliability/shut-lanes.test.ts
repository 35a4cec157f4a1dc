/** At a start the program shows of every saved connection until when its lanes are shut, before anything is asked. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { laneKey } from '../../electron/service/lane-key.ts'
import { openStore } from '../../electron/store/open-store.ts'
import { CONNECTION_ID, makeCore, savedConnection } from './core-parts.ts'
import { value } from './person.ts'
import { callerOf, emptyFolder } from './world.ts'

test('lanes that an earlier run left shut are shown of all connections, not of the chosen one alone', async ({
  onTestFinished,
}) => {
  const userData = emptyFolder(onTestFinished)
  const key = 'a-key-of-the-service'
  const addresses = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
  const at = Date.now()
  const until = at + 100_000
  const store = value(openStore(join(userData, 'bookbridge.sqlite'), { now: Date.now }))
  for (const address of addresses) {
    value(store.lanes.shut(laneKey({ address, key }), { at, until, what: 'Reading', because: 'asked' }))
  }
  store.close()

  const saved = { address: addresses[0] ?? '', key }
  const running = value(makeCore({ userData, settings: {}, beginsAt: Date.now(), factor: 1, saved }))
  onTestFinished(() => running.core.close())
  const connections = addresses.map((address, index) => ({
    ...savedConnection(address),
    connectionId: `c${index}`,
  }))
  value(running.settings.setConnections(connections, 'c1'))
  running.core.start()
  const shut = async (): Promise<readonly unknown[]> => {
    const lanes = value(await callerOf(running)('activity.lanes', {}))
    return lanes.map(({ connectionId, shutUntil }) => [connectionId, shutUntil])
  }
  const shown = new Date(until).toISOString()
  await expect.poll(shut).toEqual([
    ['c1', shown],
    ['c0', shown],
  ])
})

test('the older service’s own lane is shown too when an earlier run left it shut, and why', async ({
  onTestFinished,
}) => {
  const userData = emptyFolder(onTestFinished)
  const key = 'a-key-of-the-service'
  const [address, legacyAddress] = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
  const at = Date.now()
  const until = at + 100_000
  const store = value(openStore(join(userData, 'bookbridge.sqlite'), { now: Date.now }))
  const older = laneKey({ address: legacyAddress, key })
  value(store.lanes.shut(older, { at, until, what: 'Listing companies', because: 'asked' }))
  store.close()

  const running = value(
    makeCore({ userData, settings: {}, beginsAt: Date.now(), factor: 1, saved: { address, key } }),
  )
  onTestFinished(() => running.core.close())
  value(running.settings.setConnections([{ ...savedConnection(address), legacyAddress }], CONNECTION_ID))
  running.core.start()
  const shut = async (): Promise<unknown> => value(await callerOf(running)('activity.lanes', {}))[0]
  await expect.poll(shut).toMatchObject({
    connectionId: CONNECTION_ID,
    shutUntil: new Date(until).toISOString(),
    shutBy: { what: 'Listing companies', because: 'asked' },
  })
})
