"""After a kill the log tells what was on the wire; after a power cut it claims nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.attempt import Mark, Outcome
from desktop_app.domain.task import TaskState
from desktop_app.store import wire_log
from desktop_app.store.wire_log import WireLog
from tests.store.store_kit import Kit

S = TaskState

CHILD = """
import asyncio, sys
from pathlib import Path
from desktop_app.domain.attempt import Mark
from desktop_app.store.store import open_store

async def main():
    store = await open_store(Path(sys.argv[1]), boot_id="boot-1")
    await store.engine.orphans()
    claims = await store.engine.claim(1, 3, 1000.0)
    store.engine.note(Mark.BEGUN, claims[0].attempt_pk)
    store.engine.note(Mark.BEGUN, claims[2].attempt_pk)
    print("ready", flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


def run_and_kill(path: Path) -> None:
    """A process that claims three rows, sends two of them, and dies by SIGKILL."""
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    with child, child.stdout as out:
        assert out.readline() == "ready\n"
        os.kill(child.pid, signal.SIGKILL)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
async def test_s09_after_kill_9_only_what_left_counts_as_begun(kit: Kit, opened: Any) -> None:
    await kit.batch(4)
    await kit.store.close()
    run_and_kill(kit.path)
    store = kit.store = await opened(boot_id="boot-1")
    found = await store.engine.orphans()
    assert [(o.claim.row_no, o.begun) for o in found] == [(2, True), (3, False), (4, True)]
    assert found[0].claim.request.prompt == "prompt 2"
    assert found[0].claim.rev == 1
    assert found[0].started_at == 1_000.0
    # Settled with the claim it brings, like any other attempt.
    done = await kit.end(found[1].claim, S.PENDING, outcome=Outcome.NOT_SENT)
    assert done.applied
    assert [o.begun for o in await store.engine.orphans()] == [True, True]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("boot_id", ["boot-2", None])
async def test_after_a_reboot_everything_open_counts_as_begun(
    kit: Kit, opened: Any, boot_id: str | None
) -> None:
    await kit.batch(4)
    await kit.store.close()
    run_and_kill(kit.path)
    store = kit.store = await opened(boot_id=boot_id)
    assert [o.begun for o in await store.engine.orphans()] == [True, True, True]


async def test_the_log_starts_afresh_when_the_last_orphan_is_settled(kit: Kit, opened: Any) -> None:
    batch_id = await kit.batch(3)
    log = kit.path.with_name("store.db.wire")
    assert await kit.store.engine.orphans() == []
    first, second = await kit.claim(batch_id, 2)
    kit.store.engine.note(Mark.BEGUN, first.attempt_pk)
    size = log.stat().st_size
    await kit.store.close()

    kit.store = await opened(boot_id="boot-1")
    one, two = await kit.store.engine.orphans()
    assert (one.begun, two.begun) == (True, False)
    third = await kit.claim_one(batch_id)
    kit.store.engine.note(Mark.BEGUN, third.attempt_pk)
    await kit.end(one.claim, S.UNCERTAIN)
    assert log.stat().st_size == size + 16
    await kit.end(two.claim, S.PENDING, outcome=Outcome.NOT_SENT)
    assert log.stat().st_size == size  # the header and what is on the wire now
    assert Mark.BEGUN in WireLog(log, "boot-1").of(third.attempt_pk)
    assert Mark.BEGUN not in WireLog(log, "boot-1").of(first.attempt_pk)
    assert second.attempt_pk == two.claim.attempt_pk


def test_without_a_log_nothing_is_proved(tmp_path: Path) -> None:
    log = WireLog(tmp_path / "wire", "boot-1")
    assert Mark.BEGUN in log.of(1)
    log.note(Mark.BEGUN, 1)  # not kept: a file that begins in the middle would call others unsent
    assert not (tmp_path / "wire").exists()


def test_a_foreign_or_torn_log_proves_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "wire"
    log = WireLog(path, "boot-1")
    log.restart()
    log.note(Mark.BEGUN, 7)
    log.close()
    with path.open("ab") as file:
        file.write(b"\x01\x02\x03")
    read = WireLog(path, "boot-1")
    assert (read.of(7), read.of(8)) == ({Mark.BEGUN}, set())
    read.note(Mark.BEGUN, 9)
    read.close()
    assert WireLog(path, "boot-1").of(9) == {Mark.BEGUN}
    path.write_bytes(b"something else")
    assert Mark.BEGUN in WireLog(path, "boot-1").of(8)


@pytest.mark.expect_log("wire log can't be written")
def test_a_log_with_a_gap_is_dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "wire"
    log = WireLog(path, "boot-1")
    log.restart()
    log.note(Mark.BEGUN, 1)

    def full(_fd: int, _data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    log.note(Mark.BEGUN, 2)
    monkeypatch.undo()
    log.note(Mark.BEGUN, 3)
    log.close()
    assert not path.exists()
    assert Mark.BEGUN in WireLog(path, "boot-1").of(2)


def test_marks_and_suspects_outlive_the_process_and_a_fresh_file(tmp_path: Path) -> None:
    path = tmp_path / "wire"
    log = WireLog(path, "boot-1")
    log.restart()
    for mark in (Mark.BEGUN, Mark.PROCESSING):
        log.note(mark, 7)
        log.note(mark, 8)
    log.note(Mark.PROCESSED, 8)
    log.note(Mark.BEGUN, 9)
    log.note(Mark.UNBILLED, 9)
    log.note(Mark.SUSPECT, 70)
    log.note(Mark.SUSPECT, 80)
    log.note(Mark.CLEARED, 80)
    log.close()
    read = WireLog(path, "boot-1")
    assert read.of(7) == {Mark.BEGUN, Mark.PROCESSING}
    assert read.of(8) == {Mark.BEGUN}
    assert read.of(9) == {Mark.BEGUN, Mark.UNBILLED}
    assert read.suspects == {70}
    read.restart()
    read.close()
    again = WireLog(path, "boot-1")
    assert (again.of(7), again.suspects) == (set(), {70})
    assert WireLog(path, "boot-2").suspects == set()


def test_a_log_that_proves_nothing_still_keeps_what_is_noted_next(tmp_path: Path) -> None:
    path = tmp_path / "wire"
    log = WireLog(path, "boot-1")
    log.adopt([4, 5])
    log.note(Mark.PROCESSING, 4)
    log.close()
    read = WireLog(path, "boot-1")
    assert read.of(4) == {Mark.BEGUN, Mark.PROCESSING}
    assert read.of(5) == {Mark.BEGUN}


def test_the_file_stays_small_however_long_the_program_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire_log, "_MANY", 100)
    path = tmp_path / "wire"
    log = WireLog(path, "boot-1")
    log.restart()
    log.note(Mark.BEGUN, 1)
    for pk in range(2, 1_000):
        log.note(Mark.BEGUN, pk)
        log.ended(pk)
    log.close()
    assert path.stat().st_size < 64 + 16 * 105
    assert WireLog(path, "boot-1").of(1) == {Mark.BEGUN}
