"""The calls of a ComfyUI server. Nothing is ever deleted or moved there but a waiting job of ours:
its files are shared between all who ever asked for the same."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.jobs import RESULT_EXPIRED
from desktop_app.domain.ports import Call
from desktop_app.domain.references import Reference
from desktop_app.domain.text import message
from desktop_app.providers.http.client import Wire
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.json_work import decode_json
from desktop_app.providers.openai_references import Rule, as_form
from desktop_app.providers.reference_files import too_many
from desktop_app.providers.vendor_line import VendorLine

_UPLOAD_S = 120.0
_VIEW_S = 60.0
_FOLDER = "batchwright"
_MARK_CHARS = 16


@dataclass(frozen=True, slots=True)
class Queued:
    """Whose jobs a server has not finished: ids of those it works on, and of those that wait."""

    running: frozenset[str]
    waiting: frozenset[str]

    @property
    def is_busy(self) -> bool:
        """Whether there is anything in it."""
        return bool(self.running or self.waiting)

    def __contains__(self, prompt_id: str) -> bool:
        return prompt_id in self.running or prompt_id in self.waiting


class ComfyServer:
    """One server. Everything raises ProviderFailure; but for ``submit`` nothing starts work."""

    def __init__(self, line: VendorLine) -> None:
        self._line = line

    async def submit(
        self, call: Call, graph: Mapping[str, Any], prompt_id: str, client_id: str
    ) -> tuple[Any, Wire]:
        """Queue a graph under our own id."""
        body = {"prompt": graph, "prompt_id": prompt_id, "client_id": client_id}
        return await self._line.post(call, "/prompt", body)

    async def queue(self) -> Queued:
        """What is not finished."""
        found = await self._get("/queue")
        if not isinstance(found, Mapping) or "queue_running" not in found:
            raise self._unreadable()
        return Queued(_ids(found.get("queue_running")), _ids(found.get("queue_pending")))

    async def history(self, prompt_id: str) -> Mapping[str, Any] | None:
        """The record of a finished job; None where there is none: a server has no error for that,
        and what does not find it is a gateway before it."""
        found = await self._get(f"/history/{prompt_id}")
        if not isinstance(found, Mapping):
            raise self._unreadable()
        entry = found.get(prompt_id)
        return entry if isinstance(entry, Mapping) else None

    async def has_history(self) -> bool:
        """Whether it remembers any job. Never asks for all of them: they can be half a gigabyte."""
        return bool(await self._get("/history?max_items=1"))

    async def forget_waiting(self, prompt_id: str) -> None:
        """Take a job out of the queue; nothing happens to one that has begun."""
        await self._post("/queue", {"delete": [prompt_id]})

    async def interrupt(self, prompt_id: str) -> None:
        """Stop the job the server works on. Old servers take no id: be sure that it is ours."""
        await self._post("/interrupt", {"prompt_id": prompt_id})

    async def stats(self) -> tuple[Any, Wire]:
        """Versions and devices; None where that is no JSON."""
        wire = await self._line.questions.send("GET", self._line.url("/system_stats"))
        if not 200 <= wire.status < 300:
            raise ProviderFailure(self._line.questions.failure_of(wire))
        try:
            return await decode_json(wire.body), wire
        except ValueError:
            return None, wire

    async def nodes(self) -> Mapping[str, Any]:
        """What each type of node takes."""
        found = await self._get("/object_info")
        if not isinstance(found, Mapping):
            raise self._unreadable()
        return found

    async def view(self, file: Mapping[str, Any]) -> Wire:
        """The content of a result."""
        query = urlencode({key: file.get(key, "") for key in ("filename", "subfolder", "type")})
        wire = await self._line.questions.send(
            "GET", self._line.url(f"/view?{query}"), timeout_s=_VIEW_S
        )
        if wire.status == 404:
            said = message("comfyui.file_gone", file=str(file.get("filename")))
            failure = self._line.questions.failure_of(wire)
            raise ProviderFailure(
                replace(failure, kind=FailureClass.UNKNOWN, code=RESULT_EXPIRED, said=said)
            )
        if not 200 <= wire.status < 300:
            raise ProviderFailure(self._line.questions.failure_of(wire))
        return wire

    async def take_in(self, references: Sequence[Reference], rule: Rule) -> list[str]:
        """Bring pictures into the server's input folder; what a node calls each. All are looked at
        before the first one leaves."""
        most = 0 if rule is None else rule.most
        if len(references) > most:
            raise too_many(most)
        uploads = [
            await as_form(
                {"type": "input", "subfolder": f"{_FOLDER}/{_mark(one)}"},
                [one],
                rule,
                self._line.http,
            )
            for one in references
        ]
        return [await self._upload(one) for one in uploads]

    async def _upload(self, upload: Upload) -> str:
        headers = {**self._line.headers(), "Content-Type": upload.content_type}
        try:
            wire = await self._line.http.send(
                "POST",
                self._line.url("/upload/image"),
                headers=headers,
                body=upload,
                timeout_s=_UPLOAD_S,
            )
        except ProviderFailure as trouble:
            failure = trouble.failure
            if failure.kind is FailureClass.UNKNOWN:  # nothing was asked for yet
                failure = replace(failure, kind=FailureClass.TRANSIENT, billed=False)
            raise ProviderFailure(failure) from None
        if not 200 <= wire.status < 300:
            raise ProviderFailure(self._line.questions.failure_of(wire))
        found = await self._line.questions.read(wire)
        name = found.get("name") if isinstance(found, Mapping) else None
        if not isinstance(name, str):
            raise self._unreadable()
        folder = str(found.get("subfolder") or "").replace("\\", "/")
        return f"{folder}/{name}" if folder else name

    async def _get(self, path: str) -> Any:
        found, _ = await self._line.questions.ask("GET", self._line.url(path))
        return found

    async def _post(self, path: str, body: Mapping[str, Any]) -> None:
        """A request that is answered without words."""
        wire = await self._line.questions.send("POST", self._line.url(path), body=body)
        if not 200 <= wire.status < 300:
            raise ProviderFailure(self._line.questions.failure_of(wire))

    def _unreadable(self) -> ProviderFailure:
        wire = Wire(200, {}, b"", 0.0)
        return self._line.wanting(wire, FailureClass.TRANSIENT, "asked_unreadable", billed=False)


def _ids(found: object) -> frozenset[str]:
    items = found if isinstance(found, list) else []
    return frozenset(
        item[1]
        for item in items
        if isinstance(item, list) and len(item) > 1 and isinstance(item[1], str)
    )


def _mark(reference: Reference) -> str:
    """A folder of its own for each content, so that no two files of one name meet."""
    if reference.sha256:
        return reference.sha256[:_MARK_CHARS]
    return hashlib.sha256(reference.url.encode()).hexdigest()[:_MARK_CHARS]
