/**
 * Each IPC call and event: its name, the schema of its input and of its answer. Checked at the main side; the
 * window takes the types alone. A call answers `Result<answer, AppError>`.
 *
 * To add a call: a line here, its name in `channels.ts`, a handler in `electron/app/`. The compiler asks for the rest.
 */
import { z } from 'zod'
import { sampleControlSchema, sampleStateSchema } from './contract-sample.ts'
import { ERROR_KINDS, type AppError } from './result.ts'

const id = z.string().min(1).max(200)
const line = z.string().max(2_000)
const text = z.string().max(100_000)
const isoTime = z.string().max(40)
/** `yyyy-mm-dd`. */
const isoDate = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)
const count = z.number().int().min(0)
const none = z.strictObject({})

const appErrorSchema: z.ZodType<AppError> = z.object({
  kind: z.enum(ERROR_KINDS),
  message: z.string(),
  advice: z.string(),
  details: z.object({
    code: z.string().exactOptional(),
    status: z.number().exactOptional(),
    raw: z.string().exactOptional(),
    requestId: z.string().exactOptional(),
    more: z.array(z.string()).readonly().exactOptional(),
  }),
})

// ---- connections

/** Address and key of one service. The key itself is never here. */
const connection = z.object({
  connectionId: id,
  name: line,
  /** `https://…` or a loopback address; the sample's is `sample:`. */
  address: line,
  /** The sample service inside the program. */
  isSample: z.boolean(),
  /** An `http` address on this computer: marked on screen. */
  isLoopback: z.boolean(),
  /** Where the key is: in the keychain, in memory for this run only, or nowhere (has to be given again). */
  key: z.enum(['keychain', 'memory', 'missing', 'not-needed']),
  /** Older service (v1); empty when there is none. */
  legacyAddress: line,
})

const companyRef = z.object({ connectionId: id, endpointId: id })

// ---- companies

export const BANDS = ['brick', 'ochre', 'moss', 'sea', 'azure', 'indigo', 'rose', 'graphite'] as const

const unfinished = z.object({
  drafts: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
})

/** What is ours about a company; kept on this computer. */
const companyNotes = z.object({
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
})

const company = companyNotes.extend({
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
})

const testOutcome = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('answered'), milliseconds: count, at: isoTime }),
  z.object({ outcome: z.literal('refused'), error: appErrorSchema, at: isoTime }),
  z.object({ outcome: z.literal('silent'), error: appErrorSchema, at: isoTime }),
])

