"""What a message comes to: a text, cut or whole, or a refusal under a good status."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.domain.attempt import CUT_OFF, OTHER_MODEL, THINKING
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import Answer
from desktop_app.domain.task import Request
from desktop_app.providers.figures import whole
from desktop_app.providers.http.client import Wire
from desktop_app.providers.models import is_other_model
from desktop_app.providers.request_fields import setting
from desktop_app.providers.said_texts import as_content
from desktop_app.providers.thinking import kept_thinking
from desktop_app.providers.vendor_line import VendorLine

_CUT = frozenset({"max_tokens", "model_context_window_exceeded", "pause_turn"})
_COUNTED = (
    "input_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens",
)


def message_answer(
    line: VendorLine, connection: Connection, request: Request, found: Mapping[str, Any], wire: Wire
) -> Answer:
    """The text that came. Raises ProviderFailure where there is none."""
    blocks = found.get("content")
    if not isinstance(blocks, list):
        raise line.unanswered(wire, found)
    reason = str(found.get("stop_reason") or "")
    if reason == "refusal":
        why = _explanation(found.get("stop_details"))
        raise line.wanting(wire, FailureClass.REFUSED, "refused", code=reason, text=why)
    text = _words(blocks, "text")
    if not text.strip():
        if reason in _CUT:
            raise line.wanting(wire, FailureClass.INVALID, "length_empty", code=reason, billed=True)
        raise line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")
    flags = [CUT_OFF] if reason in _CUT else []
    if is_other_model(connection.model, found.get("model")):
        flags.append(OTHER_MODEL)
    told = found.get("usage")
    usage: dict[str, Any] = dict(told) if isinstance(told, Mapping) else {}
    thinking = kept_thinking(_words(blocks, "thinking"))
    if thinking:
        usage[THINKING] = thinking
    params, _ = setting(connection, request.params, {})
    return Answer(
        (as_content(text, params),),
        http_status=wire.status,
        request_id=wire.request_id,
        usage=line.http.scrub.tree(usage),
        flags=tuple(flags),
        news=line.news(wire),
        billed_images=0,
        tokens=_tokens(usage),
    )


def _words(blocks: list[Any], kind: str) -> str:
    """Of all blocks of one kind."""
    said = (b.get(kind) for b in blocks if isinstance(b, Mapping) and b.get("type") == kind)
    return "".join(words for words in said if isinstance(words, str))


def _explanation(details: object) -> str:
    if not isinstance(details, Mapping):
        return ""
    return str(details.get("explanation") or details.get("category") or "")


def _tokens(usage: Mapping[str, Any]) -> int | None:
    known = [count for name in _COUNTED if (count := whole(usage.get(name))) is not None]
    return sum(known) if whole(usage.get("output_tokens")) is not None else None
