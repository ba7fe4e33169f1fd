"""Files from before there were caps: their costs count, and a copy of them stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

from desktop_app.domain.money import Money
from desktop_app.store import migrate
from tests.store.store_kit import Kit, StillClock

_SPEC = (
    '{"preset":null,"limits":{"concurrency":null,"rate":null,"rate_unit":"qps","burst":null,'
    '"headroom":0.8},"price":["0.04","image","USD"],"timeout_s":null,"on_unknown":null,'
    '"resend_below":null,"proxy":"system","params":{},"extra":{}}'
)


def old_file(path: Path) -> None:
    """A store of version 1: row 2 paid twice (0.04 each), row 3 lost, row 4 waiting."""
    with closing(sqlite3.connect(path, isolation_level=None)) as conn:
        migrate.migrate(conn, path, {1: migrate.shipped()[1]})
        conn.execute(
            "INSERT INTO connection VALUES (1,'Fake','fake','https://fake.test/v1','m',3,?,0)",
            (_SPEC,),
        )
        conn.execute(
            "INSERT INTO batch (id, name, sheet_path, sheet_hash, fingerprint, columns, mapping, "
            "connection_id, out_dir, created_at, stage, run_state, lane_on_dead, options) VALUES "
            "(1,'shoes','/s.csv','h','f','[\"prompt\"]','{\"prompt_column\":\"prompt\"}',1,'/out',"
            "1.0,1,1,'go','{}')"
        )
        conn.executemany("INSERT INTO tally VALUES (1, ?, 0)", [(state,) for state in range(8)])
        conn.execute("INSERT INTO calls (batch_id) VALUES (1)")
        for row in (2, 3, 4):
            conn.execute(
                "INSERT INTO task (id, batch_id, row_no, state, task_id, stem, stem_fold, "
                "updated_at, attempt_no) VALUES (?, 1, ?, 0, ?, ?, ?, 1.0, 2)",
                (row, row, f"uuid-{row}", f"000{row}", f"000{row}"),
            )
            conn.execute("INSERT INTO payload VALUES (?, 'p', '{}', '{}', '[]', '')", (row,))
        for row, no, outcome, billed, cost in (
            (2, 1, "unknown", "yes", 40_000_000),
            (2, 2, "success", "yes", 40_000_000),
            (3, 1, "unknown", "maybe", None),
        ):
            conn.execute(
                "INSERT INTO attempt (task_pk, batch_id, attempt_no, edition, idempotency_key, "
                "stem, started_at, outcome) VALUES (?, 1, ?, 1, 'k', 's', 1700000000.0, 'open')",
                (row, no),
            )
            conn.execute(
                "UPDATE attempt SET outcome = ?, ended_at = 2.0, billed = ?, cost_nano = ?, "
                "currency = ? WHERE task_pk = ? AND attempt_no = ?",
                (outcome, billed, cost, "USD" if cost else None, row, no),
            )


async def test_old_costs_count_against_a_new_cap(path: Path, opened: Any) -> None:
    old_file(path)
    store = await opened()
    kit = Kit(store, StillClock(), path, [])
    (summary,) = await store.pages.batches()
    assert summary.spent == (Money(Decimal("0.08"), "USD"),)
    assert (summary.reserved, summary.maybe_double) == ((), 1)
    assert summary.batch.budget is None
    assert (await store.connections.all())[0].day_budget is None
    await store.engine.set_budget(1, Money(Decimal("0.15"), "USD"))
    assert len(await kit.claim(1)) == 1
    (day,) = kit.sql("SELECT DISTINCT day FROM attempt WHERE started_at = 1700000000.0")
    assert day[0].startswith("2023-11-1")


async def test_the_old_file_is_copied_first(path: Path, opened: Any) -> None:
    old_file(path)
    await opened()
    with closing(sqlite3.connect(path.with_name("store.db.v1.bak"))) as copy:
        assert copy.execute("PRAGMA user_version").fetchone() == (1,)
        assert copy.execute("SELECT count(*) FROM attempt").fetchone() == (3,)