/** One provisioning, from the click to the decision about the file. */
const provisioning = z.object({
  provisioningId: id,
  connectionId: id,
  application: line,
  userId: line,
  /** The file that the person named in step 3; may be empty online. */
  expectedFile: text,
  state: z.enum([
    /** In the queue; nothing has been sent. */
    'queued',
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
  /** It was in the list before: never offered for de-provisioning. */
  wasThereBefore: z.boolean(),
  error: appErrorSchema.nullable(),
})

const confirmation = z.object({
  what: z.enum(['answer', 'inactive-list', 'data-call']),
  result: z.enum(['confirmed', 'denied', 'unclear']),
  /** In words. */
  says: line,
  requestId: line,
  at: isoTime,
})

// ---- records

/** What a read asks for (specification 4.1). */
const recordsFilter = z.object({
  /** ISO 8601 with the machine's offset. */
  modifiedFrom: isoTime.nullable(),
  modifiedTo: isoTime.nullable(),
  ids: z.array(id).max(10_000).readonly(),
})

/** A list that was read and is held by the rows worker. */
const recordSet = z.object({
  setId: id,
  company: companyRef,
  object: line,
  filter: recordsFilter,
  count,
  /** The union of top-level member names over the records, first seen first, with the members of nested objects. */
  fields: z.array(z.object({ name: line, members: z.array(line).readonly() })).readonly(),
  readAt: isoTime,
  /** Known to be everything that was asked for. */
  isWhole: z.boolean(),
  /** Why not, in words; empty when whole. */
  partialBecause: line,
  pages: count,
  /** Errors that the service gave on single records, and others worth saying. */
  problems: z.array(appErrorSchema).readonly(),
  requestIds: z.array(z.string()).readonly(),
})

const fieldSupport = z.object({
  /** Field names that metadata lists for this company's application; `null` when it could not be read. */
  supported: z.array(line).readonly().nullable(),
  error: appErrorSchema.nullable(),
})

const reference = z.object({ ID: text, FullName: text })
const editValue = z.union([text, reference])
const fieldEdit = z.object({ path: line, was: editValue.nullable(), now: editValue })
const recordData = z.record(z.string(), z.unknown())

export const OPERATION_STATES = [
  'queued',
  'sending',
  'acked',
  'rejected',
  'unknown',
  'held',
  'conflict',
] as const

/** One field on which both sides differ: theirs, yours, as read. */
const difference = z.object({
  path: line,
  asRead: editValue.nullable(),
  theirs: editValue.nullable(),
  yours: editValue,
})

/** What became of one record that was sent. */
const operation = z.object({
  operationId: id,
  batchId: id,
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  recordId: line,
  recordName: line,
  state: z.enum(OPERATION_STATES),
  /** Sent in an earlier run and left in the queue: waits for the person. */
  waitsForPerson: z.boolean(),
  edits: z.array(fieldEdit).readonly(),
  queuedAt: isoTime,
  settledAt: isoTime.nullable(),
  lastLookedAt: isoTime.nullable(),
  looks: count,
  /** Confirmed by reading back instead of by the answer. */
  confirmedByReading: z.boolean(),
  /** ACKED, but these fields came back otherwise than sent. */
  notAsSent: z.array(difference).readonly(),
  /** CONFLICT: the fields on which both sides differ. */
  conflicts: z.array(difference).readonly(),
  /** REJECTED, or why it is not confirmed. */
  error: appErrorSchema.nullable(),
  /** The field that the refusal names, where it names one. */
  errorPath: line,
  requestId: line,
  /** The record as the service answered or as it was read back, once ACKED. */
  after: recordData.nullable(),
})

const draft = z.object({
  draftId: id,
  company: companyRef,
  object: line,
  kind: z.enum(['insert', 'change']),
  /** Empty for a new record. */
  recordId: line,
  /** The record as it was read when the first edit was made (new: empty). */
  before: recordData,
  edits: z.array(fieldEdit).readonly(),
  changedAt: isoTime,
  /** What became of it, when it was sent and is not done. */
  operation: operation.nullable(),
})

const batch = z.object({
  batchId: id,
  company: companyRef,
  object: line,
  phase: z.enum(['waiting', 'checking', 'sending', 'confirming', 'stopped', 'paused', 'done']),
  total: count,
  sent: count,
  saved: count,
  notAccepted: count,
  notConfirmed: count,
  decisions: count,
  changedMeanwhile: count,
  toGo: count,
  /** Why it is paused or stopped, in words. */
  error: appErrorSchema.nullable(),
})

// ---- reports

const reportChecks = z.object({
  held: count,
  findings: z
    .array(
      z.object({
        row: count,
        rowName: text,
        column: count,
        columnName: text,
        stated: line,
        computed: line,
        difference: line,
      }),
    )
    .readonly(),
  unchecked: z.array(line).readonly(),
})

const reportHead = z.object({
  reportId: id,
  name: line,
  reportType: line,
  from: isoDate,
  to: isoDate,
  startDate: line,
  endDate: line,
  nameColumn: text,
  columns: z.array(text).readonly(),
  rowCount: count,
  checks: reportChecks,
  madeAt: isoTime,
  requestId: line,
})

const savedFile = z.discriminatedUnion('saved', [
  z.object({ saved: z.literal(true), path: text, name: line, bytes: count }),
  z.object({ saved: z.literal(false) }),
])

// ---- activity

/** One request that waits or runs. */
const laneEntry = z.object({
  entryId: id,
  connectionId: id,
  /** The company's name here; empty when the request concerns none. */
  companyName: line,
  company: companyRef.nullable(),
  /** In words: *Reading customers*. */
  what: line,
  isWrite: z.boolean(),
  priority: z.enum(['person', 'batch']),
  state: z.enum(['waiting', 'running', 'let-go', 'backing-off']),
  queuedAt: isoTime,
  startedAt: isoTime.nullable(),
  /** When the answer must be there. */
  deadlineAt: isoTime.nullable(),
  attempt: count,
  attempts: count,
  /** Place in the queue, 1 is next; 0 when running. */
  position: count,
  /** Progress in words, e.g. *3 pages, 6,000 records*; empty when unknown. */
  progress: line,
})

const lane = z.object({
  connectionId: id,
  running: laneEntry.nullable(),
  waiting: z.array(laneEntry).readonly(),
  /** Shut until then, because something was let go of; `null` when open. */
  shutUntil: isoTime.nullable(),
  /** Paused, and why; `null` when it goes on by itself. */
  paused: appErrorSchema.nullable(),
  /** The last thing that was done, in words, with its time and duration. */
  last: z
    .object({ what: line, companyName: line, at: isoTime, milliseconds: count, ok: z.boolean() })
    .nullable(),
})

const logEntry = z.object({
  entryId: id,
  at: isoTime,
  connectionId: id,
  companyName: line,
  company: companyRef.nullable(),
  what: line,
  /** Method and path for Details; no query values that could be records. */
  method: line,
  path: text,
  isWrite: z.boolean(),
  outcome: z.enum(['answered', 'service-error', 'failed', 'let-go', 'stopped']),
  /** In words. */
  says: line,
  status: z.number().int().nullable(),
  milliseconds: count,
  bytes: count,
  requestId: line,
  batchId: line,
})

const unfinishedItem = z.object({
  company: companyRef,
  companyName: line,
  object: line,
  kind: z.enum([
    'draft',
    'not-accepted',
    'not-confirmed',
    'decision',
    'changed-meanwhile',
    'queued',
    'provisioning',
  ]),
  count,
  since: isoTime,
  provisioningId: line,
})

// ---- settings

const settings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  negatives: z.enum(['minus', 'brackets']),
  /** Deadlines in seconds (decisions.md). */
  readSeconds: z.number().int().min(5).max(3_600),
  writeSeconds: z.number().int().min(5).max(3_600),
  provisionSeconds: z.number().int().min(5).max(7_200),
  reportSeconds: z.number().int().min(5).max(7_200),
  /** Pause after something was let go of, in seconds. */
  settleSeconds: z.number().int().min(0).max(600),
  /** Pause between the two looks for an insert, in seconds. */
  lookAgainSeconds: z.number().int().min(0).max(3_600),
  /** Largest batch of a write. */
  batchSize: z.number().int().min(1).max(500),
  /** Largest answer in MiB. */
  answerMebibytes: z.number().int().min(1).max(2_000),
  markWithExternalId: z.boolean(),
  pageParameter: z.string().regex(/^[A-Za-z_][A-Za-z0-9_.-]{0,39}$/),
  dataSchemaVersion: z.string().max(40),
  reportSchemaVersion: z.string().max(40),
  /** PEM file of further certificates; empty: none. */
  certificateFile: text,
  historyDays: z.number().int().min(1).max(3_650),
  /** Column choice, order and width per list, as the records screen keeps them. */
  columnStates: z.record(z.string().max(100), z.unknown()),
  lastCompany: companyRef.nullable(),
})

