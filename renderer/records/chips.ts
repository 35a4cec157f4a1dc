/** The chips above the grid: which rows each shows, and how many there are. */
import type { RowDraft } from './row-draft.ts'
import type { RowOutcome } from './row-outcome.ts'

export const CHIPS = ['all', 'edited', 'new', 'problems', 'not-confirmed'] as const
export type Chip = (typeof CHIPS)[number]

/** Whether a row is shown under a chip. While changes are reviewed, *Edited* shows the new records as well. */
export function isUnder(
  chip: Chip,
  draft: RowDraft | undefined,
  outcome: RowOutcome,
  reviewing: boolean,
): boolean {
  switch (chip) {
    case 'all':
      return true
    case 'edited':
      if (reviewing)
        return draft !== undefined || outcome.kind === 'saved' || outcome.kind === 'saved-otherwise'
      return draft?.kind === 'change'
    case 'new':
      return draft?.kind === 'insert'
    case 'problems':
      return ['problem', 'refused', 'underneath', 'meanwhile', 'saved-otherwise'].includes(outcome.kind)
    case 'not-confirmed':
      return outcome.kind === 'unconfirmed' || outcome.kind === 'held'
  }
}
