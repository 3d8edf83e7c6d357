-- Which configuration codes belong to which models, as in SQLite.
CREATE TABLE model_codes (
  code text NOT NULL,
  model text NOT NULL,
  imported boolean NOT NULL DEFAULT false,
  confirmed bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (code, model)
);
