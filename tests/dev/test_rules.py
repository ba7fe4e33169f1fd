"""The rules of tests/conftest.py bite: each of these made-up tests has to fail, or to pass."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.dev.conftest import CHECKOUT

MADE_UP = {
    "log_line": "logging.getLogger('x').warning('oh')",
    "connects": "leave_the_machine()",
    "left_task": "asyncio.run(leave_a_task())",
    "unawaited": "leave_a_task()",
    "unclosed": "open(__file__)",
    "good_log": "logging.getLogger('x').info('fine')",
    "good_marked": "logging.getLogger('x').warning('meant')",
    "good_loopback": "listen_and_connect()",
    "good_name": "no_such_name()",
    "good_home": "assert str(Path.home()).startswith(tempfile.gettempdir())",
}

HEAD = """
import asyncio, gc, logging, socket, tempfile
from pathlib import Path
import pytest

async def leave_a_task():
    asyncio.get_running_loop().create_task(asyncio.sleep(60))

def listen_and_connect():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()

def leave_the_machine():
    with socket.socket() as sock:
        sock.connect(("192.0.2.1", 80))

def no_such_name():
    with pytest.raises(socket.gaierror):
        socket.create_connection(("api.example.com", 443), timeout=1)
"""

THREADS = """
import threading
forever = threading.Event()

def test_left_thread():
    threading.Thread(target=forever.wait, args=(20,), daemon=True, name="left-behind").start()
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("made-up")
    for name, body in MADE_UP.items():
        mark = "@pytest.mark.expect_log('mea?nt')\n" if name == "good_marked" else ""
        text = f"{HEAD}\n{mark}def test_{name}():\n    {body}\n"
        (folder / f"test_{name}.py").write_text(text, encoding="utf-8")
    (folder / "test_a_thread.py").write_text(THREADS, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-rA", "--tb=line", "-p", "no:cacheprovider"]
    command += ["-p", "tests.conftest", "-c", str(CHECKOUT / "pyproject.toml"), str(folder)]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", [*MADE_UP, "left_thread"])
def test_a_rule_bites_or_lets_pass(report: str, name: str) -> None:
    lines = [line for line in report.splitlines() if f"::test_{name}" in line]
    verdicts = {line.split()[0] for line in lines} & {"PASSED", "FAILED", "ERROR"}
    if name.startswith("good_"):
        assert verdicts == {"PASSED"}, report
    else:
        assert verdicts & {"FAILED", "ERROR"}, report


def test_the_failures_say_what_was_wrong(report: str) -> None:
    for words in (
        "WARNING x: oh",
        "a test connects to 192.0.2.1",
        "tasks outlived the test's loop",
        "threads outlived their file: left-behind",
        "never awaited",
        "unclosed file",
    ):
        assert words in report, report
