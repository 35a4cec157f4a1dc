/** An endless list of companies, over a real socket: reading stops, and the list is kept as incomplete. */
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'

test('an endless list of companies, each page new: reading stops, keeps what arrived, and says so; a search for a token stops, too', async ({
  onTestFinished,
}) => {
  const { person, server } = await startVirtualWorld(onTestFinished)
  const { connectionId } = person.company
  const before = value(await person.call('companies.list', { connectionId })).companies
  const match = { method: 'GET', path: 'manage/endpoint' } as const
  server.addFaults({ match, times: 0, fault: { kind: 'endlessMoreData' } })
  const asked = server.counters().received
  const list = value(await person.call('companies.refresh', { connectionId }))
  const pages = server.counters().received - asked
  expect(pages).toBeLessThanOrEqual(1_000)
  expect(list.isWhole).toBe(false)
  expect(list.notice).toContain('says “there is more” after every page')
  // Earlier companies stay, and aren't reported missing.
  expect(list.companies.filter(({ isListed }) => isListed)).toHaveLength(before.length * (pages + 1))
  expect(await person.call('companies.copyToken', { company: person.company })).toMatchObject({
    ok: false,
    error: { kind: 'not-found' },
  })
  expect(server.counters().received - asked).toBe(2 * pages)
})
