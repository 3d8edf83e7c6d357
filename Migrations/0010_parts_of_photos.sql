-- The part of the photo that a job reads: left, top, right and bottom edge in shares of the upright photo, separated by commas; null for
-- all of it.
ALTER TABLE jobs ADD COLUMN region TEXT;
