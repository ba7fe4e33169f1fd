"""What is written is what is read back, whatever stood there before."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from desktop_app.exports.steps import onto_disk, through

DATA = b"0123456789" * 1000


@pytest.mark.parametrize("before", [None, b"", DATA[:-1], DATA + b"more"])
def test_what_stood_there_is_written_over(tmp_path: Path, before: bytes | None) -> None:
    temp = tmp_path / "temp"
    if before is not None:
        temp.write_bytes(before)
    assert through(onto_disk(temp, DATA)) == DATA == temp.read_bytes()


def test_what_was_staged_is_not_written_again(tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.write_bytes(DATA[::-1])
    assert through(onto_disk(temp, DATA)) == DATA[::-1]


def test_it_is_written_in_the_first_step_and_durable_after_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[int] = []
    monkeypatch.setattr(os, "fsync", synced.append)
    steps = onto_disk(tmp_path / "temp", DATA)
    next(steps)
    assert (tmp_path / "temp").read_bytes() == DATA
    assert synced == []
    assert through(steps) == DATA
    assert len(synced) == 1


def test_what_the_system_takes_bit_by_bit_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, read = os.write, os.read
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda file, data: write(file, data[:300]))
        patch.setattr(os, "read", lambda file, size: read(file, min(size, 700)))
        found = through(onto_disk(tmp_path / "temp", DATA))
    assert found == DATA == (tmp_path / "temp").read_bytes()


def test_a_file_system_that_takes_no_advice_gets_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(os, "posix_fadvise", refuse, raising=False)
    assert through(onto_disk(tmp_path / "temp", DATA)) == DATA


def test_work_that_is_given_up_leaves_no_open_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, closed = os.close, list[int]()

    def closing(file: int) -> None:
        closed.append(file)
        close(file)

    monkeypatch.setattr(os, "close", closing)
    steps = onto_disk(tmp_path / "temp", DATA)
    next(steps)
    assert closed == []
    steps.close()
    assert len(closed) == 1
