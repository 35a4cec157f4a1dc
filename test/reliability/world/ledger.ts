/**
 * Compares what a user intended with the service's books and the program's journal, record by record: lost, doubled,
 * wrongly reported, sent without permission, and simultaneous requests.
 */
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import type { LoggedRequest } from '../../sample-server/request-log.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { LIST, pause, type Person, type ShownOperation } from './person.ts'

/** A record that was sent, identified by its unique phone number. */
interface Intent {
  readonly draftId: string
  readonly kind: 'insert' | 'change'
  readonly name: string
  readonly phone: string
  readonly recordId: string
  /** How often the user said to send it. */
  permissions: number
  /** The user doesn't want it anymore. What was sent before may or may not be there. */
  isDiscarded: boolean
}

/** Counts of the things that must never happen. */
export interface Violations {
  lost: number
  doubled: number
  wronglyReported: number
  sentWithoutPermission: number
  simultaneous: number
}

export const NO_VIOLATIONS: Violations = {
  lost: 0,
  doubled: 0,
  wronglyReported: 0,
  sentWithoutPermission: 0,
  simultaneous: 0,
}

/** How long to wait for a request, by the wall clock. */
export interface Deadlines {
  readonly readMilliseconds: number
  readonly writeMilliseconds: number
}

export class Ledger {
  readonly #server: SampleServer
  readonly #intents = new Map<string, Intent>()
  /** Bodies of writes as they arrived at the service. */
  readonly #writes: string[] = []
  #simultaneous = 0
  #deadlines: Deadlines = { readMilliseconds: Infinity, writeMilliseconds: Infinity }

  constructor(server: SampleServer) {
    this.#server = server
  }

  /** How many simultaneous requests were counted. */
  get simultaneous(): number {
    return this.#simultaneous
  }

  get size(): number {
    return this.#intents.size
  }

