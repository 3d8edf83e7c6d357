-- What stands beside a serial on its device, as in SQLite; null from a version that does not tell it.
ALTER TABLE serials ADD COLUMN fields text;
