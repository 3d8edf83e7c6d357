-- Work in the background is held like a job: by a lease and a token. Columns as in 0001_jobs.sql. What an earlier version
-- was in the middle of has no lease, and is begun anew.

ALTER TABLE tasks ADD COLUMN token TEXT;
ALTER TABLE tasks ADD COLUMN worker TEXT;
ALTER TABLE tasks ADD COLUMN holder TEXT;
ALTER TABLE tasks ADD COLUMN boot TEXT;
ALTER TABLE tasks ADD COLUMN lease_tick INTEGER;
-- Times it was begun.
ALTER TABLE tasks ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
-- Who asked; null for what came without a key, and before this was kept.
ALTER TABLE tasks ADD COLUMN key_id TEXT;

-- Files that their rows have let go of, until they are gone: photos and pictures alike.
CREATE TABLE blob_removals (
  kind TEXT NOT NULL CHECK (kind IN ('photo', 'annotation', 'report')),
  name TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) WITHOUT ROWID;

INSERT INTO blob_removals SELECT 'photo', photo FROM photo_removals;
DROP TABLE photo_removals;
