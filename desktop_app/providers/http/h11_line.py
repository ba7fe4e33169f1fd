"""One connection spoken over with h11: what a call says and hears, and nothing of which line it
takes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence

import h11
import httpcore
import httpx

from desktop_app.providers.http.lines import Content

_HEAD_BYTES = 100 * 1024
_READ_BYTES = 64 * 1024


class H11Line:
    """Carries one call at a time. What breaks it is raised as httpx.TransportError."""

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._state = h11.Connection(h11.CLIENT, max_incomplete_event_size=_HEAD_BYTES)
        self._is_closed = False

    @property
    def has_ended(self) -> bool:
        """Of an idle one: whether something came, which is its end."""
        return bool(self._stream.get_extra_info("is_readable"))

    async def say(
        self, method: str, target: bytes, headers: Sequence[tuple[bytes, bytes]], content: Content
    ) -> None:
        """Send a request."""
        try:
            await self._send(h11.Request(method=method, target=target, headers=list(headers)))
            if isinstance(content, AsyncGenerator):
                async for piece in content:
                    await self._send(h11.Data(data=piece))
            elif content:
                await self._send(h11.Data(data=content))
            await self._send(h11.EndOfMessage())
        except h11.LocalProtocolError as trouble:
            raise httpx.LocalProtocolError(str(trouble)) from trouble
        except httpcore.WriteError:
            pass  # some servers answer, and close, before they have heard all

    async def _send(self, event: h11.Event) -> None:
        data = self._state.send(event)
        if data:
            await self._stream.write(data)

    async def head(self) -> h11.Response:
        """Wait for the head of the answer."""
        while True:
            event = await self._event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse):
                raise httpx.RemoteProtocolError("What came is no answer.")

    async def part(self) -> bytes | None:
        """Wait for more of its body; None at its end."""
        event = await self._event()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    async def _event(self) -> object:
        while True:
            try:
                event = self._state.next_event()
            except h11.RemoteProtocolError as trouble:
                raise httpx.RemoteProtocolError(str(trouble)) from trouble
            if event is not h11.NEED_DATA:
                return event
            try:
                data = await self._stream.read(_READ_BYTES)
            except httpcore.ReadError as trouble:
                raise httpx.ReadError(str(trouble)) from trouble
            if not data and self._state.their_state is h11.SEND_RESPONSE:
                raise httpx.RemoteProtocolError("Server disconnected without sending a response.")
            self._state.receive_data(data)

    def serves_again(self) -> bool:
        """Once a call is over: whether both sides have said all, and want more of each other. The
        next call may begin then."""
        state = self._state
        if self._is_closed or state.our_state is not h11.DONE or state.their_state is not h11.DONE:
            return False
        state.start_next_cycle()
        more, has_ended = state.trailing_data
        return not more and not has_ended

    async def aclose(self) -> None:
        """At once."""
        if not self._is_closed:
            self._is_closed = True
            await self._stream.aclose()
