"""A long import has its log copied beside the writer, one time after the other, whatever fails."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.store.log_copying import APART_BYTES, LogCopying, copy_log


class Copy:
    """Copies that take until they are let go."""

    def __init__(self, error: Exception | None = None) -> None:
        self.paths: list[Path] = []
        self.begun, self.go = threading.Event(), threading.Event()
        self.error = error

    def __call__(self, path: Path) -> None:
        self.paths.append(path)
        self.begun.set()
        assert self.go.wait(30)
        if self.error is not None:
            raise self.error


async def path_of() -> str:
    return "store.db"


async def test_the_log_is_copied_after_so_many_bytes_and_never_twice_at_once() -> None:
    copy = Copy()
    copying = LogCopying(path_of, copy)
    copying.added(APART_BYTES - 1)
    await copying.ended()
    assert copy.paths == []
    copying.added(1)
    assert await asyncio.to_thread(copy.begun.wait, 30)
    copying.added(APART_BYTES)  # it is under way
    copy.go.set()
    await copying.ended()
    assert copy.paths == [Path("store.db")]
    copying.added(1)  # what came meanwhile counts
    await copying.ended()
    assert len(copy.paths) == 2


@pytest.mark.expect_log("could not be copied")
async def test_what_fails_is_logged_and_tried_again_later(caplog: pytest.LogCaptureFixture) -> None:
    copy = Copy(sqlite3.OperationalError("disk I/O error"))
    copy.go.set()
    copying = LogCopying(path_of, copy)
    with caplog.at_level(logging.WARNING):
        copying.added(APART_BYTES)
        await copying.ended()
    assert "could not be copied" in caplog.text
    copying.added(APART_BYTES)
    await copying.ended()
    assert len(copy.paths) == 2


def test_the_log_is_in_the_file_afterwards_though_somebody_has_it_open(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        writer.execute("PRAGMA wal_autocheckpoint = 0")
        writer.execute("CREATE TABLE t (n)")
        writer.execute("INSERT INTO t VALUES (7)")
        assert path.stat().st_size == 0 or b"CREATE TABLE t" not in path.read_bytes()
        copy_log(path)
        assert b"CREATE TABLE t" in path.read_bytes()
        assert path.with_name("a.db-wal").stat().st_size > 0
        writer.execute("INSERT INTO t VALUES (8)")
        assert writer.execute("SELECT n FROM t").fetchall() == [(7,), (8,)]
