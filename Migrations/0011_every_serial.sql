-- A job may read every serial of its photo, and saves each once.

-- Whether it reads every serial, in place of the device's one.
ALTER TABLE jobs ADD COLUMN multiple INTEGER NOT NULL DEFAULT 0;

-- A constraint can't be taken off a column: the column steps aside, and holds nothing from now on.
ALTER TABLE serials RENAME COLUMN job_id TO former_job_id;
ALTER TABLE serials ADD COLUMN job_id TEXT;
UPDATE serials SET job_id = former_job_id, former_job_id = NULL WHERE former_job_id IS NOT NULL;
CREATE UNIQUE INDEX serials_job ON serials (job_id, serial) WHERE job_id IS NOT NULL;
