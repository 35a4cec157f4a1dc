/** A company isn't de-provisioned while a write to its books is unconfirmed, or before one that waits. */
import { describe, expect, test } from 'vitest'
import { value } from '../../result.ts'
import { World } from '../writing/world.ts'

const COMPANY = { connectionId: 'c1', endpointId: 'e1' }

describe('a de-provisioning', () => {
  test('isn’t sent while a write to these books is unconfirmed, and is sent once it is confirmed', async () => {
    let isWhole = false
    const world = new World({ isListWhole: () => isWhole })
    world.putCompany()
    world.service.companies.list.push({ endpointId: 'e1', endpoint: 'qbd', isActive: 'true' })
    world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
    value(world.send([world.draftInsert({ Name: 'Ada' })]))
    await world.settle()
    expect(world.states()).toEqual(['unknown'])
    expect(await world.writer.deprovision(COMPANY)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('not confirmed') as string },
    })
    isWhole = true
    const checked = world.writer.checkNow(
      COMPANY,
      world.operations().map(({ operationId }) => operationId),
    )
    await world.settle()
    value(await checked)
    expect(world.states()).toEqual(['acked'])
    const done = world.writer.deprovision(COMPANY)
    await world.settle()
    expect(value(await done).isDeprovisioned).toBe(true)
  })

  test('isn’t sent before a waiting write, even one that was added while it waited', async () => {
    const world = new World()
    world.putCompany()
    const batch = value(world.send([world.draftInsert({ Name: 'Ada' })]))
    value(world.writer.stopBatch(batch.batchId))
    expect(world.states()).toEqual(['queued'])
    expect(await world.writer.deprovision(COMPANY)).toMatchObject({
      ok: false,
      error: {
        message: expect.stringContaining('waits to be sent') as string,
        advice: expect.stringContaining('send or discard') as string,
      },
    })
    value(world.writer.decide(world.operations()[0]?.operationId ?? '', { what: 'discard' }))
    const sent = world.writer.deprovision(COMPANY)
    const late = value(world.send([world.draftInsert({ Name: 'Bob' })]))
    value(world.writer.stopBatch(late.batchId))
    await world.settle()
    expect((await sent).ok).toBe(false)
    expect(world.service.requests.filter(({ method }) => method === 'DEPROVISION')).toEqual([])
  })
})
