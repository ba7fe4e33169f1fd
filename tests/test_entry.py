"""The one entry serves the program's own helpers too, where it is frozen."""

from __future__ import annotations

import gc
import multiprocessing
import subprocess
import sys
from collections.abc import Iterator

import pytest

from desktop_app.__main__ import NEW_OBJECTS, main


@pytest.fixture(autouse=True)
def garbage_is_looked_for_as_before() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


class Helped(Exception):
    """A helper's work was done instead of a verb's."""


@pytest.mark.parametrize("frozen", [False, True])
def test_a_frozen_program_is_asked_first_whether_it_is_a_helper(
    monkeypatch: pytest.MonkeyPatch, frozen: bool
) -> None:
    def help_out() -> None:
        raise Helped

    monkeypatch.setattr(multiprocessing, "freeze_support", help_out)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    with pytest.raises(Helped if frozen else SystemExit):
        main(["--version"])


def test_garbage_is_looked_for_rarely() -> None:
    gc.set_threshold(700, 10, 10)
    with pytest.raises(SystemExit):
        main(["--version"])
    assert gc.get_threshold() == (NEW_OBJECTS, 10, 10)


def test_no_thread_keeps_the_window_waiting_for_long() -> None:
    pytest.importorskip("PySide6.QtWidgets")
    code = """
import gc, sys
import desktop_app.app as app
from desktop_app.__main__ import main

def run_window(args):
    print(sys.getswitchinterval(), gc.isenabled())
    return 0

app.run_window = run_window
sys.exit(main([]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0.001", "False"]


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (
            "ImportError('libGL.so.1: cannot open shared object file: No such file or directory')",
            "libGL.so.1: cannot open shared object file",
        ),
        ("ModuleNotFoundError(\"No module named 'PySide6'\", name='PySide6')", "'PySide6'"),
        ("ImportError('cannot import name x', name='desktop_app.app.x')", ""),
    ],
)
def test_a_system_that_can_open_no_window_is_told_what_is_missing(raised: str, said: str) -> None:
    code = f"""
import sys
from desktop_app.__main__ import main
from desktop_app.ui import quick_imports

def import_plainly():
    raise {raised}

quick_imports.import_plainly = import_plainly
sys.exit(main(["--language", "en"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 1
    assert ("Traceback" in done.stderr) is (said == "")
    assert said in done.stderr
    assert ("can't be opened here" in done.stderr) is (said != "")
