-- Who asked, and under which names the request is found in logs; null for what came without, and before this was kept.

ALTER TABLE jobs ADD COLUMN key_id text;
ALTER TABLE jobs ADD COLUMN request_id text;
ALTER TABLE jobs ADD COLUMN trace_id text;
ALTER TABLE serials ADD COLUMN key_id text;

-- Lists of what one key has brought.
CREATE INDEX jobs_key ON jobs (key_id, seq) WHERE key_id IS NOT NULL;
CREATE INDEX serials_key ON serials (key_id, created_at) WHERE key_id IS NOT NULL;
