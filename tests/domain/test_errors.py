from __future__ import annotations

import errno

from desktop_app.domain.errors import LocalTrouble, behind, is_disk_full
from desktop_app.domain.text import message


def test_what_is_behind_an_error_is_told_once_though_it_be_its_own_cause() -> None:
    error = ValueError("first")
    error.__cause__ = error
    assert list(behind(error)) == [error]
    one, other = ValueError("one"), ValueError("other")
    one.__cause__, other.__cause__ = other, one
    assert list(behind(one)) == [one, other]
    assert not is_disk_full(one)


def test_causes_are_told_apart_from_what_merely_came_before() -> None:
    full = OSError(errno.ENOSPC, "full")
    trouble = LocalTrouble(message("store.disk_full"))
    trouble.__context__ = full
    assert list(behind(trouble)) == [trouble, full]
    assert list(behind(trouble, only_causes=True)) == [trouble]
    assert is_disk_full(trouble)
    assert list(behind(None)) == []
