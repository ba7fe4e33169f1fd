"""What went wrong is told once, at the next start, in one report."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from desktop_app import __version__
from desktop_app.settings import fault_reports
from desktop_app.settings.crash_output import WENT_ON
from desktop_app.settings.fault_reports import earlier_faults
from desktop_app.settings.logs import Redactor

KEY = "0b7a9c1e-55d3-4f0e-9d55-ark0key0of0mine"
STACKS = 'Fatal Python error: Segmentation fault\n  File "/home/anna/x.py", line 3 in fall_down\n'
ENDED = "\n[1] 12:00:00 desktop_app.x: broke\nThe program ended by this.\nValueError\n"
NOTED = "\n[1] 12:00:00 desktop_app.x: broke\nValueError\n"


def leave(folder: Path, *, faults: str = "", stacks: str = "", at: float = 1_700_000_000) -> None:
    for name, text in (("faults.log", faults), ("crash.log", stacks)):
        if text:
            (folder / name).write_text(text, encoding="utf-8")
            os.utime(folder / name, (at, at))


def test_a_start_after_a_good_end_has_nothing_to_tell(tmp_path: Path) -> None:
    assert earlier_faults(tmp_path, Redactor()) is None
    (tmp_path / "crash.log").touch()  # as a start leaves it that nothing happened to
    assert earlier_faults(tmp_path, Redactor()) is None
    assert [file.name for file in tmp_path.iterdir()] == ["crash.log"]


@pytest.mark.parametrize(
    ("faults", "stacks", "went_down"),
    [
        (NOTED, "", False),
        (ENDED, "", True),
        ("", STACKS, True),
        (NOTED, STACKS, True),
        ("", STACKS + WENT_ON, False),
        ("", STACKS + WENT_ON + STACKS, True),
    ],
)
def test_it_is_told_once_in_one_report(
    tmp_path: Path, faults: str, stacks: str, went_down: bool
) -> None:
    leave(tmp_path, faults=faults, stacks=stacks)
    report = earlier_faults(tmp_path, Redactor())
    assert report is not None
    assert report.at == 1_700_000_000
    assert report.went_down is went_down
    text = report.file.read_text(encoding="utf-8")
    assert ("ValueError" in text) is bool(faults)
    assert ("in fall_down" in text) is bool(stacks)
    if stacks:
        assert f"Batchwright {__version__} on " in text
    assert "anna" not in text
    assert earlier_faults(tmp_path, Redactor()) is None
    assert [file for file in tmp_path.iterdir() if file.is_file()] == [report.file]


def test_s20_keys_are_masked_once_more(tmp_path: Path) -> None:
    redactor = Redactor()
    redactor.add(KEY)
    leave(tmp_path, faults=f"{NOTED}{KEY}\n", stacks=f"{STACKS}{KEY}\n")
    report = earlier_faults(tmp_path, redactor)
    assert report is not None
    assert KEY not in report.file.read_text(encoding="utf-8")


def test_old_reports_go_and_five_stay(tmp_path: Path) -> None:
    day = 86_400.0
    for number in range(8):
        leave(tmp_path, faults=NOTED, at=1_700_000_000 + number * day)
        last = earlier_faults(tmp_path, Redactor())
    assert last is not None
    kept = sorted(tmp_path.glob("report *.log"))
    assert len(kept) == 5
    assert kept[-1] == last.file


def test_a_huge_file_is_told_by_its_end(tmp_path: Path) -> None:
    leave(tmp_path, stacks="x" * 5_000_000 + "\n" + STACKS)
    report = earlier_faults(tmp_path, Redactor())
    assert report is not None
    assert report.file.stat().st_size < 500_000
    assert "in fall_down" in report.file.read_text(encoding="utf-8")


@pytest.mark.expect_log("can't be told")
def test_a_report_that_can_not_be_written_stops_nobody_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fault_reports, "_NAME", "nowhere/report.log")
    leave(tmp_path, stacks=STACKS)
    assert earlier_faults(tmp_path, Redactor()) is None
    assert (tmp_path / "crash.log").read_text(encoding="utf-8") == STACKS


@pytest.mark.expect_log("can't be put away")
def test_an_old_report_that_can_not_go_keeps_no_new_one_from_being_told(tmp_path: Path) -> None:
    for number in range(7):
        (tmp_path / f"report 2001-01-0{number + 1} 000000.log").mkdir()
    leave(tmp_path, faults=NOTED)
    assert earlier_faults(tmp_path, Redactor()) is not None
    assert not (tmp_path / "faults.log").exists()


def test_a_file_that_somebody_holds_is_emptied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "in use")

    leave(tmp_path, stacks=STACKS)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert earlier_faults(tmp_path, Redactor()) is not None
    assert earlier_faults(tmp_path, Redactor()) is None
