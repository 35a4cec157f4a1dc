/** Months: how far each client's month is, its review, its close, and what changed since. */
import { z } from 'zod'
import { READING_STATES, SEVERITIES } from '../review/review.ts'
import { type RuleId, RULE_IDS, SOURCES } from '../review/rules.ts'
import {
  appErrorSchema,
  call,
  companyRef,
  count,
  id,
  isoDate,
  isoTime,
  line,
  none,
  said,
  savedFile,
} from './parts.ts'

/** `yyyy-mm`. */
export const month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/)
const ofMonth = { company: companyRef, month }
/** A note that a person gives a decision. */
const note = z.string().max(10_000)
/** An exact decimal, or nothing. */
const amount = z.string().max(100)
const rule = z.enum(RULE_IDS as [RuleId, ...RuleId[]])

/** What is kept of a month for the strip of earlier months. */
export const MONTH_STATES = ['started', 'findings', 'reviewed', 'closed', 'changed'] as const

const monthStatus = z.discriminatedUnion('state', [
  z.object({ state: z.literal('not-started') }),
  /** Its reports are being read, or wait for their turn. */
  z.object({ state: z.literal('reading'), read: count, of: count }),
  /** Some are missing; `because` says why the last try ended. Empty if it was stopped. */
  z.object({ state: z.literal('partly-read'), read: count, of: count, because: said }),
  /** `wrong` of the open findings are contradictions. `notChecked` counts rules. */
  z.object({ state: z.literal('findings'), open: count, wrong: count, notChecked: count }),
  z.object({ state: z.literal('reviewed'), notChecked: count }),
  z.object({ state: z.literal('closed') }),
  /** `amount` is the largest difference of an account. */
  z.object({ state: z.literal('changed'), accounts: count, amount }),
])

/** One client's month in the list. */
export const monthRow = z.object({
  company: companyRef,
  companyName: line,
  application: line,
  applicationName: line,
  month,
  status: monthStatus,
  /** The months before it, oldest first; `null` where nothing was begun. */
  strip: z.array(z.object({ month, state: z.enum(MONTH_STATES).nullable() })).readonly(),
  /** Who did the last thing, and when (ISO); both empty when nothing was done. */
  by: said,
  at: isoTime,
  next: z.enum(['get-reports', 'wait', 'review', 'close', 'see-changes', 'none']),
  /** Requests that **Get reports** would make: one for each report, at least one for each list. */
  requests: count,
})

/** The reading that is going on over a connection. */
const progress = z.object({
  done: count,
  /** Requests of this run, done or not. */
  of: count,
  /** Whose report or list is read just now, and which. */
  companyName: line,
  what: said,
  /** Companies that did not answer and are asked once more at the end. */
  silent: count,
  isStopping: z.boolean(),
})

const findingRow = z.object({
  report: said,
  /** The report as the service names it. */
  reportName: said,
  from: isoDate,
  to: isoDate,
  name: said,
  columns: z.array(said).readonly(),
  values: z.array(said).readonly(),
})

const finding = z.object({
  key: said,
  rule,
  severity: z.enum(SEVERITIES),
  subject: said,
  amount,
  detail: said,
  row: findingRow.nullable(),
  records: z.object({ object: line, ids: z.array(said).readonly() }).nullable(),
})

export const findingDecision = z.object({
  kind: z.enum(['accepted', 'never']),
  note: said,
  by: said,
  at: isoTime,
})

const outcome = z.discriminatedUnion('result', [
  z.object({ rule, result: z.literal('clean') }),
  z.object({
    rule,
    result: z.literal('found'),
    findings: z.array(finding).readonly(),
    unchecked: z.array(said).readonly(),
  }),
  z.object({ rule, result: z.literal('not-checked'), because: said }),
])

/** What a rule came to, and when the oldest of what it looked at was read. Kept in this form. */
export const keptOutcome = outcome.and(z.object({ checkedAt: z.union([isoTime, z.literal('')]) }))

