"""A ComfyUI server as a real one was recorded: one job at a time, files shared between those who
asked for the same, ids that are taken twice, and records that come a moment late."""

from __future__ import annotations

import asyncio
import io
import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any, Self
from zlib import crc32

import uvicorn
from PIL import Image
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

CHECKPOINTS = ["sd15.safetensors", "sdxl.safetensors"]
NODES: dict[str, Any] = {
    "CheckpointLoaderSimple": {"input": {"required": {"ckpt_name": [CHECKPOINTS, {}]}}},
    "CLIPTextEncode": {"input": {"required": {"text": ["STRING", {"multiline": True}]}}},
    "EmptyLatentImage": {"input": {"required": {"width": ["INT", {}], "height": ["INT", {}]}}},
    "LoadImage": {"input": {"required": {"image": [["example.png"], {"image_upload": True}]}}},
    "KSampler": {
        "input": {
            "required": {
                "seed": ["INT", {"max": 0xFFFFFFFFFFFFFFFF}],
                "steps": ["INT", {"min": 1, "max": 10000}],
                "sampler_name": ["COMBO", {"options": ["euler", "dpmpp_2m"]}],
            }
        }
    },
    "VAEDecode": {"input": {"required": {}}},
    "SaveImage": {"input": {"required": {"filename_prefix": ["STRING", {}]}}, "output_node": True},
    "PreviewImage": {"input": {"required": {}}, "output_node": True},
}


def picture(color: int = 0, width: int = 16) -> bytes:
    """A PNG that differs by ``color``."""
    stream = io.BytesIO()
    tint = (color & 255, (color >> 8) & 255, (color >> 16) & 255)
    Image.new("RGB", (width, 16), tint).save(stream, "PNG")
    return stream.getvalue()


@dataclass(slots=True)
class Item:
    """A job in the queue."""

    number: int
    id: str
    graph: Mapping[str, Any]
    extra: Mapping[str, Any]

    @property
    def told(self) -> list[Any]:
        outputs = [n for n, node in self.graph.items() if _is_output(node)]
        return [self.number, self.id, self.graph, self.extra, outputs]


@dataclass
class Trouble:
    """What goes wrong. ``lose_answers``: so many submits are taken and their answers lost;
    ``lag``: for so many looks at the history a finished job is in neither place; ``fails``: what a
    job with this prompt ends in; ``empty``: outputs hold nothing; ``views``: what the next looks
    at a file of this name are answered with; ``away``: so many looks at the history of a job are
    answered by the proxy before the server, which can't find that just now."""

    lose_answers: int = 0
    lag: int = 0
    fails: dict[str, Mapping[str, str]] = field(default_factory=dict)
    empty: bool = False
    views: dict[str, list[int]] = field(default_factory=dict)
    away: int = 0


