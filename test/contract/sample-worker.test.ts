// The sample inside the program: a worker that starts with the first request and saves the user's edits.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  createSampleFetch,
  SAMPLE_KEY,
  type SampleFetch,
  type SampleFetchOptions,
} from '../../electron/sample/sample-fetch.ts'
import { dayOfMoment, formatDay } from '../../electron/sample/time.ts'

const workerUrl = new URL('../../electron/sample/sample-worker.ts', import.meta.url)
let folder: string
let sample: SampleFetch

function open(options: Partial<SampleFetchOptions> = {}): SampleFetch {
  const databasePath = join(folder, 'sample.sqlite')
  return createSampleFetch({
    workerUrl,
    databasePath,
    customers: 20,
    volume: 0.1,
    provisionMs: 0,
    ...options,
  })
}

/** A `fetch` needs an address. This one is never resolved. */
const ADDRESS = 'http://sample.invalid'

interface WorkerAnswer {
  readonly HasErrors: boolean
  readonly Contents: readonly { readonly Object: Readonly<Record<string, string>> }[]
}

async function send(path: string, init: RequestInit = {}): Promise<WorkerAnswer> {
  const answer = await sample.fetch(ADDRESS + path, { ...init, headers: { 'x-api-key': SAMPLE_KEY } })
  return (await answer.json()) as WorkerAnswer
}

async function customerPath(): Promise<string> {
  const companies = await send('/v2/Manage/endpoint')
  return `/v2/data/${companies.Contents[0]?.Object['endpointId'] ?? ''}/customer`
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'))
  sample = open({ today: '2026-03-31' })
})
afterEach(async () => {
  await sample.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the sample inside the program', () => {
  it('keeps inserts, changes, balances, and companies between runs', async () => {
    const path = await customerPath()
    const body = JSON.stringify({ ID: '', Name: 'Test, Kept', Balance: 250.25 })
    const made = await send(path, { method: 'POST', body })
    const ID = made.Contents[0]?.Object['ID'] ?? ''
    await send(path, { method: 'PATCH', body: JSON.stringify({ ID, Phone: '(415) 555-0155' }) })
    const user = await send('/v2/manage/user', { method: 'POST', body: '{}' })
    const userId = user.Contents[0]?.Object['userId']
    await send('/v2/manage/company', { method: 'POST', body: JSON.stringify({ userId, endpoint: 'qbd' }) })
    const before = (await send(path)).Contents
    await sample.close()

    sample = open()
    const [kept] = (await send(`${path}?id=${ID}`)).Contents
    expect(kept?.Object).toMatchObject({ Name: 'Test, Kept', Phone: '(415) 555-0155', Balance: '250.25' })
    expect((await send(path)).Contents).toEqual(before)
    expect((await send('/v2/Manage/endpoint')).Contents.length).toBe(4)
  })

  it('keeps the day of the first run until it is reset', async () => {
    expect((await sample.state()).today).toBe('2026-03-31')
    await sample.close()
    sample = open()
    expect((await sample.state()).today).toBe('2026-03-31')
    expect((await sample.reset()).today).toBe(formatDay(dayOfMoment(Date.now())))
  })

  it('forgets every edit when it is reset', async () => {
    const path = await customerPath()
    const before = (await send(path)).Contents
    await send(path, { method: 'POST', body: JSON.stringify({ ID: '', Name: 'Test, Gone' }) })
    await sample.reset()
    expect((await send(path)).Contents).toEqual(before)
  })

  it('releases an abandoned caller immediately while the service continues', async () => {
    const path = await customerPath()
    // The request waits until the computer is switched on.
    await sample.control({ conditions: { machine: 'off', answerAfter: 3_600_000 } })
    const body = JSON.stringify({ ID: '', Name: 'Test, Late' })
    const headers = { 'x-api-key': SAMPLE_KEY }
    const before = (await sample.state()).counts.received
    const caller = new AbortController()
    const { signal } = caller
    const asked = sample.fetch(ADDRESS + path, { method: 'POST', body, headers, signal })
    await expect.poll(async () => (await sample.state()).counts.received).toBe(before + 1)
    caller.abort()
    await expect(asked).rejects.toThrow()
    expect((await sample.fetch(ADDRESS + path, { headers })).status).toBe(409)
    await sample.control({ conditions: { machine: 'on' } })
    await expect.poll(async () => JSON.stringify((await send(path)).Contents)).toContain('Test, Late')
  })

  it('refuses a different key, and names an unknown condition', async () => {
    const answer = await sample.fetch(`${ADDRESS}/v2/Manage/endpoint`, {
      headers: { 'x-api-key': 'other' },
    })
    expect(answer.status).toBe(401)
    await expect(sample.control({ company: 'Nobody & Sons' })).rejects.toThrow('Nobody & Sons')
  })

  it('generates a long list only on request', async () => {
    const many = open({ customers: 20_000, databasePath: join(folder, 'many.sqlite') })
    const headers = { 'x-api-key': SAMPLE_KEY }
    const listed = await many.fetch(`${ADDRESS}/v2/Manage/endpoint`, { headers })
    const { Contents } = (await listed.json()) as WorkerAnswer
    const path = `${ADDRESS}/v2/data/${Contents[0]?.Object['endpointId'] ?? ''}/customer`
    const answer = (await (await many.fetch(path, { headers })).json()) as WorkerAnswer
    expect(answer.Contents.length).toBe(20_000)
    await many.close()
  })
})
