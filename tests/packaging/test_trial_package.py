"""The trial's own judgement of an upgrade, without a root to install into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from ground import Ground
from trial_package import OLD_ROWS, PackageSteps, newest_form


class Root:
    """A ``Ground`` whose store has a form, and another after the upgrade."""

    def __init__(self, before: int, after: int, copied: int | None = None) -> None:
        self._before, self._after, self._copied = before, after, copied
        self._upgraded = False
        self.screen = SimpleNamespace(wait_for_window=lambda *_: None)

    def store(self) -> Path:
        return Path("/home/batchwright.db")

    def schema(self, store: Path) -> int | None:
        if store.suffix == ".bak":
            assert store.name == f"batchwright.db.v{self._before}.bak"
            return self._copied
        return self._after if self._upgraded else self._before

    def install(self, _package: Path) -> None:
        self._upgraded = True

    def program(self) -> Any:
        @contextmanager
        def window() -> Iterator[Any]:
            yield SimpleNamespace(pid=1)

        return SimpleNamespace(status=lambda: {"imported": OLD_ROWS}, window=window)


def upgraded(before: int, after: int, copied: int | None = None) -> str:
    ground = cast(Ground, Root(before, after, copied))
    return PackageSteps(ground, Path("new.deb"), Path("old.deb")).upgrade()


def test_a_release_with_the_same_form_of_the_store_is_no_failure() -> None:
    now = newest_form()
    assert upgraded(now, now) == f"store {now} as it was, {OLD_ROWS} rows kept"


def test_a_store_that_is_carried_over_has_a_copy() -> None:
    now = newest_form()
    assert f"store 9 -> {now}" in upgraded(9, now, 9)
    with pytest.raises(AssertionError):
        upgraded(9, now, None)


def test_a_store_that_is_not_carried_over_is_a_failure() -> None:
    with pytest.raises(AssertionError):
        upgraded(9, 9)
    with pytest.raises(AssertionError):
        upgraded(9, newest_form() - 1, 9)