class ComfyServer:
    """``async with``: listens on ``url``. A job is worked on while ``go`` is set."""

    def __init__(self) -> None:
        self.trouble = Trouble()
        self.viewed: list[str] = []
        self.go = asyncio.Event()
        self.go.set()
        self.speak = asyncio.Event()  # until it is set, what is submitted is taken in silence
        self.speak.set()
        self.submitted: list[str] = []
        self.executed: list[str] = []
        self.interrupts: list[str | None] = []
        self.running: Item | None = None
        self.waiting: list[Item] = []
        self.history: dict[str, dict[str, Any]] = {}
        self.files: dict[str, bytes] = {}
        self.inputs: dict[str, bytes] = {}
        self.stats: dict[str, Any] = {"system": {"comfyui_version": "0.3.64"}, "devices": []}
        self._late: dict[str, tuple[int, dict[str, Any]]] = {}
        self._cache: dict[str, str] = {}
        self._sockets: dict[str, WebSocket] = {}
        self.connected = asyncio.Event()
        self.refuse_sockets = False
        self.begun = asyncio.Event()
        self.idle = asyncio.Event()
        self._more = asyncio.Event()
        self._came = asyncio.Event()
        self._stop = asyncio.Event()
        self._number = 0
        self._forgotten: Item | None = None
        self._tasks: list[asyncio.Task[Any]] = []
        app = Starlette(
            routes=[
                Route("/prompt", self._prompt, methods=["POST"]),
                Route("/history", self._records),
                Route("/history/{id}", self._record),
                Route("/queue", self._queue, methods=["GET", "POST"]),
                Route("/interrupt", self._interrupt, methods=["POST"]),
                Route("/view", self._view),
                Route("/upload/image", self._upload, methods=["POST"]),
                Route("/system_stats", self._system_stats),
                Route("/object_info", self._object_info),
                WebSocketRoute("/ws", self._ws),
            ]
        )
        config = uvicorn.Config(
            app, "127.0.0.1", 0, log_level="critical", lifespan="off", ws="websockets-sansio"
        )
        self._server = uvicorn.Server(config)

    @property
    def url(self) -> str:
        port = self._server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    async def __aenter__(self) -> Self:
        self._server.config.load()
        self._server.lifespan = self._server.config.lifespan_class(self._server.config)
        await self._server.startup()
        self._tasks = [
            asyncio.create_task(self._server.main_loop()),
            asyncio.create_task(self._work()),
        ]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._tasks[1].cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.shutdown()

    async def taken(self, count: int) -> None:
        """Wait until so many jobs have come."""
        while len(self.submitted) < count:
            self._came.clear()
            await self._came.wait()

    def restart(self) -> None:
        """Everything but the files is forgotten, and so is what is worked on."""
        self._forgotten = self.running
        self.waiting.clear()
        self.history.clear()
        self._late.clear()
        self._cache.clear()
        self._stop.set()

    # --- calls ------------------------------------------------------------------------------

    async def _prompt(self, request: Request) -> Response:
        body = json.loads(await request.body())  # broken JSON is a 500, as at the real one
        graph = body.get("prompt")
        if not isinstance(graph, dict):
            return _bad("no_prompt", "No prompt provided", {})
        unknown = [n for n, node in graph.items() if node.get("class_type") not in NODES]
        if unknown:
            kind = graph[unknown[0]].get("class_type")
            said = f"Cannot execute because node {kind} does not exist."
            return _bad("invalid_prompt", said, {}, f"Node ID '#{unknown[0]}'")
        outputs = [n for n, node in graph.items() if _is_output(node)]
        if not outputs:
            return _bad("prompt_no_outputs", "Prompt has no outputs", {})
        errors = {n: found for n in graph if (found := _wrong(n, graph, outputs))}
        good = [o for o in outputs if not any(o in e["dependent_outputs"] for e in errors.values())]
        if not good:
            kind = "prompt_outputs_failed_validation"
            return _bad(kind, "Prompt outputs failed validation", errors)
        self._number += 1
        extra = {"client_id": body.get("client_id")}
        item = Item(self._number, body["prompt_id"], graph, extra)
        self.submitted.append(item.id)
        self._came.set()
        self.waiting.append(item)
        self.idle.clear()
        self._more.set()
        if self.trouble.lose_answers > 0:
            self.trouble.lose_answers -= 1
            return _Lost()
        await self.speak.wait()
        told = {"prompt_id": item.id, "number": self._number, "node_errors": errors}
        return JSONResponse(told)

    async def _records(self, request: Request) -> Response:
        most = int(request.query_params["max_items"])  # the real one may well send gigabytes
        return JSONResponse(dict(list(self.history.items())[-most:]))

    async def _record(self, request: Request) -> Response:
        wanted = request.path_params["id"]
        if self.trouble.away:
            self.trouble.away -= 1
            return Response("<html><title>404 Not Found</title></html>", 404)
        if wanted in self._late:
            looks, record = self._late.pop(wanted)
            if looks > 0:
                self._late[wanted] = (looks - 1, record)
                return JSONResponse({})
            self.history[wanted] = record
        found = self.history.get(wanted)
        return JSONResponse({} if found is None else {wanted: found})

    async def _queue(self, request: Request) -> Response:
        if request.method == "POST":
            gone = (await request.json()).get("delete", [])
            self.waiting = [item for item in self.waiting if item.id not in gone]
            return Response()
        running = [] if self.running is None else [self.running.told]
        waiting = [item.told for item in self.waiting]
        return JSONResponse({"queue_running": running, "queue_pending": waiting})

    async def _interrupt(self, request: Request) -> Response:
        raw = await request.body()
        wanted = json.loads(raw).get("prompt_id") if raw else None
        self.interrupts.append(wanted)
        if self.running is not None and wanted in (None, self.running.id):
            self._stop.set()
        return Response()

    async def _view(self, request: Request) -> Response:
        name = request.query_params.get("filename", "")
        self.viewed.append(name)
        if self.trouble.views.get(name):
            return Response(status_code=self.trouble.views[name].pop(0))
        found = self.files.get(name)
        return (
            Response(status_code=404) if found is None else Response(found, 200, None, "image/png")
        )

    async def _upload(self, request: Request) -> Response:
        head = f"Content-Type: {request.headers['content-type']}\r\n\r\n".encode()
        form = BytesParser(policy=HTTP).parsebytes(head + await request.body())
        fields: dict[str, Any] = {}
        for part in form.iter_parts():
            fields[str(part.get_param("name", header="content-disposition"))] = part
        content, name = fields["image"].get_payload(decode=True), fields["image"].get_filename()
        folder = fields["subfolder"].get_payload(decode=True).decode()
        stem, dot, ending = name.rpartition(".")
        number = 0
        while self.inputs.get(f"{folder}/{name}", content) != content:
            number += 1
            name = f"{stem} ({number}){dot}{ending}"
        self.inputs[f"{folder}/{name}"] = content
        return JSONResponse({"name": name, "subfolder": folder, "type": "input"})

    async def _system_stats(self, _: Request) -> Response:
        return JSONResponse(self.stats)

    async def _object_info(self, _: Request) -> Response:
        return JSONResponse(NODES)

    async def _ws(self, socket: WebSocket) -> None:
        if self.refuse_sockets:
            await socket.close()
            return
        await socket.accept()
        client = socket.query_params.get("clientId", "")
        self._sockets[client] = socket
        status = {"exec_info": {"queue_remaining": len(self.waiting)}}
        await socket.send_json({"type": "status", "data": {"status": status, "sid": client}})
        self.connected.set()
        try:
            while True:
                await socket.receive_text()
        except WebSocketDisconnect:
            self._sockets.pop(client, None)

    # --- work -------------------------------------------------------------------------------

    async def _work(self) -> None:
        while True:
            while not self.waiting:
                self.idle.set()
                self._more.clear()
                await self._more.wait()
            self.running = item = self.waiting.pop(0)
            self.idle.clear()
            self.begun.set()
            self._stop.clear()
            await self._tell(item, "execution_start", {})
            await self._until_go()
            record = await self._execute(item)
            self.running = None
            if item is self._forgotten:
                continue
            if self.trouble.lag:
                self._late[item.id] = (self.trouble.lag, record)
            else:
                self.history[item.id] = record

    async def _until_go(self) -> None:
        waits = [asyncio.ensure_future(self.go.wait()), asyncio.ensure_future(self._stop.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
            await asyncio.gather(*waits, return_exceptions=True)

    async def _execute(self, item: Item) -> dict[str, Any]:
        self.executed.append(item.id)
        messages: list[Any] = [["execution_start", {"prompt_id": item.id}]]
        if self._stop.is_set():
            messages.append(["execution_interrupted", {"prompt_id": item.id, "node_id": "3"}])
            return _record(item, {}, "error", messages)
        for prompt, error in self.trouble.fails.items():
            if prompt in json.dumps(item.graph, ensure_ascii=False):
                messages.append(["execution_error", {"prompt_id": item.id, **error}])
                await self._tell(item, "execution_error", error)
                return _record(item, {}, "error", messages)
        await self.sample(item)
        outputs = {} if self.trouble.empty else self._outputs(item)
        messages.append(["execution_success", {"prompt_id": item.id}])
        await self._tell(item, "execution_success", {})
        return _record(item, outputs, "success", messages)

    async def sample(self, item: Item) -> None:
        """Tell progress, and show a picture on the way."""
        await self._tell(item, "executing", {"node": "3"})
        await self._tell(item, "progress", {"node": "3", "value": 8, "max": 20})
        socket = self._sockets.get(str(item.extra.get("client_id")))
        if socket is not None:
            await socket.send_text("{")  # what nobody understands does no harm
            await socket.send_bytes(b"\0\0")
            await socket.send_bytes(struct.pack(">II", 1, 2) + picture(7))
            words = json.dumps({"prompt_id": item.id, "node_id": "3"}).encode()
            await socket.send_bytes(struct.pack(">II", 4, len(words)) + words + picture(9))

    def _outputs(self, item: Item) -> dict[str, Any]:
        found = {}
        for node in sorted(n for n, one in item.graph.items() if _is_output(one)):
            if _wrong_before(node, item.graph):
                continue
            # The graph without its titles decides; so does the real one's cache.
            key = json.dumps([node, _plain(item.graph)], sort_keys=True)
            name = self._cache.get(key)
            if name is None:
                name = f"ComfyUI_{len(self.files) + 1:05}_.png"
                self._cache[key] = name
                self.files[name] = picture(crc32(key.encode()) & 0xFFFFFF)
            kind = "temp" if item.graph[node]["class_type"] == "PreviewImage" else "output"
            found[node] = {"images": [{"filename": name, "subfolder": "", "type": kind}]}
        return found

    async def _tell(self, item: Item, kind: str, data: Mapping[str, Any]) -> None:
        socket = self._sockets.get(str(item.extra.get("client_id")))
        if socket is not None:
            await socket.send_json({"type": kind, "data": {"prompt_id": item.id, **data}})


class _Lost(Response):
    """A head is sent, and then nothing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"100")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})


def _bad(kind: str, said: str, errors: Mapping[str, Any], details: str = "") -> Response:
    error = {"type": kind, "message": said, "details": details, "extra_info": {}}
    return JSONResponse({"error": error, "node_errors": errors}, 400)


def _record(item: Item, outputs: Any, status: str, messages: list[Any]) -> dict[str, Any]:
    told = {"status_str": status, "completed": status == "success", "messages": messages}
    return {"prompt": item.told, "outputs": outputs, "status": told, "meta": {}}


def _is_output(node: Mapping[str, Any]) -> bool:
    return bool(NODES.get(str(node.get("class_type")), {}).get("output_node"))


def _plain(graph: Mapping[str, Any]) -> dict[str, Any]:
    return {n: [node["class_type"], node["inputs"]] for n, node in graph.items()}


def _before(node: str, graph: Mapping[str, Any]) -> set[str]:
    found = {node}
    for value in graph[node]["inputs"].values():
        if isinstance(value, list) and value[0] in graph:
            found |= _before(value[0], graph)
    return found


def _wrong_before(node: str, graph: Mapping[str, Any]) -> bool:
    return any(_wrong(one, graph, []) for one in _before(node, graph))


def _wrong(node: str, graph: Mapping[str, Any], outputs: list[str]) -> dict[str, Any] | None:
    kind = graph[node]["class_type"]
    required = NODES[kind]["input"]["required"]
    errors = []
    for name, value in graph[node]["inputs"].items():
        spec = required.get(name)
        choices = spec[0] if spec and isinstance(spec[0], list) else None
        if choices is None and spec and spec[0] == "COMBO":
            choices = spec[1]["options"]
        if choices is not None and value not in choices and kind != "LoadImage":
            errors.append(
                {
                    "type": "value_not_in_list",
                    "message": "Value not in list",
                    "details": f"{name}: '{value}' not in {choices}",
                    "extra_info": {"input_name": name, "received_value": value},
                }
            )
        if name == "steps" and value > 10000:
            details = f"{name}: {value} bigger than max 10000"
            errors.append(
                {
                    "type": "value_bigger_than_max",
                    "message": "Value bigger than max",
                    "details": details,
                    "extra_info": {},
                }
            )
    if not errors:
        return None
    dependent = [o for o in outputs if node in _before(o, graph)]
    return {"errors": errors, "dependent_outputs": dependent, "class_type": kind}
