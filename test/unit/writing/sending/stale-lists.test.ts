/** Lists that lag behind the books, like those of a cache or a replica. A record that they lack may still exist. */
import { describe, expect, test } from 'vitest'
import { value } from '../../../result.ts'
import { COMPANY, World } from '../world.ts'

/** A first insert is saved and read back. The response to a second one is lost, and lists have neither of them. */
async function lostBehindAStaleList(options: { readonly externalIds: boolean }): Promise<World> {
  const world = new World({ settings: { markWithExternalId: options.externalIds } })
  world.service.manner = { keepsExternalIds: options.externalIds, uniqueNames: false }
  world.service.add('customer', { Name: 'Old', FullName: 'Old' })
  await world.sendAndSettle([world.draftInsert({ Name: 'First', Phone: '555-0101' })])
  const drafts = [world.draftInsert({ Name: 'Second', Phone: '555-0102' })]
  world.service.fault = (method) => (method === 'POST' ? 'dropped-after' : 'none')
  world.service.listed = (records) => records.filter((record) => record['Name'] === 'Old')
  value(world.send(drafts))
  await world.settle()
  return world
}

describe.each([{ externalIds: true }, { externalIds: false }])(
  'a list that lacks a record that was just saved ($externalIds)',
  (options) => {
    test('doesn’t prove that an insert is missing. The insert is found once the list has it', async () => {
      const world = await lostBehindAStaleList(options)
      expect(world.states()).toEqual(['acked', 'unknown'])
      world.service.listed = (records) => records
      world.service.fault = () => 'none'
      const [, second] = world.operations()
      value(await world.writer.checkNow(COMPANY, [second?.operationId ?? '']))
      expect(world.states()).toEqual(['acked', 'acked'])
      expect(world.service.of('customer').size).toBe(3)
    })

    test('proves it an hour later, when the record may have been deleted', async () => {
      const world = await lostBehindAStaleList(options)
      world.clock.time += 61 * 60_000
      const [, second] = world.operations()
      value(await world.writer.checkNow(COMPANY, [second?.operationId ?? '']))
      expect(world.states()).toEqual(['acked', 'held'])
    })
  },
)
