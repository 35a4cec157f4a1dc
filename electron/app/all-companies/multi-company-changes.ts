/** One change in several companies, from the comparison to the receipt. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { displayName } from '../../../shared/companies/companies.ts'
import type {
  ChangeItem,
  LeftOut,
  MultiCompanyChange,
  ShownChange,
  ShownRecord,
} from '../../../shared/contract/all-companies.ts'
import { listName } from '../../../shared/records/definition.ts'
import { pathHeading } from '../../../shared/records/fields.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import { throttle } from '../../clock.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import type { DraftStore } from '../../store/drafts.ts'
import type { JournalOperation } from '../../store/journal/journal.ts'
import type { OperationStore } from '../../store/journal/operations.ts'
import { CHANGE_GONE } from '../../store/multi-company-changes.ts'
import type { Store } from '../../store/store.ts'
import type { HandlersOf } from '../calls.ts'
import type { Announcer } from '../ports.ts'
import type { HistoryFiles } from '../records/history-files.ts'
import { historyOutcome } from '../records/sent-entries.ts'
import { afterAnswer, afterRestart, silentNotice, untested } from '../runs/run-steps.ts'
import { ChangeRunner, type ChangeRunnerOptions, type OperationListener } from './change-runner.ts'
import { type CompareOptions, ListComparer } from './compare.ts'
import { type CompanyPick, DraftPlanner, type DraftPlannerOptions, type PlannedDrafts } from './draft-plan.ts'

export interface MultiCompanyChangesOptions
  extends
    Omit<CompareOptions, 'store' | 'companies' | 'rows'>,
    Omit<DraftPlannerOptions, 'drafts'>,
    Pick<ChangeRunnerOptions, 'writer' | 'send' | 'test' | 'stopEntry' | 'defect' | 'operationListeners'> {
  readonly rows: CompareOptions['rows'] & DraftPlannerOptions['rows']
  readonly store: Pick<Store, 'companies' | 'drafts' | 'journal' | 'multiCompanyChanges'>
  readonly historyFiles: Pick<HistoryFiles, 'saveMultiCompanyReceipt'>
  readonly announcer: Announcer
  readonly clock: Parameters<typeof throttle>[0] & ChangeRunnerOptions['clock']
}

export interface MultiCompanyChanges {
  readonly handlers: HandlersOf<'multiCompanyChanges'>
  /** Creates drafts in which each record has its own edits. Nothing is sent. */
  draftEdits(
    connectionId: string,
    object: string,
    picks: readonly CompanyPick[],
  ): Promise<Result<ShownChange>>
  /** Returns the names of the companies to which these drafts of a change belong. */
  companiesOf(changeId: string, draftIds: readonly string[]): readonly string[]
  /** Shows changes that the last run of the program left unfinished as stopped. They resume when the user says so. */
  start(): void
  close(): void
}

/** Milliseconds between two events about one change. */
const EVENT_INTERVAL = 250
/** How many record states are read before other work gets a turn. */
const SLICE = 500

const RUNNING = appError('invalid-input', 'This change is being sent.', 'Stop it first.')
const NOT_SENT = appError('invalid-input', 'This change was not sent yet.', 'Review it, then send it.')
const SENT = appError('invalid-input', 'This change was sent before.', 'Continue sends what is left of it.')
const UNCHECKED = 'Unchecked before it was sent. Its drafts are still in its list.'
const NOTHING = appError(
  'invalid-input',
  'Nothing can be changed in these records.',
  'The reason is beside each company.',
)

