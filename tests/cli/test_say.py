"""What a program reads goes to stdout as one document; people are talked to in lines."""

from __future__ import annotations

import json

import pytest

from desktop_app.cli.say import Say
from desktop_app.domain.text import Translator, message

STATUS = {
    "imported": 1204, "pending": 0, "running": 2, "retrying": 0, "success": 1200, "failed": 0,
    "dead": 0, "uncertain": 2, "cancelled": 0,
}  # fmt: skip


def everything(say: Say) -> None:
    say.line("a line")
    say.table(["Name", "Note"], [("a", None), ("b", "x" * 300)])
    say.facts({"id": 1, "rate": None})
    say.ledger(STATUS)
    say.aside("an aside")
    say.document({"提示": "红"})


def test_json_is_one_document_on_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    everything(Say(Translator(), as_json=True))
    said = capsys.readouterr()
    assert json.loads(said.out) == {"提示": "红"}
    assert said.err == "an aside\n"


def test_people_read_lines(capsys: pytest.CaptureFixture[str]) -> None:
    everything(Say(Translator(), as_json=False))
    said = capsys.readouterr()
    assert "a line\n" in said.out
    assert "a     -" in said.out
    assert "id    1\nrate  -\n" in said.out
    assert "1,204 = 1,200 done + 2 uncertain + 2 running\n" in said.out
    assert "提示" not in said.out


@pytest.mark.parametrize("as_json", [True, False])
def test_an_error_is_one_sentence_and_json_too(
    capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    Say(Translator(), as_json).error(message("services.no_batch", batch=7))
    said = capsys.readouterr()
    assert said.err == "There is no batch 7 here.\n"
    if as_json:
        found = json.loads(said.out)
        assert found == {"error": "There is no batch 7 here.", "code": "services.no_batch"}
    else:
        assert said.out == ""
