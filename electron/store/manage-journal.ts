/**
 * What the journal keeps of what is done to companies as a whole: set-ups, ends of billing, and users made for them,
 * and how it is asked. Types only.
 */
import type { Confirmation, Provisioning } from '../../shared/contract/companies.ts'
import type { CompanyRef } from '../../shared/contract/parts.ts'
import type { AppError, Result } from '../../shared/result.ts'
import type { NewRequest, RequestAnswer } from './journal.ts'

/** A provisioning, and what the list held before it was sent. */
export interface JournalProvisioning {
  readonly value: Provisioning
  /** `null` when nothing was sent. */
  readonly listBefore: ListBefore | null
  /** Looks in the list since it was sent. */
  readonly looks: number
  /** `begunAt` of the visit to **Add company** that asked for it; `null` where it was asked for elsewhere. */
  readonly visit: string | null
  /** The earlier set-up that this one tries again; `null` for a first try. */
  readonly again: string | null
  /** Ids of companies that the person was asked about before this was sent again: it was not sent. */
  readonly askedAbout: readonly string[]
  /** The address that it was asked of, where its connection leads to another service now; empty: here. */
  readonly elsewhere: string
}

/** What was known of the companies right before a provisioning was sent, by endpoint id. */
export interface ListBefore {
  readonly active: readonly string[]
  /** Known, and not active. */
  readonly inactive: readonly string[]
  /** False when the list may lack some. */
  readonly isWhole: boolean
}

export interface UserCreation {
  readonly creationId: string
  readonly connectionId: string
  /** `held`: it may have been done, and can't be looked up. */
  readonly state: 'sending' | 'done' | 'held' | 'refused' | 'not-sent'
  readonly sentAt: string
  readonly userId: string
  readonly error: AppError | null
}

/** What is said of a company in the report of its de-provisioning, as it was known when that was sent. */
export interface DeprovisionedCompany {
  /** The service's name of it. */
  readonly companyName: string
  /** Ours; may be empty. */
  readonly label: string
  /** In words: *Desktop*, *Online*. */
  readonly applicationName: string
  readonly fullPath: string
  readonly userId: string
  /** Which interface it was sent to. */
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
  /** The address that it was sent to, where its connection leads to another service now; empty: here. */
  readonly elsewhere: string
}

/** Provisionings, de-provisionings and user creations. */
export interface ManageStore {
  /** Saves it, with the request about to be sent where there is one, in one transaction. */
  putProvisioning(provisioning: JournalProvisioning, request: NewRequest | null): Result<void>
  answerProvisioning(provisioning: JournalProvisioning, answer: RequestAnswer): Result<void>
  provisioning(provisioningId: string): Result<JournalProvisioning | null>
  provisionings(connectionId: string): Result<readonly JournalProvisioning[]>
  /** Of all connections: those that are not at their end. */
  openProvisionings(): Result<readonly JournalProvisioning[]>
  /** With the set-up that the user is made for, in one transaction: a kill never leaves one without the other. */
  putUserCreation(
    creation: UserCreation,
    provisioning: JournalProvisioning,
    request: NewRequest | null,
    answer: RequestAnswer | null,
  ): Result<void>
  userCreations(connectionId: string): Result<readonly UserCreation[]>
  putDeprovisioning(
    deprovisioning: Deprovisioning,
    request: NewRequest | null,
    answer: RequestAnswer | null,
  ): Result<void>
  /** Newest first. */
  deprovisionings(connectionId: string): Result<readonly Deprovisioning[]>
  deprovisioning(deprovisioningId: string): Result<Deprovisioning | null>
  openDeprovisionings(): Result<readonly Deprovisioning[]>
}
