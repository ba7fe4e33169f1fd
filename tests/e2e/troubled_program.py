"""The program with its HTTP library's loggers at their loudest, and with trouble planted in it that
shows whoever speaks of it the key: ``PLANT`` says which."""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import Any, NoReturn

from desktop_app.__main__ import main
from desktop_app.cli import run as run_verb
from desktop_app.providers.http.client import HttpClient
from desktop_app.providers.http.quiet import LOGGERS

KEY = os.environ["BATCHWRIGHT_KEY_SHOP"]


def _fail(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError(f"the headers were Authorization: {KEY}")


async def _fail_later(*_: Any, **__: Any) -> NoReturn:
    thread = threading.Thread(target=_fail)
    thread.start()
    thread.join()
    _fail()


def start() -> int:
    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.DEBUG)
        logging.getLogger(name).addHandler(logging.StreamHandler(sys.stderr))
    plant = os.environ.get("PLANT")
    if plant == "call":
        HttpClient.send = _fail_later  # type: ignore[method-assign]
    if plant == "verb":
        real = run_verb.watch

        async def watch(*args: Any, **more: Any) -> NoReturn:
            await real(*args, **more)
            await _fail_later()

        run_verb.watch = watch  # type: ignore[assignment]
    return main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(start())
