"""What is sent under a reference picture's name is what was checked when its sheet was imported, to
the byte; anything else ends the row before a paid call."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.jobs import RESULT_EXPIRED
from desktop_app.domain.ports import ReferenceRule
from desktop_app.domain.references import Reference
from desktop_app.domain.text import message
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.download import NotFetched
from desktop_app.providers.pictures import picture_mime

STRETCH = 3 * 64 * 1024
"""Bytes that are read at once; threes, so that one's base64 goes on where the last one's ended."""

_FOR_GOOD = frozenset({RESULT_EXPIRED, "too_large", "not_a_picture"})


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file that had the right content a moment ago. ``marks`` identify all of it up to the end
    of each stretch: no other byte leaves, also where the file is written to meanwhile."""

    reference: Reference
    mime: str
    length: int
    marks: tuple[bytes, ...]

    def stretches(self) -> Iterator[bytes]:
        """The content. Blocks. Raises ProviderFailure where it is not what it was."""
        try:
            with Path(self.reference.path).open("rb") as file:
                hasher = hashlib.sha256()
                for mark in self.marks:
                    stretch = file.read(STRETCH)
                    hasher.update(stretch)
                    if hasher.digest() != mark:
                        raise _changed(self.reference)
                    yield stretch
        except OSError as error:
            raise _missing(self.reference, error) from None


@dataclass(frozen=True, slots=True)
class Encoded:
    """A file in base64."""

    file: CheckedFile

    @property
    def length(self) -> int:
        """Characters."""
        return (self.file.length + 2) // 3 * 4

    def stretches(self) -> Iterator[bytes]:
        """See ``CheckedFile``."""
        return (base64.b64encode(stretch) for stretch in self.file.stretches())


@dataclass(frozen=True, slots=True)
class Fetched:
    """A picture that was fetched from its address."""

    reference: Reference
    mime: str
    content: bytes


def check_file(reference: Reference, rule: ReferenceRule) -> CheckedFile:
    """Read it once. Blocks. Raises ProviderFailure ``invalid``: it is not there, or not what was
    imported, or nothing that the model takes; nothing was sent then."""
    hasher = hashlib.sha256()
    marks: list[bytes] = []
    length, head = 0, b""
    try:
        with Path(reference.path).open("rb") as file:
            while stretch := file.read(STRETCH):
                head = head or stretch[:64]
                length += len(stretch)
                hasher.update(stretch)
                marks.append(hasher.digest())
                if length > rule.max_bytes:
                    break
    except OSError as error:
        raise _missing(reference, error) from None
    # First: a picture of the right content was within the rules of its import.
    if length <= rule.max_bytes and hasher.hexdigest() != reference.sha256:
        raise _changed(reference)
    return CheckedFile(reference, _fit(reference, rule, head, length), length, tuple(marks))


async def fetch(reference: Reference, rule: ReferenceRule, http: HttpClient) -> Fetched:
    """Download it, without a key. Raises ProviderFailure: ``invalid`` where trying again would
    bring nothing else, ``offline`` where the provider can't be reached either, else ``transient``;
    nothing was sent to the provider then."""
    try:
        content = await http.download(reference.url, lambda data: picture_mime(data) is not None)
    except NotFetched as trouble:
        found = trouble.failure
        final = trouble.final or found.code in _FOR_GOOD
        if not final:
            await http.check_line()  # without a network it is not the row that fails
        host = urlsplit(reference.url).netloc.rpartition("@")[2]
        raise ProviderFailure(
            Failure(
                FailureClass.INVALID if final else FailureClass.TRANSIENT,
                "reference_unreachable",
                message("providers.reference_unreachable", host=host),
                body=found.body,
                sent=False,
                billed=False,
            )
        ) from None
    return Fetched(reference, _fit(reference, rule, content[:64], len(content)), content)


def too_many(most: int) -> ProviderFailure:
    """The request shows more pictures than the model takes."""
    said = message("providers.references_many", limit=most)
    if not most:
        said = message("providers.references_none")
    return _failure("references_many", said)


def _fit(reference: Reference, rule: ReferenceRule, head: bytes, length: int) -> str:
    mime = picture_mime(head)
    if mime not in rule.mimes or length > rule.max_bytes:
        kinds = [kind.partition("/")[2].upper() for kind in rule.mimes]
        said = message(
            "providers.reference_unfit", file=reference.name, kinds=kinds, megabytes=rule.most_mb
        )
        raise _failure("reference_unfit", said)
    return mime


def _missing(reference: Reference, error: OSError) -> ProviderFailure:
    why = error.strerror or type(error).__name__
    said = message("providers.reference_missing", file=reference.path, why=why)
    return _failure("reference_missing", said, lost=_lost_folder(Path(reference.path)))


def _lost_folder(file: Path) -> str:
    """The topmost folder above the file that is not there; empty where all are."""
    gone = ""
    for folder in file.parents:
        try:
            if folder.is_dir():
                break
        except OSError:  # a server that no longer answers is as good as gone
            pass
        gone = str(folder)
    return gone


def _changed(reference: Reference) -> ProviderFailure:
    said = message("providers.reference_changed", file=reference.path)
    return _failure("reference_changed", said)


def _failure(code: str, said: Any, lost: str = "") -> ProviderFailure:
    # Not sent, also where some of it had left: no server takes half of one for a request.
    return ProviderFailure(
        Failure(FailureClass.INVALID, code, said, sent=False, billed=False, lost=lost)
    )