const about = z.object({
  version: line,
  electronVersion: line,
  userData: text,
  isChromiumHost: z.boolean(),
  platform: line,
  /** BCP 47, of the machine. */
  locale: line,
  /** Settings that were damaged and set aside, a newer database, and the like: said once at the start. */
  notices: z.array(appErrorSchema).readonly(),
})

/** A call: the schema of its input and of its answer. */
interface Call<Input extends z.ZodType, Answer extends z.ZodType> {
  readonly input: Input
  readonly answer: Answer
}

function call<Input extends z.ZodType, Answer extends z.ZodType>(
  input: Input,
  answer: Answer,
): Call<Input, Answer> {
  return { input, answer }
}

/** Bytes of a JSON array in UTF-8; the window parses each piece. */
const jsonBytes = z.instanceof(Uint8Array)

export const CALLS = {
  'app.about': call(none, about),
  'app.openLink': call(z.strictObject({ link: z.enum(['guide', 'support']) }), none),
  'app.showFile': call(z.strictObject({ path: text }), none),

  'connection.list': call(
    none,
    z.object({
      connections: z.array(connection).readonly(),
      currentId: id.nullable(),
      /** Whether this computer's keychain can be used; if not, keys live in memory for this run only. */
      keychain: z.object({ available: z.boolean(), because: line }),
    }),
  ),
  /** The key's one way in. It waits in memory until `connection.connect` has tested it. */
  'connection.setKey': call(z.strictObject({ connectionId: id, key: z.string().min(1).max(4_096) }), none),
  /** Tests address and key by listing the companies, and saves the connection only when that works. */
  'connection.connect': call(
    z.strictObject({ connectionId: id, name: line, address: line }),
    z.object({ connection, companies: count }),
  ),
  'connection.useSample': call(none, z.object({ connection })),
  'connection.select': call(z.strictObject({ connectionId: id }), none),
  'connection.remove': call(z.strictObject({ connectionId: id }), none),
  'connection.resetSample': call(none, none),

  /** As known; nothing is asked of the service. */
  'companies.list': call(z.strictObject({ connectionId: id }), companyList),
  /** Asks the service for all of them. */
  'companies.refresh': call(z.strictObject({ connectionId: id }), companyList),
  'companies.annotate': call(z.strictObject({ company: companyRef, notes: companyNotes.partial() }), company),
  'companies.opened': call(z.strictObject({ company: companyRef }), none),
  'companies.test': call(z.strictObject({ company: companyRef }), testOutcome),
  'companies.copyToken': call(z.strictObject({ company: companyRef }), z.object({ clearsInSeconds: count })),
  'companies.clearToken': call(none, none),
  'companies.createUser': call(z.strictObject({ connectionId: id }), z.object({ userId: line })),
  /** Answers as soon as it is journalled; follow it by `companies.changed` and `companies.provisionings`. */
  'companies.provision': call(
    z.strictObject({ connectionId: id, application: line, userId: line, expectedFile: text }),
    provisioning,
  ),
  'companies.provisionings': call(z.strictObject({ connectionId: id }), z.array(provisioning).readonly()),
  'companies.stopWaiting': call(z.strictObject({ provisioningId: id }), provisioning),
  'companies.lookForProvisioned': call(z.strictObject({ provisioningId: id }), provisioning),
  /** The person's word on step 5, or giving it up. */
  'companies.decideProvisioning': call(
    z.strictObject({ provisioningId: id, decision: z.enum(['keep', 'not-the-right-file', 'drop']) }),
    provisioning,
  ),
  'companies.deprovision': call(
    z.strictObject({ company: companyRef, typedName: text }),
    z.object({ confirmations: z.array(confirmation).readonly(), isDeprovisioned: z.boolean() }),
  ),

  'records.open': call(
    z.strictObject({ company: companyRef, object: line.min(1), filter: recordsFilter }),
    recordSet,
  ),
  /** Stops the read of a list; what came is kept as partial. */
  'records.stop': call(z.strictObject({ company: companyRef, object: line }), none),
  'records.rows': call(z.strictObject({ setId: id, from: count, count: count.max(10_000) }), jsonBytes),
  'records.close': call(z.strictObject({ setId: id }), none),
  'records.support': call(z.strictObject({ company: companyRef, object: line.min(1) }), fieldSupport),
  'records.drafts': call(z.strictObject({ company: companyRef, object: line }), z.array(draft).readonly()),
  /** Saves one record's edits at once; no edits takes the draft away. */
  'records.saveDraft': call(
    z.strictObject({
      draftId: id,
      company: companyRef,
      object: line.min(1),
      kind: z.enum(['insert', 'change']),
      recordId: line,
      before: recordData,
      edits: z.array(fieldEdit).max(1_000).readonly(),
    }),
    z.object({ draft: draft.nullable() }),
  ),
  'records.discardDrafts': call(
    z.strictObject({ company: companyRef, draftIds: z.array(id).max(100_000).readonly() }),
    none,
  ),
  'records.send': call(
    z.strictObject({
      company: companyRef,
      object: line.min(1),
      draftIds: z.array(id).min(1).max(100_000).readonly(),
    }),
    batch,
  ),
  'records.batches': call(z.strictObject({ company: companyRef, object: line }), z.array(batch).readonly()),
  'records.stopBatch': call(z.strictObject({ batchId: id }), batch),
  /** Goes on with what waits for the person (queued in an earlier run, or paused). */
  'records.resumeBatch': call(z.strictObject({ batchId: id }), batch),
  'records.checkNow': call(
    z.strictObject({ company: companyRef, operationIds: z.array(id).max(10_000).readonly() }),
    none,
  ),
  'records.decide': call(
    z.strictObject({
      operationId: id,
      decision: z.discriminatedUnion('what', [
        /** HELD only, after one more look. */
        z.object({ what: z.literal('send-again') }),
        z.object({ what: z.literal('discard') }),
        /** CONFLICT: per path whose value stands; `theirs` drops that edit. */
        z.object({ what: z.literal('choose'), choices: z.record(line, z.enum(['theirs', 'yours'])) }),
        /** "Saved, but not as sent" was seen. */
        z.object({ what: z.literal('seen') }),
      ]),
    }),
    none,
  ),
  'records.history': call(
    z.strictObject({ company: companyRef, object: line, recordId: line, limit: count.max(1_000) }),
    z.array(operation).readonly(),
  ),

  'reports.select': call(
    z.strictObject({ company: companyRef, name: line.min(1), from: isoDate, to: isoDate }),
    reportHead,
  ),
  'reports.rows': call(z.strictObject({ reportId: id, from: count, count: count.max(10_000) }), jsonBytes),
  'reports.close': call(z.strictObject({ reportId: id }), none),
  'reports.saveCsv': call(
    z.strictObject({ reportId: id, shape: z.enum(['as-shown', 'flat']), hideZeroRows: z.boolean() }),
    savedFile,
  ),
  'reports.saveChart': call(
    z.strictObject({ reportId: id, format: z.enum(['svg', 'png']), bytes: z.instanceof(Uint8Array) }),
    savedFile,
  ),

  'activity.lanes': call(none, z.array(lane).readonly()),
  'activity.log': call(
    z.strictObject({ connectionId: id.nullable(), before: isoTime.nullable(), limit: count.max(1_000) }),
    z.array(logEntry).readonly(),
  ),
  'activity.unfinished': call(z.strictObject({ connectionId: id }), z.array(unfinishedItem).readonly()),
  /** Waiting: taken out of the queue. Running: let go of; the lane stays shut until it is safe. */
  'activity.stop': call(z.strictObject({ entryId: id }), none),
  'activity.pause': call(z.strictObject({ connectionId: id }), none),
  'activity.resume': call(z.strictObject({ connectionId: id }), none),

  /** How the sample stands; an error while another connection is in use. */
  'sample.state': call(none, sampleStateSchema),
  /** Changes the desks of the sample; answers how it stands then. */
  'sample.control': call(sampleControlSchema, sampleStateSchema),

  'settings.get': call(none, settings),
  'settings.set': call(settings.partial(), settings),
} as const

