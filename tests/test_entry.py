"""The one entry serves the program's own helpers too, where it is frozen."""

from __future__ import annotations

import multiprocessing
import sys

import pytest

from desktop_app.__main__ import main


class Helped(Exception):
    """A helper's work was done instead of a verb's."""


@pytest.mark.parametrize("frozen", [False, True])
def test_a_frozen_program_is_asked_first_whether_it_is_a_helper(
    monkeypatch: pytest.MonkeyPatch, frozen: bool
) -> None:
    def help_out() -> None:
        raise Helped

    monkeypatch.setattr(multiprocessing, "freeze_support", help_out)
    monkeypatch.setattr(sys, "frozen", frozen, raising=False)
    with pytest.raises(Helped if frozen else SystemExit):
        main(["--version"])
