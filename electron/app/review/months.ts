/** Months: the list of all clients, getting reports, reviewing, deciding, closing, and what changed since. */
import { displayName, isDesktop } from '../../../shared/companies/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import type {
  FindingDecision,
  KeptMonth,
  KeptOutcome,
  KeptVersion,
  MonthEvent,
  MonthRow,
  MonthState,
  MonthStatus,
  Review,
  ReviewedRule,
} from '../../../shared/contract/review.ts'
import { monthsUpTo } from '../../../shared/reports/periods.ts'
import { reportTitle } from '../../../shared/reports/reports.ts'
import { RULES, type Source } from '../../../shared/review/rules.ts'
import { type Result, appError, err, ok } from '../../../shared/result.ts'
import { type Clock, timestamp } from '../../clock.ts'
import { daysOfMonth, planReadings } from '../../review/plan.ts'
import type { Rows } from '../../rows/rows.ts'
import type { ServiceClient } from '../../service/protocol/wire.ts'
import type { StoredCompany } from '../../store/companies.ts'
import { resultOf, resultOfAsync } from '../../store/database.ts'
import { type MonthStore, isStatementMissing, monthState } from '../../store/months.ts'
import type { Store } from '../../store/store.ts'
import { type HandlersOf, defined } from '../calls.ts'
import type { Companies } from '../companies/companies.ts'
import type { Announcer, Printer, SaveDialog, SettingsStore } from '../ports.ts'
import { createReportReader } from '../reports/reports.ts'
import { copiedHead, copiedRows } from './copies.ts'
import {
  countOpen,
  createListMemory,
  acceptanceKey,
  decisionsIn,
  evaluateMonth,
  settingsOf,
  toCheckAgain,
  whyNot,
} from './evaluate.ts'
import { createReviewPack } from './pack.ts'
import { type MonthToRead, createMonthReading, newMonth } from './reading.ts'
import { type MonthWatch, changeSize } from './watch.ts'

export interface MonthsOptions {
  readonly client: ServiceClient
  /** Not the window's, because reading continues without its page. */
  readonly rows: Rows
  readonly store: Pick<Store, 'months' | 'companies'>
  readonly companies: Pick<Companies, 'find' | 'withProbe'>
  readonly watch: MonthWatch
  readonly dialog: SaveDialog
  readonly printer: Printer
  readonly settings: SettingsStore
  readonly locale: string
  /** The name beside what a person does; empty if nobody is known. */
  readonly signedAs: () => string
  readonly announcer: Pick<Announcer, 'emit'>
  readonly clock: Clock
  readonly newId: () => string
  readonly stopEntry: (entryId: string) => void
  readonly defect: (where: string, cause: unknown) => void
}

export interface Months {
  readonly handlers: HandlersOf<'months'> & HandlersOf<'review'>
  /**
   * Reads a month of companies and waits until that has ended. Returns those of which something is missing.
   * @param again whether what was read before is read again
   */
  readonly read: (
    connectionId: string,
    month: string,
    endpointIds: readonly string[],
    again: boolean,
  ) => Promise<Result<readonly string[]>>
  readonly review: (company: CompanyRef, month: string) => Result<Review>
  /** Tells the window that a month changed. */
  readonly changed: (company: CompanyRef, month: string) => void
  /** Waits until nothing is being read over a connection. */
  readonly ended: (connectionId: string) => Promise<void>
  /** Forgets the lists of a company whose data is deleted. */
  readonly forget: (company: CompanyRef) => void
  close(): void
}

/** Months in the strip. */
const STRIP = 6
/** Records of lists that stay in memory, over all companies. */
const MAX_LISTED = 300_000

