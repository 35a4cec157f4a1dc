/**
 * What each row of the database may say, for rows that come from elsewhere. What a person, a call, or the service gives
 * is checked where it comes in; a restored row has to say nothing that could not have come in there.
 */
import type { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { logEntry } from '../../shared/contract/activity.ts'
import {
  company,
  companyNotes,
  confirmation,
  deprovisioning,
  provisioning,
  visit,
} from '../../shared/contract/companies.ts'
import { rememberedChoice } from '../../shared/contract/import.ts'
import { appErrorSchema, companyRef, count, id, isoTime, line } from '../../shared/contract/parts.ts'
import { difference, fieldEdit, OPERATION_STATES, recordData } from '../../shared/contract/records.ts'
import { reportJob } from '../../shared/contract/report-jobs.ts'
import { reportHead } from '../../shared/contract/reports.ts'

/** Characters of a text: of a request's body, and of an answer that is kept. */
const anyText = z.string().max(100_000_000)
const flag = z.union([z.literal(0), z.literal(1)])
const whole = z.int()
const time = isoTime.refine((text) => !Number.isNaN(Date.parse(text)))
const timeOrNone = z.union([time, z.literal('')])

/** A column of JSON. */
function json<T extends z.ZodType>(schema: T) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text)
      } catch {
        context.addIssue({ code: 'custom', message: 'no JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}

const texts = json(z.array(z.string()))
const error = json(appErrorSchema).nullable()
const ofConnection = { connection_id: id }
const ofCompany = { connection_id: id, endpoint_id: id }
const ofList = { ...ofCompany, object: line.min(1) }

/** A record to be changed has an ID, and a new one has none: the wrong one of both would be sent to the wrong record. */
const isOneKind = ({ kind, record_id: recordId }: { kind: string; record_id: string }): boolean =>
  kind === 'insert' || recordId !== ''

const listing = company
  .omit({ ...mask(companyNotes.shape), unfinished: true, isListed: true, openedAt: true })
  .extend({ application: line, applicationName: line })

function mask<Shape extends object>(shape: Shape): { [name in keyof Shape]: true } {
  return Object.fromEntries(Object.keys(shape).map((name) => [name, true])) as { [name in keyof Shape]: true }
}

const journalProvisioning = z.object({
  value: provisioning,
  listBefore: z.object({ active: z.array(id), inactive: z.array(id), isWhole: z.boolean() }).nullable(),
  looks: count,
  visit: line.nullable(),
  again: id.nullable(),
  askedAbout: z.array(id),
})

const journalDeprovisioning = deprovisioning.extend({
  known: z.object({
    companyName: z.string(),
    label: z.string(),
    applicationName: z.string(),
    fullPath: z.string(),
    userId: z.string(),
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

/** By table; `null` for what no row of another computer is taken from. Columns that are not named hold plain texts. */
const ROWS: Readonly<Record<string, z.ZodType | null>> = {
  companies: z
    .looseObject({
      ...ofCompany,
      listing: json(listing),
      notes: json(companyNotes),
      is_listed: flag,
      opened_at: timeOrNone,
      annotated_at: z.string(),
    })
    .refine(
      (row) =>
        row.listing.ref.connectionId === row.connection_id && row.listing.ref.endpointId === row.endpoint_id,
    ),
  listings: z.looseObject({ ...ofConnection, read_at: timeOrNone, is_whole: flag }),
  drafts: z
    .looseObject({
      ...ofList,
      draft_id: id,
      kind: z.enum(['insert', 'change']),
      record_id: z.string(),
      before: json(recordData),
      edits: json(z.array(fieldEdit).min(1)),
      changed_at: time,
      operation_id: id.nullable(),
      is_from_before: flag,
    })
    .refine((row) => (row.kind === 'insert') === (row.record_id === '')),
  batches: z.looseObject({
    ...ofList,
    batch_id: id,
    queued_at: time,
    status: z.enum(['open', 'paused', 'stopped']),
    error,
    baseline_id: line,
  }),
  operations: z
    .looseObject({
      ...ofList,
      operation_id: id,
      batch_id: id,
      draft_id: id,
      position: whole,
      kind: z.enum(['insert', 'change']),
      record_id: z.string(),
      state: z.enum(OPERATION_STATES),
      is_closed: flag,
      send_again: flag,
      before: json(recordData),
      edits: json(z.array(fieldEdit)),
      queued_at: time,
      settled_at: time.nullable(),
      first_looked_at: time.nullable(),
      last_looked_at: time.nullable(),
      looks: count,
      confirmed_by_reading: flag,
      not_as_sent: json(z.array(difference)),
      conflicts: json(z.array(difference)),
      theirs: json(recordData).nullable(),
      error,
      after: json(recordData).nullable(),
      namesakes: texts,
      is_known_by_name: flag,
      fresh: json(recordData).nullable(),
      candidates: json(z.array(recordData)),
      dismissed: texts,
      recheck_at: time.nullable(),
    })
    .refine(isOneKind),
  requests: z.looseObject({
    connection_id: id,
    request_key: id,
    body: anyText,
    sent_at: time,
    answered_at: time.nullable(),
    outcome: z.enum(['answered', 'refused-key', 'not-sent', 'in-doubt']).nullable(),
    status: whole.nullable(),
    error,
    answer: anyText.nullable(),
    told_ids: texts,
  }),
  attempts: z.looseObject({ operation_id: id, request_key: id, position: whole, answer: anyText.nullable() }),
  manners: z.looseObject({
    ...ofConnection,
    kind: z.enum(['insert', 'change']),
    stage: count,
    is_proven: flag,
    is_stopped: flag,
    learned: json(z.object({})),
  }),
  trusted_marks: z.looseObject({ ...ofConnection, seen_at: time }),
  provisionings: z.looseObject({ ...ofConnection, queued_at: time, value: json(journalProvisioning) }),
  user_creations: z.looseObject({ ...ofConnection, sent_at: time, value: json(userCreation) }),
  deprovisionings: z.looseObject({ ...ofCompany, sent_at: time, value: json(journalDeprovisioning) }),
  lanes: null,
  request_log: z.looseObject({ entry_id: id, at: time, value: json(logEntry), size: count, is_begun: flag }),
  visits: z.looseObject({ ...ofConnection, value: json(visit) }),
  operation_words: z.looseObject({ operation_id: id, batch_id: id }),
  import_mappings: z.looseObject({ choices: json(z.array(rememberedChoice)) }),
  imports: z.looseObject({ ...ofList, import_id: id, imported_at: time, headings: texts }),
  imported_rows: z.looseObject({
    import_id: id,
    row: count,
    draft_id: id,
    kind: z.enum(['insert', 'change']),
    cells: z.union([z.literal(''), json(z.array(z.unknown()))]),
    is_saved: flag,
  }),
  report_jobs: z.looseObject({ job_id: id, ...ofConnection, created_at: time, value: json(reportJob) }),
  report_job_heads: z.looseObject({ job_id: id, item_id: id, value: json(reportHead) }),
  report_job_parts: z.looseObject({ job_id: id, item_id: id, part: count, rows: z.instanceof(Uint8Array) }),
  report_sets: z.looseObject({ name: line.min(1), reports: json(z.array(line.min(1)).min(1).max(60)) }),
  places: z.looseObject({ ...ofConnection, service: z.enum(['v2', 'v1']), address: line }),
  baselines: z.looseObject({
    ...ofList,
    baseline_id: id,
    records: json(z.array(z.tuple([z.string(), z.string()]))),
  }),
  lineage: z.looseObject({ generation: id, sequence: count, is_witnessed: flag, is_restored: flag }),
}

/** The first thing that a row says and no row of ours would, in words; `null` where there is none. */
export function senselessRow(database: DatabaseSync): string | null {
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
