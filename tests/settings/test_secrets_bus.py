"""A real Secret Service on a bus of its own: stored by one process, read and deleted by others."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.bus

STEP = """
import asyncio, sys
from desktop_app.domain.text import OperatorError
from desktop_app.settings.secrets import KeyringSecrets

async def main(verb, name, secret):
    secrets = KeyringSecrets(environ={})
    try:
        if verb == "available":
            said = await secrets.available()
            print(said.code if said else "yes")
        elif verb == "set":
            print(await secrets.set(name, secret))
        elif verb == "get":
            print(await secrets.get(name))
        elif verb == "delete":
            await secrets.delete(name)
            print("deleted")
    except OperatorError as error:
        print(error.message.code)
    finally:
        secrets.close()

asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else ""))
"""


def _in_session(tmp_path: Path, script: str) -> list[str]:
    """Run a bash script inside a bus session whose home and runtime folders are its own."""
    home, runtime = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    (tmp_path / "step.py").write_text(STEP, encoding="utf-8")
    words = shlex.join([sys.executable, str(tmp_path / "step.py")])
    step = f'step() {{ {words} "$@"; }}\n'
    environ = {name: os.environ[name] for name in ("PATH",)}
    environ |= {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "LANG": "C.UTF-8"}
    environ |= {"PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    done = subprocess.run(
        ["dbus-run-session", "--", "bash", "-euc", step + script],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


UNLOCK = "printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1\n"


def test_s15_a_key_crosses_processes_and_is_gone_when_deleted(tmp_path: Path) -> None:
    said = _in_session(
        tmp_path,
        UNLOCK + "step available x\nstep get 火山\nstep set 火山 sk-abcdefgh12345678\n"
        "step get 火山\nstep delete 火山\nstep delete 火山\nstep get 火山\n",
    )
    assert said == [
        "yes",
        "None",
        "True",
        "sk-abcdefgh12345678",
        "deleted",
        "deleted",
        "None",
    ]


def test_s15_a_3000_character_key_in_a_real_store(tmp_path: Path) -> None:
    key = "".join(chr(ord("a") + n % 26) for n in range(3000))
    said = _in_session(
        tmp_path, UNLOCK + f"step set c {key}\nstep get c\nstep delete c\nstep get c\n"
    )
    assert said == ["True", key, "deleted", "None"]


def test_s15_a_locked_real_store_is_said_to_be_locked(tmp_path: Path) -> None:
    lock = (
        "dbus-send --session --print-reply --dest=org.freedesktop.secrets "
        "/org/freedesktop/secrets org.freedesktop.Secret.Service.Lock "
        "array:objpath:/org/freedesktop/secrets/collection/login >/dev/null\n"
    )
    said = _in_session(
        tmp_path,
        UNLOCK + "step set c sk-abcdefgh\n" + lock + "step get c\nstep set c sk-12345678\n",
    )
    assert said == ["True", "settings.store_locked", "False"]


def test_s15_a_bus_without_a_store_is_no_store(tmp_path: Path) -> None:
    # No activation files: nothing on this bus can start a Secret Service.
    (tmp_path / "bus.conf").write_text(
        "<busconfig><type>session</type><listen>unix:tmpdir=/tmp</listen>"
        '<policy context="default"><allow send_destination="*" eavesdrop="true"/>'
        '<allow eavesdrop="true"/><allow own="*"/></policy></busconfig>',
        encoding="utf-8",
    )
    conf = shlex.quote(str(tmp_path / "bus.conf"))
    script = (
        f'eval "$(dbus-daemon --config-file={conf} --fork --print-address=1 '
        "--print-pid=1 | { read a; read p; echo "
        'export DBUS_SESSION_BUS_ADDRESS=$a BUS_PID=$p; })"\n'
        'trap "kill $BUS_PID" EXIT\nstep available x\nstep set c sk-abcdefgh\nstep get c\n'
    )
    assert _in_session(tmp_path, script) == ["settings.no_store", "False", "None"]


STOPPED = """
import asyncio, os, signal, sys
from desktop_app.domain.text import OperatorError
from desktop_app.settings.secrets import KeyringSecrets

KEY = "k" * 3000

async def said(call):
    turns = 0
    async def turn():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0.01)
    beside = asyncio.create_task(turn())
    try:
        return await call, turns
    except OperatorError as error:
        return error.message.code, turns
    finally:
        beside.cancel()

async def main(daemon):
    waiting = []
    patient = KeyringSecrets(environ={})
    print(await patient.set("c", KEY))
    secrets = KeyringSecrets(environ={}, answer_s=0.2, unlock_s=0.3, on_waiting=waiting.append)
    os.kill(daemon, signal.SIGSTOP)
    try:
        # Its own words, never None: a key that can't be had now is not "no key".
        for call in (secrets.get("c"), secrets.get("c"), secrets.set("d", KEY)):
            found, turns = await said(call)
            print(found, "alive" if turns > 3 else turns)
        print(waiting)
        print((await secrets.available()).code)
    finally:
        os.kill(daemon, signal.SIGCONT)
    print("whole" if await patient.get("c") == KEY else "not whole")
    secrets.close()
    patient.close()

asyncio.run(main(int(sys.argv[1])))
"""

# By its name on this very bus: other daemons are nobody's business here.
DAEMON = """
pid=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \\
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets \\
    | awk '{print $2}')
"""


def test_s15_a_stopped_store_is_said_to_wait_while_the_loop_goes_on(tmp_path: Path) -> None:
    (tmp_path / "stopped.py").write_text(STOPPED, encoding="utf-8")
    first = "step available x >/dev/null\n"  # by then it has its name
    stopped = shlex.join([sys.executable, str(tmp_path / "stopped.py")])
    script = UNLOCK + first + DAEMON + f'{stopped} "$pid"\n'
    said = " ".join(_in_session(tmp_path, script))
    waits = "settings.store_waiting alive "
    assert said == (f"True {waits}{waits}False alive [True, False] settings.store_waiting whole")
