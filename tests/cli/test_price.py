"""``--price``: kept by a run, looked at by a check, and refused where nobody could count it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Verbs
from tests.e2e.program import sheet

AWAY = "http://127.0.0.1:9/v1"
TEXTS = ("--adapter", "openai-chat", "--base-url", AWAY, "--model", "m", "--proxy", "none")

FOR_TEXTS = "a call (call), 1,000 tokens (1k-tokens), 1,000,000 tokens (1m-tokens)."


@pytest.fixture
def table(tmp_path: Path) -> Path:
    return sheet(tmp_path / "rows.csv", ["red cup", "blue cup"])


@pytest.fixture
def texts(verbs: Verbs) -> Verbs:
    """With a connection ``shop`` that answers in texts."""
    assert verbs.run("connection", "add", "shop", *TEXTS).code == 0
    return verbs


@pytest.mark.parametrize("check", [(), ("--check",)], ids=["run", "check"])
def test_a_unit_that_the_connection_does_not_bill_in_is_refused_with_those_it_does(
    texts: Verbs, table: Path, check: tuple[str, ...]
) -> None:
    said = texts.refused("run", table, "--connection", "shop", "--price", "0.04/image", *check)
    assert said == (
        "This provider answers in texts, so that a price for an image can't be counted. Choose "
        f"another unit for the price: {FOR_TEXTS}"
    )
    assert texts.run("connection", "show", "shop", "--json").json["price"] is None


def test_so_is_one_for_a_new_connection(verbs: Verbs) -> None:
    said = verbs.refused("connection", "add", "shop", *TEXTS, "--price", "0.04", "--unit", "image")
    assert said.endswith(FOR_TEXTS)
    gemini = ("--preset", "imagen", "--price", "0.04", "--unit", "1k-tokens")
    said = verbs.refused("connection", "add", "pics", *gemini)
    assert said == (
        "This provider's answers tell no tokens, so that a price for tokens can't be "
        "counted. Choose another unit for the price: a call (call), an image (image)."
    )
    said = verbs.refused(
        "connection", "add", "words", "--preset", "gemini-text", "--price", "1", "--unit", "image"
    )
    assert said.endswith(FOR_TEXTS)


@pytest.mark.parametrize("named", [("0.04/call",), ("0.04", "--unit", "call")])
def test_a_new_connection_and_a_run_take_a_price_in_the_same_words(
    verbs: Verbs, table: Path, named: tuple[str, ...]
) -> None:
    assert verbs.run("connection", "add", "shop", *TEXTS, "--price", *named).code == 0
    shown = verbs.run("connection", "show", "shop", "--json").json["price"]
    assert shown == "0.04 USD/call"
    run = ("run", table, "--connection", "shop", "--check", "--json")
    assert "0.08 USD" in verbs.run(*run, "--price", *named).json["cost"]["said"]


@pytest.mark.parametrize("verb", ["add", "run"])
def test_a_price_has_one_unit_and_a_unit_has_a_price(texts: Verbs, table: Path, verb: str) -> None:
    words = {
        "add": ("connection", "add", "other", *TEXTS),
        "run": ("run", table, "--connection", "shop", "--check"),
    }[verb]
    said = texts.refused(*words, "--price", "1/image", "--unit", "call")
    assert said == "--price is for image and --unit says call: give one of them."
    for alone in (("--unit", "call"), ("--currency", "EUR")):
        said = texts.refused(*words, *alone)
        assert said == "--unit and --currency are those of a --price: give it too."


def test_a_check_counts_at_the_price_named_and_keeps_it_nowhere(verbs: Verbs, table: Path) -> None:
    verbs.connect(AWAY, "--price", "1", "--unit", "image", "--currency", "USD")
    run = ("run", table, "--connection", "shop", "--check", "--json")
    assert "2.00 USD" in verbs.run(*run).json["cost"]["said"]
    assert "0.08 USD" in verbs.run(*run, "--price", "0.04").json["cost"]["said"]
    assert (
        "0.10 EUR"
        in verbs.run(*run, "--price", "0.05/call", "--currency", "EUR").json["cost"]["said"]
    )
    assert "2.00 USD" in verbs.run(*run).json["cost"]["said"]
    assert verbs.refused(*run[:-1], "--currency", "EUR")


MODELS = ("--price", "1", "--unit", "image", "--model-price", "big=2.5", "--model-price", "a=b=0")


def test_models_that_rows_name_have_prices_of_their_own(verbs: Verbs, tmp_path: Path) -> None:
    verbs.connect(AWAY, *MODELS)
    shown = verbs.run("connection", "show", "shop", "--json").json
    assert shown["model_prices"] == {"big": "2.50", "a=b": "0.00"}
    table = tmp_path / "rows.csv"
    table.write_text("prompt,which\nred,\nblue,big\ngreen,a=b\nwhite,other\n", "utf-8")
    run = ("run", table, "--connection", "shop", "--check", "--json", "--param", "model=@which")
    assert verbs.run(*run).json["cost"]["said"] == "About 4.50 USD"
    # A new price of the connection leaves those of its models.
    assert verbs.run(*run, "--price", "2").json["cost"]["said"] == "About 6.50 USD"
    capped = verbs.run(*run, "--budget", "3").json["cost"]["said"]
    assert capped == "About 4.50 USD; the cap stops it at 3.00 USD"


@pytest.mark.parametrize("words", [("1/call",), ("1", "--currency", "EUR")])
def test_a_price_in_another_unit_leaves_no_model_in_the_old_one(
    verbs: Verbs, table: Path, words: tuple[str, ...]
) -> None:
    verbs.connect(AWAY, *MODELS, "--currency", "USD")
    said = verbs.refused("run", table, "--connection", "shop", "--price", *words)
    assert said.startswith("This connection has prices of models in USD/image.")


@pytest.mark.parametrize("wrong", ["big", "=1", "big=x", "big=-1"])
def test_a_model_s_price_is_a_name_and_a_figure(verbs: Verbs, wrong: str) -> None:
    done = verbs.run("connection", "add", "shop", *TEXTS, "--price", "1", "--model-price", wrong)
    assert done.code == 2


def test_a_model_s_price_needs_the_connection_s(verbs: Verbs) -> None:
    said = verbs.refused("connection", "add", "shop", *TEXTS, "--model-price", "big=1")
    assert said.startswith("A price of a model needs the connection's own price beside it")
