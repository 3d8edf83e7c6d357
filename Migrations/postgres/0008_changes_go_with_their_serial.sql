-- What stood in a serial before a person changed it goes with the serial, whoever deletes it.
CREATE FUNCTION forget_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM serial_changes WHERE serial_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER serials_forget_changes AFTER DELETE ON serials FOR EACH ROW EXECUTE FUNCTION forget_changes();

DELETE FROM serial_changes WHERE NOT EXISTS (SELECT 1 FROM serials WHERE serials.id = serial_changes.serial_id);

-- When a serial was read before.
CREATE INDEX serials_serial_time ON serials (serial, created_at, id);
