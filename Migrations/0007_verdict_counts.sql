-- How many photos ended with each verdict, a row for each hour (since 1970, UTC), kept by a trigger. They stay when their jobs
-- go: what was read on a day changes no more.

CREATE TABLE verdict_counts (
  hour INTEGER PRIMARY KEY,
  accepted INTEGER NOT NULL DEFAULT 0,
  uncertain INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0
);

INSERT INTO verdict_counts (hour, accepted, uncertain, refused)
  SELECT CAST(ended_at / 3600000000 AS INTEGER), sum(verdict = 'accepted'), sum(verdict = 'uncertain'), sum(verdict = 'refused')
  FROM jobs WHERE ended_at IS NOT NULL AND verdict IS NOT NULL GROUP BY 1;

CREATE TRIGGER jobs_count_verdict AFTER UPDATE OF state ON jobs
WHEN NEW.state IN ('completed', 'failed') AND OLD.state IN ('queued', 'processing') AND NEW.ended_at IS NOT NULL BEGIN
  INSERT INTO verdict_counts (hour, accepted, uncertain, refused)
  VALUES (NEW.ended_at / 3600000000, NEW.verdict = 'accepted', NEW.verdict = 'uncertain', NEW.verdict = 'refused')
  ON CONFLICT (hour) DO UPDATE SET accepted = accepted + excluded.accepted, uncertain = uncertain + excluded.uncertain,
    refused = refused + excluded.refused;
END;
