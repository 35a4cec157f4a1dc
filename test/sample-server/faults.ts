// Faults on demand: which request, how often, and what goes wrong. Seeded, so that runs are repeatable.

/** The requests that a rule applies to. All given members must match. */
interface FaultMatch {
  readonly method?: string
  /** A part of the path, in any case. */
  readonly path?: string
  /** A part of the query string, in any case. */
  readonly query?: string
  /** A part of the body. */
  readonly body?: string
}

/** What goes wrong. `when` says whether that is before or after the work. */
export type Fault =
  /** The connection is closed without a response. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** The connection is reset (RST). */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /**
   * A gateway gives up while the service continues: the connection is cut, or the gateway's page (`status`) arrives. The
   * work is done `workMs` later, and the service counts as working until then.
   */
  | { readonly kind: 'cutOff'; readonly workMs: number; readonly status?: number }
  /** No response. The service works for `workMs` (before the work), or until the caller disconnects. */
  | { readonly kind: 'hang'; readonly when: 'before' | 'after'; readonly workMs?: number }
  /** The headers of the response and then nothing, until the caller disconnects. */
  | { readonly kind: 'silence' }
  /** The response arrives in small pieces. */
  | { readonly kind: 'trickle'; readonly bytes?: number; readonly everyMs?: number }
  /** The response is incomplete: a well-formed message with half a body, or (`abruptly`) a broken connection. */
  | { readonly kind: 'truncate'; readonly share?: number; readonly abruptly?: boolean }
  /** A login page instead of the response. */
  | { readonly kind: 'html'; readonly status?: number; readonly when?: 'before' | 'after' }
  /** Another status, with an envelope, a page, or nothing. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly retryAfter?: string | number
      readonly body?: 'envelope' | 'html' | 'empty'
      readonly when?: 'before' | 'after'
    }
  | {
      readonly kind: 'redirect'
      readonly location: string
      readonly status?: number
      readonly when?: 'before' | 'after'
    }
  /** The last items are missing. */
  | { readonly kind: 'missingItems'; readonly count?: number }
  /** The first item is repeated at the end. */
  | { readonly kind: 'extraItems'; readonly count?: number }
  | { readonly kind: 'reorderedItems' }
  /** Each item's `ExternalID` is in capitals, in braces, or shortened to 20 characters. By default, in capitals and braces. */
  | { readonly kind: 'rewrittenMarks'; readonly how?: 'capitals' | 'braces' | 'cut' }
  /** Each record's name is shortened to `length` characters. */
  | { readonly kind: 'shortNames'; readonly length: number }
  /** An item has an error, with or without its record. The work is done. */
  | {
      readonly kind: 'itemError'
      readonly index?: number
      readonly code?: string | number
      readonly message?: string
      readonly keepRecord?: boolean
    }
  /** An error of the whole request, in addition to everything that was done. */
  | { readonly kind: 'requestError'; readonly code?: string | number; readonly message?: string }
  /** There are always more pages, and each one is new. */
  | { readonly kind: 'endlessMoreData' }
  /** There are more pages, but they repeat the same one. */
  | { readonly kind: 'repeatedPage' }
  | { readonly kind: 'slow'; readonly milliseconds: number; readonly when?: 'before' | 'after' }
  /** Members of the envelope are missing. */
  | { readonly kind: 'missingMembers'; readonly members: readonly string[] }
  /** This text as the body. */
  | {
      readonly kind: 'body'
      readonly text: string
      readonly status?: number
      readonly contentType?: string
      readonly when?: 'before' | 'after'
    }

/** A rule: applies from the `nth` matching request (1 is the first), `times` times (0 for all). */
export interface FaultRule {
  readonly match?: FaultMatch
  readonly nth?: number
  readonly times?: number
  /** The chance of each, from 0 to 1, by the server's seed. */
  readonly chance?: number
  readonly fault: Fault
}

/** What rules match. */
interface FaultSubject {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** The current rules. */
export interface FaultList {
  add(rules: readonly FaultRule[]): void
  clear(): void
  /** The fault of the first rule that applies. Every matching rule counts the request. */
  next(subject: FaultSubject): Fault | undefined
  /** Each rule, and how often it matched and applied. */
  readonly rules: readonly (FaultRule & { readonly seen: number; readonly struck: number })[]
}

/** An empty list of rules. `chance` returns numbers from 0 to 1. */
export function createFaultList(chance: () => number): FaultList {
  let rules: { rule: FaultRule; seen: number; struck: number }[] = []
  return {
    add: (added) => {
      rules.push(...added.map((rule) => ({ rule, seen: 0, struck: 0 })))
    },
    clear: () => {
      rules = []
    },
    next: (subject) => {
      let chosen: Fault | undefined
      for (const entry of rules) {
        if (!fits(entry.rule.match ?? {}, subject)) continue
        entry.seen++
        const { nth = 1, times = 1, chance: odds = 1, fault } = entry.rule
        const due = entry.seen >= nth && (times === 0 || entry.struck < times)
        if (!due || chosen !== undefined || (odds < 1 && chance() >= odds)) continue
        entry.struck++
        chosen = fault
      }
      return chosen
    },
    get rules() {
      return rules.map(({ rule, seen, struck }) => ({ ...rule, seen, struck }))
    },
  }
}

function fits(match: FaultMatch, subject: FaultSubject): boolean {
  const has = (text: string, part: string | undefined): boolean =>
    part === undefined || text.toLowerCase().includes(part.toLowerCase())
  return (
    (match.method === undefined || match.method.toUpperCase() === subject.method) &&
    has(subject.path, match.path) &&
    has(subject.query, match.query) &&
    has(subject.body, match.body)
  )
}
