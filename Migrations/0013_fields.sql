-- What stands beside a serial on its device, as JSON: an array of kinds, texts, confidences, places and checks; null where that is not known.
ALTER TABLE serials ADD COLUMN fields TEXT;
