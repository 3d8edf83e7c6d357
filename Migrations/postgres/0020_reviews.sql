-- What a person decided about a photo of which no serial is saved, as in SQLite; null from a version that does not know of it. Such a
-- version confirms a serial without taking the decision back: who confirmed counts.

ALTER TABLE jobs ADD COLUMN review text COLLATE "C" CHECK (review IN ('no_serial', 'retake'));
ALTER TABLE jobs ADD COLUMN reviewed_at bigint;

-- What needs review, by verdict.
DROP INDEX jobs_to_check;
CREATE INDEX jobs_to_check ON jobs (verdict, seq) WHERE verdict IS NOT NULL AND confirmed_at IS NULL AND review IS NULL;
CREATE INDEX jobs_reviewed ON jobs (seq) WHERE review IS NOT NULL;

-- The tally of a batch: a photo that a person has reviewed needs no review.
DROP INDEX jobs_batch_tally;
CREATE INDEX jobs_batch_tally ON jobs (batch_id, verdict, confirmed_at, review) WHERE batch_id IS NOT NULL;
