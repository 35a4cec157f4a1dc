/** Companies: the list, the user's notes, testing, provisioning, and de-provisioning. */
import { z } from 'zod'
import { BANDS } from '../companies/bands.ts'
import { appErrorSchema, call, companyRef, count, id, isoTime, line, none, savedFile, text } from './parts.ts'

const unfinished = z.object({
  drafts: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
})

/** The user's notes about a company, kept on this computer. */
export const companyNotes = z.object({
  /** If empty, the service's name is shown. */
  label: line,
  /** At most three letters; if empty, they come from the name. */
  initials: z.string().max(3),
  band: z.enum(BANDS),
  notes: text,
  /** Month in which the fiscal year begins, 1 to 12. */
  fiscalYearStart: z.number().int().min(1).max(12),
  basis: z.enum(['unknown', 'accrual', 'cash']),
  /** While set, this computer doesn't write to these books. */
  readOnly: z.boolean(),
  favorite: z.boolean(),
  /** Whether its lists may be kept on this computer. */
  keepsLists: z.boolean(),
})

export const company = companyNotes.extend({
  ref: companyRef,
  /** The service's name for the company. */
  companyName: line,
  /** The service's short code (`qbd`, `qbo`), and its name (*Desktop*, *Online*). */
  application: line,
  applicationName: line,
  fullPath: text,
  version: line,
  /** Timestamps as the service wrote them; empty if there are none. */
  createdAt: z.string(),
  lastAccessAt: z.string(),
  isActive: z.boolean(),
  userId: line,
  recordId: line,
  externalId: line,
  appName: line,
  isHosted: z.boolean().nullable(),
  /** Which service listed it. */
  listedBy: z.enum(['v2', 'v1', 'both']),
  /** False if the service's last complete list lacked it. Its drafts are kept. */
  isListed: z.boolean(),
  /** Whether it has a token that can be copied. The token itself is never here. */
  hasToken: z.boolean(),
  unfinished,
  /** When it was last opened here, ISO; empty if never. */
  openedAt: z.string(),
})

const companyList = z.object({
  companies: z.array(company).readonly(),
  /** When it was last read; `null` if never. */
  readAt: isoTime.nullable(),
  /** False if the service has more companies than it returned, or returned some as errors. */
  isWhole: z.boolean(),
  /** A message that came with the list, such as a warning; empty if none. */
  notice: text,
  /** Why the last read of the older service's list failed; `null` if it didn't, or there is none. */
  legacyError: appErrorSchema.nullable(),
})

const testOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('answered'), milliseconds: count, at: isoTime }),
  z.object({ outcome: z.literal('refused'), error: appErrorSchema, at: isoTime }),
  z.object({ outcome: z.literal('silent'), error: appErrorSchema, at: isoTime }),
])

/** One provisioning, from the click to the decision about the file. */
export const provisioning = z.object({
  provisioningId: id,
  connectionId: id,
  application: line,
  /** Empty until the user is created. */
  userId: line,
  /** The user that is created before the company is requested; `null` if the user chose one. */
  newUser: z
    .object({
      state: z.enum([
        /** Not requested yet. */
        'to-make',
        /** Requested; no response yet. */
        'asked',
        'made',
        /** May exist: the response was lost, and the service can't list users. */
        'held',
        /** Certainly not created. */
        'not-made',
      ]),
      askedAt: isoTime.nullable(),
    })
    .nullable(),
  /** The file that the user named in step 3; may be empty for online books. */
  expectedFile: text,
  /** Where the file is, according to the user. */
  place: z.enum(['here', 'client']),
  state: z.enum([
    /** In the queue; no company has been requested. */
    'queued',
    /** Its user is being created; the company is requested after that. */
    'making-user',
    /** Sent; no response yet. */
    'sending',
    /** No clear response; Bookbridge keeps checking. *Waiting for authorization* */
    'waiting',
    /** There is a company; the user hasn't confirmed the file yet. */
    'arrived',
    /** The user kept it. */
    'kept',
    /** The service certainly refused it. */
    'refused',
    /** The user discarded it, or said that it wasn't the right file. */
    'dropped',
  ]),
  /** The user stopped waiting; Bookbridge keeps checking in the background. */
  stoppedWaiting: z.boolean(),
  queuedAt: isoTime,
  sentAt: isoTime.nullable(),
  lastRecheckedAt: isoTime.nullable(),
  nextRecheckAt: isoTime.nullable(),
  company: companyRef.nullable(),
  /** What the company was before the request. De-provisioning is never offered for an active one. */
  before: z.enum([
    /** It is new. */
    'not-there',
    /** The service returned a company that was in use. */
    'active',
    /** The service returned an inactive company, which is billed again. */
    'inactive',
    /** Unknown, because the list of companies was incomplete. */
    'unknown',
  ]),
  error: appErrorSchema.nullable(),
})

/** A provisioning, and the one that it repeats. */
const setupAttempt = provisioning.extend({ again: id.nullable() })

export const confirmation = z.object({
  what: z.enum(['answer', 'inactive-list', 'data-call']),
  result: z.enum(['confirmed', 'denied', 'unclear']),
  /** In words. */
  says: line,
  requestId: line,
  at: isoTime,
})

