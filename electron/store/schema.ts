/** The tables of the store, and the check for other tables. */
import { DatabaseSync } from 'node:sqlite'

/** The `user_version` of a file that this program reads and writes. It refuses a file with a lower one. */
export const SCHEMA_VERSION = 31

const TABLES = `
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
  read_at TEXT NOT NULL,
  is_whole INTEGER NOT NULL DEFAULT 1
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
  operation_id TEXT,
  undoes TEXT NOT NULL DEFAULT '',
  is_stale INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX drafts_of_list ON drafts (connection_id, endpoint_id, object);
CREATE UNIQUE INDEX drafts_one_per_record ON drafts (connection_id, endpoint_id, object, record_id)
  WHERE kind = 'change';
CREATE INDEX drafts_of_operation ON drafts (operation_id) WHERE operation_id IS NOT NULL;

CREATE TABLE batches (
  batch_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  status TEXT NOT NULL,
  error TEXT,
  baseline_id TEXT NOT NULL DEFAULT '',
  sent_by TEXT NOT NULL DEFAULT '',
  first_sent_at TEXT,
  last_sent_at TEXT
) STRICT;
CREATE INDEX batches_of_list ON batches (connection_id, endpoint_id, object);
CREATE INDEX batches_by_time ON batches (connection_id, coalesce(first_sent_at, queued_at), batch_id);

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
  external_id TEXT NOT NULL,
  state TEXT NOT NULL,
  is_closed INTEGER NOT NULL DEFAULT 0,
  send_again INTEGER NOT NULL DEFAULT 0,
  before TEXT NOT NULL,
  edits TEXT NOT NULL,
  queued_at TEXT NOT NULL,
  settled_at TEXT,
  first_rechecked_at TEXT,
  last_rechecked_at TEXT,
  rechecks INTEGER NOT NULL DEFAULT 0,
  confirmed_by_reading INTEGER NOT NULL DEFAULT 0,
  not_as_sent TEXT NOT NULL DEFAULT '[]',
  conflicts TEXT NOT NULL DEFAULT '[]',
  theirs TEXT,
  error TEXT,
  error_path TEXT NOT NULL DEFAULT '',
  request_id TEXT NOT NULL DEFAULT '',
  after TEXT,
  undoes TEXT NOT NULL DEFAULT '',
  namesakes TEXT NOT NULL DEFAULT '[]',
  is_known_by_name INTEGER NOT NULL DEFAULT 0,
  before_sending TEXT,
  previous_service TEXT NOT NULL DEFAULT '',
  candidates TEXT NOT NULL DEFAULT '[]',
  dismissed TEXT NOT NULL DEFAULT '[]',
  recheck_at TEXT,
  saved_order INTEGER,
  digest INTEGER
) STRICT;
CREATE INDEX operations_of_record ON operations (connection_id, endpoint_id, object, record_id);
CREATE INDEX operations_open ON operations (connection_id, endpoint_id, state) WHERE is_closed = 0;
CREATE INDEX operations_undoing ON operations (undoes) WHERE undoes <> '';
CREATE INDEX operations_of_batch ON operations (batch_id, state, is_closed, position);
CREATE INDEX operations_to_recheck ON operations (connection_id, endpoint_id, recheck_at)
  WHERE recheck_at IS NOT NULL;

CREATE TABLE requests (
  request_key TEXT PRIMARY KEY,
  batch_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  body TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  responded_at TEXT,
  outcome TEXT,
  status INTEGER,
  request_id TEXT NOT NULL DEFAULT '',
  error TEXT,
  response TEXT,
  returned_ids TEXT NOT NULL DEFAULT '[]',
  digest INTEGER
) STRICT;
CREATE INDEX requests_by_time ON requests (sent_at);
CREATE INDEX requests_by_request_id ON requests (request_id) WHERE request_id <> '';

CREATE TABLE attempts (
  operation_id TEXT NOT NULL,
  request_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  response TEXT,
  digest INTEGER,
  PRIMARY KEY (operation_id, request_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX attempts_of_request ON attempts (request_key);

CREATE TABLE write_policies (
  connection_id TEXT NOT NULL,
  application TEXT NOT NULL,
  object TEXT NOT NULL,
  kind TEXT NOT NULL,
  stage INTEGER NOT NULL,
  is_proven INTEGER NOT NULL,
  is_stopped INTEGER NOT NULL DEFAULT 0,
  learned TEXT NOT NULL DEFAULT '{}',
  PRIMARY KEY (connection_id, application, object, kind)
) STRICT, WITHOUT ROWID;

CREATE TABLE trusted_external_ids (
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
  value TEXT NOT NULL,
  previous_service TEXT NOT NULL DEFAULT '',
  sent_by TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX provisionings_of_connection ON provisionings (connection_id, queued_at);

CREATE TABLE user_creations (
  creation_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  state TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  value TEXT NOT NULL,
  sent_by TEXT NOT NULL DEFAULT ''
) STRICT;

CREATE TABLE deprovisionings (
  deprovisioning_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  state TEXT NOT NULL,
  sent_at TEXT NOT NULL,
  value TEXT NOT NULL,
  previous_service TEXT NOT NULL DEFAULT '',
  sent_by TEXT NOT NULL DEFAULT ''
) STRICT;

-- Since when, until when, and why a request queue is blocked: see blocked-queues.ts.
CREATE TABLE blocked_queues (
  queue_key TEXT PRIMARY KEY,
  blocked_at INTEGER NOT NULL,
  blocked_until INTEGER NOT NULL,
  elapsed REAL NOT NULL,
  what TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE request_log (
  entry_id TEXT PRIMARY KEY,
  at TEXT NOT NULL,
  connection_id TEXT NOT NULL,
  value TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0,
  is_begun INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX request_log_by_time ON request_log (at, entry_id);
CREATE INDEX request_log_of_connection ON request_log (connection_id, at, entry_id);
CREATE INDEX request_log_begun ON request_log (entry_id) WHERE is_begun = 1;

-- What was entered in Add company and is not sent yet.
CREATE TABLE setup_drafts (
  connection_id TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What operations are found by in the history. Narrow: a search reads all of it.
CREATE TABLE operation_words (
  operation_id TEXT PRIMARY KEY,
  batch_id TEXT NOT NULL,
  words TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE import_mappings (
  object TEXT NOT NULL,
  headings TEXT NOT NULL,
  mapping TEXT NOT NULL,
  PRIMARY KEY (object, headings)
) STRICT;

-- The mappings that a user saved under a name.
CREATE TABLE saved_mappings (
  object TEXT NOT NULL,
  name TEXT NOT NULL,
  mapping TEXT NOT NULL,
  PRIMARY KEY (object, name)
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

-- A row that was saved in the books needs its cells no longer.
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

CREATE TABLE report_runs (
  run_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX report_runs_by_time ON report_runs (connection_id, created_at);

CREATE TABLE report_run_heads (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_id, item_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE report_run_parts (
  run_id TEXT NOT NULL,
  item_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (run_id, item_id, part)
) STRICT;

-- One change of the same field in several companies: see multi-company-changes.ts.
CREATE TABLE multi_company_changes (
  change_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX multi_company_changes_by_time ON multi_company_changes (connection_id, created_at);

-- The first set is what most offices hand to a client.
CREATE TABLE report_sets (
  name TEXT PRIMARY KEY,
  reports TEXT NOT NULL,
  position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Months that are reviewed, closed, and watched: see months.ts.
CREATE TABLE months (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  month TEXT NOT NULL,
  state TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id, month)
) STRICT;
CREATE INDEX months_of_connection ON months (connection_id, month, endpoint_id, state);

CREATE TABLE month_outcomes (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  month TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id, month)
) STRICT;

CREATE TABLE month_copies (
  copy_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  month TEXT NOT NULL,
  head TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE INDEX month_copies_of_month ON month_copies (connection_id, endpoint_id, month);

CREATE TABLE month_copy_parts (
  copy_id TEXT NOT NULL,
  part INTEGER NOT NULL,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (copy_id, part)
) STRICT;
CREATE INDEX month_copy_parts_of_company ON month_copy_parts (connection_id, endpoint_id);

CREATE TABLE month_versions (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  month TEXT NOT NULL,
  version INTEGER NOT NULL,
  copies TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id, month, version)
) STRICT;

CREATE TABLE month_events (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  month TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX month_events_of_month ON month_events (connection_id, endpoint_id, month);

CREATE TABLE review_decisions (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  finding_key TEXT NOT NULL,
  amount TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id, finding_key, amount)
) STRICT, WITHOUT ROWID;

-- An empty endpoint_id: for the connection.
CREATE TABLE review_settings (
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (connection_id, endpoint_id)
) STRICT, WITHOUT ROWID;

-- The address that each connection leads to.
CREATE TABLE service_addresses (
  connection_id TEXT NOT NULL,
  service TEXT NOT NULL,
  address TEXT NOT NULL,
  PRIMARY KEY (connection_id, service)
) STRICT, WITHOUT ROWID;

-- What a list held before inserts were sent to it.
CREATE TABLE baselines (
  baseline_id TEXT PRIMARY KEY,
  connection_id TEXT NOT NULL,
  endpoint_id TEXT NOT NULL,
  object TEXT NOT NULL,
  records TEXT NOT NULL
) STRICT;
CREATE INDEX baselines_of_list ON baselines (connection_id, endpoint_id, object);

-- Whether the file is the one that was last sent with: see lineage.ts.
CREATE TABLE lineage (
  generation TEXT PRIMARY KEY,
  sequence INTEGER NOT NULL,
  is_witnessed INTEGER NOT NULL,
  is_restored INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many changes were saved, and up to which one they may be gone from the history. Begins again, with another epoch,
-- if the file isn't the one that was last sent with.
CREATE TABLE saves (
  epoch TEXT PRIMARY KEY,
  saved INTEGER NOT NULL,
  trimmed INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_saved AFTER UPDATE OF state ON operations WHEN new.state = 'acked' BEGIN
  UPDATE saves SET saved = saved + 1;
  UPDATE operations SET saved_order = (SELECT saved FROM saves) WHERE operation_id = new.operation_id;
END;

CREATE TRIGGER operation_words_deleted AFTER DELETE ON operations BEGIN
  DELETE FROM operation_words WHERE operation_id = old.operation_id;
END;
CREATE TRIGGER imported_row_saved AFTER UPDATE OF state ON operations WHEN new.state = 'acked' BEGIN
  UPDATE imported_rows SET is_saved = 1, cells = '' WHERE draft_id = new.draft_id AND is_saved = 0;
END;

INSERT INTO report_sets (name, reports, position) VALUES
  ('Month end', '["ProfitAndLoss","BalanceSheet","TrialBalance","ARAgingDetail","VendorExpenseSummary"]', 1);
INSERT INTO lineage VALUES (lower(hex(randomblob(16))), 0, 0, 0);
INSERT INTO saves VALUES (lower(hex(randomblob(16))), 0, 0);
`

