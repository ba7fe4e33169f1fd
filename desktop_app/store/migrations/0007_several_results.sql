-- Frozen: never edit a migration that has shipped; add the next number instead.

-- The second and further results of an answer; the first stands in "result", and its flags are
-- those of all.
CREATE TABLE more_result (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  result_id INTEGER NOT NULL REFERENCES result (id) ON DELETE CASCADE,
  place INTEGER NOT NULL CHECK (place >= 2),
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  text TEXT,
  width INTEGER,
  height INTEGER,
  sha256 TEXT NOT NULL
);
CREATE UNIQUE INDEX more_result_place ON more_result (result_id, place);
CREATE INDEX more_result_task ON more_result (task_pk);
