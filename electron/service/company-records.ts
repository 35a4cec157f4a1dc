/**
 * Company records (specification 2.5 and 2.6), decoded from either envelope. The token is left behind here: what
 * goes on says only that there is one (decisions.md, "the token of a company record").
 */
import { cut } from './cut.ts'
import { booleanOf, member, scalarText } from './envelope.ts'
import type { Envelope, LegacyEnvelope } from './wire.ts'

/** A company as the service lists it; absent text is empty. */
export interface CompanyRecord {
  readonly companyName: string
  readonly fullPath: string
  readonly version: string
  /** Timestamps as the service wrote them. */
  readonly dateTimeCreated: string
  readonly dateTimeLastAccess: string
  /** Application short code (`qbd`, `qbo`). */
  readonly endpoint: string
  readonly endpointId: string
  readonly id: string
  /** Also true when the record does not say: only a plain word makes a company inactive. */
  readonly isActive: boolean
  /** The record says whether it is active: only then is it a witness. */
  readonly saysActive: boolean
  readonly userId: string
  readonly externalId: string
  readonly appName: string
  readonly isHostedNetworks: boolean | null
  readonly hasToken: boolean
}

/** Nobody reads longer names, and one of them must not spoil the list. */
const LONGEST_TEXT = 1_000
/** A company whose id no address could carry can't be asked for anything. */
const LONGEST_ID = 200

/** One record; `null` for what names no company. */
function companyRecordOf(object: Readonly<Record<string, unknown>>): CompanyRecord | null {
  const text = (name: string): string => cut(scalarText(member(object, name)).trim(), LONGEST_TEXT)
  const endpointId = text('endpointId')
  if (endpointId === '' || endpointId.length > LONGEST_ID) return null
  const isActive = booleanOf(member(object, 'isActive'))
  return {
    companyName: text('companyName'),
    fullPath: text('fullPath'),
    version: text('version'),
    dateTimeCreated: text('dateTimeCreated'),
    dateTimeLastAccess: text('dateTimeLastAccess'),
    endpoint: text('endpoint'),
    endpointId,
    id: text('id'),
    isActive: isActive !== false,
    saysActive: isActive !== null,
    userId: text('userId'),
    externalId: text('externalId'),
    appName: text('appName'),
    isHostedNetworks: booleanOf(member(object, 'isHostedNetworks')),
    hasToken: text('token') !== '',
  }
}

/** The companies of an envelope, in its order; items without a company are passed over. */
export function decodeCompanies(envelope: Envelope): readonly CompanyRecord[] {
  return envelope.items.flatMap(({ object }) => {
    const record = object === null ? null : companyRecordOf(object)
    return record === null ? [] : [record]
  })
}

/** The same of the older service's envelope, whose timestamps without an offset are UTC (decisions.md). */
export function decodeLegacyCompanies(envelope: LegacyEnvelope): readonly CompanyRecord[] {
  return envelope.detail.flatMap((object) => {
    const record = companyRecordOf(object)
    if (record === null) return []
    const { dateTimeCreated, dateTimeLastAccess } = record
    return [
      { ...record, dateTimeCreated: asUtc(dateTimeCreated), dateTimeLastAccess: asUtc(dateTimeLastAccess) },
    ]
  })
}

const WITHOUT_OFFSET = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/

function asUtc(timestamp: string): string {
  return WITHOUT_OFFSET.test(timestamp) ? `${timestamp.replace(' ', 'T')}Z` : timestamp
}
