/** Trusted certificates: the bundled ones, the system's, and a file that the user chose. */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { type AppError, appError, causeText, err, ok, type Result } from '../../../shared/result.ts'

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** A file of certificates is a few kilobytes of text. Anything much larger is another file. */
const LARGEST = 4 * 1024 * 1024

/**
 * Reads the certificates of a PEM file, each as its own text.
 * @returns an error of kind `file` that names the file if it can't be read or contains no certificate
 */
export function readCertificateFile(path: string): Result<readonly string[]> {
  const name = basename(path)
  let text: string
  try {
    if (statSync(path).size > LARGEST) return err(noCertificate(name, 'larger than 4 MB'))
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    return err(
      appError(
        'file',
        `The certificate file ${name} can’t be read.`,
        'Is it still there? Choose it again under Settings, Certificates, or remove it there.',
        { raw: causeText(cause) },
      ),
    )
  }
  const blocks = text.match(BLOCK) ?? []
  if (blocks.length === 0) return err(noCertificate(name, 'no BEGIN CERTIFICATE in it'))
  for (const block of blocks) {
    try {
      new X509Certificate(block)
    } catch (cause) {
      return err(noCertificate(name, causeText(cause)))
    }
  }
  return ok(blocks)
}

function noCertificate(name: string, raw: string): AppError {
  return appError(
    'file',
    `${name} is not a certificate file.`,
    'It must be in PEM form: text that begins with BEGIN CERTIFICATE. Ask your network administrator for it.',
    { raw },
  )
}

/** What connections are verified against. */
export interface Trust {
  /** @param file additional certificates; empty for none. Read again if it has changed. */
  context(file: string): Result<SecureContext>
}

export function createTrust(): Trust {
  let made: { readonly name: string; readonly context: SecureContext } | null = null
  return {
    context(file) {
      const name = JSON.stringify([file, file === '' ? 0 : changedAt(file)])
      if (made?.name === name) return ok(made.context)
      const own = file === '' ? ok([]) : readCertificateFile(file)
      if (!own.ok) return own
      // Parsing hundreds of certificates takes a while, so it is done once. Not 'default', because that includes the
      // certificates named by the environment (NODE_EXTRA_CA_CERTS), which the user didn't choose.
      const ca = new Set([...getCACertificates('bundled'), ...getCACertificates('system'), ...own.value])
      made = { name, context: createSecureContext({ ca: [...ca] }) }
      return ok(made.context)
    },
  }
}

/** Milliseconds since 1970. 0 if the file doesn't exist; reading it will report that. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

// The reasons why a certificate isn't trusted, for a bookkeeper.

interface Meaning {
  readonly message: (host: string) => string
  readonly advice: string
}

const SELF_SIGNED: Meaning = {
  message: (host) => `The certificate of ${host} is self-signed, so it can’t be trusted.`,
  advice:
    'Check the address, then ask your provider. If they use their own certificate, choose its file under Settings, Certificates.',
}

const UNKNOWN_ISSUER: Meaning = {
  message: (host) => `This computer doesn’t know who issued the certificate of ${host}.`,
  advice:
    'If your office inspects encrypted traffic, ask your network administrator for its certificate, and choose that file under Settings, Certificates. Otherwise check the address.',
}

const EXPIRED: Meaning = {
  message: (host) => `The certificate of ${host} has expired.`,
  advice: 'Check this computer’s date. If it is right, tell your provider, who has to renew the certificate.',
}

const NOT_YET: Meaning = {
  message: (host) => `The certificate of ${host} is not valid yet.`,
  advice: 'Check this computer’s date and time. If they are right, tell your provider.',
}

const OTHER_HOST: Meaning = {
  message: (host) => `The certificate is for a different address than ${host}.`,
  advice:
    'Check the address for typos. If it is right, someone may be intercepting the connection. Ask your provider.',
}

const REVOKED: Meaning = {
  message: (host) => `The certificate of ${host} was revoked by its issuer.`,
  advice: 'Don’t use this address until your provider explains why.',
}

const OTHERWISE: Meaning = {
  message: (host) => `This computer does not trust the certificate of ${host}.`,
  advice: 'Check the address, then ask your provider.',
}

/** By the codes of Node's TLS (X.509 verification). */
const BY_CODE: Readonly<Record<string, Meaning>> = {
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

/** The error of a certificate; `null` if none of the codes is about one. */
export function certificateError(
  host: string,
  codes: readonly string[],
  details: AppError['details'],
): AppError | null {
  const meaning = codes.map((code) => BY_CODE[code]).find((each) => each !== undefined)
  if (meaning === undefined) return null
  return appError(
    'untrusted-certificate',
    meaning.message(host),
    `Nothing was sent. ${meaning.advice}`,
    details,
  )
}
