-- Everything a server keeps. The columns mean what they mean in the SQLite migrations.
--
-- Columns that end in _at are integer microseconds since 1970-01-01T00:00:00Z by this database's clock, never by that of
-- a machine that asks.

CREATE FUNCTION store_now() RETURNS bigint LANGUAGE sql VOLATILE AS
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

CREATE TABLE jobs (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  state text NOT NULL CHECK (state IN ('queued', 'processing', 'completed', 'failed')),
  progress int NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  message text NOT NULL,
  priority int NOT NULL DEFAULT 0,
  attempts int NOT NULL DEFAULT 0,
  abandonments int NOT NULL DEFAULT 0,

  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  started_at bigint,
  ended_at bigint,
  due_at bigint,
  lease_until bigint,
  -- Random, new with every claim. It stays after the end, so that a worker whose answer was lost can tell that the end
  -- is its own.
  token text,
  worker text,
  -- The opening of the store that the worker belongs to.
  holder text,

  photo text COLLATE "C" NOT NULL,
  photo_bytes bigint NOT NULL,
  preset text,
  device_type text,
  persist boolean NOT NULL,
  annotate boolean NOT NULL,
  idempotency_key text,
  photo_digest text,
  photo_pruned boolean NOT NULL DEFAULT false,

  reading text,
  error_code text,
  error_detail text,
  saved boolean NOT NULL DEFAULT false,
  filename text,
  -- Null before the end.
  verdict text,
  confirmed_serial text,
  confirmed_at bigint
)
-- A job is changed at its claim, at each heartbeat and at its end. Room on its page, and no index over what a heartbeat
-- writes (lease_until, progress, message, updated_at), keep heartbeats from touching any index.
WITH (
  fillfactor = 70,
  -- The default of a fifth of the table would let a million ended jobs hide 200,000 dead versions of waiting ones.
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.02
);

CREATE INDEX jobs_waiting ON jobs (priority DESC, seq) WHERE state = 'queued';
CREATE INDEX jobs_waiting_since ON jobs (created_at) WHERE state = 'queued';
-- As many rows as there are workers; leases are looked through, not indexed.
CREATE INDEX jobs_held ON jobs (seq) WHERE state = 'processing';
CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX jobs_photo_kept ON jobs (ended_at) WHERE ended_at IS NOT NULL AND NOT photo_pruned;
CREATE INDEX jobs_state ON jobs (state, seq);
CREATE INDEX jobs_verdict ON jobs (verdict, seq) WHERE verdict IS NOT NULL;
CREATE INDEX jobs_to_check ON jobs (verdict, seq) WHERE verdict IS NOT NULL AND confirmed_at IS NULL;
CREATE INDEX jobs_confirmed ON jobs (seq) WHERE confirmed_at IS NOT NULL;
CREATE INDEX jobs_photo ON jobs (photo);
CREATE UNIQUE INDEX jobs_idempotency ON jobs (idempotency_key) WHERE idempotency_key IS NOT NULL;

-- How many jobs have ended in which way. Those that wait or are read are counted from their small indexes. Each change
-- goes to one of several rows at random: a single one would make every worker wait for every other's commit.
CREATE TABLE ended_counts (
  state text NOT NULL,
  slot int NOT NULL,
  count bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (state, slot)
) WITH (fillfactor = 50);
INSERT INTO ended_counts (state, slot)
  SELECT state, slot FROM unnest(ARRAY['completed', 'failed']) AS state, generate_series(0, 15) AS slot;

CREATE FUNCTION count_ended() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  -- Once: in a condition it would be drawn anew for each row.
  place int := floor(random() * 16);
BEGIN
  IF TG_OP <> 'INSERT' AND OLD.state IN ('completed', 'failed') THEN
    UPDATE ended_counts SET count = count - 1 WHERE state = OLD.state AND slot = place;
  END IF;
  IF TG_OP <> 'DELETE' AND NEW.state IN ('completed', 'failed') THEN
    UPDATE ended_counts SET count = count + 1 WHERE state = NEW.state AND slot = place;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_count_update AFTER UPDATE OF state ON jobs
  FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION count_ended();
CREATE TRIGGER jobs_count_rest AFTER INSERT OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION count_ended();

