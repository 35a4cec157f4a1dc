/**
 * Compares what a user intended with the service's books and the program's journal, record by record: lost, doubled,
 * wrongly reported, sent without permission, and simultaneous requests.
 */
import { textOf, type RecordData } from '../../../shared/records/changes.ts'
import type { LoggedRequest } from '../../sample-server/request-log.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { LIST, pause, type Person, type ToldOperation } from './person.ts'

/** A record that was sent, identified by its unique phone number. */
interface Meant {
  readonly draftId: string
  readonly kind: 'insert' | 'change'
  readonly name: string
  readonly phone: string
  readonly recordId: string
  /** How often the user said to send it. */
  words: number
  /** The user doesn't want it anymore. What was sent before may or may not be there. */
  isDropped: boolean
}

/** Counts of the things that must never happen. */
export interface Toll {
  lost: number
  doubled: number
  wronglyReported: number
  sentWithoutWord: number
  beside: number
}

export const NOTHING: Toll = { lost: 0, doubled: 0, wronglyReported: 0, sentWithoutWord: 0, beside: 0 }

/** How long to wait for a request, by the wall clock. */
export interface Deadlines {
  readonly readMilliseconds: number
  readonly writeMilliseconds: number
}

export class Ledger {
  readonly #server: SampleServer
  readonly #meant = new Map<string, Meant>()
  /** Bodies of writes as they arrived at the service. */
  readonly #writes: string[] = []
  #beside = 0
  #deadlines: Deadlines = { readMilliseconds: Infinity, writeMilliseconds: Infinity }

  constructor(server: SampleServer) {
    this.#server = server
  }

  /** How many simultaneous requests were counted. */
  get beside(): number {
    return this.#beside
  }

  get size(): number {
    return this.#meant.size
  }

  /** Drafts an insert, and remembers the intention. */
  async insert(person: Person, draftId: string, name: string, phone: string): Promise<string> {
    await person.draftInsert(draftId, name, phone)
    this.#meant.set(draftId, {
      draftId,
      kind: 'insert',
      name,
      phone,
      recordId: '',
      words: 0,
      isDropped: false,
    })
    return draftId
  }

  async change(person: Person, draftId: string, record: RecordData, phone: string): Promise<string> {
    await person.draftChange(draftId, record, phone)
    const name = textOf(record['Name'])
    this.#meant.set(draftId, {
      draftId,
      kind: 'change',
      name,
      phone,
      recordId: textOf(record['ID']),
      words: 0,
      isDropped: false,
    })
    return draftId
  }

  /** The user says to send these, for the first time or again. */
  word(draftIds: readonly string[]): void {
    for (const draftId of draftIds) {
      const meant = this.#meant.get(draftId)
      if (meant !== undefined) meant.words += 1
    }
  }

  /**
   * The user has discarded it.
   * @param wasQueued it wasn't sent since they last said so, so that permission is canceled
   */
  discarded(draftId: string, wasQueued: boolean): void {
    const meant = this.#meant.get(draftId)
    if (meant === undefined) return
    meant.isDropped = true
    if (wasQueued) meant.words -= 1
  }

  /** Collects what has arrived at the service. Call it before the test itself makes a request. */
  countRequests(): void {
    const { requests } = this.#server.counters()
    this.#beside += requests.filter((request, index) =>
      this.#isBeside(request, requests.slice(0, index)),
    ).length
    for (const { method, body } of requests) if (method !== 'GET') this.#writes.push(body)
    this.#server.control({ clearRequests: true })
  }

  /** From now on, limits how long to wait for each request. */
  waitsFor(deadlines: Deadlines): void {
    this.#deadlines = deadlines
  }

  /**
   * It arrived while another one was running. One that ran past its deadline may be abandoned (decisions.md, "one request
   * at a time"): if a service hangs that long, as on a busy computer, the caller isn't at fault.
   */
  #isBeside({ second, at }: LoggedRequest, before: readonly LoggedRequest[]): boolean {
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
  async compare(person: Person): Promise<{ readonly toll: Toll; readonly findings: readonly string[] }> {
    this.countRequests()
    const books = await this.#books(person)
    this.#server.control({ clearRequests: true })
    const draftIds = new Set((await person.drafts()).map(({ draftId }) => draftId))
    const operations = Map.groupBy(await person.operations(), ({ phone }) => phone)
    const toll = { ...NOTHING, beside: this.#beside }
    const findings: string[] = this.#beside === 0 ? [] : [`${this.#beside} requests beside another`]
    const note = (what: keyof Toll, words: string): void => {
      toll[what] += 1
      findings.push(words)
    }
    for (const meant of this.#meant.values()) {
      const of = operations.get(meant.phone) ?? []
      const held = books.filter((record) => record['Phone'] === meant.phone)
      const sent = this.#writes.filter((body) => body.includes(JSON.stringify(meant.phone))).length
      const say = `${meant.kind} ${meant.phone}: ${held.length} in the books, sent ${sent} times by ${meant.words} words, journal says ${of.map(({ state }) => state).join(', ') || 'nothing'}`
      if (held.length > 1) note('doubled', `doubled: ${say}`)
      if (meant.isDropped) {
        if (sent > meant.words) note('sentWithoutWord', `sent although it was discarded: ${say}`)
        if (draftIds.has(meant.draftId)) note('wronglyReported', `still a draft: ${say}`)
        continue
      }
      if (of.length === 0 && !draftIds.has(meant.draftId)) note('lost', `lost: ${say}`)
      if (
        held.length > 0 &&
        of.every((operation) => operation.state === 'rejected' || isToldMissing(operation, meant.phone))
      ) {
        note('lost', `done and nobody knows: ${say}`)
      }
      if (sent > meant.words) note('sentWithoutWord', `sent without a word: ${say}`)
      for (const operation of of) {
        const wrong = wrongWord(operation, meant, held)
        if (wrong !== '') note('wronglyReported', `${wrong}: ${say}`)
      }
    }
    return { toll, findings }
  }
}

/** Held, without showing the record that it created. */
function isToldMissing({ state, candidates = [] }: ToldOperation, phone: string): boolean {
  return state === 'held' && !candidates.some((record) => record['Phone'] === phone)
}

/** What a state claims that the books contradict; empty if nothing. */
function wrongWord(operation: ToldOperation, meant: Meant, held: readonly RecordData[]): string {
  switch (operation.state) {
    case 'acked': {
      if (operation.notAsSent.length > 0) return ''
      const [record] = held
      if (record === undefined) return 'reported as done'
      const isRight =
        meant.kind === 'change' ? record['ID'] === meant.recordId : record['Name'] === meant.name
      return isRight && record['ID'] === operation.recordId ? '' : 'reported as done on another record'
    }
    case 'rejected':
      // A later sending of the same draft may have succeeded.
      return held.length > 0 && meant.words === 1 ? 'reported as not accepted' : ''
    case 'held':
      return held.length > 0 && isToldMissing(operation, meant.phone) ? 'held although it is there' : ''
    case 'queued':
      return held.length > 0 ? 'queued although it is there' : ''
    case 'conflict':
    case 'unknown':
      return ''
    case 'sending':
      return 'still being sent although nothing is on its way'
  }
}
