/**
 * What is known about the service behind each connection: its address, and what writing to it has shown. Outcomes of a
 * previous service can't be checked in another one's books, and what was learned about one doesn't apply to the other.
 */
import { z } from 'zod'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError } from '../../shared/result.ts'
import { type Database, flag, number, type Row, text, toFlag, toJson } from './database.ts'
import type { Learned, OperationKind, WritePolicy, WritePolicyKey } from './journal/journal.ts'

/** The addresses of connections, and what was sent to their previous services. */
export interface ServiceAddressStore {
  /**
   * Changes a connection's addresses; an empty one means none. If it now leads to another service, marks what was sent
   * as sent to a previous service, deletes what was learned, and stops waiting batches with the given reason. What was
   * sent to the new service earlier counts again. Returns the IDs of the stopped batches.
   */
  change(
    connectionId: string,
    leads: { readonly v2: string; readonly v1: string },
    how: { readonly isSameService: boolean; readonly reason: AppError },
  ): readonly string[]
  /** Whether a connection has this address, as far as is known. */
  isAt(connectionId: string, address: string): boolean
  /** IDs of the connection's unknown and held operations, including those of previous services. */
  uncertainOperations(connectionId: string): readonly string[]
}

/** Tables whose rows were sent to a service. They keep its address while the connection has another one. */
const SENT_TO = {
  v2: [
    ['operations', `state <> 'queued'`],
    ['provisionings', 'true'],
    ['deprovisionings', `json_extract(value, '$.known.sentBy') <> 'v1'`],
  ],
  v1: [['deprovisionings', `json_extract(value, '$.known.sentBy') = 'v1'`]],
} as const

const LEARNED = ['write_policies', 'trusted_external_ids'] as const

const WAITING = `EXISTS (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id
  AND state = 'queued' AND is_closed = 0)`

export function createServiceAddressStore(database: Database): ServiceAddressStore {
  const known = (connectionId: string, service: 'v2' | 'v1'): string | null => {
    const row = database.one(
      'SELECT address FROM service_addresses WHERE connection_id = ? AND service = ?',
      connectionId,
      service,
    )
    return row === null ? null : text(row, 'address')
  }

  const lead = (connectionId: string, service: 'v2' | 'v1', address: string): void => {
    database.run(
      `INSERT INTO service_addresses (connection_id, service, address) VALUES (?, ?, ?)
       ON CONFLICT (connection_id, service) DO UPDATE SET address = excluded.address`,
      connectionId,
      service,
      address,
    )
  }

  /** Marks what was sent to the previous service, and unmarks what was sent to the new one earlier. */
  const moveToPrevious = (connectionId: string, service: 'v2' | 'v1', from: string, to: string): void => {
    for (const [table, which] of SENT_TO[service]) {
      const move = `UPDATE ${table} SET previous_service = ? WHERE connection_id = ? AND previous_service = ? AND ${which}`
      database.run(move, from, connectionId, '')
      database.run(move, '', connectionId, to)
    }
  }

  return {
    change: (connectionId, leads, { isSameService, reason }) =>
      database.write(() => {
        let isMoved = false
        for (const service of ['v2', 'v1'] as const) {
          const from = known(connectionId, service)
          const to = leads[service]
          if (from === to) continue
          lead(connectionId, service, to)
          if (from === null || from === '' || isSameService) continue
          moveToPrevious(connectionId, service, from, to)
          isMoved ||= service === 'v2'
        }
        if (!isMoved) return []
        for (const table of LEARNED)
          database.run(`DELETE FROM ${table} WHERE connection_id = ?`, connectionId)
        const waiting = database
          .all(`SELECT batch_id FROM batches WHERE connection_id = ? AND ${WAITING}`, connectionId)
          .map((row) => text(row, 'batch_id'))
        database.run(
          `UPDATE batches SET status = 'stopped', error = ? WHERE connection_id = ? AND ${WAITING}`,
          toJson(reason),
          connectionId,
        )
        return waiting
      }),
    isAt: (connectionId, address) =>
      database.read(() => {
        const leadsTo = known(connectionId, 'v2')
        return leadsTo === null || leadsTo === address
      }),
    uncertainOperations: (connectionId) =>
      database.read(() =>
        database
          .all(
            `SELECT operation_id FROM operations
             WHERE connection_id = ? AND is_closed = 0 AND state IN ('unknown', 'held')`,
            connectionId,
          )
          .map((row) => text(row, 'operation_id')),
      ),
  }
}

