"""What Google's answers come to. All that it refuses comes under a good status: no candidates, a
candidate without content, words in place of a picture, fewer pictures than were asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.attempt import CUT_OFF, OTHER_MODEL, PARTIAL, THINKING
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.ports import Answer, Content
from desktop_app.domain.task import Request
from desktop_app.providers.figures import whole
from desktop_app.providers.gemini.lists import objects
from desktop_app.providers.gemini.models import bare, makes_pictures
from desktop_app.providers.http.client import Wire
from desktop_app.providers.json_work import decode_base64
from desktop_app.providers.models import is_other_model
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.request_fields import setting
from desktop_app.providers.said_texts import as_content
from desktop_app.providers.thinking import kept_thinking
from desktop_app.providers.vendor_line import VendorLine

REFUSALS = frozenset(
    {
        "SAFETY",
        "RECITATION",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
        "IMAGE_RECITATION",
    }
)
"""Reasons to stop that are content rules."""

FAULTS = frozenset(
    {"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "LANGUAGE"}
)
"""Reasons to stop that lie in what was asked."""

_WHOLE = frozenset({"", "STOP", "FINISH_REASON_UNSPECIFIED"})
_CUT = "MAX_TOKENS"


@dataclass(frozen=True, slots=True)
class _Said:
    """One candidate. ``pictures`` are parts as they came."""

    text: str
    thinking: str
    pictures: Sequence[Mapping[str, Any]]
    is_cut: bool


class Answers:
    """Reads the answers of one connection."""

    def __init__(self, line: VendorLine, connection: Connection) -> None:
        self._line = line
        self._connection = connection

    async def of_content(self, request: Request, found: Mapping[str, Any], wire: Wire) -> Answer:
        """Of ``generateContent``. Raises ProviderFailure where nothing usable came."""
        said: list[_Said] = []
        contents: list[Content] = []
        troubles: list[ProviderFailure] = []
        made = 0
        for candidate in self._candidates(found, wire):
            try:
                one = self._said(candidate, wire)
                came, broken = await self._contents(one, request, wire)
            except ProviderFailure as trouble:
                troubles.append(trouble)
            else:
                said.append(one)
                contents += came
                troubles += broken
                made += len(came) + len(broken)
        if not contents:
            raise troubles[0]
        flags = [CUT_OFF] if any(one.is_cut for one in said) else []
        if is_other_model(bare(self._connection.model), found.get("modelVersion")):
            flags.append(OTHER_MODEL)
        if troubles:
            flags.append(PARTIAL)
        told = found.get("usageMetadata")
        usage: dict[str, Any] = dict(told) if isinstance(told, Mapping) else {}
        thinking = kept_thinking(said[0].thinking)
        if thinking:
            usage[THINKING] = thinking
        if not makes_pictures(self._connection.model):
            made = sum(one.text is None for one in contents)
        return Answer(
            tuple(contents),
            http_status=wire.status,
            request_id=wire.request_id or _word(found.get("responseId")),
            usage=self._line.http.scrub.tree(usage),
            flags=tuple(flags),
            news=self._line.news(wire),
            billed_images=made,
            tokens=whole(usage.get("totalTokenCount")),
        )

    def _candidates(self, found: Mapping[str, Any], wire: Wire) -> list[Mapping[str, Any]]:
        feedback = found.get("promptFeedback")
        blocked = feedback.get("blockReason") if isinstance(feedback, Mapping) else None
        if blocked:
            text = _word(feedback.get("blockReasonMessage")) if feedback else ""
            raise self._line.wanting(
                wire, FailureClass.REFUSED, "refused", code=str(blocked), text=text or ""
            )
        if not found or (found.keys() & {"message", "detail"} and "candidates" not in found):
            raise self._line.unanswered(wire, found)
        candidates = objects(found.get("candidates"))
        if not candidates:
            raise self._line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")
        return candidates

    def _said(self, candidate: Mapping[str, Any], wire: Wire) -> _Said:
        reason = str(candidate.get("finishReason") or "")
        why = _word(candidate.get("finishMessage")) or ""
        if reason in REFUSALS:
            raise self._line.wanting(wire, FailureClass.REFUSED, "refused", code=reason, text=why)
        if reason in FAULTS:
            raise self._line.wanting(wire, FailureClass.INVALID, "invalid", code=reason, text=why)
        content = candidate.get("content")
        parts = objects(content.get("parts")) if isinstance(content, Mapping) else []
        answered = [part for part in parts if not part.get("thought")]
        text = "".join(str(part["text"]) for part in answered if part.get("text"))
        thinking = "".join(str(p["text"]) for p in parts if p.get("thought") and p.get("text"))
        pictures = [p["inlineData"] for p in answered if isinstance(p.get("inlineData"), Mapping)]
        if not text.strip() and not pictures:
            raise self._nothing(reason, why, wire)
        # Whatever else it stopped for, the end of it is missing.
        return _Said(text, thinking, pictures, reason not in _WHOLE)

    def _nothing(self, reason: str, why: str, wire: Wire) -> ProviderFailure:
        if reason == _CUT:
            return self._line.wanting(
                wire, FailureClass.INVALID, "length_empty", code=reason, billed=True
            )
        code = reason if reason not in _WHOLE else "empty_result"
        return self._line.wanting(wire, FailureClass.REFUSED, "empty", code=code, text=why)

    async def _contents(
        self, said: _Said, request: Request, wire: Wire
    ) -> tuple[list[Content], list[ProviderFailure]]:
        is_text = bool(said.text.strip()) or not said.pictures
        if not makes_pictures(self._connection.model) and is_text:
            params, _ = setting(self._connection, request.params, {})
            return [as_content(said.text, params)], []
        if not said.pictures:
            raise self._line.wanting(
                wire, FailureClass.REFUSED, "words_only", code="no_image", text=said.text
            )
        return await self._pictures([one.get("data") for one in said.pictures], wire)

    async def of_prediction(self, found: Mapping[str, Any], wire: Wire) -> Answer:
        """Of ``predict``. Raises ProviderFailure where no picture came."""
        entries = objects(found.get("predictions"))
        made = [e["bytesBase64Encoded"] for e in entries if e.get("bytesBase64Encoded")]
        if not made:
            reasons = (_word(e.get("raiFilteredReason")) for e in entries)
            text = next((reason for reason in reasons if reason), "")
            said = "refused" if text else "empty"
            code = "rai_filtered" if text else "empty_result"
            raise self._line.wanting(wire, FailureClass.REFUSED, said, code=code, text=text)
        contents, broken = await self._pictures(made, wire)
        if not contents:
            raise broken[0]
        is_part = bool(broken) or any(e.get("raiFilteredReason") for e in entries)
        return Answer(
            tuple(contents),
            http_status=wire.status,
            request_id=wire.request_id,
            flags=(PARTIAL,) if is_part else (),
            news=self._line.news(wire),
            billed_images=len(made),
        )

    async def _pictures(
        self, made: Sequence[object], wire: Wire
    ) -> tuple[list[Content], list[ProviderFailure]]:
        """Those that can be used, and what is wrong with the others: all of them were paid for."""
        contents: list[Content] = []
        broken: list[ProviderFailure] = []
        for encoded in made:
            try:
                contents.append(await self._picture(encoded, wire))
            except ProviderFailure as trouble:
                broken.append(trouble)
        return contents, broken

    async def _picture(self, encoded: object, wire: Wire) -> Content:
        try:
            data = await decode_base64(str(encoded or ""))
        except ValueError:
            raise self._line.wanting(
                wire, FailureClass.UNKNOWN, "unreadable", billed=True
            ) from None
        mime = picture_mime(data)
        if mime is None:
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "not_a_picture", billed=True)
        return Content(data, mime)


def _word(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
