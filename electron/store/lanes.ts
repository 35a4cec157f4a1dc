/** Until when a lane is shut, so that a restart heeds it (decisions.md, "cancelling a request that is on its way"). */
import { number, type Database } from './database.ts'
import type { LaneStore } from './store.ts'

export function makeLaneStore(database: Database): LaneStore {
  return {
    shut: (laneKey, until) =>
      database.write(() => {
        database.run(
          `INSERT INTO lanes (lane_key, shut_until) VALUES (?, ?)
           ON CONFLICT (lane_key) DO UPDATE SET shut_until = excluded.shut_until`,
          laneKey,
          Math.ceil(until),
        )
      }),
    // That it opened may be forgotten when the power fails: then it is shut for longer than it need be.
    open: (laneKey) =>
      database.note(() => {
        database.run('DELETE FROM lanes WHERE lane_key = ?', laneKey)
      }),
    shutUntil: (laneKey) =>
      database.read(() => {
        const row = database.one('SELECT shut_until FROM lanes WHERE lane_key = ?', laneKey)
        return row === null ? null : number(row, 'shut_until')
      }),
  }
}
