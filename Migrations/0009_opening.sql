-- The opening of the store that serves: a server whose file was replaced finds another's.
CREATE TABLE opening (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  holder TEXT NOT NULL
);
