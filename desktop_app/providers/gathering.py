"""Of several results each is fetched once, so that one that fails costs the others nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, TypeVar

from desktop_app.domain.ports import Content

T = TypeVar("T")


async def gathered(
    items: Sequence[T],
    fetch: Callable[[T], Awaitable[Content]],
    kept: MutableMapping[Any, Any] | None = None,
) -> Sequence[Content | BaseException]:
    """What ``fetch`` brings of each, or why it brought nothing, in order. ``kept`` holds what an
    earlier call has brought, by its place, since addresses may be fresh ones."""
    held = {} if kept is None else kept

    async def one(place: tuple[int, int], item: T) -> Content:
        if place not in held:
            held[place] = await fetch(item)
        found: Content = held[place]
        return found

    # At once, one address as old as the other; all are waited for, so that none goes on alone.
    return await asyncio.gather(
        *(one((at, len(items)), item) for at, item in enumerate(items)), return_exceptions=True
    )
