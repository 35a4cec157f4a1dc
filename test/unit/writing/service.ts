/**
 * A service for tests of the write protocol, and its client: records in memory, responses as JSON text through the real
 * decoder, and faults at any request. Shares nothing with the sample service.
 */
import { createMask } from '../../../electron/service/errors/redact.ts'
import { decodeEnvelope } from '../../../electron/service/protocol/envelope.ts'
import type {
  CountedResponse,
  Decoder,
  LegacyEnvelope,
  RawResponse,
  RecordsQuery,
  ServiceClient,
  SlotEnd,
  SlotRequest,
  Wire,
  WriteResult,
} from '../../../electron/service/protocol/wire.ts'
import type { JournalOperation, Learned } from '../../../electron/store/journal/journal.ts'
import type { FoundById, RecordReader } from '../../../electron/writing/context.ts'
import { fullNameOf } from '../../../electron/writing/records/recognition.ts'
import type { RecordData } from '../../../shared/records/changes.ts'
import {
  alikeAmong,
  externalIdKey,
  looseKey,
  nameFingerprint,
  nameKey,
} from '../../../shared/records/names.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'

/** What is known about a service before anything was sent to it. */
export const NOTHING_LEARNED: Learned = {
  keepsNames: null,
  keepsExternalIds: null,
  returnsStoredValues: null,
  keepsIds: null,
  clockAhead: null,
  lag: null,
  traits: [],
}

/** What happens to one request. `before` and `after` say whether the service had done the work. */
export type Fault =
  | 'none'
  | 'not-sent'
  | 'refused-key'
  | 'dropped-before'
  | 'dropped-after'
  | 'whole-error-before'
  | 'whole-error-after'
  | 'fewer-items'
  | 'more-items'
  | 'reordered-items'
  | 'warning-beside-record'
  | 'saved-without-notes'
  | 'short-records'
  | 'unexplained-error'

export interface Companies {
  list: Record<string, unknown>[]
}

export interface SentRequest {
  readonly method: string
  readonly object: string
  readonly body: string
}

type Stored = Record<string, unknown>

/** How this service treats records. */
export interface ServiceBehavior {
  readonly keepsExternalIds: boolean
  readonly uniqueNames: boolean
}

export class TestService {
  readonly records = new Map<string, Map<string, Stored>>()
  readonly companies: Companies = { list: [] }
  readonly requests: SentRequest[] = []
  /** Called for each request. Reads only use `dropped-before`. */
  fault: (method: string, nth: number) => Fault = () => 'none'
  /** Called around everything on the wire: kill points. */
  step: (name: string) => void = () => undefined
  /** Refuses a record with an item error; `null` accepts it. */
  refusal: (record: Stored) => unknown = () => null
  /** Alters what is stored, as an application would. */
  alter: (record: Stored) => void = () => undefined
  /** Which records a read of the whole list returns. */
  listed: (records: readonly Stored[]) => readonly Stored[] = (records) => records
  /** IDs for which a read by `ID` returns an error instead of the record. */
  readonly unreadable = new Set<string>()
  beside = 0
  mostBeside = 0
  manner: ServiceBehavior = { keepsExternalIds: true, uniqueNames: true }
  #count = 0
  #nextId = 1

  of(object: string): Map<string, Stored> {
    const known = this.records.get(object) ?? new Map<string, Stored>()
    this.records.set(object, known)
    return known
  }

  add(object: string, record: Stored): string {
    const ID = typeof record['ID'] === 'string' && record['ID'] !== '' ? record['ID'] : `R${this.#nextId++}`
    this.of(object).set(ID, { ...record, ID, LastModifiedDate: '2026-01-01T00:00:00Z' })
    return ID
  }

  get(object: string, id: string): RecordData {
    return asAnswered(this.of(object).get(id) ?? {})
  }

  /** A request, with its fault. */
  async ask(
    method: string,
    object: string,
    body: string,
    work: () => { readonly items: readonly unknown[]; readonly errors?: readonly unknown[] },
  ): Promise<WriteResult> {
    this.step('leaves')
    this.beside += 1
    this.mostBeside = Math.max(this.mostBeside, this.beside)
    try {
      await Promise.resolve()
      return this.#answer(method, object, body, work)
    } finally {
      this.beside -= 1
      this.step('answered')
    }
  }

