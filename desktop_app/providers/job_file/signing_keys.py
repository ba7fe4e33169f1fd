"""A vendor's public keys are for everybody: they are fetched without the connection's key, and from
nowhere but the address that the provider file names."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from desktop_app.domain.errors import ProviderFailure
from desktop_app.domain.text import message
from desktop_app.providers.callbacks.public_keys import MOST_BYTES, keys_of
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.transport_errors import setup_failure


async def signing_keys(url: str, http: HttpClient) -> str:
    """What the key set at ``url`` holds, as ``keys_of`` says. Raises ProviderFailure."""
    found = await (await http.keyless()).document(url, MOST_BYTES)
    try:
        return await asyncio.to_thread(keys_of, found)
    except ValueError as error:
        host = urlsplit(url).netloc
        said = message("providers.download_failed", host=host, text=str(error))
        raise ProviderFailure(setup_failure("no_signing_keys", said)) from None
