/** What is unfinished, by company and list: the badges in Companies and **Unfinished** in Activity. */
import type { UnfinishedItem } from '../../shared/contract/activity.ts'
import { displayName } from '../../shared/companies/companies.ts'
import type { Company, Provisioning, Unfinished } from '../../shared/contract/companies.ts'
import { setUpName } from '../../shared/companies/set-up.ts'
import { json, number, text, type Database, type Row } from './database.ts'
import type { JournalProvisioning } from './journal/companies.ts'

export interface UnfinishedStore {
  list(connectionId: string): readonly UnfinishedItem[]
  /** Records that were saved since then (ISO), in all connections. */
  savedSince(at: string): number
}

/** The name on screen of each state of an open operation. */
const KIND_OF_STATE = `CASE state
    WHEN 'rejected' THEN 'not-accepted'
    WHEN 'sending' THEN 'not-confirmed'
    WHEN 'unknown' THEN 'not-confirmed'
    WHEN 'held' THEN 'decision'
    WHEN 'acked' THEN 'decision'
    WHEN 'conflict' THEN 'changed-meanwhile'
    ELSE iif(batch_id IN (SELECT batch_id FROM batches WHERE status = 'open'), 'sending', 'queued') END`

/**
 * One row per company, list, and kind (the third column, since operations have a `kind` of their own). Drafts that
 * belong to an operation are counted with it.
 */
const GROUPS = `
  SELECT endpoint_id, object, 'draft' AS kind, count(*) AS count, min(changed_at) AS since
    FROM drafts WHERE connection_id = ? AND operation_id IS NULL GROUP BY endpoint_id, object
  UNION ALL
  SELECT endpoint_id, object, ${KIND_OF_STATE} AS kind, count(*) AS count, min(queued_at) AS since
    FROM operations WHERE connection_id = ? AND is_closed = 0 GROUP BY endpoint_id, object, 3
  UNION ALL
  SELECT endpoint_id, '' AS object, 'deprovisioning' AS kind, count(*) AS count, min(sent_at) AS since
    FROM deprovisionings WHERE connection_id = ? AND state IN ('sending', 'unknown') GROUP BY endpoint_id
  ORDER BY since`

function groupsOf(database: Database, connectionId: string): readonly Row[] {
  return database.all(GROUPS, connectionId, connectionId, connectionId)
}

export function unfinishedCounts(database: Database, connectionId: string): Map<string, Unfinished> {
  const counts = new Map<string, Unfinished>()
  for (const row of groupsOf(database, connectionId)) {
    const endpointId = text(row, 'endpoint_id')
    const count = number(row, 'count')
    const known = counts.get(endpointId) ?? {
      drafts: 0,
      notAccepted: 0,
      notConfirmed: 0,
      decisions: 0,
      changedMeanwhile: 0,
    }
    counts.set(endpointId, add(known, text(row, 'kind') as UnfinishedItem['kind'], count))
  }
  return counts
}

function add(counts: Unfinished, kind: UnfinishedItem['kind'], count: number): Unfinished {
  switch (kind) {
    case 'draft':
    case 'queued':
    case 'sending':
      return { ...counts, drafts: counts.drafts + count }
    case 'not-accepted':
      return { ...counts, notAccepted: counts.notAccepted + count }
    case 'not-confirmed':
    case 'deprovisioning':
      return { ...counts, notConfirmed: counts.notConfirmed + count }
    case 'decision':
      return { ...counts, decisions: counts.decisions + count }
    case 'changed-meanwhile':
      return { ...counts, changedMeanwhile: counts.changedMeanwhile + count }
    case 'provisioning':
      return counts
  }
}

export function createUnfinishedStore(database: Database): UnfinishedStore {
  const nameOf = (connectionId: string, endpointId: string): string => {
    const row = database.one(
      'SELECT listing, label FROM companies WHERE connection_id = ? AND endpoint_id = ?',
      connectionId,
      endpointId,
    )
    if (row === null) return ''
    const { companyName, fullPath } = json(row, 'listing') as Pick<Company, 'companyName' | 'fullPath'>
    return displayName({
      label: text(row, 'label'),
      companyName,
      fullPath,
      ref: { connectionId, endpointId },
    })
  }
  return {
    savedSince: (at) =>
      database.read(() => {
        const row = database.one(
          `SELECT count(*) AS count FROM operations WHERE state = 'acked' AND settled_at >= ?`,
          at,
        )
        return row === null ? 0 : number(row, 'count')
      }),
    list: (connectionId) =>
      database.read(() => {
        const records = groupsOf(database, connectionId).map((row): UnfinishedItem => {
          const endpointId = text(row, 'endpoint_id')
          return {
            company: { connectionId, endpointId },
            companyName: nameOf(connectionId, endpointId),
            object: text(row, 'object'),
            kind: text(row, 'kind') as UnfinishedItem['kind'],
            count: number(row, 'count'),
            since: text(row, 'since'),
            provisioningId: '',
          }
        })
        const provisionings = database
          .all(
            `SELECT value FROM provisionings WHERE connection_id = ? AND is_closed = 0 ORDER BY queued_at`,
            connectionId,
          )
          .map((row) => {
            const { value } = json(row, 'value') as JournalProvisioning
            const known = value.company === null ? '' : nameOf(connectionId, value.company.endpointId)
            return provisioningItem(value, known || setUpName(value))
          })
        return [...records, ...provisionings]
      }),
  }
}

/** A company that is waited for has no id yet; its provisioning's stands there, so that a row can be told apart. */
function provisioningItem(value: Provisioning, companyName: string): UnfinishedItem {
  return {
    company: value.company ?? { connectionId: value.connectionId, endpointId: value.provisioningId },
    companyName,
    object: '',
    kind: 'provisioning',
    count: 1,
    since: value.sentAt ?? value.queuedAt,
    provisioningId: value.provisioningId,
  }
}
