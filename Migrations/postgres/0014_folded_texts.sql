-- What device types are ordered and compared by, and what searches look through, as in SQLite: the program writes both. They
-- are empty in rows that an earlier version has written, also one that runs beside this; a server fills those when it opens the
-- store, and every minute.

ALTER TABLE serials ADD COLUMN device_type_key text COLLATE "C" NOT NULL DEFAULT '';
-- The serial, the device type and the file name, a line each.
ALTER TABLE serials ADD COLUMN search_text text COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX serials_device_type_key ON serials (device_type_key, id);
-- The rows to be filled.
CREATE INDEX serials_to_fold ON serials (id) WHERE search_text = '';

-- An earlier version changes a text without these columns.
CREATE FUNCTION unfold_serial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.search_text := '';
  RETURN NEW;
END $$;
CREATE TRIGGER serials_unfold BEFORE UPDATE OF serial, device_type ON serials FOR EACH ROW
  WHEN (NEW.search_text = OLD.search_text
    AND (lower(NEW.serial) <> lower(OLD.serial) OR lower(NEW.device_type) <> lower(OLD.device_type)))
  EXECUTE FUNCTION unfold_serial();

-- Where the extension can't be had, a search looks at every row.
DO $$
BEGIN
  CREATE INDEX serials_search_text ON serials USING gin (search_text gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no trigram index: %', SQLERRM;
END $$;
DROP INDEX IF EXISTS serials_search;

-- Nothing looks a job up by its photo.
DROP INDEX jobs_photo;
