"""Commands from another process reach the engine's, once, in order, and get their answer."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from desktop_app.domain.errors import LocalTrouble
from tests.store.store_kit import Kit

CHILD = """
import asyncio, sys
from pathlib import Path
from desktop_app.store.store import open_store

async def main():
    store = await open_store(Path(sys.argv[1]), check=False)
    first = await store.commands.post("pause", {"batch": 1})
    await store.commands.post("requeue", {"batch": 1, "cause": "被拒"})
    print(first, flush=True)
    sys.stdin.readline()
    print(dict(await store.commands.result(first)), flush=True)
    await store.close()

asyncio.run(main())
"""


def start_child(path: Path) -> subprocess.Popen[str]:
    """Another process that posts two commands and reads the first one's answer."""
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


async def test_two_processes_talk_through_the_table(kit: Kit) -> None:
    kit.clock.at = time.time()
    child = start_child(kit.path)
    assert child.stdout is not None
    assert child.stdin is not None
    with child:
        posted = int(child.stdout.readline())
        commands = kit.store.commands
        taken = await commands.take()
        assert [(c.verb, dict(c.args)) for c in taken] == [
            ("pause", {"batch": 1}),
            ("requeue", {"batch": 1, "cause": "被拒"}),
        ]
        assert await commands.take() == []
        assert await commands.result(posted) is None
        await commands.answer(posted, {"paused": 1})
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.stdout.readline().strip() == "{'paused': 1}"
    assert child.returncode == 0


async def test_a_path_that_is_no_text_is_handed_over_as_it_is(kit: Kit) -> None:
    """A sheet out of an archive that was packed on a Chinese Windows."""
    paths = [os.fsdecode("/tmp/新品.csv".encode("gbk")), "/tmp/新品.csv"]
    await kit.store.commands.post("import", {"paths": paths, "leave": ""})
    (taken,) = await kit.store.commands.take()
    assert taken.args["paths"] == paths


async def test_a_command_nobody_took_in_time_never_fires(kit: Kit) -> None:
    commands = kit.store.commands
    old = await commands.post("resume", {})
    kit.clock.at += 3_600
    new = await commands.post("pause", {})
    assert [c.id for c in await commands.take()] == [new]
    assert await commands.result(old) == {"error": "store.expired"}


async def test_old_answers_are_dropped(kit: Kit) -> None:
    commands = kit.store.commands
    old = await commands.post("pause", {})
    await commands.take()
    await commands.answer(old, {})
    kit.clock.at += 200_000
    new = await commands.post("pause", {})
    await commands.take()
    await commands.answer(new, {"ok": True})
    assert await commands.result(old) is None
    assert await commands.result(new) == {"ok": True}


async def test_an_unknown_verb_is_refused(kit: Kit) -> None:
    with pytest.raises(Exception, match="CHECK"):
        await kit.store.commands.post("explode", {})


async def test_a_reader_cannot_post(kit: Kit, opened: object) -> None:
    other = await opened(read_only=True)  # type: ignore[operator]
    with pytest.raises(LocalTrouble):
        await other.commands.post("pause", {})