  #answer(
    method: string,
    object: string,
    body: string,
    work: () => { readonly items: readonly unknown[]; readonly errors?: readonly unknown[] },
  ): WriteResult {
    this.#count += 1
    const fault = this.fault(method, this.#count)
    if (fault === 'not-sent') return { outcome: 'not-sent', error: appError('unreachable', 'Refused.') }
    this.requests.push({ method, object, body })
    if (fault === 'refused-key') return { outcome: 'refused-key', error: appError('unauthorized', 'No.') }
    if (fault === 'dropped-before') return { outcome: 'uncertain', error: appError('dropped', 'Dropped.') }
    if (fault === 'whole-error-before')
      return answered({ items: [], errors: [{ Message: 'Agent timed out' }], requestId: 'request-failed' })
    const done = work()
    switch (fault) {
      case 'dropped-after':
        return { outcome: 'uncertain', error: appError('timed-out', 'Silent.') }
      case 'whole-error-after':
        return answered({ items: [], errors: [{ Message: 'Agent timed out' }] })
      case 'fewer-items':
        return answered({ items: done.items.slice(1) })
      case 'more-items':
        return answered({ items: [...done.items, { Object: { ID: 'X1', Name: 'Stranger' }, Kind: object }] })
      case 'reordered-items':
        return answered({ items: [...done.items].reverse() })
      case 'warning-beside-record':
        return answered({
          items: done.items.map((item) => ({ ...(item as object), Errors: ['Saved, but…'] })),
        })
      case 'saved-without-notes':
        return answered({
          items: done.items.map((item) => ({
            ...(item as object),
            Errors: [{ Code: '550', Severity: 'Warn', Message: 'The notes could not be saved.' }],
          })),
        })
      case 'short-records':
        return answered({ items: done.items.map(shortened) })
      case 'unexplained-error':
        return answered({ ...done, hasErrors: true })
      case 'none':
        return answered(done)
    }
  }

  insert(object: string, records: readonly Stored[]): { items: unknown[] } {
    return {
      items: records.map((sent) => {
        const refused = this.refusal(sent) ?? this.#nameRefusal(object, sent)
        if (refused !== null) return { Object: null, Errors: [refused], Kind: object }
        const { ExternalID, ...rest } = sent
        const marked =
          this.manner.keepsExternalIds && ExternalID !== undefined ? { ...rest, ExternalID } : rest
        const stored = { ...marked, FullName: fullName(sent) }
        this.alter(stored)
        const id = this.add(object, { ...stored, ID: '' })
        return { Object: asAnswered(this.of(object).get(id) ?? {}), Errors: null, Kind: object }
      }),
    }
  }

  change(object: string, records: readonly Stored[]): { items: unknown[] } {
    return {
      items: records.map((sent) => {
        const id = String(sent['ID'])
        const stored = this.of(object).get(id)
        const refused = this.refusal(sent) ?? (stored ? null : { Code: 500, Message: 'Not found' })
        if (refused !== null || !stored) return { Object: {}, Errors: [refused], Kind: object }
        const next = { ...stored, ...sent }
        this.alter(next)
        this.of(object).set(id, next)
        return { Object: asAnswered(next), Errors: [], Kind: object }
      }),
    }
  }

  #nameRefusal(object: string, sent: Stored): unknown {
    if (!this.manner.uniqueNames) return null
    const isTaken = [...this.of(object).values()].some((each) => each['FullName'] === fullName(sent))
    return isTaken ? { Code: '3100', Message: 'The Name is in use' } : null
  }
}

function fullName(record: Stored): string {
  const parent = record['Parent'] as { FullName?: string } | undefined
  const name = String(record['Name'])
  return parent?.FullName ? `${parent.FullName}:${name}` : name
}

/** Booleans and amounts come back as strings (specification 2.1). */
function asAnswered(record: Stored): RecordData {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'boolean' ? String(value) : typeof value === 'number' ? value.toFixed(2) : value,
    ]),
  )
}

function shortened(item: unknown): unknown {
  const { Object: object, ...rest } = item as { Object: Stored | null }
  return object === null ? item : { ...rest, Object: { ID: object['ID'], Name: object['Name'] } }
}

function rawOf(value: unknown, status = 200): RawResponse {
  const bytes = new TextEncoder().encode(JSON.stringify(value))
  return { status, contentType: 'application/json', blocks: [bytes], length: bytes.length }
}

function answered(content: {
  readonly items: readonly unknown[]
  readonly errors?: readonly unknown[]
  readonly hasErrors?: boolean
  readonly requestId?: string
}): WriteResult {
  const raw = rawOf({
    Kind: 'collection',
    Page: 1,
    MoreData: false,
    ...(content.hasErrors ? { HasErrors: true } : {}),
    RequestId: content.requestId ?? 'request-1',
    Contents: content.items,
    Errors: content.errors ?? null,
  })
  const envelope = decodeEnvelope(raw)
  if (!envelope.ok) throw new Error('The test service made no envelope.')
  return {
    outcome: 'answered',
    envelope: envelope.value,
    text: () => new TextDecoder().decode(raw.blocks[0]),
  }
}

