"""Answers that come event by event, as servers send them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tests.contract.server import Reply

TYPE = {"content-type": "text/event-stream; charset=utf-8"}


def events(*found: Any) -> bytes:
    """Each as ``data:``; a text as it is, bytes as a line of their own."""
    parts = []
    for one in found:
        if isinstance(one, bytes):
            parts.append(one)
            continue
        data = one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)
        parts.append(b"data: " + data.encode() + b"\n\n")
    return b"".join(parts)


def streamed(*found: Any, **more: Any) -> Reply:
    """A whole stream, in one chunk of HTTP."""
    return chunked([events(*found)], **more)


def chunked(parts: Sequence[bytes], *, ends: bool = True, **more: Any) -> Reply:
    """In so many chunks of HTTP; ``ends``: with the last one, which says that it is whole."""
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts if part)
    headers = {**TYPE, **more.pop("headers", {}), "transfer-encoding": "chunked"}
    return Reply(200, body + (b"0\r\n\r\n" if ends else b""), headers, **more)


def open_ended(reply: Reply) -> Reply:
    """The same, and then not another byte: the line stays open."""
    return replace(reply, body=reply.body.removesuffix(b"0\r\n\r\n"), drip=b"")


def cut(reply: Reply) -> Reply:
    """The same without its end, and then the line breaks."""
    body = reply.body.removesuffix(b"0\r\n\r\n")
    return replace(reply, body=body, cut=len(body))


def delta(content: Any = None, reason: str | None = None, index: int = 0, **more: Any) -> Any:
    """One chunk of a chat."""
    said = {name: more.pop(name) for name in ("reasoning_content", "reasoning", "refusal", "role")
            if name in more}  # fmt: skip
    if content is not None:
        said["content"] = content
    choice = {"index": index, "delta": said, "finish_reason": reason}
    return {"id": "c-1", "model": "m-1", "object": "chat.completion.chunk", "choices": [choice],
            **more}  # fmt: skip


def usage(prompt: int, completion: int) -> Any:
    """The chunk that counts."""
    return {"id": "c-1", "model": "m-1", "choices": [], "usage": {
        "prompt_tokens": prompt, "completion_tokens": completion,
        "total_tokens": prompt + completion}}  # fmt: skip
