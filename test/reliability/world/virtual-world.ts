/**
 * A world in virtual time: the core and the service on a real socket, real files, and a user. Time passes only while a
 * call is running or the user waits.
 */
import { createTransport } from '../../../electron/service/transport/transport.ts'
import { value } from '../../result.ts'
import { type SampleServer, type SampleServerOptions, startSampleServer } from '../../sample-server/server.ts'
import { VirtualClock } from '../../virtual-clock.ts'
import { type CoreOverrides, type CorePlan, makeCore, type RunningCore } from './core-parts.ts'
import { Ledger } from './ledger.ts'
import { type Caller, Person } from './person.ts'
import { WireTime } from './wire-time.ts'
import { type AtEnd, callerOf, QUICK_SETTINGS, usedFolder, type World, type WorldOptions } from './world.ts'

/** How far time advances before the user checks again, in milliseconds. */
const POLL_INTERVAL = 1_000
const LONGEST_WAIT = 3_600_000

export interface VirtualWorld extends World {
  readonly clock: VirtualClock
  /** Calls without advancing time. */
  readonly call: Caller
  /** Restarts the program on the same folder and clock. No one has used it yet. */
  readonly startAgain: (saved: CorePlan['saved']) => {
    readonly running: RunningCore
    readonly person: Person
  }
  /** Another service, on the same clock. */
  readonly startServer: (options?: SampleServerOptions) => Promise<SampleServer>
  /** Advances time until the condition is true. */
  readonly until: (isSo: () => boolean | Promise<boolean>) => Promise<void>
}

export interface VirtualWorldOptions extends WorldOptions {
  /** The company has had no request yet. */
  readonly isNew?: boolean
  /** The system's dialogs and commands. */
  readonly core?: Pick<CoreOverrides, 'announcer' | 'dialogs' | 'printer' | 'schedulerHost'>
}

/** Connected, with the first desktop company open, which has just responded. */
export async function startVirtualWorld(
  atEnd: AtEnd,
  options: VirtualWorldOptions = {},
): Promise<VirtualWorld> {
  const clock = new VirtualClock()
  const time = new WireTime(clock)
  const startServer = async (more: SampleServerOptions = {}): Promise<SampleServer> => {
    const server = await startSampleServer({ customers: 30, volume: 0.05, time, ...more })
    atEnd(() => server.close())
    return server
  }
  const server = await startServer(options.server)
  const plan = {
    userData: options.folder ?? usedFolder(atEnd),
    settings: { ...QUICK_SETTINGS, ...options.settings },
    beginsAt: clock.now(),
    factor: 1,
    saved: null,
  }
  const transport = createTransport({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificateFile: () => '',
    clock,
  })
  atEnd(() => transport.close())
  const start = (saved: CorePlan['saved']) => {
    const running = value(
      makeCore({ ...plan, saved }, { ...options.core, clock, fetch: time.over(transport.fetch) }),
    )
    atEnd(() => running.core.close())
    running.core.start()
    const call = callerOf(running)
    const turning: Caller = (name, input) => clock.run(call(name, input))
    return { running, call, person: new Person(turning, () => clock.advance(POLL_INTERVAL)) }
  }
  const { running, call, person } = start(null)
  await person.connect(server.url, server.key)
  // It has responded, as during work, so that no small read precedes what a test counts.
  if (options.isNew !== true) value(await person.call('companies.test', { company: person.company }))
  const ledger = new Ledger(server)
  ledger.countRequests()
  const until: VirtualWorld['until'] = async (isSo) => {
    const end = clock.elapsed() + LONGEST_WAIT
    while (!(await isSo())) {
      if (clock.elapsed() > end) throw new Error('It never comes to that.')
      await clock.advance(POLL_INTERVAL)
    }
  }
  return { server, running, person, ledger, plan, clock, call, startServer, startAgain: start, until }
}
