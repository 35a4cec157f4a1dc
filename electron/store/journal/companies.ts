/**
 * Provisionings, de-provisionings, and user creations. Keeps only their decoded responses, because the text may contain
 * a token.
 */
import type { Confirmation, Provisioning, SetupDraft } from '../../../shared/contract/companies.ts'
import type { CompanyRef } from '../../../shared/contract/parts.ts'
import { type AppError, appError } from '../../../shared/result.ts'
import { type Database, json, type Row, text, toFlag, toJson } from '../database.ts'
import type { NewRequest, RequestResult } from './journal.ts'
import { insertRequest, saveRequestResult } from './rows.ts'

/** What was entered in **Add company** and hasn't been sent: one draft per connection. */
export interface SetupDraftStore {
  get(connectionId: string): SetupDraft | null
  /** `null` deletes it. */
  put(connectionId: string, draft: SetupDraft | null): void
}

const CLOSED = ['kept', 'refused', 'dropped']

/** @param sentBy who requested it; kept from when it was first saved */
function putProvisioning(database: Database, provisioning: JournalProvisioning, sentBy: string): void {
  const { value } = provisioning
  database.run(
    `INSERT INTO provisionings (provisioning_id, connection_id, state, is_closed, queued_at, value, sent_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (provisioning_id) DO UPDATE SET
       state = excluded.state, is_closed = excluded.is_closed, value = excluded.value`,
    value.provisioningId,
    value.connectionId,
    value.state,
    toFlag(CLOSED.includes(value.state)),
    value.queuedAt,
    toJson(provisioning),
    sentBy,
  )
}

function putUserCreation(database: Database, creation: UserCreation, sentBy: string): void {
  database.run(
    `INSERT INTO user_creations (creation_id, connection_id, state, sent_at, value, sent_by)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (creation_id) DO UPDATE SET state = excluded.state, value = excluded.value`,
    creation.creationId,
    creation.connectionId,
    creation.state,
    creation.sentAt,
    toJson(creation),
    sentBy,
  )
}

function putDeprovisioning(database: Database, deprovisioning: Deprovisioning, sentBy: string): void {
  database.run(
    `INSERT INTO deprovisionings (deprovisioning_id, connection_id, endpoint_id, state, sent_at, value, sent_by)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (deprovisioning_id) DO UPDATE SET state = excluded.state, value = excluded.value`,
    deprovisioning.deprovisioningId,
    deprovisioning.company.connectionId,
    deprovisioning.company.endpointId,
    deprovisioning.state,
    deprovisioning.sentAt,
    toJson(deprovisioning),
    sentBy,
  )
}

/** The previous service's address has its own column, because it changes independently. */
function provisioningOf(row: Row): JournalProvisioning {
  return { ...(json(row, 'value') as JournalProvisioning), previousService: text(row, 'previous_service') }
}

function deprovisioningOf(row: Row): Deprovisioning {
  return { ...(json(row, 'value') as Deprovisioning), previousService: text(row, 'previous_service') }
}

/** The error of everything that was being sent when the program ended. */
export const ENDED_BEFORE_ANSWER: AppError = appError(
  'dropped',
  'Bookbridge closed before the response arrived.',
  'Bookbridge checks whether it was done. It is not sent again automatically.',
)

/** The error of a provisioning that was requested and not sent before the program ended. */
const NEVER_SENT: AppError = appError(
  'stopped',
  'Bookbridge closed before this was sent.',
  'Nothing was provisioned or billed. Continue where you left off, or discard it.',
)

/** The error of a provisioning whose user was being created. Users can't be looked up. */
const USER_IN_DOUBT: AppError = appError(
  'dropped',
  'Bookbridge closed before the service said whether it created the client.',
  'No company was provisioned. Ask your provider for the user ID and paste it, or create another client.',
)

type Ended = Pick<JournalProvisioning['value'], 'state' | 'error'> &
  Partial<Pick<JournalProvisioning['value'], 'newUser'>>

function afterTheEnd({ state, newUser }: JournalProvisioning['value']): Ended {
  if (state === 'sending') return { state: 'waiting', error: ENDED_BEFORE_ANSWER }
  if (state === 'queued') return { state: 'refused', error: NEVER_SENT }
  const held = newUser === null ? null : ({ ...newUser, state: 'held' } as const)
  return { state: 'refused', error: USER_IN_DOUBT, newUser: held }
}

