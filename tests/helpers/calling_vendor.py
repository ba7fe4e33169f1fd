"""A vendor that calls when a job has ended, signing as its documentation says: computed here, apart
from the program that is to believe it."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import time
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

from tests.contract.server import Reply, Seen, json_reply
from tests.helpers.vendor_bodies import Vendor
from tests.helpers.vendor_jobs import VendorServer

KEY = b"sixteen bytes.. and some more"
SECRET = "whsec_" + base64.b64encode(KEY).decode()


class CallingVendor(VendorServer):
    """Calls ``times`` about each job, which has ended by then. ``forged``: with what it signs is
    not what it said. ``statuses`` are the answers."""

    def __init__(self, vendor: Vendor, times: int = 3, *, forged: bool = False) -> None:
        super().__init__(vendor)
        self.times = times
        self.forged = forged
        self.statuses: list[int] = []
        self.addresses: list[str] = []
        self.asked_for_secret = 0
        self._begun = asyncio.Semaphore(0)
        self._calls: set[asyncio.Task[None]] = set()

    def _next(self, path: str) -> Reply:
        if path == "/v1/webhooks/default/secret":
            self.asked_for_secret += 1
            return json_reply({"key": SECRET})
        return super()._next(path)

    def _submit(self, seen: Seen) -> Reply:
        before = set(self.made)
        reply = super()._submit(seen)
        for job_id in set(self.made) - before:
            self.made[job_id].polls = 10
            wish = self._wish(seen)
            if wish is not None:
                self.addresses.append(wish[0])
                task = asyncio.ensure_future(self._call(job_id, *wish))
                self._calls.add(task)
                self._begun.release()
        return reply

    def _wish(self, seen: Seen) -> tuple[str, str] | None:
        match self.vendor.preset:
            case "replicate":
                assert seen.json["webhook_events_filter"] == ["completed"]
                return seen.json["webhook"], SECRET
            case "fal":
                return parse_qs(urlsplit(seen.target).query)["fal_webhook"][0], ""
            case "bfl":
                return seen.json["webhook_url"], seen.json["webhook_secret"]
        return None

    async def _call(self, job_id: str, url: str, secret: str) -> None:
        told = self.vendor.done(job_id, f"{self.url}/files/{job_id}/x.png")
        body = json.dumps({**told, "request_id": job_id, "id": job_id}).encode()
        headers = self._signature(f"msg_{job_id}", body, secret)
        async with httpx.AsyncClient(trust_env=False) as client:
            for _ in range(self.times):
                answer = await client.post(url, content=body, headers=headers)
                self.statuses.append(answer.status_code)

    def _signature(self, call_id: str, body: bytes, secret: str) -> dict[str, str]:
        if self.vendor.preset == "replicate":
            key = KEY[::-1] if self.forged else KEY
            stamp = str(int(time.time()))
            text = f"{call_id}.{stamp}.".encode() + body
            digest = base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
            return {
                "webhook-id": call_id,
                "webhook-timestamp": stamp,
                "webhook-signature": f"v1,AAAA v1,{digest}",
            }
        if self.vendor.preset == "bfl":
            signs = secret[::-1] if self.forged else secret
            digest = hmac.new(signs.encode(), body, hashlib.sha256).hexdigest()
            return {"x-bfl-signature": f"sha256={digest}"}
        return {}

    async def all_made(self, jobs: int) -> None:
        """It has taken so many jobs."""
        for _ in range(jobs):
            await self._begun.acquire()

    async def called(self) -> None:
        """All its calls are made."""
        await asyncio.gather(*self._calls)

    def told(self) -> dict[str, Any]:
        """How often each of its jobs was asked for since."""
        return {job_id: made.polls - 10 for job_id, made in self.made.items()}
