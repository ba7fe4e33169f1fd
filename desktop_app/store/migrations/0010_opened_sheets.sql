-- Frozen: never edit a migration that has shipped; add the next number instead.

-- A second start hands the sheets that it was given to the window that is open.
CREATE TABLE told (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  verb TEXT NOT NULL CHECK (
    verb IN ('pause', 'resume', 'cancel', 'requeue', 'settle', 'connection', 'import')
  ),
  args TEXT NOT NULL,
  posted_at REAL NOT NULL,
  taken_at REAL,
  result TEXT
);
INSERT INTO told SELECT id, verb, args, posted_at, taken_at, result FROM command;
DROP TABLE command;
ALTER TABLE told RENAME TO command;
CREATE INDEX command_waiting ON command (id) WHERE taken_at IS NULL;
