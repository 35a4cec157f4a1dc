/** How a secret may be spelt in words that come from elsewhere. */

/** Shorter ones would be found in ordinary words, once they are written in another alphabet. */
const SHORTEST_ENCODED = 12

/**
 * Finds a secret however it is spelt: each character in either case, as it is, behind backslashes, as `\u0041`, `%41`,
 * `%2541`, or `&#65;`; the whole in hex or base64, there also as a part of something longer. A key has no characters
 * beyond ASCII.
 */
export function anySpelling(secret: string): RegExp {
  const each = [...secret].map((character) => {
    const code = character.codePointAt(0) ?? 0
    const hex = code.toString(16).padStart(2, '0')
    return `(?:\\\\*\\x${hex}|\\\\+u00${hex}|%(?:25)*${hex}|&#(?:0*${String(code)}|x0*${hex});)`
  })
  return new RegExp([each.join(''), ...encoded(secret)].join('|'), 'gi')
}

/** As it stands where a text was cut in its middle. */
export function plainSpellings(secret: string): readonly string[] {
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])]
}

function encoded(secret: string): readonly string[] {
  if (secret.length < SHORTEST_ENCODED) return []
  return [Buffer.from(secret).toString('hex'), ...[0, 1, 2].map((before) => base64Within(secret, before))]
}

/** The characters that are the secret's alone, `before` bytes after a boundary of three, in either alphabet. */
function base64Within(secret: string, before: number): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
  const from = Math.ceil((before * 8) / 6)
  const to = Math.floor((bytes.length * 8) / 6)
  return bytes
    .toString('base64')
    .slice(from, to)
    .replace(/[+/]/g, (sign) => (sign === '+' ? '[-+]' : '[_/]'))
}
