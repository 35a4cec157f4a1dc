/** Now, as the contract writes moments: ISO 8601 in UTC. */
export function isoNow(): string {
  return new Date().toISOString()
}
