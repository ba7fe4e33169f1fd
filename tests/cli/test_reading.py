from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.cli.parser import parse
from desktop_app.cli.reading import as_options, options_of
from desktop_app.cli.run import say_worksheet
from desktop_app.cli.say import Say
from desktop_app.domain.ports import WHOLE_LINES, SheetInfo, SheetOptions
from desktop_app.domain.text import Translator

RUN = ["run", "a.csv", "--practice"]


def test_nothing_chosen_is_found_out() -> None:
    assert options_of(parse(RUN)) == SheetOptions()


@pytest.mark.parametrize(
    ("word", "mark"),
    [(";", ";"), ("tab", "\t"), ("comma", ","), ("pipe", "|"), ("none", WHOLE_LINES), ("~", "~")],
)
def test_delimiters(word: str, mark: str) -> None:
    assert options_of(parse([*RUN, "--delimiter", word])).delimiter == mark


@pytest.mark.parametrize("word", ["", "ab", '"', "\r"])
def test_what_can_part_no_cells_is_refused(word: str) -> None:
    with pytest.raises(SystemExit):
        parse([*RUN, "--delimiter", word])


def test_the_rest() -> None:
    text = "--encoding big5 --sheet 词 --quoting no --header yes --hidden-rows take"
    args = parse([*RUN, *text.split()])
    assert options_of(args) == SheetOptions(
        encoding="big5", worksheet="词", quoting=False, header=True, hidden=True
    )


@pytest.mark.parametrize(
    ("read", "words"),
    [
        ({"encoding": "gb18030", "delimiter": ","}, "--encoding gb18030 --delimiter comma"),
        ({"encoding": "utf-8-sig", "delimiter": "~"}, "--encoding utf-8 --delimiter '~'"),
        ({"encoding": "utf-8", "delimiter": WHOLE_LINES, "header": False, "quoting": False},
         "--encoding utf-8 --delimiter none --quoting no --header no"),
        ({"worksheet": "词 1", "header_row": 4, "with_hidden": True},
         "--header-row 4 --sheet '词 1' --hidden-rows take"),
        ({}, ""),
    ],
)  # fmt: skip
def test_how_a_sheet_was_read_is_said_in_the_words_that_read_it_so(
    read: dict[str, Any], words: str
) -> None:
    fields = {"encoding": None, "delimiter": None, "worksheet": None, **read}
    info = SheetInfo(Path("a"), Path("b"), "0", ("p",), None, **fields)
    assert as_options(info) == words
    again = options_of(parse([*RUN, *shlex.split(words)]))
    assert (again.worksheet, again.header_row) == (info.worksheet, info.header_row)
    assert (again.delimiter, again.hidden) == (info.delimiter, info.with_hidden or None)


@pytest.mark.parametrize(
    ("worksheets", "said"),
    [(("May", "June", "July"), "Worksheet taken: May; left: June, July"), (("May",), "")],
)
def test_a_run_says_which_of_several_worksheets_it_takes(
    capsys: pytest.CaptureFixture[str], worksheets: tuple[str, ...], said: str
) -> None:
    info = SheetInfo(Path("a"), Path("b"), "0", ("p",), None, None, None, "May")
    say_worksheet(Say(Translator(), as_json=False), replace(info, worksheets=worksheets))
    assert capsys.readouterr().err.strip() == said
