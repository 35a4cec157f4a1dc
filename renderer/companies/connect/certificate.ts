/** Whether a certificate that is not trusted would be, with a file of the person's own. */
import type { AppError } from '../../../shared/result.ts'

/** What no file mends: the certificate's time, its address, or that it was taken back. */
const PAST_HELP: ReadonlySet<string> = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'HOSTNAME_MISMATCH',
  'CERT_REVOKED',
])

export function isHelpedByCertificate({ kind, details }: AppError): boolean {
  return kind === 'untrusted-certificate' && !PAST_HELP.has(details.code ?? '')
}