export function createMultiCompanyChanges(options: MultiCompanyChangesOptions): MultiCompanyChanges {
  const { store, announcer } = options
  const { multiCompanyChanges, drafts } = store
  const { operations } = store.journal
  const comparer = new ListComparer(options)
  const planner = new DraftPlanner({ ...options, drafts })
  const shownRecords = shownRecordsOf({ drafts, operations })
  /** The change with the current state of each record. A large one is read in slices, so that other work gets a turn. */
  const shown = async (change: MultiCompanyChange): Promise<ShownChange> => {
    const items: ShownChange['items'][number][] = []
    for (const item of change.items) {
      const records: ShownRecord[] = []
      for (let from = 0; from < item.records.length; from += SLICE) {
        if (from > 0 || items.length > 0) await yieldToEventLoop()
        records.push(...shownRecords(change, item, item.records.slice(from, from + SLICE)))
      }
      items.push(shownItem(item, records))
    }
    return { ...change, items }
  }
  const changeAnnouncer = new ChangeAnnouncer(options, (changeId, latest, draftIds) => {
    const announced = resultOf(() => {
      const change = latest ?? multiCompanyChanges.get(changeId)
      if (change === null) changeAnnouncer.forget(changeId)
      else announcer.emit('multiCompanyChanges.changed', progressOf(current(change), draftIds, shownRecords))
    })
    return announced.ok
  })

  const runner = new ChangeRunner({
    ...options,
    store: multiCompanyChanges,
    drafts,
    operations,
    changed(change) {
      changeAnnouncer.announce(change)
      if (change.state === 'finished' || change.state === 'needs-you') void notifyOf(change)
    },
  })

  /** Tells users who have switched to another window. */
  const notifyOf = async (change: MultiCompanyChange): Promise<void> => {
    const view = await resultOfAsync(async () => ok(await shown(change)))
    if (view.ok) announcer.notify(titleOf(change), noticeOf(view.value))
  }

  /** A full disk may have kept a change from being saved as stopped. */
  const current = (change: MultiCompanyChange): MultiCompanyChange =>
    runner.isRunning(change.changeId) ? change : afterRestart(change)

  const find = (changeId: string): Result<MultiCompanyChange> => {
    const found = multiCompanyChanges.get(changeId)
    return found === null ? err(CHANGE_GONE) : ok(current(found))
  }

  /** Finds a change that isn’t being sent. */
  const findAtRest = (changeId: string): Result<MultiCompanyChange> => {
    const found = find(changeId)
    return found.ok && found.value.state === 'running' ? err(RUNNING) : found
  }

  const draft = async (
    what: Pick<MultiCompanyChange, 'connectionId' | 'object' | 'path' | 'now'>,
    picks: readonly CompanyPick[],
    others: Parameters<DraftPlanner['refusals']>[2] = [],
  ): Promise<Result<ShownChange>> => {
    const planned = await planner.plan(what.object, picks)
    const refused = await planner.refusals(what.object, what.path, others)
    const leftOut = [...planned.leftOut, ...refused]
    const change = newChange(
      { ...planned, leftOut },
      {
        changeId: options.newId(),
        createdAt: options.timestamp(),
        ...what,
      },
    )
    if (change.items.length === 0) {
      const more = change.leftOut.map(({ companyName, recordName, reason }) =>
        [companyName, recordName, reason].filter(Boolean).join(': '),
      )
      return err({ ...NOTHING, details: { more } })
    }
    const ownDrafts = planned.companies.flatMap((company) => company.drafts)
    const saved = multiCompanyChanges.add(change, ownDrafts, withoutRecords)
    changeAnnouncer.watch(saved)
    announcer.emit('companies.changed', { connectionId: what.connectionId })
    return ok(await shown(saved))
  }

  const handlers: HandlersOf<'multiCompanyChanges'> = {
    'multiCompanyChanges.fields': async ({ connectionId, object }) =>
      ok({ paths: await comparer.fields(connectionId, object) }),

    'multiCompanyChanges.values': async ({ connectionId, object, path }) =>
      ok(await comparer.values(connectionId, object, path)),

    'multiCompanyChanges.compare': ({ connectionId, object, criteria, last }) =>
      comparer.compare(connectionId, object, criteria, last),

    'multiCompanyChanges.draft': ({ connectionId, object, path, now, picks, others = [] }) =>
      draft(
        { connectionId, object, path, now },
        picks.map(({ endpointId, recordIds }) => ({
          company: { connectionId, endpointId },
          records: recordIds.map((recordId) => ({ recordId, edits: [{ path, was: null, now }] })),
        })),
        others.map(({ endpointId, records }) => ({ company: { connectionId, endpointId }, records })),
      ),

    'multiCompanyChanges.list': async ({ connectionId }) => {
      const changes: ShownChange[] = []
      for (const change of multiCompanyChanges.list(connectionId)) changes.push(await shown(current(change)))
      return ok(changes)
    },

    'multiCompanyChanges.send': async ({ changeId, draftIds }) => {
      const found = findAtRest(changeId)
      if (!found.ok) return found
      // Sent records that aren't among the drafts would be listed as unchecked.
      if (found.value.state !== 'draft') return err(SENT)
      const wanted = new Set(draftIds)
      const items = found.value.items
        .map((item) => ({ ...item, records: item.records.filter(({ draftId }) => wanted.has(draftId)) }))
        .filter(({ records }) => records.length > 0)
        .map((item) => asReviewed(found.value, item, drafts))
      if (items.length === 0) return err(CHANGE_GONE)
      const leftOut = [...found.value.leftOut, ...uncheckedIn(found.value, wanted)]
      const change = multiCompanyChanges.put(untested({ ...found.value, items, leftOut }))
      void runner.run(changeId)
      return ok(await shown({ ...change, state: 'running' }))
    },

    'multiCompanyChanges.stop': ({ changeId }) => {
      runner.stop(changeId)
      return ok({})
    },

    'multiCompanyChanges.resume': ({ changeId }) => {
      const found = find(changeId)
      if (!found.ok) return found
      if (found.value.state === 'running') return ok({})
      if (found.value.state === 'draft') return err(NOT_SENT)
      const again = found.value.items.map((item) =>
        item.state === 'failed' || item.state === 'skipped'
          ? { ...item, state: 'waiting' as const, error: null }
          : item,
      )
      multiCompanyChanges.put(untested({ ...found.value, items: again }))
      void runner.run(changeId, true)
      return ok({})
    },

    'multiCompanyChanges.answer': ({ changeId, endpointId, answer }) => {
      const found = find(changeId)
      if (!found.ok) return found
      if (found.value.state !== 'needs-you' && found.value.state !== 'stopped') return ok({})
      multiCompanyChanges.put(afterAnswer(found.value, endpointId, answer))
      void runner.run(changeId)
      return ok({})
    },

    'multiCompanyChanges.discard': async ({ changeId }) => {
      const found = findAtRest(changeId)
      if (!found.ok) return found
      const { connectionId, items } = found.value
      const discarded: string[] = []
      for (const { endpointId, records } of items) {
        const company = { connectionId, endpointId }
        const ids = records.map(({ draftId }) => draftId)
        const left = drafts.get(company, ids).filter(({ operationId }) => operationId === null)
        const unsent = left.map(({ draftId }) => draftId)
        drafts.discard(company, unsent)
        discarded.push(...unsent)
      }
      announcer.emit('companies.changed', { connectionId })
      const left = await shown(found.value)
      const isUnsent = left.items.every(({ records }) => records.every(({ state }) => state === 'gone'))
      if (isUnsent) multiCompanyChanges.remove(changeId)
      else changeAnnouncer.recordsChanged(discarded)
      return ok({})
    },

    'multiCompanyChanges.remove': ({ changeId }) => {
      const found = findAtRest(changeId)
      if (!found.ok) return found
      multiCompanyChanges.remove(changeId)
      return ok({})
    },

    'multiCompanyChanges.saveReceipt': async ({ changeId }) => {
      // While it is being sent, records would become operations before all of them are read.
      const found = findAtRest(changeId)
      if (!found.ok) return found
      const { connectionId, object, items, companies } = found.value
      const sent = items.map((item) => {
        const company = { connectionId, endpointId: item.endpointId }
        const listed = companies.find((each) => each.company.endpointId === item.endpointId)
        const all = operations.ofSent(company, object, item.records)
        const last = lastOfEachDraft(all)
        const earlier = all.filter((operation) => last.get(operation.draftId) !== operation)
        return {
          company,
          companyName: listed?.companyName ?? '',
          operationIds: [...last.values()].map(({ operationId }) => operationId),
          earlierIds: earlier.map(({ operationId }) => operationId),
        }
      })
      const leftOut = [...found.value.leftOut, ...unsentIn(await shown(found.value))]
      return options.historyFiles.saveMultiCompanyReceipt(object, titleOf(found.value), sent, leftOut)
    },
  }

  return {
    handlers,
    draftEdits: (connectionId, object, picks) => draft({ connectionId, object, path: '', now: '' }, picks),
    companiesOf(changeId, draftIds) {
      const change = multiCompanyChanges.get(changeId)
      const wanted = new Set(draftIds)
      return (change?.items ?? []).flatMap(({ endpointId, records }) => {
        const listed = change?.companies.find(({ company }) => company.endpointId === endpointId)
        return records.some(({ draftId }) => wanted.has(draftId)) ? [listed?.companyName ?? endpointId] : []
      })
    },
    start() {
      resultOf(() => {
        for (const change of multiCompanyChanges.all()) {
          // Its records may still be confirmed, which its batches report.
          changeAnnouncer.watch(change)
          const left = afterRestart(change)
          if (left !== change) multiCompanyChanges.put(left)
        }
      })
    },
    close() {
      runner.close()
    },
  }
}

