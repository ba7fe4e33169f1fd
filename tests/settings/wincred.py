"""Windows' Credential Manager as the keyring package meets it, with its true limits."""

from __future__ import annotations

from typing import Any

MOST_BYTES = 5 * 512
"""``CRED_MAX_CREDENTIAL_BLOB_SIZE``; the package hands over UTF-16."""

MOST_USER = 513
"""``CRED_MAX_USERNAME_LENGTH``, with the terminating zero."""


class Error(Exception):
    """``pywintypes.error``: no KeyringError, as the package lets it through."""

    def __init__(self, winerror: int, funcname: str, strerror: str) -> None:
        super().__init__(winerror, funcname, strerror)
        self.winerror, self.funcname, self.strerror = winerror, funcname, strerror


class PyWinTypes:
    """The module ``pywintypes``."""

    error = Error


class Win32Cred:
    """The module ``win32cred`` over a dict. Targets do not know upper from lower case. After
    ``left`` more writes and deletions the machine is gone: that one raises and so do all after."""

    CRED_TYPE_GENERIC = 1
    CRED_PERSIST_ENTERPRISE = 3

    def __init__(self) -> None:
        self.stored: dict[str, dict[str, Any]] = {}
        self.left: int | None = None

    def CredRead(self, Type: int, TargetName: str) -> dict[str, Any]:  # noqa: N802, N803
        assert Type == self.CRED_TYPE_GENERIC
        found = self.stored.get(TargetName.casefold())
        if found is None:
            raise Error(1168, "CredRead", "Element not found")
        return dict(found)

    def CredWrite(self, credential: dict[str, Any], flags: int) -> None:  # noqa: N802
        assert flags == 0
        self._one_less("CredWrite")
        blob = credential["CredentialBlob"].encode("utf-16-le")
        if len(blob) > MOST_BYTES:
            raise Error(1783, "CredWrite", "The stub received bad data")
        if len(credential["UserName"].encode("utf-16-le")) // 2 >= MOST_USER:
            raise Error(2202, "CredWrite", "The specified username is invalid")
        self.stored[credential["TargetName"].casefold()] = {**credential, "CredentialBlob": blob}

    def CredDelete(self, Type: int, TargetName: str) -> None:  # noqa: N802, N803
        assert Type == self.CRED_TYPE_GENERIC
        self._one_less("CredDelete")
        if self.stored.pop(TargetName.casefold(), None) is None:
            raise Error(1168, "CredDelete", "Element not found")

    def users(self) -> set[str]:
        """Whose entries there are."""
        return {str(each["UserName"]) for each in self.stored.values()}

    def _one_less(self, funcname: str) -> None:
        if self.left is not None:
            if self.left <= 0:
                raise Error(1717, funcname, "The interface is unknown")
            self.left -= 1