/** What writing to a service has shown about it. */
export interface WritePolicyStore {
  get(key: WritePolicyKey): WritePolicy
  set(key: WritePolicyKey, policy: WritePolicy): void
  /** Everything learned over a connection. */
  list(connectionId: string): readonly (WritePolicyKey & { readonly policy: WritePolicy })[]
  isExternalIdTrusted(connectionId: string, application: string, object: string): boolean
  trustExternalId(connectionId: string, application: string, object: string, seenAt: string): void
  /** External IDs of saved inserts, newest first. If one comes back, the service keeps them. */
  recentExternalIds(company: CompanyRef, object: string, limit: number): readonly string[]
  /** Records of drafts, and of operations other than `except`, by ID. */
  knownRecords(
    company: CompanyRef,
    object: string,
    except: readonly string[],
  ): ReadonlyMap<string, KnownRecord>
  /** Which of the IDs belong to records of operations and drafts. */
  amongKnown(company: CompanyRef, object: string, ids: readonly string[]): ReadonlySet<string>
}

/** A record that we have added, changed, or read. */
export interface KnownRecord {
  /** When it was first known to exist (ISO). Empty if an insert of ours added it. */
  readonly since: string
  /** All its names, as sent and as read. */
  readonly names: readonly string[]
}

const NOTHING_LEARNED: Learned = {
  keepsNames: null,
  keepsExternalIds: null,
  returnsStoredValues: null,
  keepsIds: null,
  clockAhead: null,
  lag: null,
  traits: [],
}

const UNKNOWN: WritePolicy = { stage: 0, isProven: false, isStopped: false, learned: NOTHING_LEARNED }

const learnedSchema = z.object({
  keepsNames: z.boolean().nullable(),
  keepsExternalIds: z.boolean().nullable(),
  returnsStoredValues: z.boolean().nullable(),
  keepsIds: z.boolean().nullable(),
  clockAhead: z.int().nullable(),
  lag: z.int().min(0).nullable(),
  traits: z.array(z.string()).readonly(),
})

/** Whatever can't be parsed is learned again. */
function learnedFrom(json: string): Learned {
  try {
    return learnedSchema.parse({ ...NOTHING_LEARNED, ...(JSON.parse(json) as object) })
  } catch {
    return NOTHING_LEARNED
  }
}

function policyFromRow(row: Row): WritePolicy {
  return {
    stage: number(row, 'stage'),
    isProven: flag(row, 'is_proven'),
    isStopped: flag(row, 'is_stopped'),
    learned: learnedFrom(text(row, 'learned')),
  }
}

/** SQL for the names in a record in JSON, separated by line breaks. Empty if it can't be read. */
const namesIn = (column: string): string =>
  ['FullName', 'Name']
    .map((field) => `char(10) || coalesce(iif(json_valid(${column}), ${column} ->> '$.${field}', ''), '')`)
    .join(' || ')

const values = (key: WritePolicyKey) => [key.connectionId, key.application, key.object, key.kind] as const

