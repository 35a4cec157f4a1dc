/**
 * What a failed request was, in a bookkeeper's words, and whether it is proven that nothing of it left this
 * computer. Only a short list of connect errors proves that (reliability.md).
 */
import { appError, type AppError } from '../../shared/result.ts'
import { isLoopbackHost } from './addresses.ts'
import { redact } from './redact.ts'

/** A failure of the way there or back. */
export interface Failure {
  readonly error: AppError
  /** Proven: no byte of the request left. */
  readonly nothingLeft: boolean
  /** Worth another try, for a read. */
  readonly isPassing: boolean
}

const NOT_FOUND = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NONAME'])
const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
])
const UNTRUSTED = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_CHAIN_TOO_LONG',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
])

/** The chain of causes, outermost first: ofetch and undici wrap what the system said. */
function chain(error: unknown): { code: string; name: string; message: string }[] {
  const found: { code: string; name: string; message: string }[] = []
  let each: unknown = error
  for (let depth = 0; depth < 6 && each instanceof Error; depth += 1) {
    const code = 'code' in each && typeof each.code === 'string' ? each.code : ''
    found.push({ code, name: each.name, message: each.message })
    each = each instanceof AggregateError && each.errors.length > 0 ? each.errors[0] : each.cause
  }
  return found
}

/** @param host shown to the person; never a path or a query */
export function failureOf(error: unknown, host: string, secrets: readonly string[]): Failure {
  const causes = chain(error)
  const code = causes.map((cause) => cause.code).find((each) => each !== '') ?? ''
  const raw = redact(causes.map((cause) => cause.message).join(': '), secrets, 500)
  const codes = new Set(causes.map((cause) => cause.code))
  const anyOf = (wanted: ReadonlySet<string>): boolean => [...codes].some((each) => wanted.has(each))
  const details = { ...(code === '' ? {} : { code }), raw }

  if (anyOf(UNTRUSTED)) {
    return {
      nothingLeft: true,
      isPassing: false,
      error: appError(
        'untrusted-certificate',
        `This computer does not trust the certificate of ${host}.`,
        'Nothing was sent. Check the address. If your office checks encrypted traffic with a certificate of its own, name its file in Settings.',
        details,
      ),
    }
  }
  if (anyOf(NOT_FOUND)) {
    return {
      nothingLeft: true,
      isPassing: true,
      error: appError(
        'unreachable',
        `No computer called ${host} was found.`,
        'Check the address for a slip, and this computer’s connection to the internet.',
        details,
      ),
    }
  }
  if (anyOf(NOT_REACHED)) {
    return {
      nothingLeft: true,
      isPassing: true,
      error: appError(
        'unreachable',
        `${host} could not be reached.`,
        isLoopbackHost(host.replace(/:\d+$/, ''))
          ? 'Nothing answers at this address on this computer. Is the service running, and on this port?'
          : 'Check this computer’s connection to the internet and the address. The service may also be down for a while.',
        details,
      ),
    }
  }
  if (codes.has('PROXY_KIND') || codes.has('CERTIFICATE_FILE') || codes.has('INSECURE_ADDRESS')) {
    return {
      nothingLeft: true,
      isPassing: false,
      error: appError('unreachable', causes[causes.length - 1]?.message ?? raw, 'Nothing was sent.', details),
    }
  }
  if (/proxy response \(\d+\)/i.test(raw)) {
    return {
      nothingLeft: true,
      isPassing: false,
      error: appError(
        'unreachable',
        'The office’s proxy did not let the request through.',
        'Nothing was sent. A proxy that asks for a Windows sign-in (NTLM) can’t be used: ask for the service’s address to be let through.',
        details,
      ),
    }
  }
  if ([...codes].some((each) => each === 'EPROTO' || each.startsWith('ERR_SSL_'))) {
    return {
      nothingLeft: true,
      isPassing: false,
      error: appError(
        'unreachable',
        `${host} does not speak a secure connection there.`,
        'Check the address.',
        details,
      ),
    }
  }
  return {
    nothingLeft: false,
    isPassing: true,
    error: appError(
      'dropped',
      `The connection to ${host} ended before the whole answer was there.`,
      'Try again in a moment.',
      details,
    ),
  }
}

/** No whole answer before the deadline. */
export function timedOut(seconds: number): AppError {
  return appError(
    'timed-out',
    `No answer came within ${seconds >= 120 ? `${String(Math.round(seconds / 60))} minutes` : `${String(seconds)} seconds`}.`,
    'Is the client’s machine on and logged in, the agent running with its token, and this company file open or none? A dialog may be open in the application. The deadline is in Settings.',
    { code: 'deadline' },
  )
}
