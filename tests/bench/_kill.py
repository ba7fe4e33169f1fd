"""A kill -9 at a moment that is frozen first: what was on the wire then is read, not guessed.

The program's process group is stopped, then the provider. Now nothing moves: the kernel says how
many bytes the program has taken out of each of its sockets. Then the group is killed and the
provider goes on; its ledger says which call came over which line and with which byte its answer
ended. No clock is asked, so a loaded machine changes nothing.

What the program has read it puts aside a moment later, and a machine under load can stretch that
moment at will. Where that must not be judged, the program has a slice of its own processor time
between the look at its sockets and the end; the provider stands still meanwhile.
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


def freeze_and_kill(
    process: subprocess.Popen[str], shop: Provider, before: int, slice_s: float = 0.0
) -> Kill | None:
    """Kill the group of ``process``, which has sent the provider's calls from number ``before``
    on, after ``slice_s`` more seconds of its main thread's processor time, or when it rests. What
    it reads or sends in that slice counts as on the wire. None: it had ended by itself."""
    with _frozen(shop.pid):
        with _frozen(process.pid):
            if process.poll() is not None:
                return None
            read = last = _bytes_read(shop)
            if not slice_s:
                kill_group(process)
        if slice_s:
            _let_run(process.pid, slice_s)
            with _frozen(process.pid):
                last = _bytes_read(shop)
                kill_group(process)
    while any(line.port == shop.port and line.waiting for line in lines()):
        time.sleep(0.005)
    passages = shop.ledger(calls=True)["passages"]
    read = dict.fromkeys(last, 0) | read
    return Kill(_on_the_wire(passages[before:], read), len(passages))


def _bytes_read(shop: Provider) -> dict[int, int]:
    """Of the lines to ``shop`` that stand: port -> bytes read."""
    ours = (line for line in lines() if line.peer_port == shop.port and line.is_owned)
    return {line.port: line.read for line in ours}


def _on_the_wire(passages: list[dict[str, Any]], read: dict[int, int]) -> frozenset[str]:
    """``read`` are the lines that stood: port -> bytes read at the look."""
    return frozenset(
        passage["key"]
        for passage in passages
        if (port := passage["peer_port"]) in read
        and (passage["answer_ends"] is None or read[port] < passage["answer_ends"])
    )


def _let_run(main: int, slice_s: float) -> None:
    """Until the main thread has had its slice, or no thread has anything to do: a main thread that
    sleeps may wait for another's lock."""
    thread = Path(f"/proc/{main}/task/{main}")
    with contextlib.suppress(OSError):
        until, rested = _cpu_s(thread) + slice_s, 0
        while _cpu_s(thread) < until and rested < 50:
            time.sleep(0.001)
            resting = all(_fields(one)[0] == "S" for one in thread.parent.iterdir())
            rested = rested + 1 if resting else 0


def _cpu_s(thread: Path) -> float:
    return int((thread / "schedstat").read_text().split()[0]) / 1e9


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
    """The state letter of every thread of a process group. One that waits for a child to become
    another program does not run either, where that child is stopped: it counts as stopped."""
    found: dict[Path, list[str]] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = _fields(process)
            if fields[2] == str(group):
                found[process] = fields
    waited_for = {parent for state, parent, *_ in found.values() if state in _STOPPED}
    for process in found:
        with contextlib.suppress(OSError):
            for thread in (process / "task").iterdir():
                with contextlib.suppress(OSError):
                    state = _fields(thread)[0]
                    yield "T" if state == "D" and process.name in waited_for else state


def _fields(of: Path) -> list[str]:
    """state, parent, group and the rest; the name before them may hold anything."""
    return (of / "stat").read_text().rpartition(")")[2].split()
