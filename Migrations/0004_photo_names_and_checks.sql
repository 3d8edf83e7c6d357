-- The photo's own name, the verdict as a column, and what people say of reads. Times as in 0001_jobs.sql.

-- As the client named the file, without a path; null where it gave no name.
ALTER TABLE jobs ADD COLUMN filename TEXT;
-- What the reader made of the photo; null before the end, and refused where nothing could be read. A reading that is
-- damaged must not keep the table from being read or indexed.
ALTER TABLE jobs ADD COLUMN verdict TEXT GENERATED ALWAYS AS (
  CASE WHEN state IN ('completed', 'failed')
    THEN coalesce(CASE WHEN json_valid(reading) THEN json_extract(reading, '$.verdict') END, 'refused') END
) VIRTUAL;
-- What a person said the serial is, and when; null where nobody did.
ALTER TABLE jobs ADD COLUMN confirmed_serial TEXT;
ALTER TABLE jobs ADD COLUMN confirmed_at INTEGER;

CREATE INDEX jobs_verdict ON jobs (verdict, seq);
CREATE INDEX jobs_to_check ON jobs (verdict, seq) WHERE confirmed_at IS NULL;
CREATE INDEX jobs_confirmed ON jobs (seq) WHERE confirmed_at IS NOT NULL;

ALTER TABLE serials ADD COLUMN filename TEXT;
-- What the reader made of it; null where it was read before this column was there and its job is gone.
ALTER TABLE serials ADD COLUMN verdict TEXT;
ALTER TABLE serials ADD COLUMN confirmed_at INTEGER;
UPDATE serials SET verdict = (SELECT jobs.verdict FROM jobs WHERE jobs.id = serials.job_id);

-- What stood in a row of serials before a person changed it or took it away.
CREATE TABLE serial_changes (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  -- No reference: the history stays when the serial goes.
  serial_id INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  -- What was done: confirmed, changed or deleted.
  change TEXT NOT NULL,
  serial TEXT NOT NULL,
  device_type TEXT NOT NULL,
  notes TEXT,
  confidence REAL NOT NULL,
  method TEXT
);

CREATE INDEX serial_changes_serial ON serial_changes (serial_id, seq);

-- The index of parts knows file names too.
DROP TRIGGER serials_insert;
DROP TRIGGER serials_delete;
DROP TABLE serial_search;
CREATE VIRTUAL TABLE serial_search USING fts5 (
  serial, device_type, filename, content = 'serials', content_rowid = 'id', tokenize = 'trigram'
);
INSERT INTO serial_search (serial_search) VALUES ('rebuild');

CREATE TRIGGER serials_insert AFTER INSERT ON serials BEGIN
  INSERT INTO serial_search (rowid, serial, device_type, filename)
  VALUES (NEW.id, NEW.serial, NEW.device_type, NEW.filename);
  INSERT INTO serial_counts (day, source, device_type, valid, count, confidence_sum)
  VALUES (NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, 1, NEW.confidence)
  ON CONFLICT (day, source, device_type, valid)
  DO UPDATE SET count = count + 1, confidence_sum = confidence_sum + NEW.confidence;
END;

CREATE TRIGGER serials_delete AFTER DELETE ON serials BEGIN
  INSERT INTO serial_search (serial_search, rowid, serial, device_type, filename)
  VALUES ('delete', OLD.id, OLD.serial, OLD.device_type, OLD.filename);
  UPDATE serial_counts SET count = count - 1, confidence_sum = confidence_sum - OLD.confidence
  WHERE day = OLD.created_at / 86400000000 AND source = OLD.source AND device_type = OLD.device_type
    AND valid = OLD.valid;
END;

CREATE TRIGGER serials_update AFTER UPDATE OF serial, device_type, valid, confidence ON serials BEGIN
  INSERT INTO serial_search (serial_search, rowid, serial, device_type, filename)
  VALUES ('delete', OLD.id, OLD.serial, OLD.device_type, OLD.filename);
  INSERT INTO serial_search (rowid, serial, device_type, filename)
  VALUES (NEW.id, NEW.serial, NEW.device_type, NEW.filename);
  UPDATE serial_counts SET count = count - 1, confidence_sum = confidence_sum - OLD.confidence
  WHERE day = OLD.created_at / 86400000000 AND source = OLD.source AND device_type = OLD.device_type
    AND valid = OLD.valid;
  INSERT INTO serial_counts (day, source, device_type, valid, count, confidence_sum)
  VALUES (NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, 1, NEW.confidence)
  ON CONFLICT (day, source, device_type, valid)
  DO UPDATE SET count = count + 1, confidence_sum = confidence_sum + NEW.confidence;
END;
