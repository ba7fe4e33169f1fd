"""Each family of picture models is sent what it takes, and offered to a person with that alone."""

from __future__ import annotations

from typing import Any

import pytest

from desktop_app.domain.connection import Connection
from desktop_app.domain.ports import Param
from desktop_app.domain.task import Request
from desktop_app.providers.picture_params import PICTURE_CAPABILITIES, picture_body
from desktop_app.providers.profiles.ark import ARK
from desktop_app.providers.profiles.pictures import LIKE_OPENAI

ALL: dict[str, Any] = {
    "size": "1024x1024",
    "quality": "high",
    "style": "vivid",
    "background": "opaque",
    "output_format": "webp",
    "output_compression": 80,
    "moderation": "low",
    "response_format": "url",
    "n": 2,
    "seed": 7,
    "partial_images": 1,
    "stream": True,
}
EVERY = {"size"}
GPT = {"quality", "background", "output_format", "output_compression", "moderation", "n", "stream",
       "partial_images"}  # fmt: skip
TAKEN = {
    "gpt-image-1": EVERY | GPT,
    "openai/gpt-image-2": EVERY | GPT,
    "chatgpt-image-latest": EVERY | GPT,
    "dall-e-3": EVERY | {"quality", "style", "response_format"},
    "dall-e-2": EVERY | {"response_format", "n"},
    "doubao-seedream-4-5-251128": EVERY | {"response_format", "n", "seed", "stream"},
    "doubao-seedream-5-0-lite-260128": EVERY
    | {"response_format", "n", "seed", "stream", "output_format"},
    "doubao-seedream-5-0-pro-260601": EVERY
    | {"response_format", "seed", "stream", "output_format"},
    "doubao-seedream-3-0-t2i-250415": EVERY | {"response_format", "seed"},
    "some-server-s-own": set(ALL),
}


def body(model: str, ways: Any = LIKE_OPENAI, extra: Any = None, **params: Any) -> dict[str, Any]:
    connection = Connection("c", "openai-images", "https://x.example/v1", model)
    return picture_body(connection, Request("p", params, extra or {}), ways)


@pytest.mark.parametrize(("model", "taken"), TAKEN.items())
def test_what_a_model_does_not_take_is_neither_offered_nor_sent(
    model: str, taken: set[str]
) -> None:
    offered = {p.name for p in PICTURE_CAPABILITIES.of(model).params if p.kind != "reference"}
    assert offered == taken | {"model"}
    assert body(model, **ALL).keys() == {"model", "prompt"} | taken


@pytest.mark.parametrize(
    ("model", "name", "choices"),
    [
        ("gpt-image-1", "size", ("auto", "1024x1024", "1536x1024", "1024x1536")),
        ("dall-e-3", "size", ("1024x1024", "1792x1024", "1024x1792")),
        ("dall-e-2", "size", ("256x256", "512x512", "1024x1024")),
        ("doubao-seedream-4-5-251128", "size", ("1K", "2K", "4K", "2048x2048")),
        ("gpt-image-1", "quality", ("auto", "low", "medium", "high")),
        ("dall-e-3", "quality", ("standard", "hd")),
    ],
)
def test_the_values_offered_are_the_model_s_own(
    model: str, name: str, choices: tuple[str, ...]
) -> None:
    params: dict[str, Param] = {p.name: p for p in PICTURE_CAPABILITIES.of(model).params}
    assert params[name].choices == choices
    assert len(params) == len(PICTURE_CAPABILITIES.of(model).params)


def test_a_picture_comes_in_the_answer_unless_wanted_otherwise() -> None:
    assert body("dall-e-3")["response_format"] == "b64_json"
    assert body("dall-e-3", response_format="url")["response_format"] == "url"
    assert "response_format" not in body("gpt-image-1")


@pytest.mark.parametrize(
    ("params", "fields"),
    [
        ({}, {}),
        ({"stream": False, "partial_images": 2}, {}),
        ({"stream": True}, {"stream": True, "partial_images": 2}),
        ({"partial_images": 3}, {"stream": True, "partial_images": 3}),
        ({"partial_images": 0}, {}),
        ({"stream": True, "partial_images": 0}, {"stream": True, "partial_images": 0}),
    ],
)
def test_unfinished_pictures_cost_something_and_are_asked_for_only_on_request(
    params: dict[str, Any], fields: dict[str, Any]
) -> None:
    made = body("gpt-image-1", **params)
    assert {k: v for k, v in made.items() if k in ("stream", "partial_images")} == fields


def test_seedream_makes_groups() -> None:
    ways = ARK.pictures
    one = body("doubao-seedream-4-5-251128", ways, size="2K", n=1)
    assert one == {
        "model": "doubao-seedream-4-5-251128",
        "prompt": "p",
        "response_format": "b64_json",
        "watermark": False,
        "size": "2K",
    }
    four = body("doubao-seedream-4-5-251128", ways, n=4, stream=True)
    assert "n" not in four
    assert four["sequential_image_generation"] == "auto"
    assert four["sequential_image_generation_options"] == {"max_images": 4}
    assert four["stream"] is True
    assert "partial_images" not in four
    own = {"watermark": True, "sequential_image_generation": "disabled"}
    mine = body("doubao-seedream-4-5-251128", ways, own, n=4)
    assert mine["watermark"] is True
    assert mine["sequential_image_generation"] == "disabled"


def test_what_nobody_knows_is_sent_as_it_is() -> None:
    assert body("gpt-image-1", extra={"style": "vivid"})["style"] == "vivid"
    assert body("gpt-image-1", input_fidelity="high")["input_fidelity"] == "high"
