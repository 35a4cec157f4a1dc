/** The log of what was asked and sent, as values: its filters, its words, and its text for support. */
import type { LogEntry } from '../../shared/contract/activity.ts'
import { searched, searchedWords } from '../ui/found.ts'
import type { Outcome } from '../ui/outcomes.ts'

/** What of the log is shown. */
export type LogFilter = 'all' | 'sent' | 'failed'

/** The sign of an entry, and the word that says the same. */
export interface LogSign {
  readonly outcome: Outcome | null
  readonly word: string
}

/** How it went, in one word for the margin. */
export function logSign(outcome: LogEntry['outcome']): LogSign {
  switch (outcome) {
    case 'answered':
      return { outcome: 'saved', word: 'answered' }
    case 'service-error':
      return { outcome: 'refused', word: 'error of the service' }
    case 'failed':
      return { outcome: 'refused', word: 'no answer that can be used' }
    case 'let-go':
      return { outcome: 'unconfirmed', word: 'let go of' }
    case 'stopped':
      return { outcome: null, word: 'stopped' }
    case 'begun':
      return { outcome: 'sending', word: 'on its way' }
    case 'cut-off':
      return { outcome: 'unconfirmed', word: 'the program ended before the answer' }
  }
}

/** Whether it did not end with an answer that can be used. */
function isFailed(entry: LogEntry): boolean {
  return entry.outcome !== 'answered' && entry.outcome !== 'stopped' && entry.outcome !== 'begun'
}

/** The entries under a filter that have every word of the search in time, company, words, path or RequestId. */
export function filterLog(
  entries: readonly LogEntry[],
  filter: LogFilter,
  search: string,
): readonly LogEntry[] {
  const words = searchedWords(search)
  return entries
    .filter((entry) => filter === 'all' || (filter === 'sent' ? entry.isWrite : isFailed(entry)))
    .filter((entry) => {
      const { companyName, what, says, requestId, path, method } = entry
      const text = searched([companyName, what, says, requestId, path, method].join('\n'))
      return words.every((word) => text.includes(word))
    })
}

/** Newer entries before those that are held, each once; the answers of two reads may overlap. */
export function mergeLog(held: readonly LogEntry[], read: readonly LogEntry[]): readonly LogEntry[] {
  const byId = new Map([...held, ...read].map((entry) => [entry.entryId, entry]))
  return [...byId.values()].toSorted((left, right) => Date.parse(right.at) - Date.parse(left.at))
}

/** Lines for a support mail, an entry each. Words are left out, since they may name a record or quote a body. */
export function logForSupport(entries: readonly LogEntry[], version: string): string {
  return [
    `Bookbridge ${version}, ${entries.length} requests`,
    'time\tmethod\tpath\tstatus\tms\toutcome\tcode\tRequestId',
    ...entries.map((entry) =>
      [
        entry.at,
        entry.method,
        entry.path,
        entry.status ?? '-',
        entry.milliseconds,
        entry.outcome,
        entry.code || '-',
        entry.requestId || '-',
      ].join('\t'),
    ),
  ].join('\n')
}
