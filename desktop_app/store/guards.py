"""The table of legal moves, put into the file itself, so that no statement can go around it."""

from __future__ import annotations

import sqlite3

from desktop_app.domain.task import TaskState
from desktop_app.domain.transitions import LEGAL, REOPENED

NAME = "task_legal"
_WIDTH = 8
"""More than the highest state's number; its square is the number of bits."""


def legal_trigger() -> str:
    """The trigger that refuses every move that ``domain.transitions`` doesn't have."""
    # One bit a move: a list of states would be built anew for every row that moves.
    legal = sum(1 << _bit(start, end) for start, end in LEGAL)
    start, end = REOPENED
    moves = (
        f"({legal} >> (OLD.state * {_WIDTH} + NEW.state)) & 1 "
        f"OR (OLD.state = {int(start)} AND NEW.state = {int(end)} AND NEW.edition > OLD.edition)"
    )
    return (
        f"CREATE TRIGGER {NAME} BEFORE UPDATE OF state ON task WHEN NOT ({moves}) "
        "BEGIN SELECT RAISE(ABORT, 'illegal move'); END"
    )


def _bit(start: TaskState, end: TaskState) -> int:
    return int(start) * _WIDTH + int(end)


def install(conn: sqlite3.Connection) -> None:
    """Make the file's trigger equal the table; call inside a transaction."""
    wanted = legal_trigger()
    found = conn.execute("SELECT sql FROM sqlite_master WHERE name = ?", (NAME,)).fetchone()
    if found is None or found[0] != wanted:
        conn.execute(f"DROP TRIGGER IF EXISTS {NAME}")
        conn.execute(wanted)
