/** A user who was not made is told so, with what to do; one who may have been is held, since nobody can look one up. */
import { expect, onTestFinished, test } from 'vitest'
import type { Fault } from '../sample-server/faults.ts'
import { CONNECTION_ID, makeCore } from '../reliability/core-parts.ts'
import { Person } from '../reliability/person.ts'
import { callerOf, emptyFolder, QUICK_SETTINGS, startServer } from '../reliability/world.ts'
import { isoNow } from '../../renderer/companies/moment.ts'
import { value } from './writing-world.ts'

const VISIT = {
  step: 4,
  application: 'qbd',
  user: 'new',
  pastedUserId: '',
  file: 'a.qbw',
  place: 'here',
  ticked: [],
} as const

/** What a visit's person is told when the service answers the creation so, and whether a user may have been made. */
async function answered(fault: Fault): Promise<{ message: string; advice: string; user: string | null }> {
  const server = await startServer(onTestFinished)
  const userData = emptyFolder(onTestFinished)
  const settings = { ...QUICK_SETTINGS, writeSeconds: 1, settleSeconds: 0 }
  const { core, ...rest } = value(
    makeCore({ userData, settings, beginsAt: Date.now(), factor: 1, saved: null }),
  )
  onTestFinished(() => core.close())
  core.start()
  const person = new Person(callerOf({ core, ...rest }))
  await person.connect(server.url, server.key)
  value(
    await person.call('companies.saveVisit', {
      connectionId: CONNECTION_ID,
      visit: { ...VISIT, begunAt: isoNow() },
    }),
  )
  server.control({ faults: [{ match: { method: 'POST', path: 'manage/user' }, fault }] })
  const created = await person.call('companies.createUser', { connectionId: CONNECTION_ID })
  const visit = value(await person.call('companies.visit', { connectionId: CONNECTION_ID }))
  return {
    message: created.ok ? '' : created.error.message,
    advice: created.ok ? '' : created.error.advice,
    user: visit.user?.state ?? null,
  }
}

test.each<readonly [string, Fault, RegExp]>([
  ['a page not found', { kind: 'html', status: 404 }, /refuses to create users here \(HTTP 404\)/],
  ['a bare 405', { kind: 'status', status: 405, body: 'empty' }, /refuses to create users here \(HTTP 405\)/],
  [
    '400 with its reason',
    {
      kind: 'body',
      status: 400,
      text: '{"Contents":[],"HasErrors":true,"RequestId":"r-1","Errors":[{"Code":"77001","Message":"Users are made by us."}]}',
    },
    /Users are made by us/,
  ],
])('%s: no user was created, and the person may go on with an ID', async (_name, fault, words) => {
  const { message, advice, user } = await answered(fault)
  expect(message).toMatch(/^No user was created\./)
  expect(message).toMatch(words)
  expect(message).not.toMatch(/did not say/)
  expect(advice).not.toBe('')
  expect(user).toBeNull()
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
  expect(message).toMatch(/did not say whether it created the user/)
  expect(user).toBe('held')
})
