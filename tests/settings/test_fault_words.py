"""A report says where the program failed, and never with what."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain import masking, safe_names
from desktop_app.settings import fault_words
from desktop_app.settings.fault_words import told, without_owners

PROMPT = "红色运动鞋, a red sneaker"


def raised(act: Callable[[], object]) -> BaseException:
    try:
        act()
    except BaseException as error:
        return error
    raise AssertionError("nothing was raised")


def raises(error: BaseException) -> None:
    raise error


@pytest.mark.parametrize(
    ("act", "line"),
    [
        (lambda: raises(ValueError(PROMPT)), "ValueError"),
        (lambda: {}[PROMPT], "KeyError"),  # type: ignore[index]
        (lambda: Path(f"/home/anna/{PROMPT}").stat(), "FileNotFoundError: ENOENT (No such file or"),
        (lambda: raises(OSError(PROMPT)), "OSError"),
        (lambda: getattr(None, "colour"), "AttributeError: NoneType colour"),  # noqa: B009
        (lambda: getattr(None, PROMPT), "AttributeError: NoneType"),
        (lambda: raises(AttributeError(PROMPT)), "AttributeError"),
        (lambda: eval("missing_name"), "NameError: missing_name"),
        (lambda: __import__("no_such_module"), "ModuleNotFoundError: no_such_module"),
        (lambda: PROMPT.encode("ascii"), "UnicodeEncodeError: ascii"),
        (lambda: sqlite3.connect(":memory:").execute(PROMPT), "sqlite3.OperationalError: SQLITE_"),
        (lambda: int(PROMPT), "ValueError"),
        (lambda: jinja2.Template(f"{PROMPT} {{{{ a.b.c }}}}").render(), "jinja2.exceptions."),
        (lambda: jinja2.Template(f"{{{{ '{PROMPT}' + 1 }}}}").render(), "TypeError"),
        (lambda: raises(ExceptionGroup(PROMPT, [ValueError(PROMPT)])), "    ValueError"),
    ],
)
def test_s20_kind_and_place_are_told_and_nothing_it_met(
    act: Callable[[], object], line: str
) -> None:
    text = told(raised(act))
    assert any(each.startswith(line) for each in text.splitlines()), text
    assert "红" not in text
    assert "sneaker" not in text
    assert "anna" not in text


def test_places_are_of_the_program_and_without_the_folders_before_it() -> None:
    text = told(raised(lambda: masking.spellings(None)))  # type: ignore[arg-type]
    assert 'File "desktop_app/domain/masking.py", line ' in text
    assert "in spellings\n    urllib.parse.quote(secret" in text
    assert 'File "urllib/parse.py", line ' in text
    assert 'File "(elsewhere)", line ' in text  # this test
    assert sys.prefix not in text
    assert str(fault_words._PACKAGE.parent) not in text


def test_causes_come_first_and_a_ring_ends() -> None:
    first, second = ValueError(), TypeError()
    first.__cause__, second.__cause__ = second, first
    assert told(first) == "TypeError\n\nwhich led to:\n\nValueError\n"


def test_however_deep_and_however_many_it_is_short() -> None:
    def one(depth: int) -> None:
        other(depth - 1)

    def other(depth: int) -> None:
        raises(ValueError()) if depth <= 0 else one(depth - 1)

    text = told(raised(lambda: one(800)))
    assert text.count("File ") == 40
    assert "more)\n" in text
    group: ExceptionGroup[Exception] = ExceptionGroup("", [ValueError()] * 500)
    for _ in range(30):
        group = ExceptionGroup("", [group] * 3)
    assert len(told(group)) < 500_000


@pytest.mark.parametrize(
    ("file", "shown"),
    [
        ("/home/anna/bw/.venv/lib/python3.11/site-packages/httpx/_client.py", "httpx/_client.py"),
        ("C:\\Users\\安娜\\App\\site-packages\\peewee.py", "peewee.py"),
        ("C:\\Users\\anna\\desk.py", "(elsewhere)"),
        ("/home/anna/desk.py", "(elsewhere)"),
        ("../anna.py", "(elsewhere)"),
        ("desktop_app/ui/tray.py", "desktop_app/ui/tray.py"),  # as in a frozen program
        ("desktop_app\\ui\\tray.py", "desktop_app/ui/tray.py"),
        ("<frozen importlib._bootstrap>", "<frozen importlib._bootstrap>"),
        ("<string>", "<string>"),
        ("<红>", "(elsewhere)"),
        (safe_names.__file__, "desktop_app/domain/safe_names.py"),
    ],
)
def test_files_of_native_stacks(file: str, shown: str) -> None:
    line = '  File "{}", line 12 in fall_down\n'
    assert without_owners("Fatal\n" + line.format(file)) == "Fatal\n" + line.format(shown)


def test_libraries_of_native_stacks() -> None:
    """As Python tells of them since 3.14."""
    line = '  Binary file "{}", at +0x1cb2d [0x7f31]\n'
    told_of = line.format("/home/anna/bw/lib/libpython3.14.so.1.0")
    assert without_owners(told_of) == line.format("(elsewhere)")


@given(st.text(min_size=12))
def test_no_sentence_comes_through_by_any_door(text: str) -> None:
    prompt = f"秘 {text}"
    for error in (
        AttributeError(prompt, name=prompt, obj=prompt),
        NameError(prompt, name=prompt),
        ImportError(prompt, name=prompt, path=prompt),
        OSError(2, prompt, prompt),
        UnicodeDecodeError(prompt, b"", 0, 1, prompt),
    ):
        assert "秘" not in told(error)
    odd = type("Odd", (Exception,), {"sqlite_errorname": prompt, "exceptions": ()})()
    assert "秘" not in told(odd)
