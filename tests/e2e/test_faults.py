"""The line, the disk, the folder and the password store fail under the real program."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.e2e.program import KEY, ROOT, Program, Provider, provider, sheet, wait_for
from tests.helpers.tcp_proxy import Fault, TcpProxy

QUICK = {"concurrency": 0, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}
HOLD = ("--headroom", "1", "--on-unknown", "hold", "--price", "1")
SMALL = ("--param", "size=128x128")


def through(program: Program, proxy: TcpProxy, *args: str) -> None:
    """A connection called ``shop`` that goes through the proxy."""
    program.connect(Provider(proxy.port), *args)


def rows_of(program: Program) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = program.run("--json", "tasks", "--batch", "1").json
    return found


def whole_pictures(out: Path) -> int:
    count = 0
    for path in out.glob("*.png"):
        with Image.open(path) as opened:
            opened.load()
        count += 1
    return count


# --- the line --------------------------------------------------------------------------------

BREAKS = [
    Fault.STALL,
    Fault.SWALLOW,
    Fault.RESET,
    Fault.TRICKLE,
    Fault.CUT,
    Fault.RESET_AT_ONCE,
]


def test_a_line_that_breaks_after_sending_is_in_doubt_and_never_paid_again_under_hold(
    program: Program, tmp_path: Path
) -> None:
    prompts = [*(f"broken by {fault.name}" for fault in BREAKS), "good", "good too"]
    source = sheet(tmp_path / "lines.csv", prompts)
    with provider(QUICK, tmp_path) as shop, TcpProxy(shop.port, BREAKS) as proxy:
        through(program, proxy, "--concurrency", "1", "--timeout", "2", *HOLD)
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL)
        done = program.run("--json", *run)
        assert done.code == 3, done.err
        assert program.run("--json", *run).json["attempts"] == len(prompts)
        told = shop.ledger()
    states = {row["prompt"]: row["state"] for row in rows_of(program)}
    assert states["good"] == states["good too"] == "success"
    assert {states[p] for p in prompts[:-3]} == {"uncertain"}
    # A line that is gone before the first byte may be noticed in time: then nothing was sent.
    noticed = states[prompts[-3]] == "success"
    assert states[prompts[-3]] in ("success", "uncertain")
    # What the provider was paid for: all that reached it, once.
    assert told["billed"] == len(prompts) - 2 + noticed
    assert told["billed_twice"] == 0
    assert whole_pictures(tmp_path / "out") == 2 + noticed


def test_a_line_that_breaks_is_sent_again_where_calls_are_free(
    program: Program, tmp_path: Path
) -> None:
    prompts = [f"broken by {fault.name}" for fault in BREAKS]
    source = sheet(tmp_path / "lines.csv", prompts)
    with provider(QUICK, tmp_path) as shop, TcpProxy(shop.port, BREAKS) as proxy:
        through(program, proxy, "--concurrency", "3", "--headroom", "1", "--timeout", "2")
        done = program.run(
            "--json", "run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL
        )
    assert (done.code, done.json["success"]) == (0, len(BREAKS)), done.err
    assert done.json["attempts"] in (2 * len(BREAKS), 2 * len(BREAKS) - 1)
    assert whole_pictures(tmp_path / "out") == len(BREAKS)


def test_a_host_that_refuses_costs_no_row_a_try(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "rows.csv", [f"cup {n}" for n in range(12)])
    with provider(QUICK, tmp_path) as shop, TcpProxy(shop.port, listen=False) as proxy:
        through(program, proxy, "--concurrency", "4", *HOLD)
        run = ("run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL)
        offline = program.run("--json", *run, "--wait", "1")
        assert (offline.code, offline.json["exit_reason"]) == (4, "offline")
        assert offline.json["pending"] == 12
        with program.running("--json", *run) as process:
            proxy.open()
            _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        told = shop.ledger()
    assert (told["billed"], told["billed_twice"]) == (12, 0)
    assert {row["retries"] for row in rows_of(program)} == {0}


def test_idle_lines_closed_by_the_other_side_look_like_no_lost_answer(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "rows.csv", [f"cup {n}" for n in range(8)])
    with provider(QUICK, tmp_path) as shop, TcpProxy(shop.port, idle_s=0.1) as proxy:
        # One call each 0.4 s: every line has been closed by the time it could be used again.
        through(program, proxy, "--concurrency", "1", "--qps", "2.5", "--burst", "1", *HOLD)
        done = program.run(
            "--json", "run", source, "--connection", "shop", "--out", tmp_path / "out", *SMALL
        )
        told = shop.ledger()
    assert (done.code, done.json["success"], done.json["attempts"]) == (0, 8, 8), done.err
    assert told["billed"] == 8
    assert proxy.accepted >= 8


def test_answers_that_came_while_the_program_stood_still_are_kept(
    program: Program, tmp_path: Path
) -> None:
    source = sheet(tmp_path / "rows.csv", [f"cup {n}" for n in range(3)])
    slow = {**QUICK, "mean_s": 40.0}
    with provider(slow, tmp_path) as shop:
        program.connect(shop, "--concurrency", "3", "--timeout", "3", *HOLD)
        args = ("--json", "run", source, "--connection", "shop", "--out", tmp_path / "out")
        with program.running(*args, *SMALL) as process:
            wait_for("three calls", lambda: shop.ledger()["in_flight"] == 3)
            os.killpg(process.pid, signal.SIGSTOP)
            wait_for("three answers", lambda: shop.ledger()["billed"] == 3)
            # Past the deadline, and then past what the loop takes for its own slowness.
            time.sleep(4)
            os.killpg(process.pid, signal.SIGCONT)
            _, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert shop.ledger()["attempts"] == 3
    assert whole_pictures(tmp_path / "out") == 3


# --- the output folder -----------------------------------------------------------------------

# Long enough to be seen under way, and to be disturbed, also by a machine that is busy.
SLOW = {"concurrency": 0, "qps": 0, "mean_s": 50.0, "sigma": 0.0, "time_scale": 0.05}


@dataclass(frozen=True, slots=True)
class Held:
    """A run that has three of its six calls on the wire."""

    process: subprocess.Popen[str]
    shop: Provider


@contextlib.contextmanager
def three_on_the_wire(program: Program, out: Path, tmp_path: Path) -> Iterator[Held]:
    source = sheet(tmp_path / "six.csv", [f"lamp {n}" for n in range(6)])
    with provider(SLOW, tmp_path) as shop:
        program.connect(shop, "--concurrency", "3", *HOLD)
        args = ("--json", "run", source, "--connection", "shop", "--out", out, *SMALL)
        with program.running(*args) as process:
            wait_for("three calls", lambda: shop.ledger()["in_flight"] == 3)
            yield Held(process, shop)


def answered(held: Held) -> None:
    wait_for("three paid answers", lambda: held.shop.ledger()["billed"] == 3)


def ends_well(held: Held, program: Program, out: Path) -> None:
    """All six done, and no call was made again for the three that had to wait for the disk."""
    said, err = held.process.communicate(timeout=60)
    assert held.process.returncode == 0, (said, err)
    assert (held.shop.ledger()["billed"], held.shop.ledger()["attempts"]) == (6, 6)
    assert whole_pictures(out) == 6
    assert {row["state"] for row in rows_of(program)} == {"success"}
    assert not list(out.glob(".bw-*"))


def remove(out: Path) -> None:
    shutil.rmtree(out)


def make_again(out: Path) -> None:
    out.mkdir()


def replace_by_a_file(out: Path) -> None:
    out.rename(out.with_name("moved"))
    out.write_text("no folder", encoding="utf-8")


def put_back(out: Path) -> None:
    out.unlink()
    out.with_name("moved").rename(out)


@pytest.mark.parametrize(("spoil", "mend"), [(remove, make_again), (replace_by_a_file, put_back)])
def test_a_folder_lost_in_the_middle_loses_no_paid_answer(
    program: Program, tmp_path: Path, spoil: Any, mend: Any
) -> None:
    out = tmp_path / "out"
    with three_on_the_wire(program, out, tmp_path) as held:
        spoil(out)
        answered(held)
        # Long enough for three more calls, had it gone on.
        with pytest.raises(subprocess.TimeoutExpired):
            held.process.wait(2)
        assert held.shop.ledger()["attempts"] == 3
        mend(out)
        ends_well(held, program, out)


@contextlib.contextmanager
def small_disk(place: Path, megabytes: int) -> Iterator[Path]:
    """A tmpfs of its own."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if mounted.returncode != 0:
        pytest.skip(f"a tmpfs can't be mounted here: {mounted.stderr.strip()}")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(disk: Path) -> Path:
    """To the last byte."""
    ballast = disk / "ballast"
    stat = os.statvfs(disk)
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, stat.f_bavail * stat.f_frsize)
    return ballast


