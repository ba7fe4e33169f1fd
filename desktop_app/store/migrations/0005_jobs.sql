-- Frozen: never edit a migration that has shipped; add the next number instead.

-- What the adapter needs beside the id to find its job again (JSON: status URLs ...).
ALTER TABLE attempt ADD COLUMN job_context TEXT;
