-- Under what a serial is saved once, and a digest of what was asked under it.
ALTER TABLE serials ADD COLUMN save_key TEXT;
ALTER TABLE serials ADD COLUMN save_request TEXT;
CREATE UNIQUE INDEX serials_save_key ON serials (save_key) WHERE save_key IS NOT NULL;
