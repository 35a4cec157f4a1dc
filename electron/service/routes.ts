/**
 * The ways to an address, as the system's proxy settings order them: the answer of `session.resolveProxy` (Chromium's
 * form, which is that of PAC files: `PROXY a:3128; SOCKS5 b:1080; DIRECT`).
 */

/** A proxy on the way. SOCKS without a number is version 4, by the custom of PAC files. */
export interface Proxy {
  readonly kind: 'http' | 'https' | 'socks4' | 'socks5'
  readonly hostname: string
  readonly port: number
}

/** Straight, or through a proxy. */
export type Route = { readonly proxy: Proxy | null }

const KINDS: Readonly<Record<string, { readonly kind: Proxy['kind']; readonly port: number }>> = {
  PROXY: { kind: 'http', port: 80 },
  HTTP: { kind: 'http', port: 80 },
  HTTPS: { kind: 'https', port: 443 },
  SOCKS: { kind: 'socks4', port: 1080 },
  SOCKS4: { kind: 'socks4', port: 1080 },
  SOCKS5: { kind: 'socks5', port: 1080 },
}

/** The ways in their order; entries of a kind that can't be used (QUIC) are passed over. Empty: none can. */
export function parseRoutes(answer: string): readonly Route[] {
  const entries = answer
    .split(';')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
  if (entries.length === 0) return [{ proxy: null }]
  return entries.flatMap((entry): Route[] => {
    const [word = '', place = ''] = entry.split(/\s+/)
    if (word.toUpperCase() === 'DIRECT') return [{ proxy: null }]
    const known = KINDS[word.toUpperCase()]
    const proxy = known === undefined ? null : proxyAt(known.kind, place, known.port)
    return proxy === null ? [] : [{ proxy }]
  })
}

function proxyAt(kind: Proxy['kind'], place: string, usualPort: number): Proxy | null {
  const address = `http://${place}`
  if (place === '' || !URL.canParse(address)) return null
  const { hostname, port } = new URL(address)
  // `URL` leaves out the port 80 of its own scheme, also where it was written.
  const written = /:(\d{1,5})$/.exec(place)?.[1]
  return { kind, hostname: hostname.replace(/^\[|\]$/g, ''), port: Number(port || (written ?? usualPort)) }
}

/** Host and port, as shown and as a key. */
export function proxyName({ hostname, port }: Proxy): string {
  return `${hostname.includes(':') ? `[${hostname}]` : hostname}:${String(port)}`
}
