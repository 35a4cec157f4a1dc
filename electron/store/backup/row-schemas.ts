/**
 * The valid rows of each table, for checking a restored backup. Other input is checked where it enters the program. A
 * restored row may contain only what could have entered there.
 */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { logEntry } from '../../../shared/contract/activity.ts'
import { multiCompanyChange } from '../../../shared/contract/all-companies.ts'
import {
  company,
  companyNotes,
  confirmation,
  deprovisioning,
  provisioning,
  setupDraft,
} from '../../../shared/contract/companies.ts'
import { columnMapping } from '../../../shared/contract/import.ts'
import { appErrorSchema, companyRef, id, isoTime, line, text } from '../../../shared/contract/parts.ts'
import { difference, fieldEdit, OPERATION_STATES, recordData } from '../../../shared/contract/records.ts'
import { reportRun } from '../../../shared/contract/report-runs.ts'
import { reportHead } from '../../../shared/contract/reports.ts'
import {
  findingDecision,
  keptMonth,
  keptOutcome,
  keptVersion,
  month,
  MONTH_STATES,
  monthEvent,
  ownReviewSettings,
} from '../../../shared/contract/review.ts'

/** Text of any length. SQLite limits the length when it reads the text (`openUntrusted`). */
const anyText = z.string()
const flag = z.union([z.literal(0), z.literal(1)])
/** More than anyone has, and far below the largest safe integer. */
const amount = z
  .int()
  .min(0)
  .max(2 ** 40)
const digest = z.int().min(0).max(0xffff_ffff).nullable()
const time = isoTime.refine((at) => !Number.isNaN(Date.parse(at)))
const timeOrNone = z.union([time, z.literal('')])
const idOrNone = z.union([id, z.literal('')])
const kind = z.enum(['insert', 'change'])

/** No response of a service nests this deep, and SQLite doesn't parse JSON that nests much deeper. */
const DEEPEST = 100

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return most === 0 || Object.values(value).some((member) => isDeeper(member, most - 1))
}

/** A column of JSON. */
function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((source, context): unknown => {
      try {
        const value: unknown = JSON.parse(source)
        if (!isDeeper(value, DEEPEST)) return value
      } catch {
        // The issue below reports it.
      }
      context.addIssue({ code: 'custom', message: 'no JSON' })
      return z.NEVER
    })
    .pipe(schema)
}

const texts = json(z.array(z.string()))
const error = json(appErrorSchema).nullable()
const ofConnection = { connection_id: id }
const ofCompany = { connection_id: id, endpoint_id: id }
const ofList = { ...ofCompany, object: line.min(1) }

/** At most one edit per path, as users make them. */
const edits = json(
  z
    .array(fieldEdit)
    .max(1_000)
    .refine((list) => new Set(list.map(({ path }) => path)).size === list.length),
)

const listing = company
  .omit({ ...mask(companyNotes.shape), unfinished: true, isListed: true, openedAt: true })
  .extend({ application: line, applicationName: line })

function mask<Shape extends object>(shape: Shape): { [name in keyof Shape]: true } {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true])) as { [name in keyof Shape]: true }
}

const journalProvisioning = z.object({
  value: provisioning,
  listBefore: z.object({ active: z.array(id), inactive: z.array(id), isWhole: z.boolean() }).nullable(),
  rechecks: amount,
  draftBegunAt: line.nullable(),
  again: id.nullable(),
  askedAbout: z.array(id),
})

const journalDeprovisioning = deprovisioning.extend({
  known: z.object({
    companyName: line,
    label: line,
    applicationName: line,
    fullPath: text,
    userId: line,
    sentBy: z.enum(['v2', 'v1']),
  }),
  company: companyRef,
  confirmations: z.array(confirmation),
  error: appErrorSchema.nullable(),
})

const userCreation = z.object({
  creationId: id,
  connectionId: id,
  state: z.enum(['sending', 'done', 'held', 'refused', 'not-sent']),
  sentAt: time,
  userId: line,
  error: appErrorSchema.nullable(),
})

const ofMonth = { ...ofCompany, month }
const bytes = z.instanceof(Uint8Array)
/** The head of a report. A list has none. */
const copyHead = z.union([z.strictObject({}), reportHead.omit({ reportId: true })])
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

const importCell = z.union([
  z.string(),
  z.boolean(),
  z.strictObject({ number: z.string(), shown: z.string().exactOptional() }),
  z.strictObject({ date: z.string() }),
  z.strictObject({ error: z.string() }),
])

/** Some columns repeat what the row's JSON says, for SQL. Both must agree. */
function repeating<T extends z.ZodType>(
  schema: T,
  pairs: (row: z.output<T>) => readonly (readonly [column: unknown, inJson: unknown])[],
) {
  return schema.refine((row) => pairs(row).every(([column, inJson]) => column === inJson))
}