/** A change that was drafted or found here. */
interface WatchedChange {
  readonly draftIds: ReadonlySet<string>
  /**
   * Set while the change is being sent, and until the window knows that it ended. After that, the saved change counts,
   * because companies may be deleted.
   */
  latest: MultiCompanyChange | null
  /** The drafts whose states the window doesn't know yet. */
  unreportedDraftIds: Set<string>
  readonly tell: () => void
}

/** Returns whether the window was notified. */
type TellChange = (
  changeId: string,
  latest: MultiCompanyChange | null,
  draftIds: ReadonlySet<string>,
) => boolean

type AnnouncerOptions = Pick<MultiCompanyChangesOptions, 'clock' | 'operationListeners'>

/**
 * Reports the progress of changes to the window, each at most every `EVENT_INTERVAL` ms: the states of their companies,
 * and the records that have a new state. Apart from companies that failed or were skipped, a large change costs no more
 * than a small one.
 */
class ChangeAnnouncer {
  readonly #options: AnnouncerOptions
  readonly #tell: TellChange
  readonly #watched = new Map<string, WatchedChange>()
  readonly #onOperations: OperationListener = (_batch, draftIds) => {
    this.recordsChanged(draftIds)
  }

  constructor(options: AnnouncerOptions, tell: TellChange) {
    this.#options = options
    this.#tell = tell
  }

  watch({ changeId, items }: MultiCompanyChange): WatchedChange {
    const known = this.#watched.get(changeId)
    if (known !== undefined) return known
    const tell = throttle(this.#options.clock, EVENT_INTERVAL, () => {
      const { latest, unreportedDraftIds } = watched
      if (!this.#tell(changeId, latest, unreportedDraftIds)) return
      watched.unreportedDraftIds = new Set()
      if (latest?.state !== 'running') watched.latest = null
    })
    const watched: WatchedChange = {
      draftIds: new Set(items.flatMap(({ records }) => records.map(({ draftId }) => draftId))),
      latest: null,
      unreportedDraftIds: new Set(),
      tell: () => {
        tell(undefined)
      },
    }
    this.#watched.set(changeId, watched)
    this.#options.operationListeners.add(this.#onOperations)
    return watched
  }

  announce(change: MultiCompanyChange): void {
    const watched = this.watch(change)
    watched.latest = change
    watched.tell()
  }

  recordsChanged(draftIds: readonly string[]): void {
    for (const watched of this.#watched.values()) {
      const own = draftIds.filter((draftId) => watched.draftIds.has(draftId))
      for (const draftId of own) watched.unreportedDraftIds.add(draftId)
      if (own.length > 0) watched.tell()
    }
  }

  forget(changeId: string): void {
    this.#watched.delete(changeId)
    if (this.#watched.size === 0) this.#options.operationListeners.delete(this.#onOperations)
  }
}

