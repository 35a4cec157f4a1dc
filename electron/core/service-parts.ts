/**
 * The parts that talk to the service: connections and their keys, queues, client, companies, and writer. They depend on
 * each other (an accepted key resumes what waits, a response says that its company can be reached), so they are created
 * together. A part that is needed before it exists is passed as a function.
 */
import { join } from 'node:path'
import { ok, type Result } from '../../shared/result.ts'
import type { OperationListener } from '../app/all-companies/change-runner.ts'
import { defined, type HandlersOf } from '../app/calls.ts'
import {
  type CompaniesOptions,
  createCompanies,
  listedId,
  withListedIds,
} from '../app/companies/companies.ts'
import { type ConnectionDirectory, createConnections } from '../app/connections/connections.ts'
import { addressesOf } from '../app/connections/saved-connections.ts'
import type { SampleController } from '../app/ports.ts'
import { createBatchNotifier, createRequestLog } from '../app/program/activity.ts'
import { createSample } from '../app/program/sample.ts'
import type { KeptLists } from '../app/records/kept-lists.ts'
import { createRecordReader } from '../app/records/record-reader.ts'
import type { Rows } from '../rows/rows.ts'
import { createSampleFetch, SAMPLE_KEY, type SampleFetch } from '../sample/sample-fetch.ts'
import { translateErrors } from '../service/errors/service-errors.ts'
import { createClient } from '../service/protocol/client.ts'
import { SAMPLE_ADDRESS } from '../service/protocol/requests.ts'
import { createQueueNames } from '../service/queue/request-queue.ts'
import { Scheduler } from '../service/queue/scheduler.ts'
import { createTransport, type Fetch } from '../service/transport/transport.ts'
import type { SharedQueues } from '../store/blocked-queues.ts'
import { resultOf, resultOfAsync } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import { ADDRESS_CHANGED } from '../writing/records/states.ts'
import { createWriter } from '../writing/writer.ts'
import type { CoreOptions } from './options.ts'

/** What all groups of parts share. */
export interface SharedParts {
  readonly store: Store
  readonly rows: Rows
  /** The same worker. What was opened through it is closed with the window's page. */
  readonly windowRows: Rows
  readonly keptLists: KeptLists
  readonly service: ServiceParts
}

/** Milliseconds between `activity.changed` events. */
const ANNOUNCE_EVERY = 80

type ServiceParts = ReturnType<typeof createServiceParts>

/** What these parts share with others. The caller closes them. */
interface ServiceNeeds {
  readonly store: Store
  readonly queues: SharedQueues
  readonly rows: Rows
  readonly keptLists: KeptLists
  readonly onFiscalYear: CompaniesOptions['onFiscalYear']
}

