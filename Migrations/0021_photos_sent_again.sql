-- A photo that was sent again counts in its batch's duplicates, not among its photos.

ALTER TABLE batches ADD COLUMN expired_duplicates INTEGER NOT NULL DEFAULT 0;

DROP INDEX jobs_batch_tally;
CREATE INDEX jobs_batch_tally ON jobs (batch_id, verdict, confirmed_at, review, duplicate_of) WHERE batch_id IS NOT NULL;
