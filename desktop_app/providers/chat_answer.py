"""What a chat's answer comes to: texts, of which each may be cut, refused, or broken off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.attempt import CUT_OFF, HALF_READ, NOT_JSON, OTHER_MODEL, PARTIAL, THINKING
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.ports import Answer, Content
from desktop_app.domain.task import Request
from desktop_app.providers.chat_fold import words_of
from desktop_app.providers.chat_request import JSON, SAVE_AS
from desktop_app.providers.figures import whole
from desktop_app.providers.http.client import Wire
from desktop_app.providers.json_mode import is_json
from desktop_app.providers.least_tokens import is_half_read
from desktop_app.providers.models import is_other_model
from desktop_app.providers.profiles import seen_in
from desktop_app.providers.request_fields import setting
from desktop_app.providers.thinking import apart, kept_thinking
from desktop_app.providers.vendor_line import VendorLine

MIMES = {"txt": "text/plain", "md": "text/markdown", "json": "application/json"}

_BROKEN = ("error", "network_error", "insufficient_system_resource")
# Gateways pass on the words of the vendors behind them, in their spelling.
_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset(
    {
        "content_filter",
        "sensitive",
        "safety",
        "prohibited_content",
        "blocklist",
        "spii",
        "recitation",
    }
)


@dataclass(frozen=True, slots=True)
class _Said:
    """One answer; ``is_cut``: at the length limit."""

    text: str
    thinking: str
    is_cut: bool


def chat_answer(
    line: VendorLine, connection: Connection, request: Request, found: Mapping[str, Any], wire: Wire
) -> Answer:
    """The texts that came. Raises ProviderFailure where there is none."""
    texts: list[_Said] = []
    troubles: list[ProviderFailure] = []
    choices = _choices(line, found, wire)
    for choice in choices:
        try:
            texts.append(_said(line, choice, wire))
        except ProviderFailure as trouble:
            troubles.append(trouble)
    if not texts:
        raise troubles[0]
    params, _ = setting(connection, request.params, {})
    usage: dict[str, Any] = dict(_figures(found.get("usage")))
    if texts[0].thinking:
        usage[THINKING] = texts[0].thinking
    flags = [CUT_OFF] if any(said.is_cut for said in texts) else []
    wants_json = params.get(JSON) is not None
    if wants_json and not all(said.is_cut or is_json(said.text) for said in texts):
        flags.append(NOT_JSON)
    if is_other_model(connection.model, found.get("model")):
        flags.append(OTHER_MODEL)
    if troubles:
        flags.append(PARTIAL)
    ways = seen_in(wire.headers, line.profile).chat
    asked = f"{params.get('system') or ''} {request.prompt}"
    if ways.cuts_prompts and is_half_read(asked, usage.get("prompt_tokens")):
        flags.append(HALF_READ)
    came_as = "json" if wants_json and not {NOT_JSON, CUT_OFF} & set(flags) else "txt"
    mime = MIMES.get(str(params.get(SAVE_AS)), MIMES[came_as])
    return Answer(
        tuple(Content(s.text.encode("utf-8", "replace"), mime, s.text) for s in texts),
        http_status=wire.status,
        request_id=wire.request_id,
        usage=line.http.scrub.tree(usage),
        flags=tuple(flags),
        news=line.news(wire),
        billed_images=0,
        tokens=None if ways.counts_one and len(choices) > 1 else _tokens(usage),
    )


def _said(line: VendorLine, choice: Mapping[str, Any], wire: Wire) -> _Said:
    """The words of one choice. Raises ProviderFailure where there are none."""
    said = choice.get("message")
    said = said if isinstance(said, Mapping) else {}
    reason = str(choice.get("finish_reason") or "").lower()
    _check_reason(line, reason, said, choice, wire)
    text, thought = apart("".join(words_of(said.get("content"))))
    if not text.strip():
        _refuse_empty(line, reason, wire)
    thinking = said.get("reasoning_content") or said.get("reasoning") or thought
    thinking = kept_thinking(thinking) if isinstance(thinking, str) else ""
    return _Said(text, thinking, reason in _CUT)


def _choices(line: VendorLine, found: Mapping[str, Any], wire: Wire) -> list[Mapping[str, Any]]:
    if "choices" not in found:
        raise line.unanswered(wire, found)
    listed = found["choices"]
    choices = [c for c in listed if isinstance(c, Mapping)] if isinstance(listed, list) else []
    if not choices:
        raise line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")
    return choices


def _check_reason(
    line: VendorLine,
    reason: str,
    said: Mapping[str, Any],
    choice: Mapping[str, Any],
    wire: Wire,
) -> None:
    refusal = said.get("refusal")
    if reason in _FILTERED or (isinstance(refusal, str) and refusal):
        raise line.wanting(
            wire,
            FailureClass.REFUSED,
            "refused",
            code="refusal" if refusal else reason,
            text=str(refusal or ""),
        )
    if isinstance(choice.get("error"), Mapping):
        raise line.hidden_error(wire, choice)
    if reason in _BROKEN:
        # Words were already being made, and may be on the bill.
        raise line.wanting(wire, FailureClass.UNKNOWN, "broken_answer", code=reason)


def _refuse_empty(line: VendorLine, reason: str, wire: Wire) -> None:
    if reason in _CUT:
        raise line.wanting(wire, FailureClass.INVALID, "length_empty", code="length", billed=True)
    raise line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")


def _figures(usage: object) -> Mapping[str, Any]:
    return usage if isinstance(usage, Mapping) else {}


def _tokens(figures: Mapping[str, Any]) -> int | None:
    total = whole(figures.get("total_tokens"))
    if total is not None:
        return total
    asked, said = whole(figures.get("prompt_tokens")), whole(figures.get("completion_tokens"))
    return None if asked is None or said is None else asked + said
