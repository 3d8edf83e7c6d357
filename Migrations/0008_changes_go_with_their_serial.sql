-- What stood in a serial before a person changed it goes with the serial, whoever deletes it.
DELETE FROM serial_changes WHERE serial_id NOT IN (SELECT id FROM serials);

CREATE TRIGGER serials_forget_changes AFTER DELETE ON serials BEGIN
  DELETE FROM serial_changes WHERE serial_id = OLD.id;
END;

-- When a serial was read before.
CREATE INDEX serials_serial_time ON serials (serial, created_at);
