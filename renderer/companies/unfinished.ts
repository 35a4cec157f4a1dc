/** What is unfinished, in words: per company, per item, and for a setup that waits. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import type { Company, Provisioning, Unfinished } from '../../shared/contract/companies.ts'
import { isSameCompany } from '../frame/session.svelte.ts'
import type { Outcome } from '../ui/notices/outcomes.ts'

export interface UnfinishedLine {
  readonly outcome: Outcome
  readonly count: number
  /** With its count, in plain words: *3 not accepted*. */
  readonly text: string
  /** The label of the link. */
  readonly action: string
}

/** The lines with a count, the least urgent first. */
export function unfinishedLines(unfinished: Unfinished): readonly UnfinishedLine[] {
  const lines: readonly UnfinishedLine[] = [
    line('draft', unfinished.drafts, unfinished.drafts === 1 ? 'draft' : 'drafts', 'Review'),
    line('not-accepted', unfinished.notAccepted, 'not accepted', 'Show'),
    line('changed-meanwhile', unfinished.changedMeanwhile, 'changed elsewhere', 'Choose'),
    line('not-confirmed', unfinished.notConfirmed, 'not confirmed', 'Check'),
    line('decision', unfinished.decisions, 'your decision', 'Decide'),
  ]
  return lines.filter(({ count }) => count > 0)
}

/**
 * What is unfinished in a company's books. Leaves out a de-provisioning that isn't confirmed.
 * @param items everything unfinished on the connection
 */
export function unfinishedInBooks(
  { ref, unfinished }: Pick<Company, 'ref' | 'unfinished'>,
  items: readonly UnfinishedItem[],
): Unfinished {
  const endings = items
    .filter(({ kind, company }) => kind === 'deprovisioning' && isSameCompany(company, ref))
    .reduce((total, { count }) => total + count, 0)
  return { ...unfinished, notConfirmed: Math.max(0, unfinished.notConfirmed - endings) }
}

/** The sign of an unfinished item. */
export function unfinishedOutcome(kind: UnfinishedItem['kind']): Outcome {
  switch (kind) {
    case 'deprovisioning':
      return 'not-confirmed'
    case 'queued':
      return 'sending'
    case 'provisioning':
      return 'waiting'
    default:
      return kind
  }
}

/** The label of the link that finishes an item. */
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
      return 'Continue'
  }
}

/** The sign and words of a setup. A setup that is no longer known is waiting. */
export function setupSign(state: Provisioning['state'] = 'waiting'): {
  readonly outcome: Outcome
  readonly says: string
} {
  const outcome = state === 'refused' ? 'not-accepted' : state === 'arrived' ? 'decision' : 'waiting'
  return { outcome, says: formatWaiting(state) }
}

/** The state of a setup, as the list names it. */
export function formatWaiting(state: Provisioning['state']): string {
  switch (state) {
    case 'queued':
      return 'Waiting in line'
    case 'making-user':
      return 'Creating the client'
    case 'sending':
    case 'waiting':
      return 'Waiting for authorization'
    case 'arrived':
      return 'Is this the right file?'
    case 'refused':
      return 'Not provisioned'
    case 'kept':
      return 'Added'
    case 'dropped':
      return 'Discarded'
  }
}

/** The list, such as `customer`, that holds the first item with this sign; empty if unknown. */
export function firstObject(items: readonly UnfinishedItem[], outcome: Outcome): string {
  return items.find(({ kind }) => unfinishedOutcome(kind) === outcome)?.object ?? ''
}

function line(outcome: Outcome, count: number, word: string, action: string): UnfinishedLine {
  return { outcome, count, text: `${count} ${word}`, action }
}