/** The schema of each table, with all columns; `null` for tables that are not restored. */
const ROWS: Readonly<Record<string, z.ZodType | null>> = {
  companies: repeating(
    z.strictObject({
      ...ofCompany,
      listing: json(listing),
      notes: json(companyNotes),
      label: line,
      full_path: text,
      is_listed: flag,
      opened_at: timeOrNone,
      annotated_at: timeOrNone,
    }),
    (row) => [
      [row.connection_id, row.listing.ref.connectionId],
      [row.endpoint_id, row.listing.ref.endpointId],
      [row.label, row.notes.label],
      [row.full_path, row.listing.fullPath],
    ],
  ),
  listings: z.strictObject({ ...ofConnection, read_at: timeOrNone, is_whole: flag }),
  drafts: z
    .strictObject({
      ...ofList,
      draft_id: id,
      kind,
      record_id: line,
      before: json(recordData),
      edits: edits.refine((list) => list.length > 0),
      changed_at: time,
      operation_id: id.nullable(),
      undoes: idOrNone,
      is_stale: flag,
    })
    // A changed record has an ID, and a new one has none.
    .refine((row) => (row.kind === 'insert') === (row.record_id === '')),
  batches: z.strictObject({
    ...ofList,
    batch_id: id,
    queued_at: time,
    status: z.enum(['open', 'paused', 'stopped']),
    error,
    baseline_id: line,
    sent_by: line,
    first_sent_at: time.nullable(),
    last_sent_at: time.nullable(),
  }),
  operations: z
    .strictObject({
      ...ofList,
      operation_id: id,
      batch_id: id,
      draft_id: id,
      position: amount,
      kind,
      record_id: z.string(),
      record_name: anyText,
      full_name: anyText,
      external_id: line,
      state: z.enum(OPERATION_STATES),
      is_closed: flag,
      send_again: flag,
      before: json(recordData),
      edits,
      queued_at: time,
      settled_at: time.nullable(),
      first_rechecked_at: time.nullable(),
      last_rechecked_at: time.nullable(),
      rechecks: amount,
      confirmed_by_reading: flag,
      not_as_sent: json(z.array(difference)),
      conflicts: json(z.array(difference)),
      theirs: json(recordData).nullable(),
      error,
      error_path: anyText,
      request_id: anyText,
      after: json(recordData).nullable(),
      undoes: idOrNone,
      namesakes: texts,
      is_known_by_name: flag,
      before_sending: json(recordData).nullable(),
      previous_service: line,
      candidates: json(z.array(recordData)),
      dismissed: texts,
      recheck_at: time.nullable(),
      saved_order: amount.nullable(),
      digest,
    })
    .refine((row) => row.kind === 'insert' || row.record_id !== ''),
  requests: z.strictObject({
    connection_id: id,
    endpoint_id: idOrNone,
    object: line,
    request_key: id,
    batch_id: idOrNone,
    kind: z.enum(['insert', 'change', 'provision', 'deprovision', 'legacy-deprovision', 'create-user']),
    body: anyText,
    sent_at: time,
    responded_at: time.nullable(),
    outcome: z.enum(['answered', 'refused-key', 'not-sent', 'uncertain']).nullable(),
    status: z.int().nullable(),
    request_id: anyText,
    error,
    response: anyText.nullable(),
    returned_ids: texts,
    digest,
  }),
  attempts: z.strictObject({
    operation_id: id,
    request_key: id,
    position: amount,
    response: anyText.nullable(),
    digest,
  }),
  write_policies: z.strictObject({
    ...ofConnection,
    application: line,
    object: line,
    kind,
    stage: amount,
    is_proven: flag,
    is_stopped: flag,
    learned: json(z.object({})),
  }),
  trusted_external_ids: z.strictObject({ ...ofConnection, application: line, object: line, seen_at: time }),
  provisionings: repeating(
    z.strictObject({
      provisioning_id: id,
      ...ofConnection,
      state: line,
      is_closed: flag,
      queued_at: time,
      value: json(journalProvisioning),
      previous_service: line,
      sent_by: line,
    }),
    ({ value: { value }, ...row }) => [
      [row.provisioning_id, value.provisioningId],
      [row.connection_id, value.connectionId],
      [row.state, value.state],
      [row.queued_at, value.queuedAt],
    ],
  ),
  user_creations: repeating(
    z.strictObject({
      creation_id: id,
      ...ofConnection,
      state: line,
      sent_at: time,
      value: json(userCreation),
      sent_by: line,
    }),
    ({ value, ...row }) => [
      [row.creation_id, value.creationId],
      [row.connection_id, value.connectionId],
      [row.state, value.state],
      [row.sent_at, value.sentAt],
    ],
  ),
  deprovisionings: repeating(
    z.strictObject({
      deprovisioning_id: id,
      ...ofCompany,
      state: line,
      sent_at: time,
      value: json(journalDeprovisioning),
      previous_service: line,
      sent_by: line,
    }),
    ({ value, ...row }) => [
      [row.deprovisioning_id, value.deprovisioningId],
      [row.connection_id, value.company.connectionId],
      [row.endpoint_id, value.company.endpointId],
      [row.state, value.state],
      [row.sent_at, value.sentAt],
    ],
  ),
  blocked_queues: null,
  request_log: z.strictObject({
    entry_id: id,
    at: time,
    ...ofConnection,
    value: json(logEntry),
    size: amount,
    is_begun: flag,
  }),
  setup_drafts: z.strictObject({ ...ofConnection, value: json(setupDraft) }),
  operation_words: z.strictObject({ operation_id: id, batch_id: id, words: anyText }),
  import_mappings: z.strictObject({
    object: line.min(1),
    headings: text,
    mapping: json(columnMapping),
  }),
  saved_mappings: z.strictObject({
    object: line.min(1),
    name: line.min(1).max(80),
    mapping: json(columnMapping),
  }),
  imports: z.strictObject({
    ...ofList,
    import_id: id,
    file: line,
    file_name: line,
    imported_at: time,
    headings: texts,
  }),
  imported_rows: z.strictObject({
    import_id: id,
    row: amount,
    fingerprint: line,
    draft_id: id,
    kind,
    cells: z.union([z.literal(''), json(z.array(importCell))]),
    is_saved: flag,
  }),
  report_runs: repeating(
    z.strictObject({ run_id: id, ...ofConnection, created_at: time, value: json(reportRun) }),
    ({ value, ...row }) => [
      [row.run_id, value.runId],
      [row.connection_id, value.connectionId],
      [row.created_at, value.createdAt],
    ],
  ),
  multi_company_changes: repeating(
    z.strictObject({ change_id: id, ...ofConnection, created_at: time, value: json(multiCompanyChange) }),
    ({ value, ...row }) => [
      [row.change_id, value.changeId],
      [row.connection_id, value.connectionId],
      [row.created_at, value.createdAt],
    ],
  ),
  report_run_heads: null,
  report_run_parts: null,
  report_sets: z.strictObject({
    name: line.min(1),
    reports: json(z.array(line.min(1)).min(1).max(60)),
    position: amount,
  }),
  months: z.strictObject({ ...ofMonth, state: z.enum(MONTH_STATES), value: json(keptMonth) }),
  month_outcomes: z.strictObject({ ...ofMonth, value: json(z.array(keptOutcome)) }),
  month_copies: z.strictObject({ ...ofMonth, copy_id: id, head: json(copyHead), digest: sha256 }),
  month_copy_parts: z.strictObject({ ...ofCompany, copy_id: id, part: amount, rows: bytes }),
  month_versions: z.strictObject({
    ...ofMonth,
    version: amount.min(1),
    copies: json(z.array(id)),
    value: json(keptVersion),
  }),
  month_events: z.strictObject({ ...ofMonth, value: json(monthEvent) }),
  review_decisions: z.strictObject({
    ...ofCompany,
    finding_key: anyText,
    amount: line,
    value: json(findingDecision.extend({ endedIn: z.array(month) })),
  }),
  review_settings: z.strictObject({
    ...ofConnection,
    endpoint_id: idOrNone,
    value: json(ownReviewSettings),
  }),
  service_addresses: z.strictObject({ ...ofConnection, service: z.enum(['v2', 'v1']), address: line }),
  baselines: z.strictObject({
    ...ofList,
    baseline_id: id,
    records: json(z.array(z.tuple([z.string(), z.string()]))),
  }),
  saves: null,
  lineage: z.strictObject({ generation: id, sequence: amount, is_witnessed: flag, is_restored: flag }),
}

/** Tables that are not restored. */
export const NOT_RESTORED: ReadonlySet<string> = new Set(
  Object.keys(ROWS).filter((table) => ROWS[table] === null),
)

/** Describes the first invalid row, or returns `null`. */
export function findInvalidRow(database: DatabaseSync): string | null {
  for (const { name } of database.prepare('PRAGMA main.table_list').all()) {
    const table = String(name)
    if (table.startsWith('sqlite_')) continue
    const schema = ROWS[table]
    if (schema === undefined) return `${table}: not known`
    if (schema === null) continue
    for (const row of database.prepare(`SELECT * FROM main."${table}"`).iterate()) {
      const parsed = schema.safeParse(row)
      if (parsed.success) continue
      const [issue] = parsed.error.issues
      return `${table}: ${(issue?.path ?? []).join('.')}: ${issue?.message ?? ''}`
    }
  }
  return null
}
