-- With the bytes, so that the total of all kept photos is summed without reading the jobs, whose rows contain readings.
-- seq comes before them, because the oldest photos are deleted in this order.

DROP INDEX jobs_photo_kept;
CREATE INDEX jobs_photo_kept ON jobs (ended_at, seq, photo_bytes) WHERE ended_at IS NOT NULL AND photo_pruned = 0;
