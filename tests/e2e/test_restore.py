"""A damaged list under the real program: nothing that was paid for is bought again."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.e2e.program import KEY, Program, provider, sheet

QUICK = {"concurrency": 0, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.02}
SMALL = ("--param", "size=64x64")


def overwrite(store: Path, *tables: str) -> None:
    """Every page of these tables."""
    with closing(sqlite3.connect(store)) as conn:
        marks = ", ".join("?" * len(tables))
        sql = f"SELECT pageno FROM dbstat WHERE name IN ({marks})"
        pages = [number for (number,) in conn.execute(sql, tables)]
    with store.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * 4096)
            file.write(b"\xff" * 4096)


def test_what_was_done_and_decided_since_the_copy_is_not_bought_again(tmp_path: Path) -> None:
    program = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    store = program.data / "batchwright.db"
    source = sheet(tmp_path / "w1.csv", [f"cup {n}" for n in range(30)])
    second = sheet(tmp_path / "w2.csv", [f"lamp {n}" for n in range(5)])
    out = tmp_path / "out"
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--on-unknown", "hold", "--price", "1")
        run = ("--json", "run", source, "--connection", "shop", "--out", out, *SMALL)
        assert program.run(*run, "--max-calls", "8").json["success"] == 8
        assert list(program.data.glob("batchwright.backup-*.db"))  # the copy of the day
        assert program.run("--json", "resume", "--max-calls", "20").json["success"] == 20
        assert program.run("--json", "cancel").json["count"] == 10
        two = ("--json", "run", second, "--connection", "shop", "--out", tmp_path / "two", *SMALL)
        assert program.run(*two).code == 0
        assert shop.ledger()["attempts"] == 25

        overwrite(store, "task_row", "tally")
        found = program.run("status")
        assert (found.code, "batchwright restore" in found.err) == (2, True)
        done = program.run("--json", "restore")
        assert (done.code, done.json["whole"], done.json["uncertain"]) == (0, True, 0)
        one = program.run("--json", "status", "--batch", "1").json
        assert (one["success"], one["cancelled"], one["pending"]) == (20, 10, 0)
        assert program.run("--json", "status", "--batch", "2").json["success"] == 5

        overwrite(store, "task")
        done = program.run("--json", "restore")
        assert (done.code, done.json["whole"]) == (0, False)
        # All 12 that were done since the copy are there by their files; the rest is held.
        one = program.run("--json", "status", "--batch", "1").json
        assert (one["success"], one["uncertain"], one["pending"]) == (20, 10, 0)
        lost = {rows["batch"]: rows for rows in done.json["lost_rows"]}
        assert lost["w2"]["folder"] == str(tmp_path / "two")
        assert program.run("--json", "resume", "--batch", "1").code == 3
        assert shop.ledger()["attempts"] == 25
        assert shop.ledger()["billed_twice"] == 0


def test_a_lost_batch_and_lost_results_stand_again_by_their_rows_and_files(tmp_path: Path) -> None:
    program = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
    store = program.data / "batchwright.db"
    first = sheet(tmp_path / "w1.csv", [f"cup {n}" for n in range(4)])
    second = sheet(tmp_path / "w2.csv", [f"lamp {n}" for n in range(12)])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--on-unknown", "hold", "--price", "1")
        for name, source in (("one", first), ("two", second)):
            out = tmp_path / name
            run = ("--json", "run", source, "--connection", "shop", "--out", out, *SMALL)
            assert program.run(*run, "--max-calls", "8").json["failed"] == 0

        overwrite(store, "result")
        done = program.run("--json", "restore")
        assert (done.code, done.json["uncertain"], done.json["lost_attempts"]) == (0, 0, 0)
        two = program.run("--json", "status", "--batch", "2").json
        assert (two["success"], two["uncertain"], two["pending"]) == (8, 0, 4)

        for copy in sorted(program.data.glob("batchwright.backup-*.db")):
            copy.unlink()
        overwrite(store, "batch")
        done = program.run("--json", "restore")
        assert (done.code, done.json["lost_rows"], done.json["whole"]) == (0, [], False)
        assert done.json["rebuilt_batches"] == ["#1 cup 0", "#2 lamp 0"]
        two = program.run("--json", "status", "--batch", "2").json
        assert (two["success"], two["uncertain"], two["pending"]) == (8, 0, 4)
        # Nothing tells of its folder: it waits until a person makes the one that is named.
        assert program.run("resume", "--batch", "2").code == 4
        assert shop.ledger()["attempts"] == 12
        (program.data / "restored-2").mkdir()
        assert program.run("--json", "resume", "--batch", "2").json["success"] == 12
        assert len(list((program.data / "restored-2").glob("*.png"))) == 4
        assert (shop.ledger()["attempts"], shop.ledger()["billed_twice"]) == (16, 0)
