"""Every verb says what it has done, and of how many rows."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.cli.acted import said_of
from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.domain.text import OperatorError, Translator, message

LEFT = {"count": 0, "left_uncertain": 2}


@pytest.mark.parametrize(
    ("verb", "how", "result", "said"),
    [
        ("pause", None, {}, "Done."),
        ("cancel", None, {"count": 0}, "Nothing was cancelled: no row waits."),
        ("cancel", None, {"count": 3}, "3 rows are cancelled."),
        ("requeue", None, {"count": 1}, "1 row was requeued."),
        (
            "requeue",
            None,
            {"count": 2, "held": [3, 4]},
            "2 rows were requeued.\nThey are sent once you give: "
            "resume --batch 3, resume --batch 4",
        ),
        (
            "requeue",
            None,
            LEFT,
            "Nothing was requeued: no row that can be requeued matches.\n"
            "2 rows may have been billed and were left: settle them, or add --state uncertain.",
        ),
        ("settle", "failed", {}, "Done."),
        (
            "settle",
            "failed",
            {"count": 0},
            "Nothing was settled: no row that may have been billed matches.",
        ),
        ("settle", "failed", {"count": 1200}, "1,200 rows are marked as failed."),
        ("settle", "resend", {"count": 1}, "1 row will be sent again."),
        (
            "settle",
            "ask",
            {"count": 1, "left_uncertain": 1},
            "1 row is asked about.\n1 row can't be asked about and was left.",
        ),
        (
            "settle",
            "attach",
            LEFT,
            "0 rows have their files now.\n2 rows have no usable file there and were left.",
        ),
    ],
)
def test_what_was_done_is_a_sentence(
    capsys: pytest.CaptureFixture[str],
    verb: str,
    how: str | None,
    result: dict[str, Any],
    said: str,
) -> None:
    wanted = {} if how is None else {"how": how}
    assert said_of(Say(Translator(), False), verb, wanted, {"ok": True, **result}) is Exit.OK
    assert capsys.readouterr().out == f"{said}\n"


def test_a_verb_that_was_refused_raises_what_was_said() -> None:
    refused = message("services.no_batch", batch=7)
    with pytest.raises(OperatorError) as caught:
        said_of(Say(Translator(), False), "cancel", {}, {"ok": False, "error": refused.dump()})
    assert caught.value.message == refused
