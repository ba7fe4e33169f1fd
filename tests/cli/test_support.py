"""The support file can be had with and without a store that works."""

from __future__ import annotations

import zipfile
from pathlib import Path

from tests.cli.conftest import Verbs


def test_a_file_is_saved_beside_a_damaged_store(verbs: Verbs, tmp_path: Path) -> None:
    assert verbs.run("--json", "connection", "list").json == []
    (verbs.data / "batchwright.db").write_bytes(b"damaged" * 2000)
    done = verbs.run("--json", "support", "--out", tmp_path / "help")
    assert done.code == 0, done.err
    said = done.json
    assert said["file"] == str(tmp_path / "help.zip")
    assert any("not a database" in why for why in said["unread"])
    with zipfile.ZipFile(said["file"]) as opened:
        assert opened.namelist() == said["holds"]
        assert "not a database" in opened.read("README.txt").decode()


def test_a_folder_that_is_not_there_is_one_sentence(verbs: Verbs, tmp_path: Path) -> None:
    said = verbs.refused("support", "--out", tmp_path / "nowhere" / "help.zip")
    assert said.startswith("help.zip could not be written")
