"""A connection holds its workflow itself, and knows by it which columns can be mapped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.references import REFERENCE
from desktop_app.domain.text import OperatorError
from desktop_app.providers.comfy.setup import CAPABILITIES, capabilities_of, prepared
from desktop_app.providers.registry import AdapterRegistry
from tests.providers.comfy.workflows import picture_to_picture, text_to_picture


def connection(model: str = "m", **extra: Any) -> Connection:
    return Connection("gpu", "comfyui", "http://127.0.0.1:8188", model, extra=extra)


@pytest.mark.parametrize("quoted", [False, True], ids=["plain", "as Windows copies it"])
def test_a_file_named_as_model_is_read_once(tmp_path: Path, quoted: bool) -> None:
    file = tmp_path / "红鞋 api.json"
    file.write_text("\ufeff" + json.dumps(text_to_picture()), encoding="utf-8")
    made = AdapterRegistry().prepared(connection(f'"{file}"' if quoted else str(file)))
    assert made.model == "红鞋 api"
    assert made.extra["workflow"] == text_to_picture()
    file.unlink()
    assert prepared(made) == made


def test_a_file_can_be_named_beside_the_model(tmp_path: Path) -> None:
    file = tmp_path / "w.json"
    file.write_text(json.dumps(text_to_picture()), encoding="utf-8")
    made = prepared(connection(workflow=str(file), prompt="7.text"))
    assert made.extra == {"workflow": text_to_picture(), "prompt": "7.text"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (None, "comfyui.no_such_file"),
        ("{", "comfyui.no_workflow"),
        ('{"nodes": [], "links": []}', "comfyui.ui_format"),
        ('{"1": {"class_type": "SaveImage", "inputs": {}}}', "comfyui.no_prompt"),
    ],
)
def test_what_is_wrong_is_said_when_the_connection_is_stored(
    tmp_path: Path, content: str | None, code: str
) -> None:
    file = tmp_path / "w.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    with pytest.raises(OperatorError) as caught:
        prepared(connection(str(file)))
    assert caught.value.message.code == code


def test_a_file_that_is_there_and_cant_be_read_is_another_matter(tmp_path: Path) -> None:
    folder = tmp_path / "w.json"
    folder.mkdir()
    with pytest.raises(OperatorError) as caught:
        prepared(connection(str(folder)))
    assert caught.value.message.code == "comfyui.no_file"


def test_a_connection_without_a_workflow_is_not_stored() -> None:
    with pytest.raises(OperatorError) as caught:
        prepared(connection())
    assert caught.value.message.code == "comfyui.no_workflow"


def test_pictures_are_taken_where_nodes_load_them() -> None:
    plain = capabilities_of(connection(workflow=text_to_picture()))
    assert plain.references == ()
    assert REFERENCE not in {param.name for param in plain.params}
    shown = capabilities_of(connection(workflow=picture_to_picture()))
    assert shown.references[0].most == 2
    assert REFERENCE in {param.name for param in shown.of("m").params}


def test_without_a_workflow_nothing_more_is_known() -> None:
    assert capabilities_of(connection()) == CAPABILITIES
