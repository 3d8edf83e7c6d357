-- Where the ends of jobs are sent. A webhook waits from the transaction that ends its job, and goes with the job.

-- The address that the client gave, or the operator's default; null where the end is sent nowhere.
ALTER TABLE jobs ADD COLUMN callback_url TEXT;

CREATE TABLE webhooks (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL UNIQUE,
  -- The key that sent the photo.
  key_id TEXT,
  url TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  -- Attempts begun.
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  -- Since when it is attempted: a retry by hand begins anew.
  begun_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When a waiting one is attempted next; while it is attempted, until when its claim holds.
  due_at INTEGER NOT NULL,
  -- Random, new with every claim; null where nobody attempts it.
  token TEXT,
  -- The opening of the store that attempts it.
  holder TEXT,
  -- The status of the latest answer, and why the latest attempt failed.
  status INTEGER,
  error TEXT
);

CREATE INDEX webhooks_due ON webhooks (due_at) WHERE state = 'waiting';
CREATE INDEX webhooks_held ON webhooks (holder) WHERE holder IS NOT NULL;
CREATE INDEX webhooks_state ON webhooks (state, seq);

CREATE TRIGGER jobs_call_back AFTER UPDATE OF ended_at ON jobs
WHEN NEW.callback_url IS NOT NULL AND NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL
BEGIN
  INSERT INTO webhooks (job_id, key_id, url, created_at, begun_at, updated_at, due_at)
  VALUES (NEW.id, NEW.key_id, NEW.callback_url, NEW.ended_at, NEW.ended_at, NEW.ended_at, NEW.ended_at);
END;

CREATE TRIGGER jobs_forget_webhooks AFTER DELETE ON jobs WHEN OLD.callback_url IS NOT NULL BEGIN
  DELETE FROM webhooks WHERE job_id = OLD.id;
END;
