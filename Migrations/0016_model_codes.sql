-- Which configuration codes, the last characters of serials, belong to which models: imported by the operator, or counted whenever a person
-- confirmed a serial beside its model. No row holds a serial.
CREATE TABLE model_codes (
  code TEXT NOT NULL,
  model TEXT NOT NULL,
  imported INTEGER NOT NULL DEFAULT 0,
  confirmed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (code, model)
);
