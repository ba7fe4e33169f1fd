"""The body of a request: an operator's words for settings, said in Google's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.task import Request
from desktop_app.providers.chat_request import SAVE_AS, STREAM
from desktop_app.providers.gemini.models import is_imagen, makes_pictures, path_of
from desktop_app.providers.inline_pictures import Inline
from desktop_app.providers.request_fields import setting, with_extra
from desktop_app.providers.row_model import MODEL

ASPECT, IMAGE_SIZE, PEOPLE = "aspect_ratio", "image_size", "person_generation"

_OURS = (MODEL, SAVE_AS, STREAM, REFERENCE)
_NAMES = {
    "max_tokens": "maxOutputTokens",
    "n": "candidateCount",
    "top_p": "topP",
    "top_k": "topK",
    "stop": "stopSequences",
}
_OF_IMAGE = {ASPECT: "aspectRatio", IMAGE_SIZE: "imageSize"}
_OF_IMAGEN = {
    ASPECT: "aspectRatio",
    IMAGE_SIZE: "sampleImageSize",
    PEOPLE: "personGeneration",
    "n": "sampleCount",
}


def target_of(connection: Connection, request: Request) -> str:
    """Where a request goes."""
    model = connection.model
    if is_imagen(model):
        return path_of(model, "predict")
    params, _ = setting(connection, request.params, {})
    if makes_pictures(model) or not params.get(STREAM, True):
        return path_of(model, "generateContent")
    return path_of(model, "streamGenerateContent") + "?alt=sse"


def body_of(
    connection: Connection, request: Request, pictures: Sequence[Inline]
) -> Mapping[str, Any]:
    """What is posted."""
    params, extra = setting(connection, request.params, request.extra)
    for ours in _OURS:
        params.pop(ours, None)
    if is_imagen(connection.model):
        return with_extra(_prediction(request.prompt, params), extra)
    system = params.pop("system", None)
    config: dict[str, Any] = {}
    if makes_pictures(connection.model):
        config["responseModalities"] = ["TEXT", "IMAGE"]
        shape = {theirs: params.pop(ours) for ours, theirs in _OF_IMAGE.items() if ours in params}
        if shape:
            config["imageConfig"] = shape
    config |= {_NAMES.get(name, name): value for name, value in params.items()}
    shown = [{"inlineData": {"mimeType": one.mime, "data": one.data}} for one in pictures]
    content = {"role": "user", "parts": [*shown, {"text": request.prompt}]}
    body: dict[str, Any] = {"contents": [content]}
    if system:
        body["systemInstruction"] = {"parts": [{"text": str(system)}]}
    if config:
        body["generationConfig"] = config
    return with_extra(body, extra)


def _prediction(prompt: str, params: Mapping[str, Any]) -> dict[str, Any]:
    # Without the reasons, what was filtered leaves no trace in the answer.
    settings = {"sampleCount": 1, "includeRaiReason": True}
    settings |= {_OF_IMAGEN.get(name, name): value for name, value in params.items()}
    return {"instances": [{"prompt": prompt}], "parameters": settings}
