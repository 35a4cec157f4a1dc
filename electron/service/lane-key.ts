/**
 * What a lane is called: one per key, whatever address or connection leads to it (decisions.md, "One request at a
 * time"), because two names may lead to one service. The name is on disk, so it is a digest keyed with a secret of this
 * computer's user: without that secret nobody can try out keys on it.
 */
import { createHmac } from 'node:crypto'
import { SAMPLE_ADDRESS } from './addresses.ts'
import type { ServiceTarget } from './wire.ts'

/** Each program has a sample of its own, and no other program has anything to do with it. */
export const SAMPLE_LANE = 'sample'

/** Names the lane of a turn: that of the key, or of the older service's key. */
export type LaneNames = (target: ServiceTarget, service?: 'v1') => string

/** @param secret kept on this computer, the same for all programs that share its lanes */
export function createLaneNames(secret: string): LaneNames {
  return ({ address, key, legacyKey }, service) => {
    if (address === SAMPLE_ADDRESS) return SAMPLE_LANE
    const digest = createHmac('sha256', secret).update(service === 'v1' ? legacyKey : key)
    return `key-${digest.digest('hex')}`
  }
}
