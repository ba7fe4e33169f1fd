"""A practice server in the test's own loop, and the few calls every test makes."""

from __future__ import annotations

import asyncio
import base64
import io
from pathlib import Path
from typing import Any

import httpx
from PIL import Image

from desktop_app.practice.config import PracticeConfig, from_mapping
from desktop_app.practice.serve import serve

FONT = Path(__file__).parents[2] / "resources" / "fonts" / "practice-sans-sc.otf"
KEY = "test-key"
QUICK = {"mean_s": 0, "quick_s": 0, "qps": 0, "concurrency": 0, "time_scale": 0.01}


class Running:
    """A server that listens, with a client that has its key."""

    def __init__(self, port: int, client: httpx.AsyncClient, stop: asyncio.Event) -> None:
        self.port = port
        self.client = client
        self.stop = stop

    async def draw(self, prompt: str, *, key: str | None = None, **more: Any) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        body = {"model": "practice", "prompt": prompt, "size": "64x64", **more}
        return await self.client.post("/v1/images/generations", json=body, headers=headers)

    async def ask(self, prompt: str, **more: Any) -> httpx.Response:
        messages = [{"role": "user", "content": prompt}]
        body = {"model": "practice", "messages": messages, **more}
        return await self.client.post("/v1/chat/completions", json=body)

    async def ledger(self, *, calls: bool = False) -> dict[str, Any]:
        answer = await self.client.get("/_practice/ledger", params={"calls": "1"} if calls else {})
        found: dict[str, Any] = answer.json()
        return found

    async def until(self, **wanted: int) -> dict[str, Any]:
        """The ledger, once it says so."""
        while True:
            ledger = await self.ledger()
            if all(ledger[name] == value for name, value in wanted.items()):
                return ledger
            await asyncio.sleep(0.005)


class Starter:
    """Starts servers and ends them all."""

    def __init__(self) -> None:
        self._running: list[tuple[Running, asyncio.Task[dict[str, object]]]] = []

    async def __call__(self, config: PracticeConfig | None = None, **values: Any) -> Running:
        port: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        stop = asyncio.Event()
        if config is None:
            config = from_mapping({**QUICK, **values})
        task = asyncio.create_task(
            serve(config, font=FONT, key=KEY, ready=port.set_result, stop=stop)
        )
        await asyncio.wait((task, port), return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        client = httpx.AsyncClient(
            base_url=f"http://127.0.0.1:{port.result()}",
            headers={"Authorization": f"Bearer {KEY}"},
            trust_env=False,
            verify=False,  # http only; loading certificates takes longer than most tests
            timeout=20,
        )
        running = Running(port.result(), client, stop)
        self._running.append((running, task))
        return running

    async def end(self) -> None:
        for running, task in self._running:
            await running.client.aclose()
            running.stop.set()
            await task


def picture(answer: httpx.Response, index: int = 0) -> Image.Image:
    """The decoded picture of a b64 answer."""
    image = Image.open(io.BytesIO(base64.b64decode(answer.json()["data"][index]["b64_json"])))
    image.load()
    return image
