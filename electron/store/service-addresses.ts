/**
 * The service address of each connection, and what belongs to a previous service: its outcomes can't be checked in
 * another service's books, and what was learned about one does not apply to the other.
 */
import { toJson, text, type Database } from './database.ts'
import type { AppError } from '../../shared/result.ts'

/** Where connections lead, and what was sent to services that they lead to no longer. */
export interface ServiceAddressStore {
  /**
   * The connection leads to these addresses from now on; an empty one: to none. Where the current service is another
   * than before, what was sent there is *elsewhere*, what was learnt of it is forgotten, and what waits stops with the
   * reason given; what was sent to the new one before is here again. Answers the ids of the batches that stopped.
   */
  follow(
    connectionId: string,
    leads: { readonly v2: string; readonly v1: string },
    how: { readonly isSameService: boolean; readonly because: AppError },
  ): readonly string[]
  /** Whether the connection leads to that address, as far as is known. */
  isAt(connectionId: string, address: string): boolean
  /** Ids of its operations, also of those elsewhere, that are unknown or held. */
  inDoubt(connectionId: string): readonly string[]
}

/** Tables whose rows were sent to a service: they keep its address while the connection leads elsewhere. */
const SENT_TO = {
  v2: [
    ['operations', `state <> 'queued'`],
    ['provisionings', 'true'],
    ['deprovisionings', `json_extract(value, '$.known.sentBy') <> 'v1'`],
  ],
  v1: [['deprovisionings', `json_extract(value, '$.known.sentBy') = 'v1'`]],
} as const

const LEARNED = ['manners', 'trusted_marks'] as const

const WAITING = `EXISTS (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id
  AND state = 'queued' AND is_closed = 0)`

export function createServiceAddressStore(database: Database): ServiceAddressStore {
  const known = (connectionId: string, service: 'v2' | 'v1'): string | null => {
    const row = database.one(
      'SELECT address FROM places WHERE connection_id = ? AND service = ?',
      connectionId,
      service,
    )
    return row === null ? null : text(row, 'address')
  }

  const lead = (connectionId: string, service: 'v2' | 'v1', address: string): void => {
    database.run(
      `INSERT INTO places (connection_id, service, address) VALUES (?, ?, ?)
       ON CONFLICT (connection_id, service) DO UPDATE SET address = excluded.address`,
      connectionId,
      service,
      address,
    )
  }

  /** Marks what was sent to the previous service, and unmarks what was sent to the new one before. */
  const moveToPrevious = (connectionId: string, service: 'v2' | 'v1', from: string, to: string): void => {
    for (const [table, which] of SENT_TO[service]) {
      const move = `UPDATE ${table} SET elsewhere = ? WHERE connection_id = ? AND elsewhere = ? AND ${which}`
      database.run(move, from, connectionId, '')
      database.run(move, '', connectionId, to)
    }
  }

  return {
    follow: (connectionId, leads, { isSameService, because }) =>
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
          toJson(because),
          connectionId,
        )
        return waiting
      }),
    isAt: (connectionId, address) =>
      database.read(() => {
        const leadsTo = known(connectionId, 'v2')
        return leadsTo === null || leadsTo === address
      }),
    inDoubt: (connectionId) =>
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