export function createMonths(options: MonthsOptions): Months {
  const { clock, companies, announcer, watch, signedAs } = options
  const store = options.store.months
  const memory = createListMemory(MAX_LISTED)

  const now = (): string => timestamp(clock)
  const event = (act: MonthEvent['act'], subject = '', note = ''): MonthEvent => ({
    at: now(),
    by: signedAs(),
    act,
    subject,
    note,
  })
  /** What a user did last. */
  const touched = (value: KeptMonth): KeptMonth => ({ ...value, by: signedAs(), at: now() })

  const reading = createMonthReading({
    ...options,
    store,
    memory,
    reader: createReportReader({ ...options, watch }),
    changed: (connectionId, item, error) => {
      const row = item === null ? null : resultOf(() => rowOf(item.company, item.month))
      announcer.emit('months.changed', {
        connectionId,
        row: row?.ok === true && row.value.ok ? row.value.value : null,
        progress: reading.progress(connectionId),
        error,
      })
    },
    finished: (item, isWhole) => afterReading(item, isWhole),
    defect: (cause) => {
      options.defect('reading a month', cause)
    },
  })

  /** How many months of profit and loss had to be read by themselves the last time. */
  const monthsReadAlone = (value: KeptMonth | null): number => {
    const last = value?.readings.find(({ source }) => source === 'profit-and-loss')
    const head = last === undefined || last.copyId === '' ? null : copiedHead(store, last)
    return head?.ok && head.value.making === 'trend' ? head.value.periods.length : 0
  }

  /** How many requests some reports take. */
  const requestsFor = (sources: readonly Source[], value: KeptMonth | null, readAlone?: number): number =>
    sources.length + (sources.includes('profit-and-loss') ? (readAlone ?? monthsReadAlone(value)) : 0)

  // Rows of the list.

  const rowOf = (company: CompanyRef, month: string): Result<MonthRow> => {
    const found = companies.find(company)
    if (!found.ok) return found
    const value = store.get(company, month)
    const requests = requestsFor(toRead(found.value, month, value, false), value)
    const strips = stripsOf(company.connectionId, month)
    return ok(makeRow(found.value, month, value, requests, strips(company.endpointId)))
  }

  /** The months before one, by company. */
  const stripsOf = (connectionId: string, month: string): ((endpointId: string) => MonthRow['strip']) => {
    const months = stripMonths(month)
    const states = new Map<string, MonthState>()
    for (const each of store.states(connectionId, months[0] ?? month, month)) {
      states.set(`${each.month} ${each.endpointId}`, each.state)
    }
    return (endpointId) =>
      months.map((each) => ({ month: each, state: states.get(`${each} ${endpointId}`) ?? null }))
  }

  const makeRow = (
    company: StoredCompany,
    month: string,
    value: KeptMonth | null,
    requests: number,
    strip: MonthRow['strip'],
  ): MonthRow => {
    const status = statusOf(value, reading.isReading(company.ref, month))
    const { ref, application, applicationName } = company
    return {
      company: ref,
      companyName: displayName(company),
      application,
      applicationName,
      month,
      status,
      strip,
      by: value?.by ?? '',
      at: value?.at ?? '',
      next: nextOf(status, value),
      requests,
    }
  }

  const listRows = (connectionId: string, month: string): readonly MonthRow[] => {
    const values = new Map(store.list(connectionId, month).map((each) => [each.endpointId, each.value]))
    const strips = stripsOf(connectionId, month)
    /** What to read for a new month, by application. */
    const planned = new Map<string, number>()
    return options.store.companies
      .list(connectionId)
      .filter(({ ref, isActive, isListed }) => (isActive && isListed) || values.has(ref.endpointId))
      .map((company) => {
        const { application, ref } = company
        const value = values.get(ref.endpointId) ?? null
        const known = value === null ? planned.get(application) : undefined
        const requests = known ?? requestsFor(toRead(company, month, value, false), value)
        if (value === null) planned.set(application, requests)
        return makeRow(company, month, value, requests, strips(ref.endpointId))
      })
  }

  // Reviewing what was read.

  const recount = (
    company: CompanyRef,
    month: string,
    value: KeptMonth,
    outcomes: readonly KeptOutcome[],
  ): KeptMonth => ({
    ...value,
    ...countOpen(outcomes, decisionsIn(store, company, month, value.closed)),
  })

  const afterReading = (item: MonthToRead, isWhole: boolean): Promise<Result<void>> =>
    resultOfAsync(async () => {
      const { company: ref, month, rule } = item
      const found = companies.find(ref)
      const value = store.get(ref, month)
      if (!found.ok || value === null) return ok(undefined)
      const outcomes = await evaluateMonth(store, memory, found.value, month, value)
      const latest = store.get(ref, month)
      if (latest === null) return ok(undefined)
      const counted = recount(ref, month, latest, outcomes)
      if (!isWhole) {
        store.save(ref, month, { value: counted, outcomes })
        return ok(undefined)
      }
      store.save(ref, month, {
        value: touched(counted),
        outcomes,
        events: [rule === null ? event('reports-read') : event('checked-again', RULES[rule].title)],
      })
      return rule === null ? watch.compareAll(ref, month) : ok(undefined)
    })

  const pageOf = (ref: CompanyRef, month: string): Result<Review> => {
    const row = rowOf(ref, month)
    const found = companies.find(ref)
    if (!row.ok) return row
    if (!found.ok) return found
    const value = store.get(ref, month)
    const decisionOn = decisionsIn(store, ref, month, value?.closed ?? null)
    // Many rules need profit and loss, and its copy is opened once for all.
    const readAlone = monthsReadAlone(value)
    const silence = reading.isReading(ref, month) || value?.closed !== null ? '' : value.silence
    return ok({
      month: row.value,
      notCheckedAgain: silence === '' ? '' : `It was not checked again: ${silence}`,
      readings: (value?.readings ?? []).map(({ copyId: _copyId, ...each }) => each),
      rules: store.outcomes(ref, month).map((outcome): ReviewedRule => {
        const { group, title, why, where, accepted, about } = RULES[outcome.rule]
        return {
          rule: outcome.rule,
          group,
          title,
          why,
          where: where[isDesktop(found.value.application) ? 0 : 1],
          result: outcome.result,
          reasons: reasonsOf(outcome),
          checkedAt: outcome.checkedAt,
          requests: requestsFor(toCheckAgain(outcome.rule, value?.readings ?? []), value, readAlone),
          accepted,
          about,
          findings: (outcome.result === 'found' ? outcome.findings : []).map((finding) => {
            const decided = decisionOn(finding)
            return { ...finding, decision: decided === null ? null : shownDecision(decided) }
          }),
        }
      }),
    })
  }

  /** Changes a decision, and counts again in every open month of the company: it may hold in all of them. */
  const decide = (
    ref: CompanyRef,
    month: string,
    step: Parameters<MonthStore['save']>[2],
    made: MonthEvent,
  ): Result<Review> => {
    const value = store.get(ref, month)
    if (value === null) return err(NOT_READ)
    if (value.closed !== null) return err(IS_CLOSED)
    store.save(ref, month, { ...step, value: touched(value), events: [made] })
    for (const each of store.inStates(ref, ['started', 'findings', 'reviewed'])) {
      const counted = recount(ref, each.month, each.value, store.outcomes(ref, each.month))
      if (counted.open === each.value.open && counted.wrong === each.value.wrong) continue
      store.save(ref, each.month, { value: counted })
      changed(ref, each.month)
    }
    changed(ref, month)
    return pageOf(ref, month)
  }

  const subjectOf = (ref: CompanyRef, month: string, key: string): string => {
    for (const outcome of store.outcomes(ref, month)) {
      if (outcome.result !== 'found') continue
      const finding = outcome.findings.find((each) => each.key === key)
      if (finding !== undefined) return `${RULES[outcome.rule].title}: ${finding.subject}`
    }
    return ''
  }

  const changed = (company: CompanyRef, month: string): void => {
    const row = resultOf(() => rowOf(company, month))
    announcer.emit('months.changed', {
      connectionId: company.connectionId,
      row: row.ok && row.value.ok ? row.value.value : null,
      progress: reading.progress(company.connectionId),
      error: null,
    })
  }

  /** What to read for a month: with `again`, everything. */
  const toRead = (
    company: StoredCompany,
    month: string,
    value: KeptMonth | null,
    again: boolean,
  ): readonly Source[] => {
    const planned = planReadings(company.application, month)
    if (value === null || again) return planned.map(({ source }) => source)
    return value.readings
      .filter((each) => each.state !== 'read' || isStatementMissing(each))
      .map(({ source }) => source)
  }

  /** Puts a month on disk before its reading begins, so that it goes on after a restart. */
  const prepared = (company: StoredCompany, month: string, again: boolean): MonthToRead => {
    const before = store.get(company.ref, month)
    const sources = toRead(company, month, before, again)
    const fresh = newMonth(company, month)
    // What is read again keeps its copy until the new one is there.
    const readings = fresh.readings.map((each) => {
      const known = before?.readings.find(({ source }) => source === each.source)
      if (known === undefined) return each
      return sources.includes(each.source) ? { ...known, state: 'waiting' as const, said: '' } : known
    })
    store.save(company.ref, month, { value: touched({ ...(before ?? fresh), readings, silence: '' }) })
    return { company: company.ref, month, sources, rule: null }
  }

  const unlessReading = (company: CompanyRef, month: string): Result<void> =>
    reading.isReading(company, month)
      ? err(appError('invalid-input', 'The reports of this month are being read.', 'Wait until it’s done.'))
      : ok(undefined)

  const keepVersion = async (
    ref: CompanyRef,
    month: string,
    value: KeptMonth,
    note: string,
    act: 'closed' | 'change-accepted',
  ): Promise<Result<MonthRow>> => {
    // A damaged copy must not become the kept one.
    for (const each of value.readings) {
      // Lists are not kept: a closed month is about its reports.
      if (each.copyId === '' || each.kind === 'list') continue
      const head = copiedHead(store, each)
      if (!head.ok) return head
      for await (const rows of copiedRows(store, each.copyId)) if (!rows.ok) return rows
    }
    const latest = store.get(ref, month)
    if (JSON.stringify(latest) !== JSON.stringify(value)) return err(CHANGED_MEANWHILE)
    const outcomes = store.outcomes(ref, month)
    const decisionOn = decisionsIn(store, ref, month, null)
    const findings = outcomes.flatMap((each) => (each.result === 'found' ? each.findings : []))
    const made = event(act, '', note)
    const number = (store.versions(ref, month)[0]?.version ?? 0) + 1
    const version: KeptVersion = {
      by: made.by,
      at: made.at,
      note,
      readings: value.readings.map((each) => (each.kind === 'list' ? { ...each, copyId: '' } : each)),
      outcomes,
      decisions: findings.flatMap((finding) => {
        const decision = decisionOn(finding)
        return decision === null ? [] : [{ ...decision, key: finding.key }]
      }),
    }
    const closed = { version: number, by: made.by, at: made.at }
    store.save(ref, month, {
      value: {
        ...touched(value),
        readings: version.readings,
        silence: '',
        closed,
        change: null,
        notCompared: [],
      },
      outcomes: withoutTrail(outcomes),
      version: { number, value: version },
      events: [made],
    })
    changed(ref, month)
    return rowOf(ref, month)
  }

  const pack = createReviewPack({ ...options, store })

  const getReports: Months['handlers']['months.getReports'] = ({
    connectionId,
    month,
    endpointIds,
    again,
  }) => {
    const items: MonthToRead[] = []
    for (const endpointId of new Set(endpointIds)) {
      const found = companies.find({ connectionId, endpointId })
      if (!found.ok) return found
      if (reading.isReading(found.value.ref, month)) continue
      const value = store.get(found.value.ref, month)
      // The reports of a closed month are read again only as a whole.
      const goesOn = value?.readings.some(({ state }) => state === 'waiting') === true
      if ((value?.closed ?? null) !== null && !again && !goesOn) continue
      items.push(prepared(found.value, month, again))
    }
    const begun = reading.begin(connectionId, items, false)
    for (const { company } of items) changed(company, month)
    return ok(begun)
  }

  const handlers: Months['handlers'] = {
    'months.list': ({ connectionId, month }) =>
      ok({ rows: listRows(connectionId, month), progress: reading.progress(connectionId) }),

    'months.getReports': getReports,

    'months.stop': ({ connectionId }) => {
      reading.stop(connectionId)
      return ok({})
    },

    'months.close': async ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      if (value.closed !== null) return err(IS_CLOSED)
      const refused = notReadyToClose(value)
      if (refused !== null) return err(refused)
      return clock.during(keepVersion(company, month, value, note, 'closed'))
    },

    'months.reopen': ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const value = store.get(company, month)
      if (value === null || value.closed === null) return err(NOT_CLOSED)
      const outcomes = withoutTrail(store.outcomes(company, month))
      const reopened = recount(
        company,
        month,
        { ...value, closed: null, change: null, notCompared: [] },
        outcomes,
      )
      const events = [event('reopened', '', note)]
      store.save(company, month, { value: touched(reopened), outcomes, events })
      changed(company, month)
      return rowOf(company, month)
    },

    'months.changes': ({ company, month }) => {
      const row = rowOf(company, month)
      const found = companies.find(company)
      if (!row.ok) return row
      if (!found.ok) return found
      const value = store.get(company, month)
      const trail = store.outcomes(company, month).find(({ rule }) => rule === 'changed-after-close')
      return ok({
        month: row.value,
        change: value?.change ?? null,
        notCompared: value?.notCompared ?? [],
        notRead: value === null || reading.isReading(company, month) ? '' : notReadAgain(value),
        entries: trail?.result === 'found' ? trail.findings : [],
        entriesNotChecked: trail === undefined ? 'Not checked yet.' : reasonsOf(trail).join(' '),
        closed: value?.closed ?? null,
        requests: requestsFor(toRead(found.value, month, value, true), value),
      })
    },

    'months.acceptChange': async ({ company, month, note }) => {
      const free = unlessReading(company, month)
      if (!free.ok) return free
      const value = store.get(company, month)
      if (value === null || value.closed === null) return err(NOT_CLOSED)
      const { change } = value
      if (change === null)
        return err(appError('invalid-input', 'Nothing changed since this month was closed.'))
      const refused = change.isComplete ? notReadyToClose({ ...value, open: 0 }) : READ_AGAIN_FIRST
      if (refused !== null) return err(refused)
      return clock.during(keepVersion(company, month, value, note, 'change-accepted'))
    },

    'months.history': ({ company, month }) =>
      ok({
        events: store.events(company, month),
        versions: store
          .versions(company, month)
          .map(({ version, value: { by, at, note } }) => ({ version, by, at, note })),
      }),

    'months.savePack': async ({ company, month, format }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      const saved = await pack.save(found.value, month, value, format)
      if (saved.ok && saved.value.saved) {
        store.save(company, month, { events: [event('pack-saved', saved.value.name)] })
      }
      return saved
    },

    'review.findings': ({ company, month }) => pageOf(company, month),

    'review.accept': ({ company, month, key, amount, note }) => {
      const made = event('accepted', subjectOf(company, month, key), note)
      const { by, at } = made
      const decided = { key: acceptanceKey(key, month), amount, kind: 'accepted', note, by, at } as const
      return decide(company, month, { decided }, made)
    },

    'review.never': ({ company, month, key, note }) => {
      const made = event('never', subjectOf(company, month, key), note)
      const decided = { key, amount: '', kind: 'never', note, by: made.by, at: made.at } as const
      return decide(company, month, { decided }, made)
    },

    'review.undo': ({ company, month, key, amount }) => {
      const decided = decisionsIn(store, company, month, null)({ key, amount })
      if (decided === null) return pageOf(company, month)
      const made = event('undone', subjectOf(company, month, key))
      return decide(company, month, { undone: decided }, made)
    },

    'review.checkAgain': ({ company, month, rule }) => {
      const found = companies.find(company)
      if (!found.ok) return found
      const value = store.get(company, month)
      if (value === null) return err(NOT_READ)
      // The reports of a closed month are read again only as a whole.
      if (value.closed !== null) return err(IS_CLOSED)
      const sources = toCheckAgain(rule, value.readings)
      const begun = reading.begin(company.connectionId, [{ company, month, sources, rule }], true)
      changed(company, month)
      return ok(begun)
    },

    'review.settings': ({ connectionId, endpointId }) =>
      ok({
        own: store.settings(connectionId, endpointId),
        effective: settingsOf(store, { connectionId, endpointId }),
      }),

    'review.setSettings': async ({ connectionId, endpointId, own }) => {
      store.putSettings(connectionId, endpointId, defined(own))
      const all = options.store.companies.list(connectionId)
      const concerned = endpointId === null ? all : all.filter(({ ref }) => ref.endpointId === endpointId)
      for (const company of concerned) {
        for (const { month, value } of store.inStates(company.ref, ['started', 'findings', 'reviewed'])) {
          // What is still being read is reviewed at its end.
          if (store.outcomes(company.ref, month).length === 0) continue
          const outcomes = await clock.during(evaluateMonth(store, memory, company, month, value))
          const latest = store.get(company.ref, month)
          if (latest === null || latest.closed !== null) continue
          store.save(company.ref, month, { value: recount(company.ref, month, latest, outcomes), outcomes })
          changed(company.ref, month)
        }
      }
      return ok({})
    },
  }

  return {
    handlers,
    changed,
    async read(connectionId, month, endpointIds, again) {
      const begun = await getReports({ connectionId, month, endpointIds: [...endpointIds], again })
      if (!begun.ok) return begun
      await reading.ended(connectionId)
      return resultOf(() =>
        endpointIds.filter((endpointId) => {
          const value = store.get({ connectionId, endpointId }, month)
          return value === null || value.readings.some(({ state }) => state === 'waiting')
        }),
      )
    },
    review: pageOf,
    ended: (connectionId) => reading.ended(connectionId),
    forget: memory.forget,
    close() {
      reading.close()
    },
  }
}

