-- The opening of the store that took the job; null from a version that did not say so.
ALTER TABLE jobs ADD COLUMN accepted_by text;
-- Whether a client of another opening waits for it: then no hang-up where it was taken cancels it.
ALTER TABLE jobs ADD COLUMN is_awaited boolean NOT NULL DEFAULT false;
