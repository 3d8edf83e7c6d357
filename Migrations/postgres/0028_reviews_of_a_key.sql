-- Photos that need review are found by their key without reading the jobs of others.

CREATE INDEX jobs_to_check_of_key ON jobs (key_id, verdict, seq)
WHERE verdict IS NOT NULL AND key_id IS NOT NULL AND confirmed_at IS NULL AND review IS NULL;
