"""Reference pictures inside JSON, each with its kind beside it, for Anthropic and Google."""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from desktop_app.domain.references import Reference
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.upload import Piece, Upload, json_upload
from desktop_app.providers.openai_references import Rule, in_hand, shown
from desktop_app.providers.reference_files import CheckedFile, Encoded


@dataclass(frozen=True, slots=True)
class Inline:
    """A picture: its ``url`` where the provider fetches it, else base64 ``data`` of a ``mime``."""

    url: str = ""
    mime: str = ""
    data: str = ""


def previewed(reference: Reference) -> Inline:
    """What a preview says in place of the picture."""
    return Inline(mime="image/*", data=shown(reference))


async def with_pictures(
    body: Callable[[Sequence[Inline]], Mapping[str, Any]],
    references: Sequence[Reference],
    rule: Rule,
    http: HttpClient,
) -> Upload:
    """What ``body`` makes of the pictures, in order; their content leaves as it is read. Raises
    ProviderFailure where one can't be had."""
    theirs = rule is not None and rule.urls
    ours = [one for one in references if not (theirs and one.url)]
    found = iter(await in_hand(ours, rule, http, of=len(references)))
    held: dict[str, Sequence[bytes | Piece]] = {}
    pictures: list[Inline] = []
    for one in references:
        if theirs and one.url:
            pictures.append(Inline(url=one.url))
            continue
        picture, mark = next(found), secrets.token_hex(16)
        content: bytes | Piece
        if isinstance(picture, CheckedFile):
            content = Encoded(picture)
        else:
            content = await asyncio.to_thread(base64.b64encode, picture.content)
        held[mark] = (content,)
        pictures.append(Inline(mime=picture.mime, data=mark))
    return json_upload(body(pictures), held)
