/** Which of several companies is sent next, after what was refused for certain. Decides only. */
import type { AppError, ErrorKind } from '../../../shared/result.ts'

/** One of the companies, as far as the order goes. */
export interface Sendable {
  /** Neither done nor skipped. */
  readonly isOpen: boolean
  /** Why it was refused in this run; `null` when it was not. */
  readonly error: AppError | null
  /** Which service is asked for it: each has its own address, key and queue. */
  readonly service: 'v2' | 'v1'
}

/** The first that is open and was not tried in this run, unless a refusal reaches it; `undefined` ends the run. */
export function nextToSend<Item extends Sendable>(items: readonly Item[]): Item | undefined {
  const refused = items.flatMap(({ error, service }) =>
    error === null ? [] : [{ reach: reachOf(error.kind), service }],
  )
  if (refused.some(({ reach }) => reach === 'all')) return undefined
  const shut = new Set(refused.filter(({ reach }) => reach === 'service').map(({ service }) => service))
  return items.find(({ isOpen, error, service }) => isOpen && error === null && !shut.has(service))
}

/** Whom a refusal concerns: the company that was sent, all of the same service, or everything. */
function reachOf(kind: ErrorKind): 'company' | 'service' | 'all' {
  switch (kind) {
    case 'service-error':
    case 'company-unavailable':
    case 'read-only':
    case 'not-found':
    case 'invalid-input':
      return 'company'
    case 'unauthorised':
    case 'keychain':
    case 'unreachable':
    case 'untrusted-certificate':
    case 'proxy-refused':
    case 'timed-out':
    case 'dropped':
    case 'malformed-response':
    case 'too-large':
    case 'redirected':
    case 'busy':
    case 'connection-changed':
    case 'paused':
      return 'service'
    case 'stopped':
    case 'declined':
    case 'file':
    case 'store':
    case 'internal':
      return 'all'
  }
}
