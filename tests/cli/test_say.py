"""What a program reads goes to stdout as one document; people are talked to in lines."""

from __future__ import annotations

import json

import pytest

from desktop_app.cli.say import Say, joined, printable
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


HOSTILE = {
    "\x1b[31mred\x1b[0m": "red",
    "\x1b]0;a title\x07plain": "plain",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\": "link",
    "\x1bPq#0\x1b\\text": "text",
    "\x9b2Jc1": "c1",
    "over\rwritten": "overwritten",
    "\b\b\x00\x7fa\tb\nc": "a\tb\nc",
    "abc\u202egnp.exe": "abcgnp.exe",
    "unended \x1b]0;": "unended ",
    "红色 👟 <b>": "红色 👟 <b>",
}


@pytest.mark.parametrize(("text", "shown"), HOSTILE.items())
def test_prompts_and_answers_do_not_command_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_is_said_holds_a_command(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    say = Say(Translator(), as_json=False)
    say.line(text)
    say.table(["a", "b"], [(text, text)])
    say.facts({"prompt": text, "params": {"a": text}})
    say.aside(text)
    say.error(message("text.plain", text=text))
    said = capsys.readouterr()
    for sign in set(said.out + said.err):
        assert sign in "\n\t" or sign.isprintable(), repr(sign)


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_exact_and_holds_no_command_either(
    capsys: pytest.CaptureFixture[str], text: str
) -> None:
    Say(Translator(), as_json=True).document({"prompt": text})
    said = capsys.readouterr().out
    assert json.loads(said) == {"prompt": text}
    assert all(sign == "\n" or sign.isprintable() for sign in said)


def test_two_sentences_have_a_stop_between_them() -> None:
    assert joined("Invalid value", "Mend the row.") == "Invalid value. Mend the row."
    assert joined("Refused.", "Edit it.") == "Refused. Edit it."
    assert joined("无效的值", "修正这一行。") == "无效的值。修正这一行。"
    assert joined("已拒绝。", "修改提示词。") == "已拒绝。修改提示词。"
    assert joined("它说：Refused.", "修改提示词。") == "它说：Refused. 修改提示词。"


def test_values_stand_below_each_other_in_chinese_too(capsys: pytest.CaptureFixture[str]) -> None:
    Say(Translator(), as_json=False).facts({"已花费": "0.00 USD", "可能重复收费": 3, "id": 1})
    assert capsys.readouterr().out == ("已花费        0.00 USD\n可能重复收费  3\nid            1\n")
