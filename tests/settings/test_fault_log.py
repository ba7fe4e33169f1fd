"""Every door by which a fault can leave the program leads into one report of the run."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import __version__
from desktop_app.domain.errors import LocalTrouble
from desktop_app.domain.text import OperatorError, message
from desktop_app.settings.crash_output import watch_crashes
from desktop_app.settings.fault_log import ended_by, keep_faults
from desktop_app.settings.logs import Redactor, start_logs

KEY = "0b7a9c1e-55d3-4f0e-9d55-ark0key0of0mine"
PROMPT = "红色运动鞋"
_log = logging.getLogger("desktop_app.tests")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    redactor = Redactor()
    redactor.add(KEY)
    stops = [
        start_logs(tmp_path, redactor),
        keep_faults(tmp_path, redactor),
        watch_crashes(tmp_path),
    ]
    yield tmp_path
    for stop in reversed(stops):
        stop()


def noted(folder: Path) -> str:
    file = folder / "faults.log"
    return file.read_text(encoding="utf-8") if file.exists() else ""


def fail(error: Exception) -> None:
    try:
        raise error
    except Exception:
        _log.exception("row %d broke", 7)


@pytest.mark.expect_log("the thread|ignored|nobody caught|never retrieved|in callback")
def test_s20_every_door_leads_into_one_report_without_key_and_prompt(folder: Path) -> None:
    class Fails:
        def __del__(self) -> None:
            raise RuntimeError(PROMPT)

    def work() -> None:
        raise ValueError(KEY, PROMPT)

    async def task() -> None:
        raise LookupError(PROMPT)

    def called(prompt: str) -> None:
        raise ArithmeticError(prompt)

    async def loop() -> None:
        forgotten = asyncio.ensure_future(task())
        asyncio.get_running_loop().call_soon(called, PROMPT)
        await asyncio.wait({forgotten})
        del forgotten
        gc.collect()

    thread = threading.Thread(target=work, name=PROMPT)
    thread.start()
    thread.join()
    Fails()
    gc.collect()
    asyncio.run(loop())
    error = TypeError(PROMPT)
    sys.excepthook(TypeError, error, None)
    text = noted(folder)
    assert text.count(f"Batchwright {__version__} on ") == 1
    for number, kind in enumerate(
        ("ValueError", "RuntimeError", "ArithmeticError", "LookupError", "TypeError"), 1
    ):
        assert f"\n[{number}] " in text
        assert f"{kind}\n" in text
    assert "desktop_app.settings.crash_output: the thread … died\n" in text
    assert PROMPT not in text
    assert KEY not in text
    assert "batchwright.log has it" in text
    assert "ArithmeticError: 红" in (folder / "batchwright.log").read_text(encoding="utf-8")
    assert not ended_by(text)


@pytest.mark.expect_log("broke")
def test_what_is_no_fault_of_the_program_leaves_no_report(folder: Path) -> None:
    said = message("text.plain", text="x")
    fail(OSError(errno.ENOSPC, "No space left"))
    fail(OperatorError(said))
    trouble = RuntimeError()
    trouble.__cause__ = LocalTrouble(said)
    fail(trouble)
    _log.error("no exception at all broke")
    _log.warning("a warning broke", exc_info=ValueError())
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    assert noted(folder) == ""


@pytest.mark.expect_log("broke")
def test_a_fault_in_painting_that_comes_again_and_again_is_counted(folder: Path) -> None:
    for _ in range(250):
        fail(ValueError(PROMPT))
    text = noted(folder)
    assert text.count("Traceback") == 1
    again = [line.rpartition("again, ")[2] for line in text.splitlines() if " again, " in line]
    assert again == [f"{n} times in all" for n in (*range(10, 100, 10), 100, 200)]


@pytest.mark.expect_log("broke|the program failed")
def test_the_report_is_bounded_and_never_without_what_ended_the_program(folder: Path) -> None:
    for number in range(200):
        fail(type(f"Fault{number}", (Exception,), {})())
    _log.error("the program failed", exc_info=KeyError(PROMPT), extra={"ends": True})
    text = noted(folder)
    assert "Fault49" in text
    assert "Fault50" not in text
    assert ended_by(text)
    assert text.endswith("KeyError\n")
    (folder / "faults.log").write_text("x" * 400_000, encoding="utf-8")
    _log.error("the program failed", exc_info=KeyError(PROMPT), extra={"ends": True})
    assert len(noted(folder)) < 1_000


def test_several_processes_share_the_file(tmp_path: Path) -> None:
    code = (
        "import logging, sys; from pathlib import Path;"
        "from desktop_app.settings.fault_log import keep_faults;"
        "from desktop_app.settings.logs import Redactor;"
        "keep_faults(Path(sys.argv[1]), Redactor());"
        "logging.getLogger('desktop_app.x').error('broke', exc_info=ValueError())"
    )
    for _ in range(2):
        subprocess.run([sys.executable, "-c", code, str(tmp_path)], timeout=60, check=True)
    assert noted(tmp_path).count("Batchwright ") == 2
    assert noted(tmp_path).count("ValueError") == 2


@pytest.mark.expect_log("broke")
def test_a_file_that_can_not_be_written_stops_nobody(folder: Path) -> None:
    (folder / "faults.log").mkdir()
    fail(ValueError())
