-- The confidence below which no read of the photo is saved; null for none.

ALTER TABLE jobs ADD COLUMN min_confidence REAL;
