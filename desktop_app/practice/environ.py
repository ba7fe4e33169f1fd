"""What the app hands to its practice server, apart from the server itself: starting one needs no
web server in one's own process."""

from __future__ import annotations

import secrets

ENV_KEY = "BATCHWRIGHT_PRACTICE_KEY"
"""Environment variable that gives the key (never argv: other users can read that)."""

ENV_CHILD = "BATCHWRIGHT_PRACTICE_CHILD"
"""Set to 1 by ``PracticeProcess``: speak JSON, and end when stdin does."""


def new_key() -> str:
    """A random key, not a secret of anybody's account."""
    return f"practice-{secrets.token_urlsafe(24)}"
