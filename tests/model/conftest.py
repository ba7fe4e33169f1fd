"""Small worlds for tests that tell a story."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.model import faults
from tests.model.world import World

Make = Callable[..., World]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """``make(rows=2, behaviours=[...])``: a world in which the program has started. With
    ``resume`` its batches run."""
    with contextlib.ExitStack() as stack:

        def new(*, resume: bool = True, **more: Any) -> World:
            world = World(Path(tempfile.mkdtemp(dir=tmp_path)), **more)
            stack.callback(world.close)
            stack.enter_context(faults.heard(world.rules.faults))
            world.begin()
            for batch_id in world.batches if resume else ():
                world.people.resume(batch_id)
            return world

        yield new
