"""Names for the places where the program can die: every await, and every commit."""

from __future__ import annotations

import ast
import asyncio
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import desktop_app

ROOT = Path(desktop_app.__file__).parent
STORE = ROOT / "store"
Waits = ast.Await | ast.AsyncFor | ast.AsyncWith


@cache
def waits_of(path: Path) -> dict[str, list[tuple[int, int, str]]]:
    """Of each function of a file its awaits as (first line, last line, name)."""
    source = path.read_text("utf-8")
    lines = source.splitlines()
    found: dict[str, list[tuple[int, int, str]]] = {}

    def walk(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                walk(child, f"{prefix}{child.name}.<locals>.")
            else:
                if isinstance(child, Waits):
                    function = prefix.removesuffix(".<locals>.")
                    text = lines[child.lineno - 1].strip()
                    last = child.end_lineno or child.lineno
                    if not isinstance(child, ast.Await):
                        last = child.body[0].lineno - 1
                    name = f"{path.relative_to(ROOT).as_posix()} {function}: {text}"
                    found.setdefault(function, []).append((child.lineno, last, name))
                walk(child, prefix)

    walk(ast.parse(source), "")
    return found


def all_awaits(*rooms: str) -> set[str]:
    """Every await of these files, or of the files of these folders."""
    return {
        name
        for path in _files(rooms)
        for waits in waits_of(path).values()
        for _first, _last, name in waits
    }


def all_commits(*rooms: str) -> set[str]:
    """Every function of these files that hands the writer something to commit."""
    found = set()
    for path in _files(rooms):
        for function, waits in waits_of(path).items():
            if any("_writer.do" in name for _first, _last, name in waits):
                found.add(function)
    return found


def _files(rooms: tuple[str, ...]) -> Iterator[Path]:
    for room in rooms:
        path = ROOT / room
        yield from sorted(path.glob("*.py")) if path.is_dir() else [path]


def awaited(callback: Any) -> frozenset[str]:
    """The awaits of the program that a task stands at before this callback goes on."""
    task = getattr(callback, "__self__", None)
    if not isinstance(task, asyncio.Task):
        return frozenset()
    return frozenset(filter(None, map(_name, _frames(task.get_coro()))))


def _frames(inner: Any) -> Iterator[FrameType]:
    while inner is not None:
        frame = getattr(inner, "cr_frame", None) or getattr(inner, "ag_frame", None)
        if frame is None:
            return
        yield frame
        # A context manager made of a generator hides it from whoever looks along the awaits.
        hidden = getattr(frame.f_locals.get("self"), "gen", None)
        if frame.f_code.co_name in ("__aenter__", "__aexit__") and hidden is not None:
            inner = hidden
        else:
            inner = getattr(inner, "cr_await", None) or getattr(inner, "ag_await", None)


def _name(frame: FrameType) -> str | None:
    known = _waits_in(frame.f_code)
    return next((n for first, last, n in known if first <= frame.f_lineno <= last), None)


@cache
def _waits_in(code: CodeType) -> list[tuple[int, int, str]]:
    path = Path(code.co_filename)
    return waits_of(path).get(code.co_qualname, []) if path.is_relative_to(ROOT) else []


def asked_by() -> str:
    """The function whose work the writer is being handed: the nearest caller in the store that
    is not the writer itself."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _is_asking(frame.f_code):
            return frame.f_code.co_qualname
        frame = frame.f_back
    raise AssertionError("nobody asked")


@cache
def _is_asking(code: CodeType) -> bool:
    path = Path(code.co_filename)
    return path.is_relative_to(STORE) and path.name not in ("writer.py", "reader.py")
