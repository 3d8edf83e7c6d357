-- Photos and other files, and work in the background that is held like a job.

-- What a blob is found by. A blob that takes another's name is a new row with a number of its own.
CREATE TABLE blobs (
  blob bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  size bigint NOT NULL,
  stored_at bigint NOT NULL,
  PRIMARY KEY (kind, name)
);

-- Its bytes in rows of at most 1 MiB, so that no statement holds more of it in memory. Photos are compressed already:
-- EXTERNAL leaves them as they are, and lets a part of a row be read without the rest.
CREATE TABLE blob_parts (
  blob bigint NOT NULL,
  number int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (blob, number)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 100);
ALTER TABLE blob_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Bytes whose row is gone: they go a little later, in batches, and may be read until then by who had begun.
CREATE TABLE blob_part_removals (
  blob bigint PRIMARY KEY,
  since bigint NOT NULL
);

-- Files in a folder of photos that their rows have let go of, until they are gone.
CREATE TABLE blob_removals (
  kind text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  PRIMARY KEY (kind, name)
);
INSERT INTO blob_removals SELECT 'photo', photo FROM photo_removals ON CONFLICT DO NOTHING;

ALTER TABLE tasks ADD COLUMN token text;
ALTER TABLE tasks ADD COLUMN worker text;
ALTER TABLE tasks ADD COLUMN lease_until bigint;
-- Times it was begun.
ALTER TABLE tasks ADD COLUMN attempts int NOT NULL DEFAULT 0;
-- The key that asked for it; null where the server was open.
ALTER TABLE tasks ADD COLUMN key_id text;
CREATE INDEX tasks_open ON tasks (seq) WHERE state IN ('queued', 'processing');
CREATE INDEX tasks_key ON tasks (key_id, seq) WHERE key_id IS NOT NULL;

-- Databases that were taken over, by what tells them apart: a copy that broke off goes on, and nothing else is mixed in.
CREATE TABLE copies (
  source text PRIMARY KEY,
  begun_at bigint NOT NULL,
  ended_at bigint
);