/** The envelope of the older service (specification 2.6). */
function legacy(detail: readonly Stored[]): LegacyEnvelope {
  return { status: 200, statusCode: '0', message: `${detail.length} endpoint id(s) found.`, detail }
}

function listOf(body: string): readonly Stored[] {
  const parsed: unknown = JSON.parse(body)
  return (Array.isArray(parsed) ? parsed : [parsed]) as Stored[]
}

/** The part of the wire that the write protocol uses. The rest throws. */
function wireOf(service: TestService, isStopped: () => boolean = () => false): Wire {
  const unused = (): never => {
    throw new Error('Not asked for in these tests.')
  }
  const read = async <T extends CountedResponse>(
    method: string,
    items: () => readonly unknown[],
    decode: Decoder<T>,
  ): ReturnType<Decoder<T>> => {
    const answer = await service.ask(method, '', '', () => ({ items: items() }))
    return answer.outcome === 'answered' ? decode(rawOf(JSON.parse(answer.text() ?? ''))) : err(answer.error)
  }
  return {
    target: {
      connectionId: 'c1',
      address: 'https://service.example',
      legacyAddress: '',
      key: 'key',
      legacyKey: '',
      mask: createMask([]),
    },
    isStopped,
    progress: () => undefined,
    readRecords: (_endpointId, object, query: RecordsQuery, decode) =>
      read(
        'GET',
        () =>
          (query.ids === undefined
            ? service.listed([...service.of(object).values()])
            : [...service.of(object).values()].filter((record) => query.ids?.includes(String(record['ID'])))
          ).map((record) => ({ Object: asAnswered(record), Errors: null, Kind: object })),
        decode,
      ),
    insertRecords: (_endpointId, object, body) =>
      service.ask('POST', object, body, () => service.insert(object, listOf(body))),
    changeRecords: (_endpointId, object, body) =>
      service.ask('PATCH', object, body, () => service.change(object, listOf(body))),
    listCompanies: (query, decode) =>
      read(
        'LIST',
        () =>
          service.companies.list
            .filter((each) => query.isActive === undefined || each['isActive'] === String(query.isActive))
            .map((each) => ({ Object: each, Errors: null, Kind: 'collection' })),
        decode,
      ),
    provision: (body) =>
      service.ask('PROVISION', '', body, () => {
        const { userId, endpoint } = JSON.parse(body) as { userId: string; endpoint: string }
        const company = {
          endpointId: `E${service.companies.list.length + 1}`,
          endpoint,
          userId,
          companyName: 'New company',
          fullPath: 'C:\\Books\\New.qbw',
          isActive: 'true',
          token: 'token-canary-4711',
        }
        service.companies.list.push(company)
        return { items: [{ Object: company, Errors: null, Kind: 'company' }] }
      }),
    deprovision: (body) =>
      service.ask('DEPROVISION', '', body, () => {
        const { endpointId } = JSON.parse(body) as { endpointId: string }
        const company = service.companies.list.find((each) => each['endpointId'] === endpointId)
        if (!company) return { items: [{ Object: null, Errors: [{ Message: 'Unknown company' }] }] }
        company['isActive'] = 'false'
        return { items: [{ Object: company, Errors: null, Kind: 'collection' }] }
      }),
    createUser: (body) =>
      service.ask('USER', '', body, () => ({ items: [{ Object: { userId: 'user-77' }, Errors: null }] })),
    metadata: unused,
    selectReport: unused,
    legacyListCompanies: (query) => {
      const detail = service.companies.list.filter(
        (each) => query.isActive === undefined || each['isActive'] === String(query.isActive),
      )
      return Promise.resolve(ok(legacy(detail)))
    },
    legacyDeprovision: async (body) => {
      const { endpointId } = JSON.parse(body) as { endpointId: string }
      const answer = await service.ask('LEGACY-DEPROVISION', '', body, () => ({ items: [] }))
      if (answer.outcome !== 'answered') return answer
      const company = service.companies.list.find((each) => each['endpointId'] === endpointId)
      if (company) company['isActive'] = 'false'
      return { outcome: 'answered', envelope: legacy(company ? [company] : []), text: answer.text }
    },
  }
}

/** Runs one slot after another, like the scheduler. */
export class TestClient implements ServiceClient {
  readonly service: TestService
  /** Slots that have begun and not ended. */
  active = 0
  /** Refuses to begin slots while set. */
  refuses: ReturnType<typeof appError> | null = null
  abandon: (() => void) | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(service: TestService) {
    this.service = service
  }

