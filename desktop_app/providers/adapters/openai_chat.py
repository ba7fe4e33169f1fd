"""Texts in OpenAI's manner: OpenAI, DashScope, DeepSeek, Ollama, llama.cpp and every gateway."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import (
    Answer,
    Call,
    Capabilities,
    Param,
    RawAnswer,
    ReferenceRule,
    TestReport,
)
from desktop_app.domain.references import FURTHER, REFERENCE, references_of
from desktop_app.domain.task import Request
from desktop_app.domain.wording.providers import N_
from desktop_app.providers.chat_answer import MIMES, chat_answer
from desktop_app.providers.chat_fold import ChatFold
from desktop_app.providers.chat_request import JSON, SAVE_AS, STREAM, body_or_trouble, chat_body
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.json_mode import OBJECT
from desktop_app.providers.openai_references import as_json, rule_of, shown
from desktop_app.providers.probe import probe
from desktop_app.providers.request_fields import results_asked
from desktop_app.providers.row_model import MODEL_PARAM, by_row
from desktop_app.providers.vendor_line import VendorLine

_PATH = "/chat/completions"

CAPABILITIES = Capabilities(
    makes="text",
    default_timeout_s=300.0,
    stream=True,
    price_units=(PriceUnit.CALL, PriceUnit.KTOKENS, PriceUnit.MTOKENS),
    tells_limits=True,
    params=(
        MODEL_PARAM,
        Param("system", "text", (), N_("System prompt")),
        Param("temperature", "float", (), N_("Temperature")),
        Param("max_tokens", "int", (), N_("Longest answer (tokens)")),
        Param(JSON, "json", (OBJECT,), N_("Answer in JSON (or its schema)")),
        Param(SAVE_AS, "choice", tuple(MIMES), N_("Save as")),
        Param("n", "int", (), N_("Results per row")),
        Param("seed", "int", (), N_("Seed")),
        Param(STREAM, "bool", (), N_("Show answers as they come")),
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


class OpenAIChat:
    """Speaks ``/chat/completions``: one question, one answer or several of them, whole or word by
    word."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(connection, secret, http)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures; it
        holds no key."""
        names = [shown(one) for one in references_of(request.params)]
        return body_or_trouble(self._connection, request, names, self._line.profile.chat)

    def _body(self, request: Request, pictures: Sequence[str]) -> Mapping[str, Any]:
        return chat_body(self._connection, request, pictures, self._line.profile.chat)

    async def submit(self, call: Call) -> Answer:
        """Ask. Raises ProviderFailure for everything but a text in hand."""
        request = call.request
        references = references_of(request.params)
        body: Mapping[str, Any] | Upload = self._body(request, ())
        asked = results_asked(body, "n")
        if references:
            rule = rule_of(CAPABILITIES, self._connection.model)
            body = await as_json(
                lambda urls: self._body(request, urls), references, rule, self._line.http
            )
        found, wire = await self._line.post(call, _PATH, body, partial(ChatFold, asked))
        return chat_answer(self._line, self._connection, request, found, wire)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        """See ``RereadingAdapter``."""
        asked = results_asked(self.body_preview(request), "n")
        found, wire = await self._line.reread(raw, partial(ChatFold, asked))
        return chat_answer(self._line, self._connection, request, found, wire)

    async def test(self) -> TestReport:
        """The cheapest call that shows whether the key works; never bills."""
        return await probe(self._line, _PATH)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


ADAPTER = AdapterEntry(CAPABILITIES, by_row(OpenAIChat))
