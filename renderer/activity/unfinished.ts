/** Formats unfinished items: what their link says, and the list they belong to. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import type { Provisioning } from '../../shared/contract/companies.ts'
import { OBJECT_DEFINITIONS } from '../../shared/records/definition.ts'
import { waitingWords } from '../companies/list/rows.ts'
import type { Outcome } from '../ui/notices/outcomes.ts'

/** The label of the link that finishes it. */
export function unfinishedAction(kind: UnfinishedItem['kind']): string {
  switch (kind) {
    case 'draft':
      return 'Review'
    case 'not-accepted':
    case 'sending':
      return 'Show'
    case 'not-confirmed':
    case 'deprovisioning':
      return 'Check'
    case 'decision':
      return 'Decide'
    case 'changed-meanwhile':
      return 'Choose'
    case 'queued':
    case 'provisioning':
      return 'Go on'
  }
}

/** The sign and words of a setup. A setup that is no longer known is waiting. */
export function setupSign(state: Provisioning['state'] = 'waiting'): {
  readonly outcome: Outcome
  readonly says: string
} {
  const outcome = state === 'refused' ? 'refused' : state === 'arrived' ? 'decide' : 'waiting'
  return { outcome, says: waitingWords(state) }
}

/** The name of a list (*Customers*); an object that the data definition does not know stands for itself. */
export function listWords(object: string): string {
  return OBJECT_DEFINITIONS.find((definition) => definition.object === object)?.list ?? object
}
