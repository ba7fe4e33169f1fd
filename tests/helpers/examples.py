"""The same examples in every quick run, since a change may not fail for what another one broke;
others in every search, since only those find what nobody thought of."""

from __future__ import annotations

from math import ceil
from typing import Final

from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants

QUICK: Final = "quick"
SEARCH: Final = "search"

# What hypothesis takes itself where a test says nothing.
USUAL: Final = 100
SEARCH_TIMES: Final = 10

# A busy machine is no fault of a test, and one search may filter more than another.
_CHANCE: Final = (
    HealthCheck.too_slow,
    HealthCheck.filter_too_much,
    HealthCheck.data_too_large,
    HealthCheck.large_base_example,
)


def choose_profile() -> None:
    """Before any test is read: ``quick`` unless ``--hypothesis-profile`` says otherwise later.

    ``quick`` draws the same examples for the same test on every machine; ``search`` draws ten times
    as many, other ones each time, and prints how to draw a failing one again.
    """
    settings.register_profile(
        QUICK,
        max_examples=USUAL,
        derandomize=True,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.register_profile(
        SEARCH,
        max_examples=USUAL * SEARCH_TIMES,
        derandomize=False,
        deadline=None,
        print_blob=True,
        suppress_health_check=_CHANCE,
    )
    settings.load_profile(QUICK)


def keep_examples_steady() -> None:
    """After the profile is settled: what else has been imported by then changes no example.

    Hypothesis mixes the constants of every local module into what it draws, of those imported by
    then: other ones in every process of a run, and after every change of any file.
    """
    if settings.default is not None and settings.default.derandomize:
        none = Constants()
        providers._get_local_constants = lambda: none


def examples(quick: int) -> int:
    """``max_examples`` of a test whose examples are dear: ``quick``, or as many more as the chosen
    profile has of others."""
    usual = settings.default.max_examples if settings.default is not None else USUAL
    return ceil(quick * usual / USUAL)


def sharing_fixtures(quick: int = USUAL) -> settings:
    """``@sharing_fixtures()``: for a test whose examples share its fixtures, and may.

    What the profile lets pass besides still passes, which a list of its own would undo.
    """
    passes = {*settings().suppress_health_check, HealthCheck.function_scoped_fixture}
    return settings(max_examples=examples(quick), suppress_health_check=passes)
