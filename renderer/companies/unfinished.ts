/** What is unfinished in a company: a line each, with its sign, words, and link. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import type { Company, Unfinished } from '../../shared/contract/companies.ts'
import { isSameCompany } from '../frame/session.svelte.ts'
import type { Outcome } from '../ui/notices/outcomes.ts'

export interface UnfinishedLine {
  readonly outcome: Outcome
  readonly count: number
  /** With its count, in plain words: *3 not accepted*. */
  readonly words: string
  /** The label of the link. */
  readonly action: string
}

/** The lines with a count, the least urgent first. */
export function unfinishedLines(unfinished: Unfinished): readonly UnfinishedLine[] {
  const lines: readonly UnfinishedLine[] = [
    line('draft', unfinished.drafts, unfinished.drafts === 1 ? 'draft' : 'drafts', 'Review'),
    line('refused', unfinished.notAccepted, 'not accepted', 'Show'),
    line('unconfirmed', unfinished.notConfirmed, 'not confirmed', 'Check'),
    line('decide', unfinished.decisions, 'your decision', 'Decide'),
    line('meanwhile', unfinished.changedMeanwhile, 'changed meanwhile', 'Choose'),
  ]
  return lines.filter(({ count }) => count > 0)
}

/**
 * What is unfinished in a company's books alone: a de-provisioning without a sure word is none of it.
 * @param items all that is unfinished in the connection
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

/** The sign of an unfinished thing. */
export function outcomeOf(kind: UnfinishedItem['kind']): Outcome {
  switch (kind) {
    case 'draft':
      return 'draft'
    case 'not-accepted':
      return 'refused'
    case 'not-confirmed':
    case 'deprovisioning':
      return 'unconfirmed'
    case 'decision':
      return 'decide'
    case 'changed-meanwhile':
      return 'meanwhile'
    case 'queued':
    case 'sending':
      return 'sending'
    case 'provisioning':
      return 'waiting'
  }
}

/** The list (`customer`…) in which the first thing of that sign is; empty when it is not known. */
export function firstObject(items: readonly UnfinishedItem[], outcome: Outcome): string {
  return items.find(({ kind }) => outcomeOf(kind) === outcome)?.object ?? ''
}

function line(outcome: Outcome, count: number, word: string, action: string): UnfinishedLine {
  return { outcome, count, words: `${count} ${word}`, action }
}
