-- Batches: named groups of photos and serials that several people and devices scan into. Times as in 0001_jobs.sql.

CREATE TABLE batches (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Lower-case UUID.
  id TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  -- The name in one case, as the program folds it.
  name_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Null while the batch is open.
  ended_at INTEGER,
  -- The key that created it; null if the server required none.
  key_id TEXT,
  -- Photos whose jobs retention has deleted, by what they counted as then.
  expired_accepted INTEGER NOT NULL DEFAULT 0,
  expired_needs_review INTEGER NOT NULL DEFAULT 0,
  expired_no_serial INTEGER NOT NULL DEFAULT 0,
  expired_confirmed INTEGER NOT NULL DEFAULT 0
);

-- Two open batches never share a name.
CREATE UNIQUE INDEX batches_name ON batches (name_key) WHERE ended_at IS NULL;
CREATE INDEX batches_open ON batches (seq) WHERE ended_at IS NULL;

ALTER TABLE jobs ADD COLUMN batch_id TEXT;
ALTER TABLE serials ADD COLUMN batch_id TEXT;

-- The list of a batch's jobs.
CREATE INDEX jobs_batch ON jobs (batch_id, seq) WHERE batch_id IS NOT NULL;
-- Its tally, without reading the jobs' rows.
CREATE INDEX jobs_batch_tally ON jobs (batch_id, verdict, confirmed_at) WHERE batch_id IS NOT NULL;
-- Lists and exports of a batch's serials, and how many devices they are.
CREATE INDEX serials_batch ON serials (batch_id, created_at) WHERE batch_id IS NOT NULL;
CREATE INDEX serials_batch_serial ON serials (batch_id, serial) WHERE batch_id IS NOT NULL;
