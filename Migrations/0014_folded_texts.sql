-- What device types are ordered and compared by, and what searches look through: in one case of every script, as the program
-- writes it. `serialscan_folded` is the program's own function; no other statement calls it.

ALTER TABLE serials ADD COLUMN device_type_key TEXT NOT NULL DEFAULT '';
-- The serial, the device type and the file name, a line each.
ALTER TABLE serials ADD COLUMN search_text TEXT NOT NULL DEFAULT '';

DROP TRIGGER serials_insert;
DROP TRIGGER serials_delete;
DROP TRIGGER serials_update;
DROP TABLE serial_search;
DROP INDEX serials_device_type;

UPDATE serials SET device_type_key = serialscan_folded(device_type),
  search_text = serialscan_folded(serial || char(10) || device_type || char(10) || coalesce(filename, ''));

CREATE INDEX serials_device_type ON serials (device_type_key);

-- Parts of three characters and more, without looking at every row.
CREATE VIRTUAL TABLE serial_search USING fts5 (
  search_text, content = 'serials', content_rowid = 'id', tokenize = 'trigram case_sensitive 1'
);
INSERT INTO serial_search (serial_search) VALUES ('rebuild');

CREATE TRIGGER serials_insert AFTER INSERT ON serials BEGIN
  INSERT INTO serial_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
  INSERT INTO serial_counts (day, source, device_type, valid, count, confidence_sum)
  VALUES (NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, 1, NEW.confidence)
  ON CONFLICT (day, source, device_type, valid)
  DO UPDATE SET count = count + 1, confidence_sum = confidence_sum + NEW.confidence;
END;

CREATE TRIGGER serials_delete AFTER DELETE ON serials BEGIN
  INSERT INTO serial_search (serial_search, rowid, search_text) VALUES ('delete', OLD.id, OLD.search_text);
  UPDATE serial_counts SET count = count - 1, confidence_sum = confidence_sum - OLD.confidence
  WHERE day = OLD.created_at / 86400000000 AND source = OLD.source AND device_type = OLD.device_type
    AND valid = OLD.valid;
END;

CREATE TRIGGER serials_update_search AFTER UPDATE OF search_text ON serials BEGIN
  INSERT INTO serial_search (serial_search, rowid, search_text) VALUES ('delete', OLD.id, OLD.search_text);
  INSERT INTO serial_search (rowid, search_text) VALUES (NEW.id, NEW.search_text);
END;

CREATE TRIGGER serials_update AFTER UPDATE OF device_type, valid, confidence ON serials BEGIN
  UPDATE serial_counts SET count = count - 1, confidence_sum = confidence_sum - OLD.confidence
  WHERE day = OLD.created_at / 86400000000 AND source = OLD.source AND device_type = OLD.device_type
    AND valid = OLD.valid;
  INSERT INTO serial_counts (day, source, device_type, valid, count, confidence_sum)
  VALUES (NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, 1, NEW.confidence)
  ON CONFLICT (day, source, device_type, valid)
  DO UPDATE SET count = count + 1, confidence_sum = confidence_sum + NEW.confidence;
END;

-- Nothing looks a job up by its photo.
DROP INDEX jobs_photo;
