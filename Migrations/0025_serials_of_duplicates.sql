-- What was saved of a photo that was sent again stays with the photo's first job when its own job goes, as what the first job saved
-- goes to the next one: the photo is known whenever it comes.

CREATE TRIGGER jobs_leave_serials BEFORE DELETE ON jobs WHEN OLD.duplicate_of IS NOT NULL BEGIN
  UPDATE serials SET job_id = OLD.duplicate_of WHERE job_id = OLD.id
    AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.job_id = OLD.duplicate_of AND other.serial = serials.serial);
END;
