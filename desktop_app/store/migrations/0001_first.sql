-- Frozen: never edit a migration that has shipped; add the next number instead.

CREATE TABLE connection (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  adapter TEXT NOT NULL,
  base_url TEXT NOT NULL,
  model TEXT NOT NULL,
  retries INTEGER NOT NULL CHECK (retries >= 0),
  spec TEXT NOT NULL,
  removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1))
);
CREATE UNIQUE INDEX connection_name ON connection (name COLLATE NOCASE) WHERE removed = 0;

CREATE TABLE batch (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  sheet_path TEXT NOT NULL,
  sheet_hash TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  columns TEXT NOT NULL,
  mapping TEXT NOT NULL,
  connection_id INTEGER NOT NULL REFERENCES connection (id),
  out_dir TEXT NOT NULL,
  created_at REAL NOT NULL,
  stage INTEGER NOT NULL CHECK (stage IN (0, 1)),
  run_state INTEGER NOT NULL DEFAULT 0 CHECK (run_state IN (0, 1, 2)),
  pause_reason TEXT,
  lane_on_dead TEXT NOT NULL CHECK (lane_on_dead IN ('go', 'stop')),
  row_gate INTEGER,
  max_calls INTEGER CHECK (max_calls IS NULL OR max_calls >= 0),
  started_at REAL,
  finished_at REAL,
  run_since REAL,
  ran_s REAL NOT NULL DEFAULT 0 CHECK (ran_s >= 0),
  options TEXT NOT NULL
);
CREATE INDEX batch_sheet ON batch (sheet_hash);
CREATE INDEX batch_fingerprint ON batch (fingerprint);

-- Rows by state: the ledger, kept by the triggers below and by nothing else.
CREATE TABLE tally (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 7),
  n INTEGER NOT NULL DEFAULT 0 CHECK (n >= 0),
  PRIMARY KEY (batch_id, state)
) WITHOUT ROWID;

CREATE TABLE calls (
  batch_id INTEGER PRIMARY KEY REFERENCES batch (id) ON DELETE CASCADE,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  throttled INTEGER NOT NULL DEFAULT 0 CHECK (throttled >= 0),
  unpriced INTEGER NOT NULL DEFAULT 0 CHECK (unpriced >= 0),
  last_at REAL
);

-- Money in billionths of the currency's unit: integers add up exactly.
CREATE TABLE spent (
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  currency TEXT NOT NULL,
  nano INTEGER NOT NULL,
  PRIMARY KEY (batch_id, currency)
) WITHOUT ROWID;

CREATE TABLE task (
  id INTEGER PRIMARY KEY,
  batch_id INTEGER NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  row_no INTEGER NOT NULL,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 7),
  rev INTEGER NOT NULL DEFAULT 0 CHECK (rev >= 0),
  priority INTEGER NOT NULL DEFAULT 0,
  lane TEXT,
  blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
  ready INTEGER NOT NULL DEFAULT 1 CHECK (ready IN (0, 1)),
  due_at REAL,
  delay_s REAL,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  attempt_no INTEGER NOT NULL DEFAULT 0 CHECK (attempt_no >= 0),
  attempt_id INTEGER,
  result_id INTEGER,
  edition INTEGER NOT NULL DEFAULT 1 CHECK (edition >= 1),
  key_seq INTEGER NOT NULL DEFAULT 0 CHECK (key_seq >= 0),
  retries_spent INTEGER NOT NULL DEFAULT 0 CHECK (retries_spent >= 0),
  timeouts INTEGER NOT NULL DEFAULT 0 CHECK (timeouts >= 0),
  throttled INTEGER NOT NULL DEFAULT 0 CHECK (throttled >= 0),
  error_class TEXT,
  error_code TEXT,
  note TEXT,
  task_id TEXT NOT NULL UNIQUE,
  key TEXT,
  stem TEXT NOT NULL,
  stem_fold TEXT NOT NULL,
  updated_at REAL NOT NULL,
  CHECK (state <> 1 OR attempt_id IS NOT NULL),
  CHECK (state <> 2 OR due_at IS NOT NULL),
  CHECK (state <> 3 OR result_id IS NOT NULL),
  CHECK (state NOT IN (4, 5, 6) OR error_class IS NOT NULL),
  CHECK (ready = 1 OR due_at IS NOT NULL),
  CHECK (blocked = 0 OR lane IS NOT NULL),
  CHECK (cancel_requested = 0 OR state = 1)
);
CREATE UNIQUE INDEX task_row ON task (batch_id, row_no);
CREATE UNIQUE INDEX task_stem ON task (batch_id, stem_fold);
CREATE INDEX task_state ON task (batch_id, state, row_no);
CREATE INDEX task_ready ON task (batch_id, priority DESC, row_no)
  WHERE ready = 1 AND blocked = 0 AND state IN (0, 2);
