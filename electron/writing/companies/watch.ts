/**
 * Watches for companies whose provisioning has no certain outcome. Reads the list again and looks for a new company.
 * *Not listed yet* never means *failed*. Sends nothing.
 */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { appError, err, ok, type Result } from '../../../shared/result.ts'
import {
  type CompanyList,
  type CompanyRecord,
  readCompanyList,
} from '../../service/companies/company-list.ts'
import { serviceRequest } from '../../service/protocol/wire.ts'
import { resultOf } from '../../store/database.ts'
import type { JournalProvisioning } from '../../store/journal/companies.ts'
import type { WritingContext } from '../context.ts'
import { sentToPreviousServiceError } from '../records/states.ts'
import type { ProvisioningJournal } from './journal.ts'
import { activeSince, changeOnArrival, findProvisioned } from './provision-verdicts.ts'
import { RecheckTimer } from './recheck-timer.ts'

export interface ProvisioningWatch {
  /** Rechecks now, or as soon as the queue is open. Returns an error if the list can't be read. */
  recheck(provisioningId: string): Promise<Result<Provisioning>>
  /** Schedules the next automatic recheck, if one is pending. */
  schedule(provisioningId: string): void
  /** Rechecks now, then on schedule. Doesn't report failures. */
  begin(provisioningId: string): void
  /**
   * Returns an earlier setup if it has succeeded, or succeeds according to the list that was just read. Otherwise
   * `null`.
   */
  reconcile(provisioningId: string, list: CompanyList): Provisioning | null
  /** Companies that have become active since the request was sent and that nothing rules out. */
  mayBe(provisioning: JournalProvisioning, list: CompanyList): readonly CompanyRecord[]
  forget(provisioningId: string): void
  close(): void
}

const CANNOT_TELL = appError(
  'not-found',
  'Bookbridge can’t tell from the company list whether it was added.',
  'The list was incomplete before the request. Check it yourself for a new company of this client.',
)

export function createProvisioningWatch(
  context: WritingContext,
  journal: ProvisioningJournal,
): ProvisioningWatch {
  const { manage } = context.store.journal
  const timer = new RecheckTimer(context.clock)

  /** The time of the next recheck is stored only for the window, so a disk failure doesn't stop the recheck. */
  const schedule = (provisioningId: string): void => {
    timer.cancel(provisioningId)
    if (context.isClosed()) return
    resultOf(() => {
      scheduleNext(provisioningId)
    })
  }

  const scheduleNext = (provisioningId: string): void => {
    const found = journal.get(provisioningId)
    if (found.value.state !== 'waiting') {
      timer.forget(provisioningId)
      return
    }
    const at = timer.schedule(provisioningId, () => {
      begin(provisioningId)
    })
    if (at === null) {
      // All rechecks are done, and the setup was retried in the meantime. No one is waiting for it anymore.
      const state = isTriedAgain(found) ? 'dropped' : 'waiting'
      journal.put(found, { nextRecheckAt: null, state })
      return
    }
    journal.put(found, { nextRecheckAt: new Date(at).toISOString() })
  }

  /** Only a retry that was sent counts. Otherwise this setup is still pending. */
  const isTriedAgain = ({ value: { connectionId, provisioningId } }: JournalProvisioning): boolean => {
    const all = manage.provisionings(connectionId)
    return all.some((other) => {
      // An earlier try may have been deleted.
      const earlier = other.value.sentAt === null ? null : resultOf(() => journal.earlier(other))
      return (
        earlier?.ok === true && earlier.value.some(({ value }) => value.provisioningId === provisioningId)
      )
    })
  }

  const begin = (provisioningId: string): void => {
    recheck(provisioningId).catch((defect: unknown) => {
      context.onDefect(defect)
    })
  }

  const recheck = async (provisioningId: string): Promise<Result<Provisioning>> => {
    const begun = journal.get(provisioningId)
    if (begun.value.state !== 'waiting') return ok(begun.value)
    if (begun.previousService !== '') {
      journal.put(begun, { nextRecheckAt: null })
      return err(sentToPreviousServiceError(begun.previousService))
    }
    const { connectionId } = begun.value
    const what = 'Looking for the provisioned company'
    const listed = await context.client.read(
      serviceRequest({ connectionId, what, isWrite: false, priority: 'batch', batchId: provisioningId }),
      (wire) => readCompanyList(wire),
      { tries: 1 },
    )
    if (context.isClosed()) return ok(begun.value)
    timer.rechecked(provisioningId)
    if (listed.ok) {
      context.listener.companiesRead(connectionId, listed.value.companies, listed.value.isWhole)
    }
    const rechecked = listed.ok ? afterRecheck(provisioningId, listed.value) : listed
    schedule(provisioningId)
    return rechecked
  }

  const afterRecheck = (provisioningId: string, list: CompanyList): Result<Provisioning> => {
    const found = journal.get(provisioningId)
    const { value, previousService } = found
    // The address changed while the list was being read, so no one knows whose companies these are.
    if (value.state !== 'waiting' || previousService !== '') return ok(value)
    const company = sought(found, list)
    const written = journal.put(
      found,
      {
        lastRecheckedAt: context.timestamp(),
        nextRecheckAt: null,
        ...(company === null ? {} : changeOnArrival(found.value, company, found.listBefore)),
      },
      { rechecks: found.rechecks + 1 },
    )
    const canTell = company !== null || found.listBefore?.isWhole === true
    return canTell ? ok(written.value) : err(CANNOT_TELL)
  }

  const sought = (provisioning: JournalProvisioning, list: CompanyList): CompanyRecord | null => {
    const { application, userId, expectedFile } = provisioning.value
    const before = provisioning.listBefore
    const taken = takenByOthers(provisioning)
    if (before === null) return null
    return findProvisioned(list.companies, { application, userId, expectedFile, before, taken })
  }

  const takenByOthers = ({ value }: JournalProvisioning): readonly string[] => {
    const all = manage.provisionings(value.connectionId)
    const others = all.filter(
      (other) => other.previousService === '' && other.value.provisioningId !== value.provisioningId,
    )
    return others.flatMap((other) => other.value.company?.endpointId ?? [])
  }

  return {
    recheck,
    schedule,
    begin,
    forget: (provisioningId) => {
      timer.forget(provisioningId)
    },
    reconcile(provisioningId, list) {
      const found = journal.get(provisioningId)
      const { value } = found
      if (value.state === 'arrived') return value
      const company = value.state === 'waiting' ? sought(found, list) : null
      if (company === null) return null
      context.listener.companiesRead(value.connectionId, list.companies, list.isWhole)
      const written = journal.put(found, {
        lastRecheckedAt: context.timestamp(),
        nextRecheckAt: null,
        ...changeOnArrival(value, company, found.listBefore),
      })
      timer.forget(provisioningId)
      return written.value
    },
    mayBe(provisioning, list) {
      const { listBefore: before, value } = provisioning
      const taken = takenByOthers(provisioning)
      if (before === null || value.state !== 'waiting') return []
      return activeSince(list.companies, before, taken)
    },
    close() {
      timer.close()
    },
  }
}
