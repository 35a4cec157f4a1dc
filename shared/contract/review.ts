/** Months: the state of each client's month, its review, its close, and what has changed since. */
import { z } from 'zod'
import { READING_STATES, SEVERITIES, SIDES } from '../review/review.ts'
import { RULE_IDS, type RuleId, SOURCES } from '../review/rules.ts'
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
  savedFile,
  serviceText,
} from './parts.ts'

/** `yyyy-mm`. */
export const month = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/)
const ofMonth = { company: companyRef, month }
/** A user's note on a decision. */
const note = z.string().max(10_000)
/** An exact decimal, or empty. */
const amount = z.string().max(100)
const side = z.enum(SIDES)
const rule = z.enum(RULE_IDS as [RuleId, ...RuleId[]])

/** The stored states of a month. */
export const MONTH_STATES = ['started', 'findings', 'reviewed', 'closed', 'changed'] as const

const monthStatus = z.discriminatedUnion('state', [
  z.object({ state: z.literal('not-started') }),
  /** Its reports are being read, or are queued. */
  z.object({ state: z.literal('reading'), read: count, of: count }),
  /** Some are missing. `reason` says why the last attempt ended; empty if it was stopped. */
  z.object({ state: z.literal('partly-read'), read: count, of: count, reason: serviceText }),
  /**
   * `wrong`: how many of the open findings are contradictions. `notChecked` counts rules. `notWhole` says which
   * statements are missing or may be incomplete; empty for none. `unreachableReason` says why the last **Check again**
   * ended early.
   */
  z.object({
    state: z.literal('findings'),
    ...{
      open: count,
      wrong: count,
      notChecked: count,
      notWhole: serviceText,
      unreachableReason: serviceText,
    },
  }),
  z.object({ state: z.literal('reviewed'), notChecked: count, unreachableReason: serviceText }),
  /**
   * `notCompared` counts the reports that can't be compared with what was kept. `notRead` says why the last attempt to
   * read all of them again failed; empty if it succeeded. `open` counts the findings that an accepted change brought.
   */
  z.object({ state: z.literal('closed'), notCompared: count, notRead: serviceText, open: count }),
  /**
   * `accounts` is 0 if only `entries` of the audit trail changed. `amount` is the largest difference; empty if no amount
   * differs.
   */
  z.object({
    state: z.literal('changed'),
    ...{ accounts: count, amount, entries: count, notCompared: count, notRead: serviceText },
  }),
])

/** One client's month in the list. */
const monthRow = z.object({
  company: companyRef,
  companyName: line,
  application: line,
  applicationName: line,
  month,
  /** `false` if no amount in its reports has decimals, as in a currency without cents. */
  hasCents: z.boolean(),
  status: monthStatus,
  /** The months before it, oldest first; `null` for months that were not begun. */
  strip: z.array(z.object({ month, state: z.enum(MONTH_STATES).nullable() })).readonly(),
  /** Who acted last, and when (ISO); both empty if no one has. */
  by: serviceText,
  at: isoTime,
  next: z.enum(['get-reports', 'wait', 'review', 'close', 'see-changes', 'none']),
  /** Requests that **Get reports** would make: one for each report, at least one for each list. */
  requests: count,
})

/** A running read of a connection's months. */
const progress = z.object({
  done: count,
  /** Requests of this run, done or not. */
  of: count,
  /** The company whose report or list is being read, and which one. */
  companyName: line,
  what: serviceText,
  /** Companies that didn't respond and are tried once more at the end. */
  silent: count,
  isStopping: z.boolean(),
})

const findingRow = z.object({
  report: serviceText,
  /** The report as the service names it. */
  reportName: serviceText,
  from: isoDate,
  to: isoDate,
  name: serviceText,
  columns: z.array(serviceText).readonly(),
  values: z.array(serviceText).readonly(),
})

export const sentence = z
  .array(z.union([serviceText, z.strictObject({ amount }), z.strictObject({ date: serviceText })]))
  .readonly()

const finding = z.object({
  key: serviceText,
  rule,
  severity: z.enum(SEVERITIES),
  subject: serviceText,
  amount,
  side,
  detail: sentence,
  row: findingRow.nullable(),
  records: z.object({ object: line, ids: z.array(serviceText).readonly() }).nullable(),
  inMonth: z.boolean().optional(),
  kept: z
    .object({
      amount,
      to: isoDate,
      isYearEnd: z.boolean(),
      isProvisional: z.boolean().optional(),
      original: amount.optional(),
    })
    .optional(),
})

