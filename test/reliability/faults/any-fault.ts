/** Faults drawn from the table's rows, for seeded schedules. */
import type { Fault } from '../../sample-server/faults.ts'
import { pick } from '../../unit/writing/random.ts'

/** What only ends at its deadline: rarer, since it takes so long. */
const ENDLESS_SHARE = 0.03

/**
 * Milliseconds that the service goes on when it was cut off: within the settling pause of these worlds, which is all
 * that a read is given (decisions.md). A write's deadline is waited for in tests of its own.
 */
const MAX_WORK_AFTER_CUT = 30
const GIVEN_UP = [{}, { status: 502 }, { status: 504 }] as const

type Random = () => number

const whens = ['before', 'after'] as const

/** What a way to the service, or the service in trouble, does to an answer without lying about what is in it. */
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

/** A fault of any row of the table: also items that are missing, too many, or in another order. */
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
