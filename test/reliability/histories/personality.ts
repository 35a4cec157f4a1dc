/** The properties of a service that the specification leaves open. */
import { pick } from '../../unit/writing/random.ts'

type Random = () => number

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How an application changes names. */
export const NAME_RULES = {
  none: (name: string) => name,
  'cut at 41': (name: string) => name.slice(0, 41),
  'escaped as HTML': (name: string) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'smart quotes': (name: string) => name.replaceAll("'", '’').replace(/"([^"]*)"/g, '“$1”'),
  'colon to dash': (name: string) => name.replaceAll(':', '-'),
  NFKC: (name: string) => name.normalize('NFKC'),
  NFC: (name: string) => name.normalize('NFC'),
  'upper case': (name: string) => name.toUpperCase(),
  'blanks collapsed': (name: string) => name.replace(/\s+/g, ' '),
  trimmed: (name: string) => name.trim(),
  'without diacritics': (name: string) => name.normalize('NFD').replace(/\p{M}/gu, ''),
  'title case': (name: string) =>
    name.toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase()),
} as const satisfies Readonly<Record<string, (name: string) => string>>

export type NameRule = keyof typeof NAME_RULES

export interface Personality {
  readonly application: 'qbd' | 'qbo'
  readonly object: 'customer' | 'vendor' | 'account'
  readonly nameRule: NameRule
  /** Metadata lists `ExternalID`. */
  readonly takesMark: boolean
  /** How it stores `ExternalID`. Vendors and accounts never return one. */
  readonly mark: 'kept' | 'cut' | 'capitals' | 'ignored' | 'replaced' | 'only in echoes'
  readonly markLength: number
  readonly hasUniqueNames: boolean
  /** What the response to a write contains: the record as stored, as sent, part of it, or the record without its ID. */
  readonly echo: 'stored' | 'sent' | 'short' | 'without IDs'
  /** The share of writes that are reported as saved but not stored. */
  readonly phantoms: number
  /** Milliseconds until a new record or a change is visible to reads. */
  readonly insertLag: number
  readonly changeLag: number
  /** Milliseconds by which the application's clock is ahead. */
  readonly skew: number
  readonly dates: 'UTC' | 'offset' | 'no offset' | 'absent'
  /** Whether the books were imported at one time, so that all old records have the same creation date. */
  readonly isImported: boolean
  /** Whether responses to inserts contain an ID that no list ever has. */
  readonly hasTemporaryIds: boolean
  /** The share of list reads before which all IDs are reassigned. */
  readonly reassignments: number
  readonly pageSize: number
  /** `ignored`: each page is the first one. */
  readonly pageParameter: 'honored' | 'ignored'
  readonly order: 'name' | 'newest first' | 'oldest first' | 'random'
  readonly heedsModTime: boolean
  /** How it responds to a read by an unknown ID. */
  readonly missingIds: 'left out' | 'error'
  /** The share of writes and reads with a fault. */
  readonly writeTrouble: number
  readonly readTrouble: number
  /** The share of items that are refused, and of those saved with a warning. */
  readonly refusals: number
  readonly warnings: number
  /** Whether a refused item contains the record that was sent, without an ID. */
  readonly echoesRefused: boolean
  /** The message next to a record that was saved anyway. */
  readonly warningForm: 'warning' | 'error'
  /** The format of an error. */
  readonly errorForm: 'object' | 'string' | 'other names' | 'one object'
  /** How often other people change the books between two steps of the user. */
  readonly others: number
  /** The longest time between two steps of the user, in milliseconds. */
  readonly longestPause: number
}

const or = <T>(random: Random, share: number, plain: T, draw: () => T): T =>
  random() < share ? draw() : plain