export function createServiceParts(options: CoreOptions, needs: ServiceNeeds) {
  const { store, queues, rows, keptLists, onFiscalYear } = needs
  const { clock, random, announcer } = options
  const settings = options.settings.store
  const transport = createTransport({
    resolveProxy: options.network.resolveProxy,
    certificateFile: () => settings.get().certificateFile,
    clock,
  })
  const sample = createSampleFetch({
    workerUrl: options.workers.sample,
    databasePath: join(options.folders.userData, 'sample.sqlite'),
    ...(options.sampleToday === '' ? {} : { today: options.sampleToday }),
  })
  const requestLog = createRequestLog({ store: store.requestLog, clock, defect: options.log.write })
  const forget = (connectionId: string): Promise<Result<void>> =>
    resultOfAsync(async () => {
      await store.companies.removeConnection(connectionId)
      requestLog.forget({ connectionId })
      await keptLists.forget({ connectionId })
      return ok(undefined)
    })
  const sampleControls = createSample({
    settings,
    controller: createSampleController(sample),
    forget,
  })

  // Another keychain namespace means other keys, as in a developer's test.
  const queueOf = createQueueNames(`${queues.secret}\n${options.keychain.namespace}`)
  let announcing: (() => void) | null = null
  const scheduler = new Scheduler({
    clock,
    newId: () => random.id(),
    storage: queues,
    graceMilliseconds: () => settings.get().graceSeconds * 1_000,
    onResume: (connectionId) => {
      writer.resumeAfterKeyAccepted(connectionId)
    },
    onChange: () => {
      announcing ??= clock.after(ANNOUNCE_EVERY, () => {
        announcing = null
        announcer.emit('activity.changed', { queues: scheduler.queues() })
      })
    },
  })
  /** Sends a write only after the witness beside the database recorded it. */
  const witnessed =
    (fetch: Fetch): Fetch =>
    async (input, init, canSend) => {
      if (init?.method !== 'GET') await clock.during(store.witnessed())
      return fetch(input, init, canSend)
    }
  const serviceClient = createClient({
    scheduler,
    clock,
    target: (connectionId, isTest) => connections.keys.target(connectionId, isTest),
    queueOf,
    fetchFor: (target) =>
      witnessed(
        target.address === SAMPLE_ADDRESS ? sample.fetch : (options.network.fetch ?? transport.fetch),
      ),
    settings: (connectionId) => connections.keys.settings(connectionId),
    openLog: () => {
      const since = requestLog.deletions()
      return (entry) => {
        companies.onRequestLogged(entry)
        requestLog.put(entry, since)
      }
    },
    random,
  })
  const client = withListedIds(serviceClient, (company) => listedId(store.companies, company))
  const companies = createCompanies({
    settings,
    store: store.companies,
    setupDrafts: store.setupDrafts,
    client,
    writer: () => writer,
    hasOlderService: (connectionId) => connections.keys.hasOlderService(connectionId),
    hasOnlyOlderService: (connectionId) => connections.keys.hasOnlyOlderService(connectionId),
    clipboard: options.desktop.clipboard,
    dialog: options.dialogs.save,
    keptLists,
    onFiscalYear,
    announcer,
    clock,
  })
  const connections: { handlers: HandlersOf<'connection'>; keys: ConnectionDirectory } = createConnections({
    settings,
    secrets: options.keychain.secrets,
    keychainNamespace: options.keychain.namespace,
    sampleKey: SAMPLE_KEY,
    resetSample: () => sampleControls.reset(),
    announcer,
    clock,
    client: () => client,
    scheduler: () => scheduler,
    forget,
    provisionings: (connectionId) => writer.provisionings(connectionId),
    learned: (connectionId) => {
      const listed = store.journal.writePolicies.list(connectionId)
      return listed.map(({ application, object, kind, policy }) => {
        const { isProven, isStopped, learned } = policy
        const { traits: _traits, ...shown } = learned
        return { application, object, kind, isProven, isStopped, ...shown }
      })
    },
    changeAddresses: (...where) =>
      resultOf(() => {
        writer.changeAddresses(...where)
      }),
    listed: companies.updateFromLists,
  })
  /** Requests of an earlier run may keep queues blocked. Shows them before anything is sent. */
  const restoreQueues = async (): Promise<void> => {
    const current = settings.currentConnectionId()
    const ids = settings.connections().map(({ connectionId }) => connectionId)
    // Read one key at a time from the keychain, the current connection's first.
    for (const connectionId of ids.toSorted((a, b) => Number(b === current) - Number(a === current))) {
      const target = await connections.keys.target(connectionId)
      if (!target.ok) continue
      const { address, legacyAddress, legacyKey } = target.value
      if (address !== '') scheduler.recall(connectionId, queueOf(target.value), undefined, address)
      // Without its key, the older service isn't used.
      if (legacyKey !== '') scheduler.recall(connectionId, queueOf(target.value, 'v1'), 'v1', legacyAddress)
    }
  }
  const tryAtStart = (step: () => unknown): void => {
    const done = resultOf(step)
    if (!done.ok) options.log.write('start', done.error.details.raw ?? done.error.message)
  }
  const noticeOf = createBatchNotifier(announcer, companies)
  const operationListeners = new Set<OperationListener>()
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
      options.log.write('writing', cause)
    },
    listener: {
      operationsChanged(company, object, operations, batch, draftIds) {
        announcer.emit('records.changed', { company, object, operations: [...operations], batch })
        if (batch !== null) noticeOf(batch)
        for (const listener of operationListeners) listener(batch, draftIds)
        announcer.emit('companies.changed', { connectionId: company.connectionId })
      },
      companiesChanged(connectionId) {
        announcer.emit('companies.changed', { connectionId })
      },
      companiesRead: companies.mergeCompanies,
    },
  })

  return {
    client,
    scheduler,
    companies,
    connections,
    requestLog,
    writer,
    operationListeners,
    sample: sampleControls.handlers,
    /** Resumes what an earlier run left. Sends nothing by itself. */
    start(): void {
      // The settings may have other addresses than the journal: after a restore, or if the file was replaced.
      for (const connection of settings.connections()) {
        const how = { isSameService: false, reason: ADDRESS_CHANGED }
        tryAtStart(() =>
          store.journal.serviceAddresses.change(connection.connectionId, addressesOf(connection), how),
        )
      }
      tryAtStart(() => {
        writer.start()
      })
      keptLists
        .sweep(
          settings.connections().map(({ connectionId }) => connectionId),
          (connectionId) => store.companies.list(connectionId).map(({ ref }) => ref),
        )
        .catch((cause: unknown) => options.log.write('kept lists', cause))
      void restoreQueues()
      requestLog.start()
    },
    wake(): void {
      serviceClient.wake()
      scheduler.wake()
    },
    /** Starts nothing new. */
    stop(): void {
      announcing?.()
      writer.close()
    },
    async close(): Promise<void> {
      await Promise.all([sample.close(), transport.close()])
    },
  }
}

/** Translates between the sample's types and the contract's. */
function createSampleController(sample: SampleFetch): SampleController {
  const stateOf = async (asked: ReturnType<SampleFetch['state']>): ReturnType<SampleController['state']> => {
    const { today, latencyMs, closingDate, files, nextFile, allWell, counts } = await asked
    return { today, latencyMs, closingDate, files, nextFile: nextFile?.companyName ?? '', allWell, counts }
  }
  return {
    state: () => stateOf(sample.state()),
    control: ({ conditions, ...change }) =>
      stateOf(sample.control({ ...change, ...(conditions && { conditions: defined(conditions) }) })),
    reset: () => stateOf(sample.reset()),
  }
}
