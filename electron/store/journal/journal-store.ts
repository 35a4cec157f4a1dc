/** The whole journal: its parts, recovery at startup, retention, and deletion. */
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { forEachSetAside } from '../backup/set-aside.ts'
import { type Database, text, toJson } from '../database.ts'
import { deleteCompany } from '../deletion.ts'
import { createImportStore } from '../imports.ts'
import { trimMultiCompanyChanges } from '../multi-company-changes.ts'
import {
  createServiceAddressStore,
  createWritePolicyStore,
  type ServiceAddressStore,
  type WritePolicyStore,
} from '../services.ts'
import { createManageStore, ENDED_BEFORE_ANSWER, type ManageStore, recoverManage } from './companies.ts'
import { createOperationStore, type OperationStore, UNUSED_BASELINES } from './operations.ts'
import { operationsFrom, sealOperation } from './rows.ts'

export interface JournalStore {
  readonly operations: OperationStore
  readonly writePolicies: WritePolicyStore
  readonly serviceAddresses: ServiceAddressStore
  readonly manage: ManageStore
  /**
   * Call at startup. In one transaction, what was being sent becomes unknown (a user creation becomes held), what was
   * queued waits for the user, and *Send again* must be confirmed again. A restart sends nothing.
   */
  recover(): void
  /**
   * Deletes history that ended before `before` (ISO). Keeps unsettled operations, and those that a draft refers to,
   * however old they are.
   */
  trim(before: string): Promise<void>
  /**
   * Deletes a company's drafts, history, log lines, and notes, and their bytes in the file, in time slices
   * (`deletion.ts`). This includes what is not confirmed. Throws while something is being sent.
   */
  deleteCompany(company: CompanyRef): Promise<void>
}

/**
 * @param path of the database; a restore may have set another one aside next to it
 * @param sentBy who uses the program
 */
export function createJournalStore(database: Database, path: string, sentBy: string): JournalStore {
  return {
    operations: createOperationStore(database, sentBy),
    writePolicies: createWritePolicyStore(database),
    serviceAddresses: createServiceAddressStore(database),
    manage: createManageStore(database, sentBy),
    recover: () =>
      database.write(() => {
        // Mark altered rows as uncertain before acting on any.
        operationsFrom(
          database,
          database.all(
            `SELECT * FROM operations
             WHERE is_closed = 0 OR operation_id IN (SELECT operation_id FROM drafts WHERE operation_id IS NOT NULL)`,
          ),
        )
        database.run(
          `UPDATE drafts SET is_stale = 1
           WHERE operation_id IS NOT NULL AND operation_id NOT IN (SELECT operation_id FROM operations)`,
        )
        // An uncertain operation is never closed. Otherwise no one would search for it.
        const interrupted = database.all(
          `SELECT operation_id FROM operations WHERE state = 'sending' OR (state = 'unknown' AND is_closed = 1)`,
        )
        for (const row of interrupted) {
          const operationId = text(row, 'operation_id')
          database.run(
            `UPDATE operations SET state = 'unknown', is_closed = 0, rechecks = 0, first_rechecked_at = NULL, error = ?
             WHERE operation_id = ?`,
            toJson(ENDED_BEFORE_ANSWER),
            operationId,
          )
          sealOperation(database, operationId)
        }
        database.run(`UPDATE operations SET send_again = 0 WHERE send_again = 1`)
        database.run(
          `UPDATE batches SET status = 'stopped' WHERE status = 'open' AND EXISTS
             (SELECT 1 FROM operations WHERE operations.batch_id = batches.batch_id
                AND state = 'queued' AND is_closed = 0)`,
        )
        recoverManage(database)
      }),
    async trim(before) {
      trimFile(database, before)
      await forEachSetAside(path, (aside) => {
        createImportStore(aside).trim(before)
        trimFile(aside, before)
      })
    },
    async deleteCompany(company) {
      await deleteCompany(database, company)
      await forEachSetAside(path, (aside) => deleteCompany(aside, company))
    },
  }
}

/** Deletes history that ended before that time (ISO). */
function trimFile(database: Database, before: string): void {
  database.purge(() => {
    const isOld = `is_closed = 1 AND state <> 'unknown' AND coalesce(settled_at, queued_at) < ?
      AND operation_id NOT IN (SELECT operation_id FROM drafts WHERE operation_id IS NOT NULL)
      AND operation_id NOT IN (SELECT undoes FROM drafts)`
    trimMultiCompanyChanges(database, isOld, before)
    database.run(
      `UPDATE saves SET trimmed = max(trimmed, coalesce((SELECT max(saved_order) FROM operations WHERE ${isOld}), 0))`,
      before,
    )
    database.run(`DELETE FROM operations WHERE ${isOld}`, before)
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
    database.run(UNUSED_BASELINES)
    database.run('DELETE FROM provisionings WHERE is_closed = 1 AND queued_at < ?', before)
    database.run(`DELETE FROM user_creations WHERE state <> 'sending' AND sent_at < ?`, before)
    database.run(
      `DELETE FROM deprovisionings WHERE state IN ('done', 'denied', 'not-sent') AND sent_at < ?`,
      before,
    )
  })
}
