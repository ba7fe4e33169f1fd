-- Frozen: never edit a migration that has shipped; add the next number instead.

-- Which batches of an account go first: 1 high, 0 normal, -1 low.
ALTER TABLE batch ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (-1, 0, 1));

-- Another process changes it by a word to the one that has the folder.
CREATE TABLE told (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  verb TEXT NOT NULL CHECK (
    verb IN
      ('pause', 'resume', 'cancel', 'requeue', 'settle', 'connection', 'import', 'priority')
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
