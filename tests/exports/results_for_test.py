"""Helpers: pictures, claims and a keeper with a clock that stands still."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from desktop_app.domain.attempt import Claim
from desktop_app.domain.ports import Content
from desktop_app.domain.task import Request
from desktop_app.exports.placing import Placer
from desktop_app.exports.result_file import ResultKeeper


class StillClock:
    def __init__(self, now: float = 2_000_000_000.0) -> None:
        self.at = now

    def now(self) -> float:
        return self.at

    def monotonic(self) -> float:
        return self.at

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 30), colour: str = "red") -> bytes:
    buffer = io.BytesIO()
    image = Image.new("RGB", size, colour)
    image.putpixel((1, 1), (1, 2, 3))
    image.save(buffer, kind)
    return buffer.getvalue()


def png(colour: str = "red") -> Content:
    return Content(picture(colour=colour), "image/png")


def text(words: str) -> Content:
    return Content(b"", "text/plain", text=words)


def claim(out: Path, stem: str = "0042_sku", **changes: Any) -> Claim:
    values: dict[str, Any] = {
        "task_pk": 1,
        "task_id": "01890a5d-ac96-774b-bcce-b302099a8057",
        "batch_id": 1,
        "row_no": 42,
        "edition": 1,
        "rev": 1,
        "attempt_pk": 1,
        "attempt_no": 1,
        "idempotency_key": "k",
        "request": Request("a red shoe"),
        "file_stem": stem,
        "out_dir": str(out),
        "retries_spent": 0,
        "timeouts": 0,
        "throttled": 0,
    }
    return Claim(**{**values, **changes})


def keeper(*, links: bool = True, **options: Any) -> ResultKeeper:
    options.setdefault("min_free_bytes", 0)
    return ResultKeeper(StillClock(), placer=Placer(links=links, patience_s=0.0), **options)


def names(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def shown(folder: Path) -> list[str]:
    return [name for name in names(folder) if not name.startswith(".bw-")]
