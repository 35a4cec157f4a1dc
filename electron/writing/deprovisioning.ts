/** De-provisions a company, and gathers the confirmations that it is. One company a call (specification 4.5, 4.7). */
import type { Confirmation, DeprovisioningView } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { isSameId } from '../../shared/companies/companies.ts'
import { err, ok, type AppError, type Result } from '../../shared/result.ts'
import type { CompanyRecord } from '../service/company-records.ts'
import type { Wire } from '../service/wire.ts'
import type { NewRequest } from '../store/journal.ts'
import type { DeprovisionedCompany, Deprovisioning } from '../store/manage-journal.ts'
import { nextLook } from './company-looks.ts'
import { notFound, turnToEnd, type WritingContext } from './context.ts'
import { readCurrent, readLegacy } from './deprovisioning-answer.ts'
import { sentElsewhere } from './elsewhere.ts'
import { openWrites } from './deprovisioning-books.ts'
import { deprovisioningTurn, makeConfirmations } from './deprovisioning-confirmations.ts'
import { stateAfter, withLaterList } from './deprovisioning-decisions.ts'
import { requestAnswer } from './request-answer.ts'

export interface DeprovisioningWriter {
  /**
   * @param service which one is asked, where both list the company; else the one that does
   * @returns the confirmations with their results; an error when it is certain that nothing was done, also because a
   * write to these books is not confirmed or waits
   */
  deprovision(company: CompanyRef, service?: Service): Promise<Result<Deprovisioned>>
  /** Those that were sent, newest first. */
  deprovisionings(connectionId: string): Result<readonly DeprovisioningView[]>
  /** As the journal keeps them, in the order asked for; an error when one is no longer there. */
  deprovisioningsById(deprovisioningIds: readonly string[]): Result<readonly Deprovisioning[]>
  /** **Look now**: reads the list of inactive companies once more. */
  lookForDeprovisioned(deprovisioningId: string): Promise<Result<DeprovisioningView>>
  /** A list was read for another reason: what it calls inactive proves what was not confirmed yet. */
  deprovisionedByList(
    connectionId: string,
    sentBy: DeprovisionedCompany['sentBy'],
    list: ReadList,
  ): Result<void>
  /** Looks at the inactive list for what was on its way: at a start of all, else of one connection. */
  start(connectionId?: string): Result<void>
  close(): void
}

/** What came of one, with its place in the journal. */
export interface Deprovisioned extends Pick<Deprovisioning, 'deprovisioningId' | 'sentAt' | 'confirmations'> {
  readonly isDeprovisioned: boolean
}

/** A list of companies as it was read, with the service's id of the request; empty when it gave none. */
export interface ReadList {
  readonly companies: readonly CompanyRecord[]
  readonly requestId: string
}

type Service = DeprovisionedCompany['sentBy']

/** What the PATCH brought, whichever service it was. */
interface Patched {
  readonly deprovisioning: Deprovisioning
  /** It is certain that nothing was done. */
  readonly refusal: AppError | null
}

function viewOf({
  deprovisioningId,
  company,
  state,
  sentAt,
  confirmations,
}: Deprovisioning): DeprovisioningView {
  return { deprovisioningId, company, state, sentAt, confirmations: [...confirmations] }
}

