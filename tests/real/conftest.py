"""Real servers on loopback, started once for a file of tests."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Adapter
from desktop_app.providers.registry import AdapterRegistry
from tests.helpers.free_port import free_port
from tests.real.environments import INSTALL_S, NotHere, python_with

HERE = Path(__file__).parent
KEY = "sk-real-loopback-0123456789"
LLAMA = ("xllamacpp==2026.10.11549", "gguf==0.19.0", "numpy>=2")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: where it is, and the process."""

    url: str
    process: subprocess.Popen[str]


def interpreter(name: str, requirements: tuple[str, ...], install_s: float = INSTALL_S) -> Path:
    """See ``python_with``; skips where there can be none."""
    try:
        return python_with(name, requirements, install_s)
    except NotHere as why:
        pytest.skip(str(why))


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The llama.cpp server with a model that has learnt nothing."""
    python = interpreter("llama", LLAMA)
    model = tmp_path_factory.mktemp("llama") / "tiny.gguf"
    subprocess.run([str(python), str(HERE / "make_tiny_gguf.py"), str(model)], check=True)
    port = free_port()
    log = (model.parent / "server.log").open("w")
    process = subprocess.Popen(
        [str(python), str(HERE / "serve_llama.py"), str(model), str(port), KEY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if line.startswith("LISTEN"):
                break
        else:
            pytest.fail(f"the server ended: {(model.parent / 'server.log').read_text()[-2000:]}")
        yield Server(f"http://127.0.0.1:{port}/v1", process)
    finally:
        process.stdin.close()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        log.close()


Open = Callable[..., Adapter]


@pytest.fixture
async def open_llama(llama: Server) -> AsyncIterator[Open]:
    """``open_llama(key=KEY, **changes)`` of the connection; closed afterwards."""
    opened: list[Adapter] = []

    def make(key: str | None = KEY, **changes: Any) -> Adapter:
        connection = Connection("llama", "openai-chat", llama.url, "default", preset="llamacpp")
        adapter = AdapterRegistry().open(replace(connection, **changes), key)
        opened.append(adapter)
        return adapter

    yield make
    for adapter in opened:
        await adapter.close()
