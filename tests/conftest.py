"""Rules for every test: no stray warnings, no leaks, no network, no touch of the user's own."""

from __future__ import annotations

import asyncio
import asyncio.runners
import atexit
import gc
import ipaddress
import logging
import os
import re
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.examples import choose_profile, keep_examples_steady

HOME = Path(tempfile.mkdtemp(prefix="batchwright-tests-"))
atexit.register(shutil.rmtree, HOME, ignore_errors=True)


def _leave_the_user_alone() -> None:
    """Before anything is imported: home, caches, keyring, bus, proxies and display of nobody."""
    runtime = HOME / "run"
    runtime.mkdir(mode=0o700)
    for name in ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA"):
        os.environ[name] = str(HOME)
    for name in ("DATA", "CONFIG", "CACHE", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = str(HOME / name.lower())
    os.environ["XDG_RUNTIME_DIR"] = str(runtime)
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ["PYTEST_QT_API"] = "pyside6"
    proxies = {"http_proxy", "https_proxy", "all_proxy", "no_proxy", "ftp_proxy"}
    for name in list(os.environ):
        lower = name.lower()
        if lower in proxies or lower.startswith("batchwright_") or name.startswith("LC_"):
            del os.environ[name]
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY", "LANGUAGE"):
        os.environ.pop(name, None)
    os.environ["LANG"] = "C.UTF-8"


_leave_the_user_alone()
choose_profile()


def _window_can_be_tested() -> bool:
    try:
        import PySide6.QtWidgets  # noqa: F401
    except ImportError:
        return False
    return True


collect_ignore = [] if _window_can_be_tested() else ["ui"]


# --- no network ------------------------------------------------------------------------------


class NetworkUsed(BaseException):
    """A test wanted to leave this machine. No OSError: code under test must not swallow it."""


def _is_here(host: object) -> bool:
    name = str(host.decode() if isinstance(host, bytes) else host)
    if name in {"", "localhost", "None"} or name.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_getaddrinfo = socket.getaddrinfo


def _check(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6) and not _is_here(address[0]):
        raise NetworkUsed(f"a test connects to {address[0]}")


def _guarded_connect(self: socket.socket, address: Any) -> None:
    _check(self, address)
    return _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any) -> int:
    _check(self, address)
    return _connect_ex(self, address)


def _guarded_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
    """Names of the world do not exist here, at once and on every machine alike."""
    try:
        known = _is_here(host) or ipaddress.ip_address(str(host)) is not None
    except ValueError:
        known = False
    if not known:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return _getaddrinfo(host, *args, **kwargs)


socket.socket.connect = _guarded_connect  # type: ignore[method-assign]
socket.socket.connect_ex = _guarded_connect_ex  # type: ignore[method-assign]
socket.getaddrinfo = _guarded_getaddrinfo


# --- tests that need tools -------------------------------------------------------------------

TOOLS = {
    "display": ("Xvfb", "xdotool", "import"),
    "bus": ("dbus-run-session", "gnome-keyring-daemon"),
}


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "expect_log(pattern): a warning that matches is meant")
    config.addinivalue_line("markers", "leaves_tasks: asyncio tasks may outlive their loop here")


def pytest_sessionstart() -> None:
    keep_examples_steady()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for marker, tools in TOOLS.items():
        missing = [tool for tool in tools if shutil.which(tool) is None]
        if sys.platform.startswith("linux") and not missing:
            continue
        why = f"needs {', '.join(missing)}" if missing else "needs Linux"
        for item in items:
            if item.get_closest_marker(marker) is not None:
                item.add_marker(pytest.mark.skip(reason=why))


# --- unexpected log lines --------------------------------------------------------------------


class _Collector(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.levelname} {record.name}: {record.getMessage()}")


class ExpectedLogs:
    """Patterns of warnings that a test means to cause."""

    def __init__(self) -> None:
        self.patterns: list[str] = []

    def __call__(self, pattern: str) -> None:
        self.patterns.append(pattern)


@pytest.fixture
def expect_log() -> ExpectedLogs:
    """``expect_log("settings not written")``: lines that match are no fault of this test."""
    return ExpectedLogs()


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest, expect_log: ExpectedLogs) -> Iterator[None]:
    collector = _Collector()
    root = logging.getLogger()
    root.addHandler(collector)
    yield
    root.removeHandler(collector)
    marked = [str(mark.args[0]) for mark in request.node.iter_markers("expect_log")]
    meant = [re.compile(pattern) for pattern in (*marked, *expect_log.patterns)]
    unmeant = [line for line in collector.lines if not any(m.search(line) for m in meant)]
    if unmeant:
        pytest.fail("unexpected log lines:\n" + "\n".join(unmeant), pytrace=False)


# --- leaks -----------------------------------------------------------------------------------

_left_tasks: list[str] = []
_cancel_all_tasks = asyncio.runners._cancel_all_tasks  # type: ignore[attr-defined]


def _note_left_tasks(loop: asyncio.AbstractEventLoop) -> None:
    """A loop that closes cancels what is left without a word; here it is told on."""
    _left_tasks.extend(
        f"{task.get_name()} ({getattr(task.get_coro(), '__qualname__', task.get_coro())})"
        for task in asyncio.all_tasks(loop)
    )
    _cancel_all_tasks(loop)


asyncio.runners._cancel_all_tasks = _note_left_tasks  # type: ignore[attr-defined]


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.is_alive()}


_threads_before: dict[str, set[threading.Thread]] = {}


def _module_of(item: pytest.Item | None) -> str | None:
    return None if item is None else item.nodeid.partition("::")[0]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    _threads_before.setdefault(str(_module_of(item)), _threads())
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """After all fixtures: nothing may run on. Threads and garbage are looked at once a file."""
    result = yield
    left, _left_tasks[:] = list(_left_tasks), []
    if left and item.get_closest_marker("leaves_tasks") is None:
        pytest.fail("tasks outlived the test's loop: " + ", ".join(left), pytrace=False)
    if _module_of(item) != _module_of(nextitem):
        gc.collect()  # un-awaited coroutines and unclosed files are told here, not at the end
        before = _threads_before.pop(str(_module_of(item)), set())
        for thread in _threads() - before:
            thread.join(timeout=5)
        running = [thread.name for thread in _threads() - before]
        if running and nextitem is not None:
            pytest.fail("threads outlived their file: " + ", ".join(running), pytrace=False)
    return result
