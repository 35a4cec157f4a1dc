/** The tables as the first version of the program made them. Never changed: see `migrations.ts`. */
export const FIRST_TABLES = `
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
