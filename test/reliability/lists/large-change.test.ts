/**
 * A change of the largest size allowed, in ten companies: 10,000 with `BOOKBRIDGE_DEEP=1`, otherwise 600. Lost 0,
 * sent twice 0, wrongly reported 0, never two requests at once, and each event has only what is new.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ShownChange } from '../../../shared/contract/all-companies.ts'
import { textOf } from '../../../shared/records/changes.ts'
import { ok } from '../../../shared/result.ts'
import { MAX_CHANGED } from '../../../shared/runs.ts'
import { plainCompanies, PlainService } from '../../e2e/support/plain-service.ts'
import { value } from '../../result.ts'
import { isDeep } from '../../seeds.ts'
import { CONNECTION_ID, makeCore } from '../world/core-parts.ts'
import { LIST, pause, Person } from '../world/person.ts'
import { callerOf, emptyFolder, usedFolder } from '../world/world.ts'

const COMPANIES = 10
const EACH = (isDeep ? MAX_CHANGED : 600) / COMPANIES
const BEFORE = '(415) 555-0100'
const AFTER = '(510) 555-0100'
/** A record is queued, sent, saved, and at most read back and checked again. */
const MOST_NEWS = 6

test('a large change in ten companies is sent to the end', async ({ onTestFinished }) => {
  const service = await PlainService.start(plainCompanies(COMPANIES))
  onTestFinished(() => service.close())
  for (const { endpointId } of service.companies) {
    const records = Array.from({ length: EACH }, (_, index) => ({
      ID: `${endpointId}/${String(index)}`,
      Name: `Customer ${String(index)}`,
      Phone: BEFORE,
      IsActive: 'true',
    }))
    service.lists.set(`${endpointId}/${LIST}`, records)
  }

  const folder = emptyFolder(onTestFinished)
  const news: ShownChange[] = []
  let printed = ''
  const running = value(
    makeCore(
      {
        userData: usedFolder(onTestFinished),
        settings: {},
        beginsAt: Date.now(),
        factor: 1,
        saved: null,
      },
      {
        announcer: {
          emit(name, payload) {
            if (name === 'multiCompanyChanges.changed') news.push(payload as ShownChange)
          },
          notify: () => undefined,
        },
        dialogs: { save: { choose: (name) => Promise.resolve(join(folder, name)) } },
        printer: {
          pdf({ html }) {
            printed = html
            return Promise.resolve(ok(new Uint8Array()))
          },
        },
      },
    ),
  )
  onTestFinished(() => running.core.close())
  running.core.start()
  const call = callerOf(running)
  const person = new Person(call)
  await person.connect(service.url, service.key)
  await person.keepLists(service.companies.map(({ endpointId }) => ({ endpointId, object: LIST })))

  const criteria = { by: 'value', path: 'Phone', value: BEFORE } as const
  const compared = value(
    await call('multiCompanyChanges.compare', { connectionId: CONNECTION_ID, object: LIST, criteria }),
  )
  const picks = compared.companies.map(({ company: { endpointId }, records }) => ({
    endpointId,
    recordIds: records.map(({ recordId }) => recordId),
  }))
  const what = { connectionId: CONNECTION_ID, object: LIST, path: 'Phone', now: AFTER, picks }
  const { changeId, items } = value(await call('multiCompanyChanges.draft', what))
  const draftIds = items.flatMap(({ records }) => records.map(({ draftId }) => draftId))
  expect(draftIds).toHaveLength(COMPANIES * EACH)

  value(await call('multiCompanyChanges.send', { changeId, draftIds }))
  while (news.at(-1)?.state !== 'finished') await pause(20)
  const [ended] = value(await call('multiCompanyChanges.list', { connectionId: CONNECTION_ID }))
  const states = ended?.items.flatMap(({ records }) => records.map(({ state }) => state)) ?? []
  expect(states.filter((state) => state === 'saved')).toHaveLength(COMPANIES * EACH)

  const sent = service.written.map(({ ID }) => textOf(ID))
  expect(sent).toHaveLength(COMPANIES * EACH)
  expect(new Set(sent).size).toBe(COMPANIES * EACH)
  expect([...service.lists.values()].flat().filter(({ Phone }) => Phone !== AFTER)).toEqual([])
  expect(service.mostAtOnce).toBe(1)

  const told = news.flatMap(({ items: companies }) => companies).flatMap(({ records }) => records)
  expect(told.length).toBeLessThanOrEqual(MOST_NEWS * COMPANIES * EACH)
  expect(new Set(told.filter(({ state }) => state === 'saved').map(({ draftId }) => draftId)).size).toBe(
    COMPANIES * EACH,
  )

  value(await call('multiCompanyChanges.saveReceipt', { changeId }))
  expect(printed.match(/>Customer \d+</g)).toHaveLength(COMPANIES * EACH)
  expect(running.defects).toEqual([])
})
