"""A real bus with a stand-in for the desktop's service: shown, replaced, clicked, withdrawn."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from desktop_app.alerts import freedesktop
from desktop_app.alerts.freedesktop import FreedesktopNotices

ROOT = Path(__file__).resolve().parents[2]
DAEMON = ROOT / "tests" / "helpers" / "notification_daemon.py"

STEP = '''
import asyncio, sys
from pathlib import Path
from desktop_app.alerts.freedesktop import FreedesktopNotices

class Daemon:
    """The service in a child; its calls as they come."""
    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self.child = await asyncio.create_subprocess_exec(
            sys.executable, sys.argv[1], stdin=pipe, stdout=pipe)
        await self.heard("ready")
        return self
    async def heard(self, call):
        import json
        while True:
            found = json.loads(await asyncio.wait_for(self.child.stdout.readline(), 30))
            print(json.dumps(found), flush=True)
            if found["call"] == call:
                return found
    async def act(self, line):
        self.child.stdin.write(line.encode() + b"\\n")
        await self.child.stdin.drain()
    async def __aexit__(self, *_):
        self.child.kill()
        await self.child.wait()

async def main():
    notices = FreedesktopNotices(Path("/icons/app.svg"))
    clicks = asyncio.Queue()
    notices.on_click(lambda tag, token: clicks.put_nowait((tag, token)))
    BODY
    await notices.close()

asyncio.run(main())
'''


def _in_session(tmp_path: Path, body: str) -> list[Any]:
    """Run ``body`` in a bus session of its own; every JSON line it and the service print."""
    step = tmp_path / "step.py"
    step.write_text(STEP.replace("    BODY", body), encoding="utf-8")
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
    environ |= {"PYTHONPATH": str(ROOT), "XDG_RUNTIME_DIR": str(tmp_path)}
    environ |= {"PYTHONWARNINGS": "error"}
    done = subprocess.run(
        ["dbus-run-session", "--", sys.executable, str(step), str(DAEMON)],
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.bus
def test_one_notification_a_tag_replaced_clicked_and_withdrawn(tmp_path: Path) -> None:
    lines = _in_session(
        tmp_path,
        """
    import json
    async with Daemon() as daemon:
        assert await notices.show("batch-1", "春季: 1 row", "1 <b> & more", "Open")
        await daemon.heard("Notify")
        assert await notices.show("batch-1", "春季: 12 rows", "12", "Open")
        await daemon.heard("Notify")
        assert await notices.show("account:a", "fal is paused", "why", "Open")
        await daemon.heard("Notify")
        await daemon.act("click 1")
        print(json.dumps({"call": "clicked", "tag": await clicks.get()}), flush=True)
        await notices.withdraw()
        await daemon.heard("CloseNotification")
        assert await notices.show("batch-1", "new", "news", "Open")
        await daemon.heard("Notify")
    """,
    )
    shown = [line["args"] for line in lines if line["call"] == "Notify"]
    app = ["Batchwright", "/icons/app.svg"]
    assert [[values[0], values[2]] for values in shown] == [app] * 4
    assert [values[1] for values in shown] == [0, 1, 0, 0]
    assert [values[3] for values in shown] == [
        "春季: 1 row",
        "春季: 12 rows",
        "fal is paused",
        "new",
    ]
    assert shown[0][4] == "1 &lt;b&gt; &amp; more"
    assert shown[0][5] == ["default", "Open"]
    assert shown[0][6] == {"desktop-entry": ["s", "batchwright"], "urgency": ["y", 1]}
    assert [line["tag"] for line in lines if line["call"] == "clicked"] == [["batch-1", "token-1"]]
    # The clicked one is gone already: only the other is taken back.
    assert [line["args"] for line in lines if line["call"] == "CloseNotification"] == [[2]]


@pytest.mark.bus
def test_a_service_that_comes_late_or_again_is_found(tmp_path: Path) -> None:
    lines = _in_session(
        tmp_path,
        """
    assert not await notices.show("a", "nobody", "there", "Open")
    for _ in range(2):
        async with Daemon() as daemon:
            assert await notices.show("a", "t", "b", "Open")
            await daemon.heard("Notify")
    """,
    )
    assert sum(line["call"] == "Notify" for line in lines) == 2


@pytest.mark.bus
def test_a_service_that_hangs_holds_nothing_up(tmp_path: Path) -> None:
    lines = _in_session(
        tmp_path,
        """
    import os, signal
    async with Daemon() as daemon:
        os.kill(daemon.child.pid, signal.SIGSTOP)
        assert not await notices.show("a", "t", "b", "Open")
        os.kill(daemon.child.pid, signal.SIGCONT)
        assert await notices.show("a", "t", "b", "Open")
    """,
    )
    assert lines[0] == {"call": "ready"}


async def test_without_a_bus_nobody_is_troubled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    notices = FreedesktopNotices()
    assert not await notices.show("a", "t", "b", "Open")
    await notices.withdraw()
    await notices.close()


async def test_a_bus_address_that_leads_nowhere_is_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={tmp_path}/no-bus")
    assert not await asyncio.wait_for(FreedesktopNotices().show("a", "t", "b", "Open"), 30)


@pytest.mark.parametrize("platform", ["win32", "darwin"])
async def test_other_systems_have_a_better_place(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(freedesktop, "sys", SimpleNamespace(platform=platform))
    notices = FreedesktopNotices()
    monkeypatch.setattr(notices, "_connect", lambda: pytest.fail("the bus was asked"))
    assert not await notices.show("a", "title", "body", "Open")
    await notices.close()
