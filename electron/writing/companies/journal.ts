/** Journal access for setups, and for the requests that create and remove companies. */
import type { Provisioning } from '../../../shared/contract/companies.ts'
import type { WriteResult } from '../../service/protocol/wire.ts'
import type { JournalProvisioning } from '../../store/journal/companies.ts'
import type { RequestResult } from '../../store/journal/journal.ts'
import { notFoundError, type WritingContext } from '../context.ts'

export interface ProvisioningJournal {
  /** Throws a `StoreError` if it no longer exists. */
  get(provisioningId: string): JournalProvisioning
  /** The setups that this one retries, nearest first. */
  earlier(provisioning: JournalProvisioning): readonly JournalProvisioning[]
  /** Journals a change, then reports it. */
  put(
    provisioning: JournalProvisioning,
    change: Partial<Provisioning>,
    more?: Partial<Pick<JournalProvisioning, 'rechecks' | 'askedAbout'>>,
  ): JournalProvisioning
}

/** Reads and changes setups in the journal. */
export function createProvisioningJournal(context: WritingContext): ProvisioningJournal {
  const { manage } = context.store.journal
  const get: ProvisioningJournal['get'] = (provisioningId) => {
    const found = manage.provisioning(provisioningId)
    if (found === null) throw notFoundError('This provisioning')
    return found
  }
  return {
    get,
    earlier(provisioning) {
      const all: JournalProvisioning[] = []
      for (let { again } = provisioning; again !== null;) {
        const found = get(again)
        // A request to another service says nothing about this one.
        if (found.previousService === '') all.push(found)
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

/**
 * What the journal keeps of a response to a provisioning, a de-provisioning, or the creation of a user: the outcome,
 * but not the text, which may contain a token.
 */
export function requestResult<T extends { readonly status: number }>(
  context: Pick<WritingContext, 'timestamp'>,
  requestKey: string,
  result: WriteResult<T>,
): RequestResult {
  const isAnswered = result.outcome === 'answered'
  const requestId = isAnswered && 'requestId' in result.envelope ? String(result.envelope.requestId) : ''
  return {
    requestKey,
    respondedAt: context.timestamp(),
    outcome: result.outcome,
    status: isAnswered ? result.envelope.status : (result.error.details.status ?? null),
    requestId: isAnswered ? requestId : (result.error.details.requestId ?? ''),
    error: isAnswered ? null : result.error,
    text: null,
    returnedIds: [],
    items: [],
  }
}
