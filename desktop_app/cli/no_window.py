"""A system without a desktop's libraries is told so: whoever starts a program by its icon can do
nothing with a traceback."""

from __future__ import annotations

import argparse
from pathlib import Path

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.domain.text import message
from desktop_app.wiring import HouseOptions, translator

_TOOLKIT = ("PySide6", "shiboken6", "qasync")
_NOT_LOADED = ("cannot open shared object file", "DLL load failed", "Library not loaded")


def is_without_window(error: ImportError) -> bool:
    """Whether what a window is made of is missing here, and not a part of this program."""
    name = (error.name or "").partition(".")[0]
    return name in _TOOLKIT or any(words in str(error) for words in _NOT_LOADED)


def no_window(args: argparse.Namespace, error: ImportError) -> int:
    """Say what is missing. Returns the exit code."""
    data_dir, language = getattr(args, "data_dir", None), getattr(args, "language", None)
    options = HouseOptions(data_dir=Path(data_dir) if data_dir else None, language=language)
    say = Say(translator(options), False)
    say.error(message("settings.no_window", why=str(error)))
    return Exit.INTERNAL
