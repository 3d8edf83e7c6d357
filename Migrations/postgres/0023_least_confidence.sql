-- The confidence below which no read of the photo is saved, as in SQLite. An earlier version ignores it.

ALTER TABLE jobs ADD COLUMN min_confidence double precision;
