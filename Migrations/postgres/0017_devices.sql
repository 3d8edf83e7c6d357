-- Devices: a row for each serial, kept by triggers, as in SQLite. An earlier version that runs beside this one keeps them too,
-- as the triggers are the database's.

-- How far a read is believed: 3 where a person confirmed it or wrote it, 2 where it was accepted, 1 otherwise.
CREATE FUNCTION read_standing(read serials) RETURNS int LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN read.confirmed_at IS NOT NULL OR read.method = 'person' THEN 3
    WHEN read.verdict = 'accepted' OR (read.verdict IS NULL AND read.valid) THEN 2 ELSE 1 END
$$;

CREATE TABLE device_values (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  serial text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  value_key text COLLATE "C" NOT NULL,
  origin text NOT NULL CHECK (origin IN ('person', 'code', 'import')),
  set_at bigint NOT NULL,
  UNIQUE (serial, name)
);

CREATE TABLE devices (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  serial text COLLATE "C" NOT NULL UNIQUE,
  first_seen bigint NOT NULL,
  last_seen bigint NOT NULL,
  times_seen bigint NOT NULL DEFAULT 0,
  device_type text COLLATE "C" NOT NULL DEFAULT '',
  device_type_key text COLLATE "C" NOT NULL DEFAULT '',
  type_at bigint,
  best_id bigint,
  best_at bigint,
  status int NOT NULL DEFAULT 0,
  confidence float8 NOT NULL DEFAULT 0,
  valid boolean NOT NULL DEFAULT false,
  search_text text COLLATE "C" NOT NULL DEFAULT ''
);

CREATE TABLE device_facets (
  device_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  times bigint NOT NULL,
  last_seen bigint NOT NULL,
  PRIMARY KEY (device_id, name, value)
);

-- The text that searches match is written anew.
CREATE FUNCTION write_device_text(wanted text) RETURNS void LANGUAGE sql AS $$
  UPDATE devices SET search_text = coalesce(
      (SELECT nullif(serials.search_text, '') FROM serials WHERE serials.id = devices.best_id), lower(devices.serial))
    || chr(10) || device_type_key || coalesce(
      (SELECT chr(10) || string_agg(value_key, chr(10)) FROM device_values
        WHERE device_values.serial = devices.serial AND left(name, 1) <> '='), '')
  WHERE serial = wanted
$$;

