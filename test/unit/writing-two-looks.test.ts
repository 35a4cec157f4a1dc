/** A change that the service gave up with an error may be done late by its agent: it gets two looks, with the pause between. */
import { expect, test } from 'vitest'
import { value, World } from './writing-world.ts'

test('a change after an error of the whole request is held only after a second look, a minute later', async () => {
  const world = new World()
  const ids = ['First', 'Second'].map((Name) =>
    world.service.add('customer', { Name, FullName: Name, Phone: 'old' }),
  )
  await world.sendAndSettle([world.draftChange(ids[0] ?? '', { Phone: 'new' })])
  world.service.fault = (method) => (method === 'PATCH' ? 'whole-error-before' : 'none')
  value(world.send([world.draftChange(ids[1] ?? '', { Phone: 'new' })]))
  await world.flush()
  expect(world.operations().at(-1)).toMatchObject({ state: 'unknown', looks: 1 })
  await world.settle()
  expect(world.operations().at(-1)).toMatchObject({ state: 'held', looks: 2 })
})
