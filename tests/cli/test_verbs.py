"""The verbs in this process: what is not there is one sentence, connections are kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.cli.conftest import Verbs
from tests.e2e.program import KEY, provider

QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}


def test_connections_are_added_changed_tested_and_removed(verbs: Verbs, tmp_path: Path) -> None:
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--rpm", "60", "--concurrency", "3")
        shown = verbs.run("--json", "connection", "show", "shop").json
        assert (shown["rate"], shown["rate_unit"], shown["concurrency"]) == (60.0, "rpm", 3)
        verbs.connect(shop.base_url, "--qps", "2", "--proxy", "http://me:secret@127.0.0.1:9")
        shown = verbs.run("--json", "connection", "show", "shop")
        assert shown.json["rate_unit"] == "qps"
        assert "secret" not in shown.out
        verbs.connect(shop.base_url)
        assert len(verbs.run("--json", "connection", "list").json) == 1
        tested = verbs.run("--json", "connection", "test", "shop")
        assert (tested.code, tested.json["ok"]) == (0, True)
        verbs.patch.delenv("BATCHWRIGHT_KEY_SHOP")
        assert verbs.run("connection", "test", "shop").code == 4
        said = verbs.refused("connection", "set-key", "shop")
        assert "empty" in said
        done = verbs.run("connection", "set-key", "shop", stdin=f"{KEY}\n")
        assert done.code == 2
        assert "BATCHWRIGHT_KEY_SHOP" in done.err
        verbs.patch.setenv("BATCHWRIGHT_KEY_SHOP", KEY)
        assert verbs.run("connection", "resume", "shop").code == 0
        assert "shop" in verbs.refused("connection", "show", "nobody")
        assert verbs.run("connection", "remove", "shop").code == 0
        assert verbs.run("--json", "connection", "list").json == []


USAGE: Sequence[tuple[str, ...]] = (
    ("status",),
    ("status", "--batch", "9"),
    ("tasks", "--batch", "9"),
    ("attempts", "--task", "nobody"),
    ("export", "results", "--batch", "9", "--to", "x.csv"),
    ("pause",),
    ("cancel",),
    ("cancel", "--batch", "9"),
    ("resume",),
    ("resume", "--batch", "9"),
    ("requeue", "--batch", "9"),
    ("requeue", "--batch", "9", "--task", "nobody"),
    ("settle", "--task", "nobody", "--as", "failed"),
    ("settle", "--task", "nobody", "--as", "dance"),
    ("run", "nowhere.csv", "--connection", "nobody"),
    ("connection", "remove", "nobody"),
    ("practice", "--config", "nowhere.json"),
    ("dance",),
)


@pytest.mark.parametrize("args", USAGE, ids=" ".join)
def test_what_is_not_there_is_one_sentence_and_2(verbs: Verbs, args: tuple[str, ...]) -> None:
    assert verbs.refused(*args)
