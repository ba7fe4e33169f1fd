"""Google puts what matters of an error into its details: the reason, and which quota it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from desktop_app.providers.error_body import ErrorBody, error_of
from desktop_app.providers.gemini.lists import objects


def read_error(found: Any, text: str = "") -> ErrorBody:
    """As ``error_of``, with the details' words before the others."""
    body = error_of(found, text)
    words = tuple(_words(body.fields.get("details")))
    return replace(body, codes=tuple(dict.fromkeys((*words, *body.codes)))) if words else body


def _words(details: object) -> Iterator[str]:
    for one in objects(details):
        if isinstance(one.get("reason"), str):
            yield one["reason"]
        quotas = [v.get("quotaId") for v in objects(one.get("violations"))]
        # A day's quota says more than a minute's that is used up with it.
        yield from sorted(
            (quota for quota in quotas if isinstance(quota, str)), key=lambda q: "PerDay" not in q
        )
