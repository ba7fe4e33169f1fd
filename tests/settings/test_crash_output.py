"""What nobody can catch is logged, masked, and a native crash leaves its stacks in a file."""

from __future__ import annotations

import faulthandler
import gc
import logging
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from desktop_app.settings.crash_output import WENT_ON, watch_crashes
from desktop_app.settings.logs import Redactor, start_logs

KEY = "0b7a9c1e-55d3-4f0e-9d55-ark0key0of0mine"


@pytest.mark.expect_log("the thread|ignored")
def test_s20_a_dead_thread_and_a_failing_finalizer_are_logged_masked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Fails:
        def __del__(self) -> None:
            raise RuntimeError(KEY)

    def work() -> None:
        raise ValueError(KEY)

    redactor = Redactor()
    redactor.add(KEY)
    stop_logs = start_logs(tmp_path, redactor)
    stop = watch_crashes(tmp_path)
    thread = threading.Thread(target=work, name="worker")
    thread.start()
    thread.join()
    Fails()
    gc.collect()
    stop()
    stop_logs()
    text = (tmp_path / "batchwright.log").read_text(encoding="utf-8")
    assert "the thread worker died" in text
    assert "ValueError: ***" in text
    assert "RuntimeError: ***" in text
    assert KEY not in text
    said = capsys.readouterr()
    assert KEY not in said.out + said.err


def test_who_watches_already_goes_on_watching(tmp_path: Path) -> None:
    assert faulthandler.is_enabled()  # pytest does
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    watch_crashes(tmp_path)()
    assert faulthandler.is_enabled()
    assert (sys.excepthook, threading.excepthook, sys.unraisablehook) == hooks
    assert not (tmp_path / "crash.log").exists()


def test_s20_a_native_crash_leaves_stacks_without_values(tmp_path: Path) -> None:
    code = textwrap.dedent(
        f"""
        import ctypes, sys
        from pathlib import Path
        from desktop_app.settings.crash_output import watch_crashes
        watch_crashes(Path({str(tmp_path)!r}))
        def fall_down(key):
            ctypes.string_at(0)
        fall_down(sys.stdin.readline())
        """
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=KEY,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    text = (tmp_path / "crash.log").read_text(encoding="utf-8")
    assert "in fall_down" in text
    assert KEY not in text + done.stdout + done.stderr


def test_a_native_exception_that_was_caught_is_no_crash(tmp_path: Path) -> None:
    code = (
        "import faulthandler, sys; from pathlib import Path;"
        "from desktop_app.settings.crash_output import watch_crashes;"
        "stop = watch_crashes(Path(sys.argv[1]));"
        "file = open(Path(sys.argv[1]) / 'crash.log', 'a');"
        "[faulthandler.dump_traceback(file)] * int(sys.argv[2]) if int(sys.argv[2]) else 0;"
        "file.close(); stop()"
    )
    for times, ending in ((0, ""), (1, WENT_ON), (0, WENT_ON)):
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path), str(times)], timeout=60, check=True
        )
        text = (tmp_path / "crash.log").read_text(encoding="utf-8")
        assert text.endswith(ending)
        assert text.count(WENT_ON) == (1 if ending else 0)


@pytest.mark.expect_log("nobody caught")
def test_what_ends_the_program_is_left_to_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ended: list[object] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, _error, _trace: ended.append(kind))
    stop = watch_crashes(tmp_path)
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    sys.excepthook(ValueError, ValueError(), None)
    stop()
    assert ended == [KeyboardInterrupt]
    assert [record.getMessage() for record in caplog.records] == ["an exception that nobody caught"]


def test_a_folder_that_can_not_be_written_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "crash.log").mkdir()
    code = (
        "import sys; from pathlib import Path;"
        "from desktop_app.settings.crash_output import watch_crashes;"
        "watch_crashes(Path(sys.argv[1]))(); print('on')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "on"


def test_logging_is_left_as_it_was(tmp_path: Path) -> None:
    before = list(logging.getLogger().handlers)
    watch_crashes(tmp_path)()
    assert list(logging.getLogger().handlers) == before
