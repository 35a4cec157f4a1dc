/** The office's proxy, in a bookkeeper's words: what it did not do, and what can be done about it. */
import { appError, type AppError } from '../../shared/result.ts'
import type { ConnectError } from './connect-error.ts'

/** @param host of the service, which the proxy was to be asked for */
export function proxyError(failure: ConnectError, host: string, details: AppError['details']): AppError {
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
        `The office’s proxy ${proxy} does not let anybody through to ${host}.`,
        'Nothing was sent. Ask who looks after your office’s network to let that address through.',
        known,
      )
    case 'proxy-gateway':
      return appError(
        'unreachable',
        `The office’s proxy ${proxy} could not reach ${host}.`,
        'Nothing was sent. Check the address for a slip; the service may also be down for a while.',
        known,
      )
    case 'proxy-settings':
      return appError(
        'proxy-refused',
        'The proxy that this computer’s settings name can’t be used.',
        'Nothing was sent. Proxies over HTTP, HTTPS and SOCKS can be: ask who looks after your office’s network.',
        known,
      )
    default:
      return appError(
        'unreachable',
        `The office’s proxy ${proxy} could not be reached.`,
        'Nothing was sent. Look whether this computer’s proxy settings are right and its network is the office’s.',
        known,
      )
  }
}

/** A proxy that asks who it is. We have no name and password for it, and can't use Windows' own. */
function signIn(schemes: string, proxy: string, host: string): [message: string, advice: string] {
  const letThrough = `Ask who looks after your office’s network to let ${host} through without a sign-in.`
  const isWindows = /\b(?:ntlm|negotiate|kerberos)\b/i.test(schemes)
  return isWindows
    ? [
        `The office’s proxy ${proxy} asks for a Windows sign-in (NTLM or Negotiate), which Bookbridge can’t give.`,
        `Nothing was sent. ${letThrough}`,
      ]
    : [
        `The office’s proxy ${proxy} asks for a name and password, which Bookbridge can’t give.`,
        `Nothing was sent. ${letThrough} A small local proxy that signs in for you also works.`,
      ]
}
