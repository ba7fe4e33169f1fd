from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain import guard

CELLS = st.text(st.sampled_from("=+-@\t\r\n'a,\"一"))


@given(CELLS)
def test_guard_is_undone_and_inert(cell: str) -> None:
    assert guard.unguard(guard.guard(cell)) == cell
    assert not guard.needs_guard(guard.guard(cell))


@given(CELLS)
def test_header_guard_is_undone_and_inert(name: str) -> None:
    shown = guard.guard_header(name)
    assert guard.unguard_header(shown) == name
    assert not guard.needs_guard(shown)


@given(st.lists(st.text()))
def test_guarded_names_survive(names: list[str]) -> None:
    assert guard.load_guarded(guard.dump_guarded(names)) == frozenset(names)


def test_a_changed_sheet_is_not_bent() -> None:
    assert guard.unguard("typed anew") == "typed anew"
    for odd in ("not json", "{}", "3", "[1, null]"):
        assert guard.load_guarded(odd) == frozenset()
