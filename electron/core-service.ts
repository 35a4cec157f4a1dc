/**
 * The way to the service and to the books behind it: connections with their keys, lanes, client, companies, and the
 * writer. Each needs another (a key that is accepted lets go on what waits, an answer is news of its company), so they
 * are made together; what is needed before it is there is asked for by a function.
 */
import { join } from 'node:path'
import { createBatchNotice } from './app/batch-notice.ts'
import { createCompanies } from './app/companies.ts'
import { createConnections, type Keys } from './app/connections.ts'
import { defined } from './app/defined.ts'
import type { HandlersOf } from './app/handlers.ts'
import { listedId, withListedIds } from './app/listed-ids.ts'
import type { SampleDesks } from './app/ports.ts'
import { createRecordReader } from './app/record-reader.ts'
import { createRequestLog } from './app/request-log.ts'
import { createSample } from './app/sample.ts'
import { leadsOf } from './app/saved-connections.ts'
import type { CoreOptions } from './core-options.ts'
import type { Rows } from './rows/rows.ts'
import { createSampleFetch, SAMPLE_KEY, type SampleFetch } from './sample/sample-fetch.ts'
import { SAMPLE_ADDRESS } from './service/addresses.ts'
import { createClient } from './service/client.ts'
import { createLaneNames } from './service/lane-key.ts'
import { createScheduler } from './service/scheduler.ts'
import { translateErrors } from './service/service-errors.ts'
import { createTransport, type Fetch } from './service/transport.ts'
import type { SharedLanes } from './store/shared-lanes.ts'
import type { Store } from './store/store.ts'
import { ADDRESS_CHANGED } from './writing/elsewhere.ts'
import { createWriter } from './writing/writer.ts'
import { ok, type Result } from '../shared/result.ts'

/** Often enough to look alive, seldom enough to cost nothing. */
const ANNOUNCE_EVERY = 80

