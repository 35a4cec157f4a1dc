// The control path of the loopback server: an invalid body is rejected with a message and has no effect.
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type SampleServer, startSampleServer } from '../sample-server/server.ts'

let server: SampleServer

beforeAll(async () => {
  server = await startSampleServer({ today: '2026-03-31', customers: 12, volume: 0.1 })
})
afterAll(async () => {
  await server.close()
})

const drop = { kind: 'drop', when: 'before' }

it.each<[string, object]>([
  ['an unknown member of a rule', { faults: [{ fault: drop, often: 2 }] }],
  ['an unknown member of a match', { faults: [{ match: { url: '/' }, fault: drop }] }],
  ['a match of another type', { faults: [{ match: { path: 7 }, fault: drop }] }],
  ['a rule beside a good one', { faults: [{ fault: drop }, { fault: drop, nth: 0.5 }] }],
  ['chance beyond 1', { faults: [{ fault: drop, chance: 2 }] }],
  ['when at another time', { faults: [{ fault: { kind: 'drop', when: 'during' } }] }],
  ['a redirect to nowhere', { faults: [{ fault: { kind: 'redirect' } }] }],
  ['missing members without names', { faults: [{ fault: { kind: 'missingMembers' } }] }],
  ['a status below 200', { faults: [{ fault: { kind: 'status', status: 101 } }] }],
  ['a status above 599', { faults: [{ fault: { kind: 'html', status: 600 } }] }],
  ['a negative latency', { latencyMs: -1 }],
  ['half a record a page', { pageSize: 2.5 }],
  ['half a millisecond', { provisionMs: 0.5 }],
  ['conditions that are no object', { conditions: 'off' }],
  ['conditions in an array', { conditions: [] }],
  ['an unknown file', { openFile: 'None & Sons' }],
  ['a closing date that is no day', { openFile: 'Cobb & Daughters Remodeling', closingDate: '2026-02-30' }],
  ['a reset in words', { reset: 'yes' }],
])('refuses %s and does nothing', async (_words, wrong) => {
  const before = server.counters()
  const body = JSON.stringify({ latencyMs: 5, conditions: { machine: 'off' }, clearRequests: true, ...wrong })
  const answer = await fetch(server.controlUrl, { method: 'POST', body })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toEqual({ error: expect.stringMatching(/\w+ /) as unknown })
  expect(server.counters()).toEqual(before)
})

it.each([{ kind: 'status', status: 204 } as const, { kind: 'html', status: 204 } as const])(
  'responds to %j without a body',
  async (fault) => {
    const set = await fetch(server.controlUrl, {
      method: 'POST',
      body: JSON.stringify({ faults: [{ fault }] }),
    })
    expect(set.status).toBe(200)
    const answer = await fetch(`${server.url}/v2/Manage/endpoint`, { headers: { 'x-api-key': server.key } })
    expect(answer.status).toBe(204)
    expect(await answer.text()).toBe('')
  },
)

it.each(['--page-size=2.5', '--customers=0.5', '--latency=-1', '--port='])(
  'the command refuses %s',
  async (flag) => {
    const root = resolve(import.meta.dirname, '../..')
    const code = await new Promise((done) => {
      const options = { cwd: root }
      const child = execFile(process.execPath, ['test/sample-server/main.ts', flag], options, () => {
        done(child.exitCode)
      })
    })
    expect(code).toBe(1)
  },
)
