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
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.contract.server import Reply, Seen, json_reply
from tests.helpers.vendor_bodies import Vendor
from tests.helpers.vendor_jobs import VendorServer

KEY = b"sixteen bytes.. and some more"
SECRET = "whsec_" + base64.b64encode(KEY).decode()
KEYS_PATH = "/.well-known/jwks.json"


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
        self.key = Ed25519PrivateKey.generate()
        self.keys_asked: list[Seen] = []
        self.keys_reply: Reply | None = None
        self._begun = asyncio.Semaphore(0)
        self._calls: set[asyncio.Task[None]] = set()

    def _next(self, path: str) -> Reply:
        if path == "/v1/webhooks/default/secret":
            self.asked_for_secret += 1
            return json_reply({"key": SECRET})
        if path == KEYS_PATH:
            self.keys_asked.append(self.seen[-1])
            return self.keys_reply or json_reply({"keys": [_public(self.key)]})
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
                wish = parse_qs(urlsplit(seen.target).query).get("fal_webhook")
                return (wish[0], "") if wish is not None else None
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
        if self.vendor.preset == "fal":
            signer = Ed25519PrivateKey.generate() if self.forged else self.key
            stamp = str(int(time.time()))
            text = f"{call_id}\nuser_1\n{stamp}\n{hashlib.sha256(body).hexdigest()}".encode()
            return {
                "X-Fal-Webhook-Request-Id": call_id,
                "X-Fal-Webhook-User-Id": "user_1",
                "X-Fal-Webhook-Timestamp": stamp,
                "X-Fal-Webhook-Signature": signer.sign(text).hex(),
            }
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


def _public(key: Ed25519PrivateKey) -> dict[str, str]:
    x = base64.urlsafe_b64encode(key.public_key().public_bytes_raw()).decode().rstrip("=")
    return {"kty": "OKP", "crv": "Ed25519", "x": x}
