-- Batches, as in SQLite. A version that does not know them leaves their columns empty in the jobs it takes; what a worker of that
-- version saves of a job in a batch belongs to the batch too.

CREATE TABLE batches (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  name text NOT NULL,
  name_key text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  ended_at bigint,
  key_id text,
  expired_accepted bigint NOT NULL DEFAULT 0,
  expired_needs_review bigint NOT NULL DEFAULT 0,
  expired_no_serial bigint NOT NULL DEFAULT 0,
  expired_confirmed bigint NOT NULL DEFAULT 0
);

CREATE UNIQUE INDEX batches_name ON batches (name_key) WHERE ended_at IS NULL;
CREATE INDEX batches_open ON batches (seq) WHERE ended_at IS NULL;

ALTER TABLE jobs ADD COLUMN batch_id text COLLATE "C";
ALTER TABLE serials ADD COLUMN batch_id text COLLATE "C";

CREATE INDEX jobs_batch ON jobs (batch_id, seq) WHERE batch_id IS NOT NULL;
CREATE INDEX jobs_batch_tally ON jobs (batch_id, verdict, confirmed_at) WHERE batch_id IS NOT NULL;
CREATE INDEX serials_batch ON serials (batch_id, created_at, id) WHERE batch_id IS NOT NULL;
CREATE INDEX serials_batch_serial ON serials (batch_id, serial, id) WHERE batch_id IS NOT NULL;

-- A worker of an earlier version saves a serial of a job without the batch.
CREATE FUNCTION put_into_batch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.batch_id := (SELECT jobs.batch_id FROM jobs WHERE jobs.id = NEW.job_id);
  RETURN NEW;
END $$;
CREATE TRIGGER serials_put_into_batch BEFORE INSERT ON serials FOR EACH ROW
  WHEN (NEW.batch_id IS NULL AND NEW.job_id IS NOT NULL)
  EXECUTE FUNCTION put_into_batch();
