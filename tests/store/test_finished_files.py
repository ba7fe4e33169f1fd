from __future__ import annotations

import unicodedata
from pathlib import Path

from desktop_app.store.finished_files import FinishedFiles


def test_a_file_is_found_by_its_stem_in_its_subfolder(tmp_path: Path) -> None:
    (tmp_path / "A").mkdir()
    (tmp_path / "A" / "0002.PNG").touch()
    (tmp_path / "0003.txt").touch()
    files = FinishedFiles()
    assert files.named(str(tmp_path), "A/0002") == "A/0002.PNG"
    assert files.named(str(tmp_path), "0003") == "0003.txt"
    assert files.named(str(tmp_path), "0002") is None
    assert files.named(str(tmp_path), "B/0002") is None


def test_accents_that_a_copy_has_taken_apart_are_the_same(tmp_path: Path) -> None:
    (tmp_path / unicodedata.normalize("NFD", "Café.png")).touch()
    found = FinishedFiles().named(str(tmp_path), "CAFÉ")
    assert found == unicodedata.normalize("NFD", "Café.png")
