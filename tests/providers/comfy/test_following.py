"""Jobs of one server are asked for each on its own: what is unreadable of one delays no other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import Job, JobLost
from desktop_app.domain.text import message
from desktop_app.providers.comfy.following import Following
from desktop_app.providers.comfy.server import ComfyServer, Queued
from desktop_app.providers.error_map import Site
from tests.contract.cases import FakeClock

BROKEN = ProviderFailure(Failure(FailureClass.TRANSIENT, "unreadable", message("x"), billed=False))


class Server:
    """Fails at the histories of ``broken`` jobs, and knows nothing of the others."""

    def __init__(self, *broken: str) -> None:
        self._broken = broken

    async def queue(self) -> Queued:
        return Queued(frozenset(), frozenset())

    async def history(self, job_id: str) -> Mapping[str, Any] | None:
        if job_id in self._broken:
            raise BROKEN
        return None


def following(server: Server) -> Following:
    return Following(cast(ComfyServer, server), cast(Site, None), FakeClock(), ())


@pytest.mark.parametrize("broken", ["a", "b", "c"])
async def test_what_cannot_be_read_of_one_job_keeps_no_other_waiting(broken: str) -> None:
    states = await following(Server(broken)).states([Job("a"), Job("b"), Job("c")])
    assert set(states) == {"a", "b", "c"} - {broken}
    assert all(isinstance(state, JobLost) for state in states.values())


async def test_where_nothing_was_said_of_any_the_poll_has_failed() -> None:
    with pytest.raises(ProviderFailure) as caught:
        await following(Server("a", "b")).states([Job("a"), Job("b")])
    assert caught.value is BROKEN
