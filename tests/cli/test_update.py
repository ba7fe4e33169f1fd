"""What is said of a newer sheet before anything is done."""

from __future__ import annotations

from desktop_app.cli.update import update_lines
from desktop_app.domain.text import Translator
from desktop_app.services.import_batch import Differences


def test_rows_that_only_follow_the_sheet_are_counted() -> None:
    tr = Translator()
    lines = list(update_lines(tr, 1, Differences(same=5, refiled=2), pay=False, cancel=""))
    assert lines == [
        "Going on with batch 1: 0 changed, 0 new, 5 the same.",
        "2 of those follow the sheet in their other columns, at no cost.",
    ]
    assert len(list(update_lines(tr, 1, Differences(same=5), pay=False, cancel=""))) == 1
