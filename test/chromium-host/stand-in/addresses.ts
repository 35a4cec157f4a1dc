/**
 * Chromium can't load `app://bundle/…` without Electron. The page uses `https://app.bundle.invalid/…` instead, a host
 * name that can't exist, and the host translates every address that the program sees.
 */

const STAND_IN = /^https:\/\/([a-z][a-z0-9+-]*)\.([a-z0-9-]+)\.invalid(?=[/?#]|$)/i
const CUSTOM = /^([a-z][a-z0-9+-]*):\/\/([a-z0-9-]+)(?=[/?#]|$)/i
const CHROMIUMS_OWN = new Set(['http', 'https', 'ws', 'wss', 'file', 'data', 'blob', 'about'])

/** `app://bundle/index.html` → `https://app.bundle.invalid/index.html`. Other addresses stay unchanged. */
export function toChromiumAddress(address: string): string {
  return address.replace(CUSTOM, (whole, scheme: string, host: string) =>
    CHROMIUMS_OWN.has(scheme.toLowerCase()) ? whole : `https://${scheme}.${host}.invalid`,
  )
}

/** The inverse of `toChromiumAddress`. */
export function toProgramAddress(address: string): string {
  return address.replace(STAND_IN, '$1://$2')
}
