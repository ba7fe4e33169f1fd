"""What a finished job made: found in its answer, fetched without the key, looked at once."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, TypeGuard

from desktop_app.domain.attempt import PARTIAL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.jobs import RESULT_EXPIRED
from desktop_app.domain.ports import Answer, Content
from desktop_app.providers.figures import whole
from desktop_app.providers.gathering import gathered
from desktop_app.providers.http.client import Wire
from desktop_app.providers.http.download import NotFetched
from desktop_app.providers.job_file.model import JobFile
from desktop_app.providers.json_work import decode_base64, is_data_url
from desktop_app.providers.models import is_other_model
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.urls import result_url
from desktop_app.providers.vendor_line import VendorLine


class Kind(Enum):
    """How a result came."""

    URL = auto()
    BASE64 = auto()
    TEXT = auto()


@dataclass(frozen=True, slots=True)
class Item:
    """One result: an address, base64, or the text itself."""

    kind: Kind
    value: str


@dataclass(frozen=True, slots=True)
class Made:
    """What an answer shows: usable ``items``, and how many were ``hidden`` by content rules;
    ``is_nowhere``: it has no place for any."""

    items: Sequence[Item]
    hidden: int = 0
    is_nowhere: bool = False


class Results:
    """Of one connection."""

    def __init__(self, job: JobFile, connection: Connection, line: VendorLine) -> None:
        self._job = job
        self._connection = connection
        self._line = line

    def of(self, found: Any) -> Made:
        """What this answer shows."""
        result = self._job.result
        items: list[Item] = []
        is_nowhere = True
        for path, kind in (
            (result.urls, Kind.URL),
            (result.base64, Kind.BASE64),
            (result.text, Kind.TEXT),
        ):
            if path is not None:
                items += [Item(kind, one) for one in _texts(path.every(found))]
                is_nowhere = is_nowhere and path.find(found) is None
        flags = result.flagged.every(found) if result.flagged is not None else []
        if len(flags) == 1:
            flags *= len(items)
        clean = [one for at, one in enumerate(items) if not (at < len(flags) and flags[at] is True)]
        return Made(clean, len(items) - len(clean), is_nowhere)

    async def answer(
        self,
        found: Any,
        wire: Wire,
        model: str | None = None,
        kept: MutableMapping[Any, Any] | None = None,
    ) -> Answer:
        """The results in hand; of several those that could be had. ``model``: which one was asked,
        where it may not be the connection's; ``kept``: see ``gathered``. Raises ProviderFailure
        where there is none."""
        made = self.of(found)
        fetched = await gathered(made.items, lambda item: self._content(item, wire), kept)
        contents = tuple(one for one in fetched if isinstance(one, Content))
        if not contents:
            raise next(one for one in fetched if isinstance(one, BaseException))
        figures = self._job.figures
        usage = figures.usage.find(found) if figures.usage is not None else None
        counted = figures.images.find(found) if figures.images is not None else None
        tokens = figures.tokens.find(found) if figures.tokens is not None else None
        return Answer(
            contents,
            http_status=wire.status,
            request_id=wire.request_id,
            usage=self._line.http.scrub.tree(usage) if isinstance(usage, dict) else {},
            flags=self._flags(found, made, len(contents), model or self._connection.model),
            news=self._line.news(wire),
            billed_images=whole(counted) or len(made.items) + made.hidden,
            tokens=whole(tokens),
            missing=next((one.failure for one in fetched if _may_come(one)), None),
        )

    def _flags(self, found: Any, made: Made, got: int, model: str) -> tuple[str, ...]:
        result = self._job.result
        total = whole(result.total.find(found)) if result.total is not None else None
        asked = max(total or 0, len(made.items) + made.hidden)
        flags = []
        if result.model is not None:
            other = is_other_model(model, result.model.find(found))
            flags += ["other_model"] if other else []
        if result.cut is not None and result.cut.find(found):
            flags.append("length")
        if got < asked:
            flags.append(PARTIAL)
        return tuple(flags)

    async def _content(self, item: Item, wire: Wire) -> Content:
        text = self._job.capabilities.makes == "text"
        if item.kind is Kind.TEXT:
            return Content(item.value.encode("utf-8", "replace"), "text/plain", item.value)
        if item.kind is Kind.BASE64 or is_data_url(item.value):
            data = await self._decoded(item.value, wire)
        else:
            wanted = bool if text else _is_picture
            url = result_url(item.value, self._connection.base_url)
            data = await self._line.http.download(url, wanted)
        if text:
            return self._text(data, wire)
        mime = picture_mime(data)
        if mime is None:
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "not_a_picture", billed=True)
        return Content(data, mime)

    def _text(self, data: bytes, wire: Wire) -> Content:
        try:
            return Content(data, "text/plain", data.decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise self._line.wanting(
                wire, FailureClass.UNKNOWN, "unreadable", billed=True
            ) from None

    async def _decoded(self, value: str, wire: Wire) -> bytes:
        try:
            return await decode_base64(value)
        except ValueError:
            raise self._line.wanting(
                wire, FailureClass.UNKNOWN, "unreadable", billed=True
            ) from None


def _may_come(fetched: Content | BaseException) -> TypeGuard[NotFetched]:
    """Whether another try, at this address or at a fresh one, may bring it."""
    if not isinstance(fetched, NotFetched):
        return False
    return not fetched.final or fetched.failure.code == RESULT_EXPIRED


def _is_picture(data: bytes) -> bool:
    return picture_mime(data) is not None


def _texts(found: Sequence[Any]) -> list[str]:
    texts: list[str] = []
    for one in found:
        if isinstance(one, str) and one.strip():
            texts.append(one)
        elif isinstance(one, list):
            texts += _texts(one)
    return texts
