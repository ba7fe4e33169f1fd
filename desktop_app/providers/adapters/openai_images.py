"""Pictures in OpenAI's manner: OpenAI itself, Volcengine Ark Seedream, gateways, local servers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from desktop_app.domain.attempt import OTHER_MODEL, PARTIAL
from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import FailureClass
from desktop_app.domain.ports import (
    Answer,
    Call,
    Content,
    RawAnswer,
    TestReport,
)
from desktop_app.domain.references import references_of
from desktop_app.domain.task import Request
from desktop_app.providers.entry import AdapterEntry
from desktop_app.providers.figures import whole
from desktop_app.providers.gathering import gathered
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.json_work import decode_base64, is_data_url
from desktop_app.providers.models import is_other_model
from desktop_app.providers.openai_references import as_form, as_json, form_field, rule_of, shown
from desktop_app.providers.picture_fold import CUT, PictureFold
from desktop_app.providers.picture_params import PICTURE_CAPABILITIES, picture_body
from desktop_app.providers.pictures import picture_mime
from desktop_app.providers.probe import probe
from desktop_app.providers.profiles.pictures import PictureWays
from desktop_app.providers.row_model import by_row
from desktop_app.providers.urls import result_url
from desktop_app.providers.vendor_line import VendorLine

_PATH = "/images/generations"
_EDITS = "/images/edits"
CAPABILITIES = PICTURE_CAPABILITIES


class OpenAIImages:
    """Speaks ``/images/generations``, and ``/images/edits`` where pictures are shown to it. Results
    come in base64 or behind a URL."""

    capabilities = CAPABILITIES

    def __init__(self, connection: Connection, secret: str | None, http: HttpClient) -> None:
        self._connection = connection
        self._line = VendorLine(connection, secret, http)

    def body_preview(self, request: Request) -> Mapping[str, Any]:
        """The JSON that ``submit`` sends for this request, or the fields of a form, with names in
        place of pictures; it holds no key."""
        body, references = self._body(request), references_of(request.params)
        names = [shown(one) for one in references]
        if not references:
            return body
        if self._ways.shows:
            return self._showing(body, names)
        return {**body, form_field(len(names)): names if len(names) > 1 else names[0]}

    def _body(self, request: Request) -> dict[str, Any]:
        """Without the pictures."""
        return picture_body(self._connection, request, self._ways)

    def _showing(self, body: Mapping[str, Any], urls: Sequence[str]) -> Mapping[str, Any]:
        """With the pictures, where the request itself takes them."""
        return {**body, self._ways.shows: urls[0] if len(urls) == 1 else list(urls)}

    @property
    def _ways(self) -> PictureWays:
        return self._line.profile.pictures

    async def submit(self, call: Call) -> Answer:
        """Generate. Raises ProviderFailure for everything but pictures in hand."""
        body, references = self._body(call.request), references_of(call.request.params)
        if not references:
            return await self._answer(*await self._line.post(call, _PATH, body, PictureFold))
        found = (references, rule_of(CAPABILITIES, self._connection.model), self._line.http)
        if self._ways.shows:
            upload = await as_json(lambda urls: self._showing(body, urls), *found)
            return await self._answer(*await self._line.post(call, _PATH, upload, PictureFold))
        upload = await as_form(body, *found)
        return await self._answer(*await self._line.post(call, _EDITS, upload, PictureFold))

    async def reread(
        self,
        request: Request,  # noqa: ARG002 - a picture's answer says it all
        raw: RawAnswer,
    ) -> Answer:
        """See ``RereadingAdapter``; a result behind a URL is downloaded now."""
        return await self._answer(*await self._line.reread(raw, PictureFold))

    async def _answer(self, found: Mapping[str, Any], wire: Wire) -> Answer:
        items = self._items(found, wire)
        fetched = await gathered(items, lambda item: self._content(item, wire))
        contents = tuple(one for one in fetched if isinstance(one, Content))
        if not contents:
            _raise(fetched)
        usage = found.get("usage")
        figures = usage if isinstance(usage, Mapping) else {}
        flags: tuple[str, ...] = ()
        if is_other_model(self._connection.model, found.get("model")):
            flags = (OTHER_MODEL,)
        if len(contents) < len(items) or found.get(CUT) or _some_failed(found):
            flags = (*flags, PARTIAL)
        return Answer(
            contents,
            http_status=wire.status,
            request_id=wire.request_id,
            usage=self._line.http.scrub.tree(figures),
            flags=flags,
            news=self._line.news(wire),
            billed_images=len(items),
            tokens=whole(figures.get("total_tokens")),
        )

    def _items(self, found: Mapping[str, Any], wire: Wire) -> list[Mapping[str, Any]]:
        """The usable entries of ``data``. In a group some may have failed alone."""
        if "data" not in found:
            raise self._line.unanswered(wire, found)
        data = found["data"]
        entries = [e for e in data if isinstance(e, Mapping)] if isinstance(data, list) else []
        usable = [e for e in entries if e.get("b64_json") or e.get("url")]
        if usable:
            return usable
        failed = next((e for e in entries if e.get("error")), None)
        if failed is not None:
            raise self._line.hidden_error(wire, failed)
        if found.get("error"):
            raise self._line.hidden_error(wire, found)
        raise self._line.wanting(wire, FailureClass.REFUSED, "empty", code="empty_result")

    async def _content(self, item: Mapping[str, Any], wire: Wire) -> Content:
        encoded, url = item.get("b64_json"), str(item.get("url") or "")
        if not encoded and is_data_url(url):
            encoded = url
        if encoded:
            try:
                data = await decode_base64(str(encoded))
            except ValueError:
                raise self._line.wanting(
                    wire, FailureClass.UNKNOWN, "unreadable", billed=True
                ) from None
        else:
            data = await self._line.http.download(
                result_url(url, self._connection.base_url),
                lambda found: picture_mime(found) is not None,
            )
        mime = picture_mime(data)
        if mime is None:
            raise self._line.wanting(wire, FailureClass.UNKNOWN, "not_a_picture", billed=True)
        return Content(data, mime)

    async def test(self) -> TestReport:
        """The cheapest call that shows whether the key works; never bills."""
        return await probe(self._line, _PATH)

    async def close(self) -> None:
        """Close the line."""
        await self._line.close()


def _some_failed(found: Mapping[str, Any]) -> bool:
    """In a group each may be refused by itself, or the answer tells of it beside what came."""
    data = found.get("data")
    entries = data if isinstance(data, list) else []
    return bool(found.get("error")) or any(
        isinstance(entry, Mapping) and entry.get("error") for entry in entries
    )


def _raise(fetched: Sequence[Content | BaseException]) -> NoReturn:
    raise next(one for one in fetched if isinstance(one, BaseException))


ADAPTER = AdapterEntry(CAPABILITIES, by_row(OpenAIImages))
