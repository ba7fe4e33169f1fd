from __future__ import annotations

import pytest

from desktop_app.cli.parser import parse
from desktop_app.cli.reading import options_of
from desktop_app.domain.ports import WHOLE_LINES, SheetOptions

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
