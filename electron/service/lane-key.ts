/**
 * What a lane is called: one per service address and key, whatever connection names them (decisions.md, "rate
 * limits"). The name is on disk, so it carries a digest of the key, never the key.
 */
import { createHash } from 'node:crypto'
import type { ServiceTarget } from './wire.ts'

/** The name of the lane on which every request to this address with this key waits. */
export function laneKey(target: Pick<ServiceTarget, 'address' | 'key'>): string {
  const digest = createHash('sha256').update(target.address).update('\n').update(target.key).digest('hex')
  return `lane-${digest.slice(0, 32)}`
}

/**
 * The lane of a turn. The older service has its own, unless one host and one key serve both: agents behind one key
 * can't be told apart, so then they share it.
 */
export function laneFor(target: ServiceTarget, service?: 'v1'): string {
  if (service === undefined || isOneService(target)) return laneKey(target)
  return laneKey({ address: target.legacyAddress, key: target.legacyKey })
}

function isOneService({ address, key, legacyAddress, legacyKey }: ServiceTarget): boolean {
  return key === legacyKey && originOf(address) === originOf(legacyAddress)
}

function originOf(address: string): string {
  return URL.canParse(address) ? `${new URL(address).protocol}//${new URL(address).host}` : address
}
