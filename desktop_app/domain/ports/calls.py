"""One call on its way through an adapter, which tells the house how far it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from desktop_app.domain.ports.answers import Preview, RawAnswer
from desktop_app.domain.task import Request


@dataclass(slots=True)
class Call:
    """One attempt on its way through an adapter.

    ``on_begin`` is called synchronously at the very moment the first byte of the request is about
    to leave (after connect and TLS); from then on the request has begun. ``begun`` tells so.

    ``peek`` says what has come so far, where the adapter hears its answer come and has set it. It
    is asked only while somebody looks, and then some times a second, so that a word that comes
    costs nothing here.

    ``callback_url``: where the provider may say that a job has ended; an adapter that passes it on
    returns a Job with ``calls_back``. ``callback_secret``: with what such a call is to be signed,
    where the provider takes one for each.
    """

    request: Request
    idempotency_key: str
    timeout_s: float
    on_begin: Callable[[], None] = lambda: None
    begun: bool = False
    on_receive: Callable[[], None] = lambda: None
    on_whole: Callable[[RawAnswer], None] = lambda _: None
    peek: Callable[[], Preview] | None = None
    callback_url: str | None = None
    callback_secret: str | None = field(default=None, repr=False)

    def begin(self) -> None:
        """Mark the request as begun, once."""
        if not self.begun:
            self.begun = True
            self.on_begin()

    def whole(self, raw: RawAnswer) -> None:
        """The last byte of the answer is in: it is put where a crash cannot take it."""
        self.on_whole(raw)

    def received(self) -> None:
        """A whole answer is in and is decoded next: if that kills the program, this row did it."""
        self.on_receive()
