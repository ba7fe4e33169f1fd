"""The practice server: as a child for the app, in the foreground for the verb."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import desktop_app
from desktop_app.domain.connection import PRACTICE_NAMES, Limits
from desktop_app.domain.text import Message, Translator
from desktop_app.practice.child import PracticeProcess
from desktop_app.services.practice_lines import PracticeServer
from desktop_app.settings.paths import resources_dir
from desktop_app.wiring.options import HouseOptions

if TYPE_CHECKING:
    from desktop_app.domain.ports import Secrets
    from desktop_app.practice.config import PracticeConfig

MODEL = "practice"
FONT = Path("fonts") / "practice-sans-sc.otf"


class PracticeChild:
    """Starts the server when it is first needed, and again when it has died."""

    def __init__(self, config: str | None) -> None:
        self._config = config
        # The package's own parent as working folder: a checkout need not be installed.
        self._process = PracticeProcess(_command(), config=config, cwd=_package().parent)

    async def start(self) -> PracticeServer:
        """The running server, with the limits it tells. Raises OperatorError."""
        base_url, key = await self._process.start()
        return PracticeServer(base_url, key, MODEL, _limits(_settings(self._config)))

    async def stop(self) -> None:
        """End it, if it runs."""
        await self._process.stop()


class SecretsWithPractice:
    """The keyring, except for the practice server's key, which dies with its server, whatever it
    is called by."""

    def __init__(self, keyring: Secrets) -> None:
        self._keyring = keyring
        self._practice: str | None = None

    async def get(self, connection: str) -> str | None:
        """The key of a connection, or None."""
        if connection in PRACTICE_NAMES:
            return self._practice
        return await self._keyring.get(connection)

    async def set(self, connection: str, secret: str) -> bool:
        """Store a key; False when it is only kept until the program closes."""
        if connection in PRACTICE_NAMES:
            self._practice = secret
            return True
        return await self._keyring.set(connection, secret)

    async def delete(self, connection: str) -> None:
        """Forget a key."""
        if connection in PRACTICE_NAMES:
            self._practice = None
            return
        await self._keyring.delete(connection)

    async def available(self) -> Message | None:
        """Why keys can't be stored here, or None."""
        return await self._keyring.available()


def serve_practice(options: HouseOptions, *, port: int, config: str | None, tr: Translator) -> int:
    """The verb: serve until interrupted. Returns the exit code. Raises OperatorError."""
    # Imported where it is meant to run: nobody else needs a web server.
    from desktop_app.practice.serve import run_blocking

    chosen = config or options.practice_config
    return run_blocking(
        font=resources_dir() / FONT, say=tr.say, out=sys.stdout, port=port, config=chosen
    )


def _package() -> Path:
    return Path(desktop_app.__file__).resolve().parent


def _command() -> Sequence[str]:
    # A frozen program is its own interpreter: it takes the verb without "-m".
    if getattr(sys, "frozen", False):
        return [sys.executable, "practice"]
    return [sys.executable, "-m", "desktop_app", "practice"]


def _settings(config: str | None) -> PracticeConfig:
    # Imported once a server is wanted: a start has no use for it.
    from desktop_app.practice.config import PROFILES, load

    return PROFILES["demo"] if config is None else load(config)


def _limits(config: PracticeConfig) -> Limits:
    """What the practice console tells, in real time: the practice server obeys it exactly."""
    return Limits(
        concurrency=config.concurrency or None,
        rate=config.qps / config.time_scale if config.qps else None,
        burst=config.burst if config.qps else None,
        headroom=1.0,
    )
