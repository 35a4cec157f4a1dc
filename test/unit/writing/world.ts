/** A complete write protocol on a real file, with a clock and a service that the test controls. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { Clock } from '../../../electron/clock.ts'
import type { StoredCompany } from '../../../electron/store/companies.ts'
import { resultOf } from '../../../electron/store/database.ts'
import { openStore, type Store } from '../../../electron/store/store.ts'
import type { WritingSettings } from '../../../electron/writing/context.ts'
import { operationView } from '../../../electron/writing/views.ts'
import { createWriter, type Writer } from '../../../electron/writing/writer.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Draft, Operation } from '../../../shared/contract/records.ts'
import {
  type Edits,
  type EditValue,
  type RecordData,
  valueAt,
  withEdit,
} from '../../../shared/records/changes.ts'
import { appError, type Result } from '../../../shared/result.ts'
import { createEmptyStore, makeTestFolder } from '../../empty-store.ts'
import { value } from '../../result.ts'
import { fingerprintsOf, readerOf, TestClient, TestService } from './service.ts'

export const COMPANY: CompanyRef = { connectionId: 'c1', endpointId: 'e1' }

/** Fields that the tests' metadata supports. */
export const SUPPORTED = [
  'ExternalID',
  'Name',
  'Phone',
  'Email',
  'Terms',
  'Parent',
  'BillingAddress',
  'Balance',
  'IsActive',
] as const

const folders: string[] = []
const opened: World[] = []

afterEach(() => {
  for (const world of opened.splice(0)) world.end()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** A new folder, in memory if the system has such a place. It is deleted after the test. */
export function testFolder(): string {
  const folder = makeTestFolder()
  folders.push(folder)
  return folder
}

/** A `testFolder` with an empty store. */
function folderWithStore(): string {
  const folder = testFolder()
  createEmptyStore(folder)
  return folder
}

export class TestClock implements Clock {
  time = Date.parse('2026-03-01T09:00:00Z')
  #timers: { at: number; callback: () => void }[] = []

  now(): number {
    return this.time
  }

  elapsed(): number {
    return this.time
  }

  during<T>(work: Promise<T>): Promise<T> {
    return work
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { at: this.time + milliseconds, callback }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer)
    }
  }

  /** Fires the next timer, if it is due within this many milliseconds. */
  next(within: number): boolean {
    const [first] = this.#timers.toSorted((a, b) => a.at - b.at)
    if (!first || first.at > this.time + within) return false
    this.#timers = this.#timers.filter((each) => each !== first)
    this.time = Math.max(this.time, first.at)
    first.callback()
    return true
  }
}

export interface WorldOptions {
  readonly service?: TestService
  readonly folder?: string
  readonly settings?: Partial<WritingSettings>
  readonly clock?: TestClock
  /** Wraps the store, for faults and kill points. */
  readonly wrap?: (store: Store) => Store
  readonly isListWhole?: () => boolean
}

export class World {
  readonly service: TestService
  readonly client: TestClient
  readonly clock: TestClock
  readonly folder: string
  readonly store: Store
  readonly writer: Writer
  readonly events: { operations: readonly Operation[]; batch: Batch | null }[] = []
  readonly defects: unknown[] = []
  readOnly = false
  isActive = true
  #drafts = 0

  constructor(options: WorldOptions = {}) {
    this.service = options.service ?? new TestService()
    this.client = new TestClient(this.service)
    this.clock = options.clock ?? new TestClock()
    this.folder = options.folder ?? folderWithStore()
    const store = value(openStore(this.path, { now: () => this.clock.now(), user: 'dana' }))
    this.store = store
    const settings: WritingSettings = {
      batchSize: 50,
      recheckSeconds: 60,
      markWithExternalId: true,
      ...options.settings,
    }
    this.writer = createWriter({
      client: this.client,
      store: options.wrap ? options.wrap(store) : store,
      reader: readerOf(options.isListWhole, this.service.unreadable),
      directory: {
        facts: () => ({
          application: 'qbd',
          displayName: 'Alder & Finch',
          isReadOnly: this.readOnly,
          isActive: this.isActive,
        }),
      },
      listener: {
        operationsChanged: (_company, _object, operations, batch) => {
          this.events.push({ operations, batch })
        },
        companiesChanged: () => undefined,
        companiesRead: () => undefined,
      },
      translate: (_application, errors, requestId, status) =>
        appError('service-error', errors.map((each) => each.message).join(' '), '', { requestId, status }),
      settings: () => settings,
      clock: this.clock,
      newId: () => `${this.clock.now().toString(36)}-${process.pid}-${idCount()}`,
      onDefect: (defect) => this.defects.push(defect),
    })
    opened.push(this)
  }

  get path(): string {
    return join(this.folder, 'bookbridge.sqlite')
  }

  end(): void {
    this.writer.close()
    this.store.close()
  }

  /** Restarts the program on the same folder and service, as after a crash. */
  restart(options: Omit<WorldOptions, 'folder' | 'service' | 'clock'> = {}): World {
    this.end()
    const next = new World({ ...options, folder: this.folder, service: this.service, clock: this.clock })
    next.writer.start()
    return next
  }

