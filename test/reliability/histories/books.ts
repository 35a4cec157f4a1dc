/**
 * A simulated service, written from the specification alone, with its own personality. It records the truth: each
 * record with all its versions, which operation caused each, and what was visible when.
 */
import { ConnectError } from '../../../electron/service/transport/tunnel.ts'
import type { Draft } from '../../../shared/contract/records.ts'
import { type RecordData, textOf, topField } from '../../../shared/records/changes.ts'
import { pick } from '../../unit/writing/random.ts'
import { drawFate, type Fate, NAME_RULES, type Personality } from './personality.ts'
import type { TimerOwner, VirtualTime } from './virtual-time.ts'

type Fields = Readonly<Record<string, unknown>>

/** A version of a record, valid from a time on. */
interface Version {
  readonly at: number
  /** When it becomes visible to reads. */
  readonly visibleAt: number
  readonly fields: Fields
}

export interface BookRecord {
  /** Unique and never visible to the program. */
  readonly uid: number
  /** All its IDs so far, the current one last. */
  readonly ids: { readonly id: string; readonly from: number }[]
  readonly mark: string
  readonly createdAt: number
  readonly versions: Version[]
  deletedAt: number | null
}

/** The effect of an operation on the books. */
export interface Effect {
  readonly operationId: string
  readonly uid: number
  readonly at: number
  readonly request: WriteRequest
  /** The version that it created. */
  readonly version: Version
  /** When a read first showed it to the program. */
  shownAt: number | null
}

/** An item of a write, with the operation that it belongs to. */
export interface SentItem {
  readonly operationId: string
  readonly draft: Draft
  readonly fields: Fields
  /** For a change, the record that its ID identifies on arrival. */
  readonly record: BookRecord | null
  /** The service reports it as saved but does nothing. */
  readonly isPhantom: boolean
  readonly refusal: string | null
  /** The ID of the record in the response; empty if none. */
  returnedId: string
}

export interface WriteRequest {
  readonly number: number
  readonly method: 'POST' | 'PATCH'
  readonly at: number
  readonly fate: Fate
  items: SentItem[]
  /** When a complete response with its items reached the program. */
  respondedAt: number | null
}

/** A request that the service may still be processing. */
interface AtWork {
  readonly name: string
  readonly isWrite: boolean
  readonly deadline: number
  workUntil: number
  isAnswered: boolean
}

export interface BooksOptions {
  readonly personality: Personality
  readonly random: () => number
  readonly time: VirtualTime
  readonly log: (words: string) => void
  /** Called whenever the program may be killed. Returns whether it was. */
  readonly mayKill: () => boolean
  /** The drafts that the program shows now. */
  readonly drafts: () => Promise<readonly Draft[]>
  readonly onViolation: (what: 'two at once' | 'sent in doubt' | 'not in the journal', words: string) => void
  /** Unconfirmed operations that the user chose to continue past. */
  readonly isPassed: (operationId: string) => boolean
  /** Whether the user chose to send it again. */
  readonly isResendConfirmed: (operationId: string) => boolean
}

const READ_DEADLINE = 120_000
const WRITE_DEADLINE = 180_000
export const ENDPOINT = 'e1'
const MARK_FIELD = 'ExternalID'

const FIELDS = {
  customer: ['Name', 'Phone', 'Email', 'Number', 'BillingAddress', 'IsActive', 'CompanyName'],
  vendor: ['Name', 'Phone', 'CompanyName', 'Address', 'IsActive'],
  account: ['Name', 'Number', 'Description', 'BankNumber', 'IsActive'],
} as const

export class Books {
  readonly records: BookRecord[] = []
  readonly effects: Effect[] = []
  readonly writes: WriteRequest[] = []
  /** When a complete list was read without errors. */
  readonly wholeReadsAt: number[] = []
  isHonest = false
  requests = 0
  readonly #options: BooksOptions
  readonly #atWork: AtWork[] = []
  #ids = 1_000
  #marks = 100

  constructor(options: BooksOptions) {
    this.#options = options
  }

