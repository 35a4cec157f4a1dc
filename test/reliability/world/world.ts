/** A world for tests: a service on loopback, a core in this process with its own folder, and a user. */
import { rmSync } from 'node:fs'
import type { CallOutput } from '../../../shared/contract/contract.ts'
import type { Settings } from '../../../shared/contract/settings.ts'
import type { Result } from '../../../shared/result.ts'
import { createEmptyStore, makeTestFolder } from '../../empty-store.ts'
import { value } from '../../result.ts'
import { type SampleServer, type SampleServerOptions, startSampleServer } from '../../sample-server/server.ts'
import { type CoreOverrides, type CorePlan, makeCore, type RunningCore } from './core-parts.ts'
import { callCore } from './core-process.ts'
import { Ledger } from './ledger.ts'
import { type Caller, Person } from './person.ts'

/**
 * A minute passes in 2 s. Deadlines and the settling pause are long enough for a loaded machine, on which the service
 * takes time to notice that a caller has disconnected.
 */
export const FACTOR = 30
export const QUICK_SETTINGS: Partial<Settings> = {
  readSeconds: 120,
  writeSeconds: 120,
  graceSeconds: 20,
  recheckSeconds: 6,
}

/** Registers cleanup for the end of the test: `onTestFinished` of its context. */
export type AtEnd = (end: () => Promise<void> | void) => void

/** A new folder, in memory if the system supports that. It is deleted after the test. */
export function emptyFolder(atEnd: AtEnd): string {
  const folder = makeTestFolder()
  atEnd(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

/** An `emptyFolder` with an empty store, as after the program's first start. */
export function usedFolder(atEnd: AtEnd): string {
  const folder = emptyFolder(atEnd)
  createEmptyStore(folder)
  return folder
}

export async function startServer(atEnd: AtEnd, options: SampleServerOptions = {}): Promise<SampleServer> {
  const server = await startSampleServer({ customers: 30, volume: 0.05, ...options })
  atEnd(() => server.close())
  return server
}

export function callerOf({ core }: RunningCore): Caller {
  return async <Name extends Parameters<Caller>[0]>(name: Name, input: unknown) =>
    (await callCore(core, name, input)) as Result<CallOutput<Name>>
}

export interface World {
  readonly server: SampleServer
  readonly running: RunningCore
  readonly person: Person
  readonly ledger: Ledger
  readonly plan: CorePlan
}

export interface WorldOptions {
  readonly settings?: Partial<Settings>
  readonly server?: SampleServerOptions
  readonly folder?: string
  readonly core?: CoreOverrides
}

/** Connected, with the first desktop company open, which has just responded. */
export async function startWorld(atEnd: AtEnd, options: WorldOptions = {}): Promise<World> {
  const server = await startServer(atEnd, options.server)
  const plan: CorePlan = {
    userData: options.folder ?? usedFolder(atEnd),
    settings: { ...QUICK_SETTINGS, ...options.settings },
    beginsAt: Date.now(),
    factor: FACTOR,
    saved: null,
  }
  const running = value(makeCore(plan, options.core))
  atEnd(() => running.core.close())
  running.core.start()
  const person = new Person(callerOf(running))
  await person.connect(server.url, server.key)
  // The company has responded, as during work, so that no small read precedes the requests that a test counts.
  value(await person.call('companies.test', { company: person.company }))
  const ledger = new Ledger(server)
  ledger.countRequests()
  return { server, running, person, ledger, plan }
}