const reading = z.object({
  source: z.enum(SOURCES),
  name: line,
  kind: z.enum(['report', 'list']),
  from: isoDate,
  to: isoDate,
  state: z.enum(READING_STATES),
  said,
  readAt: z.union([isoTime, z.literal('')]),
})

/** A report or list of a month, with the copy that is kept of it; empty for none. */
const keptReading = reading.extend({ copyId: z.union([id, z.literal('')]) })

const changedAmount = z.object({
  report: said,
  account: said,
  column: said,
  kept: amount,
  now: amount,
  difference: amount,
})

const change = z.object({
  noticedAt: isoTime,
  /** Whether all of the month's reports were read again since it was noticed. */
  isComplete: z.boolean(),
  amounts: z.array(changedAmount).readonly(),
  /** Reports that could not be compared, and why. */
  notCompared: z.array(said).readonly(),
})

/** A month as it is kept. */
export const keptMonth = z.object({
  readings: z.array(keptReading).readonly(),
  /** Why the last try to read it ended early; empty otherwise. */
  silence: said,
  open: count,
  wrong: count,
  notChecked: count,
  closed: z.object({ version: count, by: said, at: isoTime }).nullable(),
  change: change.nullable(),
  by: said,
  at: isoTime,
})

/** A month as it was closed: which copies, what was found, and what was decided. */
export const keptVersion = z.object({
  by: said,
  at: isoTime,
  note: said,
  readings: z.array(keptReading).readonly(),
  outcomes: z.array(keptOutcome).readonly(),
  decisions: z.array(findingDecision.extend({ key: said, amount })).readonly(),
})

const MONTH_ACTS = [
  'reports-read',
  'checked-again',
  'accepted',
  'never',
  'undone',
  'closed',
  'reopened',
  'change-noticed',
  'change-gone',
  'change-accepted',
  'pack-saved',
] as const

/** Something that was done about a month. `subject`: of which finding, or which file. */
export const monthEvent = z.object({
  at: isoTime,
  by: said,
  act: z.enum(MONTH_ACTS),
  subject: said,
  note: said,
})

const reviewSettings = z.object({
  percent: z.string().regex(/^\d{1,6}(?:\.\d{1,4})?$/),
  amount: z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/),
  /** Entries from this amount on are listed; empty: none. */
  largeEntry: z.string().regex(/^(?:\d{1,15}(?:\.\d{1,4})?)?$/),
  emptyAccounts: z.array(z.string().trim().min(1).max(200)).max(200).readonly(),
})

/** What a connection, or one of its companies, has of its own. */
export const ownReviewSettings = reviewSettings.partial()

/** A rule with what it came to, in the words of the company's application. */
const ruleResult = z.object({
  rule,
  group: said,
  title: said,
  why: said,
  /** Where to look in the application. */
  where: said,
  result: z.enum(['found', 'clean', 'not-checked']),
  /** What was not checked, and why. */
  because: z.array(said).readonly(),
  checkedAt: z.union([isoTime, z.literal('')]),
  /** Requests that **Check again** makes. */
  requests: count,
  findings: z.array(finding.extend({ decision: findingDecision.nullable() })).readonly(),
})

const review = z.object({
  month: monthRow,
  readings: z.array(reading).readonly(),
  rules: z.array(ruleResult).readonly(),
})

/** A finding, and the amount for which it is decided. */
const decided = z.strictObject({ ...ofMonth, key: z.string().min(1).max(10_000), amount })