/** A change with the planned drafts, which are not sent yet. */
function newChange(
  { companies, leftOut }: PlannedDrafts,
  what: Pick<MultiCompanyChange, 'changeId' | 'createdAt' | 'connectionId' | 'object' | 'path' | 'now'>,
): MultiCompanyChange {
  return {
    ...what,
    state: 'draft',
    error: null,
    companies: companies.map(({ company }) => ({
      company: company.ref,
      companyName: displayName(company),
      application: company.application,
      applicationName: company.applicationName,
      contact: 'untested',
      contactError: null,
    })),
    items: companies.map(({ item }) => item),
    leftOut,
  }
}

/** Records what each draft of a company changes now, because that is what the user sees and sends. */
function asReviewed(
  { connectionId }: MultiCompanyChange,
  item: ChangeItem,
  drafts: Pick<DraftStore, 'get'>,
): ChangeItem {
  const ids = item.records.map(({ draftId }) => draftId)
  const found = new Map(
    drafts.get({ connectionId, endpointId: item.endpointId }, ids).map((draft) => [draft.draftId, draft]),
  )
  const records = item.records.map((record) => ({
    ...record,
    reviewed: found.get(record.draftId)?.edits.map(({ path, now }) => ({ path, now })),
  }))
  return { ...item, records }
}

