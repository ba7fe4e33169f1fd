"""A password store that a test fills through the environment: the window reads keys from none."""

from __future__ import annotations

import os

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError, PasswordSetError

PREFIX = "TEST_KEYRING_"


class Keyring(KeyringBackend):
    """Read only; the entry of a user is the variable ``TEST_KEYRING_<user>``."""

    priority = 1  # type: ignore[assignment]

    def get_password(self, service: str, username: str) -> str | None:
        return os.environ.get(PREFIX + username)

    def set_password(self, service: str, username: str, password: str) -> None:
        raise PasswordSetError("read only")

    def delete_password(self, service: str, username: str) -> None:
        raise PasswordDeleteError("read only")
