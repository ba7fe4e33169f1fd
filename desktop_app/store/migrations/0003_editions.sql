-- Frozen: never edit a migration that has shipped; add the next number instead.

-- What a running row is to become once its running edition is final.
CREATE TABLE next_edition (
  task_pk INTEGER PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
  prompt TEXT NOT NULL,
  params TEXT NOT NULL,
  extra TEXT NOT NULL,
  cells TEXT NOT NULL,
  digest TEXT NOT NULL
);