CREATE INDEX task_due ON task (batch_id, due_at) WHERE ready = 0 AND state IN (0, 2);
CREATE INDEX task_running ON task (batch_id, lane) WHERE state = 1;
CREATE INDEX task_cause ON task (batch_id, state, error_code, error_class)
  WHERE state IN (4, 5, 6);
CREATE INDEX task_lane ON task (batch_id, lane, row_no) WHERE lane IS NOT NULL AND state < 3;
CREATE INDEX task_lane_head ON task (batch_id, lane)
  WHERE lane IS NOT NULL AND blocked = 0 AND state < 3;
CREATE INDEX task_lane_dead ON task (batch_id, lane, row_no)
  WHERE lane IS NOT NULL AND state IN (4, 5, 6);

-- Apart from the task, so that a requeue of thousands does not rewrite their prompts.
CREATE TABLE payload (
  task_pk INTEGER PRIMARY KEY REFERENCES task (id) ON DELETE CASCADE,
  prompt TEXT NOT NULL,
  params TEXT NOT NULL,
  extra TEXT NOT NULL,
  cells TEXT NOT NULL,
  digest TEXT NOT NULL
);

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  batch_id INTEGER NOT NULL,
  attempt_no INTEGER NOT NULL CHECK (attempt_no >= 1),
  edition INTEGER NOT NULL,
  idempotency_key TEXT NOT NULL,
  stem TEXT NOT NULL,
  started_at REAL NOT NULL,
  ended_at REAL,
  outcome TEXT NOT NULL CHECK (outcome IN ('open', 'success', 'not_sent', 'throttled', 'transient',
    'offline', 'unknown', 'refused', 'invalid', 'account', 'local', 'adopted', 'discarded')),
  sent INTEGER NOT NULL DEFAULT 1 CHECK (sent IN (0, 1)),
  latency_s REAL,
  http_status INTEGER,
  request_id TEXT,
  job_id TEXT,
  error_class TEXT,
  error_code TEXT,
  said TEXT,
  body TEXT NOT NULL DEFAULT '',
  wait_s REAL,
  cost_nano INTEGER,
  currency TEXT,
  billed TEXT NOT NULL DEFAULT 'maybe' CHECK (billed IN ('no', 'yes', 'maybe')),
  usage TEXT,
  CHECK ((outcome = 'open') = (ended_at IS NULL)),
  CHECK (cost_nano IS NULL OR currency IS NOT NULL)
);
CREATE UNIQUE INDEX attempt_task ON attempt (task_pk, attempt_no);

CREATE TABLE result (
  id INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL REFERENCES task (id) ON DELETE CASCADE,
  attempt_id INTEGER UNIQUE,
  path TEXT NOT NULL,
  size INTEGER NOT NULL,
  mime TEXT NOT NULL,
  text TEXT,
  width INTEGER,
  height INTEGER,
  flags TEXT NOT NULL,
  sha256 TEXT NOT NULL
);
CREATE INDEX result_task ON result (task_pk);