export const findingDecision = z.object({
  kind: z.enum(['accepted', 'never']),
  note: serviceText,
  by: serviceText,
  at: isoTime,
})

const outcome = z.discriminatedUnion('result', [
  z.object({ rule, result: z.literal('clean') }),
  z.object({
    rule,
    result: z.literal('found'),
    findings: z.array(finding).readonly(),
    unchecked: z.array(serviceText).readonly(),
  }),
  z.object({ rule, result: z.literal('not-checked'), reason: serviceText }),
  z.object({ rule, result: z.literal('off'), reason: serviceText }),
])

/** A rule's outcome, and when the oldest report or list that it used was read. Stored in this form. */
export const keptOutcome = outcome.and(z.object({ checkedAt: z.union([isoTime, z.literal('')]) }))

const reading = z.object({
  source: z.enum(SOURCES),
  name: line,
  kind: z.enum(['report', 'list']),
  from: isoDate,
  to: isoDate,
  state: z.enum(READING_STATES),
  reason: serviceText,
  readAt: z.union([isoTime, z.literal('')]),
  isEarly: z.boolean(),
})

/** A report or list of a month, with the ID of its copy; empty for none. */
const keptReading = reading.extend({
  copyId: z.union([id, z.literal('')]),
  /** `false` if it is a report with amounts, and none of them has decimals. */
  hasCents: z.boolean(),
})

const changedAmount = z.object({
  report: serviceText,
  key: serviceText,
  account: serviceText,
  column: serviceText,
  side,
  kept: amount,
  now: amount,
  difference: amount,
  says: serviceText,
})

const change = z.object({
  noticedAt: isoTime,
  /** Whether all of the month's reports have been read again since then. */
  isComplete: z.boolean(),
  amounts: z.array(changedAmount).readonly(),
  /** Entries that the audit trail has more or fewer, which may leave all amounts the same. */
  entries: count,
})

/** A report of a closed month that couldn't be compared with what was kept. */
const notCompared = z.object({ report: serviceText, reason: serviceText })

/** A month on disk. */
export const keptMonth = z.object({
  readings: z.array(keptReading).readonly(),
  /** Why the last attempt to read it ended early; empty if it didn't. */
  unreachableReason: serviceText,
  open: count,
  wrong: count,
  notChecked: count,
  /** `open` counts the findings that it was closed with: those that an accepted change brought. */
  closed: z.object({ version: count, by: serviceText, at: isoTime, open: count }).nullable(),
  change: change.nullable(),
  /** What could not be compared since the month was closed. */
  notCompared: z.array(notCompared).readonly(),
  by: serviceText,
  at: isoTime,
})

/** A month as it was closed: its copies, findings, and decisions. */
export const keptVersion = z.object({
  by: serviceText,
  at: isoTime,
  note: serviceText,
  /** The month in which the fiscal year began, 1 to 12. */
  fiscalYearStart: z.int().min(1).max(12),
  readings: z.array(keptReading).readonly(),
  outcomes: z.array(keptOutcome).readonly(),
  decisions: z.array(findingDecision.extend({ key: serviceText, amount })).readonly(),
})

