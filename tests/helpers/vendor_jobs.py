"""A vendor of pictures on loopback, which answers as one was recorded and makes the trouble that a
prompt orders."""

from __future__ import annotations

import io
import json
import re
from dataclasses import dataclass
from typing import Any

from PIL import Image

from tests.contract.server import Reply, ScriptedServer, Seen, json_reply
from tests.helpers.vendor_bodies import Vendor

KEY = "vendor-key-0123456789abcdef"

_ORDER = re.compile(r"\[\[(\w+)\]\]")


def picture(colour: int) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), (colour % 256, 30, 30)).save(stream, "PNG")
    return stream.getvalue()


@dataclass
class Made:
    """A job as the vendor sees it. ``polls`` counts those it was asked for by."""

    id: str
    prompt: str
    order: str
    polls: int = 0
    downloads: int = 0
    cancelled: bool = False


class VendorServer(ScriptedServer):
    """One vendor. Orders: ``throttle`` (once), ``lose_answer``, ``lost``, ``fail`` (once),
    ``refuse``, ``expire`` (the first address), ``cut`` (the first download), ``slow`` (four polls)
    and ``stumble`` (the first poll)."""

    def __init__(self, vendor: Vendor) -> None:
        super().__init__()
        self.vendor = vendor
        self.made: dict[str, Made] = {}
        self.throttled: set[str] = set()
        self.failed: set[str] = set()
        self.strangers: list[Seen] = []
        self.keys_at_files: list[Seen] = []

    def jobs_for(self, prompt: str) -> list[Made]:
        """What was made, and would be paid, for a prompt."""
        return [made for made in self.made.values() if made.prompt == prompt]

    def _next(self, path: str) -> Reply:
        seen = self.seen[-1]
        if path.startswith("/files/"):
            return self._file(path, seen)
        if seen.headers.get(self.vendor.key_header) != self.vendor.key_prefix + KEY:
            self.strangers.append(seen)
            return json_reply({"detail": "Unauthenticated"}, 401)
        if seen.method == "POST" and path == self.vendor.submit:
            return self._submit(seen)
        job_id = self.vendor.job_of(seen)
        made = self.made.get(job_id or "")
        if made is None:
            return json_reply({"detail": "Not found"}, 404)
        if self.vendor.cancel(seen):
            made.cancelled = True
            return json_reply(self.vendor.cancelled[1], self.vendor.cancelled[0])
        return self._poll(made, seen)

    def _submit(self, seen: Seen) -> Reply:
        prompt = self.vendor.prompt_of(seen.json)
        found = _ORDER.search(prompt)
        order = found[1] if found else ""
        if order == "throttle" and prompt not in self.throttled:
            self.throttled.add(prompt)
            return self._said(self.vendor.throttled, {"retry-after": "0.2"})
        made = Made(f"job-{len(self.made) + 1}", prompt, order)
        self.made[made.id] = made
        if order == "lose_answer":
            return Reply(drop=True)
        if self.vendor.running is None:
            return self._at_once(made)
        return json_reply(self.vendor.taken(self.url, made.id))

    def _at_once(self, made: Made) -> Reply:
        if made.order == "refuse":
            return self._said(self.vendor.refused)
        if made.order == "fail" and made.prompt not in self.failed:
            self.failed.add(made.prompt)
            return self._said(self.vendor.failed)
        return json_reply(self.vendor.done(made.id, self._address(made)))

    def _poll(self, made: Made, seen: Seen) -> Reply:
        vendor = self.vendor
        fetch = vendor.is_fetch(seen)
        made.polls += not fetch
        if made.order == "stumble" and made.polls == 1:
            return Reply(503, b"<html><title>502 Bad Gateway</title>")
        if made.order == "lost" and vendor.lost is not None:
            return self._said(vendor.lost, made=made)
        if made.cancelled and vendor.after_cancel is not None:
            return self._said((200, vendor.after_cancel), made=made)
        if made.polls < (5 if made.order == "slow" else 2):
            return self._said((200, vendor.running), {"retry-after": "0"}, made)
        trouble = None
        if made.order == "refuse":
            trouble = vendor.refused
        elif made.order == "fail" and made.prompt not in self.failed:
            trouble = vendor.failed
        if vendor.status_done is not None and not fetch:
            failed = trouble is not None and trouble[0] >= 500
            return json_reply(vendor.status_failed if failed else vendor.status_done)
        if trouble is not None:
            self.failed.add(made.prompt)
            return self._said(trouble, made=made)
        return json_reply(vendor.done(made.id, self._address(made)))

    def _address(self, made: Made) -> str:
        return f"{self.url}/files/{made.id}/{made.polls}.png?sig=a%2Bb%3D&x=%E4%BD%A0"

    def _file(self, path: str, seen: Seen) -> Reply:
        if KEY in str(seen):
            self.keys_at_files.append(seen)
        made = self.made[path.split("/")[2]]
        made.downloads += 1
        body = picture(int(made.id.removeprefix("job-")))
        if made.order == "expire" and made.downloads == 1:
            return Reply(403, b"<Error><Code>AccessDenied</Code></Error>")
        if made.order == "cut" and made.downloads == 1:
            return Reply(200, body, {"content-type": "image/png"}, cut=20)
        return Reply(200, body, {"content-type": "image/png"})

    def _said(
        self, said: tuple[int, Any], headers: dict[str, str] | None = None, made: Made | None = None
    ) -> Reply:
        text = json.dumps(said[1])
        if made is not None:
            text = text.replace("{id}", made.id)
        return json_reply(json.loads(text), said[0], headers)
