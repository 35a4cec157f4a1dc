/**
 * Takes secrets out of words that come from elsewhere: a service may echo the key in an error, a system may put an
 * address with credentials into one.
 */

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
