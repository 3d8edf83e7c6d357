-- What was saved of a photo that was sent again stays with the photo's first job, as in SQLite. It is left before the deletion, so
-- that where both jobs go at once, the next one gets it from the first. An earlier version that deletes a photo that was sent again
-- together with its serial leaves the serial to the first job.

CREATE FUNCTION leave_serials() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE serials SET job_id = OLD.duplicate_of WHERE job_id = OLD.id
    AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.job_id = OLD.duplicate_of AND other.serial = serials.serial);
  RETURN OLD;
END $$;
CREATE TRIGGER jobs_leave_serials BEFORE DELETE ON jobs FOR EACH ROW WHEN (OLD.duplicate_of IS NOT NULL)
  EXECUTE FUNCTION leave_serials();
