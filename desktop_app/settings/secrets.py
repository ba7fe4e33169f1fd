"""Keys, in the OS keyring and nowhere else; what can't be stored is kept until the program ends."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto

from desktop_app.domain.text import Message, OperatorError, message
from desktop_app.settings import long_secrets
from desktop_app.settings.one_worker import OneWorker

SERVICE = "Batchwright"
_log = logging.getLogger(__name__)
_PROBE = "is-there-a-store"
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]*")


class Standing(Enum):
    """What became of a call to the password store."""

    DONE = auto()
    ABSENT = auto()  # this computer has none that works
    LOCKED = auto()
    WAITING = auto()  # it shows a dialog, or does not answer
    DAMAGED = auto()
    FAILED = auto()


@dataclass(frozen=True, slots=True)
class Said:
    """A call's end, without the exception: that one's frames would hold the key."""

    standing: Standing
    secret: str | None = field(default=None, repr=False)


class KeyringEntries:
    """The keyring's calls. On the worker thread only: even its import takes a third of a second."""

    def read(self, user: str) -> str | None:
        """The secret, or None."""
        import keyring

        return keyring.get_password(SERVICE, user)

    def write(self, user: str, secret: str) -> None:
        """Store or replace. Raises NoKeyringError where the only backend swallows secrets."""
        import keyring
        from keyring.backends import null
        from keyring.errors import NoKeyringError

        if isinstance(keyring.get_keyring(), null.Keyring):
            raise NoKeyringError
        keyring.set_password(SERVICE, user, secret)

    def delete(self, user: str) -> None:
        """Forget; a missing one is no error."""
        import keyring
        from keyring.errors import PasswordDeleteError

        try:
            keyring.delete_password(SERVICE, user)
        except PasswordDeleteError:
            return


class KeyringSecrets:
    """``ports.Secrets`` on the OS keyring. Build it anywhere, use it on one loop, ``close`` it.

    ``variable`` in ``environ`` wins over everything; ``names`` are the stored connections, which
    decide what that variable is called. ``on_secret`` hears every key that passes, so that logs
    can mask it. ``on_waiting(True)`` says that the store is waiting
    for the operator (an unlock dialog): no failure; the call goes on for ``unlock_s``.
    Calls raise OperatorError where the key may exist but cannot be had now (locked, waiting, out
    of order), so that "no key" is never mistaken for it.
    """

    def __init__(
        self,
        *,
        environ: Mapping[str, str] = os.environ,
        names: Callable[[], Awaitable[Iterable[str]]] | None = None,
        entries: long_secrets.Entries | None = None,
        on_secret: Callable[[str], None] = lambda _secret: None,
        on_waiting: Callable[[bool], None] = lambda _waiting: None,
        answer_s: float = 5.0,
        unlock_s: float = 120.0,
    ) -> None:
        self._environ = environ
        self._names = names
        self._entries = entries or KeyringEntries()
        self._on_secret = on_secret
        self._on_waiting = on_waiting
        self._answer_s = answer_s
        self._unlock_s = unlock_s
        self._worker = OneWorker("keyring")
        self._kept: dict[str, str] = {}
        self._unanswered: asyncio.Future[Said] | None = None

    async def get(self, connection: str) -> str | None:
        """The key of a connection, or None where it has none."""
        secret = await self._given(connection) or self._kept.get(connection)
        if not secret:
            said = await self._ask(lambda: Said(Standing.DONE, self._read(connection)))
            if said.standing not in (Standing.DONE, Standing.ABSENT):
                raise OperatorError(_sentence(said, connection))
            secret = said.secret
        if secret:
            self._on_secret(secret)
        return secret or None

    async def set(self, connection: str, secret: str) -> bool:
        """Store; False: kept in memory until the program ends. Raises OperatorError for no key."""
        secret = checked(secret)
        self._on_secret(secret)

        def write() -> Said:
            long_secrets.write(self._entries, connection, secret)
            return Said(Standing.DONE)

        said = await self._ask(write)
        stored = said.standing is Standing.DONE
        if stored:
            self._kept.pop(connection, None)
        else:
            self._kept[connection] = secret
        return stored

    async def delete(self, connection: str) -> None:
        """Forget the key. Raises OperatorError when a stored one can't be reached."""
        self._kept.pop(connection, None)

        def delete() -> Said:
            long_secrets.delete(self._entries, connection)
            return Said(Standing.DONE)

        said = await self._ask(delete)
        if said.standing not in (Standing.DONE, Standing.ABSENT):
            raise OperatorError(_sentence(said, connection))

    async def available(self) -> Message | None:
        """None when keys can be stored; else the sentence that says why not."""

        def probe() -> Said:
            # Writing is the only honest question: some stores answer reads and refuse the rest.
            self._entries.write(_PROBE, "yes")
            self._entries.delete(_PROBE)
            return Said(Standing.DONE)

        said = await self._ask(probe)
        return None if said.standing is Standing.DONE else _sentence(said, "")

    def close(self) -> None:
        """Forget what was kept in memory, and end the worker."""
        self._kept.clear()
        self._worker.close()

    async def _given(self, connection: str) -> str:
        if not self._environ:
            return ""
        others = await self._names() if self._names is not None else ()
        return self._environ.get(variable(connection, others), "").strip()

    def _read(self, connection: str) -> str | None:
        return long_secrets.read(self._entries, connection)

    async def _ask(self, call: Callable[[], Said]) -> Said:
        future = self._worker.submit(lambda: _safely(call))
        done, _ = await asyncio.wait({future}, timeout=self._answer_s)
        if done:
            return future.result()
        if self._unanswered is not None and not self._unanswered.done():
            # Queued behind a call that the operator was given time for already.
            return Said(Standing.WAITING)
        self._on_waiting(True)
        try:
            done, _ = await asyncio.wait({future}, timeout=self._unlock_s)
        finally:
            self._on_waiting(False)
        if not done:
            self._unanswered = future
        return future.result() if done else Said(Standing.WAITING)


