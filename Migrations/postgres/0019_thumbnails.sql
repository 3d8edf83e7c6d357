-- Small pictures of photos, as in SQLite. A version that does not know them makes none, and takes them away with the photo.

CREATE TABLE thumbnails (
  job_id text COLLATE "C" PRIMARY KEY,
  jpeg bytea NOT NULL
);
-- They are compressed already.
ALTER TABLE thumbnails ALTER COLUMN jpeg SET STORAGE EXTERNAL;

ALTER TABLE jobs ADD COLUMN has_thumbnail boolean NOT NULL DEFAULT false;

CREATE FUNCTION forget_thumbnail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM thumbnails WHERE job_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER jobs_forget_thumbnail AFTER DELETE ON jobs FOR EACH ROW WHEN (OLD.has_thumbnail)
  EXECUTE FUNCTION forget_thumbnail();
CREATE TRIGGER jobs_prune_thumbnail AFTER UPDATE OF photo_pruned ON jobs FOR EACH ROW
  WHEN (NEW.photo_pruned AND NEW.has_thumbnail) EXECUTE FUNCTION forget_thumbnail();
