from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from desktop_app.cli.exits import Exit
from desktop_app.cli.parser import parse
from desktop_app.cli.say import Say
from desktop_app.cli.several import each
from desktop_app.domain.ports import SheetOptions
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.wiring import House


class Imports:
    """Knows which sheets can be read, and what was read of them."""

    def __init__(self, *bad: str) -> None:
        self.bad = bad
        self.read: list[str] = []
        self.open_now = 0

    async def open(self, path: Path, options: SheetOptions) -> str:
        if path.name in self.bad:
            raise OperatorError(message("ingest.no_rows", file=path.name))
        self.read.append(path.name)
        self.open_now += 1
        return path.name

    async def forget(self, _info: str) -> None:
        self.open_now -= 1


class Runs:
    """Ends each sheet as it is told to."""

    def __init__(self, **ends: Exit | OperatorError) -> None:
        self.ends = ends
        self.begun: list[tuple[str, str | None]] = []
        self.problems: list[str | None] = []

    async def one(self, args: argparse.Namespace, say: Say) -> Exit:
        stem = Path(args.sheet).stem
        self.begun.append((args.sheet, args.out))
        self.problems.append(args.problems)
        end = self.ends.get(stem, Exit.OK)
        if isinstance(end, OperatorError):
            raise end
        say.document({"batch": stem})
        return end


def house(imports: Imports) -> House:
    return cast("House", SimpleNamespace(services=SimpleNamespace(imports=imports)))


async def run(imports: Imports, runs: Runs, *argv: str) -> Exit:
    args = parse(["run", *argv, "--practice", "--json"])
    return await each(house(imports), args, Say(Translator(), True), runs.one)


def said(capsys: pytest.CaptureFixture[str]) -> tuple[Any, str]:
    out, err = capsys.readouterr()
    return json.loads(out), err


async def test_one_sheet_is_as_ever(capsys: pytest.CaptureFixture[str]) -> None:
    imports, runs = Imports(), Runs()
    assert await run(imports, runs, "a.csv", "--out", "o") is Exit.OK
    assert (runs.begun, imports.read) == ([("a.csv", "o")], [])
    assert said(capsys)[0] == {"batch": "a"}


async def test_each_is_its_own_batch_in_turn(capsys: pytest.CaptureFixture[str]) -> None:
    imports, runs = Imports(), Runs(b=Exit.DEAD_LETTERS)
    code = await run(imports, runs, "a.csv", "b.csv", "c.csv", "a.csv", "--out", "o")
    assert code is Exit.DEAD_LETTERS
    out = [(f"{stem}.csv", str(Path("o") / stem)) for stem in "abc"]
    assert (runs.begun, imports.open_now) == (out, 0)
    assert said(capsys)[0] == {"sheets": [{"batch": "a"}, {"batch": "b"}, {"batch": "c"}]}


async def test_sheets_of_one_name_share_neither_folder_nor_list_of_problems() -> None:
    runs = Runs()
    sheets = [str(Path(folder) / name) for folder, name in (("a", "x.csv"), ("b", "X.xlsx"))]
    await run(Imports(), runs, *sheets, "y.csv", "--out", "o", "--check", "--problems", "p.csv")
    assert [out for _, out in runs.begun] == [str(Path("o") / n) for n in ("x", "X-2", "y")]
    assert runs.problems == ["p-x.csv", "p-X-2.csv", "p-y.csv"]


async def test_none_is_begun_unless_all_can_be_read() -> None:
    imports, runs = Imports("b.csv"), Runs()
    with pytest.raises(OperatorError):
        await run(imports, runs, "a.csv", "b.csv")
    assert runs.begun == []


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (Exit.PAUSED, Exit.PAUSED),
        (Exit.SIGINT, Exit.SIGINT),
        (OperatorError(message("services.no_connection")), Exit.USAGE),
    ],
)
async def test_one_that_cannot_end_ends_them_all(
    end: Exit | OperatorError, code: Exit, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = Runs(b=end)
    assert await run(Imports(), runs, "a.csv", "b.csv", "c.csv", "d.csv") is code
    assert [name for name, _ in runs.begun] == ["a.csv", "b.csv"]
    document, err = said(capsys)
    assert len(document["sheets"]) == 2
    assert err.endswith("Not begun: c.csv, d.csv\n")
