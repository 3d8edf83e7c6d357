-- Under what a serial is saved once, and a digest of what was asked under it.
ALTER TABLE serials ADD COLUMN save_key text COLLATE "C" UNIQUE;
ALTER TABLE serials ADD COLUMN save_request text COLLATE "C";
