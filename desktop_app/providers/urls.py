"""Operators paste base URLs in many shapes; every shape must reach the same endpoint."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

_VERSION = re.compile(r"^v\d")
_ENDPOINT = re.compile(
    r"/(chat/completions|completions|responses|messages|images/(generations|edits)"
    r"|models(/[^/]+:\w+)?)$"
)


class BadUrl(ValueError):
    """Not an http(s) address with a host."""


def api_base(base_url: str, default_path: str = "/v1") -> str:
    """The address that endpoint paths are appended to; no trailing slash, no user, no query.

    A path without a version segment (``/v1``, ``/api/v3`` ...) gets ``default_path``; a pasted
    endpoint is cut off. Raises BadUrl.
    """
    try:
        parts = urlsplit(base_url.strip())
        _ = parts.port  # urlsplit checks the port only when asked
    except ValueError as trouble:
        raise BadUrl(base_url) from trouble
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadUrl(base_url)
    path = parts.path.rstrip("/")
    path = _ENDPOINT.sub("", path)
    has_version = any(_VERSION.match(segment) for segment in path.split("/"))
    if not has_version and not path.endswith(default_path):
        path += default_path
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{path}"


def result_url(found: str, base_url: str) -> str:
    """The address of a result as a provider hands it out: a whole one as it is (a signed one must
    not be written anew), the path of one on its own host with that host."""
    url = found.strip()
    return url if "://" in url or not url.startswith("/") else urljoin(base_url.strip(), url)


def path_of(base_url: str) -> str:
    """The path of an address, without a slash at its end. Raises BadUrl."""
    try:
        return urlsplit(base_url.strip()).path.rstrip("/")
    except ValueError as trouble:
        raise BadUrl(base_url) from trouble