-- The device type is that of the latest read that names one, unless a person gave it.
CREATE FUNCTION read_device_type(wanted text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE latest serials;
BEGIN
  SELECT * INTO latest FROM serials WHERE serial = wanted AND device_type <> '' ORDER BY created_at DESC, id DESC LIMIT 1;
  UPDATE devices SET device_type = coalesce(latest.device_type, ''),
    device_type_key = coalesce(nullif(latest.device_type_key, ''), lower(latest.device_type), ''), type_at = latest.created_at
  WHERE serial = wanted;
END $$;

-- The device has a read more.
CREATE FUNCTION add_device_read(read serials) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  device devices;
  is_best boolean;
  names_type boolean;
BEGIN
  INSERT INTO devices (serial, first_seen, last_seen) VALUES (read.serial, read.created_at, read.created_at)
    ON CONFLICT (serial) DO NOTHING;
  SELECT * INTO device FROM devices WHERE serial = read.serial FOR UPDATE;
  IF NOT FOUND THEN
    -- Deleted in between, with its last read.
    INSERT INTO devices (serial, first_seen, last_seen) VALUES (read.serial, read.created_at, read.created_at)
      ON CONFLICT (serial) DO UPDATE SET times_seen = devices.times_seen RETURNING * INTO device;
  END IF;
  is_best := (read_standing(read), read.confidence, read.created_at) >= (device.status, device.confidence, coalesce(device.best_at, 0));
  names_type := read.device_type <> '' AND read.created_at >= coalesce(device.type_at, read.created_at);
  UPDATE devices SET
    first_seen = CASE WHEN times_seen = 0 THEN read.created_at ELSE least(first_seen, read.created_at) END,
    last_seen = CASE WHEN times_seen = 0 THEN read.created_at ELSE greatest(last_seen, read.created_at) END,
    times_seen = times_seen + 1,
    device_type = CASE WHEN names_type THEN read.device_type ELSE device_type END,
    device_type_key = CASE WHEN names_type THEN coalesce(nullif(read.device_type_key, ''), lower(read.device_type))
      ELSE device_type_key END,
    type_at = CASE WHEN names_type THEN read.created_at ELSE type_at END,
    best_id = CASE WHEN is_best THEN read.id ELSE best_id END,
    best_at = CASE WHEN is_best THEN read.created_at ELSE best_at END,
    status = CASE WHEN is_best THEN read_standing(read) ELSE status END,
    confidence = CASE WHEN is_best THEN read.confidence ELSE confidence END,
    valid = CASE WHEN is_best THEN read.valid ELSE valid END
  WHERE id = device.id RETURNING * INTO device;
  INSERT INTO device_facets
    SELECT device.id, name, value, 1, device.last_seen FROM (VALUES ('source', read.source), ('key', read.key_id)) AS facet (name, value)
    WHERE value IS NOT NULL ORDER BY name
    ON CONFLICT (device_id, name, value) DO UPDATE SET times = device_facets.times + 1;
  PERFORM write_device_text(read.serial);
END $$;

-- The device has a read less. A device that is left without reads and values goes.
CREATE FUNCTION remove_device_read(read serials) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  device devices;
  best serials;
BEGIN
  -- Who waits here for another transaction's read sees it in the statements below.
  SELECT * INTO device FROM devices WHERE serial = read.serial FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF device.times_seen <= 1 AND NOT EXISTS (SELECT 1 FROM device_values WHERE serial = read.serial) THEN
    DELETE FROM devices WHERE id = device.id;
    RETURN;
  END IF;
  UPDATE device_facets SET times = times - 1 WHERE device_id = device.id
    AND ((name = 'source' AND value = read.source) OR (name = 'key' AND value = read.key_id));
  DELETE FROM device_facets WHERE device_id = device.id AND times <= 0;
  IF device.times_seen <= 1 THEN
    UPDATE devices SET times_seen = 0, best_id = NULL, best_at = NULL, status = 0, confidence = 0 WHERE id = device.id;
  ELSE
    UPDATE devices SET times_seen = times_seen - 1 WHERE id = device.id;
    IF read.created_at IN (device.first_seen, device.last_seen) THEN
      -- A statement that deletes several reads has deleted all of them when the first is told.
      UPDATE devices SET first_seen = coalesce((SELECT min(created_at) FROM serials WHERE serial = read.serial), first_seen),
        last_seen = coalesce((SELECT max(created_at) FROM serials WHERE serial = read.serial), last_seen) WHERE id = device.id;
    END IF;
    IF device.best_id = read.id THEN
      SELECT * INTO best FROM serials WHERE serial = read.serial
        ORDER BY read_standing(serials) DESC, confidence DESC, created_at DESC, id DESC LIMIT 1;
      IF best.id IS NOT NULL THEN
        UPDATE devices SET best_id = best.id, best_at = best.created_at, status = read_standing(best),
          confidence = best.confidence, valid = best.valid WHERE id = device.id;
      END IF;
    END IF;
  END IF;
  IF device.type_at = read.created_at THEN PERFORM read_device_type(read.serial); END IF;
  PERFORM write_device_text(read.serial);
END $$;

-- Added before it is removed, so that a device with one read stays. Where a serial was misread, what people and codes said of
-- the device goes to the right one; what a list says of another device stays there.
CREATE FUNCTION keep_devices() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_device_read(NEW);
  ELSIF TG_OP = 'DELETE' THEN
    PERFORM remove_device_read(OLD);
  ELSE
    PERFORM add_device_read(NEW);
    IF OLD.serial <> NEW.serial AND NOT EXISTS (SELECT 1 FROM serials WHERE serial = OLD.serial) THEN
      UPDATE device_values SET serial = NEW.serial WHERE serial = OLD.serial AND origin <> 'import'
        AND NOT EXISTS (SELECT 1 FROM device_values other WHERE other.serial = NEW.serial AND other.name = device_values.name);
      DELETE FROM device_values WHERE serial = OLD.serial AND origin <> 'import'
        AND EXISTS (SELECT 1 FROM device_values other WHERE other.serial = NEW.serial AND other.name = device_values.name
          AND (other.value = device_values.value OR device_values.origin = 'code'));
    END IF;
    PERFORM remove_device_read(OLD);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION add_device_value(added device_values) RETURNS void LANGUAGE plpgsql AS $$
DECLARE device devices;
BEGIN
  INSERT INTO devices (serial, first_seen, last_seen) VALUES (added.serial, added.set_at, added.set_at)
    ON CONFLICT (serial) DO NOTHING;
  SELECT * INTO device FROM devices WHERE serial = added.serial FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO devices (serial, first_seen, last_seen) VALUES (added.serial, added.set_at, added.set_at)
      ON CONFLICT (serial) DO UPDATE SET times_seen = devices.times_seen RETURNING * INTO device;
  END IF;
  IF added.name = '=imported' THEN
    UPDATE devices SET valid = added.value = 'valid' WHERE id = device.id AND times_seen = 0;
  ELSIF added.name = '=device_type' THEN
    UPDATE devices SET device_type = added.value, device_type_key = added.value_key, type_at = 9223372036854775807
      WHERE id = device.id;
  ELSE
    INSERT INTO device_facets VALUES (device.id, 'custom.' || added.name, added.value_key, 1, device.last_seen)
      ON CONFLICT (device_id, name, value) DO UPDATE SET times = device_facets.times + 1;
  END IF;
  PERFORM write_device_text(added.serial);
END $$;

CREATE FUNCTION remove_device_value(removed device_values) RETURNS void LANGUAGE plpgsql AS $$
DECLARE device devices;
BEGIN
  SELECT * INTO device FROM devices WHERE serial = removed.serial FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF device.times_seen <= 0 AND NOT EXISTS (SELECT 1 FROM device_values WHERE serial = removed.serial) THEN
    DELETE FROM devices WHERE id = device.id;
    RETURN;
  END IF;
  UPDATE device_facets SET times = times - 1
    WHERE device_id = device.id AND name = 'custom.' || removed.name AND value = removed.value_key;
  DELETE FROM device_facets WHERE device_id = device.id AND times <= 0;
  IF removed.name = '=device_type'
    AND NOT EXISTS (SELECT 1 FROM device_values WHERE serial = removed.serial AND name = '=device_type') THEN
    PERFORM read_device_type(removed.serial);
  END IF;
  PERFORM write_device_text(removed.serial);
END $$;

CREATE FUNCTION keep_device_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN PERFORM add_device_value(NEW); END IF;
  IF TG_OP <> 'INSERT' THEN PERFORM remove_device_value(OLD); END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION move_device_facets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    DELETE FROM device_facets WHERE device_id = OLD.id;
  ELSE
    UPDATE device_facets SET last_seen = NEW.last_seen WHERE device_id = NEW.id;
  END IF;
  RETURN NULL;
END $$;

-- Before the rows that are there are read, so that none is saved in between.
CREATE TRIGGER serials_devices AFTER INSERT OR DELETE OR UPDATE OF
  created_at, serial, device_type, device_type_key, confidence, method, source, valid, verdict, confirmed_at, key_id, search_text
  ON serials FOR EACH ROW EXECUTE FUNCTION keep_devices();
CREATE TRIGGER device_values_devices AFTER INSERT OR DELETE OR UPDATE OF serial, name, value, value_key
  ON device_values FOR EACH ROW EXECUTE FUNCTION keep_device_values();

INSERT INTO devices (
  serial, first_seen, last_seen, times_seen, best_id, best_at, status, confidence, valid, device_type, device_type_key, type_at
)
SELECT best.serial, first_seen, last_seen, times_seen, id, created_at, standing, confidence, valid,
  coalesce(latest.device_type, ''), coalesce(nullif(latest.device_type_key, ''), lower(latest.device_type), ''), latest.type_at
FROM (
  SELECT DISTINCT ON (serial) serial, id, created_at, read_standing(serials) AS standing, confidence, valid
  FROM serials ORDER BY serial, read_standing(serials) DESC, confidence DESC, created_at DESC, id DESC
) AS best
JOIN (
  SELECT serial, min(created_at) AS first_seen, max(created_at) AS last_seen, count(*) AS times_seen FROM serials GROUP BY serial
) AS seen ON seen.serial = best.serial
LEFT JOIN (
  SELECT DISTINCT ON (serial) serial, device_type, device_type_key, created_at AS type_at
  FROM serials WHERE device_type <> '' ORDER BY serial, created_at DESC, id DESC
) AS latest ON latest.serial = best.serial;

INSERT INTO device_facets (device_id, name, value, times, last_seen)
  SELECT devices.id, 'source', source, count(*), devices.last_seen FROM serials JOIN devices ON devices.serial = serials.serial
  GROUP BY devices.id, source;
INSERT INTO device_facets (device_id, name, value, times, last_seen)
  SELECT devices.id, 'key', key_id, count(*), devices.last_seen FROM serials JOIN devices ON devices.serial = serials.serial
  WHERE key_id IS NOT NULL GROUP BY devices.id, key_id;

UPDATE devices SET search_text = coalesce(nullif(serials.search_text, ''), lower(devices.serial)) || chr(10) || devices.device_type_key
  FROM serials WHERE serials.id = devices.best_id;

CREATE TRIGGER devices_facets AFTER DELETE ON devices FOR EACH ROW EXECUTE FUNCTION move_device_facets();
CREATE TRIGGER devices_seen AFTER UPDATE OF last_seen ON devices FOR EACH ROW
  WHEN (OLD.last_seen <> NEW.last_seen) EXECUTE FUNCTION move_device_facets();

CREATE INDEX devices_last_seen ON devices (last_seen, id);
CREATE INDEX devices_first_seen ON devices (first_seen, id);
CREATE INDEX devices_times_seen ON devices (times_seen, id);
CREATE INDEX devices_device_type ON devices (device_type_key, id);
CREATE INDEX devices_type_seen ON devices (device_type_key, last_seen, id);
CREATE INDEX devices_status ON devices (status, last_seen, id);
CREATE INDEX devices_invalid ON devices (last_seen, id) WHERE NOT valid;
CREATE INDEX device_facets_seen ON device_facets (name, value, last_seen, device_id);

-- Where the extension can't be had, a search looks at every row.
DO $$
BEGIN
  CREATE INDEX devices_search_text ON devices USING gin (search_text gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no trigram index: %', SQLERRM;
END $$;

-- The same photo sent again, as in SQLite. An earlier version writes neither column.
ALTER TABLE jobs ADD COLUMN photo_hash text COLLATE "C";
ALTER TABLE jobs ADD COLUMN duplicate_of text COLLATE "C";
CREATE INDEX jobs_photo_hash ON jobs (photo_hash, seq) WHERE photo_hash IS NOT NULL;
CREATE INDEX jobs_duplicates ON jobs (duplicate_of) WHERE duplicate_of IS NOT NULL;

-- The next job of the photo takes the place of one that goes, with what was saved of it.
CREATE FUNCTION forget_first_job() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE next text;
BEGIN
  SELECT id INTO next FROM jobs WHERE duplicate_of = OLD.id ORDER BY seq LIMIT 1;
  IF next IS NOT NULL THEN
    UPDATE serials SET job_id = next WHERE job_id = OLD.id
      AND NOT EXISTS (SELECT 1 FROM serials other WHERE other.job_id = next AND other.serial = serials.serial);
    UPDATE jobs SET duplicate_of = nullif(next, id) WHERE duplicate_of = OLD.id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER jobs_forget_first AFTER DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION forget_first_job();
