-- Small pictures of photos, made when they are read. Each is written in the transaction that ends its job, and goes with the photo.

CREATE TABLE thumbnails (
  job_id TEXT PRIMARY KEY,
  -- A JPEG of a few kilobytes, upright.
  jpeg BLOB NOT NULL
);

-- Whether the reader made one; it is gone once photo_pruned is set.
ALTER TABLE jobs ADD COLUMN has_thumbnail INTEGER NOT NULL DEFAULT 0;

CREATE TRIGGER jobs_forget_thumbnail AFTER DELETE ON jobs WHEN OLD.has_thumbnail BEGIN
  DELETE FROM thumbnails WHERE job_id = OLD.id;
END;

CREATE TRIGGER jobs_prune_thumbnail AFTER UPDATE OF photo_pruned ON jobs WHEN NEW.photo_pruned AND NEW.has_thumbnail BEGIN
  DELETE FROM thumbnails WHERE job_id = NEW.id;
END;
