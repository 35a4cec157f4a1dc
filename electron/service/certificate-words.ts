/** A certificate that this computer does not trust, in a bookkeeper's words: each reason its own. */
import { appError, type AppError } from '../../shared/result.ts'

interface Words {
  readonly message: (host: string) => string
  readonly advice: string
}

const SELF_SIGNED: Words = {
  message: (host) => `The certificate of ${host} vouches for itself, so anybody could have made it.`,
  advice:
    'Check the address, then ask your provider. If they run the service with a certificate of their own, choose its file under Settings, Certificates.',
}

const UNKNOWN_ISSUER: Words = {
  message: (host) => `This computer does not know who vouches for the certificate of ${host}.`,
  advice:
    'If your office checks encrypted traffic, ask who looks after its network for its certificate, and choose that file under Settings, Certificates. Otherwise check the address.',
}

const EXPIRED: Words = {
  message: (host) => `The certificate of ${host} has expired.`,
  advice: 'Look whether this computer’s date is right. If it is, tell your provider: only they can renew it.',
}

const NOT_YET: Words = {
  message: (host) => `The certificate of ${host} is not valid yet.`,
  advice: 'Look whether this computer’s date and time are right. If they are, tell your provider.',
}

const OTHER_HOST: Words = {
  message: (host) => `The certificate there belongs to another address than ${host}.`,
  advice: 'Check the address for a slip. If it is right, somebody may stand in between: ask your provider.',
}

const REVOKED: Words = {
  message: (host) => `The certificate of ${host} was taken back by those who vouched for it.`,
  advice: 'Don’t use this address until your provider has said why.',
}

const OTHERWISE: Words = {
  message: (host) => `This computer does not trust the certificate of ${host}.`,
  advice: 'Check the address, then ask your provider.',
}

/** By the codes of Node's TLS (X509 verification). */
const BY_CODE: Readonly<Record<string, Words>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: EXPIRED,
  CERT_NOT_YET_VALID: NOT_YET,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  HOSTNAME_MISMATCH: OTHER_HOST,
  CERT_REVOKED: REVOKED,
  CERT_UNTRUSTED: OTHERWISE,
  CERT_REJECTED: OTHERWISE,
  CERT_SIGNATURE_FAILURE: OTHERWISE,
  CERT_CHAIN_TOO_LONG: OTHERWISE,
  INVALID_CA: OTHERWISE,
  INVALID_PURPOSE: OTHERWISE,
}

/** `null` when none of the codes speaks of a certificate. */
export function certificateError(
  host: string,
  codes: readonly string[],
  details: AppError['details'],
): AppError | null {
  const words = codes.map((code) => BY_CODE[code]).find((each) => each !== undefined)
  if (words === undefined) return null
  return appError('untrusted-certificate', words.message(host), `Nothing was sent. ${words.advice}`, details)
}
