-- The next job of a photo is found by the photo. The function is the one of before, and does the same: but PostgreSQL, which keeps its
-- plan, walked all jobs by their numbers for each deleted one once some photos had been sent often, and retention timed out. By a
-- computed number it can't.

CREATE OR REPLACE FUNCTION forget_first_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE next text;
BEGIN
  SELECT id INTO next FROM jobs WHERE duplicate_of = OLD.id ORDER BY seq + 0 LIMIT 1;
  IF next IS NOT NULL THEN
    UPDATE serials SET job_id = next WHERE job_id = OLD.id
      AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.job_id = next AND other.serial = serials.serial);
    UPDATE jobs SET duplicate_of = nullif(next, id) WHERE duplicate_of = OLD.id;
  END IF;
  RETURN NULL;
END $$;
