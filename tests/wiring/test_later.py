"""What is made later is one thing, wherever it is made."""

from __future__ import annotations

import pickle

from desktop_app.ingest.sheet import SheetReader
from desktop_app.wiring import later


def test_what_stands_in_for_a_room_is_sent_to_another_process_as_that_room() -> None:
    sent = pickle.dumps(later.later(later.sheets))
    assert b"wiring" not in sent
    assert type(pickle.loads(sent)) is SheetReader
