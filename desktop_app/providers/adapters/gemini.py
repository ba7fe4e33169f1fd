"""Texts and pictures in Google's manner: Gemini, whose models answer in words or pictures, and
Imagen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
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
from desktop_app.providers.chat_answer import MIMES
from desktop_app.providers.chat_request import SAVE_AS, STREAM
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.gemini.answer import Answers
from desktop_app.providers.gemini.errors import read_error
from desktop_app.providers.gemini.fold import ContentFold
from desktop_app.providers.gemini.lists import objects
from desktop_app.providers.gemini.models import is_imagen, makes_pictures
from desktop_app.providers.gemini.request import (
    ASPECT,
    IMAGE_SIZE,
    PEOPLE,
    body_of,
    target_of,
)
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.inline_pictures import previewed, with_pictures
from desktop_app.providers.manner import Manner
from desktop_app.providers.openai_references import rule_of
from desktop_app.providers.probe import Listing, probe
from desktop_app.providers.profiles.gemini import GEMINI
from desktop_app.providers.request_fields import results_asked
from desktop_app.providers.row_model import MODEL_PARAM, by_row
from desktop_app.providers.vendor_line import VendorLine

_MANNER = Manner("x-goog-api-key", "")
_SYSTEM = Param("system", "text", (), N_("System prompt"))
_SEED = Param("seed", "int", (), N_("Seed"))
_SEVERAL = Param("n", "int", (), N_("Results per row"))
_SHOWN = (
    Param(REFERENCE, "reference", (), N_("Reference pictures")),
    Param(FURTHER, "reference", (), N_("More reference pictures")),
)
_SHAPE = (
    Param(ASPECT, "text", ("1:1", "3:4", "4:3", "2:3", "3:2", "9:16", "16:9"), N_("Aspect ratio")),
    Param(IMAGE_SIZE, "text", ("1K", "2K", "4K"), N_("Size")),
)
_TEXT = (
    MODEL_PARAM,
    _SYSTEM,
    Param("temperature", "float", (), N_("Temperature")),
    Param("max_tokens", "int", (), N_("Longest answer (tokens)")),
    Param(SAVE_AS, "choice", tuple(MIMES), N_("Save as")),
    _SEVERAL,
    _SEED,
    Param(STREAM, "bool", (), N_("Show answers as they come")),
    *_SHOWN,
)
_PICTURE = (MODEL_PARAM, _SYSTEM, *_SHAPE, _SEED, *_SHOWN)
_IMAGEN = (
    MODEL_PARAM,
    *_SHAPE,
    _SEVERAL,
    Param(PEOPLE, "text", ("dont_allow", "allow_adult", "allow_all"), N_("People in pictures")),
)

_TOLD_OF_TEXTS = (PriceUnit.CALL, PriceUnit.KTOKENS, PriceUnit.MTOKENS)
_TOLD_BY_IMAGEN = (PriceUnit.CALL, PriceUnit.IMAGE)

CAPABILITIES = Capabilities(
    makes="text",
    default_timeout_s=300.0,
    stream=True,
    params=(*_TEXT, *_SHAPE, *_IMAGEN[-1:]),
    several_results=True,
    references=(
        ReferenceRule(0, models=r"imagen"),
        # A whole request may have 20 MB.
        ReferenceRule(14, ("image/png", "image/jpeg", "image/webp"), 10_000_000),
    ),
)


class Gemini:
    """Speaks ``generateContent``, in one piece or in stretches, and Imagen's ``predict``."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(connection, secret, http, _MANNER, home=GEMINI, read=read_error)
        self._answers = Answers(self._line, connection)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, with names in place of pictures; it
        holds no key."""
        pictures = [previewed(one) for one in references_of(request.params)]
        return body_of(self._connection, request, pictures)

    async def submit(self, call: Call) -> Answer:
        """Ask. Raises ProviderFailure for everything but a result in hand."""
        request, connection = call.request, self._connection
        references = references_of(request.params)
        body: Mapping[str, Any] | Upload = body_of(connection, request, ())
        if references:
            body = await with_pictures(
                lambda pictures: body_of(connection, request, pictures),
                references,
                rule_of(CAPABILITIES, connection.model),
                self._line.http,
            )
        target = target_of(connection, request)
        folds = self._folds(request) if "alt=sse" in target else None
        found, wire = await self._line.post(call, target, body, folds)
        return await self._answer(request, found, wire)

    async def reread(self, request: Request, raw: RawAnswer) -> Answer:
        """See ``RereadingAdapter``."""
        return await self._answer(request, *await self._line.reread(raw, self._folds(request)))

    def _folds(self, request: Request) -> Callable[[], ContentFold]:
        config = body_of(self._connection, request, ()).get("generationConfig")
        return partial(ContentFold, results_asked(config, "candidateCount"))

    async def _answer(self, request: Request, found: Mapping[str, Any], wire: Any) -> Answer:
        if is_imagen(self._connection.model):
            return await self._answers.of_prediction(found, wire)
        return await self._answers.of_content(request, found, wire)

    async def test(self) -> TestReport:
        """The cheapest call that shows whether the key works; never bills."""
        target = target_of(self._connection, Request(""))
        return await probe(self._line, target, Listing("/models?pageSize=1000", _names))

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


def _names(found: Mapping[str, Any]) -> Iterable[str]:
    names = (one.get("name") for one in objects(found.get("models")))
    return (name.removeprefix("models/") for name in names if isinstance(name, str))


def _of(connection: Connection) -> Capabilities:
    """By its model it makes texts or pictures."""
    if not makes_pictures(connection.model):
        return replace(CAPABILITIES, params=_TEXT, price_units=_TOLD_OF_TEXTS)
    params = _IMAGEN if is_imagen(connection.model) else _PICTURE
    told = _TOLD_BY_IMAGEN if is_imagen(connection.model) else CAPABILITIES.price_units
    return replace(
        CAPABILITIES,
        price_units=told,
        makes="picture",
        default_timeout_s=600.0,
        stream=False,
        params=params,
        several_results=is_imagen(connection.model),
    )


ADAPTER = AdapterEntry(CAPABILITIES, by_row(Gemini), _of)
