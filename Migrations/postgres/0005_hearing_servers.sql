-- Whether a server hears what others tell; false from a version that doesn't say so, and behind a pooler that forgets LISTEN.
ALTER TABLE servers ADD COLUMN hears boolean NOT NULL DEFAULT false;
