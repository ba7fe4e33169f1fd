"""What is told of the store holds its shape and counts, never what was written into it, and is
told of a damaged, locked or missing file as well."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop_app.store.support import StoreFacts
from tests.cli.conftest import Verbs
from tests.e2e.program import KEY, provider, sheet

QUICK = {"concurrency": 0, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.02}


@pytest.fixture
def verbs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Verbs:
    monkeypatch.setenv("BATCHWRIGHT_KEY_SHOP", KEY)
    return Verbs(tmp_path / "data", capsys, monkeypatch)


@pytest.fixture
def path(verbs: Verbs, tmp_path: Path) -> Path:
    """A store with a batch of three."""
    source = sheet(tmp_path / "secret-campaign.csv", ["a secret prompt", "two", "three"])
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--extra", '{"negative_prompt": "a secret wish"}')
        done = verbs.run("run", source, "--connection", "shop", "--out", tmp_path / "out")
        assert done.code == 0, done.err
    return verbs.data / "batchwright.db"


def test_shape_and_counts_but_no_contents(path: Path) -> None:
    parts = StoreFacts(path).parts()
    assert set(parts) == {
        "store/schema.sql",
        "store/checks.txt",
        "store/counts.json",
        "store/connections.json",
    }
    assert "CREATE TABLE task" in parts["store/schema.sql"]
    assert "quick_check(20): ok" in parts["store/checks.txt"]
    assert "batchwright.db.wire" in parts["store/checks.txt"]
    counts = json.loads(parts["store/counts.json"])
    assert counts["tasks by batch and state"] == {"1": {"success": 3}}
    assert counts["attempts"][0]["n"] == 3
    (connection,) = json.loads(parts["store/connections.json"])
    assert connection["host"].startswith("127.0.0.1:")
    assert connection["extra"] == ["negative_prompt"]
    whole = "\n".join(parts.values())
    assert "not read:" not in whole
    for told in ("secret", "two", "shop", str(path.parent.parent)):
        assert told not in whole


def test_a_locked_file_says_so_and_hides_nothing_else(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.store.support.BUSY_S", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("PRAGMA locking_mode = exclusive")
        holder.execute("BEGIN EXCLUSIVE")
        parts = StoreFacts(path).parts()
    assert "locked" in parts["store/counts.json"]
    assert parts["store/counts.json"].startswith("not read:")
    assert "batchwright.db  " in parts["store/checks.txt"]


def test_damage_in_one_place_hides_no_other(path: Path) -> None:
    with closing(sqlite3.connect(path)) as conn:
        conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        conn.execute("PRAGMA journal_mode = delete")
        page = conn.execute("SELECT rootpage FROM sqlite_master WHERE name = 'attempt'").fetchone()[
            0
        ]
        size = conn.execute("PRAGMA page_size").fetchone()[0]
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    parts = StoreFacts(path).parts()
    assert parts["store/counts.json"].startswith("not read: DatabaseError")
    assert "quick_check" in parts["store/checks.txt"]
    assert "quick_check(20): ok" not in parts["store/checks.txt"]
    assert "CREATE TABLE task" in parts["store/schema.sql"]
    assert json.loads(parts["store/connections.json"])


@pytest.mark.parametrize("data", [None, b"", b"no store at all" * 500])
def test_what_is_no_store_is_told(tmp_path: Path, data: bytes | None) -> None:
    path = tmp_path / "batchwright.db"
    if data is not None:
        path.write_bytes(data)
    parts = StoreFacts(path).parts()
    assert parts["store/counts.json"].startswith("not read:")


def test_a_long_look_for_damage_is_broken_off(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.store.support._STEPS", 1)
    parts = StoreFacts(path, check_s=-1.0).parts()
    assert "not read: quick_check(20): interrupted" in parts["store/checks.txt"]
