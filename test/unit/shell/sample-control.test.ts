// The sample's computers as a use case: only while the sample is in use, and a reset that also deletes its data here.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SampleController } from '../../../electron/app/ports.ts'
import { createSample } from '../../../electron/app/program/sample.ts'
import { createSampleFetch, type SampleFetch } from '../../../electron/sample/sample-fetch.ts'
import { sampleCalls, type SampleState } from '../../../shared/contract/sample.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'

let folder: string
let sample: SampleFetch
let current: string | null
let forgotten: string[]
let mayForget: Result<void>

/** The sample in its worker, translated to the contract as in the core. */
function controller(): SampleController {
  const told = async (asked: ReturnType<SampleFetch['state']>): Promise<SampleState> => {
    const { nextFile, ...state } = await asked
    return sampleCalls['sample.state'].output.parse({ ...state, nextFile: nextFile?.companyName ?? '' })
  }
  return {
    state: () => told(sample.state()),
    control: (change) => told(sample.control(change as Parameters<SampleFetch['control']>[0])),
    reset: () => told(sample.reset()),
  }
}

function useCase() {
  return createSample({
    settings: { currentConnectionId: () => current },
    controller: controller(),
    forget: (connectionId) => {
      if (mayForget.ok) forgotten.push(connectionId)
      return Promise.resolve(mayForget)
    },
  })
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-control-'))
  sample = createSampleFetch({
    workerUrl: new URL('../../../electron/sample/sample-worker.ts', import.meta.url),
    databasePath: join(folder, 'sample.sqlite'),
    today: '2026-03-31',
  })
  current = 'sample'
  forgotten = []
  mayForget = ok(undefined)
})
afterEach(async () => {
  await sample.close()
  rmSync(folder, { recursive: true, force: true })
})

describe('the computers of the sample', () => {
  it('belong to its files, and change one at a time', async () => {
    const { handlers } = useCase()
    const company = 'Northgate Animal Hospital'
    const changed = await handlers['sample.control']({ company, conditions: { agent: 'stopped' } })
    if (!changed.ok) throw new Error(changed.error.message)
    const stopped = changed.value.files.filter(({ conditions }) => conditions.agent === 'stopped')
    expect(stopped.map(({ companyName }) => companyName)).toEqual([company])
    expect(changed.value).toMatchObject({ today: '2026-03-31', closingDate: '', latencyMs: 0 })
    expect(await handlers['sample.state']({})).toEqual(changed)
  })

  it('say which file the next Add company finds', async () => {
    const { handlers } = useCase()
    expect(await handlers['sample.state']({})).toMatchObject({
      value: { nextFile: 'Juniper Ridge Veterinary' },
    })
    expect(await handlers['sample.control']({ openFile: 'Cobb & Daughters Remodeling' })).toMatchObject({
      value: { nextFile: 'Cobb & Daughters Remodeling' },
    })
  })

  it('can’t be changed while real books are open', async () => {
    const { handlers } = useCase()
    current = 'main-office'
    const refused = await handlers['sample.control']({ conditions: { machine: 'off' } })
    expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid-input' } })
    expect(await handlers['sample.state']({})).toEqual(refused)
    current = 'sample'
    const state = await handlers['sample.state']({})
    expect(state.ok && state.value.files.every(({ conditions }) => conditions.machine === 'on')).toBe(true)
  })

  it('answer with a message if asked for something missing', async () => {
    const answer = await useCase().handlers['sample.control']({ company: 'Nobody & Sons', conditions: {} })
    expect(answer).toMatchObject({ ok: false, error: { message: 'The sample rejected that.' } })
  })
})

describe('Reset the sample', () => {
  it('deletes the data of the sample, and of no other connection', async () => {
    await sample.control({ conditions: { machine: 'off' }, closingDate: '2026-02-28' })
    expect(await useCase().reset()).toEqual(ok(undefined))
    expect(forgotten).toEqual(['sample'])
    const state = await sample.state()
    expect(state.closingDate).toBe('')
    expect(state.files.every(({ conditions }) => conditions.machine === 'on')).toBe(true)
  })

  it('does nothing while something that was sent isn’t confirmed', async () => {
    await sample.control({ closingDate: '2026-02-28' })
    mayForget = err(appError('invalid-input', 'Not confirmed yet.'))
    const refused = await useCase().reset()
    expect(refused.ok ? '' : refused.error.message).toContain('aren’t confirmed')
    expect((await sample.state()).closingDate).toBe('2026-02-28')
  })
})
