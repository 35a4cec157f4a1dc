/** Which certificates are trusted: the bundled ones, the system's, and a file of the person's own. */
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import { appError, causeText, err, ok, type AppError, type Result } from '../../shared/result.ts'

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
/** A file of certificates is text of some kilobytes; anything much larger is another file. */
const LARGEST = 4 * 1024 * 1024

/**
 * The certificates in a PEM file, each as its own text.
 * @returns an error of kind `file` that names the file when it can't be read or holds no certificate
 */
export function readCertificateFile(path: string): Result<readonly string[]> {
  const name = basename(path)
  let text: string
  try {
    if (statSync(path).size > LARGEST) return err(noCertificate(name, 'larger than 4 MiB'))
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
    `${name} is no certificate file.`,
    'It has to be in PEM form: text that begins with BEGIN CERTIFICATE. Ask who looks after your office’s network for it.',
    { raw },
  )
}

/** What connections are checked against. */
export interface Trust {
  /** @param file of further certificates; empty for none. Read again when it has changed. */
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
      // Parsing some hundred certificates takes a while, so it is done once, not for every connection.
      // Not 'default': that has what the environment names (NODE_EXTRA_CA_CERTS), which nobody here chose.
      const ca = new Set([...getCACertificates('bundled'), ...getCACertificates('system'), ...own.value])
      made = { name, context: createSecureContext({ ca: [...ca] }) }
      return ok(made.context)
    },
  }
}

/** Milliseconds since 1970; 0 when the file is not there, which reading it then says. */
function changedAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
