-- Devices: a row for each serial, kept by triggers from its reads (`serials`) and from what people, codes and imports say of
-- it (`device_values`). Times as in 0001_jobs.sql.

-- How far a read is believed: 3 where a person confirmed it or wrote it, 2 where it was accepted, 1 otherwise.
ALTER TABLE serials ADD COLUMN standing INTEGER GENERATED ALWAYS AS (
  CASE WHEN confirmed_at IS NOT NULL OR method = 'person' THEN 3
    WHEN verdict = 'accepted' OR (verdict IS NULL AND valid) THEN 2 ELSE 1 END
) VIRTUAL;

-- What is said of a device. No reference: a device may be known before it is read.
CREATE TABLE device_values (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  serial TEXT NOT NULL,
  -- A custom field's name. Names that begin with `=` are the program's own: `=imported` (`valid` or `invalid`, by its format)
  -- marks a device of an imported list, `=device_type` is the type that a person gave.
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  -- The value in one case of every script, as the program writes it.
  value_key TEXT NOT NULL,
  -- Where it is from: a person, a code in a photo, or an imported list.
  origin TEXT NOT NULL CHECK (origin IN ('person', 'code', 'import')),
  set_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX device_values_name ON device_values (serial, name);

CREATE TABLE devices (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  serial TEXT NOT NULL UNIQUE,
  -- Of its reads; without any, when it was imported.
  first_seen INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  times_seen INTEGER NOT NULL DEFAULT 0,
  -- A person's, otherwise the latest that a read names; empty where there is none.
  device_type TEXT NOT NULL DEFAULT '',
  device_type_key TEXT NOT NULL DEFAULT '',
  -- When the read was made that names the type; the largest number where a person did.
  type_at INTEGER,
  -- The read that is believed most, then the surest, then the latest; null without reads.
  best_id INTEGER,
  best_at INTEGER,
  -- Standing of the best read; 0 without reads.
  status INTEGER NOT NULL DEFAULT 0,
  confidence REAL NOT NULL DEFAULT 0,
  valid INTEGER NOT NULL DEFAULT 0,
  -- The best read's, then the device type and the custom values, a line each.
  search_text TEXT NOT NULL DEFAULT ''
);

-- What devices are found by that one may have several of: sources (`source`) and keys (`key`) of its reads, custom values
-- (`custom.NAME`). The time is the device's own, so that a filtered list in its usual order is read from the index.
CREATE TABLE device_facets (
  device_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  times INTEGER NOT NULL,
  last_seen INTEGER NOT NULL,
  PRIMARY KEY (device_id, name, value)
) WITHOUT ROWID;

INSERT INTO devices (
  serial, first_seen, last_seen, times_seen, best_id, best_at, status, confidence, valid, device_type, device_type_key, type_at
)
SELECT serial, first_seen, last_seen, times_seen, id, created_at, standing, confidence, valid, coalesce(
    (SELECT device_type FROM serials r WHERE r.serial = best.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
  coalesce((SELECT device_type_key FROM serials r WHERE r.serial = best.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
  (SELECT created_at FROM serials r WHERE r.serial = best.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1)
FROM (
  SELECT serial, id, created_at, standing, confidence, valid, min(created_at) OVER all_reads AS first_seen,
    max(created_at) OVER all_reads AS last_seen, count(*) OVER all_reads AS times_seen,
    row_number() OVER (PARTITION BY serial ORDER BY standing DESC, confidence DESC, created_at DESC, id DESC) AS place
  FROM serials WINDOW all_reads AS (PARTITION BY serial)
) AS best WHERE place = 1 ORDER BY first_seen, id;

INSERT INTO device_facets (device_id, name, value, times, last_seen)
  SELECT devices.id, 'source', source, count(*), last_seen FROM serials JOIN devices ON devices.serial = serials.serial
  GROUP BY devices.id, source;
INSERT INTO device_facets (device_id, name, value, times, last_seen)
  SELECT devices.id, 'key', key_id, count(*), last_seen FROM serials JOIN devices ON devices.serial = serials.serial
  WHERE key_id IS NOT NULL GROUP BY devices.id, key_id;

UPDATE devices SET search_text =
  (SELECT search_text FROM serials WHERE serials.id = devices.best_id) || char(10) || device_type_key;

-- One index for each order of a list, and for each filter in the usual order.
CREATE INDEX devices_last_seen ON devices (last_seen, id);
CREATE INDEX devices_first_seen ON devices (first_seen, id);
CREATE INDEX devices_times_seen ON devices (times_seen, id);
CREATE INDEX devices_device_type ON devices (device_type_key, id);
CREATE INDEX devices_type_seen ON devices (device_type_key, last_seen, id);
CREATE INDEX devices_status ON devices (status, last_seen, id);
CREATE INDEX devices_invalid ON devices (last_seen, id) WHERE NOT valid;
CREATE INDEX device_facets_seen ON device_facets (name, value, last_seen, device_id);

-- Parts of three characters and more, without looking at every row.
CREATE VIRTUAL TABLE device_search USING fts5 (
  search_text, content = 'devices', content_rowid = 'id', tokenize = 'trigram case_sensitive 1'
);
INSERT INTO device_search (device_search) VALUES ('rebuild');

CREATE TRIGGER devices_delete AFTER DELETE ON devices BEGIN
  DELETE FROM device_facets WHERE device_id = OLD.id;
  INSERT INTO device_search (device_search, rowid, search_text)
    SELECT 'delete', OLD.id, OLD.search_text WHERE OLD.search_text <> '';
END;

CREATE TRIGGER devices_search AFTER UPDATE OF search_text ON devices WHEN OLD.search_text <> NEW.search_text BEGIN
  INSERT INTO device_search (device_search, rowid, search_text)
    SELECT 'delete', OLD.id, OLD.search_text WHERE OLD.search_text <> '';
  INSERT INTO device_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER devices_seen AFTER UPDATE OF last_seen ON devices WHEN OLD.last_seen <> NEW.last_seen BEGIN
  UPDATE device_facets SET last_seen = NEW.last_seen WHERE device_id = NEW.id;
END;

-- Views that are no tables: to insert into one is to call its trigger.

-- The text that searches match is written anew.
CREATE VIEW device_texts AS SELECT serial FROM devices;
CREATE TRIGGER device_texts_write INSTEAD OF INSERT ON device_texts BEGIN
  UPDATE devices SET search_text = coalesce(
      (SELECT search_text FROM serials WHERE serials.id = devices.best_id), lower(devices.serial))
    || char(10) || device_type_key || coalesce(
      (SELECT char(10) || group_concat(value_key, char(10)) FROM device_values
        WHERE device_values.serial = devices.serial AND substr(name, 1, 1) <> '='), '')
  WHERE serial = NEW.serial;
END;

-- The device has a read more.
CREATE VIEW device_reads_added AS
  SELECT id, created_at, serial, device_type, device_type_key, confidence, source, valid, key_id, standing FROM serials;
CREATE TRIGGER device_reads_add INSTEAD OF INSERT ON device_reads_added BEGIN
  INSERT INTO devices (
    serial, first_seen, last_seen, times_seen, device_type, device_type_key, type_at, best_id, best_at, status, confidence, valid)
  VALUES (NEW.serial, NEW.created_at, NEW.created_at, 1, NEW.device_type, NEW.device_type_key,
    CASE WHEN NEW.device_type <> '' THEN NEW.created_at END, NEW.id, NEW.created_at, NEW.standing, NEW.confidence, NEW.valid)
  ON CONFLICT (serial) DO UPDATE SET
    first_seen = CASE WHEN times_seen = 0 THEN excluded.first_seen ELSE min(first_seen, excluded.first_seen) END,
    last_seen = CASE WHEN times_seen = 0 THEN excluded.last_seen ELSE max(last_seen, excluded.last_seen) END,
    times_seen = times_seen + 1,
    device_type = CASE WHEN excluded.type_at >= coalesce(type_at, excluded.type_at)
      THEN excluded.device_type ELSE device_type END,
    device_type_key = CASE WHEN excluded.type_at >= coalesce(type_at, excluded.type_at)
      THEN excluded.device_type_key ELSE device_type_key END,
    type_at = CASE WHEN excluded.type_at >= coalesce(type_at, excluded.type_at) THEN excluded.type_at ELSE type_at END,
    best_id = CASE WHEN (excluded.status, excluded.confidence, excluded.best_at) >= (status, confidence, coalesce(best_at, 0))
      THEN excluded.best_id ELSE best_id END,
    best_at = CASE WHEN (excluded.status, excluded.confidence, excluded.best_at) >= (status, confidence, coalesce(best_at, 0))
      THEN excluded.best_at ELSE best_at END,
    status = CASE WHEN (excluded.status, excluded.confidence, excluded.best_at) >= (status, confidence, coalesce(best_at, 0))
      THEN excluded.status ELSE status END,
    confidence = CASE WHEN (excluded.status, excluded.confidence, excluded.best_at) >= (status, confidence, coalesce(best_at, 0))
      THEN excluded.confidence ELSE confidence END,
    valid = CASE WHEN (excluded.status, excluded.confidence, excluded.best_at) >= (status, confidence, coalesce(best_at, 0))
      THEN excluded.valid ELSE valid END;
  INSERT INTO device_facets (device_id, name, value, times, last_seen)
    SELECT id, 'source', NEW.source, 1, last_seen FROM devices WHERE serial = NEW.serial
    ON CONFLICT (device_id, name, value) DO UPDATE SET times = times + 1;
  INSERT INTO device_facets (device_id, name, value, times, last_seen)
    SELECT id, 'key', NEW.key_id, 1, last_seen FROM devices WHERE serial = NEW.serial AND NEW.key_id IS NOT NULL
    ON CONFLICT (device_id, name, value) DO UPDATE SET times = times + 1;
  INSERT INTO device_texts VALUES (NEW.serial);
END;

-- The device has a read less. A device that is left without reads and values goes.
CREATE VIEW device_reads_removed AS SELECT id, created_at, serial, source, key_id FROM serials;
CREATE TRIGGER device_reads_remove INSTEAD OF INSERT ON device_reads_removed BEGIN
  UPDATE devices SET times_seen = times_seen - 1 WHERE serial = NEW.serial;
  DELETE FROM devices WHERE serial = NEW.serial AND times_seen <= 0
    AND NOT EXISTS (SELECT 1 FROM device_values WHERE device_values.serial = NEW.serial);
  UPDATE device_facets SET times = times - 1
    WHERE device_id = (SELECT id FROM devices WHERE serial = NEW.serial)
      AND ((name = 'source' AND value = NEW.source) OR (name = 'key' AND value = NEW.key_id));
  DELETE FROM device_facets WHERE device_id = (SELECT id FROM devices WHERE serial = NEW.serial) AND times <= 0;
  UPDATE devices SET first_seen = (SELECT min(created_at) FROM serials WHERE serial = NEW.serial),
      last_seen = (SELECT max(created_at) FROM serials WHERE serial = NEW.serial)
    WHERE serial = NEW.serial AND times_seen > 0 AND NEW.created_at IN (first_seen, last_seen);
  UPDATE devices SET (best_id, best_at, status, confidence, valid) = (
      SELECT id, created_at, standing, confidence, valid FROM serials WHERE serial = NEW.serial
      ORDER BY standing DESC, confidence DESC, created_at DESC, id DESC LIMIT 1)
    WHERE serial = NEW.serial AND best_id = NEW.id AND times_seen > 0;
  UPDATE devices SET best_id = NULL, best_at = NULL, status = 0, confidence = 0
    WHERE serial = NEW.serial AND times_seen <= 0;
  UPDATE devices SET device_type = coalesce((SELECT device_type FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
      device_type_key = coalesce((SELECT device_type_key FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
      type_at = (SELECT created_at FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1)
    WHERE serial = NEW.serial AND type_at = NEW.created_at;
  INSERT INTO device_texts VALUES (NEW.serial);
END;

CREATE TRIGGER serials_device_insert AFTER INSERT ON serials BEGIN
  INSERT INTO device_reads_added VALUES (NEW.id, NEW.created_at, NEW.serial, NEW.device_type, NEW.device_type_key,
    NEW.confidence, NEW.source, NEW.valid, NEW.key_id, NEW.standing);
END;

CREATE TRIGGER serials_device_delete AFTER DELETE ON serials BEGIN
  INSERT INTO device_reads_removed VALUES (OLD.id, OLD.created_at, OLD.serial, OLD.source, OLD.key_id);
END;

-- Added before it is removed, so that a device with one read stays. Where a serial was misread, what people and codes said of
-- the device goes to the right one; what a list says of another device stays there.
CREATE TRIGGER serials_device_update AFTER UPDATE OF
  created_at, serial, device_type, device_type_key, confidence, method, source, valid, verdict, confirmed_at, key_id, search_text
ON serials BEGIN
  INSERT INTO device_reads_added VALUES (NEW.id, NEW.created_at, NEW.serial, NEW.device_type, NEW.device_type_key,
    NEW.confidence, NEW.source, NEW.valid, NEW.key_id, NEW.standing);
  UPDATE device_values SET serial = NEW.serial
    WHERE serial = OLD.serial AND OLD.serial <> NEW.serial AND origin <> 'import'
      AND NOT EXISTS (SELECT 1 FROM serials WHERE serials.serial = OLD.serial)
      AND NOT EXISTS (SELECT 1 FROM device_values other WHERE other.serial = NEW.serial AND other.name = device_values.name);
  DELETE FROM device_values
    WHERE serial = OLD.serial AND OLD.serial <> NEW.serial AND origin <> 'import'
      AND NOT EXISTS (SELECT 1 FROM serials WHERE serials.serial = OLD.serial)
      AND EXISTS (SELECT 1 FROM device_values other WHERE other.serial = NEW.serial AND other.name = device_values.name
        AND (other.value = device_values.value OR device_values.origin = 'code'));
  INSERT INTO device_reads_removed VALUES (OLD.id, OLD.created_at, OLD.serial, OLD.source, OLD.key_id);
END;

-- Something is said of a device, which is known from then on.
CREATE VIEW device_values_added AS SELECT serial, name, value, value_key, set_at FROM device_values;
CREATE TRIGGER device_values_add INSTEAD OF INSERT ON device_values_added BEGIN
  INSERT INTO devices (serial, first_seen, last_seen) VALUES (NEW.serial, NEW.set_at, NEW.set_at)
    ON CONFLICT (serial) DO NOTHING;
  UPDATE devices SET valid = NEW.value = 'valid'
    WHERE serial = NEW.serial AND times_seen = 0 AND NEW.name = '=imported';
  UPDATE devices SET device_type = NEW.value, device_type_key = NEW.value_key, type_at = 9223372036854775807
    WHERE serial = NEW.serial AND NEW.name = '=device_type';
  INSERT INTO device_facets (device_id, name, value, times, last_seen)
    SELECT id, 'custom.' || NEW.name, NEW.value_key, 1, last_seen FROM devices
    WHERE serial = NEW.serial AND substr(NEW.name, 1, 1) <> '='
    ON CONFLICT (device_id, name, value) DO UPDATE SET times = times + 1;
  INSERT INTO device_texts VALUES (NEW.serial);
END;

CREATE VIEW device_values_removed AS SELECT serial, name, value_key FROM device_values;
CREATE TRIGGER device_values_remove INSTEAD OF INSERT ON device_values_removed BEGIN
  DELETE FROM devices WHERE serial = NEW.serial AND times_seen <= 0
    AND NOT EXISTS (SELECT 1 FROM device_values WHERE device_values.serial = NEW.serial);
  DELETE FROM device_facets WHERE device_id = (SELECT id FROM devices WHERE serial = NEW.serial)
    AND name = 'custom.' || NEW.name AND value = NEW.value_key AND times <= 1;
  UPDATE device_facets SET times = times - 1 WHERE device_id = (SELECT id FROM devices WHERE serial = NEW.serial)
    AND name = 'custom.' || NEW.name AND value = NEW.value_key;
  UPDATE devices SET device_type = coalesce((SELECT device_type FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
      device_type_key = coalesce((SELECT device_type_key FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1), ''),
      type_at = (SELECT created_at FROM serials
        WHERE serial = NEW.serial AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1)
    WHERE serial = NEW.serial AND NEW.name = '=device_type'
      AND NOT EXISTS (SELECT 1 FROM device_values WHERE device_values.serial = NEW.serial AND name = '=device_type');
  INSERT INTO device_texts VALUES (NEW.serial);
END;

CREATE TRIGGER device_values_insert AFTER INSERT ON device_values BEGIN
  INSERT INTO device_values_added VALUES (NEW.serial, NEW.name, NEW.value, NEW.value_key, NEW.set_at);
END;

CREATE TRIGGER device_values_delete AFTER DELETE ON device_values BEGIN
  INSERT INTO device_values_removed VALUES (OLD.serial, OLD.name, OLD.value_key);
END;

CREATE TRIGGER device_values_update AFTER UPDATE OF serial, name, value, value_key ON device_values BEGIN
  INSERT INTO device_values_added VALUES (NEW.serial, NEW.name, NEW.value, NEW.value_key, NEW.set_at);
  INSERT INTO device_values_removed VALUES (OLD.serial, OLD.name, OLD.value_key);
END;

-- A hash of the photo, in hexadecimal: the same photo sent again is found by it. Null before this was kept.
ALTER TABLE jobs ADD COLUMN photo_hash TEXT;
-- The job of the same key that read the same part of the same photo first; null where there is none, or it was deleted.
ALTER TABLE jobs ADD COLUMN duplicate_of TEXT;
CREATE INDEX jobs_photo_hash ON jobs (photo_hash, seq) WHERE photo_hash IS NOT NULL;
CREATE INDEX jobs_duplicates ON jobs (duplicate_of) WHERE duplicate_of IS NOT NULL;

-- The next job of the photo takes the place of one that goes, with what was saved of it.
CREATE TRIGGER jobs_forget_first AFTER DELETE ON jobs
WHEN EXISTS (SELECT 1 FROM jobs WHERE duplicate_of = OLD.id) BEGIN
  UPDATE serials SET job_id = (SELECT id FROM jobs WHERE duplicate_of = OLD.id ORDER BY seq LIMIT 1)
    WHERE job_id = OLD.id AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.serial = serials.serial
      AND other.job_id = (SELECT id FROM jobs WHERE duplicate_of = OLD.id ORDER BY seq LIMIT 1));
  UPDATE jobs SET duplicate_of = nullif((SELECT id FROM jobs WHERE duplicate_of = OLD.id ORDER BY seq LIMIT 1), id)
    WHERE duplicate_of = OLD.id;
END;
