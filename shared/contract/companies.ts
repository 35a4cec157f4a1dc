/** Companies: the list, what is ours about each, testing, provisioning and de-provisioning. */
import { z } from 'zod'
import { id, line, text, isoTime, count, none, appErrorSchema, companyRef, savedFile, call } from './parts.ts'

export const BANDS = ['sea', 'ochre', 'indigo', 'rose', 'azure', 'moss', 'plum', 'graphite'] as const

const unfinished = z.object({
  drafts: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
})

/** What is ours about a company; kept on this computer. */
export const companyNotes = z.object({
  /** Empty: the service's name is shown. */
  label: line,
  /** At most three letters; empty: made from the name. */
  initials: z.string().max(3),
  band: z.enum(BANDS),
  notes: text,
  /** Month in which the fiscal year begins, 1 to 12. */
  fiscalYearStart: z.number().int().min(1).max(12),
  basis: z.enum(['unknown', 'accrual', 'cash']),
  /** Nothing is written to these books from this computer while it is on. */
  readOnly: z.boolean(),
  favourite: z.boolean(),
  /** Whether its lists may be kept on this computer. Absent in notes of earlier versions. */
  keepsLists: z.boolean().default(true),
})

export const company = companyNotes.extend({
  ref: companyRef,
  /** The service's name of it. */
  companyName: line,
  /** Short code as the service says it (`qbd`, `qbo`), and in words (*Desktop*, *Online*). */
  application: line,
  applicationName: line,
  fullPath: text,
  version: line,
  /** Timestamps as the service wrote them; empty when it said none. */
  createdAt: z.string(),
  lastAccessAt: z.string(),
  isActive: z.boolean(),
  userId: line,
  recordId: line,
  externalId: line,
  appName: line,
  isHosted: z.boolean().nullable(),
  /** Which interface listed it. */
  listedBy: z.enum(['v2', 'v1', 'both']),
  /** False when the service's last whole list lacked it; its drafts are kept. */
  isListed: z.boolean(),
  /** There is a token that can be copied (never here). */
  hasToken: z.boolean(),
  unfinished,
  /** ISO time at which it was last opened here; empty when never. */
  openedAt: z.string(),
})

const companyList = z.object({
  companies: z.array(company).readonly(),
  /** When the service was last asked; `null` when never. */
  readAt: isoTime.nullable(),
  /** False when the service said that there is more and did not give it, or gave some of it as errors. */
  isWhole: z.boolean(),
  /** What the service said beside the list, e.g. a warning; empty when it said nothing. */
  notice: text,
  /** Why the older service's list could not be read the last time; `null` when it could, or there is none. */
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
  /** Empty as long as the user is not made. */
  userId: line,
  /** The user who is made for these books before the company is asked for; `null` where the person named one. */
  newUser: z
    .object({
      state: z.enum([
        /** Not asked for yet. */
        'to-make',
        /** Asked for; no answer yet. */
        'asked',
        'made',
        /** May have been made: the answer was lost, and a user can't be looked up. */
        'held',
        /** Certainly not made. */
        'not-made',
      ]),
      askedAt: isoTime.nullable(),
    })
    .nullable(),
  /** The file that the person named in step 3; may be empty online. */
  expectedFile: text,
  /** Where that file is, as the person said. */
  place: z.enum(['here', 'client']),
  state: z.enum([
    /** In the queue; no company has been asked for. */
    'queued',
    /** Its user is asked for; the company follows when the user is there. */
    'making-user',
    /** Sent; no answer yet. */
    'sending',
    /** No sure answer; looked for again and again. *Waiting for authorisation* */
    'waiting',
    /** There is a company; the person has not said yet whether it is the right file. */
    'arrived',
    /** The person kept it. */
    'kept',
    /** The service refused it for certain. */
    'refused',
    /** The person gave it up before it was sent, or after "not the right file". */
    'dropped',
  ]),
  /** The person stopped waiting; it is watched in the background. */
  stoppedWaiting: z.boolean(),
  queuedAt: isoTime,
  sentAt: isoTime.nullable(),
  lastLookedAt: isoTime.nullable(),
  nextLookAt: isoTime.nullable(),
  company: companyRef.nullable(),
  /** What the company was before it was sent: an active one is never offered for de-provisioning. */
  before: z.enum([
    /** It is new. */
    'not-there',
    /** The service gave back one that is in use. */
    'active',
    /** The service gave back one that was not billed, and is again. */
    'inactive',
    /** The list of companies was not whole, so it can't be told. */
    'unknown',
  ]),
  error: appErrorSchema.nullable(),
})

/** A provisioning with the one that it tries again. */
const setupAttempt = provisioning.extend({ again: id.nullable() })

export const confirmation = z.object({
  what: z.enum(['answer', 'inactive-list', 'data-call']),
  result: z.enum(['confirmed', 'denied', 'unclear']),
  /** In words. */
  says: line,
  requestId: line,
  at: isoTime,
})

