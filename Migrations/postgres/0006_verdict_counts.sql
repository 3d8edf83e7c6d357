-- How many photos ended with each verdict, rows for each hour (since 1970, UTC), kept by a trigger: several slots for the same
-- reason as ended_counts. They stay when their jobs go: what was read on a day changes no more.

CREATE TABLE verdict_counts (
  hour bigint NOT NULL,
  slot int NOT NULL DEFAULT 0,
  accepted bigint NOT NULL DEFAULT 0,
  uncertain bigint NOT NULL DEFAULT 0,
  refused bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (hour, slot)
) WITH (fillfactor = 50);

CREATE FUNCTION count_verdict() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO verdict_counts VALUES (
    NEW.ended_at / 3600000000, floor(random() * 8)::int, (NEW.verdict = 'accepted')::int, (NEW.verdict = 'uncertain')::int,
    (NEW.verdict = 'refused')::int)
  ON CONFLICT (hour, slot) DO UPDATE SET accepted = verdict_counts.accepted + excluded.accepted,
    uncertain = verdict_counts.uncertain + excluded.uncertain, refused = verdict_counts.refused + excluded.refused;
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_count_verdict AFTER UPDATE OF state ON jobs FOR EACH ROW
  WHEN (NEW.state IN ('completed', 'failed') AND OLD.state IN ('queued', 'processing')
    AND NEW.ended_at IS NOT NULL AND NEW.verdict IS NOT NULL)
  EXECUTE FUNCTION count_verdict();

-- After the trigger, which lets no job end meanwhile.
INSERT INTO verdict_counts (hour, accepted, uncertain, refused)
  SELECT ended_at / 3600000000, count(*) FILTER (WHERE verdict = 'accepted'), count(*) FILTER (WHERE verdict = 'uncertain'),
    count(*) FILTER (WHERE verdict = 'refused')
  FROM jobs WHERE ended_at IS NOT NULL AND verdict IS NOT NULL GROUP BY 1;
