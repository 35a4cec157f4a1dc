import { DatabaseSync } from 'node:sqlite'

/** The tables as the first version of the program made them. Never changed: see `migrate`. */
const FIRST_TABLES = `
CREATE TABLE companies (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  listing TEXT NOT NULL,
  notes TEXT NOT NULL,
  label TEXT NOT NULL,
  full_path TEXT NOT NULL,
  is_listed INTEGER NOT NULL,
  opened_at TEXT NOT NULL,
  annotated_at TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE listings (
  connection_id TEXT PRIMARY KEY,
  read_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE drafts (
  draft_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  before TEXT NOT NULL,
  edits TEXT NOT NULL,
  changed_at TEXT NOT NULL,
  operation_id TEXT
) STRICT;
CREATE INDEX drafts_of_list ON drafts (connection_id, endpoint_id, object);
CREATE UNIQUE INDEX drafts_one_a_record ON drafts (connection_id, endpoint_id, object, record_id)
  WHERE kind = 'change';

CREATE TABLE batches (
  batch_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT
) STRICT;
CREATE INDEX batches_of_list ON batches (connection_id, endpoint_id, object);

CREATE TABLE operations (
  operation_id TEXT PRIMARY KEY,
  batch_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  draft_id TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  kind TEXT NOT NULL,
  record_id TEXT NOT NULL,
  record_name TEXT NOT NULL,
  full_name TEXT NOT NULL,
  mark TEXT NOT NULL,
  state TEXT NOT NULL,
  is_closed INTEGER NOT NULL DEFAULT 0,
  send_again INTEGER NOT NULL DEFAULT 0,
  before TEXT NOT NULL,
  edits TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  settled_at TEXT,
  first_looked_at TEXT,
  last_looked_at TEXT,
  looks INTEGER NOT NULL DEFAULT 0,
  confirmed_by_reading INTEGER NOT NULL DEFAULT 0,
  not_as_sent TEXT NOT NULL DEFAULT '[]',
  conflicts TEXT NOT NULL DEFAULT '[]',
  theirs TEXT,
  error TEXT,
  error_path TEXT NOT NULL DEFAULT '',
  request_id TEXT NOT NULL DEFAULT '',
  after TEXT
) STRICT;
CREATE INDEX operations_of_batch ON operations (batch_id, state, position);
CREATE INDEX operations_of_record ON operations (connection_id, endpoint_id, object, record_id);
CREATE INDEX operations_open ON operations (connection_id, endpoint_id, state) WHERE is_closed = 0;

CREATE TABLE requests (
  request_key TEXT PRIMARY KEY,
  batch_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  answered_at TEXT,
  outcome TEXT,
  status INTEGER,
  request_id TEXT NOT NULL DEFAULT '',
  error TEXT,
  answer TEXT
) STRICT;
CREATE INDEX requests_by_time ON requests (sent_at);

CREATE TABLE attempts (
  operation_id TEXT NOT NULL,
  request_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  answer TEXT,
  PRIMARY KEY (operation_id, request_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_of_request ON attempts (request_key);

CREATE TABLE manners (
  connection_id TEXT NOT NULL,
  application TEXT NOT NULL,
  object TEXT NOT NULL,
  kind TEXT NOT NULL,
  stage INTEGER NOT NULL,
  is_proven INTEGER NOT NULL,
  PRIMARY KEY (connection_id, application, object, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE trusted_marks (
  connection_id TEXT NOT NULL,
  application TEXT NOT NULL,
  object TEXT NOT NULL,
  seen_at TEXT NOT NULL,
  PRIMARY KEY (connection_id, application, object)
) STRICT, WITHOUT ROWID;

CREATE TABLE provisionings (
  provisioning_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  state TEXT NOT NULL,
  is_closed INTEGER NOT NULL,
  queued_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX provisionings_of_connection ON provisionings (connection_id, queued_at);

CREATE TABLE user_creations (
  creation_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  state TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE deprovisionings (
  deprovisioning_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  state TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;

CREATE TABLE lanes (
  lane_key TEXT PRIMARY KEY,
  shut_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE request_log (
  entry_id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX request_log_by_time ON request_log (at, entry_id);
CREATE INDEX request_log_of_connection ON request_log (connection_id, at, entry_id);
`

/** What visits to **Add company** have entered, so that a crash at any of its steps loses nothing. */