  /** Drafts an insert, and remembers the intention. */
  async insert(person: Person, draftId: string, name: string, phone: string): Promise<string> {
    await person.draftInsert(draftId, name, phone)
    this.#intents.set(draftId, {
      draftId,
      kind: 'insert',
      name,
      phone,
      recordId: '',
      permissions: 0,
      isDiscarded: false,
    })
    return draftId
  }

  async change(person: Person, draftId: string, record: RecordData, phone: string): Promise<string> {
    await person.draftChange(draftId, record, phone)
    const name = textOf(record['Name'])
    this.#intents.set(draftId, {
      draftId,
      kind: 'change',
      name,
      phone,
      recordId: textOf(record['ID']),
      permissions: 0,
      isDiscarded: false,
    })
    return draftId
  }

  /** The user says to send these, for the first time or again. */
  allowSend(draftIds: readonly string[]): void {
    for (const draftId of draftIds) {
      const intent = this.#intents.get(draftId)
      if (intent !== undefined) intent.permissions += 1
    }
  }

  /**
   * The user has discarded it.
   * @param wasQueued it wasn't sent since they last said so, so that permission is canceled
   */
  discarded(draftId: string, wasQueued: boolean): void {
    const intent = this.#intents.get(draftId)
    if (intent === undefined) return
    intent.isDiscarded = true
    if (wasQueued) intent.permissions -= 1
  }

  /** Collects what has arrived at the service. Call it before the test itself makes a request. */
  countRequests(): void {
    const { requests } = this.#server.counters()
    this.#simultaneous += requests.filter((request, index) =>
      this.#isSimultaneous(request, requests.slice(0, index)),
    ).length
    for (const { method, body } of requests) if (method !== 'GET') this.#writes.push(body)
    this.#server.control({ clearRequests: true })
  }

  /** From now on, limits how long to wait for each request. */
  setDeadlines(deadlines: Deadlines): void {
    this.#deadlines = deadlines
  }

  /**
   * It arrived while another one was running. One that ran past its deadline may be abandoned (decisions.md, "one request
   * at a time"): if a service hangs that long, as on a busy computer, the caller isn't at fault.
   */
  #isSimultaneous({ second, at }: LoggedRequest, before: readonly LoggedRequest[]): boolean {
    if (!second) return false
    const atWork = before.findLast((request) => !request.second)
    if (atWork === undefined) return true
    const { readMilliseconds, writeMilliseconds } = this.#deadlines
    const deadline = atWork.method === 'GET' ? readMilliseconds : writeMilliseconds
    return Date.parse(at) - Date.parse(atWork.at) < deadline
  }

  /** The service's own list. No request may be running. */
  async #books(person: Person): Promise<readonly RecordData[]> {
    for (let tries = 0; tries < 100; tries += 1) {
      const answer = await fetch(`${this.#server.url}/v2/data/${person.company.endpointId}/${LIST}`, {
        headers: { 'x-api-key': this.#server.key },
      })
      const { Contents } = (await answer.json()) as { Contents: readonly { readonly Object: RecordData }[] }
      if (answer.ok) return Contents.map((item) => item.Object)
      // The service hasn't noticed yet that a caller has gone.
      await pause(10)
    }
    throw new Error('The service does not show its books.')
  }

  /**
   * Compares record by record. The user is idle, and the service's faults are off.
   * @returns the counts and a description of each finding
   */
  async compare(
    person: Person,
  ): Promise<{ readonly violations: Violations; readonly findings: readonly string[] }> {
    this.countRequests()
    const books = await this.#books(person)
    this.#server.control({ clearRequests: true })
    const draftIds = new Set((await person.drafts()).map(({ draftId }) => draftId))
    const operations = Map.groupBy(await person.operations(), ({ phone }) => phone)
    const violations = { ...NO_VIOLATIONS, simultaneous: this.#simultaneous }
    const findings: string[] = this.#simultaneous === 0 ? [] : [`${this.#simultaneous} simultaneous requests`]
    const note = (what: keyof Violations, words: string): void => {
      violations[what] += 1
      findings.push(words)
    }
    for (const intent of this.#intents.values()) {
      const of = operations.get(intent.phone) ?? []
      const held = books.filter((record) => record['Phone'] === intent.phone)
      const sent = this.#writes.filter((body) => body.includes(JSON.stringify(intent.phone))).length
      const summary = `${intent.kind} ${intent.phone}: ${held.length} in the books, sent ${sent} times, allowed ${intent.permissions} times, journal:  ${of.map(({ state }) => state).join(', ') || 'nothing'}`
      if (held.length > 1) note('doubled', `doubled: ${summary}`)
      if (intent.isDiscarded) {
        if (sent > intent.permissions)
          note('sentWithoutPermission', `sent although it was discarded: ${summary}`)
        if (draftIds.has(intent.draftId)) note('wronglyReported', `still a draft: ${summary}`)
        continue
      }
      if (of.length === 0 && !draftIds.has(intent.draftId)) note('lost', `lost: ${summary}`)
      if (
        held.length > 0 &&
        of.every((operation) => operation.state === 'rejected' || isReportedMissing(operation, intent.phone))
      ) {
        note('lost', `done without being reported: ${summary}`)
      }
      if (sent > intent.permissions) note('sentWithoutPermission', `sent without permission: ${summary}`)
      for (const operation of of) {
        const wrong = contradiction(operation, intent, held)
        if (wrong !== '') note('wronglyReported', `${wrong}: ${summary}`)
      }
    }
    return { violations, findings }
  }
}

/** Held, without showing the record that it created. */
function isReportedMissing({ state, candidates = [] }: ShownOperation, phone: string): boolean {
  return state === 'held' && !candidates.some((record) => record['Phone'] === phone)
}

/** What a state claims that the books contradict; empty if nothing. */
function contradiction(operation: ShownOperation, intent: Intent, held: readonly RecordData[]): string {
  switch (operation.state) {
    case 'acked': {
      if (operation.notAsSent.length > 0) return ''
      const [record] = held
      if (record === undefined) return 'reported as done'
      const isRight =
        intent.kind === 'change' ? record['ID'] === intent.recordId : record['Name'] === intent.name
      return isRight && record['ID'] === operation.recordId ? '' : 'reported as done on another record'
    }
    case 'rejected':
      // A later sending of the same draft may have succeeded.
      return held.length > 0 && intent.permissions === 1 ? 'reported as not accepted' : ''
    case 'held':
      return held.length > 0 && isReportedMissing(operation, intent.phone) ? 'held although it is there' : ''
    case 'queued':
      return held.length > 0 ? 'queued although it is there' : ''
    case 'conflict':
    case 'unknown':
      return ''
    case 'sending':
      return 'still being sent although nothing is on its way'
  }
}