  withSlot<T>(_request: SlotRequest, work: (wire: Wire) => Promise<Result<T>>): Promise<SlotEnd<T>> {
    let wasAbandoned = false
    const whole = this.#last.then(async (): Promise<SlotEnd<T>> => {
      if (this.refuses) return { result: err(this.refuses), wasAbandoned: false }
      this.active += 1
      try {
        const result = await work(wireOf(this.service, () => wasAbandoned))
        return { result, wasAbandoned }
      } finally {
        this.active -= 1
      }
    })
    this.#last = whole.catch(() => undefined)
    this.abandon = () => {
      wasAbandoned = true
    }
    return whole
  }

  async read<T>(request: SlotRequest, operation: (wire: Wire) => Promise<Result<T>>): Promise<Result<T>> {
    const { result } = await this.withSlot(request, operation)
    return result
  }
}

function fingerprintOf(record: RecordData): string {
  return nameFingerprint(fullNameOf(record))
}

/** The content of a list, as in a baseline. */
export function fingerprintsOf(records: Iterable<RecordData>): ReadonlyMap<string, string> {
  return new Map([...records].map((record) => [String(record['ID']), fingerprintOf(record)]))
}

/** Reads back through the wire, like the rows worker. */
export function readerOf(
  isWhole: () => boolean = () => true,
  unreadable: ReadonlySet<string> = new Set(),
): RecordReader {
  const records = (
    raw: RawResponse,
  ): Promise<Result<CountedResponse & { readonly found: readonly RecordData[] }>> => {
    const envelope = decodeEnvelope(raw)
    if (!envelope.ok) return Promise.resolve(envelope)
    // Like the program's own reader: an error of the whole request isn't an empty list.
    const [error] = envelope.value.errors
    if (error !== undefined) return Promise.resolve(err(appError('service-error', error.message)))
    const { items, requestId } = envelope.value
    const found = items.flatMap(({ object }) => (object === null ? [] : [object]))
    return Promise.resolve(ok({ found, requestId }))
  }
  return {
    async byIds(wire, company, object, ids) {
      const readable = ids.filter((id) => !unreadable.has(id))
      const found = await wire.readRecords(company.endpointId, object, { ids: readable }, records)
      if (!found.ok) return found
      const partialReason = readable.length < ids.length ? 'Not all of it could be read.' : ''
      const byId: FoundById['records'] = new Map(found.value.found.map((each) => [String(each['ID']), each]))
      return ok({
        records: byId,
        texts: new Map(),
        refused: [],
        gone: [],
        requestIds: ['read-1'],
        partialReason,
      })
    },
    async fingerprintsOfWholeList(wire, company, object) {
      const found = await wire.readRecords(company.endpointId, object, {}, records)
      return found.ok ? ok(isWhole() ? fingerprintsOf(found.value.found) : null) : found
    },
    async inWholeList(wire, company, object, wanted) {
      const found = await wire.readRecords(company.endpointId, object, {}, records)
      if (!found.ok) return found
      const names = new Set(wanted.names.map(nameKey))
      const isAlike = alikeAmong(wanted.names.map(looseKey))
      const externalIds = new Set(wanted.externalIds.map(externalIdKey))
      const values = new Set<unknown>(wanted.values)
      const candidates = found.value.found.filter(
        (each) =>
          externalIds.has(externalIdKey(String(each['ExternalID']))) ||
          wanted.ids.includes(String(each['ID'])) ||
          [each['FullName'], each['Name']].some(
            (name) => names.has(nameKey(String(name))) || isAlike(looseKey(String(name))),
          ) ||
          Object.values(each).some((value) => values.has(value)),
      )
      const newRecords = new Map(
        [...wanted.baselines].map(([batchId, known]) => [
          batchId,
          found.value.found.filter((each) => known.get(String(each['ID'])) !== fingerprintOf(each)),
        ]),
      )
      return ok({ isWhole: isWhole(), candidates, newRecords, count: found.value.found.length })
    },
  }
}

/** An insert whose outcome is unknown, unless `more` says otherwise. */
export function journalOperation(more: Partial<JournalOperation>): JournalOperation {
  return {
    operationId: 'op',
    draftId: 'd',
    batchId: 'b1',
    position: 0,
    company: { connectionId: 'c1', endpointId: 'e1' },
    object: 'customer',
    kind: 'insert',
    recordId: '',
    recordName: '',
    fullName: '',
    externalId: '',
    namesakes: [],
    before: {},
    edits: [],
    state: 'unknown',
    isClosed: false,
    sendAgain: false,
    queuedAt: '',
    settledAt: null,
    firstRecheckedAt: null,
    lastRecheckedAt: null,
    rechecks: 0,
    confirmedByReading: false,
    isKnownByName: false,
    notAsSent: [],
    conflicts: [],
    theirs: null,
    error: null,
    errorPath: '',
    requestId: '',
    after: null,
    beforeSending: null,
    previousService: '',
    candidates: [],
    dismissed: [],
    recheckAt: null,
    ...more,
  }
}
