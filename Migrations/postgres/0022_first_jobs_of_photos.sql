-- The first jobs of a photo, as in SQLite. The look-ups of an earlier version use this index as well.

CREATE INDEX jobs_first_of_photo ON jobs (photo_hash, seq) WHERE duplicate_of IS NULL AND ended_at IS NOT NULL;
DROP INDEX jobs_photo_hash;
