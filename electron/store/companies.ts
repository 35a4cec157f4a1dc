/** Companies as last listed, with the user's notes. A new listing never overwrites a note. */
import { type Company, type CompanyNotes, companyNotes } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import { appError } from '../../shared/result.ts'
import { timestamp } from '../clock.ts'
import { forEachSetAside } from './backup/set-aside.ts'
import { type Database, flag, json, type Row, StoreError, text, toFlag, toJson } from './database.ts'
import { deleteConnection } from './deletion.ts'

export const UNKNOWN_COMPANY = appError(
  'not-found',
  'Bookbridge doesn’t know this company.',
  'Refresh the company list.',
)

/** A company as last listed, with the user's notes. Never its token. */
export interface StoredCompany extends Omit<Company, 'unfinished'> {
  /** Its ID as the service spells it, if that differs from `ref`. */
  readonly listedAs?: string
}

/** When the service's list was read (ISO), and whether it was complete. */
export interface Listing {
  readonly readAt: string
  readonly isWhole: boolean
}

export interface CompanyStore {
  list(connectionId: string): readonly StoredCompany[]
  get(company: CompanyRef): StoredCompany | null
  /** Replaces the list. Companies missing from a complete list are kept with `isListed` false. */
  replaceListing(
    connectionId: string,
    companies: readonly StoredCompany[],
    readAt: string,
    isWhole: boolean,
  ): void
  /** Saves one company that was provisioned, or that answered. */
  put(company: StoredCompany): void
  /** `null` if the list was never read. */
  lastListing(connectionId: string): Listing | null
  annotate(company: CompanyRef, notes: Partial<CompanyNotes>): void
  opened(company: CompanyRef, at: string): void
  /**
   * Deletes everything kept about a connection, in time slices (`deletion.ts`). Throws while something that was sent
   * over it is not confirmed.
   */
  removeConnection(connectionId: string): Promise<void>
}

type ListedPart = Omit<StoredCompany, keyof CompanyNotes | 'isListed' | 'openedAt'>

const SELECT = 'SELECT listing, notes, is_listed, opened_at FROM companies'

function fromRow(row: Row): StoredCompany {
  return {
    ...(json(row, 'listing') as ListedPart),
    ...companyNotes.parse(json(row, 'notes')),
    isListed: flag(row, 'is_listed'),
    openedAt: text(row, 'opened_at'),
  }
}

function split(company: StoredCompany): { listing: ListedPart; notes: CompanyNotes } {
  const { label, initials, band, notes, fiscalYearStart, basis, readOnly, favorite, keepsLists, ...rest } =
    company
  const { isListed: _isListed, openedAt: _openedAt, ...listing } = rest
  return {
    listing,
    notes: { label, initials, band, notes, fiscalYearStart, basis, readOnly, favorite, keepsLists },
  }
}

/** Inserts or updates a company. Its notes are used only if it is new. */
function put(database: Database, company: StoredCompany): void {
  const { listing, notes } = split(company)
  database.run(
    `INSERT INTO companies
       (connection_id, endpoint_id, listing, notes, label, full_path, is_listed, opened_at, annotated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')
     ON CONFLICT (connection_id, endpoint_id) DO UPDATE SET
       listing = excluded.listing, full_path = excluded.full_path, is_listed = excluded.is_listed`,
    company.ref.connectionId,
    company.ref.endpointId,
    toJson(listing),
    toJson(notes),
    notes.label,
    listing.fullPath,
    toFlag(company.isListed),
    company.openedAt,
  )
}

/**
 * @param path of the database, next to which a restore may have set another one aside
 * @param now milliseconds since 1970, for the order of labels
 */
export function createCompanyStore(database: Database, path: string, now: () => number): CompanyStore {
  return {
    list: (connectionId) =>
      database.read(() =>
        database
          .all(`${SELECT} WHERE connection_id = ? ORDER BY endpoint_id`, connectionId)
          .map((row) => fromRow(row)),
      ),
    get: (company) =>
      database.read(() => {
        const row = database.one(
          `${SELECT} WHERE connection_id = ? AND endpoint_id = ?`,
          company.connectionId,
          company.endpointId,
        )
        return row === null ? null : fromRow(row)
      }),
    replaceListing: (connectionId, companies, readAt, isWhole) =>
      database.write(() => {
        if (isWhole) database.run('UPDATE companies SET is_listed = 0 WHERE connection_id = ?', connectionId)
        for (const company of companies) put(database, company)
        database.run(
          `INSERT INTO listings (connection_id, read_at, is_whole) VALUES (?, ?, ?)
           ON CONFLICT (connection_id) DO UPDATE SET read_at = excluded.read_at, is_whole = excluded.is_whole`,
          connectionId,
          readAt,
          toFlag(isWhole),
        )
      }),
    put: (company) => database.write(() => put(database, company)),
    lastListing: (connectionId) =>
      database.read(() => {
        const row = database.one(
          'SELECT read_at, is_whole FROM listings WHERE connection_id = ?',
          connectionId,
        )
        return row === null ? null : { readAt: text(row, 'read_at'), isWhole: flag(row, 'is_whole') }
      }),
    annotate: (company, change) =>
      database.write(() => {
        const key = [company.connectionId, company.endpointId] as const
        const row = database.one(
          'SELECT notes FROM companies WHERE connection_id = ? AND endpoint_id = ?',
          ...key,
        )
        if (row === null) throw new StoreError(UNKNOWN_COMPANY)
        const notes: CompanyNotes = { ...companyNotes.parse(json(row, 'notes')), ...change }
        database.run(
          `UPDATE companies SET notes = ?, label = ?, annotated_at = ?
           WHERE connection_id = ? AND endpoint_id = ?`,
          toJson(notes),
          notes.label,
          timestamp({ now }),
          ...key,
        )
      }),
    opened: (company, at) =>
      database.write(() => {
        database.run(
          'UPDATE companies SET opened_at = ? WHERE connection_id = ? AND endpoint_id = ?',
          at,
          company.connectionId,
          company.endpointId,
        )
      }),
    // Removes every byte of it from the file, the log beside it, and files that a restore set aside.
    async removeConnection(connectionId) {
      await deleteConnection(database, connectionId)
      await forEachSetAside(path, (aside) => deleteConnection(aside, connectionId, { evenUnconfirmed: true }))
    },
  }
}
