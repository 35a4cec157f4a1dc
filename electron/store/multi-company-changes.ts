/** Changes of one field in several companies: which drafts belong to them, and how far each company is. */
import { isDeepStrictEqual } from 'node:util'
import type { MultiCompanyChange } from '../../shared/contract/all-companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError } from '../../shared/result.ts'
import { type Database, json, StoreError, text, toJson } from './database.ts'
import { type DraftState, saveDrafts } from './drafts.ts'

export interface MultiCompanyChangeStore {
  /** Newest first. */
  list(connectionId: string): readonly MultiCompanyChange[]
  /** Changes of every connection. */
  all(): readonly MultiCompanyChange[]
  get(changeId: string): MultiCompanyChange | null
  /**
   * Saves a change with its drafts, all in one transaction, so that no draft is without its change and no change without
   * its drafts.
   * @param without returns the change without the drafts that could not be saved, by ID, with the reasons
   * @returns the change as it is kept
   */
  add(
    change: MultiCompanyChange,
    drafts: readonly DraftState[],
    without: (change: MultiCompanyChange, reasons: ReadonlyMap<string, string>) => MultiCompanyChange,
  ): MultiCompanyChange
  /**
   * Returns what is kept now: companies whose data was deleted in the meantime don't come back. Throws if all of it was
   * removed.
   */
  put(change: MultiCompanyChange): MultiCompanyChange
  remove(changeId: string): void
}

/** The error for a change that was removed. */
export const CHANGE_GONE = appError(
  'not-found',
  'This change no longer exists.',
  'Its drafts are still in their lists.',
)

export function createMultiCompanyChangeStore(database: Database): MultiCompanyChangeStore {
  const changes = (sql: string, ...values: readonly string[]): readonly MultiCompanyChange[] =>
    database.all(sql, ...values).map((row) => json(row, 'value') as MultiCompanyChange)
  return {
    list: (connectionId) =>
      database.read(() =>
        changes(
          'SELECT value FROM multi_company_changes WHERE connection_id = ? ORDER BY created_at DESC, change_id',
          connectionId,
        ),
      ),
    all: () => database.read(() => changes('SELECT value FROM multi_company_changes')),
    get: (changeId) =>
      database.read(
        () => changes('SELECT value FROM multi_company_changes WHERE change_id = ?', changeId)[0] ?? null,
      ),
    add: (planned, drafts, without) =>
      database.write(() => {
        const refused = saveDrafts(database, drafts)
        const reasons = new Map(refused.map(({ draftId, error }) => [draftId, error.message]))
        const change = reasons.size === 0 ? planned : without(planned, reasons)
        database.run(
          'INSERT INTO multi_company_changes (change_id, connection_id, created_at, value) VALUES (?, ?, ?, ?)',
          change.changeId,
          change.connectionId,
          change.createdAt,
          toJson(change),
        )
        return change
      }),
    put: (change) =>
      database.write(() => {
        // Without its records, of which there may be 10,000.
        const before = database.one(
          `SELECT value -> '$.companies' AS companies, value -> '$.leftOut' AS left_out
           FROM multi_company_changes WHERE change_id = ?`,
          change.changeId,
        )
        if (before === null) throw new StoreError(CHANGE_GONE)
        const companies = json(before, 'companies') as MultiCompanyChange['companies']
        const leftOut = json(before, 'left_out') as MultiCompanyChange['leftOut']
        const known = new Set(
          [...companies.map(({ company }) => company), ...leftOut].map(({ endpointId }) => endpointId),
        )
        const kept = ofCompanies(change, (endpointId) => known.has(endpointId))
        replace(database, kept)
        return kept
      }),
    remove: (changeId) =>
      database.write(() => {
        database.run('DELETE FROM multi_company_changes WHERE change_id = ?', changeId)
      }),
  }
}

function replace(database: Database, change: MultiCompanyChange): void {
  database.run(
    'UPDATE multi_company_changes SET value = ? WHERE change_id = ?',
    toJson(change),
    change.changeId,
  )
}

/** The part of a change that concerns these companies. */
function ofCompanies(change: MultiCompanyChange, isOf: (endpointId: string) => boolean): MultiCompanyChange {
  return {
    ...change,
    companies: change.companies.filter(({ company }) => isOf(company.endpointId)),
    items: change.items.filter(({ endpointId }) => isOf(endpointId)),
    leftOut: change.leftOut.filter(({ endpointId }) => isOf(endpointId)),
  }
}

/** Deletes a company's part of every change, and changes that have no other part. */
export function deleteFromMultiCompanyChanges(
  database: Database,
  { connectionId, endpointId }: CompanyRef,
): void {
  const rows = database.all('SELECT value FROM multi_company_changes WHERE connection_id = ?', connectionId)
  for (const row of rows) {
    const change = json(row, 'value') as MultiCompanyChange
    const left = ofCompanies(change, (each) => each !== endpointId)
    if (left.items.length === 0) {
      database.run('DELETE FROM multi_company_changes WHERE change_id = ?', change.changeId)
    } else if (!isDeepStrictEqual(left, change)) replace(database, left)
  }
}

/**
 * Marks the records of changes whose operations are about to be deleted from the history, so that they aren't taken for
 * discarded drafts, and deletes changes of which nothing else is left.
 * @param condition which rows of `operations` are deleted
 * @param before changes made since then (ISO) stay
 */
export function trimMultiCompanyChanges(database: Database, condition: string, before: string): void {
  const changes = database
    .all('SELECT value FROM multi_company_changes')
    .map((row) => json(row, 'value') as MultiCompanyChange)
  if (changes.length === 0) return
  const draftIds = (sql: string): ReadonlySet<string> =>
    new Set(database.all(sql, before).map((row) => text(row, 'draft_id')))
  const doomed = draftIds(`SELECT draft_id FROM operations WHERE ${condition}`)
  const staying = draftIds(
    `SELECT draft_id FROM operations WHERE NOT (${condition}) UNION SELECT draft_id FROM drafts`,
  )
  for (const change of changes) {
    const records = change.items.flatMap((item) => item.records)
    const isOver = !records.some(({ draftId }) => staying.has(draftId))
    if (isOver && change.createdAt < before && change.state !== 'running') {
      database.run('DELETE FROM multi_company_changes WHERE change_id = ?', change.changeId)
    } else if (records.some(({ draftId }) => doomed.has(draftId))) {
      const items = change.items.map((item) => ({
        ...item,
        records: item.records.map((record) =>
          doomed.has(record.draftId) && !staying.has(record.draftId)
            ? { ...record, isTrimmed: true }
            : record,
        ),
      }))
      replace(database, { ...change, items })
    }
  }
}
