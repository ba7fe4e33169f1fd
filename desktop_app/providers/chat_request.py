"""The body of a chat: what the operator set, said in the words that this vendor and model know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.task import Request
from desktop_app.providers.json_mode import instruction, response_format
from desktop_app.providers.models import wants_completion_tokens
from desktop_app.providers.profiles.chat import ChatWays
from desktop_app.providers.request_fields import setting, with_extra
from desktop_app.providers.row_model import MODEL

JSON, STREAM, SAVE_AS = "json", "stream", "save_as"


def chat_body(
    connection: Connection, request: Request, pictures: Sequence[str], ways: ChatWays
) -> Mapping[str, Any]:
    """What is posted; ``pictures`` are their addresses. Raises ProviderFailure ``invalid`` for a
    wish for JSON that can't be understood."""
    params, extra = setting(connection, request.params, request.extra)
    for ours in (MODEL, SAVE_AS, REFERENCE):
        params.pop(ours, None)
    system = str(params.pop("system", None) or "")
    json_wish = params.pop(JSON, None)
    if json_wish is not None:
        asked = instruction(json_wish, ways, system, request.prompt)
        system = "\n\n".join(part for part in (system, asked) if part)
        params["response_format"] = response_format(json_wish, ways)
    messages: list[dict[str, Any]] = []
    if system:
        messages.append({"role": "system", "content": system})
    messages.append({"role": "user", "content": _content(request.prompt, pictures)})
    if "max_tokens" in params and wants_completion_tokens(connection.model):
        params["max_completion_tokens"] = params.pop("max_tokens")
    streamed = params.pop(STREAM, None)
    if streamed is None:
        streamed = ways.streams_by_itself(connection.model)
    if streamed:
        params["stream"] = True
        if ways.stream_usage:
            params["stream_options"] = {"include_usage": True}
    return with_extra({"model": connection.model, "messages": messages, **params}, extra)


def body_or_trouble(
    connection: Connection, request: Request, pictures: Sequence[str], ways: ChatWays
) -> Mapping[str, Any]:
    """The same to be looked at: a wish that can't be understood stands there as it is."""
    try:
        return chat_body(connection, request, pictures, ways)
    except ProviderFailure:
        wish = setting(connection, request.params, {})[0][JSON]
        plain = Request(request.prompt, {**request.params, JSON: None}, request.extra)
        return {**chat_body(connection, plain, pictures, ways), "response_format": wish}


def _content(prompt: str, pictures: Sequence[str]) -> str | list[dict[str, Any]]:
    """What the user says, and shows. A prompt alone stays a text: some servers know no parts."""
    if not pictures:
        return prompt
    images = [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
    return [{"type": "text", "text": prompt}, *images]
