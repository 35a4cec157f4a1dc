/** A user's actions as calls of the window. Works in this process and across processes. */
import type { BackgroundReading, ListPosition } from '../../../shared/contract/all-companies.ts'
import type { CallInput, CallName, CallOutput } from '../../../shared/contract/contract.ts'
import type { HistoryEntry, HistoryOutcome, HistoryRecord } from '../../../shared/contract/history.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type { Batch, Draft, Operation, OperationState } from '../../../shared/contract/records.ts'
import { type EditValue, type RecordData, textOf } from '../../../shared/records/changes.ts'
import { err, type Result } from '../../../shared/result.ts'
import { value } from '../../result.ts'
import { CONNECTION_ID } from './core-parts.ts'

export type Caller = <Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
) => Promise<Result<CallOutput<Name>>>

/** The list that the tests use. */
export const LIST = 'customer'

const EVERYTHING = { ids: [], modifiedFrom: null, modifiedTo: null } as const
/** Milliseconds between two checks whether everything has settled. */
const POLL_INTERVAL = 25
const MAX_POLLS = 2_400
/** After failed rechecks, the program waits up to minutes before the next one, but the user doesn't. */
const RECHECK_AFTER_POLLS = 600

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

/** A part of an answer that comes list by list. `next` is what the next part comes after, or `null` after the last. */
interface ListsPart<List> {
  readonly lists: readonly List[]
  readonly next: ListPosition | null
  readonly waiting: number
}

/**
 * All parts of an answer that comes list by list. Starts over while lists are still being opened.
 * @param ask gets the part after a list, or the first one
 */
export async function collectLists<List>(
  ask: (after: ListPosition | null) => Promise<Result<ListsPart<List>>>,
): Promise<readonly List[]> {
  const lists: List[] = []
  for (let after: ListPosition | null = null; ;) {
    const part: ListsPart<List> = value(await ask(after))
    if (part.waiting > 0) {
      await pause(5)
      lists.length = 0
      after = null
      continue
    }
    lists.push(...part.lists)
    after = part.next
    if (after === null) return lists
  }
}

type DraftState = CallInput<'records.saveDrafts'>['drafts'][number]

/** What the screens say about an operation. The history says less about a closed one than its row about an open one. */
export interface ShownOperation
  extends
    Pick<
      Operation,
      'operationId' | 'batchId' | 'draftId' | 'kind' | 'recordId' | 'state' | 'confirmedByReading' | 'error'
    >,
    Partial<Pick<Operation, 'rechecks' | 'waitsForUser' | 'candidates'>> {
  /** The phone number that was sent, which identifies a record in tests; empty for none. */
  readonly phone: string
  /** The fields that came back with other values than sent. */
  readonly notAsSent: readonly { readonly path: string }[]
}

const STATE_OF: Readonly<Record<HistoryOutcome, OperationState>> = {
  saved: 'acked',
  'not-accepted': 'rejected',
  'not-confirmed': 'unknown',
  decision: 'held',
  discarded: 'held',
  'changed-meanwhile': 'conflict',
  'not-sent': 'queued',
}

function phoneIn(edits: readonly { readonly path: string; readonly now: EditValue }[]): string {
  return textOf(edits.find(({ path }) => path === 'Phone')?.now)
}

export class Person {
  readonly call: Caller
  readonly #poll: () => Promise<void>
  #company: CompanyRef | null = null
  /** The draft with a phone number, because the history doesn't name drafts. */
  readonly #drafted = new Map<string, string>()

  /** @param poll waits until the next check whether everything has settled */
  constructor(call: Caller, poll: () => Promise<void> = () => pause(POLL_INTERVAL)) {
    this.call = call
    this.#poll = poll
  }