const MONTH_ACTS = [
  'reports-read',
  'partly-read',
  'checked-again',
  'reviewed-again',
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

/** An entry in a month's history. `subject` is the finding, the changed settings, the file, or the size of a change. */
export const monthEvent = z.object({
  at: isoTime,
  by: serviceText,
  act: z.enum(MONTH_ACTS),
  subject: serviceText,
  note: serviceText,
  /** The other month in which it was done, if that changed what is open or decided here; `null` for this one. */
  otherMonth: month.nullable(),
})

const reviewSettings = z.object({
  percent: z.string().regex(/^\d{1,6}(?:\.\d{1,4})?$/),
  amount: z.string().regex(/^\d{1,15}(?:\.\d{1,4})?$/),
  /** Entries of at least this amount are listed; empty for none. */
  largeEntry: z.string().regex(/^(?:\d{1,15}(?:\.\d{1,4})?)?$/),
  emptyAccounts: z.array(z.string().trim().min(1).max(200)).max(200).readonly(),
})

/** Settings of a connection, or of one of its companies. The others are inherited. */
export const ownReviewSettings = reviewSettings.partial()

/** A rule and its outcome, in the words of the company's application. */
const ruleResult = z.object({
  rule,
  title: serviceText,
  why: serviceText,
  /** Where to find it in the application. */
  where: serviceText,
  result: z.enum(['found', 'clean', 'not-checked', 'off']),
  /** What was not checked, and why; or why it is off. */
  reasons: z.array(serviceText).readonly(),
  checkedAt: z.union([isoTime, z.literal('')]),
  /** How many requests **Check again** makes. */
  requests: count,
  accepted: z.enum(['while-same', 'this-month']),
  about: line,
  findings: z.array(finding.extend({ decision: findingDecision.nullable() })).readonly(),
})

const review = z.object({
  month: monthRow,
  /** Why the last **Check again** of an open month ended early; empty if it didn't. */
  notCheckedAgain: serviceText,
  readings: z.array(reading).readonly(),
  /** The reports of a closed month that could not be compared, and why. */
  notCompared: z.array(notCompared).readonly(),
  rules: z.array(ruleResult).readonly(),
})

/** A finding, and the amount that a decision applies to. */
const decided = z.strictObject({ ...ofMonth, key: z.string().min(1).max(10_000), amount })

export const reviewCalls = {
  /** The active companies of a connection, each with that month. */
  'months.list': call(
    z.strictObject({ connectionId: id, month }),
    z.object({ rows: z.array(monthRow).readonly(), progress: progress.nullable() }),
  ),
  /**
   * Reads what these months lack, one request at a time; with `again`, everything. Companies that don't respond come
   * last. Returns as soon as it has begun; `months.changed` reports the rest.
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
  /** Stops reading after the current request. */
  'months.stop': call(z.strictObject({ connectionId: id }), none),
  /** Stores exact copies, findings, and decisions. Writes nothing to the books. */
  'months.close': call(z.strictObject({ ...ofMonth, note }), monthRow),
  'months.reopen': call(z.strictObject({ ...ofMonth, note }), monthRow),
  /** What has changed since a month was closed. `requests`: how many it takes to read its reports again. */
  'months.changes': call(
    z.strictObject(ofMonth),
    z.object({
      month: monthRow,
      change: change.nullable(),
      notCompared: z.array(notCompared).readonly(),
      /** Why the last attempt to read all of its reports again failed; empty if it succeeded. */
      notRead: serviceText,
      /** Entries that are new or missing in the audit trail, if the application has one. */
      entries: z.array(finding).readonly(),
      entriesNotChecked: serviceText,
      closed: z.object({ version: count, by: serviceText, at: isoTime }).nullable(),
      requests: count,
    }),
  ),
  /** Stores the new state in place of the old one. Refused until its reports have been read again. */
  'months.acceptChange': call(z.strictObject({ ...ofMonth, note }), monthRow),
  /** Newest first. */
  'months.history': call(
    z.strictObject(ofMonth),
    z.object({
      events: z.array(monthEvent).readonly(),
      versions: z
        .array(z.object({ version: count, by: serviceText, at: isoTime, note: serviceText }))
        .readonly(),
    }),
  ),
  /** Saves the review pack of a closed month as it was closed, or of an open month as it is. */
  'months.savePack': call(z.strictObject({ ...ofMonth, format: z.enum(['pdf', 'xlsx']) }), savedFile),
  'review.findings': call(z.strictObject(ofMonth), review),
  /** Hides the finding until its amount or its problem changes, or in this month, as its rule says. */
  'review.accept': call(decided.extend({ note }), review),
  /** Hides the finding for this account, customer, vendor, or record in every month. */
  'review.never': call(decided.extend({ note }), review),
  /** Undoes a decision. */
  'review.undo': call(decided, review),
  /** Reads again what a rule needs, and the reports that would disagree with it. Returns as soon as it has begun. */
  'review.checkAgain': call(z.strictObject({ ...ofMonth, rule }), progress),
  /** `own` is what is set here; `effective` adds what it inherits from the connection or the program. */
  'review.settings': call(
    z.strictObject({ connectionId: id, endpointId: id.nullable() }),
    z.object({ own: ownReviewSettings, effective: reviewSettings }),
  ),
  /** Replaces the settings of a connection or of one of its companies, and reviews its open months again. */
  'review.setSettings': call(
    z.strictObject({ connectionId: id, endpointId: id.nullable(), own: ownReviewSettings }),
    none,
  ),
} as const

export const reviewEvents = {
  /** A company's month or the running read has changed. */
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
export type NotCompared = z.output<typeof notCompared>
export type OwnReviewSettings = z.output<typeof ownReviewSettings>
