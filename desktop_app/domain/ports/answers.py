"""What comes back from a provider, in words that no provider owns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop_app.domain.errors import Failure


@dataclass(frozen=True, slots=True)
class Content:
    """A result as it came: raw bytes, already base64-decoded; ``mime`` as claimed or sniffed."""

    data: bytes
    mime: str
    text: str | None = None


@dataclass(frozen=True, slots=True)
class RateNews:
    """What an answer's headers said about limits; None where they said nothing.
    ``no_tokens_s``: in how many seconds there are tokens again, where they are used up."""

    limit_requests: float | None = None
    remaining_requests: float | None = None
    reset_requests_s: float | None = None
    window_s: float | None = None
    no_tokens_s: float | None = None


NO_NEWS = RateNews()


@dataclass(frozen=True, slots=True)
class Answer:
    """A positive answer: at least one Content that is not empty.

    ``usage`` holds the provider's own figures (``total_tokens`` ...); ``flags`` e.g. ``length``;
    ``missing``: of a job's results some could not be fetched, for this reason, and may still be
    had: ``collect`` is worth another call.
    """

    contents: tuple[Content, ...]
    http_status: int = 200
    request_id: str | None = None
    usage: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    news: RateNews = NO_NEWS
    billed_images: int = 1
    tokens: int | None = None
    missing: Failure | None = None


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """A whole answer as it came, good or bad, before anybody looked at it; free of the key.
    Header names are lower case; ``elapsed_s`` counts from the moment the request began to leave."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class UnfinishedPicture:
    """``no`` counts those of one answer. ``read`` decodes its bytes, which takes so long that it is
    called in another thread; it raises ValueError for what is none."""

    no: int
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class Preview:
    """What has come of an answer so far. Nothing of it is a result yet: it is shown and never
    kept. ``thinking`` is what the model says to itself before it answers; ``progress`` how far it
    is, in the provider's words."""

    text: str = ""
    thinking: str = ""
    progress: str = ""
    picture: UnfinishedPicture | None = None
