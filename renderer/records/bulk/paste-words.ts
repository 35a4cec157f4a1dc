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
