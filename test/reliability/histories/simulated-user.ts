/**
 * A simulated user: reads lists, types, sends, checks, decides by what the program shows, stops requests, lets the
 * machine sleep, and sometimes kills the program. Uses only the calls that the window uses.
 */
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/contract.ts'
import type { Batch, Draft, OpenedSet, Operation, ReadTimes } from '../../../shared/contract/records.ts'
import { withOffset } from '../../../shared/format/format.ts'
import { type RecordData, textOf, valueAt } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import { pick } from '../../unit/writing/random.ts'
import { type Books, ENDPOINT, seconds } from './books.ts'
import type { ClaimChecker } from './claims.ts'
import type { Personality } from './personality.ts'
import { CONNECTION_ID, type Program } from './program.ts'
import type { VirtualTime } from './virtual-time.ts'

const COMPANY = { connectionId: CONNECTION_ID, endpointId: ENDPOINT }
const HOUR = 3_600_000

/** Typical names in a small office's books. `#` is replaced by a unique number. */
const NAMES = [
  'Baker #',
  'Smith & Sons #',
  "O'Neil: Roofing #",
  'Café Zoë #',
  'Cafe\u0301 Noir #',
  '\ufb01ne Goods Ltd. #',
  '"Best" Foods #',
  'the  two   blanks #',
  'ALL CAPITALS #',
  'A long name of a company that trades in the north, branch #',
  'A <b>bold</b> one #',
  '１２ Wide Street #',
]

/** Longer than every deadline and pause of a call, in milliseconds. */
const CALL_TIMEOUT = HOUR

export interface SimulatedUserOptions {
  readonly random: () => number
  readonly personality: Personality
  readonly time: VirtualTime
  readonly books: Books
  readonly claims: ClaimChecker
  readonly log: (words: string) => void
  /** Whether lists are kept on this computer, and opened from there. */
  readonly keepLists: boolean
  readonly program: () => Program
  /** Kills the program and starts another one after some time. */
  readonly restart: () => Promise<void>
}

/** A record in a list, and which one it really is. */
interface SeenRecord {
  readonly uid: number | null
  readonly record: RecordData
}

/** A list as it was read or refreshed. A copy may have this content. */
interface Version {
  readonly set: Pick<OpenedSet, 'setId' | 'readAt' | 'endedAt'>
  /** The last **Refresh** with its whole answer. */
  readonly updated: ReadTimes | null
  readonly seen: readonly SeenRecord[]
}

export class SimulatedUser {
  readonly #options: SimulatedUserOptions
  /** The list on screen. */
  #list: { readonly uid: number; readonly record: RecordData }[] = []
  #setId: string | null = null
  /** The version from which the list on screen was opened. */
  #version: Version | null = null
  /** Every list that may have been copied. */
  readonly #versions: Version[] = []
  /** How many copies were opened. */
  copies = 0
  #unsent: string[] = []
  #count = 0
  readonly passed = new Set<string>()

  constructor(options: SimulatedUserOptions) {
    this.#options = options
  }

