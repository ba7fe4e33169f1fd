from __future__ import annotations

import errno
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.ingest import private_copy as private_copy_module
from desktop_app.ingest.private_copy import is_changed, private_copy
from tests.ingest.sheets_for_test import opened, write


class Usage(NamedTuple):
    free: int


def refused(path: Path) -> str:
    with pytest.raises(OperatorError) as caught:
        private_copy(path, path.parent / "copies")
    return Translator().say(caught.value.message)


def test_the_same_bytes_are_copied_once(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", "prompt\na\n")
    second = write(tmp_path / "b.csv", "prompt\na\n")
    copies = tmp_path / "copies"
    one, two = private_copy(first, copies), private_copy(second, copies)
    assert (one.path, one.stamp.sha256) == (two.path, two.stamp.sha256)
    assert one.stamp.sha256 == hashlib.sha256(first.read_bytes()).hexdigest()
    assert [p.name for p in copies.iterdir()] == [one.path.name]


def test_a_sheet_is_changed_where_it_holds_something_else(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    seen = private_copy(path, tmp_path / "copies").stamp
    assert not is_changed(path, seen)
    os.utime(path, ns=(1, 1))  # saved anew as it was
    assert not is_changed(path, seen)
    write(path, "prompt\nb\n")
    assert is_changed(path, seen)
    write(path, "prompt\na\nb\n")
    assert is_changed(path, seen)
    path.unlink()
    assert not is_changed(path, seen)


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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere every name is text")
@pytest.mark.parametrize("place", ["新品.csv", "新品/a.csv"])
def test_a_name_that_no_store_can_keep_is_said(tmp_path: Path, place: str) -> None:
    """As out of an archive that was packed on a Chinese Windows."""
    path = tmp_path / os.fsdecode(place.encode("gbk"))
    path.parent.mkdir(exist_ok=True)
    said = refused(write(path, "prompt\na\n"))
    assert said.endswith("is not in this system's encoding and can't be kept; rename it first.")
    said.encode()
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


@pytest.mark.parametrize(
    ("lock", "program"),
    [("~$a.csv", "Excel"), (".~lock.a.csv#", "LibreOffice"), (".~a.csv", "WPS")],
)
def test_whoever_has_the_sheet_open_is_named(tmp_path: Path, lock: str, program: str) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    note = write(tmp_path / lock, "owner")
    assert Translator().say(opened(path).warnings[0]) == (
        f"a.csv is open in {program}: changes that are not saved yet are not included."
    )
    assert refused(note).startswith(f"{lock} is a note that {program} keeps while a.csv is open")


def failing(after: int, error: OSError) -> Callable[[int, int], bytes]:
    """``os.read`` on a drive that is lost after so many reads."""
    real, reads = os.read, 0

    def read(handle: int, size: int) -> bytes:
        nonlocal reads
        reads += 1
        if reads > after:
            raise error
        return real(handle, 1_000)

    return read


@pytest.mark.parametrize("after", [0, 3])
@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.EIO, "does not answer"),
        (errno.ESTALE, "does not answer"),
        (errno.EBADF, "can't be read"),
    ],
)
def test_a_drive_that_is_lost_midway_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int, number: int, said: str
) -> None:
    path = write(tmp_path / "a.csv", "prompt\n" + "a red shoe\n" * 1_000)
    monkeypatch.setattr(os, "read", failing(after, OSError(number, "lost")))
    assert said in refused(path)
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_server_that_windows_cannot_find_is_a_lost_drive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    trouble = FileNotFoundError(errno.ENOENT, "The network path was not found")
    trouble.winerror = 53  # type: ignore[attr-defined]

    def fail(self: Path, **_: object) -> object:
        raise trouble

    monkeypatch.setattr(Path, "stat", fail)
    assert "network folder does not answer (The network path was not found)" in refused(path)


def test_a_file_cut_short_while_it_is_read_is_not_taken_for_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\nb\n")
    real = os.read
    monkeypatch.setattr(os, "read", lambda handle, size: real(handle, size)[:-4])
    assert "being written by another program" in refused(path)


def test_a_full_disk_is_not_blamed_on_the_sheet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path / "a.csv", "prompt\na\n")
    real = Path.open

    def full(self: Path, mode: str = "r", *args: object, **kwargs: object) -> object:
        if mode == "wb":
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, mode, *args, **kwargs)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", full)
    assert refused(path) == "a.csv could not be copied for reading (No space left on device)."
    monkeypatch.undo()
    monkeypatch.setattr(private_copy_module.shutil, "disk_usage", lambda _: Usage(90 << 20))
    with path.open("r+b") as file:
        file.truncate(200 << 20)
    assert "takes 264 MB on the disk, and only 90 MB are free" in refused(path)
    assert list((tmp_path / "copies").iterdir()) == []


def test_a_huge_file_of_nothing_is_refused_before_it_is_copied(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    with path.open("wb") as file:
        file.truncate(400 << 20)
    assert "is not a text file" in refused(path)
    assert list((tmp_path / "copies").iterdir()) == []


@pytest.mark.parametrize(("free", "fits"), [(300, True), (150, False)])
def test_a_short_sheet_needs_little_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, fits: bool
) -> None:
    monkeypatch.setattr(private_copy_module.shutil, "disk_usage", lambda _: Usage(free))
    path = write(tmp_path / "a.csv", "prompt\n" + "x" * 93)
    if fits:
        assert private_copy(path, tmp_path / "copies").path.read_bytes() == path.read_bytes()
    else:
        assert "takes 1 MB on the disk, and only 0 MB are free" in refused(path)
