/**
 * The text of the support file: settings and recent requests, for someone who helps. The user should be able to
 * read it before sending it, so it is plain text. It only receives what it may contain: no keys, tokens,
 * bodies, or records.
 */
import type { LogEntry, RequestQueue } from '../../shared/contract/activity.ts'

/** A heading and its lines of name and value. */
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
  /** Whether the log has older ones. */
  readonly hasOlder: boolean
  /** Returns a connection's number in this file; `null` if it was removed. */
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

/** Describes the queue of one connection, without company names and without text from the service. */
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
