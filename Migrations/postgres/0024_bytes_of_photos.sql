-- With the bytes, as in SQLite. The statements of an earlier version use this index as well.

DROP INDEX jobs_photo_kept;
CREATE INDEX jobs_photo_kept ON jobs (ended_at, seq) INCLUDE (photo_bytes) WHERE ended_at IS NOT NULL AND NOT photo_pruned;
