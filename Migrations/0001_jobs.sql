-- Jobs and their photos.
--
-- Columns that end in _at are integer microseconds since 1970-01-01T00:00:00Z, by the wall clock.
-- Columns that end in _tick are microseconds of the machine's monotonic clock, comparable only within one boot.

CREATE TABLE jobs (
  -- Order of acceptance; AUTOINCREMENT, so that a number is never given twice.
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Lower-case UUID.
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('queued', 'processing', 'completed', 'failed')),
  -- 0 to 100.
  progress INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  message TEXT NOT NULL,
  -- Higher goes first.
  priority INTEGER NOT NULL DEFAULT 0,
  -- Readings begun that count.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Readings begun that ended with the death of the whole server; they do not count as attempts.
  abandonments INTEGER NOT NULL DEFAULT 0,

  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When the latest reading began; null before the first.
  started_at INTEGER,
  ended_at INTEGER,

  -- The boot that due_tick and lease_tick belong to; ticks of another boot have all run out.
  boot TEXT,
  -- When a queued job may be claimed; null for at once.
  due_tick INTEGER,
  -- Until when a worker holds the job.
  lease_tick INTEGER,
  -- Random, new with every claim; null where nobody holds the job.
  token TEXT,
  worker TEXT,
  -- The opening of the store that the worker belongs to.
  holder TEXT,

  -- What the client asked.
  photo TEXT NOT NULL,
  photo_bytes INTEGER NOT NULL,
  preset TEXT,
  device_type TEXT,
  persist INTEGER NOT NULL,
  annotate INTEGER NOT NULL,
  idempotency_key TEXT,
  photo_digest TEXT,
  -- Whether the photo has been given up for deletion.
  photo_pruned INTEGER NOT NULL DEFAULT 0,

  -- What came of it. The reading is JSON.
  reading TEXT,
  error_code TEXT,
  error_detail TEXT,
  saved INTEGER NOT NULL DEFAULT 0
);

-- Claiming, and the place in the queue.
CREATE INDEX jobs_waiting ON jobs (priority DESC, seq) WHERE state = 'queued';
-- The longest wait.
CREATE INDEX jobs_waiting_since ON jobs (created_at) WHERE state = 'queued';
-- Rescue.
CREATE INDEX jobs_held ON jobs (lease_tick) WHERE state = 'processing';
-- Retention, and the throughput measured over the latest.
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_photo_kept ON jobs (ended_at) WHERE ended_at IS NOT NULL AND photo_pruned = 0;
-- Lists of one state.
CREATE INDEX jobs_state ON jobs (state, seq);
CREATE INDEX jobs_photo ON jobs (photo);
CREATE UNIQUE INDEX jobs_idempotency ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- How many jobs there are, kept by triggers, so that the depth of the queue costs no count.
CREATE TABLE job_counts (
  state TEXT NOT NULL,
  priority INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (state, priority)
) WITHOUT ROWID;

CREATE TRIGGER jobs_count_insert AFTER INSERT ON jobs BEGIN
  INSERT INTO job_counts (state, priority, count) VALUES (NEW.state, NEW.priority, 1)
  ON CONFLICT (state, priority) DO UPDATE SET count = count + 1;
END;

CREATE TRIGGER jobs_count_delete AFTER DELETE ON jobs BEGIN
  UPDATE job_counts SET count = count - 1 WHERE state = OLD.state AND priority = OLD.priority;
END;

CREATE TRIGGER jobs_count_state AFTER UPDATE OF state ON jobs WHEN OLD.state <> NEW.state BEGIN
  UPDATE job_counts SET count = count - 1 WHERE state = OLD.state AND priority = OLD.priority;
  INSERT INTO job_counts (state, priority, count) VALUES (NEW.state, NEW.priority, 1)
  ON CONFLICT (state, priority) DO UPDATE SET count = count + 1;
END;

-- Photos whose jobs have let go of them, until their files are gone.
CREATE TABLE photo_removals (
  photo TEXT PRIMARY KEY
) WITHOUT ROWID;

-- One row that a health check writes anew.
CREATE TABLE writable_check (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  filler BLOB NOT NULL
);