  get #p(): Personality {
    return this.#options.personality
  }

  get now(): number {
    return this.#options.time.now
  }

  // The books themselves, and changes by other people.

  /** @returns the record, or `null` if the name is taken */
  insert(fields: Fields, mark: string): BookRecord | null {
    const stored = { ...fields, Name: this.#storedName(textOf(fields['Name'])) }
    if (this.#p.hasUniqueNames && this.#named(stored.Name) !== null) return null
    const record: BookRecord = {
      uid: this.records.length + 1,
      ids: [{ id: this.#newId(), from: this.now }],
      mark: this.#storedMark(mark),
      createdAt: this.now,
      versions: [{ at: this.now, visibleAt: this.now + this.#p.insertLag, fields: stored }],
      deletedAt: null,
    }
    this.records.push(record)
    return record
  }

  /** Adds a record that has existed for a long time. */
  start(fields: Fields): void {
    const record = this.insert(fields, '')
    if (record === null) return
    const at = this.now - (40 + (this.#p.isImported ? 0 : record.uid)) * 86_400_000
    const first = record.versions[0]
    if (first === undefined) return
    this.records[this.records.length - 1] = {
      ...record,
      createdAt: at,
      versions: [{ ...first, at, visibleAt: at }],
    }
  }

  change(record: BookRecord, fields: Fields): boolean {
    const before = latest(record).fields
    const name = fields['Name'] === undefined ? undefined : this.#storedName(textOf(fields['Name']))
    const taken = name === undefined ? null : this.#named(name)
    if (this.#p.hasUniqueNames && taken !== null && taken.uid !== record.uid) return false
    const next = { ...before, ...fields, ...(name === undefined ? {} : { Name: name }) }
    record.versions.push({ at: this.now, visibleAt: this.now + this.#p.changeLag, fields: next })
    return true
  }

  get alive(): readonly BookRecord[] {
    return this.records.filter(({ deletedAt }) => deletedAt === null)
  }

  byUid(uid: number): BookRecord | undefined {
    return this.records[uid - 1]
  }

  /** Which record an ID identified at a time. */
  uidOf(id: string, at: number): number | null {
    const found = this.records.find((record) => idAt(record, at) === id)
    return found?.uid ?? null
  }

  /** All records that an ID has identified since a time. */
  uidsSince(id: string, since: number): readonly number[] {
    return this.records
      .filter(({ ids }) =>
        ids.some(
          (each, index) => each.id === id && (ids[index + 1]?.from ?? Number.POSITIVE_INFINITY) >= since,
        ),
      )
      .map(({ uid }) => uid)
  }

  /** Every record gets the ID of the one after it. */
  reassignIds(): void {
    const { alive } = this
    const ids = alive.map(idNow)
    for (const [index, record] of alive.entries()) {
      const id = ids[(index + 1) % ids.length]
      if (id !== undefined) record.ids.push({ id, from: this.now })
    }
    this.#options.log('the service reassigns all IDs')
  }

  visible(record: BookRecord, at: number): Fields | null {
    if (record.deletedAt !== null && record.deletedAt <= at) return null
    const [first] = record.versions
    if (first === undefined || first.visibleAt > at) return null
    return record.versions.findLast(({ visibleAt }) => visibleAt <= at)?.fields ?? null
  }

  #storedName(name: string): string {
    return NAME_RULES[this.#p.nameRule](name)
  }

  #named(name: string): BookRecord | null {
    const key = name.toLowerCase()
    return this.alive.find((record) => textOf(latest(record).fields['Name']).toLowerCase() === key) ?? null
  }

  #storedMark(mark: string): string {
    const { object, mark: rule, markLength } = this.#p
    if (object !== 'customer') return ''
    switch (rule) {
      case 'kept':
      case 'only in echoes':
        return mark
      case 'cut':
        return mark.slice(0, markLength)
      case 'capitals':
        return mark.toUpperCase()
      case 'ignored':
        return ''
      case 'replaced':
        return `APP-${(this.#marks += 1)}`
    }
  }

  #newId(): string {
    this.#ids += 1 + Math.floor(this.#options.random() * 3)
    return `8000${this.#ids}-1`
  }

  // The service.

  /** @param caller gets responses while it is alive */
  async fetch(caller: TimerOwner, input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    if (caller.isDead) return new Promise(() => undefined)
    const url = new URL(input instanceof Request ? input.url : input)
    const method = init.method ?? 'GET'
    this.requests += 1
    const number = this.requests
    const isWrite = method !== 'GET'
    const work = this.#begin(`#${number} ${method} ${url.pathname.split('/').at(-1) ?? ''}`, isWrite)
    if (this.#options.mayKill()) return new Promise(() => undefined)
    const signal = init.signal ?? null
    const answered = isWrite
      ? this.#write(caller, number, method as 'POST' | 'PATCH', textOf(init.body), work)
      : this.#read(caller, number, url, work)
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(new DOMException('The request was aborted.', 'AbortError'))
      })
      answered.then(resolve, reject)
    })
  }

  #begin(name: string, isWrite: boolean): AtWork {
    const now = this.now
    for (const each of this.#atWork) {
      if (each.isAnswered || each.workUntil <= now || each.deadline <= now) continue
      each.isAnswered = true
      this.#options.onViolation('two at once', `${name} arrives while the service is at work on ${each.name}`)
    }
    const work: AtWork = {
      name,
      isWrite,
      deadline: now + (isWrite ? WRITE_DEADLINE : READ_DEADLINE),
      workUntil: Number.POSITIVE_INFINITY,
      isAnswered: false,
    }
    this.#atWork.push(work)
    return work
  }

  /** Responds after a delay: not while the caller's machine sleeps, and never once the caller is dead. */
  #answer(caller: TimerOwner, after: number, make: () => Response | Error): Promise<Response> {
    return new Promise((resolve, reject) => {
      this.#options.time.after(after, null, () => {
        this.#options.time.whenAwake(() => {
          if (caller.isDead) return
          const made = make()
          if (made instanceof Error) reject(made)
          else resolve(made)
        })
      })
    })
  }

  async #read(caller: TimerOwner, number: number, url: URL, work: AtWork): Promise<Response> {
    const { random, log } = this.#options
    const path = url.pathname.toLowerCase()
    const answerAfter = Math.floor(random() * 2_000)
    const isTroubled = !this.isHonest && random() < this.#p.readTrouble
    work.workUntil = this.now + answerAfter
    if (isTroubled) {
      const trouble = pick(random, [
        'dropped',
        'no answer',
        'page',
        'busy',
        'cut off',
        'error of the whole',
      ] as const)
      log(`#${number} GET ${shortPath(url)}: ${trouble}`)
      // A read may continue for a moment after the connection has ended.
      if (trouble === 'dropped') work.workUntil = this.now + answerAfter + 2_000
      return this.#troubled(
        caller,
        number,
        trouble,
        trouble === 'page' ? 500 : 503,
        answerAfter,
        () => [],
        work,
      )
    }
    return this.#answer(caller, answerAfter, () => {
      work.isAnswered = true
      if (path.endsWith('/v2/manage/endpoint'))
        return envelope(number, [item('collection', COMPANY(this.#p))])
      if (path.includes('/v2/meta/')) return envelope(number, [item(this.#p.object, this.#metadata())])
      if (path.includes('/v2/data/')) return this.#list(number, url)
      return new Response('<html>Not found</html>', { status: 404 })
    })
  }

  #metadata(): Fields {
    const { object, takesMark } = this.#p
    const names = ['ID', ...FIELDS[object], ...(takesMark ? [MARK_FIELD] : [])]
    return Object.fromEntries(
      names.map((name) => [name, name.endsWith('Address') ? { Line1: '', City: '', PostalCode: '' } : '']),
    )
  }

  #list(number: number, url: URL): Response {
    const { random, log } = this.#options
    const ids = url.searchParams.getAll('id')
    const since = url.searchParams.get('modTimeStart')
    const now = this.now
    const asked = Number(url.searchParams.get('page') ?? '1')
    const isFirstPage = ids.length === 0 && since === null && asked === 1
    if (!this.isHonest && isFirstPage && random() < this.#p.reassignments) this.reassignIds()
    const isOther = !url.pathname.toLowerCase().endsWith(this.#p.object)
    const shown = isOther ? [] : this.alive.filter((record) => this.visible(record, now) !== null)
    if (ids.length > 0) {
      const found = shown.filter((record) => ids.includes(idNow(record)))
      this.#markShown(found)
      const isMissing = found.length < new Set(ids).size
      log(
        `#${number} GET by ID ${ids.join(', ')}: ${found.map((record) => this.#name(record)).join('; ') || 'none'}`,
      )
      const errors =
        isMissing && this.#p.missingIds === 'error'
          ? [
              {
                Object: null,
                Errors: [this.#error('500', 'Object not found: the specified record does not exist.')],
                Kind: null,
              },
            ]
          : []
      return envelope(number, [...found.map((record) => this.#itemOf(record)), ...errors])
    }
    const wanted =
      since === null || !this.#p.heedsModTime
        ? shown
        : shown.filter((record) => latest(record).at + this.#p.skew >= Date.parse(since))
    const ordered = this.#ordered(wanted)
    const size = this.#p.pageSize
    const page = this.#p.pageParameter === 'honored' ? asked : 1
    const records = ordered.slice((page - 1) * size, page * size)
    this.#markShown(records)
    const hasMore = ordered.length > page * size
    if (since === null && !hasMore && this.#p.pageParameter === 'honored') this.wholeReadsAt.push(now)
    log(
      `#${number} GET list${since === null ? '' : ' of what changed'}, page ${asked}: ${records.length} of ${ordered.length}`,
    )
    return envelope(
      number,
      records.map((record) => this.#itemOf(record)),
      { page, hasMore },
    )
  }

  #ordered(records: readonly BookRecord[]): readonly BookRecord[] {
    const { random } = this.#options
    switch (this.#p.order) {
      case 'oldest first':
        return records
      case 'newest first':
        return records.toReversed()
      case 'name':
        return records.toSorted((a, b) => (this.#name(a) < this.#name(b) ? -1 : 1))
      case 'random':
        return records
          .map((record) => ({ record, at: random() }))
          .toSorted((a, b) => a.at - b.at)
          .map(({ record }) => record)
    }
  }

  #markShown(records: readonly BookRecord[]): void {
    for (const effect of this.effects) {
      if (effect.shownAt !== null || effect.version.visibleAt > this.now) continue
      if (records.some(({ uid }) => uid === effect.uid)) effect.shownAt = this.now
    }
  }

  #name(record: BookRecord): string {
    return textOf(latest(record).fields['Name'])
  }

  async #write(
    caller: TimerOwner,
    number: number,
    method: 'POST' | 'PATCH',
    body: string,
    work: AtWork,
  ): Promise<Response> {
    const { random, log, time } = this.#options
    const drawn = drawFate(random, this.#p)
    const fate: Fate = this.isHonest
      ? { answer: 'whole', answerAfter: 500, effectAfter: 100, status: 200 }
      : drawn
    const request: WriteRequest = { number, method, at: this.now, fate, items: [], respondedAt: null }
    const parsed = JSON.parse(body) as Fields | readonly Fields[]
    const sent: readonly Fields[] = Array.isArray(parsed) ? (parsed as readonly Fields[]) : [parsed as Fields]
    const drafts = await this.#options.drafts()
    request.items = this.#identify(request, sent, drafts)
    this.writes.push(request)
    const late = fate.effectAfter === null ? 'never' : `after ${seconds(fate.effectAfter)}`
    log(
      `#${number} ${method} ${request.items.map(({ fields, draft }) => `${textOf(fields['ID']) || 'new'} “${textOf(fields['Name'] ?? draft.before['Name'])}”`).join('; ')}: done ${late}; answered ${fate.answer}${fate.status === 200 ? '' : ` ${fate.status}`} after ${seconds(fate.answerAfter)}`,
    )
    work.workUntil = fate.effectAfter === null ? this.now : this.now + fate.effectAfter
    const results = new Map<SentItem, Result>()
    if (fate.effectAfter !== null) {
      time.after(fate.effectAfter, null, () => {
        for (const each of request.items) results.set(each, this.#apply(request, each))
        this.#options.mayKill()
      })
    }
    if (fate.answer !== 'whole' && !['fewer items', 'more items', 'other order'].includes(fate.answer)) {
      return this.#troubled(
        caller,
        number,
        fate.answer,
        fate.status,
        fate.answerAfter,
        () => this.#items(request, results),
        work,
      )
    }
    return this.#answer(caller, Math.max(fate.answerAfter, (fate.effectAfter ?? 0) + 1), () => {
      work.isAnswered = true
      request.respondedAt = this.now
      return envelope(number, this.#shaped(request, this.#items(request, results)))
    })
  }

  /** Finds the operation that each item belongs to. The journal has recorded it before anything was sent. */
  #identify(request: WriteRequest, sent: readonly Fields[], drafts: readonly Draft[]): SentItem[] {
    const { random, onViolation, isPassed, isResendConfirmed } = this.#options
    const kind = request.method === 'POST' ? 'insert' : 'change'
    const sending = drafts.filter(
      ({ operation }) => operation?.state === 'sending' && operation.kind === kind,
    )
    const taken = new Set<Draft>()
    const items = sent.flatMap((fields): SentItem[] => {
      const draft = sending.find((each) => !taken.has(each) && isOf(each, fields))
      if (draft?.operation === null || draft === undefined) {
        onViolation(
          'not in the journal',
          `#${request.number} sends what no draft says is being sent: ${JSON.stringify(fields)}`,
        )
        return []
      }
      taken.add(draft)
      const isRefused = !this.isHonest && random() < this.#p.refusals
      return [
        {
          operationId: draft.operation.operationId,
          draft,
          fields,
          record:
            this.alive.find((each) => kind === 'change' && idNow(each) === textOf(fields['ID'])) ?? null,
          isPhantom: !this.isHonest && random() < this.#p.phantoms,
          refusal: isRefused ? 'The request was refused by a rule of these books.' : null,
          returnedId: '',
        },
      ]
    })
    const isAgain = items.some(({ operationId }) => isResendConfirmed(operationId))
    for (const { operation } of drafts) {
      if (operation?.state !== 'unknown' || isPassed(operation.operationId) || isAgain) continue
      onViolation(
        'sent in doubt',
        `#${request.number} is sent while “${operation.recordName}” is not settled`,
      )
    }
    return items
  }

  #apply(request: WriteRequest, sent: SentItem): Result {
    const { fields } = sent
    if (sent.refusal !== null) return { refusal: sent.refusal, code: '3180' }
    if (sent.isPhantom) return { record: null }
    const { ID: _id, ExternalID, ...rest } = fields
    if (request.method === 'POST') {
      const record = this.insert({ IsActive: true, Balance: 0, ...rest }, textOf(ExternalID))
      if (record === null) {
        return {
          refusal: `The name “${textOf(fields['Name'])}” of the list element is already in use.`,
          code: '3100',
        }
      }
      this.#addEffect(request, sent, record)
      return { record }
    }
    const { record } = sent
    if (record === null || record.deletedAt !== null)
      return { refusal: 'Object not found: the record does not exist.', code: '500' }
    if (!this.change(record, rest)) return { refusal: 'The name is already in use.', code: '3100' }
    this.#addEffect(request, sent, record)
    return { record }
  }

  #addEffect(request: WriteRequest, { operationId }: SentItem, record: BookRecord): void {
    this.effects.push({
      operationId,
      uid: record.uid,
      at: this.now,
      request,
      version: latest(record),
      shownAt: null,
    })
    this.#options.log(
      `  done: “${this.#name(record)}” ${idNow(record)} (record ${record.uid}) by #${request.number}`,
    )
  }

  #items(request: WriteRequest, results: ReadonlyMap<SentItem, Result>): Fields[] {
    return request.items.map((sent) => {
      const result = results.get(sent)
      if (result === undefined) {
        return { Object: null, Errors: [this.#error('9999', 'The agent gave no answer.')], Kind: null }
      }
      if ('refusal' in result) {
        const echo = this.#p.echoesRefused ? { ...asText(sent.fields), ID: '' } : null
        return { Object: echo, Errors: this.#errors(result.code, result.refusal), Kind: null }
      }
      const hasWarning = !this.isHonest && this.#options.random() < this.#p.warnings
      const echo = this.#echo(request, sent, result.record)
      sent.returnedId = textOf(echo['ID'])
      const warning = { Code: '530', Message: 'Saved, but a field was left out.', Severity: 'Warning' }
      const errors =
        this.#p.warningForm === 'warning' ? [warning] : this.#errors('3250', 'A field was left out.')
      return { Object: echo, Errors: hasWarning ? errors : null, Self: null, Kind: this.#p.object }
    })
  }

  #echo(request: WriteRequest, { fields }: SentItem, record: BookRecord | null): Fields {
    const isInsert = request.method === 'POST'
    const id =
      record === null
        ? isInsert
          ? this.#newId()
          : textOf(fields['ID'])
        : isInsert && this.#p.hasTemporaryIds
          ? `tmp-${request.number}-${record.uid}`
          : idNow(record)
    const { mark } = this.#p
    const stored: Fields =
      record === null
        ? { ...this.#dates(this.now, this.now), ...asText(fields), ID: id }
        : {
            ...this.#objectOf(record, latest(record).fields),
            ...(mark === 'only in echoes' && record.mark !== '' ? { ExternalID: record.mark } : {}),
            ID: id,
          }
    switch (this.#p.echo) {
      case 'stored':
        return stored
      case 'sent':
        return { ...stored, ...asText(fields), ID: id }
      case 'short':
        return { ID: id, Name: stored['Name'] }
      case 'without IDs': {
        const { ID: _id, ...rest } = stored
        return rest
      }
    }
  }

  #shaped({ fate, items: sent }: WriteRequest, items: Fields[]): Fields[] {
    switch (fate.answer) {
      case 'fewer items': {
        const last = sent.at(-1)
        if (last !== undefined) last.returnedId = ''
        return items.slice(0, -1)
      }
      case 'more items': {
        const [first] = this.alive
        return first === undefined ? items : [...items, this.#itemOf(first)]
      }
      case 'other order':
        return items.toReversed()
      default:
        return items
    }
  }

  #troubled(
    caller: TimerOwner,
    number: number,
    trouble: string,
    status: number,
    after: number,
    items: () => Fields[],
    work: AtWork,
  ): Promise<Response> {
    const { random } = this.#options
    const respond = (): Response | Error => {
      switch (trouble) {
        case 'never connected':
          return new ConnectError('failed', { kind: 'service', host: 'books.example' }, 'refused', {
            cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
          })
        case 'cut off': {
          const text = envelopeText(number, items())
          const piece = new TextEncoder().encode(text.slice(0, Math.floor(text.length * random())))
          return new Response(
            new ReadableStream({
              start(controller) {
                controller.enqueue(piece)
                controller.close()
              },
            }),
          )
        }
        case 'page':
          return new Response('<html><h1>Server error</h1></html>', { status })
        case 'redirect':
          return new Response('', { status, headers: { location: 'https://elsewhere.example/' } })
        case 'not an envelope':
          return new Response(pick(random, ['', '{}', '[]', 'null', '{"hello":1}']))
        case 'no items':
          return envelope(number, [])
        case 'errors untold':
          return envelope(number, items(), { hasUnlistedErrors: true })
        case 'busy':
          return new Response('', { status, headers: random() < 0.5 ? { 'retry-after': '3' } : {} })
        case 'key refused':
          return new Response('', { status })
        case 'error of the whole':
          return envelope(number, [], { errors: [this.#error('9000', 'The agent did not answer in time.')] })
        default:
          return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
      }
    }
    if (trouble === 'no answer') return new Promise(() => undefined)
    return this.#answer(caller, after, () => {
      // After these, the service is no longer working.
      if (trouble === 'never connected' || trouble === 'key refused') work.isAnswered = true
      return respond()
    })
  }

  #error(code: string, message: string): unknown {
    switch (this.#p.errorForm) {
      case 'string':
        return `${code}: ${message}`
      case 'other names':
        return { errorCode: Number(code), errorMessage: message, level: 'ERROR' }
      case 'object':
      case 'one object':
        return { Code: code, Message: message, Severity: 'Error', Detail: '' }
    }
  }

  #errors(code: string, message: string): unknown {
    const error = this.#error(code, message)
    return this.#p.errorForm === 'one object' ? error : [error]
  }

  #itemOf(record: BookRecord): Fields {
    const fields = this.visible(record, this.now) ?? latest(record).fields
    return item(this.#p.object, this.#objectOf(record, fields))
  }

  #objectOf(record: BookRecord, fields: Fields): Fields {
    const { object, mark } = this.#p
    const hasMark = object === 'customer' && mark !== 'only in echoes' && record.mark !== ''
    const modifiedAt =
      record.versions.findLast((version) => version.fields === fields)?.at ?? record.createdAt
    return {
      ID: idNow(record),
      ...(hasMark ? { ExternalID: record.mark } : {}),
      ...asText(fields),
      ...(object === 'vendor' ? {} : { FullName: fields['Name'] }),
      ...this.#dates(record.createdAt, modifiedAt),
    }
  }

  #dates(createdAt: number, modifiedAt: number): Fields {
    if (this.#p.dates === 'absent') return {}
    return { CreatedDate: this.#date(createdAt), LastModifiedDate: this.#date(modifiedAt) }
  }

  #date(at: number): string {
    const iso = new Date(at + this.#p.skew).toISOString().slice(0, 19)
    switch (this.#p.dates) {
      case 'no offset':
        return iso
      case 'offset':
        return `${new Date(at + this.#p.skew + 2 * 3_600_000).toISOString().slice(0, 19)}+02:00`
      default:
        return `${iso}+00:00`
    }
  }
}

type Result = { readonly record: BookRecord | null } | { readonly refusal: string; readonly code: string }

export function latest({ versions }: BookRecord): Version {
  const last = versions.at(-1)
  if (last === undefined) throw new Error('A record without a version.')
  return last
}

export function idNow({ ids }: BookRecord): string {
  return ids.at(-1)?.id ?? ''
}

function idAt({ ids }: BookRecord, at: number): string {
  return ids.findLast(({ from }) => from <= at)?.id ?? ''
}

function isOf({ operation, recordId, edits }: Draft, fields: Fields): boolean {
  if (operation === null) return false
  const mark = textOf(fields[MARK_FIELD])
  if (mark !== '' && mark !== operation.operationId) return false
  if (operation.kind === 'change' && textOf(fields['ID']) !== recordId) return false
  return edits.every(({ path, now }) => {
    const value = fields[topField(path)]
    const member = path.includes('.') ? path.slice(path.indexOf('.') + 1) : null
    if (member === null) return textOf(value) === now
    return typeof value === 'object' && value !== null && (value as Fields)[member] === now
  })
}

/** Booleans and amounts are strings in answers (specification 2.1). */
function asText(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'number' ? value.toFixed(2) : typeof value === 'boolean' ? String(value) : value,
    ]),
  )
}

function item(kind: string, object: RecordData): Fields {
  return { Object: object, Errors: null, Self: null, Kind: kind }
}

interface EnvelopeMore {
  readonly page?: number
  readonly hasMore?: boolean
  readonly errors?: readonly unknown[]
  readonly hasUnlistedErrors?: boolean
}

function envelopeText(number: number, items: readonly Fields[], more: EnvelopeMore = {}): string {
  const errors = more.errors ?? []
  return JSON.stringify({
    Self: 'https://books.example/',
    Kind: 'collection',
    Page: more.page ?? 1,
    MoreData: more.hasMore ?? false,
    HasErrors:
      more.hasUnlistedErrors === true || errors.length > 0 || items.some((each) => each['Errors'] !== null),
    RequestId: `request-${number}`,
    Contents: items,
    Errors: errors.length > 0 ? errors : null,
  })
}

function envelope(number: number, items: readonly Fields[], more: EnvelopeMore = {}): Response {
  return new Response(envelopeText(number, items, more), { headers: { 'content-type': 'application/json' } })
}

function COMPANY({ application }: Personality): Fields {
  return {
    companyName: 'Alder & Finch',
    fullPath: 'C:\\Books\\Alder.qbw',
    endpoint: application,
    endpointId: ENDPOINT,
    id: 'r1',
    isActive: 'true',
    userId: 'u1',
    token: '',
    appName: 'Books',
  }
}

function shortPath(url: URL): string {
  return `${url.pathname.split('/').slice(-1).join('/')}${url.search}`
}

export function seconds(milliseconds: number): string {
  return milliseconds < 120_000
    ? `${(milliseconds / 1_000).toFixed(1)} s`
    : `${(milliseconds / 60_000).toFixed(1)} min`
}
