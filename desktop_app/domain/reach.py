"""Windows takes paths of 260 characters, and of 32,767 where their name has another form: a paid
result must find its place also in a folder that lies deep."""

from __future__ import annotations

import os
from pathlib import PurePath, PureWindowsPath
from typing import TypeVar

ROOM = 200
"""What the program puts below a folder takes at most: the longest is an answer's file before it has
its name, or a stem with its folders, a number and an ending. In UTF-16 units."""

MOST = 247
"""A folder may not be longer than this without that form, since it must take names of 8.3."""

_LONG = "\\\\?\\"
_LONG_SHARE = "\\\\?\\UNC\\"
_DEVICES = ("\\\\?\\", "\\\\.\\")

_P = TypeVar("_P", bound=PurePath)


def reachable(path: _P, room: int = ROOM, *, windows: bool = os.name == "nt") -> _P:
    """The path, or on Windows its long form where ``room`` more characters would make it too long.
    Only for opening, naming and looking: other programs and people are shown ``plain``."""
    if not windows:
        return path
    text = str(path)
    whole = PureWindowsPath(text)
    is_short = _units(text) + room <= MOST
    if is_short or not whole.is_absolute() or text.startswith(_DEVICES):
        return path
    if ".." in whole.parts:
        return path  # the long form is taken to the letter
    if whole.drive.startswith("\\\\"):
        return type(path)(_LONG_SHARE + str(whole)[2:])
    return type(path)(_LONG + str(whole))


def plain(path: PurePath) -> str:
    """The path as people and other programs know it."""
    text = str(path)
    if text.startswith(_LONG_SHARE):
        return "\\\\" + text[len(_LONG_SHARE) :]
    return text.removeprefix(_LONG)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