export function drawPersonality(random: Random): Personality {
  const object = pick(random, ['customer', 'customer', 'customer', 'vendor', 'account'] as const)
  const rules = Object.keys(NAME_RULES) as NameRule[]
  return {
    application: pick(random, ['qbd', 'qbo'] as const),
    object,
    nameRule: or(random, 0.7, 'none', () => pick(random, rules)),
    takesMark: object === 'customer' && random() < 0.8,
    mark: or(random, 0.6, 'kept', () =>
      pick(random, ['cut', 'capitals', 'ignored', 'replaced', 'only in echoes'] as const),
    ),
    markLength: pick(random, [8, 12, 20, 31]),
    hasUniqueNames: random() < 0.5,
    echo: or(random, 0.5, 'stored', () => pick(random, ['sent', 'short', 'without IDs'] as const)),
    phantoms: or(random, 0.12, 0, () => pick(random, [0.05, 0.5])),
    insertLag: or(random, 0.3, 0, () => pick(random, [2 * SECOND, 30 * SECOND, 5 * MINUTE, 45 * MINUTE])),
    changeLag: or(random, 0.2, 0, () => pick(random, [2 * SECOND, 30 * SECOND, 5 * MINUTE])),
    skew: or(random, 0.5, 0, () =>
      pick(random, [-3 * DAY, -HOUR, -20 * MINUTE, 10 * MINUTE, 5 * HOUR, 2 * DAY]),
    ),
    dates: or(random, 0.5, 'UTC', () => pick(random, ['offset', 'no offset', 'absent'] as const)),
    // Vendors would have no ID to distinguish them then.
    isImported: object !== 'vendor' && random() < 0.2,
    hasTemporaryIds: random() < 0.12,
    reassignments: or(random, 0.1, 0, () => 0.1),
    pageSize: or(random, 0.5, 1_000, () => pick(random, [3, 7, 20])),
    pageParameter: or(random, 0.06, 'honored', () => 'ignored'),
    order: pick(random, ['name', 'newest first', 'oldest first', 'random'] as const),
    heedsModTime: random() < 0.8,
    missingIds: pick(random, ['left out', 'error'] as const),
    writeTrouble: pick(random, [0, 0.1, 0.3, 0.6]),
    readTrouble: pick(random, [0, 0, 0.05, 0.15]),
    refusals: pick(random, [0, 0.05, 0.15]),
    warnings: pick(random, [0, 0, 0.1]),
    echoesRefused: random() < 0.3,
    warningForm: pick(random, ['warning', 'warning', 'error'] as const),
    errorForm: pick(random, ['object', 'string', 'other names', 'one object'] as const),
    others: pick(random, [0, 0.1, 0.3]),
    longestPause: pick(random, [10 * SECOND, 3 * MINUTE, 2 * HOUR]),
  }
}

/** The fate of a write: when it takes effect, and how it is answered. */
export interface Fate {
  readonly answer:
    | 'whole'
    | 'dropped'
    | 'no answer'
    | 'cut off'
    | 'page'
    | 'busy'
    | 'redirect'
    | 'not an envelope'
    | 'no items'
    | 'errors untold'
    | 'error of the whole'
    | 'never connected'
    | 'key refused'
    | 'fewer items'
    | 'more items'
    | 'other order'
  /** Milliseconds after its arrival; `null` for never. */
  readonly effectAfter: number | null
  /** Milliseconds until the response, or until the connection ends. */
  readonly answerAfter: number
  readonly status: number
}

const UNTOUCHED = ['whole', 'fewer items', 'more items', 'other order'] as const

export function drawFate(random: Random, { writeTrouble }: Personality): Fate {
  const answerAfter = Math.floor(random() * (random() < 0.1 ? 150 * SECOND : 4 * SECOND))
  const soon = Math.floor(answerAfter * random())
  if (random() >= writeTrouble) return { answer: 'whole', effectAfter: soon, answerAfter, status: 200 }
  const answer = pick(random, [
    'dropped',
    'dropped',
    'no answer',
    'cut off',
    'page',
    'busy',
    'redirect',
    'not an envelope',
    'no items',
    'errors untold',
    'error of the whole',
    'never connected',
    'key refused',
    ...UNTOUCHED.slice(1),
  ] as const)
  const status =
    { page: 500, redirect: 302, busy: pick(random, [429, 503]), 'key refused': 401 }[answer as string] ?? 200
  // These responses say that nothing was begun.
  if (answer === 'never connected' || [302, 401, 429].includes(status)) {
    return { answer, effectAfter: null, answerAfter, status }
  }
  if ((UNTOUCHED as readonly string[]).includes(answer))
    return { answer, effectAfter: soon, answerAfter, status }
  // These are responses of the service itself, which is no longer working on the request.
  if (answer === 'no items' || answer === 'errors untold') {
    return { answer, effectAfter: random() < 0.5 ? soon : null, answerAfter, status }
  }
  const effectAfter = pick(random, [
    null,
    null,
    soon,
    soon,
    soon,
    // Before the deadline, after it, and long after it.
    Math.floor(random() * 170 * SECOND),
    190 * SECOND + Math.floor(random() * 20 * MINUTE),
    Math.floor(random() * 6 * HOUR),
  ])
  return { answer, effectAfter, answerAfter, status }
}

/** Describes the unusual properties, for a failed history's transcript. */
export function describePersonality(personality: Personality): string {
  return Object.entries(personality)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join(', ')
}
