-- What a person decided about a photo of which no serial is saved: that it shows none (no_serial), or that it is photographed anew (retake);
-- null where nobody did. Such a photo needs no review any more. Times as in 0001_jobs.sql.

ALTER TABLE jobs ADD COLUMN review TEXT CHECK (review IN ('no_serial', 'retake'));
ALTER TABLE jobs ADD COLUMN reviewed_at INTEGER;

-- What needs review, by verdict.
DROP INDEX jobs_to_check;
CREATE INDEX jobs_to_check ON jobs (verdict, seq) WHERE confirmed_at IS NULL AND review IS NULL;
CREATE INDEX jobs_reviewed ON jobs (seq) WHERE review IS NOT NULL;

-- The tally of a batch: a photo that a person has reviewed needs no review.
DROP INDEX jobs_batch_tally;
CREATE INDEX jobs_batch_tally ON jobs (batch_id, verdict, confirmed_at, review) WHERE batch_id IS NOT NULL;
