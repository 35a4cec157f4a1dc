/** Opens a list from its copy and refreshes it, with the window's calls and by its rules. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { OpenedSet, ReadTimes } from '../../../shared/contract/records.ts'
import { withOffset } from '../../../shared/format/format.ts'
import { type RecordData, textOf } from '../../../shared/records/changes.ts'
import { mergedRecord, withValueAt } from '../../../shared/records/outcome.ts'
import { value } from '../../result.ts'
import type { SampleServer } from '../../sample-server/server.ts'
import { type Caller, pause } from '../world/person.ts'

/** Records by ID, each as text that is equal if their values are. */
export type Content = ReadonlyMap<string, string>

/** The window requests changes since this long before the last read. */
const OVERLAP = 10 * 60_000

export function contentOf(records: readonly RecordData[]): Content {
  return new Map(records.map((record) => [textOf(record['ID']), JSON.stringify(comparable(record))]))
}

/** With sorted members, and with numbers as text, as in the window. */
function comparable(held: unknown): unknown {
  if (typeof held === 'number') return String(held)
  if (typeof held !== 'object' || held === null) return held
  if (Array.isArray(held)) return held.map(comparable)
  const members = held as RecordData
  return Object.fromEntries(
    Object.keys(members)
      .toSorted()
      .map((name) => [name, comparable(members[name])]),
  )
}

/** The service's records. No request may be running. */
export async function booksOf(
  server: SampleServer,
  { endpointId }: CompanyRef,
  object: string,
): Promise<readonly RecordData[]> {
  for (;;) {
    const answer = await fetch(`${server.url}/v2/data/${endpointId}/${object}`, {
      headers: { 'x-api-key': server.key },
    })
    const { Contents } = (await answer.json()) as { Contents: readonly { readonly Object: RecordData }[] }
    if (answer.ok) return Contents.map(({ Object: record }) => record)
    await pause(10)
  }
}

/** Someone else edits records in the application. */
export async function editElsewhere(
  server: SampleServer,
  { endpointId }: CompanyRef,
  object: string,
  records: readonly RecordData[],
): Promise<void> {
  const answer = await fetch(`${server.url}/v2/data/${endpointId}/${object}`, {
    method: 'PATCH',
    headers: { 'x-api-key': server.key, 'content-type': 'application/json' },
    body: JSON.stringify(records),
  })
  const { HasErrors } = (await answer.json()) as { readonly HasErrors: boolean }
  if (HasErrors) throw new Error('The service refused an edit.')
}

/** A list on screen. */
export class ShownList {
  readonly set: OpenedSet
  /** When **Refresh** last received its complete response. */
  updated: ReadTimes | null
  /** The content of the copy or the response, without what was saved from here since. */
  content: Content
  readonly #call: Caller
  readonly #records: Map<string, RecordData>
  /** The latest stamp in complete answers of the service. */
  #latest: number

  private constructor(
    call: Caller,
    set: OpenedSet,
    updated: ReadTimes | null,
    records: readonly RecordData[],
  ) {
    this.#call = call
    this.set = set
    this.updated = updated
    this.content = contentOf(records)
    this.#records = new Map(records.map((record) => [textOf(record['ID']), record]))
    this.#latest = latestStamp(records)
  }

  /** @returns `null` if no copy is kept */
  static async fromCopy(call: Caller, company: CompanyRef, object: string): Promise<ShownList | null> {
    const kept = value(await call('records.openKept', { company, object }))
    if (kept === null) return null
    const list = new ShownList(call, kept.set, kept.updated, await held(call, kept.set))
    for (const operation of kept.savedSince) {
      const id = textOf(operation.after?.['ID']) || operation.recordId
      const before = list.#records.get(id)
      if (before === undefined && operation.kind === 'change') continue
      list.#records.set(id, withValueAt(mergedRecord(before ?? {}, operation), 'ID', id))
    }
    return list
  }

  static async fromService(call: Caller, company: CompanyRef, object: string): Promise<ShownList> {
    const filter = { ids: [], modifiedFrom: null, modifiedTo: null }
    const set = value(await call('records.open', { company, object, filter }))
    return new ShownList(call, set, null, await held(call, set))
  }

  get records(): readonly RecordData[] {
    return [...this.#records.values()]
  }

  /** The records on screen. */
  get shown(): Content {
    return contentOf(this.records)
  }

  /**
   * Requests the changes since the last read. `merge` adds them to the list and its copy.
   * @param from the start in the service's time, if the program has a fast clock
   */
  async changes(from = Infinity): Promise<{ readonly set: OpenedSet; readonly merge: () => Promise<void> }> {
    const { company, object, readAt } = this.set
    const took = Date.parse(this.set.endedAt) - Date.parse(readAt)
    const asked = Date.parse((this.updated ?? this.set).readAt)
    const since = Math.min(from, asked, this.#latest) - took - OVERLAP
    const filter = { ids: [], modifiedFrom: withOffset(new Date(since)), modifiedTo: null }
    const newer = value(await this.#call('records.open', { company, object, filter }))
    const records = await held(this.#call, newer)
    return {
      set: newer,
      merge: async () => {
        value(await this.#call('records.merge', { setId: this.set.setId, newerId: newer.setId }))
        for (const record of records) this.#records.set(textOf(record['ID']), record)
        this.content = new Map([...this.content, ...contentOf(records)])
        if (!newer.isWhole) return
        this.updated = { readAt: newer.readAt, endedAt: newer.endedAt }
        this.#latest = Math.max(this.#latest, latestStamp(records))
      },
    }
  }

  /** @param from as for `changes` */
  async refresh(from?: number): Promise<void> {
    const { merge } = await this.changes(from)
    await merge()
  }

  async close(): Promise<void> {
    value(await this.#call('records.close', { setId: this.set.setId }))
  }
}

async function held(call: Caller, { setId, count }: OpenedSet): Promise<readonly RecordData[]> {
  const chunk = value(await call('records.rows', { setId, from: 0, count }))
  return JSON.parse(new TextDecoder().decode(chunk.bytes)) as RecordData[]
}

function latestStamp(records: readonly RecordData[]): number {
  return Math.max(...records.map((record) => Date.parse(textOf(record['LastModifiedDate']))))
}
