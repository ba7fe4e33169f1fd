"""A module imported after PySide costs what it costs without it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import linecache, sys
{first}
import PySide6.QtWidgets
import colorsys
print(any("colorsys" in name for name in linecache.cache), callable(__import__))
"""


def _sources_read(first: str) -> str:
    code = PROGRAM.format(first=first)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_source_of_a_module_is_left_alone() -> None:
    plainly = "from desktop_app.ui.quick_imports import import_plainly; import_plainly()"
    assert _sources_read(plainly) == "False True"


def test_pyside_by_itself_reads_it() -> None:
    """Once it does not any more, the house has no need of ``quick_imports``."""
    assert _sources_read("") == "True True"
