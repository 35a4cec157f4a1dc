/** A run that is handed over to the open Bookbridge: done there, interrupted there, or not accepted. */
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RunSummary } from '../../../electron/app/reports/run-summary.ts'
import type { UnattendedRuns } from '../../../electron/app/reports/unattended-runs.ts'
import { createRunRequests, forwardRun } from '../../../electron/shell/run-requests.ts'
import { emptyFolder } from '../../reliability/world/world.ts'
import { VirtualClock } from '../../virtual-clock.ts'

const REQUEST = { text: '{}', file: '/reports/run.json' }
const SUMMARY: RunSummary = {
  title: 'Month end',
  startedAt: '',
  endedAt: '',
  outcome: 'made',
  message: '2 of 2 reports made.',
  hasFindings: false,
  folder: '',
  dueAt: '',
  summaryFile: '',
}

function world(runs: UnattendedRuns['run'] | null) {
  const clock = new VirtualClock()
  const userData = emptyFolder(onTestFinished)
  const defects: unknown[] = []
  const open = () =>
    createRunRequests({
      userData,
      clock,
      runs: () => (runs === null ? null : { run: runs }),
      defect: (cause) => defects.push(cause),
    })
  const handed = (name = 'one') =>
    forwardRun(userData, REQUEST, name, (milliseconds) => clock.sleep(milliseconds))
  return { clock, userData, open, handed, defects, files: () => readdirSync(join(userData, 'runs')) }
}

it('a run is done by the open program, however long it takes', async () => {
  const { clock, open, handed, files } = world(async () => {
    await clock.sleep(3 * 3_600_000)
    return SUMMARY
  })
  const requests = open()
  expect(await clock.run(handed())).toEqual({ exitCode: 0, message: 'Month end: 2 of 2 reports made.' })
  expect(files()).toEqual([])
  requests.close()
})

it('a run ends if the open program is closed first', async () => {
  const { clock, open, handed } = world(() => clock.sleep(3_600_000).then(() => SUMMARY))
  const requests = open()
  clock.after(60_000, () => {
    requests.close()
  })
  const ended = await clock.run(handed())
  expect(ended).toEqual({ exitCode: 1, message: 'Bookbridge was closed before the run ended.' })
})

it('a run fails if the open program accepts it and is killed', async () => {
  const { clock, userData, handed, files } = world(null)
  const ending = handed()
  writeFileSync(join(userData, 'runs', 'one.taken'), '')
  expect(await clock.run(ending)).toMatchObject({ exitCode: 1 })
  expect(files()).toEqual([])
})

it('a run fails if no program accepts it', async () => {
  const { clock, open, handed, files } = world(null)
  const requests = open()
  expect(await clock.run(handed())).toMatchObject({ exitCode: 2 })
  expect(files()).toEqual([])
  requests.close()
})

it('the open program refuses a file with anything else, and handles the next one', async () => {
  const { clock, userData, open, handed, defects } = world(() => Promise.resolve(SUMMARY))
  const ending = handed('b')
  writeFileSync(join(userData, 'runs', 'a.request'), '{"send": "everything"}')
  const requests = open()
  expect(await clock.run(ending)).toMatchObject({ exitCode: 0 })
  expect(defects).toHaveLength(1)
  requests.close()
})
