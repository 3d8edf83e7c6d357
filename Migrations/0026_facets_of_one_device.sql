-- A read is changed, confirmed or deleted without a look at every device. The trigger is the one of before, and does the same: but
-- its `OR` made SQLite look for the facets by their values, which nearly all devices have, and not by the device.

DROP TRIGGER device_reads_remove;

CREATE TRIGGER device_reads_remove INSTEAD OF INSERT ON device_reads_removed BEGIN
  UPDATE devices SET times_seen = times_seen - 1 WHERE serial = NEW.serial;
  DELETE FROM devices WHERE serial = NEW.serial AND times_seen <= 0
    AND NOT EXISTS (SELECT 1 FROM device_values WHERE device_values.serial = NEW.serial);
  UPDATE device_facets SET times = times - 1
    WHERE device_id = (SELECT id FROM devices WHERE serial = NEW.serial)
      AND value = CASE name WHEN 'source' THEN NEW.source WHEN 'key' THEN NEW.key_id END;
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
