"""A damaged list of tasks, from the first sentence to the list that takes its place."""

from __future__ import annotations

import asyncio
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.__main__ import main
from desktop_app.domain.text import Translator
from desktop_app.settings.instance_lock import InstanceLock
from desktop_app.settings.paths import paths
from desktop_app.store import backups
from desktop_app.store.restore import Restored
from desktop_app.wiring import HouseOptions, open_house, told
from tests.store.restore_kit import page, root

SHEET = "prompt\nred\nblue\n"


def verb(capsys: pytest.CaptureFixture[str], data: Path, *words: str) -> tuple[int, Any, str]:
    code = main([*words, "--json", "--data-dir", str(data)])
    out = capsys.readouterr()
    return code, json.loads(out.out), out.err


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with one batch of two rows in it."""
    from desktop_app.domain.batch import SheetMapping
    from desktop_app.domain.connection import Connection
    from desktop_app.services.import_batch import ImportPlan

    place = tmp_path / "data"
    sheet = tmp_path / "shoes.csv"
    sheet.write_text(SHEET, encoding="utf-8")

    async def fill() -> None:
        async with open_house(HouseOptions(data_dir=place)) as house:
            made = await house.services.connections.save(
                Connection("Local", "openai-images", "http://127.0.0.1:9/v1", "m")
            )
            info = await house.services.imports.open(sheet)
            mapping = SheetMapping(prompt_column="prompt")
            plan = ImportPlan(info, mapping, made.id, out_dir=str(tmp_path / "out"))
            await house.services.imports.run(plan)

    asyncio.run(fill())
    return place


def test_closing_leaves_the_days_copy(data: Path) -> None:
    (copy,) = backups.rolling(paths(data).database)
    assert backups.is_whole(copy.path)


@pytest.mark.parametrize("words", [("status",), ("pause",), ("resume",)])
def test_every_verb_says_the_one_line_to_run(
    data: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    paths(data).database.write_bytes(b"\xff" * 9_000)
    code, said, _ = verb(capsys, data, *words)
    assert code == 2
    assert said["code"] == "store.damaged_backup"
    assert f'batchwright restore --data-dir "{data}"' in said["error"]
    assert paths(data).database.exists()  # nothing is replaced unasked


@pytest.mark.parametrize("table", ["batch", "tally"])
def test_damage_that_a_verb_comes_upon_is_told_as_at_the_start(
    data: Path, capsys: pytest.CaptureFixture[str], table: str
) -> None:
    store = paths(data).database
    page(store, root(store, table))
    code, said, _ = verb(capsys, data, "status")
    assert (code, said["code"]) == (2, "store.damaged_backup")
    assert "Nothing is sent until it is mended. Bring back the copy of 20" in said["error"]
    assert f'batchwright restore --data-dir "{data}"' in said["error"]


def test_the_window_names_what_was_made_anew() -> None:
    done = Restored(None, None, lost_rows=(), uncertain=2, rebuilt=("#3 red shoe", "#4 cup"))
    said = Translator().say(told(done))
    assert said.startswith("The list of tasks holds what could be read;")
    assert "Made anew from their rows, and paused: #3 red shoe, #4 cup." in said
    assert "anew" not in Translator().say(told(replace(done, rebuilt=())))


def test_restore_brings_the_copy_back(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths(data).database.write_bytes(b"\xff" * 9_000)
    code, said, _ = verb(capsys, data, "restore")
    assert code == 0
    assert Path(said["damaged"]).name == "batchwright.damaged-1.db"
    assert said["lost_attempts"] is None
    code, said, _ = verb(capsys, data, "status")
    # Nobody knows whether they were sent since the copy was made.
    assert (code, said["pending"], said["uncertain"]) == (0, 0, 2)


def test_restore_says_in_words_what_is_lost(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths(data).database.write_bytes(b"\xff" * 9_000)
    assert main(["restore", "--data-dir", str(data)]) == 0
    assert "not sent before you say so" in capsys.readouterr().out


def test_a_folder_in_use_is_left_alone(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = InstanceLock(paths(data).lock)
    assert lock.acquire()
    try:
        assert verb(capsys, data, "restore")[0] == 5
    finally:
        lock.release()


def test_without_a_copy_the_list_may_start_empty(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for copy in backups.rolling(paths(data).database):
        shutil.move(copy.path, tmp_path)
    paths(data).database.write_bytes(b"\xff" * 9_000)
    assert verb(capsys, data, "restore")[:2][1]["code"] == "store.no_backup"
    code, said, _ = verb(capsys, data, "restore", "--fresh")
    assert (code, said["backup"]) == (0, None)
