/** A connection that could not be made. It is thrown before any byte of a request can leave, and by nothing else. */

/** Who could not be reached, or did not let us through: the service itself, or the office's proxy on the way. */
export interface Peer {
  readonly kind: 'service' | 'proxy'
  /** As shown to the person: host and port. */
  readonly host: string
}

/** What happened, where the system's own code does not say it. */
export type ConnectProblem =
  /** The cause tells: its code is the system's. */
  | 'failed'
  /** The proxy wants a sign-in first (407). */
  | 'proxy-sign-in'
  /** The proxy answered that it does not let us through, or can't. */
  | 'proxy-refused'
  /** The proxy could not reach the service (502, 503, 504). */
  | 'proxy-gateway'
  /** The system names a proxy of a kind that can't be used, or its settings can't be read. */
  | 'proxy-settings'
  /** An address that is neither https nor on this computer. */
  | 'insecure'
  /** The file of further certificates can't be used; the message says so in the person's words. */
  | 'certificate-file'

/** Being one proves that nothing of the request left: the connection's user had not been handed it yet. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly problem: ConnectProblem
  readonly peer: Peer
  /** The proxy's status, where it answered. */
  readonly status: number | null

  constructor(
    problem: ConnectProblem,
    peer: Peer,
    message: string,
    more: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.problem = problem
    this.peer = peer
    this.status = more.status ?? null
  }
}
