"""Whatever happens in whatever order: nothing lost, nothing paid twice, and the books are right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.helpers.examples import QUICK, SEARCH
from tests.model.crowd import Crowd
from tests.model.faults import EXPECTED

pytestmark = pytest.mark.expect_log(EXPECTED)


def explore(base: Path, examples: int, steps: int, profile: settings) -> Counter[str]:
    """How often the program was killed at which place."""

    class Explorer(Crowd):
        pass

    Explorer.base = base
    Explorer.reached = Counter()
    run_state_machine_as_test(
        Explorer,
        settings=settings(
            profile,
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            database=None,
            phases=[Phase.generate, Phase.shrink],
        ),
    )
    return Explorer.reached


def test_whatever_happens_nothing_is_lost_or_paid_twice(tmp_path: Path) -> None:
    explore(tmp_path, examples=40, steps=25, profile=settings.get_profile(QUICK))


# In parts, so that a slow machine needs no more time for one than a test may take; each begins
# with the plainest schedules again, which is why they are more than a thousand in sum.
@pytest.mark.long
@pytest.mark.parametrize("part", range(12))
def test_whatever_happens_for_longer(tmp_path: Path, part: int) -> None:
    explore(tmp_path, examples=100, steps=40, profile=settings.get_profile(SEARCH))
