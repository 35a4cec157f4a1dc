/** What a visit to **Add company** has entered, one a connection, until it is sent or forgotten. */
import type { Visit } from '../../shared/contract/companies.ts'
import { json, toJson, type Database } from './database.ts'
import type { VisitStore } from './store.ts'

export function makeVisitStore(database: Database): VisitStore {
  return {
    get: (connectionId) =>
      database.read(() => {
        const row = database.one('SELECT value FROM visits WHERE connection_id = ?', connectionId)
        return row === null ? null : (json(row, 'value') as Visit)
      }),
    put: (connectionId, visit) =>
      database.write(() => {
        if (visit === null) database.run('DELETE FROM visits WHERE connection_id = ?', connectionId)
        else {
          database.run(
            `INSERT INTO visits (connection_id, value) VALUES (?, ?)
             ON CONFLICT (connection_id) DO UPDATE SET value = excluded.value`,
            connectionId,
            toJson(visit),
          )
        }
      }),
  }
}