def test_a_full_disk_holds_the_paid_answers_and_writes_them_when_there_is_room(
    program: Program, tmp_path: Path
) -> None:
    # More than the 200 MB that have to be free before a call is paid for.
    with small_disk(tmp_path / "disk", 260) as disk:
        out = disk / "out"
        with three_on_the_wire(program, out, tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            with pytest.raises(subprocess.TimeoutExpired):
                held.process.wait(2)
            assert held.shop.ledger()["attempts"] == 3
            ballast.unlink()
            ends_well(held, program, out)


def test_no_call_is_paid_for_while_the_disk_is_full(program: Program, tmp_path: Path) -> None:
    source = sheet(tmp_path / "six.csv", [f"lamp {n}" for n in range(6)])
    with small_disk(tmp_path / "disk", 260) as disk, provider(QUICK, tmp_path) as shop:
        ballast = fill(disk)
        program.connect(shop, "--concurrency", "3", *HOLD)
        run = ("run", source, "--connection", "shop", "--out", disk / "out", *SMALL)
        done = program.run("--json", *run)
        assert (done.code, done.json["exit_reason"]) == (4, "disk"), done.err
        assert "free some space" in " ".join(done.json["said"])
        assert shop.ledger()["attempts"] == 0
        ballast.unlink()
        assert program.run("--json", *run).json["success"] == 6


def test_a_full_disk_under_the_store_sends_nothing_twice(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        program = Program(disk / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
        with three_on_the_wire(program, tmp_path / "out", tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            with contextlib.suppress(subprocess.TimeoutExpired):
                held.process.wait(2)
            ballast.unlink()
            if held.process.poll() is None:
                ends_well(held, program, tmp_path / "out")
                return
            assert held.process.returncode == 4
            done = program.run("--json", "resume")
            told = held.shop.ledger()
        assert (done.code, done.json["success"]) == (0, 6), done.err
        assert (told["billed"], told["attempts"]) == (6, 6)


HELD = "Paused: Another program holds the list of tasks. It is tried again."


def test_a_store_that_another_program_holds_is_one_sentence_and_goes_on_by_itself(
    program: Program, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with three_on_the_wire(program, out, tmp_path) as held:
        file = program.data / "batchwright.db"
        with contextlib.closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answered(held)
            # Longer than the store waits for its turn: the answers can't be committed.
            assert held.process.stderr is not None
            said = []
            for line in map(str.strip, held.process.stderr):
                if line == HELD:
                    break
                said.append(line)
            else:
                pytest.fail(f"it never said that it is held: {said}")
            other.execute("ROLLBACK")
        said += map(str.strip, held.process.stderr)
        assert [line for line in said if not re.match(r"\d/6 ", line)] == []
        ends_well(held, program, out)


def told(held: Held, word: str) -> None:
    """Read what the run says until it says this."""
    assert held.process.stderr is not None
    assert any(word in line for line in held.process.stderr), f"it never said {word!r}"


def test_commits_that_always_fail_are_told_at_once_and_a_signal_ends_the_wait(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 24) as disk:
        program = Program(disk / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
        out = tmp_path / "out"
        with three_on_the_wire(program, out, tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            told(held, "list of tasks is full")
            assert held.process.poll() is None
            held.process.send_signal(signal.SIGTERM)
            said, err = held.process.communicate(timeout=60)
            assert held.process.returncode == 143, (said, err)
            assert "list of tasks is full" in err
            assert "could not be committed" not in err
            assert "3 rows were still under way" in err
            ballast.unlink()
            # Their files were named before the commit: nothing is in doubt.
            done = program.run("--json", "resume")
            ledger = held.shop.ledger()
        assert (done.code, done.json["success"]) == (0, 6), done.err
        assert (ledger["billed"], ledger["attempts"]) == (6, 6)
        assert whole_pictures(out) == 6


def test_answers_that_a_full_folder_cannot_take_outlive_the_quitting_program(
    program: Program, tmp_path: Path
) -> None:
    with small_disk(tmp_path / "disk", 260) as disk:
        out = disk / "out"
        with three_on_the_wire(program, out, tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            told(held, "free some space")
            held.process.send_signal(signal.SIGTERM)
            said, err = held.process.communicate(timeout=60)
            assert held.process.returncode == 143, (said, err)
            assert "free some space" in err
            assert "3 rows were still under way" in err
            ballast.unlink()
            done = program.run("--json", "resume")
            ledger = held.shop.ledger()
        assert (done.code, done.json["success"]) == (0, 6), done.err
        assert (ledger["billed"], ledger["attempts"]) == (6, 6)
        assert whole_pictures(out) == 6


def test_what_one_full_disk_can_take_nowhere_is_in_doubt_and_never_sent_again(
    tmp_path: Path,
) -> None:
    with small_disk(tmp_path / "disk", 260) as disk:
        program = Program(disk / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
        with three_on_the_wire(program, disk / "out", tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            told(held, "space")
            held.process.send_signal(signal.SIGTERM)
            said, err = held.process.communicate(timeout=60)
            assert held.process.returncode == 143, (said, err)
            assert "3 rows were still under way" in err
            ballast.unlink()
            done = program.run("--json", "resume")
            ledger = held.shop.ledger()
        status = done.json
        assert done.code == (3 if status["uncertain"] else 0), done.err
        assert status["uncertain"] <= 3
        assert status["success"] + status["uncertain"] == 6
        assert (ledger["attempts"], ledger["billed_twice"]) == (6, 0)
        assert whole_pictures(disk / "out") == status["success"]


def test_a_quitting_program_waits_for_room_a_little(program: Program, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 260) as disk:
        out = disk / "out"
        with three_on_the_wire(program, out, tmp_path) as held:
            ballast = fill(disk)
            answered(held)
            told(held, "free some space")
            held.process.send_signal(signal.SIGTERM)
            with pytest.raises(subprocess.TimeoutExpired):
                held.process.wait(4)
            ballast.unlink()
            said, err = held.process.communicate(timeout=60)
        assert held.process.returncode == 143, (said, err)
        assert json.loads(said)["success"] == 3
        assert "under way" not in err
        assert whole_pictures(out) == 3


NOBODY = 65534


def as_nobody(program: Program, home: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    """A verb without root's power over permissions; as we are where we have none."""
    command, paths = program.argv(*args), [str(ROOT)]
    if os.geteuid() == 0:
        drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--"]
        if shutil.which("setpriv") is None:
            pytest.skip("there is no setpriv here")
        usable = subprocess.run([*drop, sys.executable, "-c", ""], capture_output=True).returncode
        if usable != 0:
            # This interpreter lies in root's own home: the system's, with our packages.
            command[0] = f"/usr/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
            paths += [p for p in sys.path if p.endswith("site-packages")]
            if not Path(command[0]).exists():
                pytest.skip("no Python here can be run by an unprivileged user")
        command = [*drop, *command]
    return subprocess.run(
        command,
        cwd="/",
        env={**os.environ, **program.env, "HOME": str(home), "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_read_only_folder_is_noticed_before_the_first_paid_call() -> None:
    # pytest's own folders are closed to other users.
    import tempfile

    with tempfile.TemporaryDirectory(prefix="batchwright-nobody-") as name:
        tmp_path = Path(name)
        out = tmp_path / "out"
        out.mkdir()
        program = Program(tmp_path / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
        source = sheet(tmp_path / "six.csv", [f"lamp {n}" for n in range(6)])
        with provider(QUICK, tmp_path) as shop:
            program.connect(shop, "--concurrency", "3", *HOLD)
            if os.geteuid() == 0:
                tmp_path.chmod(0o755)
                subprocess.run(["chown", "-R", str(NOBODY), str(tmp_path / "data")], check=True)
            out.chmod(0o555)
            run = ("run", source, "--connection", "shop", "--out", out, *SMALL)
            done = as_nobody(program, tmp_path, "--json", *run)
            assert done.returncode == 4, done.stderr
            assert "allow writing there" in done.stdout
            assert shop.ledger()["attempts"] == 0
            out.chmod(0o777)
            done = as_nobody(program, tmp_path, "--json", *run)
            assert done.returncode == 0, done.stderr
            assert shop.ledger()["billed"] == 6


# --- the password store ----------------------------------------------------------------------

STOPPED = """
printf pw | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
printf 'sk-abcdefgh12345678\\n' | {verb} connection set-key shop
# By its name on this very bus: other daemons are nobody's business here.
pid=$(dbus-send --session --print-reply=literal --dest=org.freedesktop.DBus / \\
    org.freedesktop.DBus.GetConnectionUnixProcessID string:org.freedesktop.secrets \\
    | awk '{{print $2}}')
kill -STOP "$pid"
trap 'kill -CONT "$pid"; kill "$pid"' EXIT
(set +e; printf 'sk-another-12345678\\n' | {verb} connection set-key shop >set.out 2>&1
    echo $? >set.code) &
setting=$!
(set +e; {other} run six.csv --connection shop >run.out 2>&1; echo $? >run.code)
wait "$setting"
"""


@pytest.mark.long
@pytest.mark.bus
def test_s15_a_password_store_that_hangs_is_answered_in_time_with_a_sentence(
    tmp_path: Path,
) -> None:
    """Over two minutes: as long as an operator has for the store's own dialog."""
    program = Program(tmp_path / "data", {})
    home, runtime = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    runtime.mkdir(mode=0o700)
    sheet(tmp_path / "six.csv", [f"lamp {n}" for n in range(6)])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, *HOLD)
        shutil.copytree(tmp_path / "data", tmp_path / "other")
        verb = " ".join(program.argv())
        other = " ".join(Program(tmp_path / "other", {}).argv())
        environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
        environ |= {"XDG_RUNTIME_DIR": str(runtime), "PYTHONPATH": str(ROOT)}
        script = STOPPED.format(verb=verb, other=other)
        subprocess.run(
            ["dbus-run-session", "--", "bash", "-euc", script],
            cwd=tmp_path,
            env=environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            # Once the 125 s of the dialog, not twice; the rest is for a loaded machine.
            timeout=220,
            check=True,
        )
        assert shop.ledger()["attempts"] == 0
    said = {name: (tmp_path / name).read_text("utf-8") for name in ("set.out", "run.out")}
    assert (tmp_path / "set.code").read_text().strip() != "0"
    assert (tmp_path / "run.code").read_text().strip() == "4"
    assert "Traceback" not in "".join(said.values())
    for text in said.values():
        assert "The password store is waiting for you" in text
