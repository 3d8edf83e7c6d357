-- The part of the photo that a job reads, as in SQLite; null for all of it, and from a version that reads all of it.
ALTER TABLE jobs ADD COLUMN region text COLLATE "C";
