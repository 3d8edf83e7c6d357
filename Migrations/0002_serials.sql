-- Saved serials, from photos and from devices; they outlive their jobs. Times as in 0001_jobs.sql.

CREATE TABLE serials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  created_at INTEGER NOT NULL,
  serial TEXT NOT NULL,
  -- As the client wrote it; empty where it wrote none.
  device_type TEXT NOT NULL DEFAULT '' COLLATE NOCASE,
  preset TEXT,
  -- 0 to 1.
  confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  -- What read it: barcode, tesseract, ...
  method TEXT,
  -- Where it came from: scan, ios, mac.
  source TEXT NOT NULL,
  -- Whether it fits the grammar.
  valid INTEGER NOT NULL,
  notes TEXT,
  -- The job that read it; each saves at most one. No reference: the serial stays when the job goes.
  job_id TEXT UNIQUE
);

-- One index for each order of a list; the id that follows in each makes the order total.
CREATE INDEX serials_created_at ON serials (created_at);
CREATE INDEX serials_serial ON serials (serial);
CREATE INDEX serials_confidence ON serials (confidence);
CREATE INDEX serials_device_type ON serials (device_type);
CREATE INDEX serials_source ON serials (source, created_at);

-- Parts of serials and device types, of three characters and more, without looking at every row.
CREATE VIRTUAL TABLE serial_search USING fts5 (
  serial, device_type, content = 'serials', content_rowid = 'id', tokenize = 'trigram'
);

-- How many there are, a row for each day (since 1970, UTC) and kind, kept by triggers.
CREATE TABLE serial_counts (
  day INTEGER NOT NULL,
  source TEXT NOT NULL,
  device_type TEXT NOT NULL COLLATE NOCASE,
  valid INTEGER NOT NULL,
  count INTEGER NOT NULL,
  confidence_sum REAL NOT NULL,
  PRIMARY KEY (day, source, device_type, valid)
) WITHOUT ROWID;

CREATE TRIGGER serials_insert AFTER INSERT ON serials BEGIN
  INSERT INTO serial_search (rowid, serial, device_type) VALUES (NEW.id, NEW.serial, NEW.device_type);
  INSERT INTO serial_counts (day, source, device_type, valid, count, confidence_sum)
  VALUES (NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, 1, NEW.confidence)
  ON CONFLICT (day, source, device_type, valid)
  DO UPDATE SET count = count + 1, confidence_sum = confidence_sum + NEW.confidence;
END;

CREATE TRIGGER serials_delete AFTER DELETE ON serials BEGIN
  INSERT INTO serial_search (serial_search, rowid, serial, device_type)
  VALUES ('delete', OLD.id, OLD.serial, OLD.device_type);
  UPDATE serial_counts SET count = count - 1, confidence_sum = confidence_sum - OLD.confidence
  WHERE day = OLD.created_at / 86400000000 AND source = OLD.source AND device_type = OLD.device_type
    AND valid = OLD.valid;
END;
