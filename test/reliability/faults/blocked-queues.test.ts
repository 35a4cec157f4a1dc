/** At the start, before any request, the program shows until when the queues of every saved connection are blocked. */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createQueueNames, SAMPLE_QUEUE } from '../../../electron/service/queue/request-queue.ts'
import { openSharedQueues } from '../../../electron/store/blocked-queues.ts'
import { openStore } from '../../../electron/store/store.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID, makeCore, savedConnection } from '../world/core-parts.ts'
import { callerOf, emptyFolder } from '../world/world.ts'

const KEY = 'a-key-of-the-service'
/** A `Clock.elapsed` from before the computer's last start, when it counted from another moment. */
const BEFORE_RESTART = Number.MAX_SAFE_INTEGER

test('a queue for the older service’s key that an earlier run left blocked is shown with the reason', async ({
  onTestFinished,
}) => {
  const userData = emptyFolder(onTestFinished)
  const [address, legacyAddress] = ['http://127.0.0.1:9', 'http://127.0.0.1:10']
  const at = Date.now()
  const until = at + 100_000
  const ownFile = join(userData, 'bookbridge.sqlite')
  const store = value(openStore(ownFile, { now: Date.now }))
  const folder = join(userData, 'connections')
  const queues = value(openSharedQueues({ folder, own: store.queues, ownFile, ownQueue: SAMPLE_QUEUE }))
  const queueOf = createQueueNames(`${queues.secret}\n`)
  const older = queueOf({ address, key: '', legacyKey: KEY }, 'v1')
  value(
    queues.block(older, { at, until, elapsed: BEFORE_RESTART, what: 'Listing companies', reason: 'asked' }),
  )
  queues.close()
  store.close()

  const running = value(
    makeCore({ userData, settings: {}, beginsAt: Date.now(), factor: 1, saved: { address, key: KEY } }),
  )
  onTestFinished(() => running.core.close())
  value(running.settings.setConnections([{ ...savedConnection(address), legacyAddress }], CONNECTION_ID))
  running.core.start()
  const shut = async (): Promise<unknown> => value(await callerOf(running)('activity.queues', {}))[0]
  await expect.poll(shut).toMatchObject({
    connectionId: CONNECTION_ID,
    blockedUntil: new Date(until).toISOString(),
    blockedBy: { what: 'Listing companies', reason: 'asked' },
  })
})
