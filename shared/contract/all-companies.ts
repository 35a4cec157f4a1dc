/**
 * Calls across all companies of a connection: searching kept lists, reading lists that aren't kept, and making one
 * change in several companies.
 */
import { z } from 'zod'
import { CONTACTS, ITEM_STATES, MAX_CHANGED } from '../runs.ts'
import {
  appErrorSchema,
  call,
  companyRef,
  count,
  editValue,
  id,
  isoTime,
  line,
  none,
  savedFile,
  serviceText,
  storedValue,
  text,
} from './parts.ts'
import { recordData } from './records.ts'

/** A record that was found, with the matching value. */
const hit = z.object({
  recordId: serviceText,
  name: serviceText,
  isActive: z.boolean(),
  path: serviceText,
  value: serviceText,
  /** If the value is its name: what else tells it from a record with the same name. May be empty. */
  contact: serviceText,
})

/** The matches in one list. */
const foundList = z.object({
  company: companyRef,
  object: serviceText,
  total: count,
  /** Whether there are more than `total`. */
  isMore: z.boolean(),
  /** The best first. */
  hits: z.array(hit).readonly(),
})

const COVERAGES = ['kept', 'old', 'not-kept', 'too-large'] as const

const coveredList = z.object({
  company: companyRef,
  object: serviceText,
  coverage: z.enum(COVERAGES),
  /** `null` if it isn't kept. */
  readAt: isoTime.nullable(),
  /**
   * When it was last read completely. Records that were deleted since then may still be in it. `null` if it isn't kept.
   */
  wholeAt: isoTime.nullable(),
  count,
})

/** **Read them now**, while it runs and until it is started again. */
const backgroundReading = z.object({
  total: count,
  done: count,
  isRunning: z.boolean(),
  /** The list that is being read. */
  now: z.object({ company: companyRef, object: serviceText }).nullable(),
  failed: z.array(z.object({ company: companyRef, object: serviceText, error: appErrorSchema })).readonly(),
})

/**
 * A list’s place in the order of company names. Lists may be added and deleted between two parts of an answer, so a
 * number wouldn’t say where to continue.
 */
export const listPosition = z.strictObject({ companyName: text, endpointId: id, object: line })

const connection = z.strictObject({ connectionId: id })

export const allCompaniesCalls = {
  /**
   * Searches the kept lists of all companies, list by list in the order of company names. Returns after a moment, even
   * if lists are left; `next` is what to continue after, or `null` after the last list.
   */
  'allCompanies.find': call(
    z.strictObject({ connectionId: id, text: line, after: listPosition.nullable() }),
    z.object({
      lists: z.array(foundList).readonly(),
      next: listPosition.nullable(),
      /** Searchable records, and lists that are still being indexed. */
      records: count,
      waiting: count,
    }),
  ),
  /** Which lists are kept, and how old they are. */
  'allCompanies.coverage': call(
    connection,
    z.object({
      lists: z.array(coveredList).readonly(),
      /** Companies whose lists are not kept because that is turned off. */
      notKept: z.array(companyRef).readonly(),
      /** Whether lists are kept at all. */
      isKeeping: z.boolean(),
      reading: backgroundReading.nullable(),
    }),
  ),
  /** **Read them now**: reads these lists in the background, one after another, and keeps them. */
  'allCompanies.read': call(
    z.strictObject({
      connectionId: id,
      lists: z
        .array(z.strictObject({ endpointId: id, object: line.min(1) }))
        .min(1)
        .max(10_000)
        .readonly(),
    }),
    none,
  ),
  'allCompanies.stopReading': call(connection, none),
} as const

export const allCompaniesEvents = {
  /** More lists can be searched, or **Read them now** has progressed. */
  'allCompanies.changed': z.object({ connectionId: id, reading: backgroundReading.nullable() }),
} as const

export type FoundList = z.output<typeof foundList>
export type ListPosition = z.output<typeof listPosition>
export type Hit = z.output<typeof hit>
export type CoveredList = z.output<typeof coveredList>
export type BackgroundReading = z.output<typeof backgroundReading>

// One change in several companies: comparing records, the drafts, sending them, and their outcomes.