type ShownRecordsOf = (
  change: MultiCompanyChange,
  item: Pick<ChangeItem, 'endpointId'>,
  records: ChangeItem['records'],
) => readonly ShownRecord[]

/** The last operation of each draft. A rejected draft may have been sent again, and only the last one counts. */
function lastOfEachDraft(sent: readonly JournalOperation[]): ReadonlyMap<string, JournalOperation> {
  return new Map(sent.map((operation) => [operation.draftId, operation]))
}

/** Returns a function that reads the current state of a company’s records: their drafts, or what became of them. */
function shownRecordsOf({
  drafts,
  operations,
}: {
  readonly drafts: Pick<DraftStore, 'get'>
  readonly operations: Pick<OperationStore, 'ofSent'>
}): ShownRecordsOf {
  return ({ connectionId, object }, { endpointId }, records) => {
    const company = { connectionId, endpointId }
    const ids = records.map(({ draftId }) => draftId)
    const kept = new Map(drafts.get(company, ids).map((draft) => [draft.draftId, draft]))
    const sent = lastOfEachDraft(operations.ofSent(company, object, records))
    return records.map(({ reviewed: _, ...record }): ShownRecord => {
      const draft = kept.get(record.draftId)
      const operation = sent.get(record.draftId)
      const edits = (operation ?? draft)?.edits ?? []
      return { ...record, edits, ...(draft?.operationId === null ? DRAFT : stateOf(record, operation)) }
    })
  }
}

/** @param records all of its records */
function shownItem(item: ChangeItem, records: readonly ShownRecord[]): ShownChange['items'][number] {
  return { ...item, ...(isDone(item, records) ? MADE : {}), records }
}

/** The change with only those records whose drafts are given. */
function progressOf(
  change: MultiCompanyChange,
  draftIds: ReadonlySet<string>,
  shownRecords: ShownRecordsOf,
): ShownChange {
  const items = change.items.map((item) => {
    // Whether such a company is done depends on all of its records.
    const needsAll = item.state === 'failed' || item.state === 'skipped'
    const wanted = needsAll ? item.records : item.records.filter(({ draftId }) => draftIds.has(draftId))
    return shownItem(item, wanted.length === 0 ? [] : shownRecords(change, item, wanted))
  })
  return { ...change, items }
}

const MADE = { state: 'done', error: null } as const

/**
 * Whether nothing is left to send in a company that was skipped, or whether everything was saved in one that failed.
 */
