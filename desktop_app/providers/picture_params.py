"""Which parameters each family of picture models takes: one refuses what another needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Capabilities, Param, ReferenceRule
from desktop_app.domain.references import FURTHER, REFERENCE
from desktop_app.domain.task import Request
from desktop_app.domain.wording.providers import N_
from desktop_app.providers.profiles.pictures import PictureWays
from desktop_app.providers.request_fields import setting, with_extra
from desktop_app.providers.row_model import MODEL, MODEL_PARAM

GPT = r"gpt-image|chatgpt-image"
DALL_E_3 = r"dall-e-3"
DALL_E_2 = r"dall-e-2"
SEEDREAM = r"seedream|seededit|^ep-"

STREAM, PARTIAL_IMAGES = "stream", "partial_images"
PREVIEWS = 2
"""Unfinished pictures that are asked for where somebody wants to see how one is made. Each costs
some tokens more."""

_MIMES = ("image/png", "image/jpeg", "image/webp")


def _others(*families: str) -> str:
    """A pattern for every name that is of none of these families."""
    return rf"^(?!.*(?:{'|'.join(families)}))"


_SIZE, _QUALITY = N_("Size"), N_("Quality")
# Of Ark's models those that make no groups make one picture a call.
_NOT_FIXED = _others(DALL_E_3, "seedream-3", "seededit", "seedream-5.*-pro")
_OF_GPT_OR_UNKNOWN = _others(DALL_E_2, DALL_E_3, SEEDREAM)

PICTURE_CAPABILITIES = Capabilities(
    makes="picture",
    default_timeout_s=600.0,
    stream=True,
    tells_limits=True,
    params=(
        MODEL_PARAM,
        Param("size", "text", ("auto", "1024x1024", "1536x1024", "1024x1536"), _SIZE, models=GPT),
        Param("size", "text", ("1024x1024", "1792x1024", "1024x1792"), _SIZE, models=DALL_E_3),
        Param("size", "text", ("256x256", "512x512", "1024x1024"), _SIZE, models=DALL_E_2),
        Param("size", "text", ("1K", "2K", "4K", "2048x2048"), _SIZE, models=SEEDREAM),
        Param("size", "text", ("auto", "1024x1024", "1536x1024", "1024x1536"), _SIZE),
        Param("quality", "text", ("auto", "low", "medium", "high"), _QUALITY, models=GPT),
        Param("quality", "choice", ("standard", "hd"), _QUALITY, models=DALL_E_3),
        Param(
            "quality",
            "text",
            ("auto", "low", "medium", "high", "standard", "hd"),
            _QUALITY,
            models=_others(GPT, DALL_E_2, DALL_E_3, SEEDREAM),
        ),
        Param(
            "style",
            "choice",
            ("vivid", "natural"),
            N_("Style"),
            models=_others(GPT, DALL_E_2, SEEDREAM),
        ),
        Param(
            "background",
            "choice",
            ("auto", "opaque", "transparent"),
            N_("Background"),
            models=_OF_GPT_OR_UNKNOWN,
        ),
        Param(
            "output_format",
            "choice",
            ("png", "jpeg", "webp"),
            N_("Output format"),
            models=_others(DALL_E_2, DALL_E_3, "seedream-[34]"),
        ),
        Param(
            "output_compression",
            "int",
            (),
            N_("Compression (0 to 100)"),
            models=_OF_GPT_OR_UNKNOWN,
        ),
        Param("moderation", "choice", ("auto", "low"), N_("Moderation"), models=_OF_GPT_OR_UNKNOWN),
        Param(
            "response_format",
            "choice",
            ("b64_json", "url"),
            N_("Answer as"),
            models=_others(GPT),
        ),
        Param("n", "int", (), N_("Results per row"), models=_NOT_FIXED),
        Param("seed", "int", (), N_("Seed"), models=_others(GPT, DALL_E_2, DALL_E_3)),
        Param(
            STREAM,
            "bool",
            (),
            N_("Show pictures as they come"),
            models=_others(DALL_E_2, DALL_E_3, "seedream-3", "seededit"),
        ),
        Param(
            PARTIAL_IMAGES,
            "int",
            (),
            N_("Previews of each picture (0 to 3)"),
            models=_OF_GPT_OR_UNKNOWN,
        ),
        Param(REFERENCE, "reference", (), N_("Reference pictures")),
        Param(FURTHER, "reference", (), N_("More reference pictures")),
    ),
    several_results=True,
    references=(
        ReferenceRule(0, models=DALL_E_3),
        ReferenceRule(1, ("image/png",), 4_000_000, square=True, models=DALL_E_2),
        ReferenceRule(14, _MIMES, 10_000_000, models=SEEDREAM),
        ReferenceRule(16, _MIMES, 50_000_000),
    ),
)

_NAMES = frozenset(param.name for param in PICTURE_CAPABILITIES.params)


def picture_body(connection: Connection, request: Request, ways: PictureWays) -> dict[str, Any]:
    """What is posted, without reference pictures. What was set for another model and this one
    does not take is left out."""
    params, extra = setting(connection, request.params, request.extra)
    for ours in (REFERENCE, MODEL):
        params.pop(ours, None)
    model = connection.model
    taken = {param.name for param in PICTURE_CAPABILITIES.of(model).params}
    given = {name: value for name, value in params.items() if name in taken or name not in _NAMES}
    body: dict[str, Any] = {"model": model, "prompt": request.prompt}
    if "response_format" in taken:
        # In the answer itself: a URL may expire before a crashed program is back.
        body["response_format"] = "b64_json"
    body = {**body, **ways.fixed, **_streamed(given, model)}
    return with_extra(_grouped(body) if ways.groups else body, extra)


def _streamed(given: Mapping[str, Any], model: str) -> dict[str, Any]:
    """A picture is not streamed unless somebody wants it: unfinished ones cost something."""
    previews, streams = given.get(PARTIAL_IMAGES), given.get(STREAM)
    rest = {name: v for name, v in given.items() if name not in (STREAM, PARTIAL_IMAGES)}
    if streams is False or not (streams or previews):
        return rest
    if re.search(SEEDREAM, model, re.IGNORECASE):
        return {**rest, STREAM: True}
    return {**rest, STREAM: True, PARTIAL_IMAGES: PREVIEWS if previews is None else previews}


def _grouped(body: Mapping[str, Any]) -> dict[str, Any]:
    """Several results as Ark makes them. Which number is the model's own decision, up to this."""
    rest = {name: value for name, value in body.items() if name != "n"}
    most = body.get("n")
    if not isinstance(most, int) or most <= 1:
        return rest
    return {
        **rest,
        "sequential_image_generation": "auto",
        "sequential_image_generation_options": {"max_images": most},
    }