/** Call at startup. What was being sent is uncertain. What was queued was never sent, and waits for the user. */
export function recoverManage(database: Database): void {
  const inProgress = `SELECT value FROM provisionings WHERE state IN ('queued', 'making-user', 'sending')`
  for (const row of database.all(inProgress)) {
    const known = json(row, 'value') as JournalProvisioning
    putProvisioning(database, { ...known, value: { ...known.value, ...afterTheEnd(known.value) } }, '')
  }
  for (const row of database.all(`SELECT value FROM user_creations WHERE state = 'sending'`)) {
    const known = json(row, 'value') as UserCreation
    putUserCreation(database, { ...known, state: 'held', error: ENDED_BEFORE_ANSWER }, '')
  }
  for (const row of database.all(`SELECT value FROM deprovisionings WHERE state = 'sending'`)) {
    const known = json(row, 'value') as Deprovisioning
    putDeprovisioning(database, { ...known, state: 'unknown', error: ENDED_BEFORE_ANSWER }, '')
  }
}

/** @param sentBy who uses the program; saved with what they request */
export function createManageStore(database: Database, sentBy: string): ManageStore {
  return {
    putProvisioning: (provisioning, request) =>
      database.write(() => {
        putProvisioning(database, provisioning, sentBy)
        if (request !== null) insertRequest(database, request)
      }),
    saveProvisioningResult: (provisioning, result) =>
      database.write(() => {
        putProvisioning(database, provisioning, sentBy)
        saveRequestResult(database, result)
      }),
    provisioning: (provisioningId) =>
      database.read(() => {
        const row = database.one(
          'SELECT value, previous_service FROM provisionings WHERE provisioning_id = ?',
          provisioningId,
        )
        return row === null ? null : provisioningOf(row)
      }),
    provisionings: (connectionId) =>
      database.read(() =>
        database
          .all(
            'SELECT value, previous_service FROM provisionings WHERE connection_id = ? ORDER BY queued_at DESC, rowid DESC',
            connectionId,
          )
          .map(provisioningOf),
      ),
    openProvisionings: () =>
      database.read(() =>
        database
          .all(
            `SELECT value, previous_service FROM provisionings WHERE state IN ('queued', 'making-user', 'sending', 'waiting')`,
          )
          .map(provisioningOf),
      ),
    putUserCreation: (creation, provisioning, request, result) =>
      database.write(() => {
        putUserCreation(database, creation, sentBy)
        putProvisioning(database, provisioning, sentBy)
        if (request !== null) insertRequest(database, request)
        if (result !== null) saveRequestResult(database, result)
      }),
    userCreations: (connectionId) =>
      database.read(() =>
        database
          .all(
            'SELECT value FROM user_creations WHERE connection_id = ? ORDER BY sent_at DESC, rowid DESC',
            connectionId,
          )
          .map((row) => json(row, 'value') as UserCreation),
      ),
    putDeprovisioning: (deprovisioning, request, result) =>
      database.write(() => {
        putDeprovisioning(database, deprovisioning, sentBy)
        if (request !== null) insertRequest(database, request)
        if (result !== null) saveRequestResult(database, result)
      }),
    deprovisionings: (connectionId) =>
      database.read(() =>
        database
          .all(
            'SELECT value, previous_service FROM deprovisionings WHERE connection_id = ? ORDER BY sent_at DESC, rowid DESC',
            connectionId,
          )
          .map(deprovisioningOf),
      ),
    deprovisioning: (deprovisioningId) =>
      database.read(() => {
        const row = database.one(
          'SELECT value, previous_service FROM deprovisionings WHERE deprovisioning_id = ?',
          deprovisioningId,
        )
        return row === null ? null : deprovisioningOf(row)
      }),
    openDeprovisionings: () =>
      database.read(() =>
        database
          .all(`SELECT value, previous_service FROM deprovisionings WHERE state IN ('sending', 'unknown')`)
          .map(deprovisioningOf),
      ),
    senders: (connectionId) =>
      database.read(() => {
        const rows = database.all(
          `SELECT provisioning_id AS id, sent_by FROM provisionings WHERE connection_id = ?1
           UNION ALL SELECT creation_id, sent_by FROM user_creations WHERE connection_id = ?1
           UNION ALL SELECT deprovisioning_id, sent_by FROM deprovisionings WHERE connection_id = ?1`,
          connectionId,
        )
        return new Map(rows.map((row) => [text(row, 'id'), text(row, 'sent_by')]))
      }),
  }
}

/* What the journal keeps about provisioning, de-provisioning, and creating users. Types only. */

