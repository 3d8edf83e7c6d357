-- What a server tells of itself; null from a version that doesn't.
ALTER TABLE servers ADD COLUMN workers int;
ALTER TABLE servers ADD COLUMN version text;
