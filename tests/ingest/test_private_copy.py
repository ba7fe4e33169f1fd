from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ingest.private_copy import private_copy
from tests.ingest.sheets_for_test import opened, write


def refused(path: Path) -> str:
    with pytest.raises(OperatorError) as caught:
        private_copy(path, path.parent / "copies")
    return Translator().say(caught.value.message)


def test_the_same_bytes_are_copied_once(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "prompt\na\n")
    second = write(tmp_path / "b.csv", "prompt\na\n")
    copies = tmp_path / "copies"
    one, two = private_copy(first, copies), private_copy(second, copies)
    assert one == two
    assert one.sha256 == hashlib.sha256(first.read_bytes()).hexdigest()
    assert [p.name for p in copies.iterdir()] == [one.path.name]


def test_what_is_no_sheet_gets_one_sentence_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    assert "is a folder" in refused(tmp_path / "folder.csv")
    assert "is not a file" in refused(tmp_path / "pipe.csv")
    assert f"There is no file {tmp_path / 'gone.csv'}" in refused(tmp_path / "gone.csv")
    assert "not a sheet that can be read" in refused(write(tmp_path / "a.pdf", "x"))
    assert refused(write(tmp_path / "~$a.xlsx", "x")) == (
        "~$a.xlsx is a note that Excel keeps while a.xlsx is open; import a.xlsx instead."
    )
    assert not (tmp_path / "copies").exists()


def test_a_file_that_vanishes_or_is_held_while_it_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    real = Path.open
    trouble: OSError = FileNotFoundError(2, "gone")

    def fail(self: Path, *args: object, **kwargs: object) -> object:
        if self == path:
            raise trouble
        return real(self, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", fail)
    assert "no longer there" in refused(path)
    trouble = PermissionError(13, "denied")
    assert "You may not read a.csv" in refused(path)
    trouble.winerror = 32  # type: ignore[attr-defined]
    assert "locked by another program" in refused(path)
    trouble = OSError(5, "Input/output error")
    assert "(Input/output error)" in refused(path)
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_file_that_never_holds_still_is_not_read_half(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    real = os.read

    def read_and_grow(handle: int, size: int) -> bytes:
        got = real(handle, size)
        with path.open("ab") as file:
            file.write(b"b\n")
        return got

    monkeypatch.setattr(os, "read", read_and_grow)
    assert "being written by another program" in refused(path)


def test_a_copy_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    write(tmp_path / "copies", "a file in its place")
    assert "could not be copied" in refused(path)


def test_a_sheet_open_in_excel_is_read_with_a_warning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    write(tmp_path / "~$a.csv", "owner")
    assert [w.code for w in opened(path).warnings] == ["ingest.unsaved"]