/** Returns the version of a file, or 0 for a new one. */
export function schemaVersion(connection: DatabaseSync): number {
  return Number(connection.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
}

/** Creates the tables in an empty file, all or none. Throws what SQLite throws. */
export function createTables(connection: DatabaseSync): void {
  connection.exec('BEGIN IMMEDIATE')
  try {
    connection.exec(TABLES)
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`)
    connection.exec('COMMIT')
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK')
    throw error
  }
}

/** SQLite's own tables about indexes. Any other table whose name begins with `sqlite_` is foreign. */
const STATISTICS: ReadonlyMap<unknown, unknown> = new Map([
  ['sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)'],
  ['sqlite_stat4', 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)'],
])

/** The tables, indexes, views, and triggers of a file, as SQLite lists them. */
export function tablesOf(connection: DatabaseSync): string {
  const rows = connection
    .prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
  return JSON.stringify(
    rows.filter(({ type, name, sql }) => type !== 'table' || STATISTICS.get(name) !== sql),
  )
}

/** What `tablesOf` returns for a file that this program created. */
export function ownTables(): string {
  return (ownTablesOnce ??= createOwnTables())
}

let ownTablesOnce: string | undefined

function createOwnTables(): string {
  const empty = new DatabaseSync(':memory:')
  try {
    createTables(empty)
    return tablesOf(empty)
  } finally {
    empty.close()
  }
}
