"""Texts in OpenAI's manner: OpenAI, DashScope, DeepSeek, Ollama, llama.cpp and every gateway."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.attempt import PARTIAL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass, ProviderFailure
from desktop_app.domain.ports import (
    Answer,
    Call,
    Capabilities,
    Content,
    Param,
    RawAnswer,
    ReferenceRule,
    TestReport,
)
from desktop_app.domain.references import FURTHER, REFERENCE, references_of
from desktop_app.domain.task import Request
from desktop_app.domain.wording.providers import N_
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.models import is_other_model, wants_completion_tokens
from desktop_app.providers.openai_references import as_json, rule_of, shown
from desktop_app.providers.probe import probe
from desktop_app.providers.request_fields import setting, with_extra
from desktop_app.providers.vendor_line import VendorLine

_PATH = "/chat/completions"
_MIMES = {"txt": "text/plain", "md": "text/markdown"}
_THOUGHT = re.compile(r"\A\s*<think>(.*?)</think>\s*", re.DOTALL)
_REASONING_CHARS = 2000

CAPABILITIES = Capabilities(
    makes="text",
    default_timeout_s=300.0,
    params=(
        Param("system", "text", (), N_("System prompt")),
        Param("temperature", "float", (), N_("Temperature")),
        Param("max_tokens", "int", (), N_("Longest answer (tokens)")),
        Param("save_as", "choice", ("txt", "md"), N_("Save as")),
        Param("n", "int", (), N_("Results per row")),
        Param(REFERENCE, "reference", (), N_("Reference pictures")),
        Param(FURTHER, "reference", (), N_("More reference pictures")),
    ),
    several_results=True,
    # Which of a server's models can see is not told by their names.
    references=(
        ReferenceRule(
            10, ("image/png", "image/jpeg", "image/webp", "image/gif"), 20_000_000, urls=True
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class _Said:
    """One answer; ``is_cut``: at the length limit."""

    text: str
    reasoning: str
    is_cut: bool


class OpenAIChat:
    """Speaks ``/chat/completions``: one question, one answer or several of them."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(connection, secret, http)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures; it
        holds no key."""
        return self._body(request, [shown(one) for one in references_of(request.params)])

    def _body(self, request: Request, pictures: Sequence[str]) -> Mapping[str, Any]:
        """``pictures`` are their addresses."""
        params, extra = setting(self._connection, request.params, request.extra)
        for ours in ("save_as", REFERENCE):
            params.pop(ours, None)
        system = params.pop("system", None)
        messages: list[dict[str, Any]] = []
        if system:
            messages.append({"role": "system", "content": system})
        messages.append({"role": "user", "content": _content(request.prompt, pictures)})
        if "max_tokens" in params and wants_completion_tokens(self._connection.model):
            params["max_completion_tokens"] = params.pop("max_tokens")
        return with_extra({"model": self._connection.model, "messages": messages, **params}, extra)

    async def submit(self, call: Call) -> Answer:
        """Ask. Raises ProviderFailure for everything but a text in hand."""
        request = call.request
        references = references_of(request.params)
        body: Mapping[str, Any] | Upload = self._body(request, ())
        if references:
            rule = rule_of(CAPABILITIES, self._connection.model)
            body = await as_json(
                lambda urls: self._body(request, urls), references, rule, self._line.http
            )
        found, wire = await self._line.post(call, _PATH, body)
        return self._answer(request, found, wire)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        """See ``RereadingAdapter``."""
        return self._answer(request, *await self._line.reread(raw))

    def _answer(self, request: Request, found: Mapping[str, Any], wire: Wire) -> Answer:
        texts: list[_Said] = []
        troubles: list[ProviderFailure] = []
        for choice in self._choices(found, wire):
            try:
                texts.append(self._said(choice, wire))
            except ProviderFailure as trouble:
                troubles.append(trouble)
        if not texts:
            raise troubles[0]
        figures = _figures(found.get("usage"))
        usage: dict[str, Any] = dict(figures)
        if texts[0].reasoning:
            usage["reasoning"] = texts[0].reasoning
        flags = ["length"] if any(said.is_cut for said in texts) else []
        if is_other_model(self._connection.model, found.get("model")):
            flags.append("other_model")
        if troubles:
            flags.append(PARTIAL)
        params, _ = setting(self._connection, request.params, {})
        mime = _MIMES.get(str(params.get("save_as")), "text/plain")
        return Answer(
            tuple(Content(s.text.encode("utf-8", "replace"), mime, s.text) for s in texts),
            http_status=wire.status,
            request_id=wire.request_id,
            usage=self._line.http.scrub.tree(usage),
            flags=tuple(flags),
            news=self._line.news(wire),
            billed_images=0,
            tokens=_tokens(figures),
        )

    def _said(self, choice: Mapping[str, Any], wire: Wire) -> _Said:
        """The words of one choice. Raises ProviderFailure where there are none."""
        said = choice.get("message")
        said = said if isinstance(said, Mapping) else {}
        reason = str(choice.get("finish_reason") or "")
        self._check_reason(reason, said, choice, wire)
        text, thought = _apart(_text(said.get("content")))
        if not text.strip():
            self._refuse_empty(reason, wire)
        reasoning = said.get("reasoning_content") or said.get("reasoning") or thought
        reasoning = reasoning.strip()[:_REASONING_CHARS] if isinstance(reasoning, str) else ""
        return _Said(text, reasoning, reason == "length")

    def _choices(self, found: Mapping[str, Any], wire: Wire) -> list[Mapping[str, Any]]:
        if "choices" not in found:
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "unreadable", billed=True)
        listed = found["choices"]
        choices = [c for c in listed if isinstance(c, Mapping)] if isinstance(listed, list) else []
        if not choices:
            raise self._line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")
        return choices

    def _check_reason(
        self, reason: str, said: Mapping[str, Any], choice: Mapping[str, Any], wire: Wire
    ) -> None:
        refusal = said.get("refusal")
        if reason == "content_filter" or (isinstance(refusal, str) and refusal):
            raise self._line.wanting(
                wire,
                FailureClass.REFUSED,
                "refused",
                code="refusal" if refusal else reason,
                text=str(refusal or ""),
            )
        if isinstance(choice.get("error"), Mapping):
            raise self._line.hidden_error(wire, choice)
        if reason in ("error", "network_error", "insufficient_system_resource"):
            # Words were already being made, and may be on the bill.
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "broken_answer", code=reason)

    def _refuse_empty(self, reason: str, wire: Wire) -> None:
        if reason == "length":
            raise self._line.wanting(
                wire, FailureClass.INVALID, "length_empty", code="length", billed=True
            )
        raise self._line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")

    async def test(self) -> TestReport:
        """The cheapest call that shows whether the key works; never bills."""
        return await probe(self._line, _PATH)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


def _content(prompt: str, pictures: Sequence[str]) -> str | list[dict[str, Any]]:
    """What the user says, and shows. A prompt alone stays a text: some servers know no parts."""
    if not pictures:
        return prompt
    images = [{"type": "image_url", "image_url": {"url": url}} for url in pictures]
    return [{"type": "text", "text": prompt}, *images]


def _text(content: object) -> str:
    """The answer's words; some servers send a list of parts."""
    if isinstance(content, list):
        parts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _apart(text: str) -> tuple[str, str]:
    """The answer and the thinking that some local models put before it."""
    thought = _THOUGHT.match(text)
    return (text[thought.end() :], thought[1]) if thought else (text, "")


def _figures(usage: object) -> Mapping[str, Any]:
    return usage if isinstance(usage, Mapping) else {}


def _tokens(figures: Mapping[str, Any]) -> int | None:
    total = figures.get("total_tokens")
    if isinstance(total, int):
        return total
    parts = [figures.get("prompt_tokens"), figures.get("completion_tokens")]
    known = [part for part in parts if isinstance(part, int)]
    return sum(known) if len(known) == len(parts) else None


def _open(connection: Connection, secret: str | None, http: HttpClient) -> OpenAIChat:
    return OpenAIChat(connection, secret, http)


ADAPTER = AdapterEntry(CAPABILITIES, _open)
