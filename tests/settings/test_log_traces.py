"""A log that is sent away tells where the program failed, and nothing of what it worked on."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import jinja2
import pytest

from desktop_app.domain import safe_names
from desktop_app.settings.log_traces import without_sentences
from desktop_app.settings.logs import Redactor, start_logs
from desktop_app.settings.paths import paths
from desktop_app.settings.support import MachineFacts

PROMPT = "红色运动鞋, a red sneaker"
_log = logging.getLogger("desktop_app.x")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    where = paths(tmp_path)
    where.make()
    stop = start_logs(where.logs, Redactor())
    yield tmp_path
    stop()


def caused() -> None:
    try:
        raise KeyError(PROMPT)
    except KeyError as error:
        raise ValueError(f"{PROMPT}\n  {PROMPT}\n\nsneaker: {PROMPT}") from error


def while_handling() -> None:
    try:
        caused()
    except ValueError:
        int(PROMPT)


def grouped() -> None:
    inner = ExceptionGroup(PROMPT, [ValueError(f"{PROMPT}\n{PROMPT}"), KeyError(PROMPT)])
    try:
        raise inner
    except ExceptionGroup as error:
        raise ExceptionGroup(PROMPT, [error, OSError(2, PROMPT, PROMPT)]) from KeyError(PROMPT)


def noted() -> None:
    error = ValueError()
    error.add_note(PROMPT)
    raise error


def deep(depth: int = 30) -> None:
    deep(depth - 1) if depth else int(PROMPT)


@pytest.mark.expect_log("broke")
@pytest.mark.parametrize(
    ("act", "kinds"),
    [
        (lambda: int(PROMPT), ["ValueError: …"]),
        (caused, ["KeyError: …", "ValueError: …"]),
        (while_handling, ["KeyError: …", "ValueError: …", "ValueError: …"]),
        (noted, ["ValueError"]),
        (deep, ["ValueError: …"]),
        (lambda: Path(f"/home/{PROMPT}").stat(), ["FileNotFoundError: …"]),
        (lambda: json.loads(PROMPT), ["json.decoder.JSONDecodeError: …"]),
        (lambda: eval(f"{PROMPT} ("), ["SyntaxError: …"]),
        (lambda: jinja2.Template(PROMPT + "{{ a.b.c }}").render(), ["jinja2.exceptions."]),
        (lambda: jinja2.Template(PROMPT + "{{ "), ["jinja2.exceptions."]),
        (
            grouped,
            [
                *("KeyError: …", "ExceptionGroup: …", "ExceptionGroup: …", "ValueError: …"),
                *("KeyError: …", "FileNotFoundError: …"),
            ],
        ),
    ],
)
def test_kinds_and_places_stay_and_sentences_go(
    folder: Path, act: Callable[[], object], kinds: list[str]
) -> None:
    for number in range(2):
        try:
            act()
        except Exception:
            _log.exception("row %d broke", number)
    _log.error("the end broke")
    text = MachineFacts(paths(folder)).parts()["logs/batchwright.log"]
    assert "红" not in text
    assert "sneaker" not in text
    assert [line.partition(": ")[2] for line in text.splitlines() if " ERROR " in line] == [
        "row 0 broke",
        "row 1 broke",
        "the end broke",
    ]
    bare = [line.lstrip(" |") for line in text.splitlines()]
    found = [line for line in bare if "Error" in line or "exceptions." in line or "Group:" in line]
    found = [line for line in found if " ERROR " not in line and not line.startswith("raise ")]
    assert len(found) == 2 * len(kinds)
    assert all(line.startswith(kind) for line, kind in zip(found, 2 * kinds, strict=True))
    assert 'File "(elsewhere)", line ' in text


@pytest.mark.expect_log("broke")
def test_the_programs_own_lines_stay_with_their_marks(folder: Path) -> None:
    try:
        safe_names.numbered(None, 2)  # type: ignore[arg-type]
    except Exception:
        _log.exception("it broke")
    text = MachineFacts(paths(folder)).parts()["logs/batchwright.log"]
    own = text.partition('File "desktop_app/domain/safe_names.py"')[2].splitlines()
    assert own[0].endswith(", in numbered")
    assert own[1].strip().startswith("return cut(stem, MAX_NAME_BYTES")
    assert set(own[2].strip()) <= set("^~")


@pytest.mark.expect_log("in callback|never retrieved")
def test_what_the_loop_says_of_its_callbacks_is_cut(folder: Path) -> None:
    def called(prompt: str) -> None:
        raise ValueError(prompt)

    async def task(prompt: str) -> None:
        raise ValueError(prompt)

    async def go() -> None:
        asyncio.get_running_loop().call_soon(called, PROMPT)
        forgotten = asyncio.ensure_future(task(PROMPT))
        await asyncio.wait({forgotten})

    asyncio.run(go())
    gc.collect()
    text = MachineFacts(paths(folder)).parts()["logs/batchwright.log"]
    assert "红" not in text
    assert "Exception in callback" in text
    assert "Task exception was never retrieved\n" in text
    assert text.count("ValueError: …\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-30 12:00:00,123 INFO desktop_app.x: started\n",
        "Fatal Python error: Segmentation fault\n\nThread 0x1:\n  File x\n",
    ],
)
def test_what_is_no_record_of_a_fault_is_left_alone(text: str) -> None:
    assert without_sentences(text) == text
