"""What adapters share whose vendor speaks JSON over HTTP: address, key, sending, reading errors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from desktop_app.domain.connection import Connection
from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.ports import Call, Preview, RateNews, RawAnswer
from desktop_app.domain.text import message
from desktop_app.providers.answer_reading import AnswerReading
from desktop_app.providers.error_body import Reading, error_of
from desktop_app.providers.error_map import Site
from desktop_app.providers.folding import Fold, FoldListener
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.http.proxies import is_loopback
from desktop_app.providers.http.upload import Upload
from desktop_app.providers.json_work import encode_body, mended
from desktop_app.providers.manner import BEARER as BEARER
from desktop_app.providers.manner import Manner as Manner
from desktop_app.providers.presets import preset_of
from desktop_app.providers.profiles import GENERIC, profile_of
from desktop_app.providers.profiles.rule import Profile
from desktop_app.providers.questions import Questions
from desktop_app.providers.transport_errors import setup_failure
from desktop_app.providers.urls import BadUrl, api_base
from desktop_app.providers.wait_hints import rate_news


class VendorLine:
    """One connection, spoken to in its vendor's manner. ``hidden_error``, ``wanting`` and
    ``unanswered`` make the failures of good answers, see ``AnswerReading``."""

    def __init__(
        self,
        connection: Connection,
        secret: str | None,
        http: HttpClient,
        manner: Manner = BEARER,
        home: Profile = GENERIC,
        profile: Profile | None = None,
        read: Reading = error_of,
    ) -> None:
        """``home``: whose words the adapter speaks where the host is nobody's known one;
        ``profile``: whose it speaks at any host. ``read`` finds the vendor's errors in JSON."""
        self.connection = connection
        self.http = http
        self._manner = manner
        known = profile_of(connection)
        self.profile = profile or (home if known is GENERIC else known)
        self._secret = (secret or "").strip()
        has_key = bool(self._secret)
        self._is_sayable = all("!" <= sign <= "~" for sign in self._secret)
        self._base: str | None = None
        self.site = Site(connection.host, connection.model, self.profile, http.scrub, has_key, read)
        self._reading = AnswerReading(self.site, http.clock)
        self.hidden_error, self.wanting = self._reading.hidden_error, self._reading.wanting
        self.unanswered = self._reading.unanswered
        self.questions = Questions(self.site, http, self.headers, manner.key_hosts)

    @property
    def has_key(self) -> bool:
        """Whether calls carry a key."""
        return bool(self._secret)

    async def post(
        self,
        call: Call,
        path: str,
        body: Mapping[str, Any] | Upload,
        folds: Callable[[], Fold] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[Any, Wire]:
        """Send ``body``, with ``headers`` of this call's own, and return the parsed 2xx answer, in
        which no error is hidden.

        Where it comes as a stream, one of ``folds`` puts it together as it comes, and ``call`` may
        be asked meanwhile; the Wire then holds its words instead of its events. One whose line
        broke behind its end is whole. Raises ProviderFailure for everything else; of a stream that
        broke, with what had come of it.
        """
        content = body if isinstance(body, Upload) else encode_body(body)
        kind = body.content_type if isinstance(body, Upload) else "application/json"
        sent = {**(headers or {}), **self.headers(), "Content-Type": kind}
        # Few providers honour the first; the second lets their support find a lost answer.
        sent["Idempotency-Key"] = call.idempotency_key
        sent["X-Client-Request-Id"] = call.idempotency_key
        fold = folds() if folds is not None else None
        listener = FoldListener(fold) if fold is not None else None
        call.peek = partial(self._peek, fold) if fold is not None else None
        try:
            wire = await self.http.send(
                "POST",
                self.url(path),
                headers=sent,
                body=content,
                timeout_s=call.timeout_s,
                on_begin=call.begin,
                on_whole=lambda wire: self._put_aside(call, wire),
                listener=listener,
            )
        except ProviderFailure as broke:
            kept = await self._kept(call, listener)
            if kept is None:
                raise self._reading.with_what_came(broke, fold) from None
            return await self._reading.of(kept, call.received)
        heard = fold if listener is not None and listener.end() else None
        kept = None if wire.complete else await self._kept(call, listener)
        if kept is not None:
            return await self._reading.of(kept, call.received)
        return await self._reading.of(wire, call.received, folds, heard)

    async def _kept(self, call: Call, listener: FoldListener | None) -> Wire | None:
        """What came of a stream whose line broke, put aside like any whole answer; None where it
        is no result."""
        wire = None if listener is None else await listener.in_one_piece(self.http.scrub)
        if wire is not None:
            self._put_aside(call, wire)
        return wire

    async def reread(
        self, raw: RawAnswer, folds: Callable[[], Fold] | None = None
    ) -> tuple[Any, Wire]:
        """What ``post`` would have returned, or raised, for an answer of an earlier process."""
        wire = Wire(raw.status, raw.headers, raw.body, raw.elapsed_s)
        return await self._reading.of(wire, lambda: None, folds)

    def _peek(self, fold: Fold) -> Preview:
        found, clean = fold.peek(), self.http.scrub
        text, thinking = mended([found.text, found.thinking])
        return replace(found, text=clean(text), thinking=clean(thinking))

    def _put_aside(self, call: Call, wire: Wire) -> None:
        body = wire.body
        if not 200 <= wire.status < 300:
            body = self.http.scrub(body.decode("utf-8", "replace")).encode()
        elif self._secret and self._secret.encode() in body:
            return  # a result is not altered, and a key is not written
        headers = {name: value for name, value in wire.headers.items() if name != "set-cookie"}
        call.whole(RawAnswer(wire.status, headers, body, wire.elapsed_s))

    def news(self, wire: Wire) -> RateNews:
        """What the answer's headers say about limits."""
        return rate_news(wire.headers, self.http.clock.now())

    def url(self, path: str) -> str:
        """The endpoint's address. Raises ProviderFailure when the base URL is none."""
        if self._base is None:
            address = self.connection.base_url
            try:
                self._base = api_base(address, self.profile.default_path)
            except BadUrl:
                said = message("providers.bad_url", url=self.http.scrub.line(address))
                raise ProviderFailure(setup_failure("bad_url", said)) from None
        return self._base + path

    def headers(self) -> dict[str, str]:
        """The key's header, where a key is needed, and the vendor's own. Raises ProviderFailure
        ``account`` for a key that is missing or can't be one: nothing is sent then."""
        host = self.connection.host
        if not self._secret:
            if self._needs_key():
                said = message("providers.no_key", host=host)
                raise ProviderFailure(setup_failure("no_key", said))
            return dict(self._manner.fixed)
        if not self._is_sayable:
            raise ProviderFailure(setup_failure("bad_key", message("providers.bad_key", host=host)))
        manner = self._manner
        return {**manner.fixed, manner.key_header: manner.key_prefix + self._secret}

    def _needs_key(self) -> bool:
        if is_loopback(self.connection.host.rpartition(":")[0] or self.connection.host):
            return False
        preset = preset_of(self.connection.preset)
        return preset.needs_key if preset is not None else self.profile.needs_key

    async def close(self) -> None:
        """Close the line."""
        await self.http.close()