export function createWritePolicyStore(database: Database): WritePolicyStore {
  return {
    get: (key) =>
      database.read(() => {
        const row = database.one(
          `SELECT stage, is_proven, is_stopped, learned FROM write_policies
           WHERE connection_id = ? AND application = ? AND object = ? AND kind = ?`,
          ...values(key),
        )
        return row === null ? UNKNOWN : policyFromRow(row)
      }),
    list: (connectionId) =>
      database.read(() =>
        database
          .all(
            'SELECT * FROM write_policies WHERE connection_id = ? ORDER BY application, object, kind DESC',
            connectionId,
          )
          .map((row) => ({
            connectionId,
            application: text(row, 'application'),
            object: text(row, 'object'),
            kind: text(row, 'kind') as OperationKind,
            policy: policyFromRow(row),
          })),
      ),
    set: (key, policy) =>
      database.write(() => {
        database.run(
          `INSERT OR REPLACE INTO write_policies (connection_id, application, object, kind, stage, is_proven, is_stopped, learned)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
          ...values(key),
          policy.stage,
          toFlag(policy.isProven),
          toFlag(policy.isStopped),
          toJson(policy.learned),
        )
      }),
    isExternalIdTrusted: (connectionId, application, object) =>
      database.read(
        () =>
          database.one(
            'SELECT 1 FROM trusted_external_ids WHERE connection_id = ? AND application = ? AND object = ?',
            connectionId,
            application,
            object,
          ) !== null,
      ),
    trustExternalId: (connectionId, application, object, seenAt) =>
      database.write(() => {
        database.run(
          `INSERT OR IGNORE INTO trusted_external_ids (connection_id, application, object, seen_at)
           VALUES (?, ?, ?, ?)`,
          connectionId,
          application,
          object,
          seenAt,
        )
      }),
    recentExternalIds: (company, object, limit) =>
      database.read(() =>
        database
          .all(
            `SELECT external_id FROM operations
             WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND kind = 'insert'
               AND state = 'acked' AND external_id <> '' AND previous_service = '' ORDER BY queued_at DESC, rowid DESC LIMIT ?`,
            company.connectionId,
            company.endpointId,
            object,
            limit,
          )
          .map((row) => text(row, 'external_id')),
      ),
    knownRecords: (company, object, except) =>
      database.read(() => {
        const key = [company.connectionId, company.endpointId, object] as const
        const known = new Map<string, KnownRecord>()
        for (const row of database.all(
          `SELECT record_id, iif(kind = 'insert', '', queued_at) AS since,
             record_name || char(10) || full_name || ${namesIn('before')} || ${namesIn('after')} || ${namesIn('theirs')} AS names
           FROM operations
           WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND record_id <> ''
             AND (kind = 'change' OR state IN ('acked', 'conflict')) AND previous_service = ''
             AND operation_id NOT IN (SELECT value FROM json_each(?))
           UNION ALL SELECT record_id, changed_at AS since,
             ${namesIn('before')} AS names
           FROM drafts
           WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND record_id <> ''`,
          ...key,
          JSON.stringify(except),
          ...key,
        )) {
          const id = text(row, 'record_id')
          const [since, names] = [text(row, 'since'), text(row, 'names').split('\n').filter(Boolean)]
          const before = known.get(id)
          const isEarlier = before === undefined || since < before.since
          known.set(id, {
            since: isEarlier ? since : before.since,
            names: [...new Set([...(before?.names ?? []), ...names])],
          })
        }
        return known
      }),
    amongKnown: (company, object, ids) =>
      database.read(() => {
        const key = [company.connectionId, company.endpointId, object, JSON.stringify(ids)] as const
        const rows = database.all(
          `SELECT record_id FROM operations
           WHERE connection_id = ? AND endpoint_id = ? AND object = ?
             AND record_id IN (SELECT value FROM json_each(?)) AND previous_service = ''
           UNION SELECT record_id FROM drafts
           WHERE connection_id = ? AND endpoint_id = ? AND object = ? AND kind = 'change'
             AND record_id IN (SELECT value FROM json_each(?))`,
          ...key,
          ...key,
        )
        return new Set(rows.map((row) => text(row, 'record_id')))
      }),
  }
}
