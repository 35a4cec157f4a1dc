// The sample's cost at startup: the program's start with the sample's connection against another service's, and the
// first response of a sample with 100,000 customers against the default one.
import type { Page } from '@playwright/test'
import { createSampleFetch, SAMPLE_KEY } from '../../electron/sample/sample-fetch.ts'
import { Program } from '../e2e/support/program.ts'
import { startService } from '../e2e/support/service.ts'
import { byTurns, noTurns, ratioRow, type Row } from './support/measure.ts'

export const name = 'start'

const TURNS = 5
/**
 * The first response is so quick that a busy machine distorts it. If customers were created eagerly, it would take many
 * times as long.
 */
const ANSWERS = 15
const CUSTOMERS = 100_000

export async function run(): Promise<readonly Row[]> {
  return [await programStart(), await firstAnswer()]
}

/** From the command until the companies are on screen. Both know them from the previous run. */
async function programStart(): Promise<Row> {
  const service = await startService()
  const withSample = new Program()
  const without = new Program()
  try {
    await prepare(withSample, async (window) => {
      await window.getByRole('button', { name: 'Explore the sample' }).click()
    })
    await prepare(without, async (window) => {
      await window.getByLabel('Address').fill(service.url)
      await window.getByLabel('API key').fill(service.key)
      await window.getByRole('button', { name: 'Connect', exact: true }).click()
    })
    const turns = noTurns()
    for (let turn = 0; turn < TURNS; turn += 1) {
      turns.ours.push(await timeToCompanies(withSample))
      turns.peer.push(await timeToCompanies(without))
    }
    return ratioRow({
      what: 'Start with the sample',
      why: 'From the command until the companies are listed. The sample must not slow a start.',
      turns,
      against: 'with another service',
      most: 1.1,
    })
  } finally {
    await Promise.all([withSample.dispose(), without.dispose(), service.stop()])
  }
}

async function prepare(program: Program, connect: (window: Page) => Promise<void>): Promise<void> {
  const { window } = await program.start()
  await connect(window)
  await companies(window)
  await program.stop()
}

async function timeToCompanies(program: Program): Promise<number> {
  const startedAt = performance.now()
  const { window } = await program.start()
  await companies(window)
  const took = performance.now() - startedAt
  await program.stop()
  return took
}

async function companies(window: Page): Promise<void> {
  await window.getByRole('grid', { name: 'Companies' }).getByText('Alder & Finch Builders').first().waitFor()
}

/** From the sample's start to the list of companies. Customers are created only when they are requested. */
async function firstAnswer(): Promise<Row> {
  const ask = async (customers?: number): Promise<void> => {
    const sample = createSampleFetch({
      workerUrl: new URL('../../electron/sample/sample-worker.ts', import.meta.url),
      ...(customers === undefined ? {} : { customers }),
    })
    const answer = await sample.fetch('http://sample.invalid/v2/Manage/endpoint', {
      headers: { 'x-api-key': SAMPLE_KEY },
    })
    if (!answer.ok) throw new Error(`The sample answered ${answer.status}`)
    await answer.arrayBuffer()
    await sample.close()
  }
  const times = await byTurns(
    () => ask(CUSTOMERS),
    () => ask(),
    ANSWERS,
  )
  return ratioRow({
    what: 'First answer of a large sample',
    why: 'The sample service with 100,000 customers, from nothing to its list of companies.',
    turns: times,
    against: 'the usual sample',
    most: 1.25,
  })
}
