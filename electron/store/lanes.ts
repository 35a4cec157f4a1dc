/** Until when a lane is shut and why, so that a restart heeds it (decisions.md, "cancelling a request that is on its way"). */
import { number, numberOrNull, text, type Database } from './database.ts'
import type { KeptShut, LaneStore } from './store.ts'

export function makeLaneStore(database: Database): LaneStore {
  return {
    shut: (laneKey, { at, until, elapsed, what, because }) =>
      database.write(() => {
        database.run(
          'INSERT OR REPLACE INTO lanes (lane_key, shut_at, shut_until, elapsed, what, because) VALUES (?, ?, ?, ?, ?, ?)',
          laneKey,
          Math.floor(at),
          Math.ceil(until),
          elapsed,
          what,
          because,
        )
      }),
    // That it opened may be forgotten when the power fails: then it is shut for longer than it need be.
    open: (laneKey) =>
      database.note(() => {
        database.run('DELETE FROM lanes WHERE lane_key = ?', laneKey)
      }),
    shutOf: (laneKey) =>
      database.read(() => {
        const row = database.one(
          'SELECT shut_at, shut_until, elapsed, what, because FROM lanes WHERE lane_key = ?',
          laneKey,
        )
        if (row === null) return null
        return {
          at: number(row, 'shut_at'),
          until: number(row, 'shut_until'),
          elapsed: numberOrNull(row, 'elapsed'),
          what: text(row, 'what'),
          because: text(row, 'because') as KeptShut['because'],
        }
      }),
  }
}
