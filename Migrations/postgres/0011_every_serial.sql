-- A job may read every serial of its photo, and saves each once. A version that reads one saves one, as before.

-- Whether it reads every serial, in place of the device's one.
ALTER TABLE jobs ADD COLUMN multiple boolean NOT NULL DEFAULT false;

ALTER TABLE serials DROP CONSTRAINT serials_job_id_key;
CREATE UNIQUE INDEX serials_job ON serials (job_id, serial);
