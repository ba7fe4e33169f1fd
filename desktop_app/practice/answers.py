"""The OpenAI-compatible shapes of every answer, so that the server itself only decides."""

from __future__ import annotations

import base64
import json
import math
import secrets
import time
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from desktop_app.practice.answer_words import answer_to, error_to
from desktop_app.practice.limits import Refusal, Standing, go_duration

TRANSPORT = "practice.transport"
"""The scope's key for the connection's ``CountedTransport``, put there by ``serve``."""

_INVALID = "invalid_request_error"
_SERVER = "server_error"

_ERRORS: Mapping[str, tuple[int, str, str, str]] = {
    "400": (400, _INVALID, "invalid_value", "The request has a value that practice refuses."),
    "401": (401, _INVALID, "invalid_api_key", "Incorrect API key provided."),
    "404": (404, _INVALID, "not_found", "There is nothing at this address."),
    "job_not_found": (404, _INVALID, "job_not_found", "There is no such job."),
    "job_over": (409, _INVALID, "job_over", "This job is over."),
    "405": (405, _INVALID, "method_not_allowed", "This address does not take this method."),
    "quota": (
        429,
        "insufficient_quota",
        "insufficient_quota",
        "You exceeded your current quota, please check your plan and billing details.",
    ),
    "softquota": (
        429,
        "requests",
        "rate_limit_exceeded",
        "Request quota for this second exceeded. Please try again in 1s.",
    ),
    "500": (500, _SERVER, "server_error", "The server had an error while processing your request."),
    "503": (
        503,
        _SERVER,
        "overloaded",
        "The engine is currently overloaded, please try again later.",
    ),
    "504": (504, _SERVER, "timeout", "The upstream did not answer in time."),
    "moderate": (
        400,
        "image_generation_user_error",
        "content_policy_violation",
        "Your request was rejected as a result of our safety system.",
    ),
    "429_rate": (429, "requests", "rate_limit_exceeded", "Rate limit reached for requests."),
    "429_concurrency": (
        429,
        "requests",
        "concurrency_limit_exceeded",
        "Too many requests in flight for this account.",
    ),
}

_HTML = (
    b"<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"
    b"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n"
    b"</body>\r\n</html>\r\n"
)


def error(
    kind: str, *, text: str | None = None, param: str | None = None, code: str | None = None
) -> Response:
    """The error answer of a kind of trouble; ``text``, ``param``, ``code`` say more of a 400."""
    if kind == "html502":
        return Response(_HTML, 502, media_type="text/html")
    status, type_, own_code, message = _ERRORS[kind]
    inner = {"message": text or message, "type": type_, "param": param, "code": code or own_code}
    answer = JSONResponse({"error": inner}, status)
    if kind in ("softquota", "503"):
        answer.headers["retry-after"] = "1"
    return answer


def trouble(kind: str, prompt: str) -> Response:
    """The error answer to who asked this, in the language of the question."""
    return error(kind, text=error_to(prompt, kind))


def refusal(why: Refusal, standing: Standing | None) -> Response:
    """429; a rate refusal says when to come again, to the millisecond, a concurrency one can't."""
    answer = error(f"429_{why.kind}")
    if why.wait_s is not None:
        millis = max(1, math.ceil(why.wait_s * 1000))
        answer.headers["retry-after"] = f"{millis / 1000:g}"
        answer.headers["retry-after-ms"] = str(millis)
    if standing is not None:
        tell(answer, standing)
    return answer


def tell(answer: Response, standing: Standing) -> None:
    """Add OpenAI's rate headers."""
    answer.headers["x-ratelimit-limit-requests"] = str(standing.limit)
    answer.headers["x-ratelimit-remaining-requests"] = str(standing.remaining)
    answer.headers["x-ratelimit-reset-requests"] = go_duration(standing.reset_s)


def stamp(answer: Response, seconds: float) -> None:
    """Add the request id and the time the server took."""
    answer.headers["x-request-id"] = f"req_{secrets.token_hex(12)}"
    answer.headers["openai-processing-ms"] = str(round(seconds * 1000))


def images(items: list[dict[str, str]], size: str, fmt: str) -> bytes:
    """The body of a picture answer; ``items`` hold ``b64_json`` or ``url`` each."""
    return _dump(
        {
            "created": int(time.time()),
            "data": items,
            "size": size,
            "output_format": fmt,
            "usage": {"input_tokens": 16, "output_tokens": 1056, "total_tokens": 1072},
        }
    )


def b64(data: bytes) -> dict[str, str]:
    """One picture inside the JSON."""
    return {"b64_json": base64.b64encode(data).decode("ascii")}


def chat(
    model: str,
    prompt: str,
    max_tokens: int | None,
    *,
    count: int = 1,
    text: str | None = None,
    at_length: bool = False,
) -> bytes:
    """The body of ``count`` chat answers that repeat what was asked, ``at_length`` with more words
    to watch. A token is about four characters; an answer longer than ``max_tokens`` is cut with
    ``finish_reason`` ``length``."""
    choices, answered = [], 0
    for index in range(count):
        number = f" {index + 1}" if count > 1 else ""
        said = answer_to(prompt, number, at_length=at_length) if text is None else text
        reason = "stop"
        if max_tokens is not None and len(said) > max_tokens * 4:
            said, reason = said[: max_tokens * 4], "length"
        answered += 1 + len(said) // 4
        choices.append(
            {
                "index": index,
                "message": {"role": "assistant", "content": said, "refusal": None},
                "finish_reason": reason,
            }
        )
    return _chat(model, choices, 1 + len(prompt) // 4, answered)


def empty(wants: str, model: str) -> Response:
    """200 with nothing in it: what some providers send after moderation."""
    body = _chat(model, [], 1, 0) if wants == "chat" else images([], "", "png")
    return Response(body, media_type="application/json")


def _chat(model: str, choices: list[dict[str, Any]], asked: int, answered: int) -> bytes:
    return _dump(
        {
            "id": f"chatcmpl-{secrets.token_hex(12)}",
            "object": "chat.completion",
            "created": int(time.time()),
            "model": model,
            "choices": choices,
            "usage": {
                "prompt_tokens": asked,
                "completion_tokens": answered,
                "total_tokens": asked + answered,
            },
        }
    )


def _dump(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


class Cut(Response):
    """Ends the connection instead of answering, or halfway: ``body`` is what is still sent of
    the ``promised`` bytes."""

    def __init__(self, body: bytes = b"", promised: int = 0) -> None:
        super().__init__(body, media_type="application/json")
        self._promised = promised

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._promised:
            self.headers["content-length"] = str(self._promised)
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": self.body, "more_body": True})
        scope[TRANSPORT].close()
        await until_gone(receive)


async def client_gone(request: Request) -> None:
    """Returns when the client has closed its connection. The body must have been read."""
    await until_gone(request.receive)


async def until_gone(receive: Receive) -> None:
    """The same of what is received of a connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
