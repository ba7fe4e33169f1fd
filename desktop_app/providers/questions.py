"""Calls that buy nothing: whatever becomes of one, nobody has to fear that it was billed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from desktop_app.domain.errors import Failure, FailureClass, ProviderFailure
from desktop_app.domain.text import message
from desktop_app.providers.error_map import Site, classify, found_wanting
from desktop_app.providers.http.client import HttpClient, Wire
from desktop_app.providers.json_work import decode_json, encode_body

ASK_TIMEOUT_S = 30.0
"""A question is answered at once or asked again."""


class Questions:
    """Asked of one vendor. ``headers`` are those of every call; the key among them goes to the
    connection's own host and to ``key_hosts``."""

    def __init__(
        self,
        site: Site,
        http: HttpClient,
        headers: Callable[[], dict[str, str]],
        key_hosts: Sequence[str] = (),
    ) -> None:
        self._site = site
        self._http = http
        self._headers = headers
        self._key_hosts = key_hosts

    async def send(
        self,
        method: str,
        url: str,
        *,
        body: Mapping[str, Any] | None = None,
        timeout_s: float = ASK_TIMEOUT_S,
    ) -> Wire:
        """The answer, whatever its status. Raises ProviderFailure where none came whole."""
        headers = self._headers()
        content: bytes | None = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = encode_body(body)
        try:
            wire = await self._http.send(
                method,
                url,
                headers=headers,
                body=content,
                timeout_s=timeout_s,
                key_hosts=self._key_hosts,
            )
        except ProviderFailure as trouble:
            raise ProviderFailure(self.of_a_question(trouble.failure)) from None
        if 200 <= wire.status < 300 and not wire.complete:
            raise self._wanting(wire, "asked_cut", "cut_body")
        return wire

    async def ask(
        self,
        method: str,
        url: str,
        *,
        body: Mapping[str, Any] | None = None,
        timeout_s: float = ASK_TIMEOUT_S,
    ) -> tuple[Any, Wire]:
        """The parsed 2xx answer as it is, errors inside included. Raises ProviderFailure."""
        wire = await self.send(method, url, body=body, timeout_s=timeout_s)
        if not 200 <= wire.status < 300:
            raise ProviderFailure(self.failure_of(wire))
        return await self.read(wire), wire

    async def read(self, wire: Wire) -> Any:
        """The JSON in an answer. Raises ProviderFailure."""
        try:
            return await decode_json(wire.body)
        except ValueError:
            raise self._wanting(wire, "asked_unreadable", "unreadable") from None

    def failure_of(self, wire: Wire) -> Failure:
        """What an answer with a status outside 2xx means for the question."""
        return self.of_a_question(classify(self._site, wire, self._http.clock.now()))

    def of_a_question(self, failure: Failure) -> Failure:
        """In doubt about a question, it is asked again, and nothing is said of money."""
        if failure.kind is not FailureClass.UNKNOWN:
            return replace(failure, billed=False)
        what = "asked_unreadable" if failure.code == "too_large" else "asked_silent"
        said = message(f"providers.{what}", host=self._site.host)
        return replace(failure, kind=FailureClass.TRANSIENT, said=said, billed=False)

    def _wanting(self, wire: Wire, said: str, code: str) -> ProviderFailure:
        return ProviderFailure(
            found_wanting(self._site, wire, FailureClass.TRANSIENT, said, code=code, billed=False)
        )
