-- Which store this is, so that a shared folder of photos can be told from one that is not mounted, or another store's.
CREATE TABLE store_identity (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  id text NOT NULL,
  -- Whether a folder of photos holds this id: from then on a folder without it is not this store's.
  folder_is_marked boolean NOT NULL DEFAULT false
);
INSERT INTO store_identity (id) VALUES (gen_random_uuid()::text);
