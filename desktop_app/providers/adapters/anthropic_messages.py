"""Texts in Anthropic's manner: Claude, and servers that speak like it."""

from __future__ import annotations

from collections.abc import Mapping
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
from desktop_app.providers.anthropic.answer import message_answer
from desktop_app.providers.anthropic.fold import MessageFold
from desktop_app.providers.anthropic.request import message_body
from desktop_app.providers.chat_answer import MIMES
from desktop_app.providers.chat_request import SAVE_AS, STREAM
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.inline_pictures import previewed, with_pictures
from desktop_app.providers.manner import Manner
from desktop_app.providers.openai_references import rule_of
from desktop_app.providers.probe import Listing, probe
from desktop_app.providers.profiles.anthropic import ANTHROPIC
from desktop_app.providers.row_model import MODEL_PARAM, by_row
from desktop_app.providers.vendor_line import VendorLine

_PATH = "/messages"
_MANNER = Manner("x-api-key", "", {"anthropic-version": "2023-06-01"})
_MODELS = Listing("/models?limit=1000")

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
        Param(SAVE_AS, "choice", tuple(MIMES), N_("Save as")),
        Param(STREAM, "bool", (), N_("Show answers as they come")),
        Param(REFERENCE, "reference", (), N_("Reference pictures")),
        Param(FURTHER, "reference", (), N_("More reference pictures")),
    ),
    # The vendor counts base64 against its 5 MB.
    references=(
        ReferenceRule(
            16, ("image/png", "image/jpeg", "image/webp", "image/gif"), 3_900_000, urls=True
        ),
    ),
)


class AnthropicMessages:
    """Speaks ``/messages``: one question, one answer, whole or word by word."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(connection, secret, http, _MANNER, home=ANTHROPIC)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures; it
        holds no key."""
        pictures = [previewed(one) for one in references_of(request.params)]
        return message_body(self._connection, request, pictures)

    async def submit(self, call: Call) -> Answer:
        """Ask. Raises ProviderFailure for everything but a text in hand."""
        request, connection = call.request, self._connection
        references = references_of(request.params)
        body: Mapping[str, Any] | Upload = message_body(connection, request, ())
        if references:
            body = await with_pictures(
                lambda pictures: message_body(connection, request, pictures),
                references,
                rule_of(CAPABILITIES, connection.model),
                self._line.http,
            )
        found, wire = await self._line.post(call, _PATH, body, MessageFold)
        return message_answer(self._line, connection, request, found, wire)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        """See ``RereadingAdapter``."""
        found, wire = await self._line.reread(raw, MessageFold)
        return message_answer(self._line, self._connection, request, found, wire)

    async def test(self) -> TestReport:
        """The cheapest call that shows whether the key works; never bills."""
        return await probe(self._line, _PATH, _MODELS)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


ADAPTER = AdapterEntry(CAPABILITIES, by_row(AnthropicMessages))
