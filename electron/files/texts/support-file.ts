/**
 * The text of the support file: how this Bookbridge is set and what it asked, for somebody who helps. A person is to
 * read it before sending it, so it is plain. Pure; it is handed only what may stand in it: no key, token, body or record.
 */
import type { RequestQueue, LogEntry } from '../../../shared/contract/activity.ts'

/** A heading and its lines: name and value each. */
export interface SupportSection {
  readonly title: string
  readonly lines: readonly (readonly [name: string, value: string])[]
}

export interface SupportFacts {
  /** ISO. */
  readonly madeAt: string
  readonly sections: readonly SupportSection[]
  /** Newest first. */
  readonly requests: readonly LogEntry[]
  /** Whether there are more in the log. */
  readonly hasOlder: boolean
  /** The number of a connection in this file, by its id; a connection that was removed has none. */
  readonly connectionNumber: (connectionId: string) => number | null
}

export function supportText({
  madeAt,
  sections,
  requests,
  hasOlder,
  connectionNumber,
}: SupportFacts): string {
  const table = requests.map((entry) =>
    [
      entry.at,
      connectionNumber(entry.connectionId) ?? '-',
      entry.method,
      entry.path,
      entry.outcome,
      entry.status ?? '-',
      entry.milliseconds,
      entry.bytes,
      entry.code || '-',
      entry.requestId || '-',
    ].join('\t'),
  )
  return [
    'Bookbridge support file',
    `Made ${madeAt}.`,
    'Includes: versions, settings, addresses, and each request with its path, times, and codes.',
    'Does not include: keys, tokens, company names, records, or anything that was sent or answered.',
    'Please review it before sending.',
    ...sections.flatMap(({ title, lines }) => [
      '',
      `== ${title}`,
      ...(lines.length === 0 ? ['none'] : lines.map(([name, value]) => `${name}: ${onOneLine(value)}`)),
    ]),
    '',
    `== Requests, newest first: ${String(requests.length)}${hasOlder ? ', and older ones' : ''}`,
    'time\tconnection\tmethod\tpath\toutcome\tstatus\tms\tbytes\tcode\tRequestId',
    ...table.map(onOneLine),
    '',
  ].join('\n')
}

/** What runs and waits on one connection, without a company's name and without what the service said. */
export function queueSection(queue: RequestQueue, number: number | null): SupportSection {
  const entries = [...(queue.running === null ? [] : [queue.running]), ...queue.waiting]
  return {
    title: `Queue of connection ${String(number ?? '-')}`,
    lines: [
      ['blocked until', queue.blockedUntil ?? 'open'],
      ['paused', queue.paused?.kind ?? 'no'],
      ...entries.map((entry): readonly [string, string] => [
        `${entry.state} (${entry.isWrite ? 'write' : 'read'})`,
        [
          `queued ${entry.queuedAt}`,
          `started ${entry.startedAt ?? '-'}`,
          `deadline ${entry.deadlineAt ?? '-'}`,
          `try ${String(entry.attempt)} of ${String(entry.attempts)}`,
          `place ${String(entry.position)}`,
        ].join(', '),
      ]),
    ],
  }
}

function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ')
}
