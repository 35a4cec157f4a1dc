/** How many of what is unfinished, and where, in a few words; pure. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import { listName } from '../../shared/records.ts'

/** E.g. *3 drafts in Customers of Alder & Finch*. */
export function unfinishedSentence({ kind, count, object, companyName }: UnfinishedItem): string {
  if (kind === 'provisioning') return `A company being set up: ${companyName}`
  const where = [object === '' ? '' : `in ${listName(object)}`, companyName === '' ? '' : `of ${companyName}`]
  return [`${count} ${wordsFor(kind, count)}`, ...where].filter(Boolean).join(' ')
}

function wordsFor(kind: Exclude<UnfinishedItem['kind'], 'provisioning'>, count: number): string {
  switch (kind) {
    case 'draft':
      return count === 1 ? 'draft' : 'drafts'
    case 'not-accepted':
      return 'not accepted'
    case 'not-confirmed':
      return 'sent and not confirmed'
    case 'decision':
      return 'waiting for your decision'
    case 'changed-meanwhile':
      return 'changed meanwhile'
    case 'queued':
    case 'sending':
      return 'waiting to be sent'
    case 'deprovisioning':
      return count === 1 ? 'de-provisioning not confirmed' : 'de-provisionings not confirmed'
  }
}
