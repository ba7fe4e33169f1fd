"""What makes two runs the same one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.ports import SheetInfo
from desktop_app.services.import_plan import ImportPlan, fingerprint

INFO = SheetInfo(Path("a.csv"), Path("copy"), "0" * 64, ("p",), None, "utf-8", ",", None)
PLAN = ImportPlan(INFO, SheetMapping(prompt_column="p", key_column="sku"), 7, out_dir="/out")


def test_a_run_from_before_files_could_be_named_goes_on() -> None:
    assert fingerprint(PLAN) == "4b6049237bce74029f23ab5865e013f1"


def test_other_names_for_the_files_are_another_run() -> None:
    found = {
        fingerprint(replace(PLAN, mapping=replace(PLAN.mapping, **changes)))
        for changes in ({}, {"output_name": "{row}"}, {"subfolder": "@p"}, {"subfolder": "p"})
    }
    assert len(found) == 4