/** What was entered in **Add company** and not sent yet. An empty string means not chosen. */
export const setupDraft = z.object({
  /** When it was begun, ISO. Identifies the draft. */
  begunAt: isoTime,
  /** The step that was reached. Step 4 sends it. */
  step: z.number().int().min(1).max(4),
  /** Short code of the application. */
  application: line,
  /** `new`, `pasted`, or `user:` and the ID of a known user. */
  user: line,
  pastedUserId: line,
  file: text,
  place: z.enum(['here', 'client']),
  /** The reminders of step 3 that are checked. */
  checkedReminders: z.array(line).max(20).readonly(),
  /** The setup that this one would repeat; `null` for a first attempt. */
  again: id.nullable(),
})

/** A de-provisioning in the journal: the proof that billing ended. */
export const deprovisioning = z.object({
  deprovisioningId: id,
  company: companyRef,
  /** `denied`: the service says it is still active; `unknown`: not confirmed; `not-sent`: certainly not done. */
  state: z.enum(['sending', 'unknown', 'done', 'denied', 'not-sent']),
  sentAt: isoTime,
  confirmations: z.array(confirmation).readonly(),
})

export const companyCalls = {
  /** The companies as of the last read, without a request. */
  'companies.list': call(z.strictObject({ connectionId: id }), companyList),
  /** Reads all companies from the service. */
  'companies.refresh': call(z.strictObject({ connectionId: id }), companyList),
  'companies.annotate': call(z.strictObject({ company: companyRef, notes: companyNotes.partial() }), company),
  'companies.opened': call(z.strictObject({ company: companyRef }), none),
  'companies.test': call(z.strictObject({ company: companyRef }), testOutcome),
  'companies.copyToken': call(z.strictObject({ company: companyRef }), z.object({ clearsInSeconds: count })),
  'companies.clearToken': call(none, none),
  /**
   * Returns once it is in the journal. Follow it with `companies.changed` and `companies.provisionings`. A draft leads to
   * one setup only, and a setup is repeated only once. Further calls are refused.
   */
  'companies.provision': call(
    z.strictObject({
      connectionId: id,
      application: line,
      /** If `null`, a user is created first, unless the setup that this one repeats has created one. */
      userId: line.nullable(),
      expectedFile: text,
      place: z.enum(['here', 'client']),
      /** `begunAt` of the draft. */
      draftBegunAt: isoTime.exactOptional(),
      /** The setup that this one repeats. Its company is checked for once more before anything is sent. */
      again: id.exactOptional(),
    }),
    provisioning,
  ),
  /** The draft of **Add company**, which survives a crash; `null` if there is none. */
  'companies.setupDraft': call(
    z.strictObject({ connectionId: id }),
    z.object({ draft: setupDraft.nullable() }),
  ),
  /** Saves the draft; `null` deletes it. */
  'companies.saveSetupDraft': call(z.strictObject({ connectionId: id, draft: setupDraft.nullable() }), none),
  'companies.provisionings': call(z.strictObject({ connectionId: id }), z.array(setupAttempt).readonly()),
  'companies.stopWaiting': call(z.strictObject({ provisioningId: id }), provisioning),
  'companies.recheckProvisioning': call(z.strictObject({ provisioningId: id }), provisioning),
  /** Records the answer to step 5, or discards the setup. */
  'companies.decideProvisioning': call(
    z.strictObject({ provisioningId: id, decision: z.enum(['keep', 'not-the-right-file', 'drop']) }),
    provisioning,
  ),
  /** The main process asks first, and names the company. */
  'companies.deprovision': call(
    z.strictObject({
      company: companyRef,
      /** Which service to use, if both list it. */
      service: z.enum(['v2', 'v1']).optional(),
    }),
    z.object({
      deprovisioningId: id,
      sentAt: isoTime,
      confirmations: z.array(confirmation).readonly(),
      isDeprovisioned: z.boolean(),
    }),
  ),
  /** All de-provisionings of the connection that were sent, newest first. */
  'companies.deprovisionings': call(z.strictObject({ connectionId: id }), z.array(deprovisioning).readonly()),
  /** Reads the list of inactive companies again, and answers with the new state. */
  'companies.recheckDeprovisioning': call(z.strictObject({ deprovisioningId: id }), deprovisioning),
  /** Saves a text file: for each, what was requested and when, and each confirmation with its RequestId. */
  'companies.saveDeprovisionReport': call(
    z.strictObject({ deprovisioningIds: z.array(id).min(1).max(1_000).readonly() }),
    savedFile,
  ),
} as const

export const companyEvents = {
  /** The list, a note, a count of unfinished work, or a provisioning of this connection has changed. */
  'companies.changed': z.object({ connectionId: id }),
} as const

export type Band = (typeof BANDS)[number]
export type CompanyNotes = z.output<typeof companyNotes>
export type Company = z.output<typeof company>
export type TestOutcome = z.output<typeof testOutcome>
export type Provisioning = z.output<typeof provisioning>
export type SetupAttempt = z.output<typeof setupAttempt>
export type SetupDraft = z.output<typeof setupDraft>
export type Confirmation = z.output<typeof confirmation>
export type DeprovisioningView = z.output<typeof deprovisioning>
export type Unfinished = z.output<typeof unfinished>