/** Made once by `core.ts`. `store` and `rows` stay the caller's to close. */
export function createServiceParts(options: CoreOptions, store: Store, lanes: SharedLanes, rows: Rows) {
  const { settings, clock, random, announcer } = options
  const transport = createTransport({
    resolveProxy: options.resolveProxy,
    certificateFile: () => settings.get().certificateFile,
    clock,
  })
  const sample = createSampleFetch({
    workerUrl: options.sampleWorker,
    databasePath: join(options.userData, 'sample.sqlite'),
    ...(options.sampleToday === '' ? {} : { today: options.sampleToday }),
  })
  const requestLog = createRequestLog({ store: store.requestLog, clock, defect: options.defect })
  const forget = async (connectionId: string): Promise<Result<void>> => {
    const removed = await store.companies.removeConnection(connectionId)
    if (removed.ok) requestLog.forget({ connectionId })
    return removed
  }
  const sampleDesk = createSample({
    settings,
    desks: desksOf(sample),
    forget,
  })

  // Whoever has another keychain has other keys, as a developer's test.
  const laneOf = createLaneNames(`${lanes.secret}\n${options.keychainNamespace}`)
  let announcing: (() => void) | null = null
  const scheduler = createScheduler({
    clock,
    newId: () => random.id(),
    memory: lanes,
    settleMilliseconds: () => settings.get().settleSeconds * 1_000,
    onResume: (connectionId) => {
      writer.goOnWithKey(connectionId)
    },
    onChange: () => {
      announcing ??= clock.after(ANNOUNCE_EVERY, () => {
        announcing = null
        announcer.emit('activity.changed', { lanes: scheduler.lanes() })
      })
    },
  })
  /** What changes something outside leaves only when the witness beside the database knows of it. */
  const witnessed =
    (fetch: Fetch): Fetch =>
    async (input, init, mayLeave) => {
      if (init?.method !== 'GET') await clock.during(store.witnessed())
      return fetch(input, init, mayLeave)
    }
  const serviceClient = createClient({
    scheduler,
    clock,
    target: (connectionId, isTest) => connections.keys.target(connectionId, isTest),
    laneOf,
    fetchFor: (target) =>
      witnessed(target.address === SAMPLE_ADDRESS ? sample.fetch : (options.fetch ?? transport.fetch)),
    settings: (connectionId) => connections.keys.settings(connectionId),
    log: (entry) => {
      companies.heard(entry)
      requestLog.put(entry)
    },
    random,
  })
  const client = withListedIds(serviceClient, (company) => listedId(store.companies, company))
  const companies = createCompanies({
    settings,
    store: store.companies,
    visits: store.visits,
    client,
    writer: () => writer,
    olderService: (connectionId) => connections.keys.olderService(connectionId),
    isOlderAlone: (connectionId) => connections.keys.isOlderAlone(connectionId),
    clipboard: options.clipboard,
    dialog: options.dialog,
    announcer,
    clock,
  })
  const connections: { handlers: HandlersOf<'connection'>; keys: Keys } = createConnections({
    settings,
    secrets: options.secrets,
    keychainNamespace: options.keychainNamespace,
    sampleKey: SAMPLE_KEY,
    resetSample: () => sampleDesk.reset(),
    announcer,
    clock,
    client: () => client,
    scheduler: () => scheduler,
    forget,
    provisionings: (connectionId) => writer.provisionings(connectionId),
    learned: (connectionId) => {
      const listed = store.journal.manners.list(connectionId)
      if (!listed.ok) return listed
      return ok(
        listed.value.map(({ application, object, kind, manners }) => {
          const { isProven, isStopped, learned } = manners
          const { traits: _traits, ...shown } = learned
          return { application, object, kind, isProven, isStopped, ...shown }
        }),
      )
    },
    leadTo: (...where) => writer.leadTo(...where),
    listed: companies.listed,
  })
  /** What an earlier run left on its way may keep lanes shut; they are shown before anything is asked. */
  const recallLanes = async (): Promise<void> => {
    const current = settings.currentConnectionId()
    const ids = settings.connections().map(({ connectionId }) => connectionId)
    // The keychain is asked for one key after another, the one that is waited for first.
    for (const connectionId of ids.toSorted((a, b) => Number(b === current) - Number(a === current))) {
      const target = await connections.keys.target(connectionId)
      if (!target.ok) continue
      if (target.value.address !== '') scheduler.recall(connectionId, laneOf(target.value))
      // Without its key the older service is not asked.
      if (target.value.legacyKey !== '') scheduler.recall(connectionId, laneOf(target.value, 'v1'), 'v1')
    }
  }
  const noticeOf = createBatchNotice(announcer, companies)
  const writer = createWriter({
    store,
    client,
    reader: createRecordReader(rows, companies, settings),
    directory: companies,
    translate: translateErrors,
    clock,
    settings: (connectionId) => connections.keys.settings(connectionId),
    newId: () => random.orderedId(),
    onDefect: (cause) => {
      options.defect('writing', cause)
    },
    listener: {
      operationsChanged(company, object, operations, batch) {
        announcer.emit('records.changed', { company, object, operations: [...operations], batch })
        if (batch !== null) noticeOf(batch)
        announcer.emit('companies.changed', { connectionId: company.connectionId })
      },
      companiesChanged(connectionId) {
        announcer.emit('companies.changed', { connectionId })
      },
      companiesRead: companies.cameBy,
    },
  })

  return {
    client,
    scheduler,
    companies,
    connections,
    requestLog,
    writer,
    sample: sampleDesk.handlers,
    /** Takes up what an earlier run left; sends nothing by itself. */
    start(): void {
      // Settings may lead elsewhere than when the journal was written: a restored backup, a file put in place.
      for (const connection of settings.connections()) {
        const how = { isSameService: false, because: ADDRESS_CHANGED }
        const led = store.journal.places.follow(connection.connectionId, leadsOf(connection), how)
        if (!led.ok) options.defect('start', led.error.details.raw ?? led.error.message)
      }
      const started = writer.start()
      if (!started.ok) options.defect('start', started.error.details.raw ?? started.error.message)
      void recallLanes()
      requestLog.start()
    },
    wake(): void {
      serviceClient.wake()
      scheduler.wake()
    },
    /** Lets nothing more begin. */
    stop(): void {
      announcing?.()
      writer.close()
    },
    async close(): Promise<void> {
      await Promise.all([sample.close(), transport.close()])
    },
  }
}

/** The sample's own words, in those of the contract. */
function desksOf(sample: SampleFetch): SampleDesks {
  const told = async (asked: ReturnType<SampleFetch['state']>): ReturnType<SampleDesks['state']> => {
    const { today, latencyMs, closingDate, files, nextFile, counts } = await asked
    return { today, latencyMs, closingDate, files, nextFile: nextFile?.companyName ?? '', counts }
  }
  return {
    state: () => told(sample.state()),
    control: ({ conditions, ...change }) =>
      told(sample.control({ ...change, ...(conditions && { conditions: defined(conditions) }) })),
    reset: () => told(sample.reset()),
  }
}
