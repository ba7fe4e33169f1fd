"""The house on the window's loop, with callbacks: what it heard, one JSON line."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication

from desktop_app.domain.ports.callbacks import ListeningPlace
from desktop_app.providers.callbacks import listener
from desktop_app.wiring import HouseOptions, open_house
from tests.helpers.free_port import free_port
from tests.providers.callbacks.caller import post


async def main(folder: Path) -> None:
    port = free_port()
    before = signal.getsignal(signal.SIGINT)
    place = ListeningPlace(port=port)
    url = f"http://127.0.0.1:{port}/callbacks/x"
    async with open_house(HouseOptions(data_dir=folder, window=True, callbacks=place)) as house:
        await house.start_engine()
        found = {
            "loop": type(asyncio.get_running_loop()).__module__.partition(".")[0],
            "answers": await asyncio.gather(*(post(url) for _ in range(50))),
            "signals": signal.getsignal(signal.SIGINT) is before,
        }
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /callbacks/x")
    writer.close()
    print(json.dumps(found))


if __name__ == "__main__":
    listener.HEAD_S = 3600.0  # so long is the caller waited for, were he waited for at all
    application = QApplication([])
    qasync.run(main(Path(sys.argv[1])))
