/** A provisioning as the journal has it: found again, and changed so that the window hears of it. */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import { ok, type Result } from '../../../shared/result.ts'
import type { JournalProvisioning } from '../../store/journal/companies.ts'
import { notFound, type WritingContext } from '../context.ts'

export interface ProvisioningJournal {
  get(provisioningId: string): Result<JournalProvisioning>
  /** The set-ups that this one tries again, the nearest first. */
  earlier(provisioning: JournalProvisioning): Result<readonly JournalProvisioning[]>
  /** Writes the change down, then says that something has changed. */
  put(
    provisioning: JournalProvisioning,
    change: Partial<Provisioning>,
    more?: Partial<Pick<JournalProvisioning, 'looks' | 'askedAbout'>>,
  ): Result<JournalProvisioning>
}

export function createProvisioningJournal(context: WritingContext): ProvisioningJournal {
  const { manage } = context.store.journal
  const get: ProvisioningJournal['get'] = (provisioningId) => {
    const found = manage.provisioning(provisioningId)
    if (!found.ok) return found
    return found.value === null ? notFound('This provisioning') : ok(found.value)
  }
  return {
    get,
    earlier(provisioning) {
      const all: JournalProvisioning[] = []
      for (let { again } = provisioning; again !== null;) {
        const found = get(again)
        if (!found.ok) return found
        // What another service was asked for says nothing about this one.
        if (found.value.elsewhere === '') all.push(found.value)
        again = found.value.again
      }
      return ok(all)
    },
    put(provisioning, change, more = {}) {
      const next: JournalProvisioning = {
        ...provisioning,
        ...more,
        value: { ...provisioning.value, ...change },
      }
      const written = manage.putProvisioning(next, null)
      if (!written.ok) return written
      context.listener.companiesChanged(next.value.connectionId)
      return ok(next)
    },
  }
}
