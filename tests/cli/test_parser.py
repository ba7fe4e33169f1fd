"""The command line says what it takes, refuses the rest with 2, and is JSON where that is asked."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from desktop_app.cli.main import VERBS
from desktop_app.cli.parser import build, parse
from desktop_app.domain.money import PriceUnit

RUN = ["run", "s.csv", "--practice"]
ADD = ["connection", "add", "shop"]


def test_no_verb_is_the_window() -> None:
    assert parse([]).verb is None


@pytest.mark.parametrize("argv", [["--json", "status"], ["status", "--json"]])
def test_json_may_stand_before_and_after_the_verb(argv: list[str]) -> None:
    assert parse(argv).json is True
    assert not hasattr(parse(["status"]), "json")


@pytest.mark.parametrize("argv", [["--data-dir", "d", *RUN], [*RUN, "--data-dir", "d"]])
def test_the_data_folder_may_stand_before_and_after_the_verb(argv: list[str]) -> None:
    assert parse(argv).data_dir == "d"


def test_every_verb_that_is_parsed_is_done() -> None:
    for verb in VERBS:
        with pytest.raises(SystemExit) as caught:
            parse([verb, "--help"])
        assert caught.value.code == 0


def test_run_takes_what_the_issue_promises() -> None:
    args = parse(
        [
            "run", "s.csv", "--connection", "shop", "--out", "o", "--template", "{{a}}", "--param",
            "size=1", "--param", "q=@Q", "--lane-column", "l", "--key-column", "k",
            "--lane-on-dead", "stop", "--limit", "3", "--max-calls", "9", "--new", "--wait", "0",
            "--priority-column", "p", "--price", "0.04/image", "--currency", "EUR",
        ]
    )  # fmt: skip
    assert (args.priority_column, args.currency) == ("p", "EUR")
    assert args.price == (Decimal("0.04"), PriceUnit.IMAGE)
    assert parse([*RUN, "--price", "2"]).price == (Decimal(2), None)
    assert (args.update, args.pay_again, args.gone) == (False, False, "keep")
    assert (args.sheet, args.connection, args.practice) == ("s.csv", "shop", False)
    assert (args.param, args.limit, args.max_calls, args.wait) == (["size=1", "q=@Q"], 3, 9, 0.0)


def test_a_connection_takes_what_the_issue_promises() -> None:
    args = parse(
        [
            *ADD, "--adapter", "a", "--base-url", "u", "--model", "m", "--concurrency", "9",
            "--ipm", "30", "--burst", "2", "--headroom", "0.5", "--retries", "0", "--timeout", "5",
            "--resend-below", "0.01", "--price", "0", "--unit", "1k-tokens", "--currency", "CNY",
            "--proxy", "none", "--extra", "{}",
        ]
    )  # fmt: skip
    assert (args.ipm, args.qps, args.rpm) == (30.0, None, None)
    assert (args.resend_below, args.price) == (Decimal("0.01"), (Decimal(0), None))
    assert parse([*ADD, "--price", "0.04/image"]).price == (Decimal("0.04"), PriceUnit.IMAGE)
    assert (args.retries, args.timeout, args.headroom) == (0, 5.0, 0.5)


@pytest.mark.parametrize(
    "argv",
    [
        ["run"],
        ["run", "s.csv"],
        ["run", "s.csv", "--practice", "--connection", "x"],
        [*RUN, "--limit", "0"],
        [*RUN, "--trial", "0"],
        [*RUN, "--trial", "2", "--trial-rows", "3"],
        [*RUN, "--earlier", "skip", "--new"],
        [*RUN, "--duplicates", "drop"],
        [*RUN, "--limit", "1.5"],
        [*RUN, "--limit", "many"],
        [*RUN, "--max-calls", "-1"],
        [*RUN, "--max-calls", "1e300"],
        [*RUN, "--wait", "-1"],
        [*RUN, "--wait", "nan"],
        [*RUN, "--lane-on-dead", "wait"],
        [*RUN, "--template", "t", "--prompt-column", "p"],
        [*RUN, "--max", "3"],  # no abbreviations
        [*ADD, "--timeout", "0"],
        [*ADD, "--timeout", "inf"],
        [*ADD, "--retries", "-1"],
        [*ADD, "--qps", "1", "--rpm", "2"],
        [*ADD, "--tpm", "0"],
        [*ADD, "--on-unknown", "hold", "--resend-below", "1"],
        [*ADD, "--price", "free"],
        [*ADD, "--unit", "pixel"],
        ["practice", "--port", "99999"],
        ["requeue"],
        ["settle", "--task", "x"],
        ["settle", "--as", "failed"],
        ["settle", "--task", "x", "--batch", "1", "--as", "failed"],
        ["export", "successes", "--batch", "1", "--to", "x.csv"],
        ["status", "--batch", "last"],
        ["dance"],
    ],
)
def test_the_rest_is_refused_in_words_and_as_json(
    argv: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(argv)
    assert caught.value.code == 2
    plain = capsys.readouterr()
    assert plain.out == ""
    assert "Traceback" not in plain.err
    assert "batchwright" in plain.err.splitlines()[-1]
    assert "_" not in plain.err.splitlines()[-1].replace("_CN", "")  # no names of functions
    with pytest.raises(SystemExit):
        parse(["--json", *argv])
    said = json.loads(capsys.readouterr().out)
    assert said["code"] == "usage"
    assert said["error"] in plain.err


def test_help_is_said_in_the_language_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    for language, said in (("zh_CN", "表格"), ("en", "import a sheet and run it")):
        with pytest.raises(SystemExit):
            parse(["--language", language, "--help"])
        assert said in capsys.readouterr().out


def _tree(parser: argparse.ArgumentParser) -> Iterator[argparse._SubParsersAction[Any]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action
            for choice in action.choices.values():
                yield from _tree(choice)


def test_whatever_can_be_chosen_is_in_the_help_with_what_it_does() -> None:
    choices = list(_tree(build()))
    assert {"run", "set-key", "rename"} <= {word for each in choices for word in each.choices}
    for each in choices:
        told = {choice.dest: choice.help for choice in each._choices_actions}
        assert set(each.choices) == {verb for verb, said in told.items() if said}
