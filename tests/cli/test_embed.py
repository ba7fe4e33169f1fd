"""``run --embed`` holds for its batch, whoever goes on with it."""

from __future__ import annotations

import json
from pathlib import Path

from PIL import Image

from tests.cli.conftest import Verbs
from tests.e2e.program import provider

QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}


def words(folder: Path) -> dict[str, str | None]:
    """By file name the prompt that stands in the picture."""
    found: dict[str, str | None] = {}
    for file in folder.glob("*.png"):
        with Image.open(file) as picture:
            picture.load()
            found[file.name] = picture.info.get("prompt")
    return found


def test_the_rest_of_a_trial_carries_its_words_too(verbs: Verbs, tmp_path: Path) -> None:
    sheet, out = tmp_path / "shoes.csv", tmp_path / "out"
    sheet.write_text("prompt\nred\nblue\n", encoding="utf-8")
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url)
        run = ("--json", "run", sheet, "--connection", "shop", "--out", out)
        first = verbs.run(*run, "--trial", "1", "--embed")
        assert first.code == 0, first.err
        rest = verbs.run(
            "--json", "resume", "--batch", str(json.loads(first.out)["batch"]), "--rest"
        )
        assert rest.code == 0, rest.err
    assert words(out) == {"0002_red.png": "red", "0003_blue.png": "blue"}


def test_without_it_a_picture_is_kept_as_it_came(verbs: Verbs, tmp_path: Path) -> None:
    sheet, out = tmp_path / "shoes.csv", tmp_path / "out"
    sheet.write_text("prompt\nred\n", encoding="utf-8")
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url)
        assert verbs.run("run", sheet, "--connection", "shop", "--out", out).code == 0
    assert words(out) == {"0002_red.png": None}
