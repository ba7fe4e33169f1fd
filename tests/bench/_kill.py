"""A kill -9 at a moment that is frozen first: what was on the wire then is read, not guessed.

The program's process group is stopped, then the provider. Now nothing moves: the kernel says how
many bytes the program has taken out of each of its sockets. Then the group is killed and the
provider goes on; its ledger says which call came over which line and with which byte its answer
ended. No clock is asked, so a loaded machine changes nothing.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.program import Provider, kill_group
from tests.helpers.tcp_lines import lines

_STOPPED = frozenset("TtZX")


@dataclass(frozen=True, slots=True)
class Kill:
    """``wire``: idempotency keys of the calls whose request had begun to leave the program and
    whose answer it had not wholly read. ``came``: how many calls had come to the provider by
    then, those included that waited in its sockets."""

    wire: frozenset[str]
    came: int


def freeze_and_kill(process: subprocess.Popen[str], shop: Provider, before: int) -> Kill | None:
    """Kill the group of ``process``, which has sent the provider's calls from number ``before``
    on. None: it had ended by itself."""
    with _frozen(process.pid):
        if process.poll() is not None:
            return None
        with _frozen(shop.pid):
            read = {
                line.port: line.read
                for line in lines()
                if line.peer_port == shop.port and line.is_owned
            }
            kill_group(process)
    while any(line.port == shop.port and line.waiting for line in lines()):
        time.sleep(0.005)
    passages = shop.ledger(calls=True)["passages"]
    return Kill(_on_the_wire(passages[before:], read), len(passages))


def _on_the_wire(passages: list[dict[str, Any]], read: dict[int, int]) -> frozenset[str]:
    """``read`` are the lines that stood: port -> bytes read. Of the calls over one of them only
    the last can be open."""
    last = {passage["peer_port"]: passage for passage in passages}
    return frozenset(
        passage["key"]
        for port, passage in last.items()
        if port in read and (passage["answer_ends"] is None or read[port] < passage["answer_ends"])
    )


@contextlib.contextmanager
def _frozen(group: int) -> Iterator[None]:
    """Not a thread of the group runs inside the block."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGSTOP)
    try:
        while not all(state in _STOPPED for state in _states(group)):
            time.sleep(0.0005)
        yield
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGCONT)


def _states(group: int) -> Iterator[str]:
    """The state letter of every thread of a process group."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if _fields(process)[2] == str(group):
                for thread in (process / "task").iterdir():
                    with contextlib.suppress(OSError):
                        yield _fields(thread)[0]


def _fields(of: Path) -> list[str]:
    """state, parent, group and the rest; the name before them may hold anything."""
    return (of / "stat").read_text().rpartition(")")[2].split()
