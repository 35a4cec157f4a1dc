/** What a plan of a paste comes to, in a sentence. */
import type { PastePlan } from './paste-plan.ts'
import { cellsWords } from './refusal-words.ts'

export function planWords(plan: PastePlan, count: (value: number) => string): string {
  const { edits, added, refused, unchanged, beyond } = plan
  const parts = [
    `${cellsWords(edits.length, count)} ${edits.length === 1 ? 'changes' : 'change'}`,
    ...(added.length === 0
      ? []
      : [`${count(added.length)} new ${added.length === 1 ? 'record is' : 'records are'} added`]),
    ...(unchanged === 0
      ? []
      : [unchanged === 1 ? '1 stays as it is' : `${count(unchanged)} stay as they are`]),
    ...(refused.length === 0 ? [] : [`${count(refused.length)} can’t be changed`]),
  ]
  const words = `${parts.join(', ')}.`
  if (beyond === 0) return words
  return `${words} ${count(beyond)} ${beyond === 1 ? 'column lies' : 'columns lie'} beyond the last one of the list and ${beyond === 1 ? 'is' : 'are'} left out.`
}

/** Said where rows of the list are kept out of sight, and the block is longer than what is shown. */
export function beyondShownWords(added: number, count: (value: number) => string): string {
  const rows = added === 1 ? '1 row' : `${count(added)} rows`
  return `Only some rows of the list are shown. ${rows} of the block ${added === 1 ? 'goes' : 'go'} beyond the last one shown, and would be added as new, not put into those that are hidden.`
}
