"""Mappings from files and under names, by the verbs; and files named and filed as they say."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.mapping_file import MappingPreset, read, written
from tests.cli.conftest import Verbs
from tests.e2e.program import provider

QUICK = {"concurrency": 40, "qps": 0, "mean_s": 1.0, "sigma": 0.0, "time_scale": 0.05}
COLUMNS = ("商品 名", "SKU", "brand")
ROWS = [
    ("shoe", "A/7", "Acme"),
    ("boot", "B", "acme"),
    ("sandal", "B", "Acme"),
    ("cap", "C", ""),
]
PRESET = MappingPreset(
    "shop",
    SheetMapping(
        template="a {{商品 名}}{% if brand %} by {{ brand|upper }}{% endif %}",
        key_column="sku",
        output_name="{SKU}_{n}",
        subfolder="@brand",
    ),
    LaneOnDead.STOP,
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "sheet.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([COLUMNS, *ROWS])
    return file


@pytest.fixture
def mapped(tmp_path: Path) -> Path:
    file = tmp_path / "map.json"
    file.write_bytes(written(PRESET))
    return file


def request(verbs: Verbs, source: Path, row: int, *args: str | Path) -> dict[str, Any]:
    found = verbs.run(
        "--json", "run", source, "--connection", "shop", "--check", "--row", str(row), *args
    )
    assert found.code == 0, found.err
    shown: dict[str, Any] = found.json["request"]
    return shown


def test_a_run_takes_a_mapping_from_a_file_and_files_its_results_by_it(
    verbs: Verbs, tmp_path: Path, source: Path, mapped: Path
) -> None:
    out = tmp_path / "out"
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--concurrency", "4")
        run = ("--json", "run", source, "--connection", "shop", "--out", out, "--map", mapped)
        done = verbs.run(*run)
        assert (done.code, done.json["success"]) == (0, 4), done.err
        prompts = {page["prompt"] for page in shop.ledger()["prompts"].values()}
        again = verbs.run(*run)
        assert (again.code, shop.ledger()["attempts"]) == (0, 4)
    assert prompts == {"a shoe by ACME", "a boot by ACME", "a sandal by ACME", "a cap"}
    found = sorted(path.relative_to(out).as_posix().lower() for path in out.rglob("*.png"))
    # Two folders that some file system takes for one clash like two files of one name do.
    assert found == ["acme/a_7_1.png", "acme/b_1-2.png", "acme/b_1.png", "c_1.png"]
    export = tmp_path / "results.jsonl"
    assert verbs.run("export", "results", "--batch", "1", "--to", export).code == 0
    lines = [json.loads(line) for line in export.read_text(encoding="utf-8-sig").splitlines()]
    assert [line["SKU"] for line in lines] == ["A/7", "B", "B", "C"]
    assert all(Path(line["output"]).is_file() for line in lines)


def test_the_request_of_any_row_and_what_is_said_comes_before_the_mapping(
    verbs: Verbs, source: Path, mapped: Path
) -> None:
    verbs.connect("http://127.0.0.1:9")
    shown = request(verbs, source, 4, "--map", mapped)
    assert (shown["row"], shown["file"]) == (4, "Acme/B_1")
    assert shown["body"]["prompt"] == "a sandal by ACME"
    shown = request(
        verbs, source, 99, "--map", mapped, "--prompt-column", "商品 名", "--subfolder", "",
        "--output-name", "{row}", "--param", "size=64x64",
    )  # fmt: skip
    assert (shown["row"], shown["file"]) == (5, "0005")
    assert (shown["body"]["prompt"], shown["body"]["size"]) == ("cap", "64x64")


def test_a_row_that_the_sheet_has_not_is_told_beside_the_one_that_is_shown(
    verbs: Verbs, source: Path
) -> None:
    verbs.connect("http://127.0.0.1:9")
    run = ("run", source, "--connection", "shop", "--prompt-column", COLUMNS[0], "--check")
    for row, near in (("99", "5"), ("1", "2")):
        found = verbs.run(*run, "--row", row)
        assert f"The sheet has no row {row}: row {near} is shown.\n" in found.err
        assert f"Row {near} of the sheet\n" in found.out
    assert "The sheet has no row" not in verbs.run(*run, "--row", "5").err


def test_mappings_are_kept_under_names(verbs: Verbs, tmp_path: Path, source: Path) -> None:
    verbs.connect("http://127.0.0.1:9")
    said = ("--template", "a {{商品 名}}", "--lane-column", "brand", "--lane-on-dead", "stop")
    request(verbs, source, 2, *said, "--save-preset", "Shop 主图")
    assert [one["name"] for one in verbs.run("--json", "mapping", "list").json] == ["Shop 主图"]
    assert request(verbs, source, 2, "--preset", "shop 主图")["body"]["prompt"] == "a shoe"
    file = tmp_path / "out.json"
    assert verbs.run("mapping", "export", "Shop 主图", file).code == 0
    kept = read(file.read_bytes(), "out.json")
    assert (kept.mapping.lane_column, kept.lane_on_dead) == ("brand", LaneOnDead.STOP)
    again = verbs.run("mapping", "export", "Shop 主图", file)
    assert (again.code, "out.json is there already: saved beside it." in again.err) == (0, True)
    assert "out-2.json" in again.out
    assert "take another name" in verbs.refused("mapping", "import", file)
    assert verbs.run("mapping", "import", file, "--as", "Other").code == 0
    assert verbs.run("mapping", "rename", "other", "Third").code == 0
    assert verbs.run("--json", "mapping", "show", "third").json["name"] == "Third"
    assert verbs.run("mapping", "remove", "Third").code == 0
    assert "there are: Shop 主图" in verbs.refused("mapping", "show", "Third")


def test_a_mapping_that_does_not_fit_is_refused_in_one_sentence(
    verbs: Verbs, tmp_path: Path, source: Path, mapped: Path
) -> None:
    verbs.connect("http://127.0.0.1:9")
    run = ("run", source, "--connection", "shop", "--check")
    other = tmp_path / "other.csv"
    other.write_text("prompt,sku\na shoe,7\n", encoding="utf-8")
    refused = verbs.refused("run", other, "--connection", "shop", "--map", mapped)
    assert "columns that this sheet does not have: brand" in refused
    assert "no mapping" in verbs.refused(*run, "--map", source)
    assert "can't be read" in verbs.refused(*run, "--map", tmp_path / "none.json")
    assert "no saved mapping" in verbs.refused(*run, "--preset", "none")
    said = verbs.refused(*run, "--template", "{{sku}} {{ colour|upper }}")
    assert said.startswith('There is no column "colour"; there are: 商品 名, SKU, brand.')
    assert "pattern for file names" in verbs.refused(
        *run, "--prompt-column", "商品 名", "--output-name", "{colour}"
    )


def test_a_newer_sheet_under_the_same_mapping_files_its_rows_likewise(
    verbs: Verbs, tmp_path: Path, source: Path, mapped: Path
) -> None:
    out = tmp_path / "out"
    run = ("--json", "run", source, "--connection", "shop", "--out", out, "--map", mapped)
    with provider(QUICK, tmp_path) as shop:
        verbs.connect(shop.base_url, "--concurrency", "4")
        assert verbs.run(*run).code == 0
        text = source.read_text(encoding="utf-8").replace("cap,C,", "cap,C,Zeta/..")
        source.write_text(text + "belt,D,Zeta\n", encoding="utf-8")
        done = verbs.run(*run, "--update", "--pay-again")
        assert (done.code, done.json["success"]) == (0, 5), done.err
        assert shop.ledger()["attempts"] == 6
    found = {path.relative_to(out).as_posix() for path in out.rglob("*.png")}
    assert {"Zeta/C_1.png", "Zeta/D_1.png", "C_1.png"} <= found


def test_the_header_row_is_said_or_remembered_with_the_mapping(
    verbs: Verbs, tmp_path: Path, source: Path
) -> None:
    verbs.connect("http://127.0.0.1:9")
    titled = tmp_path / "titled.csv"
    titled.write_text("Spring list\n\n" + source.read_text("utf-8"), encoding="utf-8")
    column = ("--prompt-column", "商品 名")
    asked = request(verbs, titled, 4, "--header-row", "3", *column, "--save-preset", "titled")
    assert (asked["row"], asked["body"]["prompt"]) == (4, "shoe")
    assert verbs.run("--json", "mapping", "show", "titled").json["mapping"]["header_row"] == 3
    again = request(verbs, titled, 7, "--preset", "titled")
    assert (again["row"], again["body"]["prompt"]) == (7, "cap")
    check = ("run", titled, "--connection", "shop", "--check", "--preset", "titled")
    assert "The table begins in row 3" in verbs.run(*check).err
    assert "can't be the first of the table" in verbs.refused(*check, "--header-row", "2")


def test_a_columns_name_for_a_subfolder_is_pointed_out(
    verbs: Verbs, tmp_path: Path, source: Path
) -> None:
    verbs.connect("http://127.0.0.1:9")
    run = ("run", source, "--connection", "shop", "--prompt-column", "商品 名", "--check")
    found = verbs.run("--json", *run, "--row", "2", "--subfolder", "brand")
    assert 'All files go into one folder called "brand"' in found.err
    assert found.json["request"]["file"].startswith("brand/")
    assert "one folder called" not in verbs.run(*run, "--subfolder", "@brand").err
