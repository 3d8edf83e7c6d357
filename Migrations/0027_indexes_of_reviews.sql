-- Photos that need review are found by their key as well, and confirmed or reviewed ones by their verdict, without reading the
-- jobs of others.

CREATE INDEX jobs_to_check_of_key ON jobs (key_id, verdict, seq)
WHERE key_id IS NOT NULL AND confirmed_at IS NULL AND review IS NULL;

DROP INDEX jobs_confirmed;
CREATE INDEX jobs_confirmed ON jobs (seq, verdict) WHERE confirmed_at IS NOT NULL;

DROP INDEX jobs_reviewed;
CREATE INDEX jobs_reviewed ON jobs (seq, verdict) WHERE review IS NOT NULL;
