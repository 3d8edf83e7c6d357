-- A photo that was sent again is looked up among the first jobs of the same photo: one for each key, part and batch, however
-- often it was sent.

CREATE INDEX jobs_first_of_photo ON jobs (photo_hash, seq) WHERE duplicate_of IS NULL AND ended_at IS NOT NULL;
DROP INDEX jobs_photo_hash;
