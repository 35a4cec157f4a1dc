// Faults on demand: which request, how often, and what goes wrong (seeded, so that a run repeats).

/** Which requests a rule is for. Everything that is given must fit. */
interface FaultMatch {
  readonly method?: string
  /** A part of the path, in any casing. */
  readonly path?: string
  /** A part of the query string, in any casing. */
  readonly query?: string
  /** A part of the body. */
  readonly body?: string
}

/** What goes wrong. `when` says whether the work is done before it does. */
export type Fault =
  /** The connection is closed without an answer. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** The connection is reset (RST). */
  | { readonly kind: 'reset'; readonly when: 'before' | 'after' }
  /**
   * A way in between gives up while the service goes on: the connection is cut, or a gateway's page (`status`) comes.
   * The work is done `workMs` later, and the service counts as at work until then.
   */
  | { readonly kind: 'cutOff'; readonly workMs: number; readonly status?: number }
  /** Nothing comes. The service is at work for `workMs` (before the work), or until the caller leaves. */
  | { readonly kind: 'hang'; readonly when: 'before' | 'after'; readonly workMs?: number }
  /** The head of the answer and then silence, until the caller leaves. */
  | { readonly kind: 'silence' }
  /** The answer comes in small pieces. */
  | { readonly kind: 'trickle'; readonly bytes?: number; readonly everyMs?: number }
  /** The answer stops short: a well-formed message with half a body, or (`abruptly`) a broken connection. */
  | { readonly kind: 'truncate'; readonly share?: number; readonly abruptly?: boolean }
  /** A login page instead of the answer. */
  | { readonly kind: 'html'; readonly status?: number; readonly when?: 'before' | 'after' }
  /** A status of its own, with an envelope, a page or nothing. */
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
  /** The last items are left out. */
  | { readonly kind: 'missingItems'; readonly count?: number }
  /** The first item comes again at the end. */
  | { readonly kind: 'extraItems'; readonly count?: number }
  | { readonly kind: 'reorderedItems' }
  /** Each item's `ExternalID` comes in capitals, in braces, or cut to its first 20 signs; in capitals and braces if not told. */
  | { readonly kind: 'rewrittenMarks'; readonly how?: 'capitals' | 'braces' | 'cut' }
  /** Each record's name comes cut to its first `length` characters. */
  | { readonly kind: 'shortNames'; readonly length: number }
  /** One item comes with an error, with or without its record. The work is done. */
  | {
      readonly kind: 'itemError'
      readonly index?: number
      readonly code?: string | number
      readonly message?: string
      readonly keepRecord?: boolean
    }
  /** An error of the whole request, beside everything that was done. */
  | { readonly kind: 'requestError'; readonly code?: string | number; readonly message?: string }
  /** There is always more, and each page is new. */
  | { readonly kind: 'endlessMoreData' }
  /** There is more, but it is the same page again. */
  | { readonly kind: 'repeatedPage' }
  | { readonly kind: 'slow'; readonly milliseconds: number; readonly when?: 'before' | 'after' }
  /** Members of the envelope are left out. */
  | { readonly kind: 'missingMembers'; readonly members: readonly string[] }
  /** This text as the body, whatever it is. */
  | {
      readonly kind: 'body'
      readonly text: string
      readonly status?: number
      readonly contentType?: string
      readonly when?: 'before' | 'after'
    }

/** A rule: the `nth` fitting request (1 is the first) and `times` of them from there on (0: all). */
export interface FaultRule {
  readonly match?: FaultMatch
  readonly nth?: number
  readonly times?: number
  /** The chance of each, 0 to 1; by the server's seed. */
  readonly chance?: number
  readonly fault: Fault
}

/** What a rule looks at. */
interface FaultSubject {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly body: string
}

/** The rules in force. */
export interface FaultList {
  add(rules: readonly FaultRule[]): void
  clear(): void
  /** The fault of the first rule whose turn it is. Every fitting rule counts the request. */
  next(subject: FaultSubject): Fault | undefined
  /** Each rule with how often it fitted and struck. */
  readonly rules: readonly (FaultRule & { readonly seen: number; readonly struck: number })[]
}

/** No rules yet. `chance` gives numbers from 0 up to 1. */
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