CREATE TABLE account_pause (
  account TEXT PRIMARY KEY,
  reason TEXT NOT NULL,
  since REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE command (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  verb TEXT NOT NULL CHECK (verb IN ('pause', 'resume', 'cancel', 'requeue', 'settle', 'connection')),
  args TEXT NOT NULL,
  posted_at REAL NOT NULL,
  taken_at REAL,
  result TEXT
);
CREATE INDEX command_waiting ON command (id) WHERE taken_at IS NULL;

CREATE TRIGGER task_added AFTER INSERT ON task BEGIN
  UPDATE tally SET n = n + 1 WHERE batch_id = NEW.batch_id AND state = NEW.state;
END;

CREATE TRIGGER task_moved AFTER UPDATE OF state ON task WHEN OLD.state <> NEW.state BEGIN
  UPDATE tally SET n = n - 1 WHERE batch_id = OLD.batch_id AND state = OLD.state;
  UPDATE tally SET n = n + 1 WHERE batch_id = NEW.batch_id AND state = NEW.state;
  UPDATE batch SET
      finished_at = NEW.updated_at,
      ran_s = ran_s + max(0, NEW.updated_at - coalesce(run_since, NEW.updated_at)),
      run_since = NULL
    WHERE id = NEW.batch_id AND NEW.state >= 3 AND finished_at IS NULL AND stage = 1
      AND NOT EXISTS (
        SELECT 1 FROM tally WHERE batch_id = NEW.batch_id AND state < 3 AND n > 0);
  UPDATE batch SET
      finished_at = NULL,
      run_since = CASE WHEN run_state = 1 THEN NEW.updated_at END
    WHERE id = NEW.batch_id AND NEW.state < 3 AND finished_at IS NOT NULL;
END;

-- Keeps the hint "blocked": 0 for the row that may lead its lane. The claim checks the rule itself.
CREATE TRIGGER task_lane_moved AFTER UPDATE OF state ON task
WHEN NEW.lane IS NOT NULL AND OLD.state <> NEW.state AND NOT (OLD.state < 3 AND NEW.state < 3)
BEGIN
  UPDATE task SET blocked = 1
    WHERE id IN (SELECT l.id FROM task l INDEXED BY task_lane_head
                 WHERE l.batch_id = NEW.batch_id AND l.lane = NEW.lane AND l.lane IS NOT NULL
                   AND l.blocked = 0 AND l.state < 3);
  UPDATE task SET blocked = 0
    WHERE id = (SELECT h.id FROM task h INDEXED BY task_lane
                WHERE h.batch_id = NEW.batch_id AND h.lane = NEW.lane AND h.lane IS NOT NULL
                  AND h.state < 3
                ORDER BY h.row_no LIMIT 1)
      AND ((SELECT lane_on_dead FROM batch WHERE id = NEW.batch_id) = 'go'
           OR NOT EXISTS (SELECT 1 FROM task d INDEXED BY task_lane_dead
                          WHERE d.lane IS NOT NULL AND d.batch_id = NEW.batch_id AND d.lane = NEW.lane
                            AND d.state IN (4, 5, 6) AND d.row_no < task.row_no));
END;

CREATE TRIGGER attempt_opened AFTER INSERT ON attempt BEGIN
  UPDATE calls SET
      attempts = attempts + NEW.sent,
      last_at = max(coalesce(last_at, 0), NEW.started_at)
    WHERE batch_id = NEW.batch_id;
END;

CREATE TRIGGER attempt_closed AFTER UPDATE OF outcome, sent, billed, cost_nano ON attempt BEGIN
  UPDATE calls SET
      attempts = attempts + NEW.sent - OLD.sent,
      throttled = throttled + (NEW.outcome = 'throttled') - (OLD.outcome = 'throttled'),
      unpriced = unpriced + (NEW.billed = 'yes' AND NEW.cost_nano IS NULL)
                          - (OLD.billed = 'yes' AND OLD.cost_nano IS NULL),
      last_at = max(coalesce(last_at, 0), coalesce(NEW.ended_at, 0))
    WHERE batch_id = NEW.batch_id;
END;

CREATE TRIGGER attempt_unspent AFTER UPDATE OF billed, cost_nano ON attempt
WHEN OLD.cost_nano IS NOT NULL AND OLD.billed <> 'no'
BEGIN
  UPDATE spent SET nano = nano - OLD.cost_nano
    WHERE batch_id = OLD.batch_id AND currency = OLD.currency;
END;

CREATE TRIGGER attempt_spent AFTER UPDATE OF billed, cost_nano ON attempt
WHEN NEW.cost_nano IS NOT NULL AND NEW.billed <> 'no'
BEGIN
  INSERT INTO spent (batch_id, currency, nano) VALUES (NEW.batch_id, NEW.currency, NEW.cost_nano)
    ON CONFLICT (batch_id, currency) DO UPDATE SET nano = nano + NEW.cost_nano;
END;