/** A record to compare: as read, with what was saved from here since. */
const comparedRecord = z.object({
  recordId: serviceText,
  name: serviceText,
  isActive: z.boolean(),
  record: recordData,
  /** The value that a search found, unless it is the name. */
  matched: z.object({ path: serviceText, value: serviceText }).nullable(),
  /** Why it can't be changed here; empty if it can. */
  blockedReason: serviceText,
})

/** The requested records of one company. */
const comparedCompany = z.object({
  company: companyRef,
  /** When the list was read; `null` if it isn't kept. */
  readAt: isoTime.nullable(),
  /** As many of its records as fit. */
  records: z.array(comparedRecord).readonly(),
  /** How many records match. */
  total: count,
  /** Whether more may match than were counted: a search stops early, and a list that is too large isn't searched. */
  isMore: z.boolean(),
  /** Paths of the fields that metadata listed when the list was read; `null` if that isn't known. */
  supported: z.array(serviceText).readonly().nullable(),
  /** Why nothing can be changed in this company; empty if it can. */
  blockedReason: serviceText,
})

/** `draft`: nothing was sent yet. The others are as for runs of reports. */
const MULTI_COMPANY_CHANGE_STATES = ['draft', 'running', 'needs-you', 'stopped', 'finished'] as const

const plannedRecord = z.object({
  draftId: id,
  recordId: serviceText,
  recordName: serviceText,
  was: storedValue,
  /** Whether it was sent so long ago that the history no longer has it. */
  isTrimmed: z.boolean(),
  /** What the user reviewed here and sent. A draft or a batch with anything else isn't sent from here. */
  reviewed: z
    .array(z.object({ path: serviceText, now: storedValue }))
    .readonly()
    .optional(),
})

/** The records of one company. */
const changeItem = z.object({
  itemId: id,
  endpointId: id,
  state: z.enum(ITEM_STATES),
  error: appErrorSchema.nullable(),
  /** What the service may refuse; empty if nothing is known. */
  warning: serviceText,
  records: z.array(plannedRecord).readonly(),
})

const changeCompany = z.object({
  company: companyRef,
  companyName: line,
  application: line,
  applicationName: line,
  contact: z.enum(CONTACTS),
  contactError: appErrorSchema.nullable(),
})

/** A record or a whole company that is not changed, and why. */
const leftOut = z.object({
  endpointId: id,
  companyName: line,
  /** If empty, the whole company. */
  recordName: serviceText,
  /** The reason. Saved changes use this name. */
  reason: serviceText,
  /** For a whole company: how many of its records are concerned, if known. */
  records: count.exactOptional(),
})

/** A change in several companies, as stored. */
export const multiCompanyChange = z.object({
  changeId: id,
  connectionId: id,
  createdAt: isoTime,
  object: line,
  /** The field that gets the same value in every record. Empty for **Tidy up**, where each draft has its own edits. */
  path: line,
  now: editValue,
  state: z.enum(MULTI_COMPANY_CHANGE_STATES),
  error: appErrorSchema.nullable(),
  companies: z.array(changeCompany).readonly(),
  items: z.array(changeItem).readonly(),
  leftOut: z.array(leftOut).readonly(),
})

/**
 * The state of one record: a draft, gone (discarded elsewhere), trimmed (too old for the history), or its outcome in
 * the history.
 */
const RECORD_STATES = [
  'draft',
  'gone',
  'trimmed',
  'saved',
  'not-accepted',
  'not-confirmed',
  'decision',
  'changed-meanwhile',
  'discarded',
  'not-sent',
] as const

const shownRecord = z.object({
  ...plannedRecord.shape,
  /** The edits of its draft, or what was sent. Empty if it was discarded elsewhere. */
  edits: z.array(z.object({ path: serviceText, was: storedValue.nullable(), now: storedValue })).readonly(),
  state: z.enum(RECORD_STATES),
  /** Whether it was saved, but not as sent. */
  isSavedDifferently: z.boolean(),
  error: appErrorSchema.nullable(),
})

/** A change with the states of its records, for the window. */
export const shownChange = multiCompanyChange.extend({
  items: z.array(changeItem.extend({ records: z.array(shownRecord).readonly() })).readonly(),
})