/** The months before one, oldest first, as `yyyy-mm`. */
function stripMonths(month: string): readonly string[] {
  return monthsUpTo(daysOfMonth(month, 1).from, STRIP)
    .map(({ from }) => from.slice(0, 7))
    .toSorted()
}

function statusOf(value: KeptMonth | null, isReading: boolean): MonthStatus {
  const readings = value?.readings ?? []
  const read = readings.filter(({ state }) => state !== 'waiting').length
  if (isReading) return { state: 'reading', read, of: readings.length }
  if (value === null) return { state: 'not-started' }
  const { open, wrong, notChecked, change, silence } = value
  const state = monthState(value)
  switch (state) {
    case 'started': {
      const missing = readings.find(isStatementMissing)
      const whole = readings.filter((each) => each.state === 'read' && !isStatementMissing(each)).length
      const refused = missing === undefined ? '' : (whyNot(missing)?.reason ?? '')
      const isNothingChecked = readings.every(({ state }) => state !== 'waiting' && state !== 'read')
      const reason = silence || (isNothingChecked ? `Nothing was checked. ${refused}` : refused)
      return { state: 'partly-read', read: whole, of: readings.length, reason }
    }
    case 'findings':
      return { state, open, wrong, notChecked, notWhole: statementsNotWhole(readings), silence }
    case 'reviewed':
      return { state, notChecked, silence }
    case 'closed':
      return { state, notCompared: value.notCompared.length, notRead: notReadAgain(value) }
    case 'changed':
      return { state, ...changeSize(change?.amounts ?? []), notRead: notReadAgain(value) }
  }
}

