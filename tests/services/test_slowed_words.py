"""Why it is slow: to what the provider holds it and until when, else which stated limit does."""

from __future__ import annotations

from datetime import datetime

import pytest

from desktop_app.domain.text import Translator, message
from desktop_app.domain.views import EngineStatus
from desktop_app.services.slowed_words import slowed

TR = Translator()


def clock(at: float) -> str:
    return f"{datetime.fromtimestamp(at).astimezone():%H:%M}"


@pytest.mark.parametrize(
    ("rate", "number", "waits", "said"),
    [
        (1.42, None, True, "slowed to 1.4/s by the provider until "),
        (0.05, None, True, "slowed to < 0.1/s by the provider until "),
        (None, 4, True, "slowed to 4 at once by the provider until "),
        (1.42, 4, False, "slowed to 1.4/s, 4 at once by the provider"),
        (None, None, True, "slowed by the provider until "),
        (None, None, False, ""),
    ],
)
def test_it_is_said_to_what_it_is_slowed_and_until_when(
    rate: float | None, number: int | None, waits: bool, said: str
) -> None:
    until = 1_900_000_000.0 if waits else None
    status = EngineStatus(slowed_until=until, slowed_rate=rate, slowed_number=number)
    assert slowed(TR, status) == said + (clock(until) if until else "")


def test_it_is_said_which_stated_limit_holds_rows_back() -> None:
    status = EngineStatus(waits_for=message("engine.waits_tokens"))
    assert slowed(TR, status) == "waits for the account's tokens a minute"
    status = EngineStatus(waits_for=message("engine.waits_images"), slowed_number=4)
    assert slowed(TR, status) == "slowed to 4 at once by the provider"