function isDone({ state }: ChangeItem, records: readonly ShownRecord[]): boolean {
  if (state === 'failed') return records.every((record) => record.state === 'saved')
  return state === 'skipped' && !records.some((record) => ['draft', 'not-sent'].includes(record.state))
}

const DRAFT = { state: 'draft', isSavedDifferently: false, error: null } as const

function stateOf(
  { isTrimmed }: Pick<ShownRecord, 'isTrimmed'>,
  operation: JournalOperation | undefined,
): Pick<ShownRecord, 'state' | 'isSavedDifferently' | 'error'> {
  if (operation === undefined)
    return { state: isTrimmed ? 'trimmed' : 'gone', isSavedDifferently: false, error: null }
  const isSavedDifferently = operation.state === 'acked' && operation.notAsSent.length > 0
  return { state: historyOutcome(operation), isSavedDifferently, error: operation.error }
}

/** The companies and records of a change that the user unchecked before sending it. */
function uncheckedIn(
  { companies, items }: MultiCompanyChange,
  draftIds: ReadonlySet<string>,
): readonly LeftOut[] {
  return items.flatMap(({ endpointId, records }) => {
    const listed = companies.find(({ company }) => company.endpointId === endpointId)
    const place = { endpointId, companyName: listed?.companyName ?? '', reason: UNCHECKED }
    const unchecked = records.filter(({ draftId }) => !draftIds.has(draftId))
    return unchecked.length === records.length
      ? [{ ...place, recordName: '' }]
      : unchecked.map(({ recordName }) => ({ ...place, recordName }))
  })
}

/** What was not sent of a change, and why: whole companies, or single records. */
function unsentIn({ companies, items }: ShownChange): readonly LeftOut[] {
  return items.flatMap(({ endpointId, state, error, records }) => {
    const listed = companies.find(({ company }) => company.endpointId === endpointId)
    const place = { endpointId, companyName: listed?.companyName ?? '' }
    const unsent = records.filter((record) => ['draft', 'gone', 'trimmed'].includes(record.state))
    const why = error?.message ?? (state === 'skipped' ? listed?.contactError?.message : undefined)
    if (unsent.length === records.length && records.every((record) => record.state === 'draft'))
      return { ...place, recordName: '', reason: ['Nothing was sent.', why].filter(Boolean).join(' ') }
    return unsent.map((record) => ({
      ...place,
      recordName: record.recordName,
      reason: reasonOfUnsent(record.state, why),
    }))
  })
}

function reasonOfUnsent(state: ShownRecord['state'], why: string | undefined): string {
  if (state === 'gone') return 'Its draft was discarded.'
  if (state === 'trimmed') return 'It is no longer in the history.'
  return ['Not sent.', why].filter(Boolean).join(' ')
}

/** Moves records whose drafts could not be saved to the list of records that were left out. */
function withoutRecords(
  change: MultiCompanyChange,
  reasons: ReadonlyMap<string, string>,
): MultiCompanyChange {
  const leftOut = change.items.flatMap(({ endpointId, records }) =>
    records.flatMap(({ draftId, recordName }) => {
      const reason = reasons.get(draftId)
      const companyName =
        change.companies.find(({ company }) => company.endpointId === endpointId)?.companyName ?? ''
      return reason === undefined ? [] : [{ endpointId, companyName, recordName, reason }]
    }),
  )
  const items = change.items
    .map((item) => ({ ...item, records: item.records.filter(({ draftId }) => !reasons.has(draftId)) }))
    .filter(({ records }) => records.length > 0)
  return { ...change, items, leftOut: [...change.leftOut, ...leftOut] }
}

/** *Terms of customers*. */
function titleOf({ object, path }: MultiCompanyChange): string {
  return `${path === '' ? 'Tidy up' : pathHeading(object, path)}, ${listName(object)}`
}

function noticeOf(change: ShownChange): string {
  if (change.state === 'needs-you') return silentNotice(change)
  const records = change.items.flatMap((item) => item.records)
  const saved = records.filter(({ state }) => state === 'saved').length
  return `${String(saved)} of ${String(records.length)} saved.`
}
