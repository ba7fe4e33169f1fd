"""A fault told to a stranger: what an exception says may quote a prompt and a path names its owner,
so only its kind, its places in the program and what Python knows of it by itself are told."""

from __future__ import annotations

import errno
import os
import re
import traceback
from itertools import islice
from pathlib import Path
from types import TracebackType

import desktop_app
from desktop_app.domain.errors import behind

ELSEWHERE = "(elsewhere)"
_CHAIN = 6
_MEMBERS = 4
_FIRST, _LAST = 10, 30
_LONGEST_LINE = 300
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_.]{0,80}")
_RELATIVE = re.compile(r"(?!\.)[\w.\-]+(?:/[\w.\-]+)*\.pyc?", re.ASCII)
_INTERNAL = re.compile(r"<(?:frozen )?[\w. ]+>", re.ASCII)
_INSTALLED = re.compile(r".*/(?:site|dist)-packages/(.+)")
_STACK_FILE = re.compile(r'(?<=[Ff]ile ")[^"\n]*(?=")')
_PACKAGE = Path(desktop_app.__file__).parent
_LIBRARY = Path(getattr(os, "__file__", "os.py")).parent


def told(error: BaseException, depth: int = 0) -> str:
    """The error with those it came of, the first cause first, as lines of a report."""
    chain = list(islice(behind(error), _CHAIN))
    return "\nwhich led to:\n\n".join(_one(each, depth) for each in reversed(chain))


def without_owners(stacks: str) -> str:
    """What the interpreter wrote when it went down, its files named as in ``told``."""
    return _STACK_FILE.sub(lambda found: named_place(found[0])[0], stacks)


def _one(error: BaseException, depth: int) -> str:
    said = _frames(error.__traceback__) + _kind(error) + "\n"
    members = getattr(error, "exceptions", ()) if depth < _CHAIN else ()
    for number, member in enumerate(members[:_MEMBERS], 1):
        inner = told(member, depth + 1)
        said += f"  {number} of {len(members)}:\n" + "".join(
            f"    {line}\n" for line in inner.splitlines()
        )
    return said


def _kind(error: BaseException) -> str:
    name = type(error).__qualname__
    if (module := type(error).__module__) != "builtins":
        name = f"{module}.{name}"
    facts = " ".join(_facts(error))
    return f"{name}: {facts}" if facts else name


def _facts(error: BaseException) -> list[str]:
    """What is known of it beside its sentence: numbers, types, names of the program's own."""
    found: list[str] = []
    if isinstance(error, OSError) and error.errno is not None:
        number = error.errno
        found.append(f"{errno.errorcode.get(number, number)} ({os.strerror(number)})")
        if (windows := getattr(error, "winerror", None)) is not None:
            found.append(f"winerror {windows}")
    if isinstance(error, UnicodeError):
        found.append(_word(getattr(error, "encoding", None)))
    if isinstance(error, AttributeError):
        found += [type(error.obj).__name__, _word(error.name)]
    if isinstance(error, NameError | ImportError):
        found.append(_word(error.name))
    found.append(_word(getattr(error, "sqlite_errorname", None)))
    return [fact for fact in found if fact]


def _word(name: object) -> str:
    return name if isinstance(name, str) and _WORD.fullmatch(name) else ""


def _frames(trace: TracebackType | None) -> str:
    if trace is None:
        return ""
    frames = traceback.extract_tb(trace)
    left_out = len(frames) - _FIRST - _LAST
    if left_out <= 0:
        lines = _lines(frames)
    else:
        lines = [*_lines(frames[:_FIRST]), f"  ({left_out} more)\n", *_lines(frames[-_LAST:])]
    return "".join(["Traceback (most recent call last):\n", *lines])


def _lines(frames: list[traceback.FrameSummary]) -> list[str]:
    shown = []
    for frame in frames:
        place, is_ours = named_place(frame.filename)
        name = frame.name if _word(frame.name.strip("<>")) else "?"
        line = (frame.line or "").strip()[:_LONGEST_LINE] if is_ours else ""
        shown.append(f'  File "{place}", line {frame.lineno}, in {name}\n')
        if line:
            shown.append(f"    {line}\n")
    return shown


def named_place(file: str) -> tuple[str, bool]:
    """The file without the folders before the program's or a library's own, and whether its lines
    are code: a template's are the operator's."""
    if _INTERNAL.fullmatch(file):
        return file, False
    plain = file.replace("\\", "/")
    for package in {_PACKAGE, _PACKAGE.resolve()}:
        if plain.startswith(f"{package.as_posix()}/"):
            return _known(plain.removeprefix(f"{package.parent.as_posix()}/"))
    if (found := _INSTALLED.fullmatch(plain)) is not None:
        return _known(found[1])
    for library in {_LIBRARY, _LIBRARY.resolve()}:
        plain = plain.removeprefix(f"{library.as_posix()}/")
    return _known(plain)


def _known(relative: str) -> tuple[str, bool]:
    return (relative, True) if _RELATIVE.fullmatch(relative) else (ELSEWHERE, False)
