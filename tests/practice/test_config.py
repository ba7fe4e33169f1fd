"""Config files: what is read, and the one sentence for what isn't."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

from desktop_app.domain.text import OperatorError, Translator
from desktop_app.practice import config as config_module
from desktop_app.practice.config import (
    PROFILES,
    Change,
    PracticeConfig,
    from_mapping,
    load,
    to_mapping,
)

TOML = """
profile = "stormy"
qps = 3
[trouble]
500 = 0.5
[[schedule]]
at_s = 90
qps = 3
[[schedule]]
at_s = 30
qps = 1.5
"""


def _said(error: pytest.ExceptionInfo[OperatorError]) -> str:
    return Translator().say(error.value.message)


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    toml, plain = tmp_path / "a.toml", tmp_path / "a.json"
    toml.write_text(TOML, encoding="utf-8")
    data = {
        "profile": "stormy",
        "qps": 3,
        "trouble": {"500": 0.5},
        "schedule": [{"at_s": 30, "qps": 1.5}, {"at_s": 90, "qps": 3}],
    }
    plain.write_bytes(b"\xef\xbb\xbf" + json.dumps(data).encode())
    assert load(toml) == load(plain)
    assert load(toml).schedule == (Change(30, qps=1.5), Change(90, qps=3.0))
    assert load(toml).burst == PROFILES["stormy"].burst


@pytest.mark.parametrize("name", PROFILES)
def test_profiles_are_loaded_by_name_and_survive_a_round_trip(name: str) -> None:
    assert load(name) == PROFILES[name]
    assert from_mapping(json.loads(json.dumps(to_mapping(PROFILES[name])))) == PROFILES[name]


def test_an_unknown_setting_is_named_with_those_there_are(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"qsp": 3}', encoding="utf-8")
    with pytest.raises(OperatorError) as error:
        load(path)
    assert '"qsp"' in _said(error)
    assert "qps" in _said(error)


@pytest.mark.parametrize(
    "data",
    [
        {"qps": -1}, {"qps": "3"}, {"qps": True}, {"burst": 0}, {"burst": 1.5},
        {"time_scale": 0}, {"mean_s": float("nan")}, {"idempotency": 1}, {"profile": "wild"},
        {"trouble": {"500": 0.7, "drop": 0.7}}, {"trouble": ["500"]}, {"trouble": {"500": "x"}},
        {"trouble": {"501": 0.1}}, {"schedule": {}}, {"schedule": [{"qps": 1}]},
        {"schedule": [{"at_s": 1, "mean_s": 2}]}, {"concurrency": 1.5}, {"seed": -1},
        [], "x",
    ],
)  # fmt: skip
def test_unusable_values_are_refused_with_a_sentence(data: object) -> None:
    with pytest.raises(OperatorError) as error:
        from_mapping(data)
    said = _said(error)
    assert said.endswith(".")
    assert "{" not in said or "trouble" in said or "schedule" in said


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.json"
    path.write_bytes(content)
    with pytest.raises(OperatorError) as error:
        load(path)
    assert "mine.json" in _said(error)
    with pytest.raises(OperatorError) as error:
        load(tmp_path / "none.json")
    assert "none.json" in _said(error)


def test_the_table_names_every_setting_with_its_default() -> None:
    table = config_module.__doc__ or ""
    for field in fields(PracticeConfig):
        assert f"| ``{field.name}`` |" in table
    assert f"| ``seed`` | {PracticeConfig().seed} |" in table
    assert f"| ``time_scale`` | {PracticeConfig().time_scale} |" in table
