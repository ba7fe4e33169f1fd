"""Quick runs draw the same examples whatever else happened in their process; searches do not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.dev.conftest import CHECKOUT

DRAWS = """
import os
import pytest
from hypothesis import given, settings, strategies as st
from tests.helpers.examples import examples

DRAWN = []

@given(st.integers(), st.text(), st.sampled_from([3, 1, 2]), st.data())
@settings(max_examples=examples(60))
def test_draws(number, text, choice, data):
    DRAWN.append((number, text, choice, data.draw(st.binary())))

@pytest.mark.parametrize("which", ["one", "other"])
@given(st.floats())
def test_draws_more(which, number):
    DRAWN.append((which, number))

def test_tells():
    with open(os.environ["DRAWN_TO"], "w", encoding="utf-8") as file:
        file.write("\\n".join(map(ascii, DRAWN)))
"""
# Constants that would be mixed in, had this been imported by then.
LOADED = "NUMBERS = [" + ", ".join(str(7_000_000 + n) for n in range(500)) + "]\n"


def drawn(folder: Path, name: str, *options: str, hash_seed: int, first: str = "") -> list[str]:
    """What a run of its own draws; ``first``: what the file imports before."""
    made = folder / name
    made.mkdir()
    (made / "many_numbers.py").write_text(LOADED, encoding="utf-8")
    # At the same place under the root each time: it is a part of a parametrized test's name.
    (made / "test_it.py").write_text(first + DRAWS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "tests.conftest"]
    command += ["-c", str(CHECKOUT / "pyproject.toml"), "--rootdir", str(made), *options, str(made)]
    environ = dict(os.environ)
    environ |= {"PYTHONHASHSEED": str(hash_seed), "DRAWN_TO": str(made / "drawn.txt")}
    environ["PYTHONPATH"] = os.pathsep.join([str(CHECKOUT), str(made)])
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return (made / "drawn.txt").read_text(encoding="utf-8").splitlines()


def test_quick_runs_draw_the_same_whatever_was_imported_and_searches_do_not(tmp_path: Path) -> None:
    plain = drawn(tmp_path, "plain", hash_seed=1)
    # At most: what is drawn twice is run once.
    assert 200 < len(plain) <= 60 + 2 * 100
    again = drawn(tmp_path, "again", hash_seed=2, first="import many_numbers\n")
    assert again == plain
    other = drawn(tmp_path, "other", "--hypothesis-profile=search", hash_seed=1)
    assert 2000 < len(other) <= 600 + 2 * 1000
    assert other[:60] != plain[:60]


@pytest.mark.parametrize("profile", ["quick", "search"])
def test_no_profile_judges_by_the_clock(profile: str) -> None:
    """A machine that others keep busy is no fault of a test."""
    from hypothesis import HealthCheck, settings

    found = settings.get_profile(profile)
    assert found.deadline is None
    assert HealthCheck.too_slow in found.suppress_health_check
    assert found.print_blob
