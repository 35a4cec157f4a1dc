/** The address of a service as people type and paste it. */

/** An address as people paste it: without a scheme it is meant to be `https`. */
export function fullAddress(typed: string): string {
  const address = typed.trim()
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
}

/** Host and port, the name that a connection has when none is given. */
export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address
}

/** Whether an address is one on this computer, over plain `http`: allowed, and marked. */
export function isPlainLoopback(typed: string): boolean {
  const address = typed.trim()
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return (
    protocol === 'http:' && (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
  )
}