/** A provisioning, and what the list contained before it was sent. */
export interface JournalProvisioning {
  readonly value: Provisioning
  /** `null` if nothing was sent. */
  readonly listBefore: ListBefore | null
  /** How often the list was read since it was sent. */
  readonly rechecks: number
  /** `begunAt` of the draft in **Add company** that started it; `null` if it was started elsewhere. */
  readonly draftBegunAt: string | null
  /** The earlier setup that this one retries; `null` for a first try. */
  readonly again: string | null
  /** IDs of companies that the user must check before this request is made again. It was not sent. */
  readonly askedAbout: readonly string[]
  /** The previous service's address, if its connection leads to another service now. Otherwise empty. */
  readonly previousService: string
}

/** What was known about companies right before a provisioning was sent, by endpoint ID. */
export interface ListBefore {
  readonly active: readonly string[]
  /** Known, and not active. */
  readonly inactive: readonly string[]
  /** False if the list may be incomplete. */
  readonly isWhole: boolean
}

export interface UserCreation {
  readonly creationId: string
  readonly connectionId: string
  /** `held`: it may have succeeded, and can't be looked up. */
  readonly state: 'sending' | 'done' | 'held' | 'refused' | 'not-sent'
  readonly sentAt: string
  readonly userId: string
  readonly error: AppError | null
}

/** What the de-provisioning report says about the company, as known when the request was sent. */
export interface DeprovisionedCompany {
  /** The service's name for it. */
  readonly companyName: string
  /** The user's label. May be empty. */
  readonly label: string
  /** As shown: *Desktop*, *Online*. */
  readonly applicationName: string
  readonly fullPath: string
  readonly userId: string
  /** Which service it was sent to. */
  readonly sentBy: 'v2' | 'v1'
}

export interface Deprovisioning {
  readonly deprovisioningId: string
  readonly company: CompanyRef
  readonly known: DeprovisionedCompany
  readonly state: 'sending' | 'unknown' | 'done' | 'denied' | 'not-sent'
  readonly sentAt: string
  readonly confirmations: readonly Confirmation[]
  readonly error: AppError | null
  /** The previous service's address, if its connection leads to another service now. Otherwise empty. */
  readonly previousService: string
}

/** Provisionings, de-provisionings and user creations. */
export interface ManageStore {
  /** Saves it, and the request about to be sent if there is one, in one transaction. */
  putProvisioning(provisioning: JournalProvisioning, request: NewRequest | null): void
  saveProvisioningResult(provisioning: JournalProvisioning, result: RequestResult): void
  provisioning(provisioningId: string): JournalProvisioning | null
  provisionings(connectionId: string): readonly JournalProvisioning[]
  /** Unfinished ones of all connections. */
  openProvisionings(): readonly JournalProvisioning[]
  /**
   * Saves the user creation and its setup in one transaction, so that a kill never leaves one without the other.
   */
  putUserCreation(
    creation: UserCreation,
    provisioning: JournalProvisioning,
    request: NewRequest | null,
    result: RequestResult | null,
  ): void
  userCreations(connectionId: string): readonly UserCreation[]
  putDeprovisioning(
    deprovisioning: Deprovisioning,
    request: NewRequest | null,
    result: RequestResult | null,
  ): void
  /** Newest first. */
  deprovisionings(connectionId: string): readonly Deprovisioning[]
  deprovisioning(deprovisioningId: string): Deprovisioning | null
  openDeprovisionings(): readonly Deprovisioning[]
  /** Who requested each of these, by its ID. Empty if that isn't known. */
  senders(connectionId: string): ReadonlyMap<string, string>
}

// What was entered in **Add company**, one draft per connection, until it is sent or deleted.

export function createSetupDraftStore(database: Database): SetupDraftStore {
  return {
    get: (connectionId) =>
      database.read(() => {
        const row = database.one('SELECT value FROM setup_drafts WHERE connection_id = ?', connectionId)
        return row === null ? null : (json(row, 'value') as SetupDraft)
      }),
    put: (connectionId, draft) =>
      database.write(() => {
        if (draft === null) database.run('DELETE FROM setup_drafts WHERE connection_id = ?', connectionId)
        else {
          database.run(
            `INSERT INTO setup_drafts (connection_id, value) VALUES (?, ?)
             ON CONFLICT (connection_id) DO UPDATE SET value = excluded.value`,
            connectionId,
            toJson(draft),
          )
        }
      }),
  }
}
