/** What writing over a connection has shown about its service, in plain sentences; pure. */
import { applicationName } from '../../shared/applications.ts'
import type { LearnedBehavior } from '../../shared/contract/connections.ts'
import { listName } from '../../shared/records.ts'

export interface LearnedList {
  /** E.g. *Customers (Desktop)*. */
  readonly title: string
  readonly sentences: readonly string[]
}

/** One entry per application and list of which anything is known. */
export function learnedLists(learned: readonly LearnedBehavior[]): readonly LearnedList[] {
  const lists = new Map<string, string[]>()
  for (const behavior of learned) {
    const title = `${listName(behavior.object)} (${applicationName(behavior.application)})`
    lists.set(title, [...(lists.get(title) ?? []), ...sentencesFor(behavior)])
  }
  return [...lists]
    .filter(([, sentences]) => sentences.length > 0)
    .map(([title, sentences]) => ({ title, sentences }))
}

function sentencesFor(behavior: LearnedBehavior): readonly string[] {
  const sentences = behavior.kind === 'insert' ? aboutInserts(behavior) : [aboutChanges(behavior)]
  return [...sentences, aboutAnswers(behavior)].filter((sentence) => sentence !== '')
}

function aboutInserts(behavior: LearnedBehavior): readonly string[] {
  const { keepsNames, keepsMarks, keepsIds, clockAhead, lag } = behavior
  const kept = [
    says(keepsNames, 'names come back as they were sent', 'names can come back altered'),
    says(keepsMarks, 'external IDs are kept', 'external IDs are not kept'),
    says(keepsIds, 'IDs in answers are lasting', 'IDs in answers are temporary'),
  ].filter((part) => part !== '')
  return [
    kept.length === 0 ? '' : `New records: ${kept.join(', ')}.`,
    clockAhead === null ? '' : `Its clock ${clockWords(clockAhead)}.`,
    lag === null || lag === 0 ? '' : `New records appear after up to ${spanWords(lag)}.`,
  ]
}

function aboutChanges({ isStopped, isProven }: LearnedBehavior): string {
  if (isStopped) {
    return 'Changes are stopped: one did not do what it was meant to. Go on sends the next one alone and reads it back.'
  }
  return isProven
    ? 'Changes: one was read back, and changed what was sent and nothing else.'
    : 'Changes: none has been read back yet, so the next one goes alone.'
}

function aboutAnswers({ kind, answersAsStored }: LearnedBehavior): string {
  const what = kind === 'insert' ? 'new records' : 'changes'
  return says(
    answersAsStored,
    `Answers to ${what} show what is stored.`,
    `Answers to ${what} can differ from what is stored, so each one is read back.`,
  )
}

function says(known: boolean | null, yes: string, no: string): string {
  return known === null ? '' : known ? yes : no
}

function clockWords(ahead: number): string {
  if (ahead === 0) return 'agrees with this computer’s'
  return `is ${spanWords(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} this computer’s`
}

const MINUTE = 60_000

/** A length of time in whole units, rounded up: *45 s*, *5 min*, *2 h 5 min*. */
function spanWords(milliseconds: number): string {
  if (milliseconds < MINUTE) return `${Math.ceil(milliseconds / 1_000)} s`
  const minutes = Math.ceil(milliseconds / MINUTE)
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  return [hours === 0 ? '' : `${hours} h`, rest === 0 ? '' : `${rest} min`].filter(Boolean).join(' ')
}
