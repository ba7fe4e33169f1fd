-- Frozen: never edit a migration that has shipped; add the next number instead.

-- What a running row is to become is more than its request. No stem: from before this was kept,
-- and the row keeps what it has. "again" 0: nobody agreed to pay for the row once more.
ALTER TABLE next_edition ADD COLUMN key TEXT;
ALTER TABLE next_edition ADD COLUMN lane TEXT;
ALTER TABLE next_edition ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
ALTER TABLE next_edition ADD COLUMN stem TEXT;
ALTER TABLE next_edition ADD COLUMN problem TEXT;
ALTER TABLE next_edition ADD COLUMN again INTEGER NOT NULL DEFAULT 1 CHECK (again IN (0, 1));

-- Requests that were given up for a newer edition while nobody knew whether they were billed.
ALTER TABLE calls ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;

UPDATE calls SET given_up = (
  SELECT count(*) FROM (
    SELECT 1 FROM attempt a JOIN task t ON t.id = a.task_pk
    WHERE a.batch_id = calls.batch_id AND a.edition < t.edition AND a.sent = 1
    GROUP BY a.task_pk, a.edition
    HAVING max(a.outcome = 'unknown' AND a.billed = 'maybe') = 1 AND max(a.billed = 'yes') = 0));

CREATE TRIGGER task_given_up AFTER UPDATE OF edition ON task WHEN NEW.edition > OLD.edition BEGIN
  UPDATE calls SET given_up = given_up + 1
    WHERE batch_id = NEW.batch_id
      AND EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.id AND a.edition = OLD.edition
                  AND a.sent = 1 AND a.outcome = 'unknown' AND a.billed = 'maybe')
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.id AND a.edition = OLD.edition
                      AND a.sent = 1 AND a.billed = 'yes');
END;

-- A late answer tells what became of one of them.
CREATE TRIGGER attempt_cleared AFTER UPDATE OF outcome, billed ON attempt
WHEN OLD.outcome = 'unknown' AND OLD.billed = 'maybe'
  AND NOT (NEW.outcome = 'unknown' AND NEW.billed = 'maybe')
  AND NEW.edition < (SELECT edition FROM task WHERE id = NEW.task_pk)
BEGIN
  UPDATE calls SET given_up = given_up - 1
    WHERE batch_id = NEW.batch_id
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.task_pk
                      AND a.edition = NEW.edition AND a.id <> NEW.id AND a.sent = 1
                      AND a.billed = 'yes')
      AND (NEW.billed = 'yes'
           OR NOT EXISTS (SELECT 1 FROM attempt a WHERE a.task_pk = NEW.task_pk
                          AND a.edition = NEW.edition AND a.id <> NEW.id AND a.sent = 1
                          AND a.outcome = 'unknown' AND a.billed = 'maybe'));
END;
