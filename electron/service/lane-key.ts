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
