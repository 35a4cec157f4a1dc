/** Jobs of reports on disk: what is kept outlives the program, and goes with the job, the company or the connection. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Store, openStore } from '../../../electron/store/store.ts'
import type { ReportJob } from '../../../shared/reports/jobs.ts'
import type { ReportHead } from '../../../shared/reports/reports.ts'
import type { Result } from '../../../shared/result.ts'
import { StoreError } from '../../../electron/store/database.ts'

let folder = ''
let store: Store

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

function open(): Store {
  return must(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 }))
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-jobs-'))
  store = open()
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function job(jobId: string, endpointId: string, createdAt: string): ReportJob {
  return {
    jobId,
    connectionId: 'c',
    title: 'Month end',
    createdAt,
    folder: 'F',
    state: 'stopped',
    error: null,
    companies: [],
    items: [
      {
        itemId: 'i',
        endpointId,
        name: 'ProfitAndLoss',
        madeAs: 'ProfitAndLoss',
        state: 'made',
        error: null,
        files: [],
        marks: [],
        findings: 0,
        said: [],
      },
    ],
    fileKinds: ['xlsx'],
    combined: true,
    pack: true,
    hideZeroRows: false,
    files: [],
  }
}

const HEAD = { reportId: 'r', name: 'ProfitAndLoss', rowCount: 2 } as ReportHead

function keep(jobId: string, endpointId: string, createdAt: string): void {
  const { reportJobs } = store
  reportJobs.add(job(jobId, endpointId, createdAt))
  reportJobs.putHead(jobId, 'i', HEAD)
  reportJobs.putPart(jobId, 'i', 0, new TextEncoder().encode('[{"name":"Ä"}]'))
}

it('a job and the reports kept for it are there again at the next start, newest first', () => {
  keep('j1', 'A', '2026-01-01T00:00:00Z')
  keep('j2', 'A', '2026-01-02T00:00:00Z')
  store.close()
  store = open()
  const { reportJobs } = store
  expect(reportJobs.list('c').map(({ jobId }) => jobId)).toEqual(['j2', 'j1'])
  expect(reportJobs.head('j1', 'i')).toEqual(HEAD)
  expect(new TextDecoder().decode(reportJobs.part('j1', 'i', 0) ?? undefined)).toBe('[{"name":"Ä"}]')
  expect(reportJobs.part('j1', 'i', 1)).toBeNull()
})

it('a report that is made again replaces the previous one', () => {
  keep('j1', 'A', '2026-01-01T00:00:00Z')
  store.reportJobs.putHead('j1', 'i', { ...HEAD, rowCount: 0 })
  expect(store.reportJobs.head('j1', 'i')?.rowCount).toBe(0)
  expect(store.reportJobs.part('j1', 'i', 0)).toBeNull()
})

it('nothing of a job is left after it, one of its companies, or its connection is removed', async () => {
  for (const [jobId, endpointId] of [
    ['j1', 'A'],
    ['j2', 'B'],
    ['j3', 'C'],
  ] as const) {
    keep(jobId, endpointId, `2026-01-0${jobId.slice(1)}T00:00:00Z`)
  }
  const left = (): string[] => store.reportJobs.all().map(({ jobId }) => jobId)
  store.reportJobs.remove('j1')
  expect(left().toSorted()).toEqual(['j2', 'j3'])
  await store.journal.deleteCompany({ connectionId: 'c', endpointId: 'B' })
  expect(left()).toEqual(['j3'])
  await store.companies.removeConnection('c')
  expect(left()).toEqual([])
  for (const jobId of ['j1', 'j2', 'j3']) {
    expect(store.reportJobs.head(jobId, 'i')).toBeNull()
    expect(store.reportJobs.part(jobId, 'i', 0)).toBeNull()
    // A job that still runs brings nothing of it back.
    expect(() => store.reportJobs.put(job(jobId, 'A', ''))).toThrow(StoreError)
    expect(() => store.reportJobs.putHead(jobId, 'i', HEAD)).toThrow(StoreError)
    expect(() => store.reportJobs.putPart(jobId, 'i', 1, new Uint8Array())).toThrow(StoreError)
    expect(store.reportJobs.part(jobId, 'i', 1)).toBeNull()
  }
})

it('there is a set at the start, and others can be saved and removed', () => {
  const { reportJobs } = store
  expect(reportJobs.sets().map(({ name }) => name)).toEqual(['Month end'])
  reportJobs.putSet({ name: 'Quarter', reports: ['BalanceSheet'] })
  reportJobs.putSet({ name: 'Quarter', reports: ['TrialBalance'] })
  expect(reportJobs.sets()[1]).toEqual({ name: 'Quarter', reports: ['TrialBalance'] })
  reportJobs.removeSet('Month end')
  expect(reportJobs.sets().map(({ name }) => name)).toEqual(['Quarter'])
})
