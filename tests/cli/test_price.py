"""``--price``: kept by a run, looked at by a check, and refused where nobody could count it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Verbs
from tests.e2e.program import sheet

AWAY = "http://127.0.0.1:9/v1"
TEXTS = ("--adapter", "openai-chat", "--base-url", AWAY, "--model", "m", "--proxy", "none")


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
        "another unit for the price: call, 1k-tokens."
    )
    assert texts.run("connection", "show", "shop", "--json").json["price"] is None


def test_so_is_one_for_a_new_connection(verbs: Verbs) -> None:
    said = verbs.refused("connection", "add", "shop", *TEXTS, "--price", "0.04", "--unit", "image")
    assert said.endswith("call, 1k-tokens.")
    gemini = ("--preset", "imagen", "--price", "0.04", "--unit", "1k-tokens")
    said = verbs.refused("connection", "add", "pics", *gemini)
    assert said == (
        "This provider's answers tell no tokens, so that a price for 1,000 tokens can't be "
        "counted. Choose another unit for the price: call, image."
    )
    said = verbs.refused(
        "connection", "add", "words", "--preset", "gemini-text", "--price", "1", "--unit", "image"
    )
    assert said.endswith("call, 1k-tokens.")


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