  /** The open company. */
  get company(): CompanyRef {
    if (this.#company === null) throw new Error('No company was opened.')
    return this.#company
  }

  /** Connects with address and key, and opens the first desktop company. */
  async connect(address: string, key: string): Promise<void> {
    const connectionId = CONNECTION_ID
    value(await this.call('connection.setKey', { connectionId, key }))
    value(await this.call('connection.connect', { connectionId, name: 'Sample', address }))
    await this.openCompany()
  }

  /** Of those known from an earlier listing. */
  async openCompany(): Promise<void> {
    const { companies } = value(await this.call('companies.list', { connectionId: CONNECTION_ID }))
    this.#company = companies.find(({ application }) => application === 'qbd')?.ref ?? null
  }

  read(): Promise<Result<CallOutput<'records.open'>>> {
    return this.call('records.open', { company: this.company, object: LIST, filter: EVERYTHING })
  }

  /** The complete list, as the grid gets it. */
  async records(): Promise<readonly RecordData[]> {
    const set = value(await this.read())
    const held = await this.held(set.setId, set.count)
    value(await this.call('records.close', { setId: set.setId }))
    return held
  }

  async held(setId: string, count: number): Promise<readonly RecordData[]> {
    const chunk = value(await this.call('records.rows', { setId, from: 0, count }))
    return JSON.parse(new TextDecoder().decode(chunk.bytes)) as RecordData[]
  }

  async draftInsert(draftId: string, name: string, phone: string): Promise<void> {
    const edits = [
      { path: 'Name', was: null, now: name },
      { path: 'Phone', was: null, now: phone },
    ]
    await this.#save({ draftId, kind: 'insert', recordId: '', before: {}, edits })
  }

  async draftChange(draftId: string, record: RecordData, phone: string): Promise<void> {
    const edits = [{ path: 'Phone', was: textOf(record['Phone']), now: phone }]
    await this.#save({
      draftId,
      kind: 'change',
      recordId: textOf(record['ID']),
      before: { ...record },
      edits,
    })
  }

  async #save(draft: DraftState): Promise<void> {
    value(await this.saveDraft(draft))
    for (const { path, now } of draft.edits)
      if (path === 'Phone') this.#drafted.set(textOf(now), draft.draftId)
  }

  /** Saves a draft, as the grid does after an edit. A rejected draft is an error. */
  async saveDraft(draft: DraftState): Promise<Result<unknown>> {
    const input = { company: this.company, object: LIST, drafts: [draft] }
    const saved = await this.call('records.saveDrafts', input)
    const [refused] = saved.ok ? saved.value.refused : []
    return refused === undefined ? saved : err(refused.error)
  }

  /** Edits another field of a draft. Refused while it is being sent, or waits for a decision. */
  editDraft({ draftId, kind, recordId, before, edits }: Draft, email: string): Promise<Result<unknown>> {
    const others = edits.filter(({ path }) => path !== 'Email')
    const edited = [...others, { path: 'Email', was: textOf(before['Email']), now: email }]
    return this.saveDraft({ draftId, kind, recordId, before, edits: edited })
  }

  send(draftIds: readonly string[]): Promise<Result<Batch>> {
    return this.call('records.send', { company: this.company, object: LIST, draftIds: [...draftIds] })
  }

  async drafts(): Promise<readonly Draft[]> {
    return value(await this.call('records.drafts', { company: this.company, object: LIST }))
  }

  /** Everything that was sent or will be, each operation once, as its row or the history shows it. */
  async operations(): Promise<readonly ShownOperation[]> {
    const sent = (await this.#history()).map((record) => this.#fromHistory(record))
    const tied = (await this.drafts()).flatMap(({ operation }) => operation ?? [])
    const shown = tied.map((operation) => ({ ...operation, phone: phoneIn(operation.edits) }))
    const byId = new Map([...sent, ...shown].map((operation) => [operation.operationId, operation]))
    return [...byId.values()]
  }

  /** Newest batch first, as **Sent** lists them. */
  async #history(): Promise<readonly HistoryRecord[]> {
    const records: HistoryRecord[] = []
    for (const { entryId } of await this.#entries()) {
      let cursor = ''
      do {
        const page = value(
          await this.call('history.records', {
            which: { of: 'batch', batchId: entryId },
            outcome: null,
            text: '',
            cursor,
            limit: 1_000,
          }),
        )
        records.push(...page.records)
        cursor = page.next
      } while (cursor !== '')
    }
    return records
  }

  async #entries(): Promise<readonly HistoryEntry[]> {
    const { company } = this
    const entries: HistoryEntry[] = []
    let cursor = ''
    do {
      const page = value(
        await this.call('history.entries', {
          connectionId: company.connectionId,
          company,
          object: LIST,
          outcome: null,
          text: '',
          cursor,
          limit: 500,
        }),
      )
      entries.push(...page.entries)
      cursor = page.next
    } while (cursor !== '')
    return entries
  }

  #fromHistory(record: HistoryRecord): ShownOperation {
    const phone = phoneIn(record.fields.map(({ path, sent }) => ({ path, now: sent })))
    return {
      operationId: record.operationId,
      batchId: record.batchId,
      draftId: this.#drafted.get(phone) ?? '',
      phone,
      kind: record.kind,
      recordId: record.recordId,
      state: STATE_OF[record.outcome],
      confirmedByReading: record.confirmedByReading,
      notAsSent: record.fields.flatMap(({ path, sent, is }) =>
        is === null || textOf(is) === textOf(sent) ? [] : [{ path }],
      ),
      error: record.error,
    }
  }

  async batches(): Promise<readonly Batch[]> {
    return value(await this.call('records.batches', { company: this.company, object: LIST }))
  }

  async checkNow(operations: readonly ShownOperation[]): Promise<void> {
    const operationIds = operations.map(({ operationId }) => operationId)
    if (operationIds.length > 0) await this.call('records.checkNow', { company: this.company, operationIds })
  }

  /** Waits until no request is running and nothing continues automatically. */
  async settle(): Promise<void> {
    let polls = 0
    let idlePolls = 0
    while (idlePolls < 2) {
      idlePolls = (await this.#isIdle()) ? idlePolls + 1 : 0
      polls += 1
      if (idlePolls === 0 && polls % RECHECK_AFTER_POLLS === 0) {
        await this.checkNow((await this.operations()).filter(({ state }) => state === 'unknown'))
      }
      if (polls > MAX_POLLS) throw new Error(`It never settles: ${await this.#describeActivity()}`)
      await this.#poll()
    }
  }

  /** Keeps these lists with **Read them now**. Returns the finished reading. */
  async keepLists(lists: CallInput<'allCompanies.read'>['lists']): Promise<BackgroundReading> {
    value(await this.call('allCompanies.read', { connectionId: CONNECTION_ID, lists }))
    for (;;) {
      const { reading } = value(await this.call('allCompanies.coverage', { connectionId: CONNECTION_ID }))
      if (reading?.isRunning === false) return reading
      await this.#poll()
    }
  }

  async #isIdle(): Promise<boolean> {
    const queues = value(await this.call('activity.queues', {}))
    const isQuiet = queues.every(
      (queue) => queue.running === null && (queue.waiting.length === 0 || queue.paused !== null),
    )
    if (!isQuiet) return false
    return (await this.batches()).every(
      (batch) => IDLE_PHASES.has(batch.phase) || queues.some((queue) => queue.paused !== null),
    )
  }

  async #describeActivity(): Promise<string> {
    const queues = value(await this.call('activity.queues', {}))
    return JSON.stringify({ queues, batches: await this.batches() })
  }
}

const IDLE_PHASES: ReadonlySet<Batch['phase']> = new Set(['done', 'paused', 'stopped'])
