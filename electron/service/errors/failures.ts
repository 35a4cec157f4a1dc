/**
 * What a failed request means to a bookkeeper, and whether certainly nothing of it left this computer. Only a
 * connection that was never made proves that. On an open connection, the same system error may come after the request.
 */
import { isLoopbackHost } from '../../../shared/address.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import type { Mask } from '../protocol/wire.ts'
import { certificateError } from '../transport/certificates.ts'
import { ConnectError } from '../transport/tunnel.ts'
import { redact } from './redact.ts'

/** A failure of the connection. */
export interface Failure {
  readonly error: AppError
  /** Whether certainly no byte of the request left. */
  readonly wasNotSent: boolean
}

const NOT_FOUND = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NONAME'])
const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The chain of causes, outermost first: ofetch, undici, and our own connector wrap the system's error. */
function chain(error: unknown): Error[] {
  const found: Error[] = []
  let each: unknown = error
  for (let depth = 0; depth < 8 && each instanceof Error; depth += 1) {
    found.push(each)
    each = each instanceof AggregateError && each.errors.length > 0 ? each.errors[0] : each.cause
  }
  return found
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/**
 * Translates a failure.
 * @param host shown to the user; never a path or a query
 */
export function failureOf(error: unknown, host: string, mask: Mask): Failure {
  const causes = chain(error)
  const codes = causes.map(codeOf).filter((code) => code !== '')
  // ofetch's message contains the whole URL with its query, and nothing that its cause doesn't have.
  const messages = new Set(causes.filter(({ name }) => name !== 'FetchError').map(({ message }) => message))
  const [code] = codes
  const details = {
    ...(code === undefined ? {} : { code }),
    raw: redact([...messages].join(': '), mask, 500),
  }
  const connect = causes.find((cause) => cause instanceof ConnectError)
  return connect === undefined
    ? { wasNotSent: false, error: dropped(host, details) }
    : { wasNotSent: true, error: notConnected(connect, host, codes, details) }
}

function notConnected(
  failure: ConnectError,
  host: string,
  codes: readonly string[],
  details: AppError['details'],
): AppError {
  switch (failure.problem) {
    case 'proxy-sign-in':
    case 'proxy-refused':
    case 'proxy-gateway':
    case 'proxy-settings':
      return proxyError(failure, host, details)
    case 'certificate-file':
      return appError(
        'file',
        failure.message,
        'Nothing was sent. Choose the file again under Settings, Certificates, or remove it there.',
        details,
      )
    case 'insecure':
      return appError('invalid-input', failure.message, 'Nothing was sent.', details)
    case 'failed':
      break
  }
  const isProxy = failure.peer.kind === 'proxy'
  const certificate = certificateError(isProxy ? failure.peer.host : host, codes, details)
  if (certificate !== null) return certificate
  if (isProxy) return proxyError(failure, host, details)
  return codes.some((each) => each === 'EPROTO' || each.startsWith('ERR_SSL_'))
    ? notSecure(host, details)
    : unreachable(host, codes, details)
}

function unreachable(host: string, codes: readonly string[], details: AppError['details']): AppError {
  if (codes.some((code) => NOT_FOUND.has(code))) {
    return appError(
      'unreachable',
      `No computer called ${host} was found.`,
      'Check the address for typos, and this computer’s internet connection.',
      details,
    )
  }
  if (codes.some((code) => NOT_REACHED.has(code))) {
    return appError(
      'unreachable',
      `${host} couldn’t be reached.`,
      isLoopbackHost(host.replace(/:\d+$/, ''))
        ? 'Nothing is responding at this address on this computer. Check the address, and make sure the service is running.'
        : 'Check this computer’s internet connection and the address. The service may also be down.',
      details,
    )
  }
  return appError(
    'dropped',
    `${host} closed the connection before the request.`,
    'Nothing was sent. Try again in a moment. If that fails, check the address.',
    details,
  )
}

function notSecure(host: string, details: AppError['details']): AppError {
  return appError(
    'unreachable',
    `${host} doesn’t offer a secure connection there.`,
    'Nothing was sent. Check the address.',
    details,
  )
}

function dropped(host: string, details: AppError['details']): AppError {
  return appError(
    'dropped',
    `The connection to ${host} ended before the whole response arrived.`,
    'Try again in a moment.',
    details,
  )
}

/** The code of a request whose deadline passed, in its error and in the log. */
export const DEADLINE = 'deadline'

/** The error if the response was not complete before the deadline. */
export function timedOutError(seconds: number): AppError {
  return appError(
    'timed-out',
    `No response came within ${seconds >= 120 ? `${String(Math.round(seconds / 60))} minutes` : `${String(seconds)} seconds`}.`,
    'For a company, Test company shows what to check. The time limit is in Settings.',
    { code: DEADLINE },
  )
}

// Errors of the office's proxy: what it didn't do, and what a bookkeeper can do about it.

/** @param host of the service behind the proxy */
function proxyError(failure: ConnectError, host: string, details: AppError['details']): AppError {
  const proxy = failure.peer.host
  const known: AppError['details'] =
    failure.status === null
      ? details
      : { ...details, status: failure.status, code: `HTTP ${String(failure.status)}` }
  switch (failure.problem) {
    case 'proxy-sign-in':
      return appError('proxy-refused', ...signIn(failure.message, proxy, host), known)
    case 'proxy-refused':
      return appError(
        'proxy-refused',
        `Your network’s proxy ${proxy} blocks access to ${host}.`,
        'Nothing was sent. Ask your network administrator to allow that address.',
        known,
      )
    case 'proxy-gateway':
      return appError(
        'unreachable',
        `Your network’s proxy ${proxy} could not reach ${host}.`,
        'Nothing was sent. Check the address for typos. The service may also be down.',
        known,
      )
    case 'proxy-settings':
      return appError(
        'proxy-refused',
        'The proxy that this computer’s settings name can’t be used.',
        'Nothing was sent. Bookbridge supports HTTP, HTTPS, and SOCKS proxies. Ask your network administrator.',
        known,
      )
    default:
      return appError(
        'unreachable',
        `Your network’s proxy ${proxy} couldn’t be reached.`,
        'Nothing was sent. Check this computer’s proxy settings, and that it is on the office network.',
        known,
      )
  }
}

/** A proxy that requires a sign-in. We have no name and password for it, and can't use those of Windows. */
function signIn(schemes: string, proxy: string, host: string): [message: string, advice: string] {
  const letThrough = `Ask your network administrator to allow ${host} without a sign-in.`
  const isWindows = /\b(?:ntlm|negotiate|kerberos)\b/i.test(schemes)
  return isWindows
    ? [
        `Your network’s proxy ${proxy} requires a Windows sign-in (NTLM or Negotiate), which Bookbridge doesn’t support.`,
        `Nothing was sent. ${letThrough}`,
      ]
    : [
        `Your network’s proxy ${proxy} requires a user name and password, which Bookbridge doesn’t support.`,
        `Nothing was sent. ${letThrough}`,
      ]
}
