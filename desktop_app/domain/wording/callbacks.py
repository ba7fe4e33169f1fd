"""What the listener for callbacks may say, kept apart so that wording is edited without touching
it."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "callbacks.port_taken": N_(
        "Providers can't call: {host}, port {port} can't be listened at. Another program may use"
        " it. Jobs are asked for instead; nothing is lost."
    ),
    "callbacks.bad_url": N_(
        "{url} is no address that providers could call. One looks like https://hooks.example.com."
    ),
}