export const reviewCalls = {
  /** The active companies of a connection, each with that month. */
  'months.list': call(
    z.strictObject({ connectionId: id, month }),
    z.object({ rows: z.array(monthRow).readonly(), progress: progress.nullable() }),
  ),
  /**
   * Reads what these months still lack, one request at a time; with `again`, everything. Companies that don't answer go
   * to the end. Answers as soon as it has begun; `months.changed` tells the rest.
   */
  'months.getReports': call(
    z.strictObject({
      connectionId: id,
      month,
      endpointIds: z.array(id).min(1).max(2_000).readonly(),
      again: z.boolean(),
    }),
    progress,
  ),
  /** Ends the reading after the request that is on its way. */
  'months.stop': call(z.strictObject({ connectionId: id }), none),
  /** Keeps exact copies, findings, and decisions. Writes nothing to the books. */
  'months.close': call(z.strictObject({ ...ofMonth, note }), monthRow),
  'months.reopen': call(z.strictObject({ ...ofMonth, note }), monthRow),
  /** What changed since a month was closed. `requests`: to read its reports again. */
  'months.changes': call(
    z.strictObject(ofMonth),
    z.object({
      month: monthRow,
      change: change.nullable(),
      /** New or missing in the audit trail, where the application has one. */
      entries: z.array(finding).readonly(),
      entriesNotChecked: said,
      closed: z.object({ version: count, by: said, at: isoTime }).nullable(),
      requests: count,
    }),
  ),
  /** Makes the new state the kept one. Refused until its reports were read again. */
  'months.acceptChange': call(z.strictObject({ ...ofMonth, note }), monthRow),
  /** Newest first. */
  'months.history': call(
    z.strictObject(ofMonth),
    z.object({
      events: z.array(monthEvent).readonly(),
      versions: z.array(z.object({ version: count, by: said, at: isoTime, note: said })).readonly(),
    }),
  ),
  /** The review pack of the month as it was closed, or as it is while it is open. */
  'months.savePack': call(z.strictObject({ ...ofMonth, format: z.enum(['pdf', 'xlsx']) }), savedFile),
  'review.findings': call(z.strictObject(ofMonth), review),
  /** Quiet until its amount changes. */
  'review.accept': call(decided.extend({ note }), review),
  /** Quiet for this account, customer, vendor, or record in every month. */
  'review.never': call(decided.extend({ note }), review),
  /** Takes a decision back. */
  'review.undo': call(decided, review),
  /** Reads again what a rule needs. Answers as soon as it has begun. */
  'review.checkAgain': call(z.strictObject({ ...ofMonth, rule }), progress),
  /** `own` is what is set here; `effective`, with what it leaves to the connection or the program. */
  'review.settings': call(
    z.strictObject({ connectionId: id, endpointId: id.nullable() }),
    z.object({ own: ownReviewSettings, effective: reviewSettings }),
  ),
  /** Replaces what is set for a connection, or for one of its companies. Its open months are reviewed anew. */
  'review.setSettings': call(
    z.strictObject({ connectionId: id, endpointId: id.nullable(), own: ownReviewSettings }),
    none,
  ),
} as const

export const reviewEvents = {
  /** A company's month changed, or the reading went on. */
  'months.changed': z.object({
    connectionId: id,
    row: monthRow.nullable(),
    progress: progress.nullable(),
    /** Why the reading ended early. */
    error: appErrorSchema.nullable(),
  }),
} as const

export type MonthRow = z.output<typeof monthRow>
export type MonthStatus = z.output<typeof monthStatus>
export type MonthState = (typeof MONTH_STATES)[number]
export type MonthsProgress = z.output<typeof progress>
export type MonthEvent = z.output<typeof monthEvent>
export type Review = z.output<typeof review>
export type ReviewedRule = z.output<typeof ruleResult>
export type ReviewedFinding = ReviewedRule['findings'][number]
export type FindingDecision = z.output<typeof findingDecision>
export type KeptMonth = z.output<typeof keptMonth>
export type KeptReading = z.output<typeof keptReading>
export type KeptOutcome = z.output<typeof keptOutcome>
export type KeptVersion = z.output<typeof keptVersion>
export type MonthChange = z.output<typeof change>
export type OwnReviewSettings = z.output<typeof ownReviewSettings>
