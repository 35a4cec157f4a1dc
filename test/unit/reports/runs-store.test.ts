/** Runs of reports on disk: they survive the program, and are deleted with the run, the company, or the connection. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { StoreError } from '../../../electron/store/database.ts'
import { openStore, type Store } from '../../../electron/store/store.ts'
import type { ReportHead } from '../../../shared/reports/reports.ts'
import type { ReportRun } from '../../../shared/reports/runs.ts'
import { value } from '../../result.ts'

let folder = ''
let store: Store

function open(): Store {
  return value(openStore(join(folder, 'bookbridge.sqlite'), { now: () => 0 }))
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bookbridge-runs-'))
  store = open()
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function run(runId: string, endpointId: string, createdAt: string): ReportRun {
  return {
    runId,
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
        offeredName: 'ProfitAndLoss',
        state: 'done',
        error: null,
        files: [],
        fingerprints: [],
        totals: 'agree',
        findings: 0,
        notes: [],
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

function keep(runId: string, endpointId: string, createdAt: string): void {
  const { reportRuns } = store
  reportRuns.add(run(runId, endpointId, createdAt))
  reportRuns.putHead(runId, 'i', HEAD)
  reportRuns.putPart(runId, 'i', 0, new TextEncoder().encode('[{"name":"Ä"}]'))
}

it('a run and the reports kept for it are there again at the next start, newest first', () => {
  keep('j1', 'A', '2026-01-01T00:00:00Z')
  keep('j2', 'A', '2026-01-02T00:00:00Z')
  store.close()
  store = open()
  const { reportRuns } = store
  expect(reportRuns.list('c').map(({ runId }) => runId)).toEqual(['j2', 'j1'])
  expect(reportRuns.head('j1', 'i')).toEqual(HEAD)
  expect(new TextDecoder().decode(reportRuns.part('j1', 'i', 0) ?? undefined)).toBe('[{"name":"Ä"}]')
  expect(reportRuns.part('j1', 'i', 1)).toBeNull()
})

it('a report that is made again replaces the previous one', () => {
  keep('j1', 'A', '2026-01-01T00:00:00Z')
  store.reportRuns.putHead('j1', 'i', { ...HEAD, rowCount: 0 })
  expect(store.reportRuns.head('j1', 'i')?.rowCount).toBe(0)
  expect(store.reportRuns.part('j1', 'i', 0)).toBeNull()
})

it('nothing of a run is left after it, one of its companies, or its connection is removed', async () => {
  for (const [runId, endpointId] of [
    ['j1', 'A'],
    ['j2', 'B'],
    ['j3', 'C'],
  ] as const) {
    keep(runId, endpointId, `2026-01-0${runId.slice(1)}T00:00:00Z`)
  }
  const left = (): string[] => store.reportRuns.all().map(({ runId }) => runId)
  store.reportRuns.remove('j1')
  expect(left().toSorted()).toEqual(['j2', 'j3'])
  await store.journal.deleteCompany({ connectionId: 'c', endpointId: 'B' })
  expect(left()).toEqual(['j3'])
  await store.companies.removeConnection('c')
  expect(left()).toEqual([])
  for (const runId of ['j1', 'j2', 'j3']) {
    expect(store.reportRuns.head(runId, 'i')).toBeNull()
    expect(store.reportRuns.part(runId, 'i', 0)).toBeNull()
    // A run that is still active restores nothing of it.
    expect(() => store.reportRuns.put(run(runId, 'A', ''))).toThrow(StoreError)
    expect(() => store.reportRuns.putHead(runId, 'i', HEAD)).toThrow(StoreError)
    expect(() => store.reportRuns.putPart(runId, 'i', 1, new Uint8Array())).toThrow(StoreError)
    expect(store.reportRuns.part(runId, 'i', 1)).toBeNull()
  }
})

it('there is a set at the start, and others can be saved and removed', () => {
  const { reportRuns } = store
  expect(reportRuns.sets().map(({ name }) => name)).toEqual(['Month end'])
  reportRuns.putSet({ name: 'Quarter', reports: ['BalanceSheet'] })
  reportRuns.putSet({ name: 'Quarter', reports: ['TrialBalance'] })
  expect(reportRuns.sets()[1]).toEqual({ name: 'Quarter', reports: ['TrialBalance'] })
  reportRuns.removeSet('Month end')
  expect(reportRuns.sets().map(({ name }) => name)).toEqual(['Quarter'])
})
