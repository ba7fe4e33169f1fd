"""A mapping goes into a file and comes back as it was; what is no mapping is refused in words."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.mapping_file import (
    MOST_BYTES,
    MappingPreset,
    cleaned_name,
    fitted,
    header_key,
    read,
    to_json,
    written,
)
from desktop_app.domain.text import OperatorError, Translator

FULL = MappingPreset(
    "主图 v2",
    SheetMapping(
        template="{{商品 名}}\n{% if size %}{{size}}{% endif %}",
        params={"size": "@尺寸", "quality": "high"},
        lane_column="客户",
        key_column="SKU",
        priority_column="rank",
        output_name="{SKU}_{n}",
        subfolder="@客户",
    ),
    LaneOnDead.STOP,
    header_row=3,
)
COLUMNS = ("商品 名", "size", "尺寸", "客户", "SKU", "rank")


def refused(data: bytes) -> str:
    with pytest.raises(OperatorError) as caught:
        read(data, "m.json")
    return Translator().say(caught.value.message)


def changed(**changes: Any) -> bytes:
    said = to_json(FULL)
    said["mapping"] |= changes
    return json.dumps(said).encode()


def test_a_mapping_comes_back_as_it_was() -> None:
    assert read(written(FULL), "m.json") == FULL
    assert read(b"\xef\xbb\xbf" + written(FULL), "m.json") == FULL
    plain = MappingPreset("p", SheetMapping(prompt_column="prompt"))
    assert read(written(plain), "m.json") == plain
    assert "商品 名" in written(FULL).decode()
    for row in (0, True, "3"):
        assert "header_row" in refused(changed(header_row=row))


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(texts, st.dictionaries(texts, texts), texts)
def test_any_text_comes_back(template: str, params: dict[str, str], pattern: str) -> None:
    preset = replace(
        FULL, mapping=SheetMapping(template=template, params=params, output_name=pattern)
    )
    assert read(written(preset), "m.json") == preset


@given(
    st.binary(max_size=200)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(
                st.sampled_from(["batchwright_mapping", "name", "mapping", "params", "template"]),
                inner,
            )
        ),
    ).map(lambda found: json.dumps(found).encode())
)
def test_whatever_is_in_a_file_is_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(OperatorError):
        read(data, "m.json")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "m.json is no mapping that Batchwright saved."),
        (b"\xff\xfe", "m.json is no mapping that Batchwright saved."),
        (b"[" * 100_000, "m.json is no mapping that Batchwright saved."),
        (b'{"mapping": {}}', "m.json is no mapping that Batchwright saved."),
        (b'{"batchwright_mapping": true}', "m.json is no mapping that Batchwright saved."),
        (b" " * MOST_BYTES + b"{}", "m.json is no mapping that Batchwright saved."),
        (
            b'{"batchwright_mapping": 2, "mapping": "what the future knows"}',
            "m.json was saved by a newer version of Batchwright; update this one to use it.",
        ),
    ],
)
def test_what_is_no_mapping_is_refused(data: bytes, sentence: str) -> None:
    assert refused(data) == sentence


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"api_key": "sk-1"}, "api_key"),
        ({"params": {"size": 3}}, "params"),
        ({"params": ["size"]}, "params"),
        ({"key_column": 3}, "key_column"),
        ({"lane_on_dead": "wait"}, "lane_on_dead"),
        ({"lane_on_dead": []}, "lane_on_dead"),
        ({"prompt_column": "both"}, "prompt_column, template"),
    ],
)
def test_a_value_that_does_not_belong_there_is_named(changes: dict[str, Any], what: str) -> None:
    assert refused(changed(**changes)) == (
        f'm.json can\'t be used: "{what}" in it is not what a mapping holds there.'
    )


def test_no_folder_of_this_machine_goes_into_a_file() -> None:
    mine = replace(FULL.mapping, subfolder="C:\\Users\\li/../shoes")
    said = to_json(replace(FULL, mapping=mine))["mapping"]["subfolder"]
    assert said == "C_/Users/li/shoes"


def test_a_sheet_s_own_names_are_taken_and_missing_columns_named() -> None:
    found = fitted(FULL, ("sku", "客户 ", "尺寸", "Rank", "商品 名"))
    assert found.mapping.key_column == "sku"
    assert found.mapping.subfolder == "@客户 "
    assert found.mapping.priority_column == "Rank"
    with pytest.raises(OperatorError) as caught:
        fitted(FULL, ("sku", "prompt"))
    assert Translator().say(caught.value.message) == (
        'The mapping "主图 v2" asks for columns that this sheet does not have: 尺寸, 客户, rank. '
        "There are: sku, prompt."
    )


def test_columns_are_one_set_in_whatever_order() -> None:
    assert header_key(COLUMNS) == header_key(COLUMNS[::-1])
    assert header_key(COLUMNS) != header_key(COLUMNS[1:])


def test_a_name_is_one_line_and_not_blank() -> None:
    assert cleaned_name("  main \n picture ") == "main picture"
    for name in ("", " \n", None, "\u200b", 3):
        with pytest.raises(OperatorError):
            cleaned_name(name)
