/** A user who wasn't created says so, with what to do. One who may have been is held, because no one can look it up. */
import { expect, onTestFinished, test } from 'vitest'
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { CONNECTION_ID } from '../../reliability/world/core-parts.ts'
import { startVirtualWorld } from '../../reliability/world/virtual-world.ts'
import { value } from '../../result.ts'
import type { Fault } from '../../sample-server/faults.ts'

/** What a setup says after this response to the creation of its user, and the user's state. */
async function answered(fault: Fault): Promise<{ message: string; advice: string; user: string | null }> {
  const { server, person, until } = await startVirtualWorld(onTestFinished)
  server.control({ faults: [{ match: { method: 'POST', path: 'manage/user' }, fault }] })
  const what = { application: 'qbd', userId: null, expectedFile: 'a.qbw', place: 'here' } as const
  value(await person.call('companies.provision', { connectionId: CONNECTION_ID, ...what }))
  const current = async (): Promise<Provisioning | undefined> =>
    value(await person.call('companies.provisionings', { connectionId: CONNECTION_ID }))[0]
  await until(async () => (await current())?.state === 'refused')
  expect(server.counters().requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  const ended = await current()
  return {
    message: ended?.error?.message ?? '',
    advice: ended?.error?.advice ?? '',
    user: ended?.newUser?.state ?? null,
  }
}

test.each<readonly [string, Fault, RegExp]>([
  [
    'a page not found',
    { kind: 'html', status: 404 },
    /refuses to create clients at this address \(HTTP 404\)/,
  ],
  [
    'a bare 405',
    { kind: 'status', status: 405, body: 'empty' },
    /refuses to create clients at this address \(HTTP 405\)/,
  ],
  [
    '400 with its reason',
    {
      kind: 'body',
      status: 400,
      text: '{"Contents":[],"HasErrors":true,"RequestId":"r-1","Errors":[{"Code":"77001","Message":"Users are made by us."}]}',
    },
    /Users are made by us/,
  ],
])('%s: no user was created, and the user may go on with an ID', async (_name, fault, words) => {
  const { message, advice, user } = await answered(fault)
  expect(message).toMatch(/^No client was created\./)
  expect(message).toMatch(words)
  expect(message).not.toMatch(/did not say/)
  expect(advice).not.toBe('')
  expect(user).toBe('not-made')
})

test.each<readonly [string, Fault]>([
  ['500 with nothing', { kind: 'status', status: 500, body: 'empty' }],
  ['408: given up waiting', { kind: 'status', status: 408, body: 'empty' }],
  [
    '429: too many, by whatever stands in between',
    { kind: 'status', status: 429, body: 'empty', when: 'after' },
  ],
  ['an answer that was cut off', { kind: 'drop', when: 'after' }],
])('%s: a user may have been created', async (_name, fault) => {
  const { message, user } = await answered(fault)
  expect(message).toMatch(/didn’t say whether it created the client/)
  expect(user).toBe('held')
})
