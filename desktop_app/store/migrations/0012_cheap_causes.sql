-- Frozen: never edit a migration that has shipped; add the next number instead.

-- Whether a row is among three states is asked of every row that comes or changes, and looked up in
-- a list each time. A row without a class of failure is in none of them, as the table's own check
-- says, and that is seen at once.
DROP INDEX task_cause;
CREATE INDEX task_cause ON task (batch_id, state, error_code, error_class)
  WHERE error_class IS NOT NULL AND state IN (4, 5, 6);