  draftInsert(fields: Readonly<Record<string, EditValue>>, object = 'customer'): string {
    return this.#save('insert', '', {}, fields, object)
  }

  draftChange(recordId: string, fields: Readonly<Record<string, EditValue>>, object = 'customer'): string {
    return this.#save('change', recordId, this.service.get(object, recordId), fields, object)
  }

  #save(
    kind: Draft['kind'],
    recordId: string,
    before: RecordData,
    fields: Readonly<Record<string, EditValue>>,
    object: string,
  ): string {
    let edits: Edits = {}
    for (const [path, now] of Object.entries(fields)) {
      const was = kind === 'insert' ? null : valueAt(object, before, path)
      edits = withEdit(edits, object, path, was, now)
    }
    const draftId = `draft-${this.clock.now().toString(36)}-${idCount()}-${(this.#drafts += 1)}`
    this.store.drafts.saveAll([
      {
        draftId,
        company: COMPANY,
        object,
        kind,
        recordId,
        before,
        edits: Object.values(edits),
        changedAt: new Date(this.clock.now()).toISOString(),
      },
    ])
    return draftId
  }

  /** Sends with a list that was just read, like the window does. */
  send(draftIds: readonly string[], object = 'customer'): Result<Batch> {
    const baseline = {
      baselineId: `read ${idCount()}`,
      records: fingerprintsOf(this.service.of(object).values()),
    }
    return this.#sent(() => this.writer.send(COMPANY, object, draftIds, { supported: SUPPORTED, baseline }))
  }

  /** Sends without a list that was read before. */
  sendUnread(draftIds: readonly string[], object = 'customer'): Result<Batch> {
    return this.#sent(() => this.writer.send(COMPANY, object, draftIds, { supported: SUPPORTED }))
  }

  /** Converts a thrown error to a `Result`, as the handlers of calls do. */
  #sent(send: () => Result<Batch>): Result<Batch> {
    const sent = resultOf(send)
    return sent.ok ? sent.value : sent
  }

  /** Runs promises, and timers that are due within this much time, until nothing is running. */
  async settle(within = 10 * 60_000): Promise<void> {
    const until = this.clock.now() + within
    for (let round = 0; round < 10_000; round += 1) {
      await new Promise((resolve) => setImmediate(resolve))
      if (this.client.active > 0) continue
      if (this.clock.next(until - this.clock.now())) continue
      this.clock.time = Math.max(this.clock.time, until)
      return
    }
    throw new Error('It never comes to rest.')
  }

  /** Settles without advancing time. */
  async flush(): Promise<void> {
    await this.settle(0)
  }

  async sendAndSettle(draftIds: readonly string[], object = 'customer'): Promise<readonly Operation[]> {
    value(this.send(draftIds, object))
    await this.settle()
    return this.operations(object)
  }

  /** Everything that was sent, in the order in which it was queued. */
  operations(object = 'customer'): readonly Operation[] {
    const all = { outcome: null, text: '', limit: 100_000 }
    const { history } = this.store
    return history
      .batches({ ...all, ...COMPANY, object, before: null })
      .toSorted((one, other) => (inOrder(one.batch) < inOrder(other.batch) ? -1 : 1))
      .flatMap(({ batch: { batchId, status } }) =>
        history
          .operations({ ...all, which: { of: 'batch', batchId }, after: '' })
          .map((operation) => operationView(operation, status)),
      )
  }

  states(object = 'customer'): readonly string[] {
    return this.operations(object).map(({ state }) => state)
  }

  drafts(object = 'customer'): readonly Draft[] {
    return this.writer.drafts(COMPANY, object)
  }

  putCompany(change: Partial<StoredCompany> = {}): void {
    this.store.companies.put(storedCompany(change))
  }
}

function inOrder({ queuedAt, batchId }: { readonly queuedAt: string; readonly batchId: string }): string {
  return `${queuedAt} ${batchId}`
}

let ids = 0
/** IDs are unique, even across restarts within a process, and sort in the order of creation. */
function idCount(): string {
  ids += 1
  return String(ids).padStart(9, '0')
}

export function storedCompany(change: Partial<StoredCompany> = {}): StoredCompany {
  return {
    ref: COMPANY,
    label: '',
    initials: '',
    band: 'sea',
    notes: '',
    fiscalYearStart: 1,
    basis: 'unknown',
    readOnly: false,
    keepsLists: true,
    favorite: false,
    companyName: 'Alder & Finch',
    application: 'qbd',
    applicationName: 'Desktop',
    fullPath: 'C:\\Books\\Alder.qbw',
    version: '',
    createdAt: '',
    lastAccessAt: '',
    isActive: true,
    userId: 'u1',
    recordId: 'r1',
    externalId: '',
    appName: '',
    isHosted: null,
    listedBy: 'v2',
    isListed: true,
    hasToken: true,
    openedAt: '',
    ...change,
  }
}