-- Openings of the store that hold jobs. One that has stopped beating is gone, and its jobs are taken up by the others.
CREATE TABLE servers (
  id text PRIMARY KEY,
  -- The machine's name, for a person.
  name text NOT NULL,
  -- Since when it has beaten without a gap: who was cut off itself does not judge others.
  since bigint NOT NULL,
  beat_at bigint NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE photo_removals (
  photo text COLLATE "C" PRIMARY KEY
);

CREATE TABLE writable_check (
  id int PRIMARY KEY CHECK (id = 1),
  filler bytea NOT NULL
) WITH (fillfactor = 10);

CREATE TABLE serials (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  created_at bigint NOT NULL,
  serial text COLLATE "C" NOT NULL,
  device_type text COLLATE "C" NOT NULL DEFAULT '',
  preset text,
  confidence float8 NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  method text,
  source text NOT NULL,
  valid boolean NOT NULL,
  notes text,
  job_id text COLLATE "C" UNIQUE,
  -- Random, from who saves it: the same save sent twice, where the first answer was lost, is one row.
  save_id text COLLATE "C" UNIQUE,
  filename text COLLATE "C",
  verdict text,
  confirmed_at bigint
);

CREATE INDEX serials_created_at ON serials (created_at, id);
CREATE INDEX serials_serial ON serials (serial, id);
CREATE INDEX serials_confidence ON serials (confidence, id);
CREATE INDEX serials_device_type ON serials (lower(device_type), id);
CREATE INDEX serials_source ON serials (source, created_at);

-- Parts of serials and device types, without looking at every row. Where the extension can't be had, a search looks at
-- every row.
DO $$
BEGIN
  CREATE EXTENSION IF NOT EXISTS pg_trgm;
  CREATE INDEX serials_search ON serials USING gin (
    lower(serial) gin_trgm_ops, lower(device_type) gin_trgm_ops, lower(filename) gin_trgm_ops);
EXCEPTION WHEN OTHERS THEN
  RAISE NOTICE 'no trigram index: %', SQLERRM;
END $$;

-- A row for each day (since 1970, UTC) and kind, in several slots for the same reason as ended_counts.
CREATE TABLE serial_counts (
  day bigint NOT NULL,
  source text NOT NULL,
  device_type text COLLATE "C" NOT NULL,
  valid boolean NOT NULL,
  slot int NOT NULL,
  count bigint NOT NULL,
  confidence_sum float8 NOT NULL,
  PRIMARY KEY (day, source, device_type, valid, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION count_serial() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO serial_counts VALUES (
      OLD.created_at / 86400000000, OLD.source, OLD.device_type, OLD.valid, floor(random() * 4)::int, -1,
      -OLD.confidence)
    ON CONFLICT (day, source, device_type, valid, slot) DO UPDATE
      SET count = serial_counts.count - 1, confidence_sum = serial_counts.confidence_sum - OLD.confidence;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO serial_counts VALUES (
      NEW.created_at / 86400000000, NEW.source, NEW.device_type, NEW.valid, floor(random() * 4)::int, 1,
      NEW.confidence)
    ON CONFLICT (day, source, device_type, valid, slot) DO UPDATE
      SET count = serial_counts.count + 1, confidence_sum = serial_counts.confidence_sum + NEW.confidence;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER serials_count
  AFTER INSERT OR DELETE OR UPDATE OF created_at, source, device_type, valid, confidence ON serials
  FOR EACH ROW EXECUTE FUNCTION count_serial();

-- What stood in a row of serials before a person changed it or took it away. No reference: it outlives the serial.
CREATE TABLE serial_changes (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  serial_id bigint NOT NULL,
  changed_at bigint NOT NULL,
  change text NOT NULL,
  serial text NOT NULL,
  device_type text NOT NULL,
  notes text,
  confidence float8 NOT NULL,
  method text
);
CREATE INDEX serial_changes_serial ON serial_changes (serial_id, seq);

CREATE TABLE api_keys (
  id text PRIMARY KEY,
  name text NOT NULL,
  hash text NOT NULL,
  scopes text NOT NULL,
  created_at bigint NOT NULL,
  revoked_at bigint,
  last_used_at bigint,
  use_count bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;

CREATE TABLE tasks (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  kind text NOT NULL,
  state text NOT NULL CHECK (state IN ('queued', 'processing', 'completed', 'failed')),
  progress int NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
  message text NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  ended_at bigint,
  parameters text NOT NULL,
  result text,
  error_code text,
  error_detail text
);
CREATE INDEX tasks_state ON tasks (state, seq);
CREATE INDEX tasks_ended ON tasks (ended_at) WHERE ended_at IS NOT NULL;