/** What one visit to **Add company** has entered so far: nothing of it is sent yet. Empty: not chosen. */
export const visit = z.object({
  /** ISO time at which the visit began: it tells visits apart. */
  begunAt: isoTime,
  /** The last step that was reached; step 4 is where it is sent. */
  step: z.number().int().min(1).max(4),
  /** Short code of the application. */
  application: line,
  /** `new`, `pasted`, or `user:` and the id of a user who is known by their companies. */
  user: line,
  pastedUserId: line,
  file: text,
  place: z.enum(['here', 'client']),
  /** The reminders of step 3 that are ticked. */
  ticked: z.array(line).max(20).readonly(),
  /** The setup that the person went back from, and that this one would try again; `null` for a first try. */
  again: id.nullable(),
})

/** A de-provisioning as the journal keeps it: the proof that billing ended. */
export const deprovisioning = z.object({
  deprovisioningId: id,
  company: companyRef,
  /** `denied`: the service still has it active; `unknown`: no sure word; `not-sent`: certainly not done. */
  state: z.enum(['sending', 'unknown', 'done', 'denied', 'not-sent']),
  sentAt: isoTime,
  confirmations: z.array(confirmation).readonly(),
})

export const companyCalls = {
  /** As known; nothing is asked of the service. */
  'companies.list': call(z.strictObject({ connectionId: id }), companyList),
  /** Asks the service for all of them. */
  'companies.refresh': call(z.strictObject({ connectionId: id }), companyList),
  'companies.annotate': call(z.strictObject({ company: companyRef, notes: companyNotes.partial() }), company),
  'companies.opened': call(z.strictObject({ company: companyRef }), none),
  'companies.test': call(z.strictObject({ company: companyRef }), testOutcome),
  'companies.copyToken': call(z.strictObject({ company: companyRef }), z.object({ clearsInSeconds: count })),
  'companies.clearToken': call(none, none),
  /**
   * Answers as soon as it is journalled; follow it by `companies.changed` and `companies.provisionings`. A visit, and
   * a setup that is tried again, leads to one of them only: any further call is refused.
   */
  'companies.provision': call(
    z.strictObject({
      connectionId: id,
      application: line,
      /** `null`: a new user is made first, unless a setup that this one tries again has made one. */
      userId: line.nullable(),
      expectedFile: text,
      place: z.enum(['here', 'client']),
      /** `begunAt` of the visit that asks for it. */
      visit: isoTime.exactOptional(),
      /** The earlier setup that this one tries again: it is looked for once more before anything is sent. */
      again: id.exactOptional(),
    }),
    provisioning,
  ),
  /** What a visit to **Add company** left behind, also over a crash; `null` when nothing waits to be sent. */
  'companies.visit': call(z.strictObject({ connectionId: id }), z.object({ visit: visit.nullable() })),
  /** Keeps what was entered; `null` forgets it. */
  'companies.saveVisit': call(z.strictObject({ connectionId: id, visit: visit.nullable() }), none),
  'companies.provisionings': call(z.strictObject({ connectionId: id }), z.array(setupAttempt).readonly()),
  'companies.stopWaiting': call(z.strictObject({ provisioningId: id }), provisioning),
  'companies.lookForProvisioned': call(z.strictObject({ provisioningId: id }), provisioning),
  /** The person's word on step 5, or giving it up. */
  'companies.decideProvisioning': call(
    z.strictObject({ provisioningId: id, decision: z.enum(['keep', 'not-the-right-file', 'drop']) }),
    provisioning,
  ),
  /** Asked about in the main process, which names the company. */
  'companies.deprovision': call(
    z.strictObject({
      company: companyRef,
      /** Which service is asked, of those that list it; the older one where it alone does. */
      service: z.enum(['v2', 'v1']).optional(),
    }),
    z.object({
      deprovisioningId: id,
      sentAt: isoTime,
      confirmations: z.array(confirmation).readonly(),
      isDeprovisioned: z.boolean(),
    }),
  ),
  /** Every de-provisioning of the connection that was sent, newest first. */
  'companies.deprovisionings': call(z.strictObject({ connectionId: id }), z.array(deprovisioning).readonly()),
  /** Reads the list of inactive companies once more, and answers how it stands then. */
  'companies.lookForDeprovisioned': call(z.strictObject({ deprovisioningId: id }), deprovisioning),
  /** A text file: for each, what was asked, when, and each confirmation with its RequestId. */
  'companies.saveDeprovisionReport': call(
    z.strictObject({ deprovisioningIds: z.array(id).min(1).max(1_000).readonly() }),
    savedFile,
  ),
} as const

export const companyEvents = {
  /** The list, a label, a count of unfinished, or a provisioning of this connection has changed. */
  'companies.changed': z.object({ connectionId: id }),
} as const

export type Band = (typeof BANDS)[number]
export type CompanyNotes = z.output<typeof companyNotes>
export type Company = z.output<typeof company>
export type TestOutcome = z.output<typeof testOutcome>
export type Provisioning = z.output<typeof provisioning>
export type SetupAttempt = z.output<typeof setupAttempt>
export type Visit = z.output<typeof visit>
export type Confirmation = z.output<typeof confirmation>
export type DeprovisioningView = z.output<typeof deprovisioning>
export type Unfinished = z.output<typeof unfinished>
