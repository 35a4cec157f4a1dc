/** When the window's page is reloaded, what the previous one held is released, and reading back continues. */
import { expect, test } from 'vitest'
import { value } from '../../result.ts'
import { LIST } from '../world/person.ts'
import { startVirtualWorld } from '../world/virtual-world.ts'

const GONE = { ok: false, error: { kind: 'not-found' } } as const
const PERIOD = { name: 'ProfitAndLoss', from: '2026-01-01', to: '2026-03-31' } as const

test('a reloaded page releases its lists and reports', async ({ onTestFinished }) => {
  const { person, running } = await startVirtualWorld(onTestFinished)
  const { setId } = value(await person.read())
  const { reportId } = value(await person.call('reports.select', { company: person.company, ...PERIOD }))
  const rowsOf = {
    list: () => person.call('records.rows', { setId, from: 0, count: 10 }),
    report: () => person.call('reports.rows', { reportId, from: 0, count: 10 }),
  }
  expect(await rowsOf.list()).toMatchObject({ ok: true })
  expect(await rowsOf.report()).toMatchObject({ ok: true })

  running.core.pageLoaded()
  expect(await rowsOf.list()).toMatchObject(GONE)
  expect(await rowsOf.report()).toMatchObject(GONE)
  const saved = await person.call('reports.saveCsv', { reportId, shape: 'as-shown', hideZeroRows: false })
  expect(saved).toMatchObject(GONE)
  expect(await person.read()).toMatchObject({ ok: true, value: { count: 30 } })
  expect(running.defects).toEqual([])
})

test('a report that the previous page requested is released', async ({ onTestFinished }) => {
  const { person, running, server, clock, call } = await startVirtualWorld(onTestFinished)
  server.addFaults({
    match: { method: 'GET', path: 'selectReport' },
    fault: { kind: 'slow', milliseconds: 40_000, when: 'before' },
  })
  const making = call('reports.select', { company: person.company, ...PERIOD })
  await clock.settle()
  running.core.pageLoaded()
  expect(await clock.run(making)).toMatchObject({ ok: false, error: { kind: 'stopped' } })
})

test('a list that is being read for the previous page ends and is released', async ({ onTestFinished }) => {
  const { person, running, server, clock, call } = await startVirtualWorld(onTestFinished)
  server.addFaults({
    match: { method: 'GET', path: `/${LIST}` },
    fault: { kind: 'slow', milliseconds: 40_000, when: 'before' },
  })
  const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
  const reading = call('records.open', { company: person.company, object: LIST, filter })
  await clock.settle()
  running.core.pageLoaded()
  expect(await clock.run(reading)).toMatchObject(GONE)
  const [line] = value(await person.call('activity.log', { connectionId: null, before: null, limit: 1 }))
  expect(line).toMatchObject({ outcome: 'answered', says: 'Done after it was stopped' })
  expect(running.defects).toEqual([])
})

test('a lost response is still settled by reading back', async ({ onTestFinished }) => {
  const { person, running, server, ledger, clock } = await startVirtualWorld(onTestFinished)
  const draftId = await ledger.insert(person, 'd1', 'Lost', '555-lost')
  value(await person.call('records.support', { company: person.company, object: LIST }))
  server.addFaults(
    { match: { method: 'POST', path: '/v2/data/' }, fault: { kind: 'drop', when: 'after' } },
    {
      match: { method: 'GET', path: `/${LIST}` },
      times: 0,
      fault: { kind: 'slow', milliseconds: 30_000, when: 'before' },
    },
  )
  ledger.allowSend([draftId])
  value(await person.send([draftId]))
  for (let times = 0; times < 40; times += 1) {
    running.core.pageLoaded()
    await clock.advance(2_000)
  }
  await person.settle()
  expect(await person.operations()).toMatchObject([{ state: 'acked', confirmedByReading: true }])
  expect(running.defects).toEqual([])
})
