"""The file refuses what the rules forbid, whoever writes to it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from desktop_app.domain.task import TaskState
from desktop_app.domain.transitions import is_legal
from desktop_app.store.tables import MODELS
from tests.store.store_kit import Kit

S = TaskState


async def test_models_have_the_files_columns(kit: Kit) -> None:
    for model in MODELS:
        table = model._meta.table_name
        columns = [row[1] for row in kit.sql(f"PRAGMA table_info({table})")]
        assert sorted(model._meta.columns) == sorted(columns)


async def test_the_trigger_is_the_table_of_legal_moves(kit: Kit) -> None:
    await kit.batch(1)
    with closing(sqlite3.connect(kit.path, isolation_level=None)) as conn:
        fill = "attempt_id = 1, due_at = 1, result_id = 1, error_class = 'x', cancel_requested = 0"
        body = conn.execute("SELECT sql FROM sqlite_master WHERE name = 'task_legal'").fetchone()
        for start in S:
            conn.execute("DROP TRIGGER task_legal")
            conn.execute(f"UPDATE task SET state = {int(start)}, {fill}")
            conn.execute(body[0])
            for end in S:
                conn.execute("BEGIN")
                try:
                    conn.execute(f"UPDATE task SET state = {int(end)}")
                    moved = True
                except sqlite3.IntegrityError:
                    moved = False
                conn.execute("ROLLBACK")
                assert moved == is_legal(start, end), (start, end)


@pytest.mark.parametrize(
    "change",
    [
        "state = 8",
        "state = 1, attempt_id = NULL",
        "rev = -1",
        "ready = 0",
        "blocked = 1",
        "cancel_requested = 1",
        "edition = 0",
        "batch_id = 99",
    ],
)
async def test_rows_that_make_no_sense_are_refused(kit: Kit, change: str) -> None:
    await kit.batch(1)
    with closing(sqlite3.connect(kit.path, isolation_level=None)) as conn:
        conn.execute("PRAGMA foreign_keys = 1")
        with pytest.raises(sqlite3.IntegrityError):
            conn.execute(f"UPDATE task SET {change}")


@pytest.mark.parametrize(
    ("state", "change"),
    [(S.RETRYING, "due_at = NULL"), (S.SUCCESS, "result_id = NULL"), (S.DEAD, "rev = rev")],
)
async def test_a_state_needs_what_belongs_to_it(kit: Kit, state: S, change: str) -> None:
    batch_id = await kit.batch(1)
    await kit.claim_one(batch_id)
    with (
        closing(sqlite3.connect(kit.path, isolation_level=None)) as conn,
        pytest.raises(sqlite3.IntegrityError, match="CHECK"),
    ):
        conn.execute(f"UPDATE task SET state = {int(state)}, {change}")
