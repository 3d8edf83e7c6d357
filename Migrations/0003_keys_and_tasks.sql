-- Keys of the API, and work in the background that is no reading of a photo. Times as in 0001_jobs.sql.

CREATE TABLE api_keys (
  -- The part of the key by which it is found; no secret.
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  -- Of the secret part.
  hash TEXT NOT NULL,
  -- Separated by spaces.
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER,
  use_count INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

-- Two valid keys never share a name, so that one can be revoked by it.
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;

-- Evaluations, sweeps.
CREATE TABLE tasks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'processing', 'completed', 'failed')),
  -- 0 to 100.
  progress INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  message TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- JSON.
  parameters TEXT NOT NULL,
  -- JSON; null until the end.
  result TEXT,
  error_code TEXT,
  error_detail TEXT
);

CREATE INDEX tasks_state ON tasks (state, seq);
CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;
