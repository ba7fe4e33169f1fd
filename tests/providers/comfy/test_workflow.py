"""A workflow's inputs by the names that stand on its nodes, and the one the prompt goes to."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.providers.comfy.workflow import BadWorkflow, Workflow
from tests.providers.comfy.workflows import picture_to_picture, text_to_picture


def test_nothing_is_changed_by_filling() -> None:
    graph = text_to_picture()
    filled = Workflow(graph).filled({"6.text": "a shoe", "3.seed": 5})
    assert filled["6"]["inputs"]["text"] == "a shoe"
    assert filled["3"]["inputs"]["seed"] == 5
    assert graph == text_to_picture()


@pytest.mark.parametrize(
    ("name", "value", "sent"),
    [
        ("3.steps", 30.0, 30),
        ("3.cfg", 7.5, 7.5),
        ("3.cfg", "7.5", 7.5),
        ("3.steps", "many", "many"),
        ("3.seed", 2**60 + 1, 2**60 + 1),
        ("6.text", 123, "123"),
        ("4.ckpt_name", "sdxl.safetensors", "sdxl.safetensors"),
    ],
)
def test_a_value_has_the_kind_of_the_saved_one(name: str, value: Any, sent: Any) -> None:
    node, _, key = name.partition(".")
    found = Workflow(text_to_picture()).filled({name: value})[node]["inputs"][key]
    assert (found, type(found)) == (sent, type(sent))


def test_an_input_is_found_by_number_and_by_title() -> None:
    workflow = Workflow(text_to_picture())
    assert workflow.input("Positive Prompt.text") is workflow.input("6.text")
    with pytest.raises(BadWorkflow) as caught:
        workflow.input("Prompt.text")
    assert caught.value.said.code == "comfyui.no_input"


def test_a_title_that_two_nodes_bear_names_neither() -> None:
    graph = text_to_picture()
    graph["7"]["_meta"]["title"] = "Positive Prompt"
    with pytest.raises(BadWorkflow):
        Workflow(graph).input("Positive Prompt.text")


def test_a_link_to_another_node_is_no_input() -> None:
    names = {one.id for one in Workflow(text_to_picture()).inputs}
    assert "3.model" not in names
    assert {"3.seed", "6.text", "9.filename_prefix"} <= names


class TestWhereThePromptGoes:
    """To the text that makes the picture what it is."""

    def test_to_the_one_that_leads_to_positive(self) -> None:
        assert Workflow(text_to_picture()).prompt(None).id == "6.text"

    def test_through_a_node_that_takes_both(self) -> None:
        graph = text_to_picture()
        graph["20"] = {
            "class_type": "ControlNetApplyAdvanced",
            "inputs": {"positive": ["6", 0], "negative": ["7", 0], "strength": 1.0},
        }
        graph["3"]["inputs"] |= {"positive": ["20", 0], "negative": ["20", 1]}
        assert Workflow(graph).prompt(None).id == "6.text"

    def test_to_the_only_text(self) -> None:
        graph = text_to_picture()
        del graph["7"]
        del graph["3"]["inputs"]["positive"]
        del graph["3"]["inputs"]["negative"]
        assert Workflow(graph).prompt(None).id == "6.text"

    def test_to_a_text_that_lies_before_the_encoder(self) -> None:
        graph = text_to_picture()
        graph["6"]["inputs"]["text"] = ["30", 0]
        graph["30"] = {"class_type": "PrimitiveString", "inputs": {"string": "a bottle"}}
        assert Workflow(graph).prompt(None).id == "30.string"

    def test_where_it_is_told(self) -> None:
        workflow = Workflow(text_to_picture())
        assert workflow.prompt("Negative Prompt.text").id == "7.text"

    def test_nowhere_by_guess(self) -> None:
        graph = text_to_picture()
        del graph["3"]["inputs"]["positive"]
        del graph["3"]["inputs"]["negative"]
        with pytest.raises(BadWorkflow) as caught:
            Workflow(graph).prompt(None)
        assert (
            caught.value.said.values["known"]
            == "6.text (Positive Prompt), 7.text (Negative Prompt)"
        )


def test_columns_can_fill_every_input_but_the_prompt_s() -> None:
    params = {param.name: param for param in Workflow(text_to_picture()).params()}
    assert "6.text" not in params
    assert {name: params[name].kind for name in ("3.seed", "3.steps", "3.cfg", "7.text")} == {
        "3.seed": "int",
        "3.steps": "float",
        "3.cfg": "float",
        "7.text": "text",
    }
    assert params["7.text"].label == "Negative Prompt: text"
    assert params["Negative Prompt.text"].hidden
    assert not params["7.text"].hidden
    labels = {param.label for param in Workflow(picture_to_picture()).params()}
    assert {"Load Image (10): image", "Load Image (11): image", "KSampler: seed"} <= labels


def test_seeds_and_pictures_are_known_by_their_names() -> None:
    workflow = Workflow(picture_to_picture())
    assert [one.id for one in workflow.seeds()] == ["3.seed"]
    assert [one.id for one in workflow.pictures()] == ["10.image", "11.image"]


def test_a_seed_that_comes_from_another_node_is_left_alone() -> None:
    graph = text_to_picture()
    graph["3"]["inputs"]["seed"] = ["40", 0]
    assert Workflow(graph).seeds() == ()


@pytest.mark.parametrize(
    ("found", "code"),
    [
        (None, "comfyui.no_workflow"),
        ([], "comfyui.no_workflow"),
        ({"6": {"inputs": {}}}, "comfyui.no_workflow"),
        ({"nodes": [{"id": 1}], "links": []}, "comfyui.ui_format"),
    ],
)
def test_what_is_no_workflow_says_what_to_do(found: Any, code: str) -> None:
    with pytest.raises(BadWorkflow) as caught:
        Workflow(found)
    assert caught.value.said.code == code


def test_a_whole_submission_is_a_workflow_too() -> None:
    assert Workflow({"prompt": text_to_picture(), "client_id": "x"}).prompt(None).id == "6.text"
