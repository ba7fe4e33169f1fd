-- Frozen: never edit a migration that has shipped; add the next number instead.

-- Caps: what a batch may cost in all. The cap of a day stands in its connection's spec.
ALTER TABLE batch ADD COLUMN budget_nano INTEGER CHECK (budget_nano IS NULL OR budget_nano >= 0);
ALTER TABLE batch ADD COLUMN budget_currency TEXT;

-- The most an attempt may cost, written with it, in its currency; and the local date of sending.
ALTER TABLE attempt ADD COLUMN reserved_nano INTEGER
  CHECK (reserved_nano IS NULL OR (reserved_nano >= 0 AND currency IS NOT NULL));
ALTER TABLE attempt ADD COLUMN day TEXT;

-- Calls that may have been billed beside another one for the same edition of a row.
ALTER TABLE calls ADD COLUMN maybe_double INTEGER NOT NULL DEFAULT 0;

-- What attempts hold of the caps, kept by the triggers below and by nothing else: the cost of the
-- billed, the reservation of all that may be billed. open_nano is the part still on its way.
CREATE TABLE purse (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  currency TEXT NOT NULL,
  connection_id INTEGER NOT NULL,
  held_nano INTEGER NOT NULL DEFAULT 0,
  open_nano INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (batch_id, day, currency)
) WITHOUT ROWID;
CREATE INDEX purse_day ON purse (connection_id, day, currency);

UPDATE attempt SET day = date(started_at, 'unixepoch', 'localtime');

INSERT INTO purse (batch_id, day, currency, connection_id, held_nano)
  SELECT a.batch_id, a.day, a.currency, b.connection_id, sum(a.cost_nano)
  FROM attempt a JOIN batch b ON b.id = a.batch_id
  WHERE a.cost_nano IS NOT NULL AND a.billed <> 'no' GROUP BY 1, 2, 3, 4;

UPDATE calls SET maybe_double = (
  SELECT coalesce(sum(n - 1), 0) FROM (
    SELECT count(*) AS n FROM attempt a
    WHERE a.batch_id = calls.batch_id AND a.sent = 1 AND a.outcome <> 'open' AND a.billed <> 'no'
    GROUP BY a.task_pk, a.edition));

CREATE TRIGGER attempt_reserved AFTER INSERT ON attempt WHEN NEW.currency IS NOT NULL BEGIN
  INSERT INTO purse (batch_id, day, currency, connection_id, held_nano, open_nano)
    SELECT NEW.batch_id, NEW.day, NEW.currency, b.connection_id,
           CASE NEW.billed WHEN 'no' THEN 0
             ELSE coalesce(NEW.cost_nano, NEW.reserved_nano, 0) END,
           CASE NEW.outcome WHEN 'open' THEN coalesce(NEW.reserved_nano, 0) ELSE 0 END
    FROM batch b WHERE b.id = NEW.batch_id
    ON CONFLICT (batch_id, day, currency) DO UPDATE SET
      held_nano = held_nano + excluded.held_nano, open_nano = open_nano + excluded.open_nano;
END;

CREATE TRIGGER attempt_released AFTER UPDATE OF outcome, billed, cost_nano, currency ON attempt
WHEN OLD.currency IS NOT NULL BEGIN
  UPDATE purse SET
      held_nano = held_nano - CASE OLD.billed WHEN 'no' THEN 0
        ELSE coalesce(OLD.cost_nano, OLD.reserved_nano, 0) END,
      open_nano = open_nano
        - CASE OLD.outcome WHEN 'open' THEN coalesce(OLD.reserved_nano, 0) ELSE 0 END
    WHERE batch_id = OLD.batch_id AND day = OLD.day AND currency = OLD.currency;
END;

CREATE TRIGGER attempt_held AFTER UPDATE OF outcome, billed, cost_nano, currency ON attempt
WHEN NEW.currency IS NOT NULL BEGIN
  INSERT INTO purse (batch_id, day, currency, connection_id, held_nano, open_nano)
    SELECT NEW.batch_id, NEW.day, NEW.currency, b.connection_id,
           CASE NEW.billed WHEN 'no' THEN 0
             ELSE coalesce(NEW.cost_nano, NEW.reserved_nano, 0) END,
           CASE NEW.outcome WHEN 'open' THEN coalesce(NEW.reserved_nano, 0) ELSE 0 END
    FROM batch b WHERE b.id = NEW.batch_id
    ON CONFLICT (batch_id, day, currency) DO UPDATE SET
      held_nano = held_nano + excluded.held_nano, open_nano = open_nano + excluded.open_nano;
END;

CREATE TRIGGER attempt_doubted AFTER UPDATE OF outcome, billed, sent ON attempt
WHEN (OLD.sent = 1 AND OLD.outcome <> 'open' AND OLD.billed <> 'no')
  <> (NEW.sent = 1 AND NEW.outcome <> 'open' AND NEW.billed <> 'no')
BEGIN
  UPDATE calls SET maybe_double = maybe_double
      + CASE WHEN NEW.sent = 1 AND NEW.outcome <> 'open' AND NEW.billed <> 'no'
          THEN 1 ELSE -1 END
    WHERE batch_id = NEW.batch_id AND EXISTS (
      SELECT 1 FROM attempt o WHERE o.task_pk = NEW.task_pk AND o.edition = NEW.edition
        AND o.id <> NEW.id AND o.sent = 1 AND o.outcome <> 'open' AND o.billed <> 'no');
END;
