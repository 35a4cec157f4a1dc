/** A provisioning as the journal has it: found again, and changed so that the window hears of it. */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { JournalProvisioning } from '../../store/journal/companies.ts'
import { notFound, type WritingContext } from '../context.ts'

/** Throws a `StoreError` where one is no longer there. */
export interface ProvisioningJournal {
  get(provisioningId: string): JournalProvisioning
  /** The set-ups that this one tries again, the nearest first. */
  earlier(provisioning: JournalProvisioning): readonly JournalProvisioning[]
  /** Writes the change down, then says that something has changed. */
  put(
    provisioning: JournalProvisioning,
    change: Partial<Provisioning>,
    more?: Partial<Pick<JournalProvisioning, 'looks' | 'askedAbout'>>,
  ): JournalProvisioning
}

export function createProvisioningJournal(context: WritingContext): ProvisioningJournal {
  const { manage } = context.store.journal
  const get: ProvisioningJournal['get'] = (provisioningId) => {
    const found = manage.provisioning(provisioningId)
    if (found === null) throw notFound('This provisioning')
    return found
  }
  return {
    get,
    earlier(provisioning) {
      const all: JournalProvisioning[] = []
      for (let { again } = provisioning; again !== null;) {
        const found = get(again)
        // What another service was asked for says nothing about this one.
        if (found.elsewhere === '') all.push(found)
        again = found.again
      }
      return all
    },
    put(provisioning, change, more = {}) {
      const next: JournalProvisioning = {
        ...provisioning,
        ...more,
        value: { ...provisioning.value, ...change },
      }
      manage.putProvisioning(next, null)
      context.listener.companiesChanged(next.value.connectionId)
      return next
    },
  }
}