/** *Trial balance not read*; empty if every statement was read whole. */
function statementsNotWhole(readings: KeptMonth['readings']): string {
  return readings
    .filter(isStatementMissing)
    .map(({ name, state }) => `${reportTitle(name)} ${state === 'failed' ? 'not read' : 'may be incomplete'}`)
    .join(', ')
}

/** Why a closed month’s reports were not all read when that was last tried; empty if they were. */
function notReadAgain({ readings, silence }: KeptMonth): string {
  const isBegun = readings.some(({ state }) => state === 'waiting')
  return isBegun ? silence || 'Not all of its reports were read again.' : ''
}

function nextOf(status: MonthStatus, value: KeptMonth | null): MonthRow['next'] {
  switch (status.state) {
    case 'not-started':
      return 'get-reports'
    case 'partly-read':
      // If everything was requested and something was refused, the month's page has the reason.
      return value?.readings.some(({ state }) => state === 'waiting') === true ? 'get-reports' : 'review'
    case 'reading':
      return 'wait'
    case 'findings':
      return 'review'
    case 'reviewed':
      return 'close'
    case 'closed':
      return status.notRead === '' ? 'none' : 'get-reports'
    case 'changed':
      return 'see-changes'
  }
}

function reasonsOf(outcome: KeptOutcome): readonly string[] {
  switch (outcome.result) {
    case 'clean':
      return []
    case 'found':
      return outcome.unchecked
    case 'not-checked':
    case 'off':
      return [outcome.reason]
  }
}

