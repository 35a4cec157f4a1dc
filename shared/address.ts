/** Addresses of a service, as people type and paste them. Pure. */

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Adds `https` to an address that was typed without a scheme. */
export function withScheme(typed: string): string {
  const address = typed.trim()
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `https://${address}`
}

/** Whether a host is this computer. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.test(hostname.toLowerCase())
}
