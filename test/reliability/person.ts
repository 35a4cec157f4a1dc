/** What a person does at the window, as the calls that the window makes: the same in this process and in another. */
import type { CallAnswer, CallInput, CallName } from '../../shared/contract.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { Batch, Draft, Operation } from '../../shared/contract/records.ts'
import { textOf, type RecordData } from '../../shared/changes.ts'
import type { Result } from '../../shared/result.ts'
import { CONNECTION_ID } from './core-parts.ts'

export type Caller = <Name extends CallName>(
  name: Name,
  input: CallInput<Name>,
) => Promise<Result<CallAnswer<Name>>>

/** The list that the tests work in. */
export const LIST = 'customer'

const EVERYTHING = { ids: [], modifiedFrom: null, modifiedTo: null } as const
/** Milliseconds between two looks at whether all is at rest. */
const GLANCE = 8
const LONGEST_SETTLING = 60_000
/** After looks that failed the program waits up to minutes before the next by itself; the person does not. */
const LONGEST_PATIENCE = 15_000

export function value<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(`${result.error.kind}: ${result.error.message} ${result.error.details.raw ?? ''}`)
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

export class Person {
  readonly call: Caller
  #company: CompanyRef | null = null

  constructor(call: Caller) {
    this.call = call
  }

  /** Whose books are open. */
  get company(): CompanyRef {
    if (this.#company === null) throw new Error('No company was opened.')
    return this.#company
  }

  /** Gives address and key, and opens the first desktop company. */
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

  read(): Promise<Result<CallAnswer<'records.open'>>> {
    return this.call('records.open', { company: this.company, object: LIST, filter: EVERYTHING })
  }

  /** The whole list as the grid gets it. */
  async records(): Promise<readonly RecordData[]> {
    const set = value(await this.read())
    const held = await this.held(set.setId, set.count)
    value(await this.call('records.close', { setId: set.setId }))
    return held
  }

  async held(setId: string, count: number): Promise<readonly RecordData[]> {
    const bytes = value(await this.call('records.rows', { setId, from: 0, count }))
    return JSON.parse(new TextDecoder().decode(bytes)) as RecordData[]
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

  async #save(draft: Pick<Draft, 'draftId' | 'kind' | 'recordId' | 'before' | 'edits'>): Promise<void> {
    const input = { company: this.company, object: LIST, ...draft }
    value(await this.call('records.saveDraft', input))
  }

  /** One more field of a draft; refused while it is being sent, or waits for a decision. */
  editDraft({ draftId, kind, recordId, before, edits }: Draft, email: string): Promise<Result<unknown>> {
    const others = edits.filter(({ path }) => path !== 'Email')
    const edited = [...others, { path: 'Email', was: textOf(before['Email']), now: email }]
    const input = { company: this.company, object: LIST, draftId, kind, recordId }
    return this.call('records.saveDraft', { ...input, before, edits: edited })
  }

  send(draftIds: readonly string[]): Promise<Result<Batch>> {
    return this.call('records.send', { company: this.company, object: LIST, draftIds: [...draftIds] })
  }

  async drafts(): Promise<readonly Draft[]> {
    return value(await this.call('records.drafts', { company: this.company, object: LIST }))
  }

  /** All that was ever sent or is about to be, each operation once. */
  async operations(): Promise<readonly Operation[]> {
    const history = value(
      await this.call('records.history', { company: this.company, object: LIST, recordId: '', limit: 1_000 }),
    )
    const tied = (await this.drafts()).flatMap(({ operation }) => operation ?? [])
    const byId = new Map([...history, ...tied].map((operation) => [operation.operationId, operation]))
    return [...byId.values()]
  }

  async batches(): Promise<readonly Batch[]> {
    return value(await this.call('records.batches', { company: this.company, object: LIST }))
  }

  async checkNow(operations: readonly Operation[]): Promise<void> {
    const operationIds = operations.map(({ operationId }) => operationId)
    if (operationIds.length > 0) await this.call('records.checkNow', { company: this.company, operationIds })
  }

  /** Until nothing is on its way and nothing goes on by itself. */
  async settle(): Promise<void> {
    const until = Date.now() + LONGEST_SETTLING
    let patientUntil = Date.now() + LONGEST_PATIENCE
    let restful = 0
    while (restful < 2) {
      restful = (await this.#isAtRest()) ? restful + 1 : 0
      if (restful === 0 && Date.now() > patientUntil) {
        patientUntil = Date.now() + LONGEST_PATIENCE
        await this.checkNow((await this.operations()).filter(({ state }) => state === 'unknown'))
      }
      if (Date.now() > until) throw new Error(`It never comes to rest: ${await this.#whatGoesOn()}`)
      await pause(GLANCE)
    }
  }

  async #isAtRest(): Promise<boolean> {
    const lanes = value(await this.call('activity.lanes', {}))
    const isQuiet = lanes.every(
      (lane) => lane.running === null && (lane.waiting.length === 0 || lane.paused !== null),
    )
    if (!isQuiet) return false
    return (await this.batches()).every(
      (batch) => RESTING.has(batch.phase) || lanes.some((lane) => lane.paused !== null),
    )
  }

  async #whatGoesOn(): Promise<string> {
    const lanes = value(await this.call('activity.lanes', {}))
    return JSON.stringify({ lanes, batches: await this.batches() })
  }
}

const RESTING: ReadonlySet<Batch['phase']> = new Set(['done', 'paused', 'stopped'])
