"""Reference pictures as OpenAI's manner of speaking takes them: files in a form, or inside JSON."""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from desktop_app.domain.ports import Capabilities, ReferenceRule
from desktop_app.domain.references import Reference
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.upload import FormFile, Piece, Upload, form_upload, json_upload
from desktop_app.providers.reference_files import (
    CheckedFile,
    Encoded,
    Fetched,
    check_file,
    fetch,
    too_many,
)

Rule = ReferenceRule | None


def rule_of(capabilities: Capabilities, model: str) -> Rule:
    """The model's rule; None where it takes no pictures."""
    return next(iter(capabilities.of(model).references), None)


def shown(reference: Reference) -> str:
    """What a preview says in place of the picture."""
    return reference.url or f"<{reference.name}>"


def form_field(count: int) -> str:
    """OpenAI's name for one picture, and for several."""
    return "image" if count == 1 else "image[]"


async def as_form(
    fields: Mapping[str, Any], references: Sequence[Reference], rule: Rule, http: HttpClient
) -> Upload:
    """The fields with the pictures as files. Raises ProviderFailure where one can't be had."""
    field = form_field(len(references))
    files = []
    for one in await in_hand(references, rule, http):
        content: bytes | Piece = one.content if isinstance(one, Fetched) else one
        files.append(FormFile(field, _file_name(one), one.mime, content))
    return await asyncio.to_thread(form_upload, fields, files)


async def as_json(
    body: Callable[[Sequence[str]], Mapping[str, Any]],
    references: Sequence[Reference],
    rule: Rule,
    http: HttpClient,
    *,
    bare: bool = False,
) -> Upload:
    """What ``body`` makes of the pictures' addresses, in order: their own where the provider
    fetches them, else their content (``bare``: in base64 alone, not as an address). Raises
    ProviderFailure where one can't be had."""
    theirs = rule is not None and rule.urls
    ours = [one for one in references if not (theirs and one.url)]
    found = iter(await in_hand(ours, rule, http, of=len(references)))
    held: dict[str, Sequence[bytes | Piece]] = {}
    addresses = []
    for one in references:
        address = one.url
        if not (theirs and one.url):
            address = secrets.token_hex(16)
            head_and_content = await _data_uri(next(found))
            held[address] = head_and_content[1:] if bare else head_and_content
        addresses.append(address)
    return json_upload(body(addresses), held)


async def in_hand(
    references: Sequence[Reference], rule: Rule, http: HttpClient, of: int | None = None
) -> list[CheckedFile | Fetched]:
    """Each looked at, or fetched. ``of``: how many the request shows in all. Raises
    ProviderFailure where one can't be had."""
    if rule is None or (len(references) if of is None else of) > rule.most:
        raise too_many(0 if rule is None else rule.most)
    return [
        await fetch(one, rule, http) if one.url else await asyncio.to_thread(check_file, one, rule)
        for one in references
    ]


async def _data_uri(picture: CheckedFile | Fetched) -> tuple[bytes, bytes | Piece]:
    head = f"data:{picture.mime};base64,".encode()
    if isinstance(picture, CheckedFile):
        return head, Encoded(picture)
    return head, await asyncio.to_thread(base64.b64encode, picture.content)


def _file_name(picture: CheckedFile | Fetched) -> str:
    if isinstance(picture, CheckedFile):
        return picture.reference.name
    return f"picture.{picture.mime.partition('/')[2]}"
