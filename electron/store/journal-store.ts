/** The journal as a whole: its subjects, what a start makes of it, how long it is kept, and how it is deleted. */
import { toJson, type Database } from './database.ts'
import { deleteCompany } from './deletion.ts'
import type { JournalStore } from './journal.ts'
import { ENDED_MEANWHILE, makeManageStore, recoverManage } from './manage.ts'
import { makeMannersStore } from './manners.ts'
import { makeOperationStore } from './operations.ts'

export function makeJournalStore(database: Database): JournalStore {
  return {
    operations: makeOperationStore(database),
    manners: makeMannersStore(database),
    manage: makeManageStore(database),
    tidy: () => database.tidy(),
    recover: () =>
      database.write(() => {
        // What is in doubt is never closed: it would be looked for by nobody.
        database.run(
          `UPDATE operations SET state = 'unknown', is_closed = 0, looks = 0, first_looked_at = NULL, error = ?
           WHERE state = 'sending' OR (state = 'unknown' AND is_closed = 1)`,
          toJson(ENDED_MEANWHILE),
        )
        database.run(`UPDATE operations SET send_again = 0 WHERE send_again = 1`)
        database.run(
          `UPDATE batches SET status = 'stopped' WHERE status = 'open' AND EXISTS
             (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id
                AND state = 'queued' AND is_closed = 0)`,
        )
        recoverManage(database)
      }),
    trim: (before) =>
      database.write(() => {
        database.run(
          `DELETE FROM operations WHERE is_closed = 1 AND state <> 'unknown'
             AND coalesce(settled_at, queued_at) < ?
             AND operation_id NOT IN (SELECT operation_id FROM drafts WHERE operation_id IS NOT NULL)
             AND operation_id NOT IN (SELECT changes_back FROM drafts)`,
          before,
        )
        database.run('DELETE FROM attempts WHERE operation_id NOT IN (SELECT operation_id FROM operations)')
        database.run(
          `DELETE FROM requests WHERE sent_at < ?
             AND request_key NOT IN (SELECT request_key FROM attempts)`,
          before,
        )
        database.run(
          `DELETE FROM batches WHERE queued_at < ?
             AND batch_id NOT IN (SELECT batch_id FROM operations)`,
          before,
        )
        database.run('DELETE FROM provisionings WHERE is_closed = 1 AND queued_at < ?', before)
        database.run(`DELETE FROM user_creations WHERE state <> 'sending' AND sent_at < ?`, before)
        database.run(
          `DELETE FROM deprovisionings WHERE state IN ('done', 'denied', 'not-sent') AND sent_at < ?`,
          before,
        )
      }),
    deleteCompany: (company, evenUnconfirmed) => deleteCompany(database, company, evenUnconfirmed),
  }
}
