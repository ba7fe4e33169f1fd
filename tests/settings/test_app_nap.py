"""macOS is told of the rows that run in its own words, and told when they are over."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from desktop_app.settings.app_nap import Activity, load_foundation

ID, TEXT = ctypes.c_void_p, ctypes.c_char_p


class FakeRuntime:
    """Objective-C's runtime with the few classes that are spoken to. Objects are numbers, and each
    message is written down; ``counts`` are their reference counts."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.names: dict[int, bytes] = {}
        self.said: list[tuple[Any, ...]] = []
        self.counts: dict[int, int] = {}
        self._refuses = refuses
        named = ctypes.CFUNCTYPE(ID, TEXT)
        # Registers hold the same for fewer arguments, whatever is in the rest.
        send = ctypes.CFUNCTYPE(ID, ID, ID, ctypes.c_uint64, ID)
        self.library = SimpleNamespace(
            objc_getClass=named(self._named),
            sel_registerName=named(self._named),
            objc_msgSend=send(self._sent),
        )

    def _named(self, name: bytes) -> int:
        number = next((n for n, known in self.names.items() if known == name), None)
        number = number or 1000 + len(self.names)
        self.names[number] = name
        return number

    def _sent(self, receiver: int, selector: int, first: int, second: int) -> int:
        word = self.names[selector]
        match word:
            case b"alloc":
                self.counts[1] = 1
                return 1
            case b"initWithUTF8String:":
                self.said.append((word, ctypes.string_at(first).decode()))
            case b"processInfo":
                assert self.names[receiver] == b"NSProcessInfo"
                return 2
            case b"beginActivityWithOptions:reason:":
                self.said.append((word, receiver, first, second))
                if self._refuses:
                    return 0
                self.counts[3] = 0  # in a pool that lets go of it
                return 3
            case b"endActivity:":
                self.said.append((word, receiver, first))
            case b"retain":
                self.counts[receiver] += 1
            case b"release":
                self.counts[receiver] -= 1
        return receiver


def test_an_activity_is_begun_once_and_ended_once() -> None:
    runtime = FakeRuntime()
    activity = Activity(lambda: runtime.library)
    activity.end()
    for _ in range(2):
        activity.begin("行正在运行")
    assert runtime.said == [
        (b"initWithUTF8String:", "行正在运行"),
        (b"beginActivityWithOptions:reason:", 2, 0x00FFFFFF, 1),
    ]
    assert runtime.counts == {1: 0, 3: 1}
    for _ in range(2):
        activity.end()
    assert runtime.said[2:] == [(b"endActivity:", 2, 3)]
    assert runtime.counts == {1: 0, 3: 0}
    activity.begin("again")
    assert len(runtime.said) == 5


def test_a_system_that_begins_none_fails_nothing() -> None:
    runtime = FakeRuntime(refuses=True)
    activity = Activity(lambda: runtime.library)
    activity.begin("x")
    activity.end()
    assert [said[0] for said in runtime.said] == [
        b"initWithUTF8String:",
        b"beginActivityWithOptions:reason:",
    ]


@pytest.mark.parametrize("trouble", [OSError("no such library"), AttributeError("objc_getClass")])
def test_a_system_without_such_a_library_fails_nothing(trouble: Exception) -> None:
    def load() -> Any:
        raise trouble

    activity = Activity(load)
    activity.begin("x")
    activity.end()


@pytest.mark.skipif("sys.platform == 'darwin'")
def test_elsewhere_there_is_none() -> None:
    with pytest.raises(OSError, match="Foundation"):
        load_foundation()