def variable(connection: str, others: Iterable[str] = ()) -> str:
    """The environment variable that may hold a connection's key: ``BATCHWRIGHT_KEY_MY_CONN``.

    A name with further signs (``火山方舟``), or one that would share its variable with another of
    ``others``, has its UTF-8 in hex after two underlines, where no plain name gets to: a key must
    never reach the host of another connection.
    """
    plain = _plain(connection)
    shared = any(_plain(other) == plain for other in others if other != connection)
    if plain is None or shared:
        return f"BATCHWRIGHT_KEY__{connection.encode().hex().upper()}"
    return f"BATCHWRIGHT_KEY_{plain}"


def _plain(connection: str) -> str | None:
    if _PLAIN.fullmatch(connection) is None:
        return None
    return connection.upper().replace("-", "_").replace(" ", "_")


def checked(secret: str) -> str:
    """The key without the blanks that come along when copying. Raises OperatorError for what
    can't be a key."""
    secret = secret.strip()
    if not secret:
        raise OperatorError(message("settings.key_empty"))
    if not all("!" <= sign <= "~" for sign in secret):
        raise OperatorError(message("settings.key_odd"))
    if len(secret) > long_secrets.MOST:
        raise OperatorError(
            message("settings.key_too_long", length=len(secret), most=long_secrets.MOST)
        )
    return secret


def _safely(call: Callable[[], Said]) -> Said:
    try:
        return call()
    except long_secrets.Damaged:
        return Said(Standing.DAMAGED)
    except Exception as error:
        return _classify(error)


def _classify(error: Exception) -> Said:
    from keyring.errors import InitError, KeyringLocked, NoKeyringError

    if isinstance(error, KeyringLocked):
        return Said(Standing.LOCKED)
    # InitError: no collection exists and none could be made, so no key of ours can be in it.
    if isinstance(error, NoKeyringError | InitError):
        return Said(Standing.ABSENT)
    # Only its name: what a backend says may quote what it was to keep.
    _log.warning("the password store failed: %s", type(error).__name__)
    return Said(Standing.FAILED)


def _sentence(said: Said, connection: str) -> Message:
    if said.standing is Standing.ABSENT:
        return message("settings.no_store")
    if said.standing is Standing.LOCKED:
        return message("settings.store_locked")
    if said.standing is Standing.WAITING:
        return message("settings.store_waiting")
    if said.standing is Standing.DAMAGED:
        return message("settings.key_damaged", connection=connection)
    return message("settings.store_failed")
