"""An answer as adapters get to see it, whatever line it took."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wire:
    """An answer as it came. Header names are lower case; ``elapsed_s`` counts from the moment the
    request began to leave; ``complete`` is False when the body was cut short."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    elapsed_s: float
    complete: bool = True

    @property
    def request_id(self) -> str | None:
        """The provider's name for this call, for its support."""
        for name in ("x-request-id", "request-id", "x-litellm-call-id", "cf-ray"):
            if self.headers.get(name):
                return self.headers[name][:200]
        return None


def headers_without_key(headers: Mapping[str, str], scrub: Callable[[str], str]) -> dict[str, str]:
    """Request ids are kept and shown, and some servers repeat what they were sent. In one go,
    since an answer waits meanwhile. Names become lower case."""
    told = {name.lower(): value for name, value in headers.items()}
    lines = "\n".join([f"{name}:{value}" for name, value in told.items()])
    clean = scrub(lines)
    if clean == lines:
        return told
    fields = (line.partition(":") for line in clean.split("\n"))
    return {name: value for name, _, value in fields}
