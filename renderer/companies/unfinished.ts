/** What is unfinished in a company, as lines with their sign, words and the name of the link that leads there. */
import type { Unfinished } from '../../shared/contract.ts'
import type { Outcome } from '../ui/outcomes.ts'

/** The chip of the records screen under which the work is found (ux.md, "Records"). */
export type RecordsChip = 'edited' | 'problems' | 'not-confirmed'

export interface UnfinishedLine {
  readonly outcome: Outcome
  readonly count: number
  /** With its count, in plain words: *3 not accepted*. */
  readonly words: string
  /** What the link says. */
  readonly action: string
  readonly chip: RecordsChip
}

/** The lines that have something in them, in the order in which they want attention last. */
export function unfinishedLines(unfinished: Unfinished): readonly UnfinishedLine[] {
  const lines: readonly UnfinishedLine[] = [
    line('draft', unfinished.drafts, unfinished.drafts === 1 ? 'draft' : 'drafts', 'Review', 'edited'),
    line('refused', unfinished.notAccepted, 'not accepted', 'Show', 'problems'),
    line('unconfirmed', unfinished.notConfirmed, 'not confirmed', 'Check', 'not-confirmed'),
    line('decide', unfinished.decisions, 'your decision', 'Decide', 'problems'),
    line('meanwhile', unfinished.changedMeanwhile, 'changed meanwhile', 'Choose', 'problems'),
  ]
  return lines.filter(({ count }) => count > 0)
}

function line(
  outcome: Outcome,
  count: number,
  word: string,
  action: string,
  chip: RecordsChip,
): UnfinishedLine {
  return { outcome, count, words: `${count} ${word}`, action, chip }
}