/** Drops findings from the audit trail: they describe the previous version only. */
function withoutTrail(outcomes: readonly KeptOutcome[]): readonly KeptOutcome[] {
  return outcomes.filter(({ rule }) => rule !== 'changed-after-close')
}

function shownDecision({ kind, note, by, at }: FindingDecision): FindingDecision {
  return { kind, note, by, at }
}

/** Why a month can't be closed as it is; `null` if it can. */
function notReadyToClose({ readings, open }: KeptMonth): ReturnType<typeof appError> | null {
  if (readings.some((each) => each.state === 'waiting' || isStatementMissing(each))) {
    return appError(
      'invalid-input',
      'Reports of this month are missing or may be incomplete.',
      'Get its reports, then close it.',
    )
  }
  if (open === 0) return null
  return appError(
    'invalid-input',
    open === 1 ? 'One finding is open.' : `${String(open)} findings are open.`,
    'Fix or accept each of them, then close the month.',
  )
}

const NOT_READ = appError('not-found', 'Nothing has been read for this month yet.', 'Get its reports first.')
const IS_CLOSED = appError('invalid-input', 'This month is closed.', 'Reopen it first.')
const NOT_CLOSED = appError('invalid-input', 'This month is not closed.', 'Close it first.')
const READ_AGAIN_FIRST = appError(
  'invalid-input',
  'Not all reports of this month were read again.',
  'Read its reports again, then accept the change.',
)
const CHANGED_MEANWHILE = appError(
  'invalid-input',
  'This month changed while its copies were checked.',
  'Check it, then try again.',
)
