"""How far a server is with a job, told over its socket: a comfort while somebody looks, on which
nothing rests."""

from __future__ import annotations

import asyncio
import json
import logging
import struct
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Preview, UnfinishedPicture
from desktop_app.providers.http.transport import tls_context
from desktop_app.providers.vendor_line import VendorLine

UNSEEN_S = 30.0
"""So long after the last look the socket is closed."""

_AGAIN_S = 5.0
_FRAME_BYTES = 32 * 1024 * 1024
_PICTURE, _PICTURE_WITH_WORDS = 1, 4
_OVER = frozenset({"execution_success", "execution_error", "execution_interrupted"})


@dataclass(slots=True)
class _Job:
    titles: Mapping[str, str]
    node: str = ""
    done: float = 0.0
    of: float = 0.0
    picture: bytes = b""
    pictures: int = 0


class Progress:
    """Listens under ``client_id``, under which the jobs were submitted, from the first look on."""

    def __init__(self, line: VendorLine, client_id: str) -> None:
        self._line = line
        self._client_id = client_id
        self._jobs: dict[str, _Job] = {}
        self._current = ""
        self._looked = 0.0
        self._task: asyncio.Task[None] | None = None

    def watch(self, prompt_id: str, titles: Mapping[str, str]) -> Callable[[], Preview]:
        """What to ask for a job's progress. ``titles`` are those of its nodes."""
        job = self._jobs[prompt_id] = _Job(titles)
        return lambda: self._peek(prompt_id, job)

    def drop(self, prompt_id: str) -> None:
        """The job has ended."""
        self._jobs.pop(prompt_id, None)

    async def close(self) -> None:
        """Listen no more."""
        self._jobs.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _peek(self, prompt_id: str, job: _Job) -> Preview:
        if prompt_id in self._jobs:
            self._look()
        title = job.titles.get(job.node, job.node)
        text = f"{title}: {job.done:g}/{job.of:g}" if job.of else title
        if not job.picture:
            return Preview(progress=text)
        picture = job.picture
        return Preview(progress=text, picture=UnfinishedPicture(job.pictures, lambda: picture))

    def _look(self) -> None:
        loop = asyncio.get_running_loop()
        self._looked = loop.time()
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._listen())

    async def _listen(self) -> None:
        with suppress(ProviderFailure):
            while self._is_wanted():
                with suppress(OSError, WebSocketException, TimeoutError):
                    await self._hear()
                if self._is_wanted():
                    await asyncio.sleep(_AGAIN_S)

    def _is_wanted(self) -> bool:
        now = asyncio.get_running_loop().time()
        return bool(self._jobs) and now - self._looked < UNSEEN_S

    async def _hear(self) -> None:
        http = self._line.http
        await http.ready()
        if http.proxy is not None:
            raise TimeoutError  # its password is not known here
        url = self._line.url("/ws").replace("http", "ws", 1)
        tls = await asyncio.to_thread(tls_context) if url.startswith("wss:") else None
        async with _Socket(
            f"{url}?{urlencode({'clientId': self._client_id})}",
            additional_headers=self._line.headers(),
            ssl=tls,
            proxy=None,
            open_timeout=http.limits.connect_s,
            close_timeout=1.0,
            max_size=_FRAME_BYTES,
            # The library writes headers, and the key among them, into its log.
            logger=logging.Logger("comfyui", logging.CRITICAL + 1),
        ) as socket:
            while self._is_wanted():
                with suppress(TimeoutError):
                    self._take(await asyncio.wait_for(socket.recv(), UNSEEN_S))

    def _take(self, frame: str | bytes) -> None:
        """Anything that is not understood is left alone."""
        if isinstance(frame, bytes):
            self._take_picture(frame)
            return
        try:
            told = json.loads(frame)
            kind, data = told["type"], told["data"]
        except (ValueError, TypeError, KeyError):
            return
        if isinstance(kind, str) and isinstance(data, Mapping):
            self._take_words(kind, data)

    def _take_words(self, kind: str, data: Mapping[str, Any]) -> None:
        prompt_id = data.get("prompt_id")
        job = self._jobs.get(prompt_id) if isinstance(prompt_id, str) else None
        if not isinstance(prompt_id, str) or job is None:
            return
        self._current = prompt_id
        if kind in _OVER:
            self.drop(prompt_id)
        elif kind == "executing" and isinstance(data.get("node"), str):
            job.node, job.done, job.of = data["node"], 0.0, 0.0
        elif kind == "progress":
            job.node = str(data.get("node") or job.node)
            job.done, job.of = _figure(data.get("value")), _figure(data.get("max"))
        elif kind == "progress_state":
            _take_state(job, data.get("nodes"))

    def _take_picture(self, frame: bytes) -> None:
        if len(frame) < 8:
            return
        kind, second = struct.unpack_from(">II", frame)
        job = self._jobs.get(self._current)
        content = frame[8:]
        if kind == _PICTURE_WITH_WORDS:
            job = self._jobs.get(_id_in(frame[8 : 8 + second]), job)
            content = frame[8 + second :]
        if job is not None and kind in (_PICTURE, _PICTURE_WITH_WORDS) and content:
            job.picture = content
            job.pictures += 1


def _take_state(job: _Job, nodes: object) -> None:
    """Newer servers tell of all nodes at once; one is being worked on."""
    for node, told in nodes.items() if isinstance(nodes, Mapping) else ():
        if isinstance(told, Mapping) and told.get("state") == "running":
            done, of = _figure(told.get("value")), _figure(told.get("max"))
            # A node without steps of its own counts as one of one.
            job.node, job.done, job.of = str(node), done, of if of > 1 else 0.0


class _Socket(connect):
    """Goes to no other address: the library would take along a key that has a header of its own."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc


def _id_in(words: bytes) -> str:
    try:
        found = json.loads(words)
    except ValueError:
        return ""
    return str(found.get("prompt_id") or "") if isinstance(found, Mapping) else ""


def _figure(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
