"""The server as a process: started, stopped, and never left behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.practice import child
from desktop_app.practice.child import PracticeProcess
from desktop_app.practice.environ import ENV_KEY
from tests.helpers.free_port import free_port
from tests.practice.child_for_test import ARGV

ROOT = Path(__file__).parents[2]
POSIX = pytest.mark.skipif(os.name == "nt", reason="signals as on Linux and macOS")


def _models(base_url: str, key: str) -> int:
    url, headers = f"{base_url}/models", {"Authorization": f"Bearer {key}"}
    return httpx.get(url, headers=headers, trust_env=False).status_code


def _wait_until_refused(base_url: str) -> None:
    address = ("127.0.0.1", int(base_url.split(":")[2].split("/")[0]))
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            socket.create_connection(address, timeout=1).close()
        except ConnectionError:
            return
        except TimeoutError:  # it listens, and takes nobody
            continue
        time.sleep(0.02)
    pytest.fail("the server still listens")


async def test_start_gives_url_and_key_and_stop_ends_it() -> None:
    child = PracticeProcess(ARGV, cwd=ROOT, config="gentle")
    base_url, key = await child.start()
    try:
        assert child.running
        assert base_url.startswith("http://127.0.0.1:")
        assert _models(base_url, key) == 200
        both = await asyncio.gather(child.start(), child.start())
        assert both == [(base_url, key)] * 2
    finally:
        await child.stop()
    assert not child.running
    _wait_until_refused(base_url)
    await child.stop()


async def test_port_and_key_given_are_kept_over_a_restart_and_the_key_is_not_in_argv() -> None:
    port = free_port()
    child = PracticeProcess(ARGV, cwd=ROOT, port=port, key="mine")
    try:
        first = await child.start()
        assert first == (f"http://127.0.0.1:{port}/v1", "mine")
        if sys.platform == "linux":
            ours = _commands_with(str(port))
            assert ours
            assert not any("mine" in command for command in ours)
        await child.stop()
        assert await child.start() == first
    finally:
        await child.stop()


def _commands_with(word: str) -> list[list[str]]:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            commands.append(path.read_text(encoding="utf-8", errors="replace").split("\0"))
    return [command for command in commands if word in command]


async def test_a_child_that_does_not_come_up_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        child = PracticeProcess(ARGV, cwd=ROOT, port=taken.getsockname()[1])
        with pytest.raises(OperatorError) as error:
            await child.start()
    assert "is used by another program" in Translator().say(error.value.message)
    assert not child.running


@pytest.mark.parametrize(
    ("code", "why"), [("raise SystemExit(3)", "code 3"), ("import time; time.sleep(60)", "0.5 s")]
)
async def test_a_command_that_is_no_server_is_ended(code: str, why: str) -> None:
    child = PracticeProcess([sys.executable, "-c", code])
    with pytest.raises(OperatorError) as error:
        await child.start(timeout_s=0.5 if "sleep" in code else 30)
    assert why in Translator().say(error.value.message)
    assert not child.running


async def test_a_missing_command_is_a_sentence() -> None:
    with pytest.raises(OperatorError):
        await PracticeProcess(["/no/such/program"]).start()


@pytest.mark.parametrize(
    ("platform", "apart"),
    [
        # Windows: a group of its own and no console window; elsewhere a session of its own.
        ("win32", {"start_new_session": False, "creationflags": 0x08000200}),
        ("darwin", {"start_new_session": True, "creationflags": 0}),
        ("linux", {"start_new_session": True, "creationflags": 0}),
    ],
)
async def test_what_the_terminal_is_told_does_not_reach_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, apart: dict[str, object]
) -> None:
    asked: dict[str, object] = {}

    def popen(_command: object, **options: object) -> None:
        asked.update(options)
        raise FileNotFoundError(2, "not on this system")

    monkeypatch.setattr(child, "sys", SimpleNamespace(platform=platform))
    monkeypatch.setattr(subprocess, "Popen", popen)
    with pytest.raises(OperatorError):
        await PracticeProcess(ARGV).start()
    assert {name: asked[name] for name in apart} == apart


async def test_a_cancelled_start_leaves_no_child() -> None:
    child = PracticeProcess([sys.executable, "-c", "import time; time.sleep(60)"])
    start = asyncio.create_task(child.start())
    while not child.running:  # noqa: ASYNC110 - another thread starts it
        await asyncio.sleep(0.01)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert not child.running


@POSIX
def test_the_child_dies_with_its_parent_even_on_kill_9() -> None:
    with subprocess.Popen([*ARGV, "--as-parent"], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        base_url, key = parent.stdout.readline().decode().split()
        assert _models(base_url, key) == 200
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    _wait_until_refused(base_url)


@POSIX
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_verb_speaks_in_words_and_ends_cleanly_on_signals(number: signal.Signals) -> None:
    environ = {**os.environ, ENV_KEY: "mine"}
    with subprocess.Popen(
        ARGV, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environ
    ) as verb:
        assert verb.stdout is not None
        assert verb.stderr is not None
        lines = [verb.stdout.readline() for _ in range(4)]
        assert lines[1].startswith("Base URL: http://127.0.0.1:")
        assert lines[2] == "Key: mine\n"
        verb.send_signal(number)
        assert verb.wait() == 128 + number
        assert verb.stdout.read() == "The practice server has stopped. Calls: 0, billed: 0.\n"
        assert verb.stderr.read() == ""


def test_the_verb_says_what_is_wrong_with_its_config(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("nonsense = 1", encoding="utf-8")
    done = subprocess.run(
        [*ARGV, "--config", str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert '"nonsense"' in done.stderr
