"""Positions of ids are found alike whether they stand in order or not."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from desktop_app.ui.ids import WALKED, Unlike, find, positions, same, starts_with

IDS = st.lists(st.integers(1, 60), unique=True)


@given(IDS, st.sets(st.integers(1, 60)), st.booleans())
def test_positions_are_those_of_a_walk(ids: list[int], wanted: set[int], ordered: bool) -> None:
    whole = array("q", sorted(ids) if ordered else ids)
    assert positions(whole, wanted) == {pk: at for at, pk in enumerate(whole) if pk in wanted}


@given(IDS, IDS)
def test_lists_and_arrays_compare_alike(one: list[int], other: list[int]) -> None:
    assert same(array("q", one), other) == (one == other)
    assert starts_with(array("q", one), other) == (one[: len(other)] == other)


@given(IDS, st.integers(0, 60), IDS, st.integers(1, 9))
def test_a_list_beside_an_older_one_is_what_came(
    old: list[int], kept: int, more: list[int], step: int
) -> None:
    new = old[:kept] + more
    older = array("q", old)
    ids = Unlike(older)
    for at in range(0, len(new), step):
        ids.extend(array("q", new[at : at + step]))
    assert ids.is_same == (new == old)
    assert ids.whole() == array("q", new)
    ids.whole().append(7)
    assert older == array("q", old)


async def test_a_long_walk_finds_them_as_well() -> None:
    ids = array("q", range(WALKED + 10, 0, -1))
    assert await find(ids, {1, 5, WALKED * 3}) == {1: WALKED + 9, 5: WALKED + 5}


def test_bytes_of_neighbours_are_taken_for_no_id() -> None:
    assert positions(array("q", (256, 512, 3, 1)), {1, 2}) == {1: 3}
