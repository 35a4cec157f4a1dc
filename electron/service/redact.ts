/**
 * Takes secrets out of words that come from elsewhere: a service may echo the key in an error, a system may put an
 * address with credentials into one.
 */
import type { AppError } from '../../shared/result.ts'
import type { Envelope, ServiceError, ServiceTarget } from './wire.ts'

const MASK = '•••'
/** Shorter values would make holes in ordinary words. */
const SHORTEST_SECRET = 6

/** Replaces each secret, also percent-encoded, and bounds the text to `most` characters. */
export function redact(text: string, secrets: readonly string[], most = 2_000): string {
  let clean = text
  for (const secret of secrets) {
    if (secret.length < SHORTEST_SECRET) continue
    clean = clean.replaceAll(secret, MASK)
    const encoded = encodeURIComponent(secret)
    if (encoded !== secret) clean = clean.replaceAll(encoded, MASK)
  }
  return clean.length > most ? `${clean.slice(0, most)}…` : clean
}

/** The longest words that an error carries; bounded already where they come from. */
const WHOLE = 100_000

/** An error whose words came from elsewhere, without the secrets. */
export function redactError(error: AppError, secrets: readonly string[]): AppError {
  const clean = (text: string): string => redact(text, secrets, WHOLE)
  const { code, raw, more } = error.details
  return {
    ...error,
    message: clean(error.message),
    details: {
      ...error.details,
      ...(code === undefined ? {} : { code: clean(code) }),
      ...(raw === undefined ? {} : { raw: clean(raw) }),
      ...(more === undefined ? {} : { more: more.map(clean) }),
    },
  }
}

/** What a service may echo and nobody else may see. */
export function secretsOf(target: ServiceTarget): readonly string[] {
  return [target.key, target.legacyKey]
}

/** Error entries without the secrets. */
export function redactErrors(
  errors: readonly ServiceError[],
  secrets: readonly string[],
): readonly ServiceError[] {
  const clean = (text: string): string => redact(text, secrets, WHOLE)
  return errors.map(({ code, message, severity, detail, raw }) => ({
    code: clean(code),
    message: clean(message),
    severity: clean(severity),
    detail: clean(detail),
    raw: clean(raw),
  }))
}

/** An envelope whose error entries are without the secrets; its records are as they came. */
export function redactEnvelope(envelope: Envelope, secrets: readonly string[]): Envelope {
  return {
    ...envelope,
    errors: redactErrors(envelope.errors, secrets),
    items: envelope.items.map((item) =>
      item.errors.length === 0 ? item : { ...item, errors: redactErrors(item.errors, secrets) },
    ),
  }
}
