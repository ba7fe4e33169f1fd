"""Verbs beside a killed instance, beside each other, and beside whoever holds the store."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.paths import paths
from desktop_app.store import connect, store
from tests.cli.conftest import Verbs
from tests.e2e.program import KEY, Program, kill_group, provider, sheet, wait_for

HOLD = ("--headroom", "1", "--on-unknown", "hold", "--price", "0.25", "--concurrency", "2")
SLOW = {"concurrency": 40, "qps": 0, "mean_s": 600.0, "sigma": 0.0, "time_scale": 1.0}
QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}


@contextmanager
def killed(verbs: Verbs, tmp_path: Path) -> Iterator[Any]:
    """Two of four rows were on the wire when the program was killed."""
    source = sheet(tmp_path / "t.csv", [f"cup {n}" for n in range(4)])
    program = Program(verbs.data, {"BATCHWRIGHT_KEY_SHOP": KEY})
    with provider(SLOW, tmp_path) as shop:
        verbs.connect(shop.base_url, *HOLD)
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out")
        with program.running(*run) as process:
            wait_for("two calls", lambda: shop.ledger()["in_flight"] == 2)
            kill_group(process)
        yield shop


def rows(verbs: Verbs) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = verbs.run("--json", "tasks", "--batch", "1").json
    return found


def test_nothing_is_said_to_run_where_nothing_runs(verbs: Verbs, tmp_path: Path) -> None:
    with killed(verbs, tmp_path):
        assert "2 interrupted + 2 waiting" in verbs.run("status").out
        assert verbs.run("--json", "status").json["interrupted"] == 2
        shown = verbs.run("tasks", "--batch", "1").out
        assert shown.count("interrupted") == 2
        assert " running " not in shown


@pytest.mark.parametrize("verb", ["settle", "requeue", "cancel"])
def test_after_a_kill_a_person_decides_before_anything_is_sent(
    verbs: Verbs, tmp_path: Path, verb: str
) -> None:
    with killed(verbs, tmp_path) as shop:
        first = rows(verbs)[0]["task"]
        if verb == "settle":
            done = verbs.run("settle", "--task", first, "--as", "failed")
            states = ["failed", "uncertain", "pending", "pending"]
        elif verb == "requeue":
            done = verbs.run("requeue", "--batch", "1", "--state", "uncertain")
            states = ["pending"] * 4
        else:
            done = verbs.run("cancel")
            states = ["uncertain", "uncertain", "cancelled", "cancelled"]
        assert done.code == 0, done.err
        assert [row["state"] for row in rows(verbs)] == states
        assert shop.ledger()["attempts"] == 2


def dead(verbs: Verbs, tmp_path: Path, count: int = 60) -> None:
    """A batch whose rows have all failed, by a provider that is gone afterwards."""
    source = sheet(tmp_path / "t.csv", [f"thing {n} [[moderate]]" for n in range(count)])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--concurrency", "20")
        out = tmp_path / "out"
        done = verbs.run("--json", "run", source, "--connection", "shop", "--out", out)
    assert (done.code, done.json["failed"]) == (3, count)


@contextmanager
def locked(verbs: Verbs) -> Iterator[sqlite3.Connection]:
    """Another program writes to the store, and does not end."""
    file = paths(verbs.data).database
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


def test_s22_a_locked_store_is_waited_for_and_a_mass_requeue_is_done_once(
    verbs: Verbs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead(verbs, tmp_path)
    monkeypatch.setattr(connect, "BUSY_S", 0.05)
    with locked(verbs) as other:
        free = threading.Timer(1.0, lambda: other.execute("ROLLBACK"))
        free.start()
        done = verbs.run("--json", "requeue", "--batch", "1")
        free.join()
    assert (done.code, done.json["count"]) == (0, 60), done.err
    assert {row["state"] for row in rows(verbs)} == {"pending"}
    assert {row["attempts"] for row in rows(verbs)} == {1}
    assert verbs.run("--json", "requeue", "--batch", "1").json["count"] == 0


@pytest.mark.parametrize("verb", [("requeue", "--batch", "1"), ("cancel",), ("run",)])
def test_a_store_that_stays_locked_is_told_as_it_is(
    verbs: Verbs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, verb: tuple[str, ...]
) -> None:
    dead(verbs, tmp_path, 2)
    monkeypatch.setattr(connect, "BUSY_S", 0.05)
    monkeypatch.setattr(store, "LOCKED_S", 0.2)
    monkeypatch.setattr(sys.modules["desktop_app.cli.main"], "PATIENCE_S", 0.2)
    args = (*verb, str(tmp_path / "t.csv"), "--connection", "shop") if verb == ("run",) else verb
    with locked(verbs):
        done = verbs.run("--json", *args)
    assert done.code == 4, done.err
    assert done.json["code"] == "store.locked"
    assert "It is tried again" not in done.err


def test_a_verb_whose_folder_another_verb_has_waits_and_does_it_itself(
    verbs: Verbs, tmp_path: Path
) -> None:
    dead(verbs, tmp_path, 3)
    lock = InstanceLock(paths(verbs.data).lock)
    assert lock.acquire()
    free = threading.Timer(1.0, lock.release)
    free.start()
    done = verbs.run("--json", "requeue", "--batch", "1")
    free.join()
    assert (done.code, done.json["count"]) == (0, 3), done.err
    with closing(sqlite3.connect(paths(verbs.data).database)) as conn:
        assert conn.execute("SELECT 1 FROM command WHERE verb = 'requeue'").fetchone() is None


def test_two_requeues_at_once_both_end_well_and_each_row_goes_once(
    verbs: Verbs, tmp_path: Path
) -> None:
    dead(verbs, tmp_path)
    program = Program(verbs.data, {"BATCHWRIGHT_KEY_SHOP": KEY})
    requeue = ("--json", "requeue", "--batch", "1")
    with program.running(*requeue) as one, program.running(*requeue) as two:
        ends = [process.communicate(timeout=60) for process in (one, two)]
        assert (one.returncode, two.returncode) == (0, 0), ends
    counts = sorted(int(line.split(":")[1].strip(" ,")) for out, _ in ends
                    for line in out.splitlines() if '"count"' in line)  # fmt: skip
    assert counts == [0, 60]
    assert {row["state"] for row in rows(verbs)} == {"pending"}


def test_an_owner_that_does_nothing_is_named(
    verbs: Verbs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead(verbs, tmp_path, 1)
    monkeypatch.setattr("desktop_app.cli.control.ANSWER_S", 0.3)
    lock = InstanceLock(paths(verbs.data).lock)
    assert lock.acquire()
    try:
        said = verbs.refused("requeue", "--batch", "1")
    finally:
        lock.release()
    assert f"process {lock.holder()}" in said
    # Nobody does it later, behind the back of whoever was refused.
    assert verbs.run("--json", "requeue", "--batch", "1").json["count"] == 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "batchwright-test", str(place)]
    try:
        done = subprocess.run(mount, capture_output=True, check=False)
    except OSError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"may not mount: {done.stderr.decode().strip()}")
    yield place
    subprocess.run(["umount", str(place)], check=True)


VERBS = [
    ("requeue", "--batch", "1"),
    ("cancel",),
    ("settle", "--task", "x", "--as", "failed"),
    ("connection", "list"),
    ("run", "t.csv", "--connection", "shop"),
    ("resume",),
]


@pytest.mark.parametrize("args", VERBS, ids=lambda args: args[0])
@pytest.mark.parametrize("fresh", [True, False], ids=["fresh", "used"])
def test_a_full_disk_is_one_sentence_and_4(
    small_disk: Path, tmp_path: Path, args: tuple[str, ...], fresh: bool
) -> None:
    program = Program(small_disk / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    add = ("connection", "add", "shop", "--adapter", "openai-images", "--base-url",
           "http://127.0.0.1:9/v1", "--model", "m", "--proxy", "none")  # fmt: skip
    if not fresh:
        assert program.run(*add).code == 0
    with (small_disk / "ballast").open("wb", buffering=0) as ballast:
        while True:
            try:
                ballast.write(b"x" * 512)
            except OSError:
                break
    given = [str(sheet(tmp_path / a, ["cup"])) if a == "t.csv" else a for a in args]
    done = program.run("--json", *given)
    assert "Traceback" not in done.err
    assert "Logging error" not in done.err
    assert done.code == 4, done.err
    assert "full" in done.json["error"]
    assert len(done.err.strip().splitlines()) <= 2, done.err