export const EVENTS = {
  /** What runs and waits has changed. */
  'activity.changed': z.object({ lanes: z.array(lane).readonly() }),
  /** The list, a label, a count of unfinished, or a provisioning of this connection has changed. */
  'companies.changed': z.object({ connectionId: id }),
  /** Connections were added, removed or chosen. */
  'connections.changed': z.object({}),
  /** Operations of a list have changed: each row's outcome. */
  'records.changed': z.object({
    company: companyRef,
    object: line,
    operations: z.array(operation).readonly(),
    batch: batch.nullable(),
  }),
  /** A read goes on. */
  'records.progress': z.object({
    company: companyRef,
    object: line,
    records: count,
    pages: count,
    bytes: count,
  }),
  'settings.changed': settings,
  /** A command from the application menu. */
  'window.command': z.object({
    command: z.enum(['palette', 'shortcuts', 'settings', 'add-company', 'refresh']),
  }),
} as const

export type CallName = keyof typeof CALLS
export type CallInput<Name extends CallName> = z.input<(typeof CALLS)[Name]['input']>
/** The input as a handler gets it, after the check. */
export type CheckedInput<Name extends CallName> = z.output<(typeof CALLS)[Name]['input']>
export type CallAnswer<Name extends CallName> = z.output<(typeof CALLS)[Name]['answer']>
export type EventName = keyof typeof EVENTS
export type EventPayload<Name extends EventName> = z.output<(typeof EVENTS)[Name]>

export type Band = (typeof BANDS)[number]
export type OperationState = (typeof OPERATION_STATES)[number]
export type Connection = z.output<typeof connection>
export type CompanyRef = z.output<typeof companyRef>
export type CompanyNotes = z.output<typeof companyNotes>
export type Company = z.output<typeof company>
export type TestOutcome = z.output<typeof testOutcome>
export type Provisioning = z.output<typeof provisioning>
export type Confirmation = z.output<typeof confirmation>
export type RecordsFilter = z.output<typeof recordsFilter>
export type RecordSet = z.output<typeof recordSet>
export type FieldSupport = z.output<typeof fieldSupport>
export type Operation = z.output<typeof operation>
export type Difference = z.output<typeof difference>
export type Draft = z.output<typeof draft>
export type Batch = z.output<typeof batch>
export type SavedFile = z.output<typeof savedFile>
export type LaneEntry = z.output<typeof laneEntry>
export type Lane = z.output<typeof lane>
export type LogEntry = z.output<typeof logEntry>
export type UnfinishedItem = z.output<typeof unfinishedItem>
export type Unfinished = z.output<typeof unfinished>
export type Settings = z.output<typeof settings>
export type About = z.output<typeof about>

export const settingsSchema = settings
