-- Where the ends of jobs are sent. A webhook waits from the transaction that ends its job, and goes with the job. The columns
-- mean what they mean in the SQLite migration.

ALTER TABLE jobs ADD COLUMN callback_url text;

CREATE TABLE webhooks (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text COLLATE "C" NOT NULL UNIQUE REFERENCES jobs (id) ON DELETE CASCADE,
  key_id text,
  url text NOT NULL,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'delivered', 'failed')),
  attempts int NOT NULL DEFAULT 0,
  created_at bigint NOT NULL,
  begun_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  due_at bigint NOT NULL,
  token text,
  holder text,
  status int,
  error text
);

CREATE INDEX webhooks_due ON webhooks (due_at) WHERE state = 'waiting';
CREATE INDEX webhooks_held ON webhooks (holder) WHERE holder IS NOT NULL;
CREATE INDEX webhooks_state ON webhooks (state, seq);

CREATE FUNCTION call_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO webhooks (job_id, key_id, url, created_at, begun_at, updated_at, due_at)
  VALUES (NEW.id, NEW.key_id, NEW.callback_url, NEW.ended_at, NEW.ended_at, NEW.ended_at, NEW.ended_at);
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_call_back AFTER UPDATE OF ended_at ON jobs FOR EACH ROW
  WHEN (NEW.callback_url IS NOT NULL AND NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL)
  EXECUTE FUNCTION call_back();