/** @param ended hears of each company whose de-provisioning is confirmed */
export function createDeprovisioningWriter(
  context: WritingContext,
  ended: (company: CompanyRef) => void,
): DeprovisioningWriter {
  const { manage } = context.store.journal
  const { confirm, readInactive, callData } = makeConfirmations(context)
  /** Of those that are looked for again: when they came to be in doubt, in milliseconds since 1970, and their timers. */
  const doubtfulSince = new Map<string, number>()
  const timers = new Map<string, () => void>()

  /** What the report will say of it, and whether its data can be asked for: not where the older service alone lists it. */
  const knownOf = (
    company: CompanyRef,
    service: Service,
  ): Result<{ readonly known: DeprovisionedCompany; readonly hasData: boolean }> => {
    const stored = context.store.companies.get(company)
    if (!stored.ok) return stored
    if (stored.value === null) return notFound('This company')
    const { companyName, label, applicationName, fullPath, userId, listedBy } = stored.value
    const sentBy = listedBy === 'both' ? service : listedBy
    return ok({
      known: { companyName, label, applicationName, fullPath, userId, sentBy },
      hasData: listedBy !== 'v1',
    })
  }

  const patch = async (company: CompanyRef, known: DeprovisionedCompany, wire: Wire): Promise<Patched> => {
    const legacy = known.sentBy === 'v1'
    // As shown (specification 4.5): the JSON string "false", not the boolean; the older service the same.
    // The id as that service lists it now, which may be another spelling than the one that is kept here.
    const stored = context.store.companies.get(company)
    const endpointId = (stored.ok ? stored.value?.listedAs : undefined) ?? company.endpointId
    const body = JSON.stringify({ endpointId, isActive: 'false' })
    const sentAt = context.timestamp()
    const deprovisioning: Deprovisioning = {
      deprovisioningId: context.newId(),
      company,
      known,
      state: 'sending',
      sentAt,
      confirmations: [],
      error: null,
      elsewhere: '',
    }
    const newRequest: NewRequest = {
      requestKey: context.newId(),
      batchId: '',
      kind: legacy ? 'legacy-deprovision' : 'deprovision',
      connectionId: company.connectionId,
      endpointId: company.endpointId,
      object: '',
      body,
      sentAt,
    }
    const written = manage.putDeprovisioning(deprovisioning, newRequest, null)
    if (!written.ok) return { deprovisioning, refusal: written.error }
    const answer = legacy
      ? readLegacy(await wire.legacyDeprovision(body))
      : readCurrent(await wire.deprovision(body))
    const refusal = answer.isCertainlyNotDone ? answer.error : null
    const after: Deprovisioning = {
      ...deprovisioning,
      state: refusal === null ? 'unknown' : 'not-sent',
      confirmations:
        refusal === null ? [confirm('answer', answer.judge(company.endpointId), answer.requestId)] : [],
      error: answer.error,
    }
    const kept = manage.putDeprovisioning(
      after,
      null,
      requestAnswer(context, newRequest.requestKey, answer.answer),
    )
    if (answer.companies.length > 0) {
      context.listener.companiesRead(company.connectionId, answer.companies, false)
    }
    return { deprovisioning: after, refusal: refusal ?? (kept.ok ? null : kept.error) }
  }

  const finish = (
    deprovisioning: Deprovisioning,
    confirmations: readonly Confirmation[],
  ): Result<Deprovisioning> => {
    const { deprovisioningId, company } = deprovisioning
    const current = manage.deprovisioning(deprovisioningId)
    if (!current.ok) return current
    // Another list has proved it meanwhile; one that lags behind takes no proof away.
    if (current.value?.state === 'done') return ok(current.value)
    const settled = { ...deprovisioning, state: stateAfter(confirmations), confirmations }
    const written = manage.putDeprovisioning(settled, null, null)
    context.listener.companiesChanged(company.connectionId)
    timers.get(deprovisioningId)?.()
    timers.delete(deprovisioningId)
    if (settled.state === 'unknown') lookLater(settled)
    if (settled.state === 'done') ended(company)
    return written.ok ? ok(settled) : written
  }

  /** Not confirmed: the list of inactive companies is looked at again by itself, since the service may be at it yet. */
  const lookLater = (open: Deprovisioning): void => {
    const { deprovisioningId } = open
    const now = context.clock.now()
    const since = doubtfulSince.get(deprovisioningId) ?? now
    doubtfulSince.set(deprovisioningId, since)
    const next = nextLook(since, now)
    if (next === null || context.isClosed()) return
    timers.set(
      deprovisioningId,
      context.clock.after(next - now, () => void settle(open)),
    )
  }

  const look = async (begun: Deprovisioning): Promise<Result<Deprovisioning>> => {
    const known = manage.deprovisioning(begun.deprovisioningId)
    if (!known.ok) return known
    const open = known.value ?? begun
    if (open.elsewhere !== '') return err(sentElsewhere(open.elsewhere))
    const list = await readInactive(open.company, open.known.sentBy)
    const current = manage.deprovisioning(open.deprovisioningId)
    if (!current.ok) return current
    // Meanwhile the company's data may have been deleted here.
    if (current.value === null) return notFound('This de-provisioning')
    if (context.isClosed()) return ok(current.value)
    return finish(current.value, withLaterList(current.value.confirmations, list))
  }

  const settle = async (open: Deprovisioning): Promise<void> => {
    try {
      await look(open)
    } catch (defect) {
      context.onDefect(defect)
    }
  }

  return {
    async deprovision(company, service = 'v2') {
      const found = knownOf(company, service)
      if (!found.ok) return found
      const { known, hasData } = found.value
      const before = openWrites(context, company)
      if (!before.ok) return before
      const turn = deprovisioningTurn(context, company, known.sentBy)
      const { result } = await turnToEnd(context.client, turn, async (wire) => {
        // Again in the turn: something may have been sent while this waited for it.
        const still = openWrites(context, company)
        return still.ok ? ok(await patch(company, known, wire)) : still
      })
      if (!result.ok) return result
      if (!result.value.ok) return result.value
      const { deprovisioning, refusal } = result.value.value
      if (refusal !== null) return err(refusal)
      const list = await readInactive(company, known.sentBy)
      const soFar = [...deprovisioning.confirmations, list]
      const confirmations = hasData ? [...soFar, await callData(company)] : soFar
      const done = finish(deprovisioning, confirmations)
      if (!done.ok) return done
      const { deprovisioningId, sentAt } = deprovisioning
      const { state, confirmations: all } = done.value
      return ok({ deprovisioningId, sentAt, confirmations: all, isDeprovisioned: state === 'done' })
    },
    deprovisionings(connectionId) {
      const found = manage.deprovisionings(connectionId)
      if (!found.ok) return found
      return ok(found.value.filter(({ state }) => state !== 'not-sent').map((each) => viewOf(each)))
    },
    async lookForDeprovisioned(deprovisioningId) {
      const found = manage.deprovisioning(deprovisioningId)
      if (!found.ok) return found
      if (found.value === null) return notFound('This de-provisioning')
      const looked = await look(found.value)
      return looked.ok ? ok(viewOf(looked.value)) : looked
    },
    deprovisionedByList(connectionId, sentBy, { companies, requestId }) {
      const inactive = companies.filter(({ isActive }) => !isActive)
      if (inactive.length === 0) return ok(undefined)
      const found = manage.deprovisionings(connectionId)
      if (!found.ok) return found
      for (const open of found.value) {
        const { company, known, state, confirmations, elsewhere } = open
        if (elsewhere !== '') continue
        if ((state !== 'unknown' && state !== 'denied') || known.sentBy !== sentBy) continue
        if (!inactive.some(({ endpointId }) => isSameId(endpointId, company.endpointId))) continue
        const says = 'The list of companies calls the company inactive.'
        const list = confirm('inactive-list', { result: 'confirmed', says }, requestId)
        const done = finish(open, withLaterList(confirmations, list))
        if (!done.ok) return done
      }
      return ok(undefined)
    },
    deprovisioningsById(deprovisioningIds) {
      const all: Deprovisioning[] = []
      for (const deprovisioningId of deprovisioningIds) {
        const found = manage.deprovisioning(deprovisioningId)
        if (!found.ok) return found
        if (found.value === null) return notFound('This de-provisioning')
        all.push(found.value)
      }
      return ok(all)
    },
    start(connectionId) {
      const open = manage.openDeprovisionings()
      if (!open.ok) return open
      for (const deprovisioning of open.value) {
        if (connectionId !== undefined && deprovisioning.company.connectionId !== connectionId) continue
        // One that is being sent in this run has its looks to come.
        if (deprovisioning.state === 'unknown') void settle(deprovisioning)
      }
      return ok(undefined)
    },
    close() {
      for (const cancel of timers.values()) cancel()
    },
  }
}