  get #object(): string {
    return this.#options.personality.object
  }

  /** Returns the answer, or `null` if it took too long, failed, or the program ended. */
  async #ask<Name extends CallName>(
    name: Name,
    input: CallInput<Name>,
    timeout = CALL_TIMEOUT,
  ): Promise<CallOutput<Name> | null> {
    const program = this.#options.program()
    let answer: CallOutput<Name> | null = null
    const asked = program.call(name, input).then((result) => {
      if (result.ok) answer = result.value
      else this.#options.log(`  ${name}: ${result.error.message}`)
    })
    await this.#options.time.until(asked, timeout, () => program.isDead)
    return answer
  }

  async open(): Promise<void> {
    await this.#ask('companies.refresh', { connectionId: CONNECTION_ID })
    await this.#ask('companies.opened', { company: COMPANY })
    if (this.#options.random() < 0.7) await this.#read()
  }

  /** After a restart, the window shows no list yet. */
  onRestarted(): void {
    this.#setId = null
    this.#version = null
    this.passed.clear()
  }

  async step(): Promise<void> {
    const { random, time, personality, keepLists } = this.#options
    if (keepLists && this.#setId === null) await this.#openKept()
    const steps: [share: number, step: () => Promise<unknown>][] = [
      [2, () => this.#read()],
      [3, () => this.#typeInserts()],
      [3, () => this.#typeChanges()],
      [5, () => this.#send()],
      [3, () => this.#decideAll()],
      [2, () => this.#checkNow()],
      [1, () => this.#resume()],
      [0.6, () => this.#editDraft()],
      [0.3, () => this.#stopBatch()],
      [0.4, () => this.#abandon()],
      [0.4, () => this.#sleep()],
      [keepLists ? 1.5 : 0.4, () => this.#options.restart()],
      ...(keepLists ? [[3, () => this.#refresh()] satisfies [number, () => Promise<unknown>]] : []),
    ]
    const all = steps.reduce((sum, [share]) => sum + share, 0)
    let at = random() * all
    for (const [share, step] of steps) {
      at -= share
      if (at > 0) continue
      await step()
      break
    }
    await time.advance(Math.floor(random() * personality.longestPause))
    await this.#readDrafts()
  }

  /** What is on screen now. */
  async #readDrafts(): Promise<readonly Draft[]> {
    const drafts = (await this.#ask('records.drafts', { company: COMPANY, object: this.#object })) ?? []
    this.#options.claims.onOperations(drafts.flatMap(({ operation }) => operation ?? []))
    return drafts
  }

  async #read(timeout?: number): Promise<boolean> {
    this.#options.log('reads the list')
    const read = await this.#readSet({ ids: [], modifiedFrom: null, modifiedTo: null }, timeout)
    if (read === null) return false
    await this.#show({ set: read.set, updated: null, seen: read.seen })
    return true
  }

  /** Reads a list with its rows. One that ends after the user stopped waiting may still be copied. */
  async #readSet(
    filter: CallInput<'records.open'>['filter'],
    timeout = CALL_TIMEOUT,
  ): Promise<{ readonly set: OpenedSet; readonly seen: readonly SeenRecord[] } | null> {
    const { time, log } = this.#options
    const program = this.#options.program()
    let read: { readonly set: OpenedSet; readonly seen: readonly SeenRecord[] } | null = null
    const asked = program
      .call('records.open', { company: COMPANY, object: this.#object, filter })
      .then(async (opened) => {
        if (!opened.ok) {
          log(`  records.open: ${opened.error.message}`)
          return
        }
        const set = opened.value
        const rows = await program.call('records.rows', { setId: set.setId, from: 0, count: 10_000 })
        if (!rows.ok) return
        const seen = this.#seen(rows.value)
        if (filter.modifiedFrom === null) this.#versions.push({ set, updated: null, seen })
        read = { set, seen }
      })
    await time.until(asked, timeout, () => program.isDead)
    return read
  }

  #seen({ bytes }: CallOutput<'records.rows'>): readonly SeenRecord[] {
    const records = JSON.parse(new TextDecoder().decode(bytes)) as RecordData[]
    return records.map((record) => ({
      uid: this.#options.books.uidOf(textOf(record['ID']), this.#options.time.now),
      record,
    }))
  }

  async #show(version: Version, seen = version.seen): Promise<void> {
    if (this.#setId !== null && this.#setId !== version.set.setId)
      await this.#ask('records.close', { setId: this.#setId })
    this.#setId = version.set.setId
    this.#version = version
    this.#list = seen.flatMap(({ uid, record }) => (uid === null ? [] : [{ uid, record }]))
  }

  /** Opens the kept copy, as a restarted window does, with what was saved since. */
  async #openKept(): Promise<void> {
    const { books, claims, log, time } = this.#options
    const kept = await this.#ask('records.openKept', { company: COMPANY, object: this.#object })
    if (kept === null) {
      if (this.copies > 0 && !this.#options.program().isDead)
        claims.report('copy gone or mixed', 'the copy is gone')
      return
    }
    const rows = await this.#ask('records.rows', { setId: kept.set.setId, from: 0, count: 10_000 })
    if (rows === null) return
    this.copies += 1
    const held = textOfRecords(this.#seen(rows))
    const version = this.#versions.findLast(
      ({ set, updated, seen }) =>
        set.readAt === kept.set.readAt &&
        updated?.readAt === kept.updated?.readAt &&
        textOfRecords(seen) === held,
    )
    if (version === undefined) {
      claims.report('copy gone or mixed', `the copy of ${kept.set.readAt} is none of what was read: ${held}`)
      return
    }
    log(`opens the copy of ${String(version.seen.length)} records`)
    const seen = new Map(version.seen.map((each) => [textOf(each.record['ID']), each]))
    for (const operation of kept.savedSince) {
      const id = textOf(operation.after?.['ID']) || operation.recordId
      const before = seen.get(id)
      if (before === undefined && operation.kind === 'change') continue
      const record = withValueAt(mergedRecord(before?.record ?? {}, operation), 'ID', id)
      seen.set(id, { uid: before?.uid ?? books.uidOf(id, time.now), record })
    }
    await this.#show({ ...version, set: kept.set }, [...seen.values()])
  }

  /** Reads the changes since the last read, and merges them into the list on screen. */
  async #refresh(): Promise<void> {
    const version = this.#version
    if (version === null || !haveOwnIds(version.seen)) return
    const { set, updated } = version
    const stamps = version.seen
      .map(({ record }) => Date.parse(textOf(record['LastModifiedDate'])))
      .filter((stamp) => !Number.isNaN(stamp))
    const asked = Date.parse((updated ?? set).readAt)
    const from = stamps.length === 0 ? asked - 24 * HOUR : Math.min(asked, Math.max(...stamps)) - HOUR / 6
    this.#options.log('refreshes the list')
    const read = await this.#readSet({ ids: [], modifiedFrom: withOffset(new Date(from)), modifiedTo: null })
    if (read === null || !haveOwnIds(read.seen)) return
    const seen = new Map([...version.seen, ...read.seen].map((each) => [textOf(each.record['ID']), each]))
    const next: Version = {
      set,
      updated: read.set.isWhole ? { readAt: read.set.readAt, endedAt: read.set.endedAt } : updated,
      seen: [...seen.values()],
    }
    // Recorded before the merge, because the program may be killed during it.
    this.#versions.push(next)
    const merged = await this.#ask('records.merge', { setId: set.setId, newerId: read.set.setId })
    if (merged === null) return
    const shown = new Map(this.#list.map((each) => [textOf(each.record['ID']), each]))
    await this.#show(next, [
      ...new Map([...shown, ...read.seen.map((each) => [textOf(each.record['ID']), each] as const)]).values(),
    ])
  }

  #newName(): string {
    const { random } = this.#options
    this.#count += 1
    const [taken] = this.#list.toSorted(() => random() - 0.5)
    if (random() < 0.12 && taken !== undefined) return textOf(taken.record['Name'])
    return pick(random, NAMES).replace('#', String(this.#count))
  }

  async #typeInserts(): Promise<void> {
    const { random, claims, log } = this.#options
    const count = 1 + Math.floor(random() * 4)
    const drafts = Array.from({ length: count }, () => {
      const name = this.#newName()
      const draftId = `draft-${this.#count}`
      const own = `555-${1_000 + this.#count}`
      const more = pick<[string, string][]>(random, this.#ownFields(own))
      const edits = [['Name', name], ...more].map(([path = '', now = '']) => ({ path, was: null, now }))
      claims.recordEdit(draftId, name, null)
      log(`types a new “${name}”${more.map(([path, value]) => `, ${path} ${value}`).join('')}`)
      return { draftId, kind: 'insert' as const, recordId: '', before: {}, edits }
    })
    await this.#save(drafts)
  }

  /** The fields of an insert besides its name; sometimes none. */
  #ownFields(own: string): [string, string][][] {
    switch (this.#object) {
      case 'customer':
        return [
          [],
          [['Phone', own]],
          [['Phone', own]],
          [['BillingAddress.City', own]],
          [
            ['Email', `${own}@o.example`],
            ['Phone', own],
          ],
        ]
      case 'vendor':
        return [[], [['Phone', own]], [['Address.City', own]], [['CompanyName', own]]]
      default:
        return [[], [['Number', own]], [['Description', own]]]
    }
  }

  async #typeChanges(): Promise<void> {
    const { random, claims, log } = this.#options
    if (this.#list.length === 0) return
    const drafted = new Set((await this.#readDrafts()).map(({ recordId }) => recordId))
    const free = this.#list
      .filter(({ record }) => !drafted.has(textOf(record['ID'])))
      .toSorted(() => random() - 0.5)
    const drafts = free.slice(0, 1 + Math.floor(random() * 3)).map(({ uid, record }) => {
      this.#count += 1
      const draftId = `draft-${this.#count}`
      const own = `777-${1_000 + this.#count}`
      const path = pick(
        random,
        this.#object === 'account'
          ? ['Description', 'Number', 'Name']
          : ['Phone', 'Phone', 'CompanyName', 'Name'],
      )
      const name = textOf(record['Name'])
      const given = path === 'Name' ? this.#newName() : own
      const now = given === name ? `${name} ${this.#count}` : given
      claims.recordEdit(draftId, name, uid)
      log(`changes ${path} of “${name}” (${textOf(record['ID'])}, record ${uid}) to ${now}`)
      const edits = [{ path, was: valueAt(this.#object, record, path), now }]
      return { draftId, kind: 'change' as const, recordId: textOf(record['ID']), before: record, edits }
    })
    await this.#save(drafts)
  }

  async #save(drafts: CallInput<'records.saveDrafts'>['drafts']): Promise<void> {
    const saved = await this.#ask('records.saveDrafts', { company: COMPANY, object: this.#object, drafts })
    const refused = new Set(saved?.refused.map(({ draftId }) => draftId))
    for (const { draftId } of drafts) {
      if (saved === null || refused.has(draftId)) this.#options.claims.recordDiscard(draftId)
      else this.#unsent.push(draftId)
    }
  }

  /** Edits another field of a draft. Refused while it is being sent or waits for a decision. */
  async #editDraft(): Promise<void> {
    const { random, log } = this.#options
    // A saved record is edited as a change.
    const free = (await this.#readDrafts()).filter(({ operation }) => operation?.state !== 'acked')
    const [draft] = free.toSorted(() => random() - 0.5)
    if (draft === undefined) return
    this.#count += 1
    const { draftId, kind, recordId, before } = draft
    const path = this.#object === 'account' ? 'BankNumber' : 'CompanyName'
    const was = kind === 'insert' ? null : valueAt(this.#object, before, path)
    const edits = [
      ...draft.edits.filter((edit) => edit.path !== path),
      { path, was, now: `edit ${this.#count}` },
    ]
    const drafts = [{ draftId, kind, recordId, before, edits }]
    const saved = await this.#ask('records.saveDrafts', { company: COMPANY, object: this.#object, drafts })
    if (saved === null || saved.refused.length > 0) return
    log(`edits “${textOf(edits[0]?.now)}” once more`)
    if (!this.#unsent.includes(draftId)) this.#unsent.push(draftId)
  }

  async #send(): Promise<void> {
    const { random, claims, log } = this.#options
    const draftIds = this.#unsent.splice(0)
    if (draftIds.length === 0) return
    log(`sends ${draftIds.length}`)
    claims.recordSend(draftIds)
    const timeout = random() < 0.3 ? Math.floor(random() * 20_000) : CALL_TIMEOUT
    const batch = await this.#ask(
      'records.send',
      { company: COMPANY, object: this.#object, draftIds },
      timeout,
    )
    if (batch === null && timeout === CALL_TIMEOUT) {
      // Refused: they are still drafts, and are sent another time.
      const tied = new Set(
        (await this.#readDrafts()).flatMap(({ draftId, operation }) => (operation === null ? [] : [draftId])),
      )
      this.#unsent.push(...draftIds.filter((draftId) => !tied.has(draftId)))
    }
  }

  async #checkNow(timeout = 10 * 60_000): Promise<void> {
    const operations = (await this.#readDrafts()).flatMap(({ operation }) => operation ?? [])
    const operationIds = operations
      .filter(({ state }) => state === 'unknown' || state === 'held')
      .map(({ operationId }) => operationId)
    if (operationIds.length === 0) return
    this.#options.log(`checks ${operationIds.length} now`)
    await this.#ask('records.checkNow', { company: COMPANY, operationIds }, timeout)
    await this.#readDrafts()
  }

  async #decideAll(): Promise<void> {
    for (const draft of await this.#readDrafts()) {
      if (draft.operation !== null && this.#options.random() < 0.7) await this.#decide(draft, draft.operation)
    }
  }

  async #decide(draft: Draft, operation: Operation): Promise<void> {
    const { random, claims, log } = this.#options
    const { operationId, recordName } = operation
    switch (operation.state) {
      case 'held': {
        const ours = operation.candidates.find((record) => this.#looksLikeOurs(operation, record))
        if (ours !== undefined && random() < 0.8) {
          const recordId = textOf(ours['ID'])
          log(`says that “${recordName}” is “${textOf(ours['Name'])}” (${recordId})`)
          const done = await this.#ask('records.decide', {
            operationId,
            decision: { what: 'claim', recordId },
          })
          if (done !== null) claims.recordClaim(operation)
        } else if (ours === undefined && random() < 0.75) {
          const dismissed = operation.candidates.map((record) => textOf(record['ID']))
          log(
            `says to send “${recordName}” again${dismissed.length > 0 ? `, beside ${dismissed.join(', ')}` : ''}`,
          )
          claims.recordResend(operation)
          await this.#ask('records.decide', { operationId, decision: { what: 'send-again', dismissed } })
          await this.#options.time.advance(Math.floor(random() * 30_000))
        } else await this.#discard(draft, operation)
        return
      }
      case 'conflict':
        if (operation.conflicts.length > 0 && random() < 0.8) await this.#choose(draft, operation)
        else await this.#discard(draft, operation)
        return
      case 'acked':
        log(`has seen “${recordName}”`)
        await this.#ask('records.decide', { operationId, decision: { what: 'seen' } })
        return
      case 'rejected':
        if (random() < 0.5) this.#unsent.push(draft.draftId)
        else await this.#discard(draft, operation)
        return
      case 'queued':
      case 'sending':
      case 'unknown':
        return
    }
  }

  /** Whether a user would recognize it: it has the same values, or a similar name if nothing else was typed. */
  #looksLikeOurs({ edits }: Operation, record: RecordData): boolean {
    const others = edits.filter(({ path }) => path !== 'Name')
    if (others.length > 0) return others.every(({ path, now }) => valueAt(this.#object, record, path) === now)
    const [typed, shown] = [edits[0]?.now, record['Name']].map((name) =>
      textOf(name)
        .normalize('NFKD')
        .toLowerCase()
        .replace(/&amp;|[^\p{L}\p{N}]/gu, ''),
    )
    return typed !== undefined && shown !== undefined && shown !== '' && typed.startsWith(shown)
  }

  async #discard({ draftId }: Draft, { operationId, recordName, state }: Operation): Promise<void> {
    this.#options.log(`discards “${recordName}”, which is ${state}`)
    const isRejected = state === 'rejected'
    const done = isRejected
      ? await this.#ask('records.discardDrafts', { company: COMPANY, draftIds: [draftId] })
      : await this.#ask('records.decide', { operationId, decision: { what: 'discard' } })
    if (done !== null) this.#options.claims.recordDiscard(draftId)
  }

  async #choose(draft: Draft, operation: Operation): Promise<void> {
    const { random, claims, books, log, time } = this.#options
    const choices = Object.fromEntries(
      operation.conflicts.map(({ path }) => [
        path,
        random() < 0.5 ? ('theirs' as const) : ('yours' as const),
      ]),
    )
    log(`chooses for “${operation.recordName}”: ${JSON.stringify(choices)}`)
    const done = await this.#ask('records.decide', {
      operationId: operation.operationId,
      decision: { what: 'choose', choices },
    })
    if (done === null) {
      await this.#discard(draft, operation)
      return
    }
    const left = (await this.#readDrafts()).find(({ draftId }) => draftId === draft.draftId)
    if (left === undefined) {
      claims.recordDiscard(draft.draftId)
      return
    }
    // The record at the time when both versions were shown. Its ID may identify another one by now, which the guard
    // detects.
    const shownAt = operation.settledAt === null ? time.now : Date.parse(operation.settledAt)
    claims.recordChoice(left, books.uidOf(left.recordId, shownAt))
    this.#unsent.push(draft.draftId)
  }

  async #resume(): Promise<void> {
    await this.#ask('activity.resume', { connectionId: CONNECTION_ID })
    const batches = (await this.#ask('records.batches', { company: COMPANY, object: this.#object })) ?? []
    const drafts = await this.#readDrafts()
    for (const { batchId, unsent, phase } of batches) {
      if (unsent === 0 || (phase !== 'paused' && phase !== 'stopped')) continue
      this.#options.log('goes on with a batch')
      for (const { operation } of drafts) {
        if (operation?.state === 'unknown' && operation.rechecks >= 2) this.passed.add(operation.operationId)
      }
      await this.#ask('records.resumeBatch', { batchId })
    }
  }

  async #stopBatch(): Promise<void> {
    const batches: readonly Batch[] =
      (await this.#ask('records.batches', { company: COMPANY, object: this.#object })) ?? []
    const open = batches.find(({ unsent }) => unsent > 0)
    if (open === undefined) return
    this.#options.log('stops a batch')
    await this.#ask('records.stopBatch', { batchId: open.batchId })
  }

  async #abandon(): Promise<void> {
    const queues = (await this.#ask('activity.queues', {})) ?? []
    const entryId = queues[0]?.running?.entryId
    if (entryId === undefined) return
    this.#options.log('stops what is running')
    await this.#ask('activity.stop', { entryId })
  }

  async #sleep(): Promise<void> {
    const { random, time, log, program } = this.#options
    const length = Math.floor(random() * random() * 10 * HOUR)
    log(`closes the laptop for ${seconds(length)}`)
    const isWokenFirst = random() < 0.5
    await time.sleep(length)
    if (program().isDead) return
    if (isWokenFirst) program().wake()
    time.deliver()
    if (!isWokenFirst) program().wake()
    await time.drain()
  }

  /** Checks and continues until nothing changes anymore. */
  async finish(): Promise<readonly Draft[]> {
    const { time, log } = this.#options
    log('in the end: the service is honest and prompt, and all that was late has come')
    await time.advance(8 * HOUR)
    for (let round = 0; round < 3; round += 1) {
      await this.#ask('activity.resume', { connectionId: CONNECTION_ID })
      await this.#read(20 * 60_000)
      await this.#checkNow(20 * 60_000)
      await time.advance(5 * 60_000)
      if (round === 0 && this.#options.random() < 0.5) await this.#decideAll()
    }
    return this.#readDrafts()
  }
}

/** Equal for the same records in any order. */
function textOfRecords(seen: readonly SeenRecord[]): string {
  return seen
    .map(({ record }) => JSON.stringify(record))
    .toSorted()
    .join()
}

function haveOwnIds(seen: readonly SeenRecord[]): boolean {
  return new Set(seen.map(({ record }) => textOf(record['ID']))).size === seen.length
}