const one = z.strictObject({ changeId: id })

/** Which records are compared: those with a name, those that a search finds, or those with a value in a field. */
const recordCriteria = z.discriminatedUnion('by', [
  z.strictObject({ by: z.literal('name'), text: line.min(1) }),
  z.strictObject({ by: z.literal('text'), text: line.min(1) }),
  z.strictObject({ by: z.literal('value'), path: line.min(1), value: editValue }),
])

export const multiCompanyChangeCalls = {
  /** Fields of a list, in all companies that keep it. */
  'multiCompanyChanges.fields': call(
    z.strictObject({ connectionId: id, object: line.min(1) }),
    z.object({ paths: z.array(serviceText).readonly() }),
  ),
  /** The values that a field has in all companies, the most frequent first. */
  'multiCompanyChanges.values': call(
    z.strictObject({ connectionId: id, object: line.min(1), path: line.min(1) }),
    z.object({
      values: z.array(z.object({ value: storedValue, count, companies: count })).readonly(),
      /** Whether there are more values. */
      isMore: z.boolean(),
    }),
  ),
  /** Records of one list in all companies, side by side. */
  'multiCompanyChanges.compare': call(
    z.strictObject({
      connectionId: id,
      object: line.min(1),
      criteria: recordCriteria,
      /** Endpoint IDs of companies that can't get the value. Their records use only the space that the others leave. */
      last: z.array(id).max(2_000).readonly().exactOptional(),
    }),
    z.object({
      companies: z.array(comparedCompany).readonly(),
      /** Companies whose lists are not kept because that is turned off. */
      notKept: z.array(companyRef).readonly(),
    }),
  ),
  /** Makes a draft of the same value in each of these records. Nothing is sent. */
  'multiCompanyChanges.draft': call(
    z.strictObject({
      connectionId: id,
      object: line.min(1),
      path: line.min(1),
      now: editValue,
      picks: z
        .array(z.strictObject({ endpointId: id, recordIds: z.array(id).min(1).max(MAX_CHANGED).readonly() }))
        .min(1)
        .max(2_000)
        .readonly(),
      /** Companies that were compared, or should have been, and get nothing. The change says why. */
      others: z
        .array(z.strictObject({ endpointId: id, records: count }))
        .max(2_000)
        .readonly()
        .exactOptional(),
    }),
    shownChange,
  ),
  /** Newest first. */
  'multiCompanyChanges.list': call(z.strictObject({ connectionId: id }), z.array(shownChange).readonly()),
  /** Sends some of its drafts, one company after another. The others stay drafts in their lists. */
  'multiCompanyChanges.send': call(
    z.strictObject({ changeId: id, draftIds: z.array(id).min(1).max(MAX_CHANGED).readonly() }),
    shownChange,
  ),
  /** Stops after the running request. */
  'multiCompanyChanges.stop': call(one, none),
  /** Resumes a change that was stopped. */
  'multiCompanyChanges.resume': call(one, none),
  /** The user's decision about a company that doesn't respond. */
  'multiCompanyChanges.answer': call(
    z.strictObject({ changeId: id, endpointId: id, answer: z.enum(['again', 'skip']) }),
    none,
  ),
  /** Discards the drafts that were not sent. */
  'multiCompanyChanges.discard': call(one, none),
  /** Removes it from the list. What was sent stays in the history. */
  'multiCompanyChanges.remove': call(one, none),
  /** Saves a receipt of everything that was sent, as a PDF. */
  'multiCompanyChanges.saveReceipt': call(one, savedFile),
} as const

export const multiCompanyChangeEvents = {
  /** The change, with only those of its records that have a new state. */
  'multiCompanyChanges.changed': shownChange,
} as const

export type MultiCompanyChange = z.output<typeof multiCompanyChange>
export type ChangeItem = z.output<typeof changeItem>
export type ShownChange = z.output<typeof shownChange>
export type ShownRecord = z.output<typeof shownRecord>
export type RecordCriteria = z.output<typeof recordCriteria>
export type ComparedCompany = z.output<typeof comparedCompany>
export type ComparedRecord = z.output<typeof comparedRecord>
export type LeftOut = z.output<typeof leftOut>
