"""The output folder goes, and then the program: what was paid for is found again, not bought."""

from __future__ import annotations

import itertools
import json
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from subprocess import Popen

import pytest
from PIL import Image

from tests.e2e.program import Program, Provider, provider, sheet, wait_for
from tests.e2e.test_faults import HOLD, QUICK, SMALL, answered, three_on_the_wire, whole_pictures

ENDS = pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])


def ended_by(process: Popen[str], end: signal.Signals) -> None:
    os.killpg(process.pid, end)
    process.communicate(timeout=60)


def test_a_folder_that_held_results_is_not_made_anew_after_a_restart(
    program: Program, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    source = sheet(tmp_path / "six.csv", [f"lamp {n}" for n in range(6)])
    with provider(QUICK, tmp_path) as shop:
        program.connect(shop, "--concurrency", "1", *HOLD)
        run = ("--json", "run", source, "--connection", "shop", "--out", out, *SMALL)
        done = program.run(*run, "--max-calls", "2")
        assert done.json["success"] == 2, done.err
        out.rename(out.with_name("away"))
        resume = ("--json", "resume", "--batch", "1", "--max-calls", "9")
        refused = program.run(*resume)
        assert refused.code == 4
        assert "is gone; plug in its disk" in refused.out
        assert not out.exists()
        assert shop.ledger()["attempts"] == 2
        out.with_name("away").rename(out)
        done = program.run(*resume)
        assert (done.code, done.json["success"]) == (0, 6), done.err
        assert (shop.ledger()["attempts"], shop.ledger()["billed"]) == (6, 6)
    assert whole_pictures(out) == 6


def put_aside(program: Program) -> int:
    """How many whole answers lie in the data folder."""
    return sum(file.stat().st_size > 0 for file in program.data.glob("*.answers/*"))


@ENDS
def test_answers_that_came_while_the_folder_was_gone_outlive_the_program(
    program: Program, tmp_path: Path, end: signal.Signals
) -> None:
    out = tmp_path / "out"
    with three_on_the_wire(program, out, tmp_path) as held:
        away = out.with_name("away")
        out.rename(away)
        out.write_text("in the way", encoding="utf-8")
        answered(held)
        # Given is not yet received: a kill in between finds the answers on the wire, in true doubt.
        wait_for("the answers to be in", lambda: put_aside(program) == 3)
        ended_by(held.process, end)
        assert program.run("--json", "status").json["uncertain"] == 0
        out.unlink()
        away.rename(out)
        done = program.run("--json", "resume", "--batch", "1")
        ledger = held.shop.ledger()
    assert (done.code, done.json["success"]) == (0, 6), done.err
    assert (ledger["attempts"], ledger["billed"]) == (6, 6)
    assert whole_pictures(out) == 6


class Shop(ThreadingHTTPServer):
    """Sells pictures by address, and hands none of them out before ``open`` is set."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Desk)
        self.sold = itertools.count(1)
        self.orders = 0
        self.fetching = 0
        self.open = threading.Event()
        made = BytesIO()
        Image.new("RGB", (128, 128), "red").save(made, "PNG")
        self.picture = made.getvalue()


class _Desk(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Shop

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.orders += 1
        url = f"http://127.0.0.1:{self.server.server_port}/{next(self.server.sold)}.png"
        self._answer("application/json", json.dumps({"data": [{"url": url}]}).encode())

    def do_GET(self) -> None:
        self.server.fetching += 1
        self.server.open.wait(60)
        self._answer("image/png", self.server.picture)

    def _answer(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Say nothing."""

    def handle(self) -> None:
        try:
            super().handle()
        except ConnectionError:
            self.close_connection = True  # the program was killed


@contextmanager
def shop_by_address() -> Iterator[Shop]:
    with Shop() as shop:
        threading.Thread(target=shop.serve_forever, daemon=True).start()
        try:
            yield shop
        finally:
            shop.open.set()
            shop.shutdown()


@ENDS
def test_pictures_that_were_being_fetched_are_fetched_again_and_not_bought(
    program: Program, tmp_path: Path, end: signal.Signals
) -> None:
    source = sheet(tmp_path / "three.csv", [f"lamp {n}" for n in range(3)])
    out = tmp_path / "out"
    with shop_by_address() as shop:
        program.connect(Provider(shop.server_port), "--concurrency", "3", *HOLD)
        run = ("--json", "run", source, "--connection", "shop", "--out", out, *SMALL)
        with program.running(*run) as process:
            wait_for("three downloads", lambda: shop.fetching == 3)
            if end is signal.SIGKILL:
                ended_by(process, end)
            else:
                process.send_signal(end)
                process.send_signal(end)
                process.communicate(timeout=60)
        shop.open.set()
        done = program.run("--json", "resume", "--batch", "1")
    assert (done.code, done.json["success"], done.json["uncertain"]) == (0, 3, 0), done.err
    assert shop.orders == 3
    assert whole_pictures(out) == 3