/*
 * What was added to the first tables, as steps forward. A step that has been in anybody's hands is never changed, a
 * further one is added.
 */

const VISITS = `
CREATE TABLE visits (
  connection_id TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

/** What each operation changes back, and what history is searched and paged by. */
const HISTORY = `
ALTER TABLE drafts ADD COLUMN changes_back TEXT NOT NULL DEFAULT '';
ALTER TABLE operations ADD COLUMN changes_back TEXT NOT NULL DEFAULT '';
CREATE INDEX operations_changing_back ON operations (changes_back) WHERE changes_back <> '';
CREATE INDEX batches_by_time ON batches (connection_id, queued_at, batch_id);
CREATE INDEX requests_by_request_id ON requests (request_id) WHERE request_id <> '';

CREATE TABLE operation_words (
  operation_id TEXT PRIMARY KEY,
  batch_id TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO operation_words (operation_id, batch_id, words)
  SELECT operation_id, batch_id, lower(record_name || char(10) || edits) FROM operations;
CREATE TRIGGER operation_words_gone AFTER DELETE ON operations BEGIN
  DELETE FROM operation_words WHERE operation_id = old.operation_id;
END;
`

/** The request log is bounded in bytes too, and knows at a start what was on its way when the program ended. */
const BOUNDED_LOG = `
ALTER TABLE request_log ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE request_log ADD COLUMN is_begun INTEGER NOT NULL DEFAULT 0;
UPDATE request_log SET size = length(CAST(value AS BLOB));
CREATE INDEX request_log_begun ON request_log (entry_id) WHERE is_begun = 1;
`

/** A list that the service did not give whole is told as such at the next start too. */
const WHOLE_LISTINGS = `
ALTER TABLE listings ADD COLUMN is_whole INTEGER NOT NULL DEFAULT 1;
`

/**
 * What tells another's record from ours where only its name speaks for it, and where writing has stopped. An insert of
 * before that was confirmed by reading back and came back without its mark may have been known by its name alone.
 */
const KNOWN_BY_NAME = `
ALTER TABLE operations ADD COLUMN namesakes TEXT NOT NULL DEFAULT '[]';
ALTER TABLE operations ADD COLUMN is_known_by_name INTEGER NOT NULL DEFAULT 0;
UPDATE operations SET is_known_by_name = 1
  WHERE kind = 'insert' AND state = 'acked' AND confirmed_by_reading = 1
    AND (mark = '' OR coalesce(json_extract(after, '$.ExternalID'), '') <> mark);
ALTER TABLE manners ADD COLUMN is_stopped INTEGER NOT NULL DEFAULT 0;
`

/** A provisioning keeps what was active and what was not before it was sent, and where its file is. */
const LIST_BEFORE = `
UPDATE provisionings SET value = json_remove(
  json_set(value,
    '$.listBefore', json(CASE
      WHEN json_type(value, '$.idsBefore') = 'array' THEN
        '{"active":' || json_extract(value, '$.idsBefore') || ',"inactive":[],"isWhole":true}'
      WHEN json_type(value, '$.value.sentAt') = 'text' THEN '{"active":[],"inactive":[],"isWhole":false}'
    END),
    '$.askedAbout', json('[]'),
    '$.value.place', 'here',
    '$.value.before', CASE
      WHEN json_extract(value, '$.value.wasThereBefore') = 0 THEN 'not-there'
      WHEN json_type(value, '$.idsBefore') = 'array' THEN 'active'
      ELSE 'unknown'
    END),
  '$.idsBefore', '$.value.wasThereBefore');
`

/** What is asked at each request of a large batch is found without looking at all of it. */
const LARGE_BATCHES = `
CREATE INDEX drafts_of_operation ON drafts (operation_id) WHERE operation_id IS NOT NULL;
DROP INDEX operations_of_batch;
CREATE INDEX operations_of_batch ON operations (batch_id, state, is_closed, position);
`

/** What is remembered of imports. A row that was saved in the books needs its cells no longer. */
const IMPORTS = `
CREATE TABLE import_mappings (
  object TEXT NOT NULL,
  headings TEXT NOT NULL,
  choices TEXT NOT NULL,
  PRIMARY KEY (object, headings)
) STRICT;
CREATE TABLE imports (
  import_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  file TEXT NOT NULL,
  file_name TEXT NOT NULL,
  imported_at TEXT NOT NULL,
  headings TEXT NOT NULL
) STRICT;
CREATE INDEX imports_of_list ON imports (connection_id, endpoint_id, object, imported_at);
CREATE TABLE imported_rows (
  import_id TEXT NOT NULL,
  row INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  draft_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  cells TEXT NOT NULL,
  is_saved INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (import_id, row)
) STRICT;
CREATE INDEX imported_rows_by_fingerprint ON imported_rows (fingerprint) WHERE is_saved = 1;
CREATE INDEX imported_rows_of_draft ON imported_rows (draft_id) WHERE is_saved = 0;
CREATE TRIGGER imported_row_saved AFTER UPDATE OF state ON operations WHEN new.state = 'acked' BEGIN
  UPDATE imported_rows SET is_saved = 1, cells = '' WHERE draft_id = new.draft_id AND is_saved = 0;
END;
`

/**
 * Reports for several companies: jobs, what is kept for their combined files, and saved sets. The first set is what
 * most offices hand to a client.
 */
const REPORT_JOBS = `
CREATE TABLE report_jobs (
  job_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX report_jobs_by_time ON report_jobs (connection_id, created_at);
CREATE TABLE report_job_heads (
  job_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (job_id, item_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE report_job_parts (
  job_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (job_id, item_id, part)
) STRICT;
CREATE TABLE report_sets (
  name TEXT PRIMARY KEY,
  reports TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO report_sets (name, reports, position) VALUES
  ('Month end', '["ProfitAndLoss","BalanceSheet","TrialBalance","ARAgingDetail","VendorExpenseSummary"]', 1);
`

/** The record right before a first change: whoever reads it back later can tell what else was changed. */
const FIRST_CHANGES = `
ALTER TABLE operations ADD COLUMN fresh TEXT;
`

/** A set-up makes its own user, and knows the visit that asked for it. */
const NEW_USERS = `
UPDATE provisionings SET value = json_set(value, '$.visit', NULL, '$.value.newUser', NULL);
UPDATE visits SET value = json_set(value, '$.again', NULL);
`

/** A later run says truly why a lane is shut. */
const SHUT_BECAUSE = `
ALTER TABLE lanes ADD COLUMN what TEXT NOT NULL DEFAULT '';
ALTER TABLE lanes ADD COLUMN because TEXT NOT NULL DEFAULT 'answer';
`

/** A file of several reports is told with whose it is. Of one that was made before, only its name is known. */
const JOINT_FILES = `
UPDATE report_jobs SET value = json_set(value, '$.files', json((
  SELECT json_group_array(json_object(
    'name', file.value, 'endpointId', iif(file.value LIKE '%.xlsx', '', '?'), 'itemIds', json('[]'), 'mark', '?'))
  FROM json_each(report_jobs.value, '$.files') AS file)));
`

/** What was sent to a service that its connection leads to no longer keeps that service's address. */
const PLACES = `
CREATE TABLE places (
  connection_id TEXT NOT NULL,
  service TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (connection_id, service)
) STRICT, WITHOUT ROWID;
ALTER TABLE operations ADD COLUMN elsewhere TEXT NOT NULL DEFAULT '';
ALTER TABLE provisionings ADD COLUMN elsewhere TEXT NOT NULL DEFAULT '';
ALTER TABLE deprovisionings ADD COLUMN elsewhere TEXT NOT NULL DEFAULT '';
`

/** When a lane was shut: of a clock that was set back meanwhile only what is left of that time is heeded. */
const SHUT_AT = `
ALTER TABLE lanes ADD COLUMN shut_at INTEGER NOT NULL DEFAULT 0;
`

/**
 * What recognizes a record on a service that alters what it is sent: what was in a list before an insert was sent, the IDs that each answer told, what was learned about a service, and when to look for a duplicate.
 */
const RECOGNITION = `
CREATE TABLE baselines (
  baseline_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  records TEXT NOT NULL
) STRICT;
CREATE INDEX baselines_of_list ON baselines (connection_id, endpoint_id, object);
ALTER TABLE batches ADD COLUMN baseline_id TEXT NOT NULL DEFAULT '';
ALTER TABLE operations ADD COLUMN candidates TEXT NOT NULL DEFAULT '[]';
ALTER TABLE operations ADD COLUMN dismissed TEXT NOT NULL DEFAULT '[]';
ALTER TABLE operations ADD COLUMN recheck_at TEXT;
CREATE INDEX operations_to_recheck ON operations (connection_id, endpoint_id, recheck_at)
  WHERE recheck_at IS NOT NULL;
ALTER TABLE requests ADD COLUMN told_ids TEXT NOT NULL DEFAULT '[]';
ALTER TABLE manners ADD COLUMN learned TEXT NOT NULL DEFAULT '{}';
`

/**
 * Lanes had names of address and key, and have names of the key alone: which is which can't be told, so one row, heeded
 * by every lane, stands for all of them.
 */
const ANY_LANE = `
INSERT INTO lanes (lane_key, shut_at, shut_until, what, because)
SELECT '*', shut_at, max(shut_until), what, because FROM lanes HAVING count(*) > 0;
DELETE FROM lanes WHERE lane_key <> '*';
ALTER TABLE lanes ADD COLUMN elapsed REAL;
`

/** Whether the file is the one that was last sent with: see `lineage.ts`. */
const LINEAGE = `
CREATE TABLE lineage (
  generation TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  is_witnessed INTEGER NOT NULL,
  is_restored INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 0, 0, 0);
ALTER TABLE drafts ADD COLUMN is_from_before INTEGER NOT NULL DEFAULT 0;
`

/** Rows that were altered outside of the program are noticed: see `digests.ts`. Those of before have none. */
const DIGESTS = `
ALTER TABLE operations ADD COLUMN digest INTEGER;
ALTER TABLE attempts ADD COLUMN digest INTEGER;
ALTER TABLE requests ADD COLUMN digest INTEGER;
`

/** Which files of a job are its own is told by their marks. Of those that were written before, none is known. */
const FILE_MARKS = `
UPDATE report_jobs SET value = json_set(value, '$.items', json((
  SELECT json_group_array(json_set(item.value, '$.marks', json('[]')))
  FROM json_each(report_jobs.value, '$.items') AS item)));
`

/** In the order in which a file takes them. */
export const STEPS: readonly string[] = [
  FIRST_TABLES,
  VISITS,
  HISTORY,
  BOUNDED_LOG,
  WHOLE_LISTINGS,
  KNOWN_BY_NAME,
  LIST_BEFORE,
  LARGE_BATCHES,
  IMPORTS,
  REPORT_JOBS,
  FIRST_CHANGES,
  NEW_USERS,
  SHUT_BECAUSE,
  JOINT_FILES,
  PLACES,
  SHUT_AT,
  RECOGNITION,
  ANY_LANE,
  LINEAGE,
  DIGESTS,
  FILE_MARKS,
]

// Brings a file's tables to this program's: its `user_version` says how many of the steps it has taken.

/** The version that this program writes. */
export const SCHEMA_VERSION = STEPS.length

export function schemaVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

/** Takes the steps that the file lacks, up to a version, all of them or none. Throws what SQLite throws. */
export function migrate(connection: DatabaseSync, target = SCHEMA_VERSION): void {
  const version = schemaVersion(connection)
  if (version >= target) return
  connection.exec('BEGIN IMMEDIATE')
  try {
    for (const step of STEPS.slice(version, target)) connection.exec(step)
    connection.exec(`PRAGMA user_version = ${target}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** What SQLite itself keeps about indexes; every other table whose name begins so is somebody's. */
const STATISTICS: ReadonlyMap<unknown, unknown> = new Map([
  ['sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'],
  ['sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'],
])

/** The tables, indexes, views and triggers of a file, as SQLite tells them. */
export function tablesOf(connection: DatabaseSync): string {
  const rows = connection
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
  return JSON.stringify(
    rows.filter(({ type, name, sql }) => type !== 'table' || STATISTICS.get(name) !== sql),
  )
}

const knownTables = new Map<number, string>()

/** Those that a file of this version has, and no others. */
export function tablesAt(version: number): string {
  const known = knownTables.get(version) ?? newTables(version)
  knownTables.set(version, known)
  return known
}

function newTables(version: number): string {
  const empty = new DatabaseSync(':memory:')
  try {
    migrate(empty, version)
    return tablesOf(empty)
  } finally {
    empty.close()
  }
}
