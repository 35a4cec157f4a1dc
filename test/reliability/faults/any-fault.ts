/** Random faults from the table of faults, for seeded tests. */
import type { Fault } from '../../sample-server/faults.ts'
import { pick } from '../../unit/writing/random.ts'

/** Faults that end only at the deadline are rarer, because they take so long. */
const ENDLESS_SHARE = 0.03

/**
 * How long the service keeps working after it was cut off, in milliseconds: within the settling pause, which is all
 * that a read gets (decisions.md). Other tests wait for a write's deadline.
 */
const MAX_WORK_AFTER_CUT = 30
const GIVEN_UP = [{}, { status: 502 }, { status: 504 }] as const

type Random = () => number

const whens = ['before', 'after'] as const

/** A fault of the network or the service that doesn't falsify a response's content. */
export function honestFault(random: Random): Fault {
  const when = pick(random, whens)
  if (random() < ENDLESS_SHARE) {
    return pick<Fault>(random, [
      { kind: 'hang', when },
      { kind: 'silence' },
      { kind: 'trickle', bytes: 32, everyMs: 30 },
    ])
  }
  return pick<Fault>(random, [
    { kind: 'drop', when },
    { kind: 'reset', when },
    { kind: 'truncate', share: random(), abruptly: true },
    { kind: 'truncate', share: random() },
    { kind: 'html', when },
    { kind: 'status', status: 401, when: 'before' },
    { kind: 'status', status: 429, when, body: 'empty', ...(random() < 0.5 ? { retryAfter: 2 } : {}) },
    { kind: 'status', status: 503, when, body: 'html', ...(random() < 0.5 ? { retryAfter: 2 } : {}) },
    { kind: 'status', status: 500, when, body: pick(random, ['envelope', 'html', 'empty'] as const) },
    { kind: 'redirect', location: pick(random, ['/elsewhere', 'https://h.invalid/']), when },
    { kind: 'body', text: pick(random, ['', '{}', '[]', 'null', '{"hello":1}']), when },
    { kind: 'requestError' },
    { kind: 'slow', milliseconds: Math.floor(random() * 30), when },
    { kind: 'cutOff', workMs: Math.floor(random() * MAX_WORK_AFTER_CUT), ...pick(random, GIVEN_UP) },
  ])
}

/** A fault from any row of the table, including missing, extra, or reordered items. */
export function anyFault(random: Random): Fault {
  if (random() < 0.6) return honestFault(random)
  return pick<Fault>(random, [
    { kind: 'body', text: '{"Contents":[]}', when: pick(random, whens) },
    { kind: 'missingItems', count: 1 + Math.floor(random() * 3) },
    { kind: 'extraItems', count: 1 + Math.floor(random() * 3) },
    { kind: 'reorderedItems' },
    { kind: 'itemError', index: Math.floor(random() * 4), keepRecord: true },
    { kind: 'repeatedPage' },
    { kind: 'missingMembers', members: [pick(random, ['Contents', 'Errors', 'HasErrors', 'MoreData'])] },
  ])
}
