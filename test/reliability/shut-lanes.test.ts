/** At a start the program shows of every saved connection until when its lanes are shut, before anything is asked. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createLaneNames, SAMPLE_LANE } from '../../electron/service/queue/registry.ts'
import { openStore } from '../../electron/store/open-store.ts'
import { STEPS } from '../../electron/store/schema.ts'
import { openSharedLanes } from '../../electron/store/blocked-queues.ts'
import { CONNECTION_ID, makeCore, savedConnection } from './core-parts.ts'
import { value } from './person.ts'
import { callerOf, emptyFolder } from './world.ts'

const KEY = 'a-key-of-the-service'
/** The last version of the file in which lanes had names of address and key. */
const BEFORE_NAMES_OF_KEYS = 17

test('lanes that a program before an update left shut stay shut, each until the last of them opens', async ({
  onTestFinished,
}) => {
  const userData = emptyFolder(onTestFinished)
  const addresses = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
  const at = Date.now()
  const until = at + 100_000
  const path = join(userData, 'bookbridge.sqlite')
  const older = new DatabaseSync(path)
  for (const step of STEPS.slice(0, BEFORE_NAMES_OF_KEYS)) older.exec(step)
  older.exec(`PRAGMA user_version = ${String(BEFORE_NAMES_OF_KEYS)}`)
  const shut = older.prepare(
    'INSERT INTO lanes (lane_key, shut_at, shut_until, what, because) VALUES (?, ?, ?, ?, ?)',
  )
  shut.run('lane-11111111', at, until - 50_000, 'Reading', 'asked')
  shut.run('lane-22222222', at, until, 'Sending', 'at-work')
  older.close()

  const saved = { address: addresses[0] ?? '', key: KEY }
  const running = value(makeCore({ userData, settings: {}, beginsAt: Date.now(), factor: 1, saved }))
  onTestFinished(() => running.core.close())
  const connections = addresses.map((address, index) => ({
    ...savedConnection(address),
    connectionId: `c${index}`,
  }))
  value(running.settings.setConnections(connections, 'c1'))
  running.core.start()
  const shown = async (): Promise<readonly unknown[]> => {
    const lanes = value(await callerOf(running)('activity.lanes', {}))
    return lanes.map(({ connectionId, shutUntil }) => [connectionId, shutUntil])
  }
  const last = new Date(until).toISOString()
  await expect.poll(shown).toEqual([
    ['c1', last],
    ['c0', last],
  ])
  // Digests of keys that anybody could try keys on are gone.
  await running.core.close()
  const file = new DatabaseSync(path)
  expect(file.prepare("SELECT lane_key FROM lanes WHERE lane_key <> '*'").all()).toEqual([])
  file.close()
})

test('the lane of the older service’s key is shown when an earlier run left it shut, and why', async ({
  onTestFinished,
}) => {
  const userData = emptyFolder(onTestFinished)
  const [address, legacyAddress] = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
  const at = Date.now()
  const until = at + 100_000
  const ownFile = join(userData, 'bookbridge.sqlite')
  const store = value(openStore(ownFile, { now: Date.now }))
  const folder = join(userData, 'connections')
  const lanes = value(openSharedLanes({ folder, own: store.lanes, ownFile, ownLane: SAMPLE_LANE }))
  const laneOf = createLaneNames(`${lanes.secret}\n`)
  const older = laneOf({ connectionId: '', address, legacyAddress, key: '', legacyKey: KEY }, 'v1')
  value(lanes.shut(older, { at, until, elapsed: null, what: 'Listing companies', because: 'asked' }))
  lanes.close()
  store.close()

  const running = value(
    makeCore({ userData, settings: {}, beginsAt: Date.now(), factor: 1, saved: { address, key: KEY } }),
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
