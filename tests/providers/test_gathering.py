from __future__ import annotations

from typing import Any

from desktop_app.domain.ports import Content
from desktop_app.providers.gathering import gathered


async def test_each_is_fetched_until_it_came_and_not_once_more() -> None:
    asked: list[str] = []

    async def fetch(item: str) -> Content:
        asked.append(item)
        if asked.count(item) < 2 and item == "b":
            raise OSError(item)
        return Content(item.encode(), "image/png")

    kept: dict[Any, Any] = {}
    first = await gathered(["a", "b", "b"], fetch, kept)
    assert [type(one) for one in first] == [Content, OSError, Content]
    second = await gathered(["a", "b", "b"], fetch, kept)
    assert [getattr(one, "data", None) for one in second] == [b"a", b"b", b"b"]
    assert asked == ["a", "b", "b", "b"]


async def test_of_another_number_of_results_none_is_taken_for_one_of_before() -> None:
    async def fetch(item: str) -> Content:
        return Content(item.encode(), "image/png")

    kept: dict[Any, Any] = {}
    await gathered(["a", "b"], fetch, kept)
    (one,) = await gathered(["c"], fetch, kept)
    assert isinstance(one, Content)
    assert one.data == b"c"
